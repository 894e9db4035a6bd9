//! Formats are told apart by their content, never by the name of the file.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::{dumpi, onct, otf2, paraver};

/// Some editors put it before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A trace format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Pajé.
    Paje,
    /// The anchor of an OTF2 archive.
    Otf2,
    /// Chrome trace events.
    Chrome,
    /// Paraver.
    Paraver,
    /// The text that tells of a DUMPI trace, or the file of one of its ranks.
    Dumpi,
    /// The file of a process that `onca-trace` wrote.
    Onct,
    /// Something recognised that cannot be read.
    Unsupported(&'static str),
}

/// The file by which a trace is opened, for a path that belongs to it: the anchor for a file or
/// folder of an OTF2 archive, the `.meta` for those of a DUMPI trace, the `.prv` for what lies
/// beside it, else the path itself.
pub fn main_file(path: &Path) -> PathBuf {
    if path.is_dir() {
        let main = otf2::anchor_of(path).or_else(|| dumpi::main_file_in(path));
        return main.unwrap_or_else(|| path.to_owned());
    }
    let head = first_bytes(path).unwrap_or_default();
    let main = match &head {
        head if otf2::is_file(head) => otf2::anchor_of(path),
        head if dumpi::is_rank_file(head) => dumpi::main_file_of(path),
        _ => paraver::trace_of(path),
    };
    main.unwrap_or_else(|| path.to_owned())
}

/// What was looked for in a folder that no trace can be opened by, and what was found.
pub fn what_folder_holds(folder: &Path) -> String {
    let anchors = [otf2::anchors_in(folder), otf2::anchors_below(folder)].concat();
    let looked = "looked for a store, for the anchor of an OTF2 archive (*.otf2) in it and in the \
                  folders in it, for a DUMPI trace (*.meta), and for files of onca-trace (*.onct)";
    let shown = |path: &PathBuf| path.strip_prefix(folder).unwrap_or(path).display().to_string();
    match &anchors[..] {
        [] => format!("{looked}; found none of them"),
        _ => {
            let names: Vec<_> = anchors.iter().take(5).map(shown).collect();
            let more = if anchors.len() > 5 { ", ..." } else { "" };
            let (n, names) = (anchors.len(), names.join(", "));
            format!("{looked}; found {n} archives, name one of them: {names}{more}")
        }
    }
}

/// The first eight bytes, or fewer if there are not that many.
fn first_bytes(path: &Path) -> Option<Vec<u8>> {
    // Opening anything but a regular file may wait for ever.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut head = Vec::new();
    File::open(path).ok()?.take(8).read_to_end(&mut head).ok()?;
    Some(head)
}

/// The same where the name of the file tells what it should be: an anchor or a `.meta` that is cut
/// or empty is not a trace of another format.
pub fn detect_file(path: &Path, head: &[u8]) -> Format {
    let format = detect(head);
    let is_named = |end: &str| path.extension().is_some_and(|extension| extension == end);
    match format {
        Format::Paje if is_named("otf2") => {
            Format::Unsupported("no anchor of an OTF2 archive; it is empty, cut or damaged")
        }
        Format::Paje if is_named("meta") && dumpi::has_ranks(path) => Format::Dumpi,
        Format::Paje if is_named("onct") => {
            Format::Unsupported("no trace of onca-trace; it is empty, cut or damaged")
        }
        format => format,
    }
}

/// Tells the format from the first bytes of the decompressed source.
pub fn detect(head: &[u8]) -> Format {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    if otf2::is_anchor(head) {
        return Format::Otf2;
    }
    if onct::is_file(head) {
        return Format::Onct;
    }
    let start = head.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(head.len());
    let text = &head[start..];
    match text {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            Format::Unsupported("UTF-16 text; convert it to UTF-8")
        }
        _ if paraver::is_trace(text) => Format::Paraver,
        _ if dumpi::is_rank_file(head) || dumpi::is_meta(text) => Format::Dumpi,
        _ if otf2::is_file(head) => {
            Format::Unsupported("a file of an OTF2 archive; name its anchor, *.otf2")
        }
        [b'{' | b'[', ..] => json(text),
        _ if is_replay(text) => {
            Format::Unsupported("a time-independent replay trace of SimGrid, not a Pajé trace")
        }
        _ => Format::Paje,
    }
}

/// Tells what JSON it is. Chrome trace events are an array of objects, or an object with the
/// member `traceEvents`, which may come late.
fn json(text: &[u8]) -> Format {
    let has = |key: &[u8]| memchr::memmem::find(text, key).is_some();
    let mut rest = text[1..].iter().filter(|byte| !byte.is_ascii_whitespace());
    match (text[0], rest.next()) {
        (b'[', Some(b'{' | b']' | b',') | None) => Format::Chrome,
        (b'[', Some(_)) => Format::Unsupported("JSON that is no list of trace events"),
        _ if has(b"\"traceEvents\"") => Format::Chrome,
        _ if has(b"\"meta\"") && has(b"\"interval\"") => {
            Format::Unsupported("a profile of the Firefox profiler")
        }
        (_, Some(b'"' | b'}')) => Format::Chrome,
        _ => Format::Unsupported("text that begins like JSON and is not"),
    }
}

/// SimGrid writes replay traces with the same options: lines of a rank and a verb.
fn is_replay(text: &[u8]) -> bool {
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let rank = words.next().unwrap_or_default();
    let verb = words.next().unwrap_or_default();
    let verbs: [&[u8]; 9] = [
        b"init",
        b"finalize",
        b"compute",
        b"send",
        b"recv",
        b"isend",
        b"irecv",
        b"barrier",
        b"bcast",
    ];
    !rank.is_empty()
        && rank.iter().all(u8::is_ascii_digit)
        && verbs.iter().any(|known| verb.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_content() {
        assert_eq!(detect(b"%EventDef PajeSetState 1\n"), Format::Paje);
        assert_eq!(detect(b"# comment\n"), Format::Paje);
        assert_eq!(detect(b""), Format::Paje);
        assert_eq!(detect(b"\x03\x42OTF2\0\x03"), Format::Otf2);
        assert_eq!(detect(b"\x03\x23OTF2\0\x03"), Format::Otf2);
        assert!(matches!(detect(b"\x03\x42\x01\0\0\0\0\0\0\0"), Format::Unsupported(_)));
        for paraver in [&b"#Paraver (1/1/2020)"[..], b"#PARAVER (", b"new format\n#Paraver ("] {
            assert_eq!(detect(paraver), Format::Paraver, "{paraver:?}");
        }
        assert_eq!(detect(b"\xff\xaa\xddDUMPI\0\0\0\0"), Format::Dumpi);
        assert_eq!(detect(b"hostname=vm\nnumprocs=4\n"), Format::Dumpi);
        assert_eq!(detect(b"\x89ONCT\r\n\x1a\x01\0"), Format::Onct);
        for chrome in [&b"  {\"traceEvents\":[]}"[..], b"[", b"[ {\"ph\":", b"{\"otherData\":{"] {
            assert_eq!(detect(chrome), Format::Chrome, "{chrome:?}");
        }
        for other in [&b"[[1]]"[..], b"{\"meta\":{\"interval\":1}}", b"0 init\n0 compute 1"] {
            assert!(matches!(detect(other), Format::Unsupported(_)), "{other:?}");
        }
    }
}
