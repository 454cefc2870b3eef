//! FNV-1a of 128 bits: a hash of a few lines that never changes, whatever the compiler.

/// A hash as it grows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fnv(u128);

/// The numbers of the algorithm's authors.
const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

impl Fnv {
    pub(super) const fn new() -> Self {
        Self(BASIS)
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }

    pub(super) const fn finish(self) -> u128 {
        self.0
    }
}

#[test]
fn the_hash_is_the_one_that_its_authors_publish() {
    let hash = |text: &str| {
        let mut hash = Fnv::new();
        hash.write(text.as_bytes());
        hash.finish()
    };
    assert_eq!(hash(""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    assert_eq!(hash("a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    assert_eq!(hash("foobar"), 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
}
