#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spirvkit_fuzz::dwarf_of_module(bytes));
