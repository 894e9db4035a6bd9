//! Paraver traces with their companions.
#![no_main]

use onca_fuzz::{PARAVER_FILES, read_files, split};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    read_files(&PARAVER_FILES, &split(input, PARAVER_FILES.len()));
});
