#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    spirvkit_fuzz::bounded(bytes, spirvkit_fuzz::staged_modules);
});
