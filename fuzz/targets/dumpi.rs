//! DUMPI traces of two ranks.
#![no_main]

use onca_fuzz::{DUMPI_FILES, read_files, split};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    read_files(&DUMPI_FILES, &split(input, DUMPI_FILES.len()));
});
