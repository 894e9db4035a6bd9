//! Chrome trace events: any text after the bracket that tells what it is.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let text = [b"[".as_slice(), input].concat();
    onca_fuzz::read_files(&["trace.json"], &[&text]);
});
