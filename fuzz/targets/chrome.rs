//! Chrome trace events: any text after the bracket that tells what it is.
#![no_main]

use onca_fuzz::read_files;
use onca_generate::small::Format;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    read_files(Format::Chrome, &[&[b"[", input].concat()]);
});
