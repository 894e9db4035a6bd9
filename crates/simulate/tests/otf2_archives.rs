//! OTF2 archives that are written here: what becomes of them, sound or damaged.

use crate::archive;
use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use archive::{Tiny, codes, count_of, link, links};
use onca_generate::otf2::{ByteOrder, Field, Options, write};
use onca_model::{Code, Strictness, display_text, extra_fields};
use onca_simulate::{DriveOptions, Driven};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::{Rows, read, try_read};

use Field::{C32, C64, U8};

fn small_ring() -> Options {
    Options { locations: 5, events: 4_000, chunk: 4096, ..Options::default() }
}

/// The time in each region, summed over all locations.
fn ticks_per_region(driven: &Driven<Rows>) -> BTreeMap<(String, String), i64> {
    let catalog = &driven.catalog;
    let text = |name: &[u8]| display_text(name).into_owned();
    let mut totals = BTreeMap::new();
    for (lane, row, _) in &driven.sink.states {
        let type_name = text(&catalog.type_def(catalog.lane(*lane).type_id).name);
        if type_name == "Region" {
            let key = (type_name, text(&catalog.value(row.value).name));
            *totals.entry(key).or_insert(0) += row.end - row.start;
        }
    }
    totals
}

#[test]
fn rings_come_back_whatever_the_order_of_bytes_ids_and_clocks() {
    for (order, mapped, clock_step) in [
        (ByteOrder::Little, false, 0),
        (ByteOrder::Big, false, 0),
        (ByteOrder::Little, true, 70_000),
        (ByteOrder::Big, true, 3),
    ] {
        let options = Options { order, mapped, clock_step, ..small_ring() };
        let folder = tempfile::tempdir().expect("folder");
        let (anchor, written) = write(&options, folder.path()).expect("written");
        let driven = read(&anchor, 2, 1000);
        let catalog = &driven.catalog;
        let case = format!("{options:?}");
        assert!(catalog.diagnostics.is_empty(), "{case}: {:?}", catalog.diagnostics);
        assert_eq!(catalog.facts.records, written.records, "{case}");
        assert_eq!(catalog.containers.len() as u64, written.containers, "{case}");
        assert_eq!(driven.sink.states.len() as u64, written.states, "{case}");
        assert_eq!(driven.sink.links.len() as u64, written.links, "{case}");
        assert_eq!(driven.sink.variables.len() as u64, written.variables, "{case}");
        assert_eq!(ticks_per_region(&driven), written.ticks_per_value, "{case}");
        assert_eq!(catalog.facts.end, written.end_ticks, "{case}");
        assert_eq!(catalog.facts.unit.ticks_per_unit, 1_000_000_000);
        assert_eq!(catalog.facts.producer.as_deref(), Some("onca generate"));
        for link in &driven.sink.links {
            assert!(link.source.is_some() && link.destination.is_some() && link.end > link.start);
            assert!((1_000..1_005).contains(&link.size.expect("messages have a size")));
        }
        let alone = read(&anchor, 1, 1000);
        assert!(support::canonical(&alone) == support::canonical(&driven), "{case}");
    }
}

#[test]
fn regions_keep_their_source_file_and_line() {
    let folder = tempfile::tempdir().expect("folder");
    let (anchor, _) = write(&small_ring(), folder.path()).expect("written");
    let catalog = read(&anchor, 1, 1 << 20).catalog;
    let value = catalog.values.iter().find(|value| value.name == b"MPI_Recv").expect("a value");
    let extras: Vec<_> = extra_fields(&value.extras)
        .map(|extra| (catalog.field_name(extra.field).into_owned(), extra.text))
        .collect();
    assert!(extras.contains(&(b"file".to_vec(), b"ring.c".as_slice())));
    assert!(extras.contains(&(b"line".to_vec(), b"12".as_slice())));
}

#[test]
fn clocks_that_disagree_without_a_word_are_told() {
    let folder = tempfile::tempdir().expect("folder");
    let options = Options { clock_step: 70_000, ..small_ring() };
    let (anchor, written) = write(&options, folder.path()).expect("written");
    for location in 0..options.locations {
        fs::remove_file(folder.path().join(format!("traces/{location}.def"))).expect("removed");
    }
    let driven = read(&anchor, 2, 1 << 20);
    let diagnostics = &driven.catalog.diagnostics;
    let backward = driven.sink.links.iter().filter(|link| link.end < link.start).count() as u64;
    assert!(backward > 0);
    assert_eq!(count_of(diagnostics, Code::LinkNegativeDuration), backward);
    assert_eq!(count_of(diagnostics, Code::UnsynchronisedClocks), 1);
    assert_eq!(driven.sink.links.len() as u64, written.links, "they are kept");
}

#[test]
fn a_cut_event_file_gives_what_is_before_the_cut() {
    let folder = tempfile::tempdir().expect("folder");
    let (anchor, written) = write(&small_ring(), folder.path()).expect("written");
    let path = folder.path().join("traces/2.evt");
    let whole = fs::read(&path).expect("events");
    let others = written.records / 5 * 4;
    let mut last = 0;
    for cut in (0..whole.len() - 2).step_by(whole.len() / 40) {
        fs::write(&path, &whole[..cut]).expect("cut");
        let driven = read(&anchor, 2, 500);
        let facts = &driven.catalog.facts;
        let kept = facts.records - others;
        assert!(kept >= last, "a longer file has more events");
        last = kept;
        let told = codes(&driven);
        let expected = if cut < 2 { Code::DamagedRecord } else { Code::Truncated };
        assert!(told.contains(&expected), "cut at {cut}: {told:?}");
        assert_eq!(facts.truncated, cut >= 2);
    }
    assert!(last > 0);
}

/// Whatever is cut, something is lost, and how many threads read makes no difference.
#[test]
fn no_cut_of_any_file_goes_unnoticed() {
    let folder = tempfile::tempdir().expect("folder");
    let options = Options { locations: 2, events: 24, chunk: 4096, ..Options::default() };
    let (anchor, _) = write(&Options { mapped: true, ..options }, folder.path()).expect("written");
    let clean = read(&anchor, 1, 64);
    assert!(clean.catalog.diagnostics.is_empty(), "{:?}", clean.catalog.diagnostics);
    for name in ["traces.otf2", "traces.def", "traces/0.def", "traces/0.evt", "traces/1.evt"] {
        let path = folder.path().join(name);
        let whole = fs::read(&path).expect("a file");
        let needed = match name {
            // After the numbers that are needed an anchor has only texts.
            "traces.otf2" => 40,
            // The end mark is followed by a byte that says nothing.
            _ => whole.len() - 1,
        };
        for cut in 0..needed {
            fs::write(&path, &whole[..cut]).expect("cut");
            let outcome = |threads| {
                let options = DriveOptions { threads, block_bytes: 64, ..DriveOptions::default() };
                match try_read(&anchor, &options) {
                    Ok(driven) => {
                        let told = !driven.catalog.diagnostics.is_empty();
                        let what = format!("{name} cut to {cut} of {} bytes", whole.len());
                        assert!(driven.catalog.facts.lost > 0 && told, "{what}");
                        support::canonical(&driven)
                    }
                    Err(error) => error.to_string(),
                }
            };
            let alone = outcome(1);
            if cut % 8 == 0 {
                assert!(alone == outcome(2) && alone == outcome(8), "{name} cut to {cut}");
            }
        }
        fs::write(&path, &whole).expect("restored");
    }
}

#[test]
fn missing_files_cost_only_themselves() {
    let folder = tempfile::tempdir().expect("folder");
    let (anchor, written) = write(&small_ring(), folder.path()).expect("written");
    fs::remove_file(folder.path().join("traces/0.evt")).expect("removed");
    let driven = read(&anchor, 2, 1 << 20);
    assert_eq!(count_of(&driven.catalog.diagnostics, Code::MissingPartFile), 1);
    assert_eq!(driven.catalog.facts.records, written.records / 5 * 4);
    // The number that the writer gives leaves out reductions.
    assert!((700..=written.records / 5).contains(&driven.catalog.facts.lost));
    fs::remove_file(folder.path().join("traces.def")).expect("removed");
    let error = try_read(&anchor, &DriveOptions::default()).err().map(|error| error.to_string());
    assert!(error.is_some_and(|error| error.contains("traces.def: is not there")));
}

#[test]
fn only_regular_files_of_the_folder_are_read() {
    let folder = tempfile::tempdir().expect("folder");
    let outside = tempfile::tempdir().expect("folder");
    let (anchor, written) = write(&small_ring(), folder.path()).expect("written");
    let events = |location: u32| folder.path().join(format!("traces/{location}.evt"));
    let elsewhere = outside.path().join("1.evt");
    fs::rename(events(1), &elsewhere).expect("moved");
    std::os::unix::fs::symlink(&elsewhere, events(1)).expect("linked");
    fs::remove_file(events(2)).expect("removed");
    let fifo = std::process::Command::new("mkfifo").arg(events(2)).status();
    assert!(fifo.expect("mkfifo").success());
    fs::rename(events(3), folder.path().join("third")).expect("moved");
    std::os::unix::fs::symlink("../third", events(3)).expect("linked");
    let driven = read(&anchor, 2, 1 << 20);
    let diagnostics = &driven.catalog.diagnostics;
    assert_eq!(count_of(diagnostics, Code::OutsideArchive), 1);
    assert_eq!(count_of(diagnostics, Code::MissingPartFile), 1, "a FIFO");
    assert_eq!(driven.catalog.facts.records, written.records / 5 * 3, "a link inside is fine");
}

/// Every file of an archive, damaged at random places with the values that lengths and counts
/// go wrong with: nothing may panic, hang or take much memory, and what is lost is counted.
#[test]
fn damage_is_survived_and_told() {
    let folder = tempfile::tempdir().expect("folder");
    let options = Options {
        locations: 3,
        events: 300,
        chunk: 4096,
        mapped: true,
        clock_step: 7,
        ..Options::default()
    };
    let (anchor, _) = write(&options, folder.path()).expect("written");
    let n_clean = states_elsewhere(&read(&anchor, 1, 1 << 20));
    let mut rng = ChaCha8Rng::seed_from_u64(42);
    for name in ["traces.otf2", "traces.def", "traces/0.evt", "traces/1.def"] {
        let path = folder.path().join(name);
        let whole = fs::read(&path).expect("file");
        for round in 0..130 {
            let mut damaged = whole.clone();
            for _ in 0..1 + round % 3 {
                let at = rng.random_range(2..damaged.len());
                let bytes: &[u8] = match rng.random_range(0..6) {
                    0 => &[0],
                    1 => &[255],
                    2 => &[255, 255, 255, 255, 255, 255, 255, 255, 127],
                    3 => &[255, 0, 0, 0, 0, 1, 0, 0, 0],
                    4 => &[8, 255, 255, 255, 255, 255, 255, 255, 255],
                    _ => &[rng.random_range(0..=255u8)],
                };
                let end = (at + bytes.len()).min(damaged.len());
                damaged[at..end].copy_from_slice(&bytes[..end - at]);
            }
            if round % 7 == 0 {
                damaged.truncate(rng.random_range(0..damaged.len()));
            }
            fs::write(&path, &damaged).expect("damaged");
            check_damaged(&anchor, name, round, n_clean);
        }
        fs::write(&path, &whole).expect("restored");
    }
}

fn check_damaged(anchor: &Path, name: &str, round: u32, n_clean: usize) {
    let options = DriveOptions { threads: 2, block_bytes: 700, ..DriveOptions::default() };
    match try_read(anchor, &options) {
        Ok(driven) => {
            let told = codes(&driven);
            assert!(driven.catalog.facts.lost == 0 || !told.is_empty(), "{name} {round}");
            if name == "traces/0.evt" {
                assert_eq!(states_elsewhere(&driven), n_clean, "{name} {round}");
            }
        }
        Err(error) => assert!(!error.to_string().is_empty(), "{name} {round}"),
    }
}

/// States of other locations than the first.
fn states_elsewhere(driven: &Driven<Rows>) -> usize {
    let catalog = &driven.catalog;
    let alias = |lane| catalog.containers.aliases.get(catalog.lane(lane).container.index());
    driven.sink.states.iter().filter(|(lane, ..)| alias(*lane) != b"L0").count()
}

#[test]
fn receives_pair_in_the_order_of_their_posting() {
    let mut tiny = Tiny::new(2);
    // Two messages on one channel; the receiver posts two receives, and the second completes first.
    tiny.event(0, 10, 14, &[C32(1), C32(0), C32(5), C64(100)]);
    tiny.event(0, 20, 15, &[C32(1), C32(0), C32(5), C64(200), C64(1)]);
    tiny.event(1, 5, 17, &[C64(71)]);
    tiny.event(1, 6, 17, &[C64(72)]);
    tiny.event(1, 30, 19, &[C32(0), C32(0), C32(5), C64(200), C64(72)]);
    tiny.event(1, 40, 19, &[C32(0), C32(0), C32(5), C64(100), C64(71)]);
    let driven = tiny.read(Strictness::Lenient);
    let mut pairs: Vec<_> =
        driven.sink.links.iter().map(|link| (link.start, link.end, link.size)).collect();
    pairs.sort_unstable();
    assert_eq!(pairs, [(10, 40, Some(100)), (20, 30, Some(200))]);
    assert!(driven.catalog.diagnostics.is_empty(), "{:?}", driven.catalog.diagnostics);
    assert_eq!(driven.passes, 1);
}

#[test]
fn one_sided_transfers_go_from_where_data_is_to_where_it_goes() {
    let mut tiny = Tiny::new(2);
    tiny.define(24, &[C32(0), C32(0), C32(0), C32(0)]);
    tiny.event(0, 10, 46, &[C32(0), C32(1), C64(64), C64(1)]);
    tiny.event(0, 11, 47, &[C32(0), C32(1), C64(32), C64(2)]);
    tiny.event(0, 20, 49, &[C32(0), C64(1)]);
    tiny.event(0, 30, 50, &[C32(0), C64(2)]);
    let driven = tiny.read(Strictness::Lenient);
    assert_eq!(links(&driven), [link(10, 20, "L0", "L1", 64), link(11, 30, "L1", "L0", 32)]);
}

#[test]
fn metrics_of_processes_are_variables_of_processes() {
    let mut tiny = Tiny::new(2);
    tiny.define(19, &[C32(0), C32(0), C32(0), U8(0), U8(1), U8(10), U8(1), Field::I64(-3), C32(0)]);
    tiny.define(20, &[C32(7), U8(1), C32(0), U8(2), U8(0)]);
    tiny.define(21, &[C32(8), C32(7), C64(0), U8(1), C64(1)]);
    let bits = C64(2500.0f64.to_bits());
    tiny.event(0, 10, 31, &[C32(7), U8(1), U8(10), bits]);
    tiny.event(0, 12, 31, &[C32(8), U8(1), U8(10), bits]);
    let driven = tiny.read(Strictness::Lenient);
    let mut variables: Vec<_> = driven
        .sink
        .variables
        .iter()
        .map(|(lane, row, _)| {
            let container = driven.catalog.lane(*lane).container;
            let alias = driven.catalog.containers.aliases.get(container.index());
            (row.start, display_text(alias).into_owned(), row.value)
        })
        .collect();
    variables.sort_by_key(|variable| variable.0);
    assert_eq!(variables, [(10, "L0".to_owned(), 2.5), (12, "G1".to_owned(), 2.5)]);
}

/// A code, how many records it costs, and what brings it about.
type Case<'a> = (Code, u64, &'a dyn Fn(&mut Tiny));

#[test]
fn each_code_has_a_smallest_archive() {
    let enter = |tiny: &mut Tiny, time, region| tiny.event(0, time, 12, &[C32(region)]);
    let cases: &[Case<'_>] = &[
        (Code::DamagedRecord, 1, &|tiny| tiny.event(0, 1, 14, &[C32(1)])),
        (Code::UnknownRecord, 1, &|tiny| tiny.event(0, 1, 200, &[C32(1)])),
        (Code::UnknownDefinition, 0, &|tiny| {
            enter(tiny, 1, 99);
            tiny.event(0, 2, 13, &[C32(99)]);
        }),
        (Code::UnknownRank, 0, &|tiny| {
            tiny.event(0, 1, 14, &[C32(9), C32(0), C32(0), C64(1)]);
        }),
        (Code::LeaveOtherRegion, 0, &|tiny| {
            enter(tiny, 1, 0);
            tiny.event(0, 2, 13, &[C32(1)]);
        }),
        (Code::UnknownClock, 0, &|tiny| tiny.without_clock()),
        (Code::LinkUnmatched, 0, &|tiny| {
            tiny.event(0, 1, 14, &[C32(1), C32(0), C32(0), C64(1)]);
        }),
        (Code::PopEmpty, 1, &|tiny| tiny.event(0, 1, 13, &[C32(0)])),
        (Code::UnknownParent, 0, &|tiny| {
            tiny.define(12, &[C32(5), C32(0), C32(0), C32(77)]);
        }),
    ];
    for &(code, lost, make) in cases {
        let mut tiny = Tiny::new(2);
        make(&mut tiny);
        enter(&mut tiny, 10, 0);
        tiny.event(0, 20, 13, &[C32(0)]);
        let driven = tiny.read(Strictness::Lenient);
        assert_eq!(codes(&driven), [code], "{:?}", driven.catalog.diagnostics);
        assert_eq!(count_of(&driven.catalog.diagnostics, code), 1, "{code:?}");
        assert_eq!(driven.catalog.facts.lost, lost, "{code:?}");
        let states = driven.sink.states.iter().filter(|(_, row, _)| row.end == 20);
        assert!(states.count() >= 1, "{code:?}: what follows is read");
    }
}

#[test]
fn a_region_that_is_not_defined_has_a_name_of_its_own() {
    // The number that means "undefined", and one that shares its place among those remembered.
    for undefined in [u32::MAX, 255, 511] {
        let mut tiny = Tiny::new(1);
        for (time, region) in [(1, 0), (3, undefined), (5, 1)] {
            tiny.event(0, time, 12, &[C32(region)]);
            tiny.event(0, time + 1, 13, &[C32(region)]);
        }
        let driven = tiny.read(Strictness::Lenient);
        assert_eq!(codes(&driven), [Code::UnknownDefinition]);
        let regions = ticks_per_region(&driven);
        let names: Vec<&str> = regions.keys().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["other", format!("region {undefined}").as_str(), "thing"]);
        assert!(regions.values().all(|&ticks| ticks == 1), "{regions:?}");
    }
}

#[test]
fn strict_reading_stops_at_the_first_problem() {
    let mut tiny = Tiny::new(2);
    tiny.event(0, 1, 200, &[C32(1)]);
    let error = tiny.try_read(Strictness::Strict).err().expect("a problem");
    assert!(error.to_string().contains("unknown kind 200"), "{error}");
}

#[test]
fn a_circle_of_nodes_is_opened() {
    let mut tiny = Tiny::new(2);
    tiny.define(12, &[C32(5), C32(0), C32(0), C32(6)]);
    tiny.define(12, &[C32(6), C32(0), C32(0), C32(5)]);
    let driven = tiny.read(Strictness::Lenient);
    assert_eq!(count_of(&driven.catalog.diagnostics, Code::UnknownParent), 1);
    // The root, a machine, two processes with a thread each, and the two of the circle.
    assert_eq!(driven.catalog.containers.len(), 8);
}
