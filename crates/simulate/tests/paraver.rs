//! Paraver traces against a slow and obvious reading of the same text.

use crate::slow_paraver;
use crate::support;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use onca_model::{Code, ContainerId, Strictness, display_text};
use onca_read::main_file;
use onca_simulate::{DriveOptions, Driven};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use slow_paraver::{Slow, fast, lasting, slow};
use support::{Rows, read, short_rows, try_read};
use tempfile::TempDir;

const PCF: &str = "DEFAULT_OPTIONS\n\nLEVEL THREAD\nUNITS NANOSEC\n\n\
    STATES\n0    Idle\n1    Running\n3    Waiting a message\n\n\
    STATES_COLOR\n0    {117,195,255}\n1    {0,0,255}\n\n\
    EVENT_TYPE\n9   50000001    MPI Point-to-point\nVALUES\n3   MPI_Isend\n4   MPI_Recv\n\
    0   Outside MPI\n\nEVENT_TYPE\n0   60000019    User function\nVALUES\n0   End\n1   solve\n\
    2   assemble\n\nEVENT_TYPE\n6   40000001    Application\nVALUES\n1   Begin\n0   End\n\n\
    EVENT_TYPE\n7   42000050    Instructions\n\nEVENT_TYPE\n7   100   Load\nPRECISION 1\n";

const ROW: &str = "LEVEL CPU SIZE 4\n1.a\n2.a\n1.b\n2.b\n\nLEVEL NODE SIZE 2\na\nb\n\n\
    LEVEL THREAD SIZE 4\nT1\nT2\nT3\nT4\n";

const HEADER: &str = "#Paraver (15/11/2026 at 10:00):1000_ns:2(2,2):1:3(2:1,1:2,1:2),1\n\
    c:1:1:3:1:2:3\n";

/// A folder with a trace and what lies beside it.
struct Files {
    folder: TempDir,
}

impl Files {
    fn new(prv: &str) -> Self {
        let files = Self { folder: tempfile::tempdir().expect("folder") };
        std::fs::write(files.path("t.prv"), prv).expect("written");
        std::fs::write(files.path("t.pcf"), PCF).expect("written");
        std::fs::write(files.path("t.row"), ROW).expect("written");
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self) -> Driven<Rows> {
        read(&self.path("t.prv"), 2, 64)
    }
}

#[test]
fn threads_of_any_number_are_looked_up_without_overflow() {
    let records: String = [2, 1 << 31, u64::from(u32::MAX), 1 << 32, u64::MAX]
        .iter()
        .map(|thread| format!("1:1:1:3:{thread}:0:10:1\n"))
        .collect();
    let driven = Files::new(&format!("{HEADER}{records}1:1:1:3:1:0:10:1\n")).read();
    assert_eq!(driven.catalog.facts.lost, 5, "{:?}", told(&driven));
    assert_eq!(driven.sink.states.len(), 1);
}

fn told(driven: &Driven<Rows>) -> Vec<(Code, u64)> {
    driven.catalog.diagnostics.iter().map(|(code, tally)| (code, tally.count)).collect()
}

#[test]
fn every_kind_of_record_becomes_something() {
    let body = "1:1:1:1:1:0:200:1\n\
        # a comment\n\n\
        2:1:1:1:1:100:60000019:1:42000050:500\n\
        2:1:1:1:1:150:60000019:2:40000001:1:77:-5\r\n\
        3:1:1:1:1:190:200:3:1:2:1:180:300:4096:7\n\
        1:1:1:1:1:200:-1:9\n\
        2:1:1:1:1:200:50000001:3:100:25\n\
        2:1:1:1:1:250:50000001:4:60000019:0\n\
        2:2:1:1:1:300:50000001:0:60000019:0:42000050:60\n\
        4:1:1:1:1:300:1:2:3\n\
        1:3:1:2:1:0:1000:3\n";
    let driven = Files::new(&format!("{HEADER}{body}")).read();
    let e = |n: u32| (f64::from(n) / 1e9).to_string();
    let span = |from: u32, to: u32| format!("{}-{}", e(from), e(to));
    let expected = [
        format!("S T1 State {} d0 Running", span(0, 200)),
        format!("S T1 State {} d0 9 open", span(200, 1000)),
        format!("S T1 User function {} d0 solve", span(100, 300)),
        format!("S T1 User function {} d1 assemble", span(150, 250)),
        format!("S T1 MPI Point-to-point {} d0 MPI_Isend", span(200, 250)),
        format!("S T1 MPI Point-to-point {} d0 MPI_Recv", span(250, 300)),
        format!("S T3 State {} d0 Waiting a message", span(0, 1000)),
        format!("V T1 Instructions {} 500", span(0, 100)),
        format!("V T1 Instructions {} 60", span(100, 300)),
        format!("V T1 Instructions {} 0", span(300, 1000)),
        format!("V T1 77 {} -5", span(150, 1000)),
        format!("V T1 Load {} 2.5", span(200, 1000)),
        format!("V T1 CPU {} 1", span(0, 300)),
        format!("V T1 CPU {} 2", span(300, 1000)),
        format!("E T1 Application {} Begin", e(150)),
        format!(
            "L 0 Message {} T1>T3 message 0 tag=7 logical_send=190 logical_receive=180",
            span(200, 300)
        ),
    ];
    let without_key = |row: &String| match row.starts_with('L') {
        // The key is where the line stands.
        true => row
            .split(' ')
            .enumerate()
            .map(|(i, word)| if i == 6 { "0" } else { word })
            .collect::<Vec<_>>()
            .join(" "),
        false => row.clone(),
    };
    let mut found: Vec<String> = short_rows(&driven).iter().map(without_key).collect();
    found.sort();
    let mut expected = expected.to_vec();
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(told(&driven), [(Code::StateOpenAtEnd, 1), (Code::RecordNotRead, 1)]);
    let facts = &driven.catalog.facts;
    assert_eq!((facts.records, facts.lost, facts.unit.ticks_per_unit), (10, 0, 1_000_000_000));
    let running = driven.catalog.values.iter().find(|value| value.name == b"Running");
    assert_eq!(running.and_then(|value| value.color), Some(onca_model::Color::rgb(0, 0, 255)));
}

#[test]
fn places_are_called_as_the_rows_say() {
    let driven = Files::new(&format!("{HEADER}1:1:1:1:1:0:1:1\n")).read();
    let catalog = &driven.catalog;
    let places: Vec<String> = (1..catalog.containers.len() as u32)
        .map(|id| {
            let container = catalog.containers.get(ContainerId(id));
            let extra = onca_model::extra_fields(container.extras).next();
            let node = extra.map_or("-".into(), |extra| display_text(extra.text));
            let (alias, name) = (display_text(container.alias), display_text(container.name));
            format!("{alias} {name} {node}")
        })
        .collect();
    assert_eq!(
        places,
        [
            "1 application 1 -",
            "1.1 task 1.1 a",
            "1.1.1 T1 a",
            "1.1.2 T2 a",
            "1.2 task 1.2 b",
            "1.2.1 T3 b",
            "1.3 task 1.3 b",
            "1.3.1 T4 b",
        ]
    );
}

#[test]
fn missing_companions_are_named_and_numbers_stand_for_names() {
    let files = Files::new(&format!("{HEADER}1:1:1:2:1:0:5:1\n2:1:1:2:1:5:50000001:3\n"));
    for name in ["t.pcf", "t.row"] {
        assert_eq!(main_file(&files.path(name)), files.path("t.prv"));
        std::fs::remove_file(files.path(name)).expect("removed");
    }
    let driven = files.read();
    assert_eq!(told(&driven), [(Code::MissingPartFile, 2)]);
    let tally = driven.catalog.diagnostics.get(Code::MissingPartFile).expect("told");
    for (sample, name) in tally.samples.iter().zip(["t.pcf", "t.row"]) {
        assert!(sample.message.contains(&format!("{name} is not there")), "{}", sample.message);
    }
    assert_eq!(driven.files.read, [files.path("t.prv")]);
    assert_eq!(
        short_rows(&driven),
        [
            "S thread 1.2.1 State 0-0.000000005 d0 1",
            "V thread 1.2.1 50000001 0.000000005-0.000000005 3"
        ]
    );
}

#[test]
fn compressed_traces_find_their_companions() {
    let files = Files::new("");
    let text = format!("{HEADER}1:1:1:1:1:0:5:1\n");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let packed = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).expect("gzip");
    std::fs::write(files.path("t.prv.gz"), packed).expect("written");
    let driven = read(&files.path("t.prv.gz"), 1, 1 << 20);
    assert_eq!(told(&driven), []);
    assert_eq!(short_rows(&driven), ["S T1 State 0-0.000000005 d0 Running"]);
    assert_eq!(driven.files.read.len(), 3);
}

#[test]
fn each_wrong_line_is_told_and_the_rest_is_read() {
    for (line, code, column) in [
        ("1:1:1:1:1:0:5", Code::MissingField, 14),
        ("2:1:1:1:1:5", Code::MissingField, 12),
        ("2:1:1:1:1:5:77:1:78", Code::MissingField, 20),
        ("1:1:1:1:9:0:5:1", Code::UnknownContainer, 11),
        ("1:1:7:1:1:0:5:1", Code::UnknownContainer, 11),
        ("1:1:1:0:1:0:5:1", Code::UnknownContainer, 11),
        ("1:1:1:1:1:0:x:1", Code::BadNumber, 13),
        ("2:1:1:1:1:-4:77:1", Code::BadNumber, 14),
        ("2:1:1:1:1:99999999999999999999:77:1", Code::BadNumber, 11),
        ("1:1:1:1:1:9:5:1", Code::NegativeDuration, 16),
        ("7:1:1:1:1:9:5:1", Code::UnknownRecord, 3),
        ("nonsense", Code::UnknownRecord, 1),
    ] {
        let body = format!("1:1:1:1:1:0:5:1\n{line}\n1:1:1:1:1:5:8:1\n");
        let driven = Files::new(&format!("{HEADER}{body}")).read();
        assert_eq!(told(&driven), [(code, 1)], "{line}");
        let sample = &driven.catalog.diagnostics.get(code).expect("told").samples[0];
        assert_eq!((sample.position.line, sample.position.column), (4, column), "{line}");
        assert_eq!(driven.catalog.facts.lost, 1, "{line}");
        assert_eq!(driven.sink.states.len(), 2, "{line}");
        assert!(driven.sink.variables.is_empty(), "{line}: a record counts whole or not at all");
    }
}

#[test]
fn headers_that_cannot_be_read_are_refused() {
    for header in ["#Paraver", "#Paraver (1/1/20):9_us:0:1:1(4000000000:1)", "new format\n1:1:1"] {
        let files = Files::new(header);
        let error = try_read(&files.path("t.prv"), &DriveOptions::default()).err();
        let refused = error.is_some_and(|error| error.to_string().contains("header"));
        // The last is no Paraver trace at all, and is read as Pajé.
        assert!(refused || header.starts_with("new"), "{header}");
    }
    let files = Files::new(&format!("{HEADER}9:1\n"));
    let strict = DriveOptions { strictness: Strictness::Strict, ..DriveOptions::default() };
    let error = try_read(&files.path("t.prv"), &strict).err().expect("strict");
    assert!(error.to_string().contains("unknown kind"), "{error}");
}

fn compare(driven: &Driven<Rows>, prv: &str, pcf: &str, what: &str) {
    let Slow { lines, end } = slow(prv, pcf);
    assert_eq!(driven.catalog.facts.end, end, "{what}");
    let (found, expected) = (lasting(fast(driven)), lasting(lines));
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected, "{what}");
    }
    assert_eq!(found.len(), expected.len(), "{what}");
}

/// A sound trace of a few threads, in order of time.
fn random_trace(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut text = HEADER.to_owned();
    let threads = ["1:1:1:1", "1:1:1:2", "3:1:2:1", "4:1:3:1"];
    let mut state_until = [0i64; 4];
    let mut time = 0;
    for _ in 0..rng.random_range(0..80) {
        time += rng.random_range(0..4);
        let thread = rng.random_range(0..4usize);
        let place = threads[thread];
        match rng.random_range(0..6) {
            0 | 1 => {
                let from = state_until[thread].max(time);
                let until = from + rng.random_range(1..9);
                let state = rng.random_range(0..5);
                state_until[thread] = until;
                writeln!(text, "1:{place}:{from}:{until}:{state}").expect("written");
            }
            2 => {
                let to = threads[rng.random_range(0..4usize)];
                let (sent, got) = (time + rng.random_range(0..9), time + rng.random_range(0..9));
                let size = rng.random_range(0..1000);
                writeln!(text, "3:{place}:{time}:{sent}:{to}:{time}:{got}:{size}:-1")
                    .expect("written");
            }
            _ => {
                write!(text, "2:{place}:{time}").expect("written");
                for _ in 0..rng.random_range(1..4) {
                    let kinds = [50_000_001, 60_000_019, 40_000_001, 42_000_050, 30_000_000, 8];
                    let kind = kinds[rng.random_range(0..6usize)];
                    write!(text, ":{kind}:{}", rng.random_range(0..6)).expect("written");
                }
                text.push('\n');
            }
        }
    }
    text
}

#[test]
fn random_traces_mean_what_the_slow_reading_says() {
    for seed in 0..300 {
        let text = random_trace(seed);
        let files = Files::new(&text);
        for block_bytes in [1 << 20, 1 + seed as usize % 70] {
            let driven = read(&files.path("t.prv"), 2, block_bytes);
            if driven.catalog.facts.records > 0 {
                compare(&driven, &text, PCF, &format!("seed {seed}\n{text}"));
            }
            let known = [Code::EmptyTrace, Code::PopEmpty, Code::StateOpenAtEnd];
            let known =
                [&known[..], &[Code::LinkNegativeDuration, Code::UnsynchronisedClocks]].concat();
            assert!(
                told(&driven).iter().all(|(code, _)| known.contains(code)),
                "{:?}",
                told(&driven)
            );
        }
    }
}

/// Traces and what lies beside them, damaged at random places: nothing may panic or hang, and
/// what is lost is counted.
#[test]
fn damage_is_survived_and_told() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let files = Files::new("");
    let sound = [("t.prv", random_trace(3)), ("t.pcf", PCF.to_owned()), ("t.row", ROW.to_owned())];
    for (name, text) in &sound {
        std::fs::write(files.path("t.prv"), &sound[0].1).expect("written");
        for round in 0..300 {
            let mut damaged = text.clone().into_bytes();
            for _ in 0..1 + round % 4 {
                let at = rng.random_range(0..damaged.len());
                damaged[at] = match rng.random_range(0..5) {
                    0 => b':',
                    1 => b'\n',
                    2 => b'9',
                    3 => 0,
                    _ => rng.random_range(0..=255u8),
                };
            }
            if round % 5 == 0 {
                damaged.truncate(rng.random_range(0..damaged.len()));
            }
            std::fs::write(files.path(name), &damaged).expect("damaged");
            let options = DriveOptions { threads: 2, block_bytes: 50, ..DriveOptions::default() };
            match try_read(&files.path("t.prv"), &options) {
                Ok(driven) => {
                    let lost = driven.catalog.facts.lost;
                    assert!(lost == 0 || !told(&driven).is_empty(), "{name} {round}");
                }
                Err(error) => assert!(!error.to_string().is_empty(), "{name} {round}"),
            }
        }
        std::fs::write(files.path(name), text).expect("restored");
    }
}

/// Traces of other tools, in the folder `paraver` of the folder that `ONCA_CORPUS` names, as
/// `NAME.tar.xz`. Without the variable the test is skipped, with a message.
#[test]
fn traces_of_other_tools_mean_what_the_slow_reading_says() {
    let Some(corpus) = std::env::var_os("ONCA_CORPUS").map(PathBuf::from) else {
        eprintln!("skipped: ONCA_CORPUS does not name a folder of traces");
        return;
    };
    let entries = std::fs::read_dir(corpus.join("paraver")).into_iter().flatten().flatten();
    for tar in entries.map(|entry| entry.path()) {
        let folder = tempfile::tempdir().expect("temporary folder");
        let status =
            Command::new("tar").arg("-xJf").arg(&tar).arg("-C").arg(folder.path()).status();
        assert!(status.expect("tar").success(), "{}", tar.display());
        let name = tar.file_name().expect("a name").to_string_lossy().replace(".tar.xz", "");
        let prv = folder.path().join(&name).join(format!("{name}.prv"));
        let text =
            |path: &Path| String::from_utf8_lossy(&std::fs::read(path).expect("read")).into_owned();
        for (threads, block_bytes) in [(1, 1 << 20), (2, 100)] {
            let driven = read(&prv, threads, block_bytes);
            compare(&driven, &text(&prv), &text(&prv.with_extension("pcf")), &name);
            assert_eq!(driven.catalog.facts.lost, 0, "{name}: {:?}", told(&driven));
            eprintln!("{name}: {:?}", told(&driven));
        }
    }
}
