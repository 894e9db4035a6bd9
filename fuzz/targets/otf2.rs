//! OTF2 archives of two locations.
#![no_main]

use onca_fuzz::{OTF2_FILES, read_files, split};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    read_files(&OTF2_FILES, &split(input, OTF2_FILES.len()));
});
