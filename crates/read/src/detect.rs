//! Formats are told apart by their content, never by the name of the file.

/// A trace format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Pajé.
    Paje,
    /// Something recognised that cannot be read.
    Unsupported(&'static str),
}

/// Tells the format from the first bytes of the decompressed source.
pub fn detect(head: &[u8]) -> Format {
    let start = head.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(head.len());
    let text = &head[start..];
    match text {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            Format::Unsupported("UTF-16 text; convert it to UTF-8")
        }
        _ if text.starts_with(b"#Paraver") => Format::Unsupported("a Paraver trace"),
        _ if text.starts_with(b"OTF2") => Format::Unsupported("an OTF2 file"),
        [b'{' | b'[', ..] => Format::Unsupported("JSON"),
        _ if is_replay(text) => {
            Format::Unsupported("a time-independent replay trace of SimGrid, not a Pajé trace")
        }
        _ => Format::Paje,
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
        for other in
            [&b"#Paraver (1/1/2020)"[..], b"  {\"traceEvents\":[]}", b"0 init\n0 compute 1"]
        {
            assert!(matches!(detect(other), Format::Unsupported(_)), "{other:?}");
        }
    }
}
