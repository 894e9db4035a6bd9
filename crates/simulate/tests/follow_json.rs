//! JSON that somebody still writes, cut anywhere, against a plain reading of its whole events.

use crate::support;

use onca_simulate::DriveOptions;
use onca_testkit::chrome::{Style, Written, events, write};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::{canonical, try_read};

/// Compares at a random place; false if no event is there yet.
fn compare(seed: u64) -> bool {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let style = [Style::Object, Style::Array, Style::OpenArray][rng.random_range(0..3)];
    let Written { bytes, places } = write(&events(seed), style, seed);
    let folder = tempfile::tempdir().expect("a folder");
    let (growing, plain) = (folder.path().join("grows.json"), folder.path().join("plain.json"));
    let cut = rng.random_range(0..=bytes.len());
    std::fs::write(&growing, &bytes[..cut]).expect("written");
    let Some((_, end)) = places.iter().rfind(|(_, end)| *end <= cut) else { return false };
    let mut whole = bytes[..*end].to_vec();
    whole.extend_from_slice(if style == Style::Object { b"]}" } else { b"]" });
    std::fs::write(&plain, whole).expect("written");
    let plainly = DriveOptions {
        block_bytes: [7, 300, 1 << 20][rng.random_range(0..3)],
        ..DriveOptions::default()
    };
    let as_it_grows = DriveOptions { growing: true, ..plainly.clone() };
    let read = |path, options| try_read(path, options).expect("can be read");
    let (found, expected) = (read(&growing, &as_it_grows), read(&plain, &plainly));
    assert_eq!(canonical(&found), canonical(&expected), "seed {seed}, {cut} bytes");
    assert_eq!(found.catalog.facts, expected.catalog.facts, "seed {seed}, {cut} bytes");
    true
}

#[test]
fn json_that_is_cut_anywhere_is_what_its_whole_events_are() {
    let n = (0..1000).filter(|&seed| compare(seed)).count();
    assert!(n > 800, "only {n} were compared");
}

#[test]
fn nothing_is_wrong_with_json_that_has_hardly_begun() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("grows.json");
    let text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[{\"ph\":\"i\",\"ts\":1}";
    let options = DriveOptions { growing: true, ..DriveOptions::default() };
    for end in 2..=text.len() {
        std::fs::write(&path, &text[..end]).expect("written");
        let driven = try_read(&path, &options).expect("can be read");
        assert_eq!(driven.catalog.facts.lost, 0, "{}", &text[..end]);
        assert_eq!(driven.catalog.facts.records, u64::from(end == text.len()));
        assert!(!driven.catalog.facts.truncated);
    }
}
