//! Networks and hierarchies.
#![no_main]

use onca_read::topology::{read_dot, read_hierarchy};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    // Errors are answers too.
    let _ = read_dot(input);
    let _ = read_hierarchy(input);
});
