//! DUMPI traces that are written here: what becomes of them, sound or damaged.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};

use onca_generate::dumpi::{Field, RankWriter, meta};
use onca_model::{Code, Strictness};
use onca_read::main_file;
use onca_simulate::{DriveOptions, Driven};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::{Rows, read, short_rows, try_read};
use tempfile::TempDir;

use Field::{Int, Ints, Long, Short, Statuses, Texts};

const DOUBLE: Field = Short(14);
const WORLD: Field = Short(2);

/// Milliseconds.
fn ms(enter: u64, leave: u64) -> (u64, u64) {
    (enter * 1_000_000, leave * 1_000_000)
}

fn send(rank: &mut RankWriter, at: (u64, u64), count: i32, dest: i32, tag: i32) {
    rank.call(0, at, &[Int(count), DOUBLE, Int(dest), Int(tag), WORLD]);
}

fn irecv(rank: &mut RankWriter, at: (u64, u64), source: i32, tag: i32, request: i32) {
    let fields = [Int(9), DOUBLE, Int(source), Int(tag), WORLD, Int(request)];
    rank.call(12, at, &fields);
}

/// A folder with the files of a trace.
struct Files {
    folder: TempDir,
}

impl Files {
    fn new(ranks: &[RankWriter]) -> Self {
        let files = Self { folder: tempfile::tempdir().expect("folder") };
        for (rank, writer) in ranks.iter().enumerate() {
            let host = if rank < 2 { "a" } else { "b" };
            let functions = [(0x10, "main"), (0x20, "solve")];
            fs::write(files.rank(rank), writer.finish(host, &functions)).expect("written");
        }
        fs::write(files.meta(), meta(ranks.len() as u32, "/once/was/t")).expect("written");
        files
    }

    fn meta(&self) -> PathBuf {
        self.folder.path().join("t.meta")
    }

    fn rank(&self, rank: usize) -> PathBuf {
        self.folder.path().join(format!("t-{rank:04}.bin"))
    }

    fn read(&self) -> Driven<Rows> {
        read(&self.meta(), 2, 100)
    }
}

fn rows(files: &Files) -> Vec<String> {
    let driven = files.read();
    assert!(driven.catalog.diagnostics.is_empty(), "{:?}", driven.catalog.diagnostics);
    assert_eq!(driven.catalog.facts.lost, 0);
    short_rows(&driven)
}

fn links(files: &Files) -> Vec<String> {
    rows(files).into_iter().filter(|row| row.starts_with('L')).collect()
}

fn told(driven: &Driven<Rows>) -> Vec<(Code, u64)> {
    driven.catalog.diagnostics.iter().map(|(code, tally)| (code, tally.count)).collect()
}

#[test]
fn calls_are_states_and_the_time_between_is_computation() {
    let mut rank = RankWriter::new();
    rank.call(124, ms(1, 2), &[Texts(vec!["./program", "8"])]);
    rank.call(65, ms(5, 7), &[Int(2), DOUBLE, Field::Byte(3), WORLD]);
    rank.call(52, ms(7, 9), &[WORLD]);
    assert_eq!(
        rows(&Files::new(&[rank])),
        [
            "S rank 0 MPI 0.001-0.002 d0 MPI_Init",
            "S rank 0 MPI 0.002-0.005 d0 Compute",
            "S rank 0 MPI 0.005-0.007 d0 MPI_Allreduce count=2 datatype=MPI_DOUBLE op=MPI_SUM \
             comm=MPI_COMM_WORLD instance=0",
            "S rank 0 MPI 0.007-0.009 d0 MPI_Barrier comm=MPI_COMM_WORLD instance=1",
        ]
    );
}

#[test]
fn messages_go_from_the_call_that_sends_to_the_end_of_the_one_that_receives() {
    let mut a = RankWriter::new();
    send(&mut a, ms(1, 2), 4, 1, 7);
    send(&mut a, ms(3, 4), 1, 1, 7);
    send(&mut a, ms(5, 6), 1, -2, 7);
    let mut b = RankWriter::new();
    // Two receives of one channel, posted in order; the second is found complete first. A receive
    // from nobody shares the number of its request, and is none.
    irecv(&mut b, ms(1, 2), 0, 7, 5);
    irecv(&mut b, ms(2, 3), -1, -1, 6);
    irecv(&mut b, ms(3, 4), -2, 7, 6);
    b.call(13, ms(4, 10), &[Int(6), Statuses(vec![(8, 0, 7)])]);
    b.call(18, ms(10, 12), &[Int(2), Ints(vec![5, 6]), Statuses(vec![(32, 0, 7), (0, -2, -1)])]);
    assert_eq!(
        links(&Files::new(&[a, b])),
        [
            "L 0 Message 0.001-0.012 rank 0>rank 1 MPI_COMM_WORLD 0:0>1:7#0 tag=7 posted=1000000",
            "L 0 Message 0.003-0.01 rank 0>rank 1 MPI_COMM_WORLD 0:0>1:7#1 tag=7 posted=2000000",
        ]
    );
}

#[test]
fn a_send_that_is_begun_is_over_when_a_call_finds_it_complete() {
    let mut a = RankWriter::new();
    let mut isend = |at, tag, request| {
        a.call(8, at, &[Int(4), DOUBLE, Int(1), Int(tag), WORLD, Int(request)]);
    };
    isend(ms(1, 2), 7, 5);
    isend(ms(2, 3), 8, 6);
    // Nobody waits for the third; the number of its request is used again.
    isend(ms(3, 4), 9, 7);
    isend(ms(4, 5), 9, 7);
    a.call(13, ms(5, 9), &[Int(6), Statuses(vec![(0, -2, -1)])]);
    a.call(18, ms(9, 11), &[Int(2), Ints(vec![5, 7]), Statuses(vec![(0, -2, -1), (0, -2, -1)])]);
    let mut b = RankWriter::new();
    for (at, tag) in [(1, 7), (2, 8), (3, 9), (4, 9)] {
        let received = Statuses(vec![(32, 0, tag)]);
        b.call(1, ms(at, at + 1), &[Int(4), DOUBLE, Int(0), Int(tag), WORLD, received]);
    }
    assert_eq!(
        links(&Files::new(&[a, b])),
        [
            "L 0 Message 0.001-0.002 rank 0>rank 1 MPI_COMM_WORLD 0:0>1:7#0 tag=7 completed=11000000",
            "L 0 Message 0.002-0.003 rank 0>rank 1 MPI_COMM_WORLD 0:0>1:8#0 tag=8 completed=9000000",
            "L 0 Message 0.003-0.004 rank 0>rank 1 MPI_COMM_WORLD 0:0>1:9#0 tag=9",
            "L 0 Message 0.004-0.005 rank 0>rank 1 MPI_COMM_WORLD 0:0>1:9#1 tag=9 completed=11000000",
        ]
    );
}

#[test]
fn persistent_requests_are_started_again_and_again() {
    let mut a = RankWriter::new();
    a.call(26, ms(0, 1), &[Int(2), DOUBLE, Int(0), Int(3), WORLD, Int(8)]);
    a.call(30, ms(1, 2), &[Int(2), DOUBLE, Int(0), Int(3), WORLD, Int(9)]);
    for round in 1..3 {
        let at = round * 10;
        a.call(32, ms(at, at + 1), &[Int(2), Ints(vec![8, 9])]);
        let waitsome =
            [Int(2), Ints(vec![8, 9]), Int(1), Ints(vec![1]), Statuses(vec![(16, 0, 3)])];
        a.call(20, ms(at + 2, at + 3), &waitsome);
    }
    a.call(15, ms(40, 41), &[Int(8)]);
    a.call(31, ms(42, 43), &[Int(8)]);
    assert_eq!(
        links(&Files::new(&[a])),
        [
            "L 0 Message 0.01-0.013 rank 0>rank 0 MPI_COMM_WORLD 0:0>0:3#0 tag=3 posted=10000000",
            "L 0 Message 0.02-0.023 rank 0>rank 0 MPI_COMM_WORLD 0:0>0:3#1 tag=3 posted=20000000",
        ]
    );
}

#[test]
fn ranks_of_a_split_communicator_are_those_of_its_members() {
    let ranks: Vec<RankWriter> = (0..4)
        .map(|rank| {
            let mut writer = RankWriter::new();
            // Even and odd ranks, each the other way round.
            writer.call(86, ms(0, 1), &[WORLD, Int(rank % 2), Int(-rank), Short(4)]);
            let peer = Int(if rank < 2 { 0 } else { 1 });
            let fields = [Int(1), DOUBLE, peer, Int(0), Short(4)];
            match rank {
                0 | 1 => writer.call(0, ms(2, 3), &fields),
                _ => {
                    let mut fields = fields.to_vec();
                    fields.push(Statuses(vec![(8, 1, 0)]));
                    writer.call(1, ms(2, 4), &fields)
                }
            };
            writer
        })
        .collect();
    assert_eq!(
        links(&Files::new(&ranks)),
        [
            "L 0 Message 0.002-0.004 rank 0>rank 2 communicator 2 2:0>2:0#0 tag=0",
            "L 0 Message 0.002-0.004 rank 1>rank 3 communicator 3 3:1>3:0#0 tag=0",
        ]
    );
}

#[test]
fn threads_and_functions_of_the_program_have_their_states() {
    let mut rank = RankWriter::new();
    rank.call(291, ms(0, 0), &[Long(0x10)]);
    rank.call(291, ms(1, 1), &[Long(0x30)]);
    rank.call(292, ms(2, 2), &[Long(0x30)]);
    rank.on_thread(1).call(52, ms(1, 3), &[WORLD]);
    rank.on_thread(0).call(292, ms(4, 4), &[Long(0x10)]);
    assert_eq!(
        rows(&Files::new(&[rank])),
        [
            "S rank 0 Function 0-0.004 d0 main",
            "S rank 0 Function 0.001-0.002 d1 0x30",
            "S rank 0 thread 1 MPI 0.001-0.003 d0 MPI_Barrier comm=MPI_COMM_WORLD instance=0",
        ]
    );
}

#[test]
fn ranks_stand_below_their_hosts() {
    let ranks = vec![RankWriter::new(); 3];
    let driven = Files::new(&ranks).read();
    let catalog = &driven.catalog;
    let name = |id: usize| String::from_utf8_lossy(catalog.containers.names.get(id)).into_owned();
    let names: Vec<_> = (1..catalog.containers.len()).map(name).collect();
    assert_eq!(names, ["a", "rank 0", "rank 1", "b", "rank 2"]);
    assert_eq!(catalog.facts.producer.as_deref(), Some("DUMPI 13.0.0"));
    assert_eq!(told(&driven), [(Code::EmptyTrace, 1)]);
}

fn small_trace() -> Files {
    let ranks: Vec<RankWriter> = (0..3)
        .map(|rank| {
            let mut writer = RankWriter::new();
            writer.call(84, ms(0, 1), &[WORLD, Short(4)]);
            for round in 0..20 {
                let at = 2 + 10 * round;
                irecv(&mut writer, ms(at, at + 1), (rank + 2) % 3, 1, 5);
                send(&mut writer, ms(at + 1, at + 2), 3, (rank + 1) % 3, 1);
                writer.call(
                    13,
                    ms(at + 3, at + 5),
                    &[Int(5), Statuses(vec![(24, (rank + 2) % 3, 1)])],
                );
            }
            writer
        })
        .collect();
    Files::new(&ranks)
}

#[test]
fn a_missing_rank_is_named_and_the_others_are_read() {
    let files = small_trace();
    assert_eq!(links(&files).len(), 60);
    fs::remove_file(files.rank(1)).expect("removed");
    let driven = files.read();
    assert_eq!(told(&driven), [(Code::LinkUnmatched, 40), (Code::MissingPartFile, 1)]);
    let tally = driven.catalog.diagnostics.get(Code::MissingPartFile).expect("told");
    assert_eq!(tally.samples[0].message, "the file of rank 1 is not there");
    assert_eq!(driven.catalog.facts.records, 2 * 61);
    assert_eq!(driven.catalog.facts.lost, 1);
}

#[test]
fn without_its_text_a_trace_is_opened_by_any_rank() {
    let files = small_trace();
    for path in [files.folder.path().to_owned(), files.rank(2)] {
        assert_eq!(main_file(&path), files.meta());
    }
    fs::remove_file(files.meta()).expect("removed");
    let main = main_file(&files.rank(2));
    assert_eq!(main, files.rank(0));
    let driven = read(&main, 1, 1000);
    assert_eq!(told(&driven), [(Code::MissingPartFile, 1)]);
    assert_eq!(driven.sink.links.len(), 60);
}

#[test]
fn a_number_of_ranks_that_lies_costs_nothing() {
    let files = small_trace();
    fs::write(files.meta(), meta(4_000_000_000, "t")).expect("written");
    let driven = files.read();
    assert_eq!(told(&driven), [(Code::MissingPartFile, 101)]);
    assert_eq!(driven.sink.links.len(), 60);
}

/// Each communicator would have two million members, and each range as many ranks.
#[test]
fn communicators_of_ranks_that_lie_cost_little() {
    let mut rank = RankWriter::new();
    for call in 0..2_000 {
        let (start, group) = (call * 10, Short(3));
        rank.call(84, ms(start, start + 1), &[WORLD, Short(4)]);
        rank.call(72, ms(start + 2, start + 3), &[WORLD, group]);
    }
    let files = Files::new(&[rank]);
    fs::write(files.meta(), meta(4_000_000_000, "t")).expect("written");
    let driven = files.read();
    assert_eq!(told(&driven), [(Code::MissingPartFile, 101)]);
    assert_eq!(driven.catalog.facts.records, 4_000);
}

#[test]
fn a_cut_file_gives_the_calls_before_the_cut() {
    let files = small_trace();
    let whole = fs::read(files.rank(1)).expect("read");
    let others = 2 * 61;
    let mut last = 0;
    for cut in 0..whole.len() {
        fs::write(files.rank(1), &whole[..cut]).expect("cut");
        let driven = files.read();
        let facts = &driven.catalog.facts;
        let kept = facts.records - others;
        assert!(kept >= last, "a longer file has more calls");
        last = kept;
        assert!(told(&driven).iter().any(|(code, _)| *code == Code::Truncated), "cut at {cut}");
        assert!(facts.truncated && facts.lost > 0, "cut at {cut}");
        if cut % 32 == 0 {
            for threads in [1, 8] {
                let other = read(&files.meta(), threads, 100);
                assert!(support::canonical(&other) == support::canonical(&driven), "cut at {cut}");
            }
        }
    }
    assert_eq!(last, 61);
    fs::write(files.rank(1), &whole).expect("restored");
    let text = fs::read(files.meta()).expect("read");
    for cut in 0..text.len() {
        fs::write(files.meta(), &text[..cut]).expect("cut");
        let driven = files.read();
        assert_eq!(driven.catalog.facts.records, 3 * 61, "all ranks are read, cut at {cut}");
    }
    fs::write(files.meta(), "").expect("emptied");
    assert_eq!(told(&files.read()), [(Code::Truncated, 1)]);
}

#[test]
fn what_cannot_be_followed_is_told() {
    type Case<'a> = (Code, u64, &'a dyn Fn(&mut RankWriter));
    let cases: &[Case<'_>] = &[
        (Code::DamagedRecord, 1, &|rank| {
            rank.call(128, ms(1, 2), &[]);
        }),
        (Code::UnknownRank, 0, &|rank| send(rank, ms(1, 2), 1, 5, 0)),
        (Code::UnknownRank, 0, &|rank| {
            let fields = [Int(1), DOUBLE, Int(-1), Int(0), WORLD, Statuses(vec![])];
            rank.call(1, ms(1, 2), &fields);
        }),
        (Code::LinkUnmatched, 0, &|rank| send(rank, ms(1, 2), 1, 0, 0)),
        (Code::NegativeDuration, 0, &|rank| {
            rank.call(52, ms(2, 1), &[WORLD]);
        }),
    ];
    for &(code, lost, make) in cases {
        let mut rank = RankWriter::new();
        make(&mut rank);
        let driven = Files::new(&[rank]).read();
        assert_eq!(told(&driven), [(code, 1)], "{:?}", driven.catalog.diagnostics);
        assert_eq!(driven.catalog.facts.lost, lost, "{code:?}");
    }
}

/// The recorder counts every call twice; who else writes such files counts it once.
#[test]
fn calls_that_the_footer_counts_and_the_file_lacks_are_lost() {
    let mut rank = RankWriter::new();
    for at in 0..5 {
        send(&mut rank, ms(at * 10, at * 10 + 1), 1, 0, 1);
    }
    rank.call(125, ms(90, 95), &[]);
    let bytes = rank.finish("a", &[]);
    let footer = bytes.windows(8).position(|word| word == 0xf007_fee7_u64.to_be_bytes());
    let counts = footer.expect("a footer") + 8;
    let finalize = counts + 4 * 125;
    for (sends, ignored, finalizes, missing) in [
        (5, 0, 1, None),
        (10, 0, 2, None),
        (0, 0, 0, None),
        (3, 0, 1, None),
        (7, 2, 1, None),
        (14, 2, 2, None),
        (15, 2, 2, Some("the footer counts 15 of MPI_Send, and 5 were found")),
        (6, 0, 1, Some("the footer counts 6 of MPI_Send, and 5 were found")),
        (12, 0, 2, Some("the footer counts 12 of MPI_Send, and 5 were found")),
        (5, 0, 3, Some("the footer counts 3 of MPI_Finalize, and 1 were found")),
    ] {
        let mut bytes = bytes.clone();
        bytes[counts..counts + 4].copy_from_slice(&u32::to_be_bytes(sends));
        let not_recorded = counts + 4 * 291;
        bytes[not_recorded..not_recorded + 4].copy_from_slice(&u32::to_be_bytes(ignored));
        bytes[finalize..finalize + 4].copy_from_slice(&u32::to_be_bytes(finalizes));
        let files = Files::new(&[rank.clone()]);
        fs::write(files.rank(0), bytes).expect("written");
        let driven = files.read();
        assert_eq!(driven.catalog.facts.lost, u64::from(missing.is_some()), "{sends} {finalizes}");
        let told = format!("{:?}", driven.catalog.diagnostics);
        assert!(missing.is_none_or(|missing| told.contains(missing)), "{told}");
    }
}

/// The files of a trace, damaged at random places with the values that lengths and counts go
/// wrong with: nothing may panic, hang or take much memory, and other ranks are not touched.
#[test]
fn damage_is_survived_and_told() {
    let files = small_trace();
    let elsewhere = |driven: &Driven<Rows>| {
        let containers = &driven.catalog.containers;
        let alias = |lane| containers.aliases.get(driven.catalog.lane(lane).container.index());
        driven.sink.states.iter().filter(|(lane, ..)| !alias(*lane).starts_with(b"R1")).count()
    };
    let n_clean = elsewhere(&files.read());
    let whole = fs::read(files.rank(1)).expect("read");
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for round in 0..400 {
        let mut damaged = whole.clone();
        for _ in 0..1 + round % 3 {
            let at = rng.random_range(0..damaged.len());
            let bytes: &[u8] = match rng.random_range(0..6) {
                0 => &[0],
                1 => &[255, 255, 255, 255],
                2 => &[127, 255, 255, 255],
                3 => &[128, 0, 0, 0],
                4 => &[0, 255, 255, 255],
                _ => &[rng.random_range(0..=255u8)],
            };
            let end = (at + bytes.len()).min(damaged.len());
            damaged[at..end].copy_from_slice(&bytes[..end - at]);
        }
        if round % 7 == 0 {
            damaged.truncate(rng.random_range(0..damaged.len()));
        }
        fs::write(files.rank(1), &damaged).expect("damaged");
        let driven = files.read();
        assert!(driven.catalog.facts.lost == 0 || !told(&driven).is_empty(), "{round}");
        assert_eq!(elsewhere(&driven), n_clean, "{round}");
    }
    fs::write(files.rank(1), &whole).expect("restored");
    let text = fs::read(files.meta()).expect("read");
    for at in 0..text.len() {
        let mut damaged = text.clone();
        damaged[at] = b"\0\n=9\xff"[at % 5];
        fs::write(files.meta(), &damaged).expect("damaged");
        check_opens(&files.meta());
    }
}

/// Damage to what tells the format may make it another; it must be an answer all the same.
fn check_opens(path: &Path) {
    if let Err(error) = try_read(path, &DriveOptions::default()) {
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn strict_reading_stops_at_the_first_problem() {
    let files = small_trace();
    fs::remove_file(files.rank(1)).expect("removed");
    let options = DriveOptions { strictness: Strictness::Strict, ..DriveOptions::default() };
    let error = try_read(&files.meta(), &options).err().expect("a problem");
    assert!(error.to_string().contains("rank 1"), "{error}");
}
