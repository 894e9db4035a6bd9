//! Writes inputs to begin with: `seeds FOLDER` makes a folder for each target.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use onca_fuzz::{OTF2_FILES, STORE_FILES, join, write};
use onca_generate::dumpi::{RankWriter, meta};
use onca_generate::{iterative, otf2};
use onca_read::{Progress, Source};
use onca_simulate::{DriveOptions, drive};
use onca_store::{BuildOptions, Fingerprint, StoreBuilder};

fn main() -> io::Result<()> {
    let place = std::env::args_os().nth(1).ok_or_else(|| io::Error::other("seeds FOLDER"))?;
    let place = Path::new(&place);
    let paje = paje();
    save(place, "paje", &paje)?;
    save(place, "store", &store(&paje)?)?;
    save(place, "otf2", &archive()?)?;
    save(place, "chrome", br#"{"ph":"B","pid":1,"tid":2,"ts":1,"name":"a"},{"ph":"E","pid":1,"tid":2,"ts":5},
{"ph":"X","pid":1,"tid":3,"ts":2,"dur":3,"name":"b","args":{"n":1}},{"ph":"s","id":7,"pid":1,"tid":2,"ts":2,"name":"f","cat":"c"},
{"ph":"f","id":7,"bp":"e","pid":1,"tid":3,"ts":3,"name":"f","cat":"c"},{"ph":"C","pid":1,"ts":4,"name":"m","args":{"v":2}}]"#)?;
    let prv = b"#Paraver (15/11/2026 at 10:00):1000_ns:1(2):1:2(1:1,1:1),0\n1:1:1:1:1:0:500:1\n2:2:1:2:1:100:7:1\n3:1:1:1:1:10:20:2:1:2:1:90:100:64:5\n";
    save(
        place,
        "paraver",
        &join([prv.as_slice(), b"STATES\n1    Running\n", b"LEVEL TASK SIZE 2\na\nb\n"]),
    )?;
    let rank = RankWriter::new().finish("here", &[]);
    save(place, "dumpi", &join([meta(2, "dumpi-0").as_bytes(), &rank, &rank]))?;
    save(place, "dot", b"graph g { a [pos=\"1,2\"]; a -- b [bandwidth=\"1Gbps\", latency=\"5us\"]; subgraph c { d } }")?;
    save(
        place,
        "lens",
        br#"{"version": 1, "select": {"values": {"hide": ["MPI_*"]}}, "min_duration": "2us"}"#,
    )
}

fn save(place: &Path, target: &str, seed: &[u8]) -> io::Result<()> {
    let folder = place.join(target);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("seed"), seed)
}

fn paje() -> Vec<u8> {
    let options = iterative::Options { procs: 2, events: 40, ..iterative::Options::default() };
    let mut text = Vec::new();
    iterative::write(&options, &mut text).expect("a small trace");
    text
}

fn archive() -> io::Result<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    let options =
        otf2::Options { locations: 2, events: 60, mapped: true, ..otf2::Options::default() };
    otf2::write(&options, folder.path()).map_err(|error| io::Error::other(error.to_string()))?;
    let contents = OTF2_FILES.map(|name| fs::read(folder.path().join(name)).unwrap_or_default());
    Ok(join(contents.iter().map(Vec::as_slice)))
}

fn store(paje: &[u8]) -> io::Result<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    let trace = write(folder.path(), &["trace.paje"], &[paje]);
    let place = folder.path().join("trace.onca");
    let progress = Arc::new(Progress::default());
    let made = drive(&Source::new(&trace[0]), &DriveOptions::default(), &progress, || {
        StoreBuilder::create(&place, &BuildOptions::default())
    });
    let made = made.map_err(|error| io::Error::other(error.to_string()))?;
    let built = made.sink.finish(&made.catalog, &Fingerprint::default(), &Default::default());
    built.map_err(|error| io::Error::other(error.to_string()))?;
    let contents = STORE_FILES.map(|name| fs::read(place.join(name)).unwrap_or_default());
    Ok(join(contents.iter().map(Vec::as_slice)))
}
