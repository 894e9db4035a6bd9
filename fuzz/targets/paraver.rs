//! Paraver traces with their companions.
#![no_main]

use onca_fuzz::split_and_read;
use onca_generate::small::Format;

libfuzzer_sys::fuzz_target!(|input: &[u8]| split_and_read(Format::Paraver, input));
