//! Damaged traces of every format: the same bytes give the same answer, always.

use crate::support;

use std::fs;
use std::path::Path;

use onca_generate::damage::damage;
use onca_generate::small::{self, Format};
use onca_simulate::DriveOptions;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use support::{short_rows, try_read};

/// Rows, what was said about the trace, and what was lost; or why nothing could be read.
fn outcome(trace: &Path, threads: usize) -> Result<(Vec<String>, String), String> {
    let options = DriveOptions { memory: 64 << 20, threads, ..DriveOptions::default() };
    let driven = try_read(trace, &options).map_err(|error| error.to_string())?;
    Ok((short_rows(&driven), format!("{:?}", driven.catalog)))
}

/// Reads 200 damaged traces of a format with 1, 2 and 8 threads, twice each.
fn check(format: Format) {
    let folder = tempfile::tempdir().expect("a folder");
    let good = small::write(format, folder.path()).expect("a trace");
    let trace = folder.path().join(format.files()[0]);
    let whole = outcome(&trace, 1);
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut n_changed = 0;
    for number in 0..200 {
        for (name, content) in format.files().iter().zip(damage(&good, &mut random)) {
            fs::write(folder.path().join(name), content).expect("a damaged file");
        }
        let first = outcome(&trace, 1);
        for threads in [1, 2, 2, 8, 8] {
            assert!(outcome(&trace, threads) == first, "{} {number}, {threads}", format.name());
        }
        n_changed += usize::from(first != whole);
    }
    // Some damage is not to be seen: most of a small DUMPI file is counts of calls that were not made.
    assert!(n_changed > 20, "{n_changed}");
}

#[test]
fn damaged_paje_is_read_alike_each_time() {
    check(Format::Paje);
}

#[test]
fn damaged_otf2_is_read_alike_each_time() {
    check(Format::Otf2);
}

#[test]
fn damaged_chrome_json_is_read_alike_each_time() {
    check(Format::Chrome);
}

#[test]
fn damaged_paraver_is_read_alike_each_time() {
    check(Format::Paraver);
}

#[test]
fn damaged_dumpi_is_read_alike_each_time() {
    check(Format::Dumpi);
}
