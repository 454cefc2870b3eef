//! Claims about terms.

use proptest::prelude::*;

use super::attempt::attempt;
use crate::remote::limits::{ASKS_MAX, Limits};
use crate::remote::session::Terms;

#[test]
fn terms_are_read_as_they_were_written() {
    let limits = Limits::new()
        .asks(7)
        .in_flight_bytes(1 << 20)
        .payload_bytes(5_000)
        .targets(3);
    for terms in [Terms::of(&limits), Terms::of(&Limits::new())] {
        assert_eq!(Terms::take(&terms.put()), Some(terms));
    }
}

#[test]
fn terms_that_no_limits_give_are_refused() {
    for asks in [0, 1, ASKS_MAX + 1, u32::MAX] {
        let terms = Terms {
            asks,
            ..Terms::of(&Limits::new())
        };
        assert_eq!(Terms::take(&terms.put()), None, "{asks}");
    }
    assert_eq!(Terms::take(&[0xff; Terms::BYTES]), None);
    assert_eq!(Terms::take(&[0; Terms::BYTES]), None);
}

proptest! {
    #[test]
    fn terms_that_are_taken_are_within_bounds(
        mut bytes in prop::array::uniform28(any::<u8>()),
        narrow: bool,
    ) {
        // High bytes that are zero make numbers that may be.
        if narrow {
            for high in [3, 6, 7, 8, 9, 10, 11, 15, 16, 17, 18, 19, 22, 23, 26, 27] {
                bytes[high] = 0;
            }
        }
        attempt(&bytes);
    }
}
