//! Lenses: what is read can be written, and read again.
#![no_main]

use onca_query::Lens;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Ok(text) = str::from_utf8(input) else { return };
    if let Ok(lens) = Lens::from_json(text) {
        assert_eq!(Lens::from_json(&lens.to_json()).expect("a written lens"), lens);
    }
});
