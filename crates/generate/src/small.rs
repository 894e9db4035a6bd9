//! A small trace of every format: what damage to files begins with.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::dumpi::{Field, RankWriter, meta};
use crate::{GenerateError, iterative, otf2};

/// A format that traces are read in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Text, one file.
    Paje,
    /// An archive with two locations.
    Otf2,
    /// JSON, one file.
    Chrome,
    /// Text with labels and names in files of their own.
    Paraver,
    /// Two ranks.
    Dumpi,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Paje, Self::Otf2, Self::Chrome, Self::Paraver, Self::Dumpi];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Paje => "Pajé",
            Self::Otf2 => "OTF2",
            Self::Chrome => "Chrome JSON",
            Self::Paraver => "Paraver",
            Self::Dumpi => "DUMPI",
        }
    }

    /// The format of this name: what it is called, or one word of that, in any case.
    pub fn named(name: &str) -> Option<Self> {
        let plain = |text: &str| text.to_lowercase().replace('é', "e");
        let is_named = |format: &Self| plain(format.name()).split(' ').any(|it| it == plain(name));
        Self::ALL.into_iter().find(is_named)
    }

    /// The names of the files of its small trace; the first is the one to open.
    pub fn files(self) -> &'static [&'static str] {
        match self {
            Self::Paje => &["trace.paje"],
            Self::Otf2 => &[
                "traces.otf2",
                "traces.def",
                "traces/0.evt",
                "traces/1.evt",
                "traces/0.def",
                "traces/1.def",
            ],
            Self::Chrome => &["trace.json"],
            Self::Paraver => &["trace.prv", "trace.pcf", "trace.row"],
            Self::Dumpi => &["dumpi-0.meta", "dumpi-0-0000.bin", "dumpi-0-0001.bin"],
        }
    }
}

/// Writes the small trace of a format into a folder, and gives the contents of its files in the order of
/// [`Format::files`].
pub fn write(format: Format, folder: &Path) -> Result<Vec<Vec<u8>>, GenerateError> {
    match format {
        Format::Paje => {
            let options = iterative::Options { procs: 2, events: 40, ..Default::default() };
            let mut text = Vec::new();
            iterative::write(&options, &mut text)?;
            put(folder, format, &[&text])?;
        }
        Format::Otf2 => {
            let options =
                otf2::Options { locations: 2, events: 60, mapped: true, ..Default::default() };
            otf2::write(&options, folder)?;
        }
        Format::Chrome => put(folder, format, &[CHROME])?,
        Format::Paraver => put(folder, format, &PARAVER)?,
        Format::Dumpi => {
            let ranks = [rank(1), rank(0)];
            put(folder, format, &[meta(2, "dumpi-0").as_bytes(), &ranks[0], &ranks[1]])?;
        }
    }
    let read = |name: &&str| fs::read(folder.join(name));
    Ok(format.files().iter().map(read).collect::<io::Result<_>>()?)
}

fn put(folder: &Path, format: Format, contents: &[&[u8]]) -> io::Result<()> {
    let places = format.files().iter().map(|name| folder.join(name));
    places.zip(contents).try_for_each(|(place, content): (PathBuf, _)| fs::write(place, content))
}

const CHROME: &[u8] = br#"[{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"worker"}},
{"ph":"B","pid":1,"tid":2,"ts":1,"name":"a"},{"ph":"E","pid":1,"tid":2,"ts":5},
{"ph":"X","pid":1,"tid":3,"ts":2,"dur":3,"name":"b","args":{"n":1}},
{"ph":"X","pid":1,"tid":3,"ts":2.5,"dur":1,"name":"c"},{"ph":"i","pid":1,"tid":3,"ts":3,"name":"mark","s":"t"},
{"ph":"s","id":7,"pid":1,"tid":2,"ts":2,"name":"f","cat":"c"},
{"ph":"f","id":7,"bp":"e","pid":1,"tid":3,"ts":3,"name":"f","cat":"c"},
{"ph":"b","id":"0x1","pid":1,"tid":2,"ts":1,"name":"op","cat":"c"},{"ph":"e","id":"0x1","pid":1,"tid":2,"ts":9,"name":"op","cat":"c"},
{"ph":"C","pid":1,"ts":4,"name":"m","args":{"v":2}},{"ph":"C","pid":1,"ts":6,"name":"m","args":{"v":3.5}}]
"#;

const PARAVER: [&[u8]; 3] = [
    b"#Paraver (15/11/2026 at 10:00):1000_ns:1(2):1:2(1:1,1:1),0\n1:1:1:1:1:0:500:1\n1:2:1:2:1:0:100:2\n2:2:1:2:1:100:7:1:8:44\n3:1:1:1:1:10:20:2:1:2:1:90:100:64:5\n1:1:1:1:1:500:1000:2\n",
    b"STATES\n1    Running\n2    Waiting\nEVENT_TYPE\n0    7    phase\nVALUES\n1    first\n",
    b"LEVEL TASK SIZE 2\na\nb\n",
];

/// A rank that sends to another and receives from it.
fn rank(other: i32) -> Vec<u8> {
    let (world, double) = (|| Field::Short(2), || Field::Short(14));
    let mut rank = RankWriter::new();
    rank.call(52, (1_000, 2_000), &[Field::Short(2)]);
    rank.call(
        0,
        (3_000, 4_000),
        &[Field::Int(77), double(), Field::Int(other), Field::Int(5), world()],
    );
    let receive =
        [Field::Int(77), double(), Field::Int(other), Field::Int(5), world(), Field::Int(1)];
    rank.call(12, (5_000, 6_000), &receive);
    rank.finish("host", &[(0x10, "main")])
}
