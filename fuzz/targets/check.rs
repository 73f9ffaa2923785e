//! The check that is called like this binary, held against whatever the fuzzer comes up with.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let check = simdrop::fuzzing::check(env!("CARGO_BIN_NAME")).expect("a check of this name");
    check(bytes);
});
