//! What `onca-trace` writes, read back and compared with lists that were kept beside the calls.
//!
//! The library has one trace at a time in a process, so that tests that record take turns. Programs that are
//! killed are this very program, started again with a word in its environment.

#[allow(dead_code, reason = "the other tests use the rest of it")]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use onca_model::{Code, ContainerId, LaneId, Strictness, display_text, extra_fields};
use onca_simulate::{DriveOptions, Driven};
use onca_trace::{
    Container, ContainerType, EventType, Field, FieldValue, Format, LinkType, Options, Overflow,
    StateType, Value, VariableType, state,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::{Rows, canonical, read, try_read};
use tempfile::TempDir;

/// Whose turn it is to record.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// An event: its value, and its fields as texts.
type Event = (String, Vec<String>);

/// What a trace has, without times: by container and type (and depth), in order of time.
#[derive(Default, PartialEq, Debug, Clone)]
struct Story {
    states: BTreeMap<(String, String, u16), Vec<String>>,
    events: BTreeMap<(String, String), Vec<Event>>,
    variables: BTreeMap<(String, String), Vec<f64>>,
    /// By key: source, destination, value, size.
    links: BTreeMap<String, (String, String, String, Option<u64>)>,
}

/// The story that the reader tells.
fn told(driven: &Driven<Rows>) -> Story {
    let Driven { catalog, sink, .. } = driven;
    let container =
        |id: ContainerId| display_text(catalog.containers.names.get(id.index())).into_owned();
    let value = |id| display_text(&catalog.value(id).name).into_owned();
    let track = |lane: LaneId| {
        let lane = catalog.lane(lane);
        let of = display_text(&catalog.type_def(lane.type_id).name).into_owned();
        (container(lane.container), of, lane.depth)
    };
    let mut story = Story::default();
    let mut states: Vec<_> = sink.states.iter().collect();
    states.sort_by_key(|(_, row, _)| row.start);
    for (lane, row, _) in states {
        let (container, of, depth) = track(*lane);
        story.states.entry((container, of, depth)).or_default().push(value(row.value));
    }
    for (lane, row, packed) in &sink.events {
        let (container, of, _) = track(*lane);
        let fields = extra_fields(packed).map(|extra| {
            let name = catalog.field_name(extra.field);
            format!("{}={}", display_text(&name), display_text(extra.text))
        });
        let event = (value(row.value), fields.collect());
        story.events.entry((container, of)).or_default().push(event);
    }
    for (lane, row, _) in &sink.variables {
        let (container, of, _) = track(*lane);
        story.variables.entry((container, of)).or_default().push(row.value);
    }
    for link in &sink.links {
        let end = |id: Option<ContainerId>| id.map_or("?".to_owned(), container);
        let told = (end(link.source), end(link.destination), value(link.value), link.size);
        story.links.insert(display_text(&link.key).into_owned(), told);
    }
    story
}

fn problems(driven: &Driven<Rows>) -> Vec<(&'static str, u64)> {
    let tallies = driven.catalog.diagnostics.iter();
    let quiet = [Code::StateOpenAtEnd];
    tallies
        .filter(|(code, _)| !quiet.contains(code))
        .map(|(code, tally)| (code.name(), tally.count))
        .collect()
}

/// The types that all tests use.
#[derive(Clone, Copy)]
struct Types {
    process: ContainerType,
    thread: ContainerType,
    doing: StateType,
    mark: EventType,
    load: VariableType,
    message: LinkType,
}

fn types() -> Types {
    let process = ContainerType::ROOT.container_type("Process");
    let thread = process.container_type("Thread");
    Types {
        process,
        thread,
        doing: thread.state_type("Doing"),
        mark: thread.event_type("Mark"),
        load: thread.variable_type("Load"),
        message: ContainerType::ROOT.link_type("Message", thread, thread),
    }
}

/// Does random things in a container, and writes down what it did.
fn act(types: Types, me: Container, name: &str, seed: u64, n: usize, story: &mut Story) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut depth = 0u16;
    let mut load: Option<f64> = None;
    let place = |of: &str| (name.to_owned(), of.to_owned());
    for step in 0..n {
        match rng.random_range(0..10) {
            0..=3 => {
                let value = format!("work {}", rng.random_range(0..5));
                me.push(types.doing.value(&value));
                let key = (name.to_owned(), "Doing".to_owned(), depth);
                story.states.entry(key).or_default().push(value);
                depth += 1;
            }
            4..=5 if depth > 0 => {
                me.pop(types.doing);
                depth -= 1;
            }
            6 => {
                let value = format!("set {}", rng.random_range(0..3));
                me.set(types.doing.value(&value));
                let key = (name.to_owned(), "Doing".to_owned(), 0);
                story.states.entry(key).or_default().push(value);
                depth = 1;
            }
            7 if rng.random_bool(0.2) => {
                me.reset(types.doing);
                depth = 0;
            }
            8 => {
                let comment = "x".repeat(rng.random_range(0..100));
                let (number, real) = (rng.random::<i64>(), rng.random_range(-1.0..1.0));
                let fields = [
                    Field::comment().is(FieldValue::Text(&comment)),
                    Field::new("number").is(FieldValue::Int(number)),
                    Field::new("real").is(FieldValue::Double(real)),
                ];
                let n_fields = rng.random_range(0..=3);
                me.event_with(types.mark.value("here"), &fields[..n_fields]);
                let texts = [
                    format!("Comment={comment}"),
                    format!("number={number}"),
                    format!("real={real:?}"),
                ];
                let event = ("here".to_owned(), texts[..n_fields].to_vec());
                story.events.entry(place("Mark")).or_default().push(event);
            }
            9 => {
                let by = f64::from(rng.random_range(1..1000)) / 8.0;
                let next = match (load, rng.random_range(0..3)) {
                    (Some(load), 0) => {
                        me.add_variable(types.load, by);
                        load + by
                    }
                    (Some(load), 1) => {
                        me.sub_variable(types.load, by);
                        load - by
                    }
                    _ => {
                        me.set_variable(types.load, by);
                        by
                    }
                };
                load = Some(next);
                story.variables.entry(place("Load")).or_default().push(next);
            }
            _ => {
                let (key, size) = (seed << 20 | step as u64, rng.random_range(0..9));
                let size = (size > 0).then_some(size << 33);
                me.start_link(types.message.value("data"), key, size);
                me.end_link(types.message.value("data"), key, size);
                let link = (name.to_owned(), name.to_owned(), "data".to_owned(), size);
                story.links.insert(key.to_string(), link);
            }
        }
    }
}

fn merge(story: &mut Story, other: Story) {
    story.states.extend(other.states);
    story.events.extend(other.events);
    story.variables.extend(other.variables);
    story.links.extend(other.links);
}

/// Records a random program in some threads.
fn record(options: Options, n_threads: u64, n: usize, seed: u64) -> Story {
    onca_trace::open_with(options).expect("an open trace");
    let types = types();
    let process = Container::ROOT.create(types.process, "process");
    let stories: Vec<Story> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads)
            .map(|number| {
                scope.spawn(move || {
                    let name = format!("thread-{number}");
                    let me = process.create(types.thread, &name);
                    let mut story = Story::default();
                    act(types, me, &name, seed * 100 + number, n, &mut story);
                    me.destroy();
                    story
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread")).collect()
    });
    onca_trace::close().expect("a closed trace");
    process.destroy();
    let mut all = Story::default();
    stories.into_iter().for_each(|story| merge(&mut all, story));
    all
}

#[test]
fn random_programs_are_read_back() {
    let _turn = turn();
    for seed in 0..8 {
        let folder = folder();
        let path = folder.path().join("t.onct");
        let mut options = Options::new(&path);
        // Buffers that overflow, so that threads wait, and such that do not.
        options.capacity = if seed % 2 == 0 { 1024 } else { 1 << 16 };
        let expected = record(options, 1 + seed % 4, 3000, seed);
        for threads in [1, 3] {
            let driven = read(&path, threads, 1 << 20);
            assert!(told(&driven) == expected, "seed {seed}: what was read is not what was done");
            assert_eq!(problems(&driven), [], "seed {seed}");
            assert_eq!(driven.catalog.facts.lost, 0);
        }
    }
}

#[test]
fn text_for_other_tools_tells_the_same() {
    let _turn = turn();
    let folder = folder();
    let path = folder.path().join("t.paje");
    let mut options = Options::new(&path);
    options.format = Format::Paje;
    let mut expected = record(options, 2, 500, 77);
    // Text has one field for all.
    for (_, fields) in expected.events.values_mut().flatten() {
        let texts = fields.iter().map(|field| field.strip_prefix("Comment=").unwrap_or(field));
        let comment: Vec<_> = texts.filter(|text| !text.is_empty()).collect();
        *fields = match comment.join(", ") {
            empty if empty.is_empty() => Vec::new(),
            comment => vec![format!("Comment={comment}")],
        };
    }
    let driven = read(&path, 1, 1 << 20);
    assert_eq!(problems(&driven), []);
    assert_eq!(told(&driven), expected);
}

#[test]
fn times_are_those_of_the_clock() {
    let _turn = turn();
    let folder = folder();
    let path = folder.path().join("t.onct");
    onca_trace::open(&path).expect("an open trace");
    let types = types();
    let me = Container::ROOT.create(types.process, "p").create(types.thread, "t");
    let mut measured = Vec::new();
    for _ in 0..5 {
        let outside = Instant::now();
        me.push(types.doing.value("sleep"));
        let inside = Instant::now();
        std::thread::sleep(Duration::from_millis(30));
        let least = inside.elapsed();
        me.pop(types.doing);
        measured.push((least, outside.elapsed()));
    }
    onca_trace::close().expect("a closed trace");
    me.destroy();
    let driven = read(&path, 1, 1 << 20);
    let mut states: Vec<_> = driven.sink.states.iter().map(|(_, row, _)| row).collect();
    states.sort_by_key(|row| row.start);
    assert_eq!(states.len(), 5);
    // Two readings of the clock are apart by less than this much, even where the processor is taken away.
    let slack = Duration::from_millis(1);
    for (row, (least, most)) in states.into_iter().zip(measured) {
        let lasted = Duration::from_nanos((row.end - row.start) as u64);
        assert!(lasted + slack >= least && lasted <= most + slack, "{lasted:?} {least:?} {most:?}");
    }
}

#[test]
fn a_track_of_several_threads_is_in_order_of_time() {
    let _turn = turn();
    let folder = folder();
    let path = folder.path().join("t.onct");
    onca_trace::open(&path).expect("an open trace");
    let types = types();
    let shared = Container::ROOT.create(types.process, "p").create(types.thread, "shared");
    let barrier = Barrier::new(2);
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let barrier = &barrier;
            scope.spawn(move || {
                for round in 0..100 {
                    barrier.wait();
                    if round % 2 == thread {
                        shared.set(types.doing.value(&format!("round {round}")));
                    }
                }
            });
        }
    });
    onca_trace::close().expect("a closed trace");
    shared.destroy();
    let driven = read(&path, 2, 1 << 20);
    let expected: Vec<_> = (0..100).map(|round| format!("round {round}")).collect();
    let key = ("shared".to_owned(), "Doing".to_owned(), 0);
    assert_eq!(told(&driven).states[&key], expected);
    assert_eq!(driven.catalog.facts.lost, 0);
    assert_eq!(problems(&driven), []);
    let strict = DriveOptions { strictness: Strictness::Strict, ..DriveOptions::default() };
    let driven = try_read(&path, &strict).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(told(&driven).states[&key], expected);
}

#[test]
fn containers_live_as_long_as_they_did() {
    let _turn = turn();
    let folder = folder();
    let path = folder.path().join("t.onct");
    let types = types();
    let before = Container::ROOT.create(types.process, "before");
    onca_trace::open(&path).expect("an open trace");
    let gone = before.create(types.thread, "gone");
    gone.event(types.mark.value("m"));
    gone.destroy();
    let later = before.create(types.thread, "later");
    later.event(types.mark.colored_value("coloured", 0x0012_3456));
    onca_trace::close().expect("a closed trace");
    before.destroy();
    let driven = read(&path, 1, 1 << 20);
    assert_eq!(problems(&driven), []);
    let catalog = &driven.catalog;
    let of = |name: &str| {
        let index = (0..catalog.containers.len())
            .find(|&index| catalog.containers.names.get(index) == name.as_bytes());
        catalog.containers.get(ContainerId(index.expect(name) as u32))
    };
    assert!(of("gone").start >= of("before").start);
    assert!(of("gone").end <= of("later").start);
    assert_eq!(of("later").end, catalog.facts.end);
    let pid = std::process::id().to_string();
    let extras = support::extras(catalog, of("before").extras);
    assert!(extras.contains(&format!("pid={pid}")), "{extras}");
    let colored = catalog.values.iter().find(|value| value.name == b"coloured").expect("a value");
    let color = colored.color.expect("a colour");
    assert_eq!((color.red, color.green, color.blue), (0x12, 0x34, 0x56));
}

#[test]
fn a_folder_of_processes_is_one_trace() {
    let _turn = turn();
    let folder = folder();
    let types = types();
    let value = types.message.value("data");
    for rank in 0..2u32 {
        onca_trace::open(folder.path().join(format!("run-{rank}.onct"))).expect("an open trace");
        let process = Container::ROOT.create(types.process, &format!("rank {rank}"));
        let me = process.create(types.thread, &format!("main of {rank}"));
        state!(me, types.doing, "exchanging");
        match rank {
            0 => me.start_link(value, 7, Some(64)),
            _ => me.end_link(value, 7, Some(64)),
        }
        onca_trace::close().expect("a closed trace");
        process.destroy();
    }
    let driven = read(folder.path(), 2, 1 << 20);
    let story = told(&driven);
    let link = ("main of 0".to_owned(), "main of 1".to_owned(), "data".to_owned(), Some(64));
    assert_eq!(story.links["7"], link);
    assert_eq!(story.states.len(), 2);
    let n_types = driven.catalog.types.iter().filter(|def| def.name == b"Process").count();
    assert_eq!(n_types, 1);
    assert_eq!(driven.catalog.facts.lost, 0);
    // One of them alone has half of a link.
    let alone = read(&folder.path().join("run-0.onct"), 1, 1 << 20);
    assert_eq!(problems(&alone), [("link-unmatched", 1)]);
    // A damaged file is told of; the others are read.
    fs::write(folder.path().join("run-2.onct"), b"\x89ONCT\r\n\x1a\x02\0").expect("a file");
    let driven = read(folder.path(), 2, 1 << 20);
    assert_eq!(told(&driven), story);
    assert_eq!(problems(&driven), [("missing-part-file", 1)]);
    assert_eq!(driven.catalog.facts.lost, 1);
}

/// The beginning of a file up to the last whole block; nothing of one without its head.
fn whole_blocks(bytes: &[u8]) -> &[u8] {
    let mut end = if bytes.len() < 64 { 0 } else { 64 };
    while let Some(head) = bytes.get(end..end + 44).filter(|_| end > 0) {
        let len = u32::from_le_bytes(head[32..36].try_into().expect("four bytes"));
        match end + 44 + len as usize {
            next if next <= bytes.len() => end = next,
            _ => break,
        }
    }
    &bytes[..end]
}

#[test]
fn files_that_are_written_are_what_their_whole_blocks_are() {
    let _turn = turn();
    let (recorded, growing, plain) = (folder(), folder(), folder());
    let name = |number: usize| format!("p-{number}.onct");
    let files: Vec<Vec<u8>> = (0..3)
        .map(|number| {
            let path = recorded.path().join(name(number));
            let mut options = Options::new(&path);
            options.capacity = 1024;
            record(options, 2, 700, 40 + number as u64);
            fs::read(path).expect("a file")
        })
        .collect();
    let put = |folder: &TempDir, number: usize, bytes: &[u8]| {
        let path = folder.path().join(name(number));
        match bytes {
            [] => drop(fs::remove_file(path)),
            bytes => fs::write(path, bytes).expect("written"),
        }
    };
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    let options = DriveOptions { growing: true, ..DriveOptions::default() };
    for round in 0..1000 {
        let mut n_begun = 0;
        for (number, bytes) in files.iter().enumerate() {
            let end = match rng.random_range(0..6) {
                0 => rng.random_range(0..200),
                1 => bytes.len(),
                _ => rng.random_range(0..bytes.len()),
            };
            let whole = whole_blocks(&bytes[..end]);
            n_begun += usize::from(!whole.is_empty());
            put(&growing, number, &bytes[..end]);
            put(&plain, number, whole);
        }
        if n_begun == 0 {
            continue;
        }
        let found = try_read(growing.path(), &options).expect("can be read");
        let expected = read(plain.path(), 1, 1 << 20);
        // That files have no end is no problem while they are written. Elsewhere it counts as a record, without which there
        // may be none yet.
        let at_end = |text: &str| -> String {
            let of_end = ["D\ttruncated", "D\tempty-trace", "records\t", "lost\t"];
            let stays = |line: &&str| !of_end.iter().any(|told| line.starts_with(told));
            text.lines().filter(stays).map(|line| line.to_owned() + "\n").collect()
        };
        let n_without_end =
            expected.catalog.diagnostics.get(Code::Truncated).map_or(0, |tally| tally.count);
        assert_eq!(at_end(&canonical(&found)), at_end(&canonical(&expected)), "round {round}");
        assert_eq!(found.catalog.facts.lost + n_without_end, expected.catalog.facts.lost);
        assert_eq!(found.catalog.facts.records + n_without_end, expected.catalog.facts.records);
        assert_eq!(found.catalog.diagnostics.get(Code::Truncated).map(|tally| tally.count), None);
    }
}

#[test]
fn what_found_no_room_is_counted() {
    let _turn = turn();
    let folder = folder();
    let path = folder.path().join("t.onct");
    let mut options = Options::new(&path);
    (options.overflow, options.capacity) = (Overflow::Drop, 1024);
    onca_trace::open_with(options).expect("an open trace");
    let types = types();
    let me = Container::ROOT.create(types.process, "p").create(types.thread, "t");
    let value = types.mark.value("m");
    // More threads than cores: whenever the writer is not the one that runs, buffers are full at once.
    const EACH: u64 = 100_000;
    let n_threads = 4 * std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(|| (0..EACH).for_each(|_| me.event(value)));
        }
    });
    let n = EACH * n_threads as u64;
    onca_trace::close().expect("a closed trace");
    me.destroy();
    let driven = read(&path, 1, 1 << 20);
    let facts = &driven.catalog.facts;
    assert_eq!(driven.sink.events.len() as u64 + facts.lost, n);
    assert_eq!(facts.records, n);
    assert!(facts.lost > 0, "buffers of 1024 records took 100,000 each in a few milliseconds");
    assert!(problems(&driven).iter().all(|(code, _)| *code == "dropped-records"));
}

/// A trace of a few hundred bytes of records.
fn small(folder: &Path) -> (PathBuf, Vec<u8>) {
    let path = folder.join("small.onct");
    record(Options::new(&path), 2, 40, 5);
    let bytes = fs::read(&path).expect("a file");
    (path, bytes)
}

/// Is each list of one story the beginning of the same list of another?
fn is_beginning(cut: &Story, whole: &Story) -> bool {
    let states = |(key, values): (&_, &Vec<String>)| {
        whole.states.get(key).is_some_and(|all| all.starts_with(values))
    };
    let events = |(key, values): (&_, &Vec<_>)| {
        whole.events.get(key).is_some_and(|all| all.starts_with(values))
    };
    let variables = |(key, values): (&_, &Vec<f64>)| {
        whole.variables.get(key).is_some_and(|all| all.starts_with(values))
    };
    cut.states.iter().all(states)
        && cut.events.iter().all(events)
        && cut.variables.iter().all(variables)
}

#[test]
fn a_file_that_is_cut_anywhere_is_read_up_to_there() {
    let _turn = turn();
    let folder = folder();
    let (path, bytes) = small(folder.path());
    let whole = told(&read(&path, 1, 1 << 20));
    let mut most = 0;
    for len in 0..bytes.len() {
        fs::write(&path, &bytes[..len]).expect("a file");
        match try_read(&path, &DriveOptions::default()) {
            Err(error) => {
                assert!(len < 64, "cut at {len}: {error}");
            }
            Ok(driven) => {
                assert!(len >= 64, "cut at {len}");
                let cut = told(&driven);
                assert!(is_beginning(&cut, &whole), "cut at {len}: {cut:?}");
                assert!(driven.catalog.facts.lost > 0, "cut at {len}: nothing is said");
                let n: usize = cut.states.values().map(Vec::len).sum();
                assert!(n >= most, "cut at {len}: a longer file has less");
                most = n;
            }
        }
    }
    assert_eq!(most, whole.states.values().map(Vec::len).sum::<usize>());
}

#[test]
fn a_byte_that_is_damaged_is_not_read_in_silence() {
    let _turn = turn();
    let folder = folder();
    let (path, bytes) = small(folder.path());
    let whole = told(&read(&path, 1, 1 << 20));
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        fs::write(&path, &damaged).expect("a file");
        let Ok(driven) = try_read(&path, &DriveOptions::default()) else { continue };
        let same = told(&driven) == whole;
        assert!(same || driven.catalog.facts.lost > 0, "byte {at}: {:?}", problems(&driven));
    }
}

#[test]
fn another_version_is_refused_with_its_number() {
    let _turn = turn();
    let folder = folder();
    let (path, mut bytes) = small(folder.path());
    bytes[8] = 9;
    fs::write(&path, &bytes).expect("a file");
    let error = try_read(&path, &DriveOptions::default()).err().expect("an error").to_string();
    assert!(error.ends_with("is of version 9 of its format; version 1 can be read"), "{error}");
}

#[test]
fn a_file_that_somebody_writes_is_not_taken() {
    let _turn = turn();
    let folder = folder();
    let path = folder.path().join("t.onct");
    let other = fs::File::create(&path).expect("a file");
    other.lock().expect("a lock");
    let error = onca_trace::open(&path).expect_err("another has it").to_string();
    assert!(error.contains("another process writes it"), "{error}");
    drop(other);
    onca_trace::open(&path).expect("an open trace");
    let error = onca_trace::open(&path).expect_err("it is open").to_string();
    assert_eq!(error, "a trace is open already");
    onca_trace::close().expect("a closed trace");
}

/// Says to this program, started again, what it is to do; the file of its trace is in `ONCA_TEST_FILE`.
const DEED: &str = "ONCA_TEST_DEED";

/// Starts this program again to record, and to end in some way.
fn run(deed: &str, path: &Path) -> ExitStatus {
    run_with(deed, path, &[])
}

/// The same with more in its environment.
fn run_with(deed: &str, path: &Path, environment: &[(&str, &str)]) -> ExitStatus {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(["--exact", "a_program_that_ends_somehow", "--nocapture"]);
    command.env(DEED, deed).env("ONCA_TEST_FILE", path).envs(environment.iter().copied());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("a run")
}

/// Records as many states as it is told to, in a thread of its own too.
fn record_states(n: usize) -> (Types, Container, Value<StateType>) {
    let types = types();
    let me = Container::ROOT.create(types.process, "p").create(types.thread, "t");
    let value = types.doing.value("work");
    for _ in 0..n {
        me.push(value);
        me.pop(types.doing);
    }
    (types, me, value)
}

/// The other side of `run`. Where nobody has started it so, there is nothing to do.
#[test]
fn a_program_that_ends_somehow() {
    let Ok(deed) = std::env::var(DEED) else { return };
    let path = PathBuf::from(std::env::var_os("ONCA_TEST_FILE").expect("a file"));
    let mut options = Options::new(&path);
    // Nothing is written before the end unless a buffer fills.
    options.interval = Duration::from_secs(3600);
    onca_trace::open_with(options).expect("an open trace");
    let (types, me, value) = record_states(1000);
    me.push_with(value, &[Field::comment().is(FieldValue::Text("a-text-of-more-than-one-slot"))]);
    me.start_link(types.message.value("m"), 3, Some(8));
    match deed.as_str() {
        "exit" => std::process::exit(0),
        // SAFETY: nothing that follows is relied upon.
        "abort" => unsafe { libc::abort() },
        "term" | "kill" => {
            let signal = if deed == "term" { libc::SIGTERM } else { libc::SIGKILL };
            // SAFETY: as above.
            unsafe { libc::kill(libc::getpid(), signal) };
            std::thread::sleep(Duration::from_secs(10));
        }
        "fault" => {
            // SAFETY: none; the fault is what is wanted.
            unsafe { std::ptr::without_provenance_mut::<u8>(8).write_volatile(1) };
        }
        "panic" => {
            let _ = std::thread::spawn(|| panic!("as wanted")).join();
            // SAFETY: as above. Nothing is closed, nothing is caught.
            unsafe { libc::_exit(0) };
        }
        "written" => {
            assert!(onca_trace::flush());
            // SAFETY: as above.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
        }
        "fork" => {
            // SAFETY: the child only calls this library, which is made for it, and ends.
            let child = unsafe { libc::fork() };
            if child == 0 {
                assert!(!onca_trace::is_enabled());
                me.pop(types.doing);
                let own = path.with_extension("child.onct");
                onca_trace::open(&own).expect("a trace of its own");
                me.push(value);
                onca_trace::close().expect("a closed trace");
                // SAFETY: as above.
                unsafe { libc::_exit(0) };
            }
            let mut status = 1;
            // SAFETY: the status is valid for writing.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            assert_eq!(status, 0);
            std::process::exit(0);
        }
        other => panic!("{other} is not known"),
    }
}

#[test]
fn a_program_that_ends_early_leaves_what_it_recorded() {
    let folder = folder();
    for (deed, signal) in [
        ("exit", None),
        ("abort", Some(libc::SIGABRT)),
        ("fault", Some(libc::SIGSEGV)),
        ("term", Some(libc::SIGTERM)),
        ("panic", None),
        ("written", Some(libc::SIGKILL)),
        ("fork", None),
    ] {
        let path = folder.path().join(format!("{deed}.onct"));
        let status = run(deed, &path);
        assert_eq!(status.signal(), signal, "{deed}: {status}");
        let driven = read(&path, 1, 1 << 20);
        let states = &driven.sink.states;
        assert_eq!(states.len(), 1001, "{deed}");
        let commented: Vec<_> = states.iter().filter(|(_, _, packed)| !packed.is_empty()).collect();
        assert_eq!(commented.len(), 1, "{deed}");
        let extras = support::extras(&driven.catalog, &commented[0].2);
        assert_eq!(extras, "Comment=a-text-of-more-than-one-slot");
        assert!(commented[0].1.open_ended, "{deed}");
        let link = ("t".to_owned(), "?".to_owned(), "m".to_owned(), Some(8));
        assert_eq!(told(&driven).links["3"], link, "{deed}");
        // What was killed, or left without a word, cannot know that it has everything.
        let is_cut = matches!(deed, "panic" | "written");
        assert_eq!(driven.catalog.facts.lost, u64::from(is_cut), "{deed}: {:?}", problems(&driven));
    }
    let child = read(&folder.path().join("fork.child.onct"), 1, 1 << 20);
    assert_eq!(child.sink.states.len(), 1);
    assert_eq!(child.catalog.facts.lost, 0);
}

#[test]
fn a_program_that_is_killed_says_that_it_was_cut() {
    let folder = folder();
    let path = folder.path().join("kill.onct");
    let status = run("kill", &path);
    assert_eq!(status.signal(), Some(libc::SIGKILL));
    let driven = read(&path, 1, 1 << 20);
    assert_eq!(problems(&driven).iter().filter(|(code, _)| *code == "truncated").count(), 1);
    assert!(driven.sink.states.len() <= 1001);
}

#[test]
fn files_of_several_runs_are_told() {
    let folder = folder();
    for (name, run) in [("a", "first"), ("b", "second")] {
        let path = folder.path().join(format!("{name}.onct"));
        assert!(run_with("exit", &path, &[("ONCA_TRACE_RUN", run)]).success());
    }
    let driven = read(folder.path(), 1, 1 << 20);
    let mixed = problems(&driven).into_iter().find(|(code, _)| *code == "mixed-runs");
    assert_eq!(mixed, Some(("mixed-runs", 1)));
    // Both are read all the same.
    assert_eq!(driven.sink.states.len(), 2 * 1001);
}

/// Calls of the header that Rust has no words for.
mod c {
    use std::ffi::{c_char, c_int};

    #[repr(C)]
    pub struct Attribute {
        pub field: u32,
        pub kind: c_int,
        pub value: u64,
    }

    unsafe extern "C" {
        pub safe fn onca_now() -> u64;
        pub safe fn onca_clock_pair(rank: u32, own: u64, other: u64, width: u64);
        pub fn onca_property(key: *const c_char, value: *const c_char);
        pub fn onca_field_of(name: *const c_char) -> u32;
        pub fn onca_container_type(parent: u32, name: *const c_char) -> u32;
        pub fn onca_event_type(parent: u32, name: *const c_char) -> u32;
        pub fn onca_value_of(of: u32, name: *const c_char, color: u32) -> u32;
        pub fn onca_create_at(of: u32, parent: u32, name: *const c_char, ticks: u64) -> u32;
        pub fn onca_link_type(parent: u32, name: *const c_char, from: u32, to: u32) -> u32;
        pub fn onca_event_with(
            container: u32,
            of: u32,
            value: u32,
            attributes: *const Attribute,
            n: usize,
        );
        pub fn onca_link_with(
            starts: c_int,
            container: u32,
            of: u32,
            value: u32,
            key: u64,
            bytes: u64,
            ticks: u64,
            attributes: *const Attribute,
            n: usize,
        );
    }
}

#[test]
fn processes_go_by_the_clock_that_they_compared_theirs_with() {
    let _turn = turn();
    let folder = folder();
    // Two ranks in one process, one after the other: each is an end of a link, at times that are known in ticks.
    let mut times = Vec::new();
    for rank in 0..2u32 {
        onca_trace::open(folder.path().join(format!("rank-{rank}.onct"))).expect("a trace");
        let now = c::onca_now();
        // SAFETY: all texts end with a zero byte, and there is one attribute.
        unsafe {
            let number = if rank == 0 { c"0" } else { c"1" };
            c::onca_property(c"rank".as_ptr(), number.as_ptr());
            let process = c::onca_container_type(0, c"Process".as_ptr());
            let link = c::onca_link_type(0, c"Message".as_ptr(), process, process);
            let value = c::onca_value_of(link, c"world".as_ptr(), u32::MAX);
            let me = c::onca_create_at(process, 0, c"rank".as_ptr(), now);
            let posted = c::onca_field_of(c"posted".as_ptr());
            let attribute = c::Attribute { field: posted, kind: 2, value: now };
            let starts = i32::from(rank == 0);
            let n = usize::from(rank == 1);
            c::onca_link_with(starts, me, link, value, 7, 16, now, &raw const attribute, n);
            let mark = c::onca_event_type(process, c"Mark".as_ptr());
            let value = c::onca_value_of(mark, c"here".as_ptr(), u32::MAX);
            let calls = c::onca_field_of(c"calls".as_ptr());
            let attribute = c::Attribute { field: calls, kind: 0, value: 12 };
            c::onca_event_with(me, mark, value, &raw const attribute, 1);
        }
        if rank == 1 {
            // A lie that can be checked: this moment is 1000 ticks of the other clock after the send.
            c::onca_clock_pair(0, now, times[0] + 1000, 2);
        }
        times.push(now);
        onca_trace::close().expect("a whole trace");
    }
    let driven = read(folder.path(), 2, 1 << 20);
    let [link] = &driven.sink.links[..] else { panic!("one link") };
    assert_eq!(link.size, Some(16));
    // The receive is 1000 ticks of the first clock after the send, whatever time has passed in truth.
    let apart = link.end - link.start;
    let expected = ticks_in_nanoseconds(&folder.path().join("rank-0.onct"), 1000);
    assert!((apart - expected).abs() <= 1, "{apart} is not {expected}");
    assert_eq!(support::extras(&driven.catalog, &link.extras), format!("posted={}", link.end));
    assert!(
        driven
            .sink
            .events
            .iter()
            .all(|(_, _, packed)| { support::extras(&driven.catalog, packed) == "calls=12" })
    );
    assert_eq!(driven.catalog.facts.lost, 0);
}

/// How long some ticks are, by the first and the last reading of the clocks in a file: the head has one in bytes 24 to 47, and
/// a block of kind 4 is a head of 44 bytes and another.
fn ticks_in_nanoseconds(file: &Path, ticks: i64) -> i64 {
    let bytes = fs::read(file).expect("a file");
    let number = |at: usize| i64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
    let mut blocks = (64..bytes.len() - 68).filter(|&at| &bytes[at..at + 4] == b"ONCB");
    let last = blocks.rfind(|&at| bytes[at + 4] == 4).expect("a clock") + 44;
    (number(last + 8) - number(32)) * ticks / (number(last) - number(24))
}

#[test]
fn a_trace_that_the_environment_names_may_be_open_already() {
    let _turn = turn();
    if std::env::var_os("ONCA_TRACE_FILE").is_none() {
        let folder = folder();
        let program = std::env::current_exe().expect("this program");
        let name = "a_trace_that_the_environment_names_may_be_open_already";
        let mut again = Command::new(program);
        again.args([name, "--exact"]).env("ONCA_TRACE_FILE", folder.path().join("one.onct"));
        assert!(again.stdout(Stdio::null()).status().expect("a run").success());
        onca_trace::open(folder.path().join("two.onct")).expect("a trace");
        assert!(onca_trace::open(folder.path().join("three.onct")).is_err());
        onca_trace::close().expect("a whole trace");
        return;
    }
    onca_trace::open("ignored.onct").expect("a trace");
    onca_trace::open("ignored.onct").expect("the same trace");
    onca_trace::close().expect("a whole trace");
}
