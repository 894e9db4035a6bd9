//! Damage to stores, death while building them, full disks, other processes, traces that change:
//! the old store, the new one or none, and never a wrong answer.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use onca_testkit::fixtures;
use onca_testkit::sandbox::{Run, STORE_FILES, Sandbox, names_in, same_text};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Enough of every kind of entity for a store with several chunks, small enough to be read often.
fn damaged_trace() -> String {
    let mut body = String::new();
    for step in 0..400 {
        body += &format!("13 {step}.125 S a s{}\n9 {step}.125 V b {}\n", step % 5, step * 3);
        body += &format!("16 {step}.25 L 0 a v k{step}\n17 {step}.5 L 0 b v k{step}\n");
        body += &format!("18 {step}.5 E b e{}\n14 {step}.75 S a\n", step % 7);
    }
    fixtures::trace(&body)
}

/// A few megabytes, so that indexing takes long enough to be interrupted.
fn large_trace(seed: u64) -> Vec<u8> {
    let options = onca_generate::iterative::Options {
        procs: 16,
        events: 120_000,
        seed,
        ..onca_generate::iterative::Options::default()
    };
    let mut text = Vec::new();
    onca_generate::iterative::write(&options, &mut text).expect("a trace");
    text
}

fn store_bytes(place: &Path) -> [Vec<u8>; 4] {
    STORE_FILES.map(|name| {
        std::fs::read(place.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    })
}

fn put_store(place: &Path, files: &[Vec<u8>; 4]) {
    let _ = std::fs::remove_dir_all(place);
    std::fs::create_dir(place).expect("a folder");
    for (name, bytes) in STORE_FILES.iter().zip(files) {
        std::fs::write(place.join(name), bytes).expect("written");
    }
}

#[test]
fn every_damaged_byte_is_noticed() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", damaged_trace());
    let rows = sandbox.onca(["dump", "t.paje"]).expect(0).stdout;
    let place = sandbox.path("t.paje.onca");
    let copy = sandbox.path("copy.onca");
    let good = store_bytes(&place);
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for round in 0..300 {
        let file = round % STORE_FILES.len();
        let at = random.random_range(0..good[file].len());
        let flip: u8 = random.random_range(1..=255);
        let mut damaged = good.clone();
        damaged[file][at] ^= flip;
        let what =
            format!("{} of {} bytes, byte {at} ^ {flip:#04x}", STORE_FILES[file], good[file].len());
        put_store(&place, &damaged);

        let verified = sandbox.onca(["store", "verify", "t.paje.onca"]);
        assert_eq!(verified.code, 1, "{what}: verify says {}", verified.out());

        // What a dump does not read, it does not check: the links by pairs of containers are in
        // the data file and are not asked for. Everything else is read to open the store.
        let unread = STORE_FILES[file] == "data.bin";

        // A store by itself cannot be built again.
        put_store(&copy, &damaged);
        let alone = sandbox.onca(["dump", "copy.onca"]);
        match alone.code {
            0 if unread => same_text(&alone.stdout, &rows, &what),
            code => {
                assert_eq!(code, 2, "{what}: {}", alone.err());
                assert!(rows.starts_with(&alone.stdout), "{what}: other rows:\n{}", alone.out());
            }
        }

        let run = sandbox.onca(["dump", "t.paje"]);
        match run.code {
            0 => {
                same_text(&run.stdout, &rows, &what);
                let built = run.err().contains("the store is built again");
                assert!(built || unread, "{what}: {}", run.err());
                if built {
                    let again = sandbox.onca(["store", "verify", "t.paje"]);
                    assert_eq!(again.code, 0, "{what}: built again: {}", again.out());
                }
            }
            code => {
                assert_eq!(code, 2, "{what}: {}", run.err());
                assert!(rows.starts_with(&run.stdout), "{what}: other rows:\n{}", run.out());
            }
        }
    }
}

#[test]
fn a_file_of_the_store_that_is_cut_or_gone_is_noticed() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", damaged_trace());
    let rows = sandbox.onca(["dump", "t.paje"]).expect(0).stdout;
    let place = sandbox.path("t.paje.onca");
    let good = store_bytes(&place);
    for (file, name) in STORE_FILES.iter().enumerate() {
        let len = good[file].len();
        for keep in [None, Some(0), Some(1), Some(len / 2), Some(len - 1)] {
            let what = format!("{name} of {len} bytes cut to {keep:?}");
            put_store(&place, &good);
            match keep {
                None => std::fs::remove_file(place.join(name)).expect("removed"),
                Some(keep) => {
                    std::fs::write(place.join(name), &good[file][..keep]).expect("written")
                }
            }
            assert_eq!(sandbox.onca(["store", "verify", "t.paje.onca"]).code, 1, "{what}");
            assert_eq!(sandbox.onca(["dump", "t.paje.onca"]).code, 2, "{what}");
            let run = sandbox.onca(["dump", "t.paje"]);
            assert_eq!(run.code, 0, "{what}: {}", run.err());
            same_text(&run.stdout, &rows, &what);
        }
    }
    sandbox.expect_only(&["t.paje", "t.paje.onca"]);
}

/// Two traces take turns in one place, so that the old store and the new one can be told apart.
#[test]
fn killed_while_indexing_leaves_the_old_store_or_the_new_one() {
    let sandbox = Sandbox::new();
    let place = sandbox.path("s.onca");
    let traces = ["a.paje", "b.paje"];
    let index = |trace: &str| {
        let mut command = sandbox.command();
        command.args(["index", "--force", trace, "-o", "s.onca"]);
        command
    };
    let mut longest = Duration::ZERO;
    let mut rows = Vec::new();
    let stores = [0, 1].map(|which: usize| {
        sandbox.write(traces[which], large_trace(which as u64 + 1));
        let started = Instant::now();
        Run::of(&mut index(traces[which])).expect(0);
        longest = longest.max(started.elapsed());
        rows.push(sandbox.onca(["dump", "s.onca"]).expect(0).stdout);
        store_bytes(&place)
    });
    assert!(stores[0] != stores[1] && rows[0] != rows[1], "the two traces are one");

    let mut random = ChaCha8Rng::seed_from_u64(6);
    let mut killed = 0;
    for round in 0..40 {
        let mut child = index(traces[round % 2])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a running program");
        std::thread::sleep(longest.mul_f64(random.random_range(0.0..1.0)));
        child.kill().expect("killed, or at its end");
        let status = child.wait().expect("an end");
        assert!(matches!(status.code(), None | Some(0)), "round {round}: {status}");
        killed += u32::from(status.code().is_none());

        let found = store_bytes(&place);
        let which = stores.iter().position(|store| *store == found);
        let which = which.unwrap_or_else(|| panic!("round {round}: neither store is there"));
        sandbox.onca(["store", "verify", "s.onca"]).expect(0);
        // The files are those whose rows are known; asking now and then is enough.
        if round % 8 == 0 {
            let run = sandbox.onca(["dump", "s.onca"]).expect(0);
            same_text(&run.stdout, &rows[which], &format!("round {round}"));
        }
    }
    println!("{killed} of 40 runs were killed, the others were done");

    Run::of(&mut index(traces[0])).expect(0);
    sandbox.expect_only(&["a.paje", "b.paje", "s.onca"]);
    assert!(store_bytes(&place) == stores[0], "not the store of the last run");
}

#[test]
fn processes_that_index_the_same_trace_do_not_disturb_each_other() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", large_trace(3));
    sandbox.onca(["index", "t.paje"]).expect(0);
    let good = store_bytes(&sandbox.path("t.paje.onca"));
    let commands: [&[&str]; 5] = [
        &["index", "t.paje"],
        &["index", "--force", "t.paje"],
        &["info", "t.paje"],
        &["dump", "--kinds", "container", "t.paje"],
        &["index", "--force", "t.paje"],
    ];
    for round in 0..5 {
        if round % 2 == 0 {
            sandbox.onca(["store", "rm", "t.paje"]).expect(0);
        }
        let children: Vec<_> = (0..4)
            .map(|number| {
                let args = if round == 0 { commands[0] } else { commands[(round + number) % 5] };
                let mut command = sandbox.command();
                command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
                (format!("round {round}: {args:?}"), command.spawn().expect("a running program"))
            })
            .collect();
        for (what, child) in children {
            let output = child.wait_with_output().expect("an end");
            Run::checked(what, output).expect(0);
        }
        sandbox.expect_only(&["t.paje", "t.paje.onca"]);
        assert!(store_bytes(&sandbox.path("t.paje.onca")) == good, "round {round}: another store");
    }
}

#[test]
fn a_trace_that_changed_is_read_again() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("t.paje", fixtures::trace("18 1 E a one\n"));
    let events = |note: &str| {
        let run = sandbox.onca(["dump", "--kinds", "event", "t.paje"]).expect(0);
        assert!(run.err().contains(note), "expected a note with {note:?}: {:?}", run.err());
        run.out()
    };
    assert_eq!(events(""), "Event, A, Ev, 1.000000000, one\n");

    // Appended.
    let mut file = std::fs::File::options().append(true).open(&path).expect("opened");
    std::io::Write::write_all(&mut file, b"18 2 E a two\n").expect("written");
    drop(file);
    let both = "Event, A, Ev, 1.000000000, one\nEvent, A, Ev, 2.000000000, two\n";
    assert_eq!(events("built again"), both);

    // Edited in place to the same size. The time is set because a clock may be too coarse to
    // tell the two writings apart.
    let later = |seconds: u64| {
        let file = std::fs::File::options().write(true).open(&path).expect("opened");
        let time = std::time::SystemTime::now() + Duration::from_secs(seconds);
        file.set_modified(time).expect("a new time");
    };
    std::fs::write(&path, fixtures::trace("18 1 E a one\n18 2 E a TWO\n")).expect("written");
    later(10);
    assert_eq!(events("built again"), both.replace("two", "TWO"));

    // Replaced by another file.
    sandbox.write("new.paje", fixtures::trace("18 1 E a 1st\n18 2 E a 2nd\n"));
    std::fs::rename(sandbox.path("new.paje"), &path).expect("renamed");
    later(20);
    assert_eq!(events("built again"), both.replace("one", "1st").replace("two", "2nd"));

    // Made shorter.
    std::fs::write(&path, fixtures::trace("18 3 E a three\n")).expect("written");
    assert_eq!(events("built again"), "Event, A, Ev, 3.000000000, three\n");
    // Not changed: nothing is said and nothing is built.
    let before = std::fs::metadata(sandbox.path("t.paje.onca")).expect("a store").ino();
    assert_eq!(events(""), "Event, A, Ev, 3.000000000, three\n");
    let after = std::fs::metadata(sandbox.path("t.paje.onca")).expect("a store").ino();
    assert_eq!(before, after, "the store was built again without need");

    // Gone: the trace cannot be asked any more, the store can.
    std::fs::remove_file(&path).expect("removed");
    let run = sandbox.onca(["dump", "t.paje"]).expect(2);
    assert!(run.err().contains("error: t.paje: No such file"), "{}", run.err());
    sandbox.onca(["dump", "t.paje.onca"]).expect(0);
}

#[test]
fn a_store_of_another_trace_is_not_taken() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::trace("18 1 E a one\n"));
    sandbox.write("u.paje", fixtures::trace("18 1 E a two\n"));
    sandbox.onca(["index", "t.paje"]).expect(0);
    std::fs::rename(sandbox.path("t.paje.onca"), sandbox.path("u.paje.onca")).expect("renamed");
    let rows = sandbox.onca(["dump", "--kinds", "event", "u.paje"]).expect(0).out();
    assert_eq!(rows, "Event, A, Ev, 1.000000000, two\n");
}

#[test]
fn a_folder_that_cannot_be_written_has_its_stores_in_the_cache() {
    if rustix::process::geteuid().is_root() {
        println!("skipped: root can write into any folder");
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::trace("18 1 E a one\n"));
    let mode = |mode: u32| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(sandbox.work(), permissions).expect("a mode");
    };
    mode(0o555);
    let first = sandbox.onca(["dump", "--kinds", "event", "t.paje"]);
    let second = sandbox.onca(["dump", "--kinds", "event", "t.paje"]);
    let verified = sandbox.onca(["store", "verify", "t.paje"]);
    // Writable again, so that it can be removed whatever is found.
    mode(0o755);
    for (run, note) in [(first, true), (second, false)] {
        let run = run.expect(0);
        assert_eq!(run.out(), "Event, A, Ev, 1.000000000, one\n");
        assert_eq!(run.err().contains("the store is "), note, "{}", run.err());
    }
    verified.expect(0);
    sandbox.expect_only(&["t.paje"]);
    let cache = sandbox.cache().join("onca");
    let names = names_in(&cache);
    assert!(names.len() == 1 && names[0].starts_with("t.paje-"), "in the cache: {names:?}");
    let mode = std::fs::metadata(&cache).expect("a folder").permissions().mode() & 0o777;
    assert_eq!(mode, 0o700, "mode {mode:o} of the cache directory");
}

/// A limit on the size of files stands in for a full disk: writing fails in the middle.
#[test]
fn a_full_disk_leaves_the_old_store_or_none() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", large_trace(4));
    let refused = |blocks: u32| {
        let mut command = Command::new("sh");
        let script = format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$0\" \"$@\"");
        command.args([
            "-c",
            &script,
            env!("CARGO_BIN_EXE_onca"),
            "index",
            "--force",
            "t.paje",
            "-o",
            "s.onca",
        ]);
        let run = Run::of(&mut sandbox.confined(command));
        assert!(
            matches!(run.code, 2 | 3),
            "{blocks} blocks: exit code {}: {}",
            run.code,
            run.err()
        );
        run
    };
    // None at first.
    for blocks in [0, 1, 10, 100] {
        let run = refused(blocks);
        assert_eq!(run.err().trim_end().lines().count(), 1, "{blocks} blocks: {}", run.err());
        sandbox.expect_only(&["t.paje"]);
    }
    // Then that of another trace, which stays.
    sandbox.write("old.paje", fixtures::trace("18 1 E a old\n"));
    sandbox.onca(["index", "old.paje", "-o", "s.onca"]).expect(0);
    let old = store_bytes(&sandbox.path("s.onca"));
    for blocks in [0, 1, 10, 100] {
        refused(blocks);
        assert!(
            store_bytes(&sandbox.path("s.onca")) == old,
            "{blocks} blocks: the old store is gone"
        );
        sandbox.onca(["store", "verify", "s.onca"]).expect(0);
        sandbox.expect_only(&["old.paje", "s.onca", "t.paje"]);
    }
}

#[test]
fn no_one_may_read_a_store_who_may_not_read_its_trace() {
    for trace_mode in [0o600, 0o640, 0o644, 0o400, 0o604] {
        let sandbox = Sandbox::new();
        let trace = sandbox.write("t.paje", damaged_trace());
        std::fs::set_permissions(&trace, std::fs::Permissions::from_mode(trace_mode))
            .expect("a mode");
        for place in ["t.paje.onca", "given.onca"] {
            let mut command = Command::new("sh");
            command.args([
                "-c",
                "umask 000; exec \"$0\" \"$@\"",
                env!("CARGO_BIN_EXE_onca"),
                "index",
                "t.paje",
                "-o",
                place,
            ]);
            Run::of(&mut sandbox.confined(command)).expect(0);
            let mode =
                |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
            let others = trace_mode & 0o077;
            for file in STORE_FILES {
                let found = mode(&sandbox.path(place).join(file));
                assert_eq!(
                    found & 0o077 & !others,
                    0,
                    "{file}: {found:o}, the trace has {trace_mode:o}"
                );
            }
            // Who may read the files may also enter, and no one else.
            let found = mode(&sandbox.path(place));
            let readers = others & 0o044;
            assert_eq!(
                found & 0o077 & !(readers | readers >> 2),
                0,
                "{place}: {found:o}, the trace has {trace_mode:o}"
            );
        }
    }
}

#[test]
fn what_a_killed_builder_left_goes_when_the_store_is_opened_or_removed() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", damaged_trace());
    let litter = || {
        for name in ["t.paje.onca.tmp-1-0123456789abcdef", "t.paje.onca.old-1"] {
            std::fs::create_dir(sandbox.path(name)).expect("a folder");
            std::fs::write(sandbox.path(name).join("data.bin"), "half").expect("written");
        }
        sandbox.write("t.paje.onca.lock", "");
    };
    sandbox.onca(["index", "t.paje"]).expect(0);
    for command in [&["stats", "t.paje"][..], &["index", "t.paje"], &["info", "t.paje.onca"]] {
        litter();
        sandbox.onca(command).expect(0);
        sandbox.expect_only(&["t.paje", "t.paje.onca"]);
    }
    litter();
    sandbox.onca(["store", "rm", "t.paje"]).expect(0);
    sandbox.expect_only(&["t.paje"]);
}
