//! DUMPI traces against what the reference printer of the format says about them.
//!
//! The traces are not part of the project. `ONCA_CORPUS` names a folder whose folder `dumpi` holds
//! `NAME.tar.xz` with the files of a trace, beside `NAME.ascii.txt.xz`, what `dumpi2ascii` says of
//! all ranks. Without the variable the test is skipped, with a message.

use crate::support;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use onca_model::{display_text, extra_fields};
use onca_read::{Progress, Source, main_file};
use onca_simulate::Driven;
use support::{Rows, read};

/// A call: its name, its times in nanoseconds, and fields that are one number or name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Call {
    rank: u32,
    enter: i64,
    leave: i64,
    name: String,
    cpu: Option<(String, String)>,
    fields: Vec<(String, String)>,
}

/// Messages that the reference text tells of: those that are sent to somebody.
#[derive(Default, Debug, PartialEq, Eq)]
struct Messages {
    sent: u64,
}

fn unpacked(path: &Path) -> String {
    let mut input = Source::new(path).open(&Arc::new(Progress::default())).expect("open");
    let mut bytes = Vec::new();
    input.reader.read_to_end(&mut bytes).expect("read");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A time of the text, `1000.779693122`, in nanoseconds.
fn nanoseconds(text: &str) -> i64 {
    let (seconds, fraction) = text.split_once('.').expect("a time");
    assert_eq!(fraction.len(), 9, "{text}");
    seconds.parse::<i64>().expect("seconds") * 1_000_000_000 + fraction.parse::<i64>().expect("ns")
}

fn word_after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = &line[line.find(key)? + key.len()..];
    Some(rest.split([' ', ',']).next().unwrap_or(rest))
}

/// A field of the text that we keep: one number, or the name that stands for it.
fn field(line: &str) -> Option<(String, String)> {
    let (declared, value) = line.split_once('=')?;
    let name = declared.split(' ').next_back()?;
    let kind = declared.split(' ').next()?;
    if name.contains('[') || kind == "MPI_Status" {
        return None;
    }
    if kind == "string" {
        return Some((name.to_owned(), value.trim_matches('"').to_owned()));
    }
    let value = match kind {
        "MPI_Request" => value.trim_matches(['[', ']']).to_owned(),
        // What the program defined has no name; our communicators have names of their own.
        "MPI_Comm" if value.contains("user-defined") => return None,
        "MPI_Datatype" | "MPI_Op" | "MPI_Comm" if !value.contains("user-defined") => {
            value.split_once('(')?.1.trim_end_matches(')').to_owned()
        }
        _ => value.split(' ').next()?.to_owned(),
    };
    Some((name.to_owned(), value))
}

/// What the reference says: all calls of all ranks.
fn reference(text: &str) -> (Vec<Call>, Messages) {
    let mut calls: Vec<Call> = Vec::new();
    let mut messages = Messages::default();
    let mut rank = 0;
    let mut open: Option<Call> = None;
    let mut started: BTreeMap<(u32, String), bool> = BTreeMap::new();
    for line in text.lines() {
        if let Some(file) = line.strip_prefix("=== FILE ") {
            let digits = file.trim_end_matches(".bin").rsplit('-').next().expect("a rank");
            rank = digits.parse().expect("a rank");
        } else if let Some((name, rest)) = line.split_once(" entering at walltime ") {
            let (enter, cpu) = (nanoseconds(first_word(rest)), word_after(rest, "cputime "));
            let cpu = cpu.map(|cpu| (cpu.to_owned(), String::new()));
            let fields = Vec::new();
            open = Some(Call { rank, enter, leave: 0, name: name.to_owned(), cpu, fields });
        } else if let Some((_, rest)) = line.split_once(" returning at walltime ") {
            let mut call = open.take().expect("a call");
            call.leave = nanoseconds(first_word(rest));
            if let (Some(cpu), Some(word)) = (&mut call.cpu, word_after(rest, "cputime ")) {
                cpu.1 = word.to_owned();
            }
            count_sends(&call, line_requests(&call), &mut started, &mut messages);
            call.fields.sort();
            calls.push(call);
        } else if let Some(call) = &mut open {
            if let Some(requests) = line.strip_prefix("MPI_Request requests") {
                let list = requests.split_once("=[").map_or("", |(_, list)| list);
                call.fields.push(("requests".to_owned(), list.trim_end_matches(']').to_owned()));
            }
            call.fields.extend(field(line));
        }
    }
    calls.sort();
    (calls, messages)
}

fn first_word(text: &str) -> &str {
    text.split([' ', ',']).next().unwrap_or(text)
}

/// The list of requests, which is not a field that we keep.
fn line_requests(call: &Call) -> Vec<String> {
    let list = call.fields.iter().find(|(name, _)| name == "requests");
    list.map_or(Vec::new(), |(_, list)| list.split(", ").map(str::to_owned).collect())
}

/// Counts what a call sends to somebody.
fn count_sends(
    call: &Call,
    requests: Vec<String>,
    started: &mut BTreeMap<(u32, String), bool>,
    messages: &mut Messages,
) {
    let of = |name: &str| call.fields.iter().find(|(known, _)| known == name).map(|(_, v)| v);
    let to_somebody = of("dest").is_some_and(|dest| !dest.starts_with('-'));
    match call.name.as_str() {
        "MPI_Send" | "MPI_Isend" | "MPI_Ssend" | "MPI_Sendrecv" => {
            messages.sent += u64::from(to_somebody);
        }
        "MPI_Send_init" => {
            let request = of("request").expect("a request").clone();
            started.insert((call.rank, request), to_somebody);
        }
        "MPI_Recv_init" => {
            let request = of("request").expect("a request").clone();
            started.remove(&(call.rank, request));
        }
        "MPI_Startall" => {
            let sends = |request: &String| started.get(&(call.rank, request.clone()));
            let n = requests.iter().filter(|request| sends(request) == Some(&true)).count();
            messages.sent += n as u64;
        }
        _ => {}
    }
}

/// What we read: all calls of all ranks.
fn ours(driven: &Driven<Rows>) -> Vec<Call> {
    let catalog = &driven.catalog;
    let mut calls = Vec::new();
    for (lane, row, packed) in &driven.sink.states {
        let name = display_text(&catalog.value(row.value).name).into_owned();
        if name == "Compute" {
            continue;
        }
        let alias = catalog.containers.aliases.get(catalog.lane(*lane).container.index());
        let rank = display_text(alias).strip_prefix('R').and_then(|rank| rank.parse().ok());
        let mut cpu = (None, None);
        let mut fields = Vec::new();
        for extra in extra_fields(packed) {
            let name = display_text(&catalog.field_name(extra.field)).into_owned();
            let text = display_text(extra.text).into_owned();
            match name.as_str() {
                "cpu_enter" => cpu.0 = Some(text),
                "cpu_leave" => cpu.1 = Some(text),
                "instance" => {}
                "comm" | "oldcomm" | "newcomm" if text.starts_with("communicator ") => {}
                _ => fields.push((name, text)),
            }
        }
        fields.sort();
        let rank = rank.expect("a rank");
        let cpu = cpu.0.zip(cpu.1);
        calls.push(Call { rank, enter: row.start, leave: row.end, name, cpu, fields });
    }
    calls.sort();
    calls
}

/// The printer shows zeros for what is recorded at the root alone.
fn remove_what_only_the_root_has(call: &mut Call) {
    let of = |name: &str| call.fields.iter().find(|(known, _)| known == name);
    let at_root = of("commrank").map(|(_, rank)| rank) == of("root").map(|(_, root)| root);
    let prefix = match call.name.as_str() {
        "MPI_Gather" if !at_root => "recv",
        "MPI_Scatter" if !at_root => "send",
        _ => return,
    };
    call.fields.retain(|(name, _)| !name.starts_with(prefix));
}

fn check(what: &str, main: &Path, text: &str) {
    let (mut expected, messages) = reference(text);
    for call in &mut expected {
        // Lists, and the length of one, are no fields of ours.
        call.fields.retain(|(name, _)| !matches!(name.as_str(), "requests" | "argc"));
        remove_what_only_the_root_has(call);
        // Where no time of the processor was recorded, the printer shows zeros.
        let zero = || "0.000000000".to_owned();
        call.cpu.take_if(|cpu| *cpu == (zero(), zero()));
    }
    for (threads, block_bytes) in [(1, 1 << 20), (2, 200)] {
        let driven = read(main, threads, block_bytes);
        let found = ours(&driven);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{what}");
        }
        assert_eq!(found.len(), expected.len(), "{what}");
        assert_eq!(driven.catalog.facts.records, expected.len() as u64, "{what}");
        assert_eq!(driven.sink.links.len() as u64, messages.sent, "{what}");
        for link in &driven.sink.links {
            assert!(link.source.is_some() && link.destination.is_some(), "{what}: {:?}", link.key);
            assert!(link.end >= link.start && link.size.is_some(), "{what}: {:?}", link.key);
        }
        let told: Vec<_> = driven.catalog.diagnostics.iter().map(|(code, _)| code).collect();
        assert!(told.is_empty(), "{what}: {told:?}");
    }
}

#[test]
fn traces_are_read_as_the_reference_reads_them() {
    let Some(corpus) = std::env::var_os("ONCA_CORPUS").map(PathBuf::from) else {
        eprintln!("skipped: ONCA_CORPUS does not name a folder of traces");
        return;
    };
    let entries = std::fs::read_dir(corpus.join("dumpi")).into_iter().flatten().flatten();
    let mut tars: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(".tar.xz"))
        .collect();
    tars.sort();
    for tar in tars {
        let folder = tempfile::tempdir().expect("temporary folder");
        let status =
            Command::new("tar").arg("-xJf").arg(&tar).arg("-C").arg(folder.path()).status();
        assert!(status.expect("tar").success(), "{}", tar.display());
        let inside = std::fs::read_dir(folder.path()).expect("unpacked").flatten().next();
        let main = main_file(&inside.expect("a folder").path());
        assert!(main.extension().is_some_and(|end| end == "meta"), "{}", main.display());
        let name = tar.to_string_lossy().replace(".tar.xz", ".ascii.txt.xz");
        check(&tar.display().to_string(), &main, &unpacked(Path::new(&name)));
    }
}
