//! Pajé traces: any text.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| onca_fuzz::read_files(&["trace.paje"], &[input]));
