use std::{fs::FileTimes, time::Duration};

use super::*;

fn freshness(old: &Fingerprint) -> Freshness {
    old.freshness(Scrutiny::Quick).expect("readable")
}

/// Waits until the clock of the file system has gone on.
fn wait() {
    std::thread::sleep(Duration::from_millis(20));
}

/// A fingerprint of files that have not been changed for a while.
fn settled(mut fingerprint: Fingerprint) -> Fingerprint {
    fingerprint.looked_ns = i64::MAX;
    fingerprint
}

#[test]
fn a_change_of_the_source_is_noticed() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("50%.paje");
    std::fs::write(&path, vec![b'x'; 300_000]).expect("written");
    let old = Fingerprint::of(&path).expect("readable");
    assert_eq!(freshness(&old), Freshness::Fresh);
    std::fs::write(&path, vec![b'y'; 300_000]).expect("written");
    assert!(matches!(freshness(&old), Freshness::Changed(_)));
    std::fs::remove_file(&path).expect("removed");
    assert_eq!(freshness(&old), Freshness::Missing(path));
    assert_eq!(freshness(&Fingerprint::default()), Freshness::Unknown);
}

#[test]
fn an_edit_at_any_byte_is_noticed_with_its_time_set_back() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("file");
    let content = vec![b'x'; (1 << 20) + 77];
    std::fs::write(&path, &content).expect("written");
    let written = std::fs::metadata(&path).and_then(|facts| facts.modified()).expect("a time");
    let old = settled(Fingerprint::of(&path).expect("readable"));
    for at in [0, 70_000, 500_001, 1 << 20, content.len() - 1] {
        wait();
        let mut edited = content.clone();
        edited[at] = b'y';
        std::fs::write(&path, &edited).expect("written");
        let file = File::options().append(true).open(&path).expect("there");
        file.set_times(FileTimes::new().set_modified(written)).expect("set");
        let changed = format!("{}: its content changed", path.display());
        assert_eq!(freshness(&old), Freshness::Changed(changed), "byte {at}");
    }
    std::fs::write(&path, &content).expect("written");
    assert_eq!(freshness(&old), Freshness::Fresh, "as it was");
    let (_, news) = old.look_again(Scrutiny::Quick).expect("readable");
    let news = settled(news.expect("another time"));
    assert_eq!(news.look_again(Scrutiny::Quick).expect("readable"), (Freshness::Fresh, None));
}

/// Two changes within a tick of the clock have the same time.
#[test]
fn a_file_that_has_just_changed_is_compared_by_content() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("file");
    std::fs::write(&path, "before").expect("written");
    let mut old = Fingerprint::of(&path).expect("readable");
    assert!(!old.files[0].is_settled(old.looked_ns));
    std::fs::write(&path, "after!").expect("written");
    old.files[0].facts = FileFacts::of(&path).expect("there");
    assert!(matches!(freshness(&old), Freshness::Changed(_)));
    let old = settled(old);
    assert_eq!(freshness(&old), Freshness::Fresh, "times are trusted");
    let thorough = old.freshness(Scrutiny::Thorough).expect("readable");
    assert!(matches!(thorough, Freshness::Changed(_)));
}

#[test]
fn a_long_file_is_the_same_only_if_its_times_are() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("file");
    std::fs::write(&path, vec![b'x'; 300_000]).expect("written");
    let whole = SourceFile::of(&path, true).expect("readable");
    let file = SourceFile::of(&path, false).expect("readable");
    assert_ne!(whole.hash, file.hash);
    let old = Fingerprint { files: vec![file], ..Fingerprint::default() };
    assert_eq!(freshness(&old), Freshness::Fresh);
    assert_eq!(freshness(&settled(old.clone())), Freshness::Fresh);
    wait();
    std::fs::write(&path, vec![b'x'; 300_000]).expect("written");
    assert!(matches!(freshness(&old), Freshness::Changed(_)), "it may have changed anywhere");
}

#[test]
fn only_so_much_of_many_files_is_read() {
    let dir = tempfile::tempdir().expect("a folder");
    let paths: Vec<PathBuf> = (0..4).map(|file| dir.path().join(file.to_string())).collect();
    paths.iter().for_each(|path| std::fs::write(path, [b'x'; 100]).expect("written"));
    std::fs::write(&paths[1], [b'x'; 300]).expect("written");
    let files = files_of(&paths, 250).expect("readable");
    let whole: Vec<bool> = files.iter().map(|file| file.whole).collect();
    assert_eq!(whole, [true, false, true, false]);
}

#[test]
fn files_that_were_not_read_count() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name);
    for name in ["main", "part", "link"] {
        std::fs::write(path(name), name).expect("written");
    }
    let began = SystemTime::now() + Duration::from_secs(1);
    let of = |began| {
        let main = Fingerprint::of(&path("main")).expect("readable");
        main.with_others(&[path("part")], &[path("absent"), path("link")], began)
    };
    let old = of(began).expect("readable");
    assert_eq!(freshness(&old), Freshness::Fresh);
    std::fs::write(path("absent"), "x").expect("written");
    let there = format!("{}: it is there now", path("absent").display());
    assert_eq!(freshness(&old), Freshness::Changed(there));
    std::fs::remove_file(path("absent")).expect("removed");
    assert_eq!(freshness(&old), Freshness::Fresh);
    std::fs::remove_file(path("link")).expect("removed");
    assert!(matches!(freshness(&old), Freshness::Changed(_)));
    // What has changed since the reading began may have been read before or after.
    let early = of(UNIX_EPOCH).expect("readable");
    let changing = format!("{}: it was changing while it was read", path("part").display());
    assert_eq!(freshness(&early), Freshness::Changed(changing));
}

#[test]
fn paths_move_with_their_folder() {
    let file = |path: &str| {
        let facts = FileFacts { size: 0, mtime_ns: 0, ctime_ns: 0, inode: 0 };
        let path = path.to_owned();
        SourceFile { path, facts, changing: false, hash: 0, whole: true }
    };
    let files = vec![file("/a/b/50%25.paje"), file("/a/bc/x"), file("/a/b/d/e")];
    let unread = vec![UnreadFile { path: "/a/b/gone".to_owned(), facts: None }];
    let moved = Fingerprint { files, unread, looked_ns: 0 }
        .relative_to(Path::new("/a/b"))
        .absolute_from(Path::new("/z"));
    let paths: Vec<&str> = moved.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["/z/50%25.paje", "/a/bc/x", "/z/d/e"]);
    assert_eq!(moved.unread[0].path, "/z/gone");
}

#[test]
fn both_ends_and_sixteen_places_between_are_hashed() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("file");
    for size in [0usize, 1, 16, 418, 5_000, 65_535, 65_536, 65_537, 300_000] {
        let content: Vec<u8> = (0..size).map(|at| (at * at % 251) as u8).collect();
        let mut hashed = content[..size.min(65_536)].to_vec();
        for place in 1..=16 {
            let start = size / 17 * place;
            hashed.extend_from_slice(&content[start..size.min(start + 4_096)]);
        }
        hashed.extend_from_slice(&content[size.saturating_sub(65_536)..]);
        std::fs::write(&path, &content).expect("written");
        let found = SourceFile::of(&path, false).expect("readable").hash;
        assert_eq!(found, XxHash64::oneshot(0, &hashed), "{size} bytes");
        let found = SourceFile::of(&path, true).expect("readable").hash;
        assert_eq!(found, XxHash64::oneshot(0, &content), "{size} bytes");
    }
}

#[test]
fn any_path_comes_back() {
    for bytes in [b"a/b%25".as_slice(), b"caf\xe9%", "é".as_bytes()] {
        let path = PathBuf::from(std::ffi::OsString::from_vec(bytes.to_vec()));
        assert_eq!(unescape(&escape(&path)), path);
    }
}
