//! Writes inputs to begin with: `seeds FOLDER` makes a folder for each target.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use onca_fuzz::{STORE_FILES, join, write};
use onca_generate::small::{self, Format};
use onca_read::{Progress, Source};
use onca_simulate::{DriveOptions, drive};
use onca_store::{BuildOptions, Fingerprint, StoreBuilder};

fn main() -> io::Result<()> {
    let place = std::env::args_os().nth(1).ok_or_else(|| io::Error::other("seeds FOLDER"))?;
    let place = Path::new(&place);
    for (target, format) in [
        ("paje", Format::Paje),
        ("otf2", Format::Otf2),
        ("chrome", Format::Chrome),
        ("paraver", Format::Paraver),
        ("dumpi", Format::Dumpi),
    ] {
        save(place, target, &trace(format)?)?;
    }
    save(place, "store", &store(&trace(Format::Paje)?)?)?;
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

/// The small trace of a format, as its target wants it.
fn trace(format: Format) -> io::Result<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    let contents = small::write(format, folder.path()).map_err(io::Error::other)?;
    Ok(match format {
        Format::Paje => contents.concat(),
        Format::Chrome => contents.concat()[1..].to_vec(),
        Format::Otf2 | Format::Paraver | Format::Dumpi => join(contents.iter().map(Vec::as_slice)),
    })
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
