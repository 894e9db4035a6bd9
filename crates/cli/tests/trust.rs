//! Answers are those of the trace as it is: a store of something else is never believed, and a
//! trace reads nothing but its own files.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use onca_generate::dumpi::{Field, RankWriter, meta};
use onca_testkit::fixtures;
use onca_testkit::sandbox::{Run, Sandbox, diagnostic, program};

/// A trace of some format in the folder `a`, and a file of it with an edit that changes answers but
/// not the length.
struct Format {
    main: &'static str,
    edits: &'static [(&'static str, &'static [u8], &'static [u8])],
}

const FORMATS: [Format; 5] = [
    Format { main: "t.paje", edits: &[("t.paje", b"busy", b"lazy"), ("p.paje", b"rest", b"work")] },
    Format { main: "t.json", edits: &[("t.json", b"busy", b"lazy")] },
    Format {
        main: "t.prv",
        edits: &[
            ("t.prv", b":0:50:1", b":0:40:1"),
            ("t.pcf", b"Running", b"Resting"),
            ("t.row", b"THREAD one", b"THREAD two"),
        ],
    },
    Format {
        main: "traces.otf2",
        edits: &[
            ("traces.def", b"MPI_Recv", b"MPI_Sent"),
            // The number of a region that is entered.
            ("traces/1.evt", &[12, 1], &[12, 2]),
        ],
    },
    Format { main: "d.meta", edits: &[("d-0001.bin", &[0, 0, 0, 77], &[0, 0, 0, 78])] },
];

fn write_all(sandbox: &Sandbox) {
    let folder = sandbox.path("a");
    fs::create_dir(&folder).expect("a folder");
    let write = |name: &str, text: &[u8]| fs::write(folder.join(name), text).expect("written");
    let body = "13 1 S a busy\n14 2 S a\n";
    let part = "13 3 S a rest\n14 4 S a\n";
    let header = part_header();
    write("t.paje", format!("{header}{}90 0 0 p.paje\n", fixtures::trace(body)).as_bytes());
    write("p.paje", part.as_bytes());
    write("t.json", br#"[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"busy"}]"#);
    write("t.prv", b"#Paraver (01/01/2026 at 10:00):100_ns:1(1):1:1(1:1)\n1:1:1:1:1:0:50:1\n");
    write("t.pcf", b"STATES\n0 Idle\n1 Running\n");
    write("t.row", b"LEVEL THREAD SIZE 1\nTHREAD one\n");
    let options = onca_generate::otf2::Options {
        locations: 2,
        events: 40,
        mapped: true,
        ..onca_generate::otf2::Options::default()
    };
    onca_generate::otf2::write(&options, &folder).expect("an archive");
    for rank in 0..2 {
        let mut calls = RankWriter::new();
        calls.call(52, (1, 2), &[Field::Short(2)]);
        let fields = [77, 14, 1, 0].map(Field::Int);
        let [count, _, dest, tag] = fields;
        calls.call(0, (3, 4), &[count, Field::Short(14), dest, tag, Field::Short(2)]);
        write(&format!("d-{rank:04}.bin"), &calls.finish("host", &[]));
    }
    write("d.meta", meta(2, "d").as_bytes());
}

fn part_header() -> String {
    fixtures::block("90", "PajeTraceFile", &["Container", "Type", "Filename"])
}

fn copy(sandbox: &Sandbox, to: &str) {
    let _ = fs::remove_dir_all(sandbox.path(to));
    let status = Command::new("cp")
        .args(["-r".as_ref(), sandbox.path("a").as_os_str(), sandbox.path(to).as_os_str()])
        .status();
    assert!(status.expect("cp").success());
}

fn edit(path: &Path, from: &[u8], to: &[u8]) {
    let mut bytes = fs::read(path).expect("read");
    let found = bytes.windows(from.len()).rposition(|window| window == from);
    let at = found.unwrap_or_else(|| panic!("{}: no {from:?}", path.display()));
    bytes[at..at + from.len()].copy_from_slice(to);
    fs::write(path, bytes).expect("written");
}

fn set_mtime_of(path: &Path, like: &Path) {
    let time = fs::metadata(like).and_then(|facts| facts.modified()).expect("a time");
    let file = File::options().append(true).open(path).expect("there");
    file.set_times(FileTimes::new().set_modified(time)).expect("set");
}

fn data_of(store: &Path) -> (u64, std::time::SystemTime) {
    let facts = fs::metadata(store.join("data.bin")).expect("a store");
    (facts.ino(), facts.modified().expect("a time"))
}

fn dump(sandbox: &Sandbox, trace: &str) -> (Vec<u8>, String) {
    let run = sandbox.onca(["dump", trace]);
    assert!(run.code <= 1, "{}", run.err());
    let err = run.err();
    (run.stdout, err)
}

fn verified(sandbox: &Sandbox, store: &str) -> String {
    let answer = sandbox.onca(["store", "verify", "--json", store]).expect(0).json();
    answer["stores"][0]["status"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_copy_answers_for_itself() {
    let sandbox = Sandbox::new();
    write_all(&sandbox);
    for Format { main, edits } in &FORMATS {
        let original = dump(&sandbox, &format!("a/{main}")).0;
        for &(file, from, to) in *edits {
            let what = format!("{main}, {file}");
            copy(&sandbox, "b");
            let (trace, store) = (format!("b/{main}"), format!("b/{main}.onca"));
            let place = sandbox.path(&store);
            let before = data_of(&place);
            assert_eq!(verified(&sandbox, &store), "fresh", "{what}");
            let (rows, said) = dump(&sandbox, &trace);
            assert!(rows == original && !said.contains("built again"), "{what}: {said}");
            assert_eq!(data_of(&place), before, "{what}: the store of the copy is good");

            let path = sandbox.path(&format!("b/{file}"));
            File::options()
                .append(true)
                .open(&path)
                .and_then(|f| f.set_modified(std::time::SystemTime::now()))
                .expect("touched");
            let (rows, said) = dump(&sandbox, &trace);
            assert!(rows == original && !said.contains("built again"), "{what}: {said}");
            assert_eq!(data_of(&place), before, "{what}: only touched");

            edit(&path, from, to);
            set_mtime_of(&path, &sandbox.path(&format!("a/{file}")));
            assert_eq!(verified(&sandbox, &store), "stale", "{what}");
            let (rows, said) = dump(&sandbox, &trace);
            assert!(
                said.contains("its content changed; the store is built again"),
                "{what}: {said}"
            );
            assert!(rows != original, "{what}: other answers");
            assert_eq!(verified(&sandbox, &store), "fresh", "{what}");
            assert!(dump(&sandbox, &format!("a/{main}")).0 == original, "{what}: the original");
        }
    }
}

#[test]
fn side_files_that_come_and_go_are_noticed() {
    let sandbox = Sandbox::new();
    write_all(&sandbox);
    for (main, file) in [
        ("t.paje", "p.paje"),
        ("t.prv", "t.pcf"),
        ("t.prv", "t.row"),
        ("traces.otf2", "traces/1.evt"),
        ("traces.otf2", "traces/1.def"),
        ("d.meta", "d-0001.bin"),
    ] {
        let (trace, path) = (format!("a/{main}"), sandbox.path(&format!("a/{file}")));
        let (original, _) = dump(&sandbox, &trace);
        let aside = sandbox.path("aside");
        fs::rename(&path, &aside).expect("put aside");
        let (_, said) = dump(&sandbox, &trace);
        assert!(said.contains("is gone; the store is built again"), "{file}: {said}");
        let (_, said) = dump(&sandbox, &trace);
        assert!(!said.contains("built again"), "{file}: {said}");
        fs::rename(&aside, &path).expect("put back");
        let (rows, said) = dump(&sandbox, &trace);
        assert!(said.contains("it is there now; the store is built again"), "{file}: {said}");
        assert!(rows == original, "{file}");
    }
    // A rank more than there were.
    fs::copy(sandbox.path("a/d-0001.bin"), sandbox.path("a/d-0002.bin")).expect("copied");
    let (_, said) = dump(&sandbox, "a/d.meta");
    assert!(said.contains("it is there now; the store is built again"), "{said}");
}

/// The content is compared once, not whenever the store is opened.
#[test]
fn what_turned_out_the_same_is_remembered() {
    let sandbox = Sandbox::new();
    write_all(&sandbox);
    dump(&sandbox, "a/t.paje");
    copy(&sandbox, "b");
    let manifest = sandbox.path("b/t.paje.onca/manifest.json");
    let copied = fs::read_to_string(&manifest).expect("a manifest");
    std::thread::sleep(std::time::Duration::from_millis(1_200));
    dump(&sandbox, "b/t.paje");
    let remembered = fs::read_to_string(&manifest).expect("a manifest");
    assert_ne!(copied, remembered);
    let facts = fs::metadata(&manifest).expect("there");
    dump(&sandbox, "b/t.paje");
    let again = fs::metadata(&manifest).expect("there");
    assert_eq!(again.ino(), facts.ino(), "the manifest is not written again");
    assert_eq!(fs::read_to_string(&manifest).expect("a manifest"), remembered);
    assert_eq!(
        sandbox.names(&sandbox.path("b")).iter().filter(|name| name.contains("tmp")).count(),
        0
    );
}

#[test]
fn a_store_beside_another_trace_is_not_used() {
    let sandbox = Sandbox::new();
    sandbox.write("one.paje", fixtures::trace("13 1 S a busy\n"));
    sandbox.write("two.paje", fixtures::trace("13 1 S a lazy\n"));
    dump(&sandbox, "one.paje");
    fs::rename(sandbox.path("one.paje.onca"), sandbox.path("two.paje.onca")).expect("moved");
    let (rows, said) = dump(&sandbox, "two.paje");
    assert!(String::from_utf8_lossy(&rows).contains("lazy"), "{said}");
    assert!(said.contains("the store is built again"), "{said}");
}

#[test]
fn parts_lie_in_the_folder_of_their_trace() {
    let sandbox = Sandbox::new();
    let secret = "secret words of nobody\n";
    sandbox.write("secret.txt", secret);
    let folder = sandbox.path("t");
    fs::create_dir_all(folder.join("below")).expect("a folder");
    fs::write(folder.join("below/p.paje"), "13 3 S a rest\n").expect("written");
    std::os::unix::fs::symlink(sandbox.path("secret.txt"), folder.join("link.paje"))
        .expect("linked");
    let header = part_header();
    let read = |part: &Path| {
        let text =
            format!("{header}{}90 0 0 {}\n", fixtures::trace("13 1 S a busy\n"), part.display());
        fs::write(folder.join("t.paje"), text).expect("written");
        let run = sandbox.onca(["validate", "--json", "t/t.paje"]);
        let words = run.out();
        assert!(!words.contains("nobody"), "{words}");
        (run.code, run.json())
    };
    let outside: [PathBuf; 5] = [
        sandbox.path("secret.txt"),
        folder.join("below/p.paje"),
        PathBuf::from("../secret.txt"),
        PathBuf::from("below/../../secret.txt"),
        PathBuf::from("link.paje"),
    ];
    for part in &outside {
        let (code, answer) = read(part);
        assert_eq!((code, &answer["lost"]), (1, &1.into()), "{}: {answer}", part.display());
        let told = diagnostic(&answer, "outside-archive");
        assert!(told.is_some(), "{}: {answer}", part.display());
    }
    for part in ["below", "absent.paje"] {
        let (code, answer) = read(Path::new(part));
        assert_eq!((code, &answer["lost"]), (1, &1.into()), "{part}: {answer}");
        assert!(diagnostic(&answer, "missing-part-file").is_some(), "{part}: {answer}");
    }
    for part in ["below/p.paje", "below/../below/p.paje"] {
        let (code, answer) = read(Path::new(part));
        assert_eq!((code, &answer["lost"]), (0, &0.into()), "{part}: {answer}");
    }
}

/// Whoever may write into a folder may put a store there that says anything.
#[test]
fn a_store_of_another_user_is_not_believed() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can give a store to another user");
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::trace("13 1 S a busy\n"));
    let (rows, _) = dump(&sandbox, "t.paje");
    let place = sandbox.path("t.paje.onca");
    for theirs in ["t.paje.onca", "t.paje.onca/tables.bin"] {
        let path = sandbox.path(theirs);
        std::os::unix::fs::chown(&path, Some(4711), None).expect("given away");
        let before = data_of(&place);
        let (found, said) = dump(&sandbox, "t.paje");
        assert!(found == rows, "{said}");
        assert!(said.contains("belongs to user 4711 and is not trusted"), "{said}");
        assert_eq!(data_of(&place), before, "their store stays");
        assert_eq!(sandbox.names(&sandbox.cache().join("onca")).len(), 1, "ours is in the cache");
        // A store that is named is opened.
        let (found, said) = dump(&sandbox, "t.paje.onca");
        assert!(found == rows && said.contains("warning:") && said.contains("user 4711"), "{said}");
        std::os::unix::fs::chown(&path, Some(0), None).expect("taken back");
        assert!(!dump(&sandbox, "t.paje").1.contains("4711"));
    }
}

#[test]
fn a_limit_on_the_length_of_files_is_told_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    let mut body = String::new();
    for step in 0..20_000 {
        body += &format!("13 {step}.125 S a s{}\n14 {step}.75 S a\n", step % 5);
    }
    sandbox.write("t.paje", fixtures::trace(&body));
    for limit in ["0", "1", "8"] {
        let mut command = Command::new("sh");
        let script = format!("ulimit -f {limit}; exec \"$0\" \"$@\"");
        command.args(["-c", &script]).arg(program("onca")).args(["index", "t.paje"]);
        let run = Run::of(&mut sandbox.confined(command));
        assert_eq!(run.code, 3, "{limit}: {}", run.err());
        assert!(run.err().contains("File too large"), "{}", run.err());
        sandbox.expect_only(&["t.paje"]);
    }
}

/// Limits on processes do not hold for root, who tries as somebody else.
#[test]
fn without_threads_there_is_a_reason_or_an_answer() {
    use std::os::unix::process::CommandExt;
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::trace("13 1 S a busy\n"));
    for path in sandbox.work().ancestors().take(2) {
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        fs::set_permissions(path, open).expect("opened");
    }
    // Another user may not enter the folder where it was built.
    let program_copy = sandbox.path("onca");
    fs::copy(program("onca"), &program_copy).expect("copied");
    for limit in 1..12 {
        let mut command = Command::new("bash");
        let script = format!("ulimit -u {limit}; exec \"$0\" \"$@\"");
        command.args(["-c", &script]).arg(&program_copy).args(["dump", "t.paje"]);
        let mut command = sandbox.confined(command);
        if rustix::process::geteuid().is_root() {
            command.uid(47_110);
        }
        let run = Run::of(&mut command);
        let reason = run.err();
        assert!(run.code == 0 || [2, 3].contains(&run.code), "{limit}: {} {reason}", run.code);
        assert!(!reason.contains("panicked"), "{limit}: {reason}");
        if run.code > 0 {
            assert!(reason.contains("thread") || reason.contains("temporarily"), "{reason}");
        }
    }
}
