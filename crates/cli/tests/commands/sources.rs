//! Where a trace may come from: standard input, compressed files, files of other systems.

use std::io::Write;

use onca_testkit::fixtures;

use super::{CLEAN_ROWS, clean_trace, lossy_trace};
use onca_testkit::sandbox::{Sandbox, same_text, tallies};

#[test]
fn standard_input_is_a_trace_too() {
    let sandbox = Sandbox::new();
    let run = sandbox.onca_reading(clean_trace().as_bytes(), &["dump", "-"]).expect(0);
    same_text(&run.stdout, CLEAN_ROWS.as_bytes(), "dump of standard input");
    let answer =
        sandbox.onca_reading(lossy_trace().as_bytes(), &["info", "--json", "-"]).expect(1).json();
    assert_eq!(answer["lost"], 2, "{answer:#}");
    sandbox.onca_reading(lossy_trace().as_bytes(), &["validate", "-"]).expect(1);
    // Records that are out of order need a second reading, of what cannot be read twice.
    let unsorted = fixtures::trace("12 3 S a later\n12 1 S a sooner\n18 5 E a q\n");
    let run =
        sandbox.onca_reading(unsorted.as_bytes(), &["dump", "--kinds", "state", "-"]).expect(0);
    let expected = "\
State, A, St, 1.000000000, 3.000000000, 2.000000000, 0, sooner
State, A, St, 3.000000000, 5.000000000, 2.000000000, 0, later
";
    same_text(&run.stdout, expected.as_bytes(), "sorted states");
    sandbox.expect_only(&[]);
}

#[test]
fn compressed_and_foreign_copies_give_the_same_rows() {
    let sandbox = Sandbox::new();
    let text = clean_trace();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text.as_bytes()).expect("compressed");
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(text.as_bytes()).expect("compressed");
    // A value that is known before the last line names it.
    let last = "18 6 E a \"q,r\"\n";
    let cut = text.replace(last, "6 q E \"q,r\" \"1 0 0\"\n18 6 E a q");
    let copies: [(&str, Vec<u8>, &[&str]); 6] = [
        ("t.paje.gz", gzip.finish().expect("compressed"), &[]),
        ("t.paje.z", zlib.finish().expect("compressed"), &[]),
        ("t.paje.zst", zstd::encode_all(text.as_bytes(), 3).expect("compressed"), &[]),
        ("crlf.paje", text.replace('\n', "\r\n").into_bytes(), &[]),
        ("bom.paje", [b"\xef\xbb\xbf", text.as_bytes()].concat(), &["byte-order-mark note 1"]),
        ("no-newline.paje", cut.into_bytes(), &["truncated warning 1"]),
    ];
    for (name, bytes, problems) in copies {
        sandbox.write(name, &bytes);
        let run = sandbox.onca(["dump", name]).expect(0);
        same_text(&run.stdout, CLEAN_ROWS.as_bytes(), name);
        let from_pipe = sandbox.onca_reading(&bytes, &["dump", "-"]).expect(0);
        same_text(&from_pipe.stdout, CLEAN_ROWS.as_bytes(), name);
        assert_eq!(tallies(&sandbox.info(name, 0)), problems, "{name}");
    }
}
