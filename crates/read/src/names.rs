//! What files of traces are usually called.

use std::path::Path;

/// The endings of files that name a trace as a whole, in small letters. Files that only belong to
/// one, such as the definitions of an OTF2 archive, are not among them.
const ENDINGS: [&str; 7] = ["paje", "trace", "otf2", "json", "prv", "onct", "meta"];
const PACKED: [&str; 7] = ["gz", "z", "zz", "zst", "xz", "bz2", "zlib"];

/// Is a file called as traces are? Whether it is one, only its content tells.
pub fn is_named_like_trace(path: &Path) -> bool {
    let end_of = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
    let is_one_of = |end: &Option<String>, known: &[&str]| {
        end.as_deref().is_some_and(|end| known.contains(&end))
    };
    let end = end_of(path);
    match is_one_of(&end, &PACKED) {
        true => is_one_of(&end_of(&path.with_extension("")), &ENDINGS),
        false => is_one_of(&end, &ENDINGS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_tell_traces_from_other_files() {
        for name in
            ["run.paje", "RUN.TRACE", "a.b/traces.otf2", "x.json.gz", "app.prv.XZ", "p.onct"]
        {
            assert!(is_named_like_trace(Path::new(name)), "{name}");
        }
        for name in ["paje", ".paje", "run.gz", "run.def", "run.paje.onca", "run.pcf", "notes.txt"]
        {
            assert!(!is_named_like_trace(Path::new(name)), "{name}");
        }
    }
}
