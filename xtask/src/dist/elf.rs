//! What a program needs of the machine it runs on: libraries, and versions of the C library.

use std::fmt;
use std::str::FromStr;

use object::elf::{DT_NEEDED, FileHeader64};
use object::read::elf::FileHeader;
use object::{Endianness, read};

/// The libraries that every system with glibc has.
const GLIBC_LIBRARIES: &[&str] = &[
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libdl.so.2",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
];

/// A version of the C library, such as 2.17 or 2.2.5.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u32>);

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split('.').map(str::parse).collect::<Result<_, _>>();
        numbers.map(Self).map_err(|error| format!("{text:?} is no version: {error}"))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&numbers.join("."))
    }
}

/// What a program needs.
#[derive(Debug, Default)]
pub struct Needs {
    pub libraries: Vec<String>,
    /// The newest version that a symbol of the C library asks for.
    pub glibc: Version,
    /// Versions that are not those of releases of the C library, such as `GLIBC_PRIVATE`.
    pub strange: Vec<String>,
}

impl Needs {
    /// What keeps the program from running where only a version of the C library is promised.
    pub fn problems(&self, promised: &Version) -> Vec<String> {
        let mut problems = Vec::new();
        if self.glibc > *promised {
            problems.push(format!("needs glibc {}, {promised} is promised", self.glibc));
        }
        let strangers =
            self.libraries.iter().filter(|name| !GLIBC_LIBRARIES.contains(&name.as_str()));
        problems.extend(strangers.map(|name| format!("needs {name}, which is not part of glibc")));
        problems.extend(self.strange.iter().map(|name| format!("needs the version {name}")));
        problems
    }

    fn add_version(&mut self, name: &str) {
        match name.strip_prefix("GLIBC_").map(Version::from_str) {
            Some(Ok(version)) => self.glibc = version.max(std::mem::take(&mut self.glibc)),
            _ => self.strange.push(name.to_owned()),
        }
    }
}

/// Reads what a program needs from its bytes.
pub fn needs(program: &[u8]) -> Result<Needs, String> {
    read_needs(program).map_err(|error| format!("no ELF program: {error}"))
}

fn read_needs(program: &[u8]) -> read::Result<Needs> {
    let header = FileHeader64::<Endianness>::parse(program)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, program)?;
    let mut needs = Needs::default();
    let dynamic = sections.dynamic_table(endian, program)?;
    for entry in &dynamic {
        if entry.tag == DT_NEEDED {
            let name = dynamic.string(entry)?;
            needs.libraries.push(String::from_utf8_lossy(name).into_owned());
        }
    }
    if let Some((mut files, strings)) = sections.gnu_verneed(endian, program)? {
        let strings = sections.strings(endian, program, strings)?;
        while let Some((_, mut versions)) = files.next()? {
            while let Some(version) = versions.next()? {
                let name = version.name(endian, strings)?;
                needs.add_version(&String::from_utf8_lossy(name));
            }
        }
    }
    Ok(needs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().expect("a version")
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(version("2.2.5") < version("2.17"));
        assert!(version("2.9") < version("2.17"));
        assert!(version("2.17") < version("2.17.1"));
        assert_eq!(version("2.28").to_string(), "2.28");
        assert!("2.x".parse::<Version>().is_err());
    }

    #[test]
    fn what_was_not_promised_is_a_problem() {
        let mut needs = Needs { libraries: vec!["libc.so.6".to_owned()], ..Needs::default() };
        for name in ["GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.3"] {
            needs.add_version(name);
        }
        assert_eq!(needs.glibc, version("2.17"));
        assert_eq!(needs.problems(&version("2.17")), [""; 0]);
        assert_eq!(needs.problems(&version("2.12")), ["needs glibc 2.17, 2.12 is promised"]);

        needs.add_version("GLIBC_PRIVATE");
        needs.libraries.push("libgcc_s.so.1".to_owned());
        let expected =
            ["needs libgcc_s.so.1, which is not part of glibc", "needs the version GLIBC_PRIVATE"];
        assert_eq!(needs.problems(&version("2.17")), expected);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
    fn this_very_program_is_read() {
        let own = std::env::current_exe().and_then(std::fs::read).expect("readable");
        let needs = needs(&own).expect("a program");
        assert!(needs.libraries.iter().any(|name| name == "libc.so.6"), "{needs:?}");
        assert!(needs.glibc >= version("2.2.5"), "{needs:?}");
    }

    #[test]
    fn other_files_are_refused() {
        assert!(needs(b"#!/bin/sh\n").is_err());
    }
}
