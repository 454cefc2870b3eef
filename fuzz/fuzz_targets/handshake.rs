#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| greenroom_fuzz::handshake(data));
