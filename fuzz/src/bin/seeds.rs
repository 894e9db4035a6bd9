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
    save(place, "onct", &recorded()?)?;
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

/// What a program with one of everything records.
fn recorded() -> io::Result<Vec<u8>> {
    use onca_trace::{Container, ContainerType, Field, FieldValue};
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("trace.onct");
    onca_trace::open(&path)?;
    let process = ContainerType::ROOT.container_type("Process");
    let (doing, mark) = (process.state_type("Doing"), process.event_type("Mark"));
    let message = ContainerType::ROOT.link_type("Message", process, process).value("m");
    let me = Container::ROOT.create(process, "p");
    me.push(doing.value("a"));
    me.set(doing.value("b"));
    me.pop(doing);
    me.reset(doing);
    let fields = [FieldValue::Text("text"), FieldValue::Int(-3), FieldValue::Double(0.5)];
    me.event_with(mark.value("e"), &fields.map(|value| Field::new("field").is(value)));
    me.set_variable(process.variable_type("Load"), 2.0);
    me.start_link(message, 7, Some(9));
    me.end_link(message, 7, None);
    me.destroy();
    onca_trace::close()?;
    fs::read(path)
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
