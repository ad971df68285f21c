#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spirvkit_fuzz::converted_debug_information(bytes));
