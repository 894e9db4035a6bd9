//! Stores: damaged files are refused, never believed.
#![no_main]

use onca_fuzz::{STORE_FILES, open_store, split};

libfuzzer_sys::fuzz_target!(|input: &[u8]| open_store(&split(input, STORE_FILES.len())));
