//! `onca-cluster export`: a data set in an object store. `onca export` writes it, or a shard of it, on
//! this machine; from there it goes to its place, and what seals it last.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use onca_model::Shard;
use onca_program::format::{byte_size, count_of, shown};
use onca_program::{Exit, Failure, print};
use onca_sql::{DatasetError, Folder, MANIFEST, PARTS, Part, is_dataset, seal_in};

use crate::{known, remote};

/// The variable that names the program that reads traces.
const VARIABLE: &str = "ONCA";

/// Write a trace as a data set, or copy one, into an object store or a folder
///
/// The program onca reads the trace; it is found beside this program, in the PATH, or where ONCA says.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A trace in any format that Onca reads, a store, or a data set of this machine
    #[arg(value_name = "TRACE", required_unless_present = "seal")]
    trace: Option<PathBuf>,

    /// Where: s3://BUCKET/PATH, or a folder
    #[arg(short, long, value_name = "URL|DIR")]
    output: String,

    /// Write this one of N shards only. All have the same place, and may be written at the same time
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,

    /// Check that all shards are there as they were written, and seal the data set
    #[arg(long, conflicts_with_all = ["trace", "shard"])]
    seal: bool,

    /// More options for "onca export", after "--"
    #[arg(last = true, value_name = "OPTION")]
    more: Vec<String>,
}

/// Writes, and tells how much.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    if !remote::is_address(&args.output) {
        return args.to_folder();
    }
    let to = known::folder(&args.output).map_err(Failure::Cannot)?;
    let Some(trace) = &args.trace else {
        return seal(&*to, &args.output);
    };
    vacant(&*to, args.shard)?;
    if is_dataset(trace) {
        if args.shard.is_some() || !args.more.is_empty() {
            let why = format!("{}: a data set goes as it is, without options", shown(trace));
            return Err(Failure::Cannot(why));
        }
        upload(trace, &*to)?;
        return seal(&*to, &args.output);
    }
    let here = tempfile::Builder::new().prefix("onca-export-").tempdir();
    let here = here.map_err(|error| Failure::Cannot(format!("cannot make a folder: {error}")))?;
    let written = here.path().join("set");
    let shard = args.shard.map_or_else(|| "1/1".to_owned(), |shard| shard.to_string());
    let mut export = args.export(&written);
    let exit = ended(export.args(["--shard", &shard]).arg("--").arg(trace).stdout(Stdio::null()))?;
    let bytes = upload(&written, &*to)?;
    match args.shard {
        None => seal(&*to, &args.output),
        Some(shard) => {
            let part = format!("shard {} of {}", shard.number(), shard.of());
            let bytes = byte_size(bytes);
            print(|out| writeln!(out, "{}: {part}, {bytes}", args.output))?;
            Ok(exit)
        }
    }
}

impl Args {
    /// Folders of this machine are for `onca` alone.
    fn to_folder(&self) -> Result<Exit, Failure> {
        let mut export = match &self.trace {
            Some(_) => self.export(Path::new(&self.output)),
            None => {
                let mut seal = Command::new(onca());
                seal.args(["export", "--seal", "-o", &self.output]);
                seal
            }
        };
        if let Some(shard) = self.shard {
            export.args(["--shard", &shard.to_string()]);
        }
        if let Some(trace) = &self.trace {
            export.arg("--").arg(trace);
        }
        ended(&mut export)
    }

    /// Lets `onca` read the trace.
    fn export(&self, to: &Path) -> Command {
        let mut export = Command::new(onca());
        export.args(["export", "--format", "dataset", "-o"]).arg(to).args(&self.more);
        export
    }
}

/// The program that reads traces.
fn onca() -> PathBuf {
    std::env::var_os(VARIABLE).map(PathBuf::from).unwrap_or_else(|| {
        let beside = std::env::current_exe().map(|own| own.with_file_name("onca"));
        beside.ok().filter(|beside| beside.is_file()).unwrap_or_else(|| "onca".into())
    })
}

/// Waits for a program, which says itself what is wrong.
fn ended(command: &mut Command) -> Result<Exit, Failure> {
    let status = command.status();
    let program = Path::new(command.get_program());
    match status.map(|status| status.code()) {
        Ok(Some(0)) => Ok(Exit::Fine),
        Ok(Some(1)) => Ok(Exit::Lost),
        Ok(_) => Err(Failure::Said),
        Err(error) => Err(Failure::Cannot(format!("{}: {error}", shown(program)))),
    }
}

/// Nothing is added to what is sealed, and no shard is written twice.
fn vacant(to: &dyn Folder, shard: Option<Shard>) -> Result<(), Failure> {
    let cannot = |error: DatasetError| Failure::Cannot(error.to_string());
    let names = match to.files() {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(cannot(DatasetError::Io(to.place(), error))),
    };
    if names.iter().any(|(name, _)| name == MANIFEST) {
        return Err(cannot(DatasetError::Sealed(to.place())));
    }
    let own = shard.map(|shard| Part::file_name(shard.number(), shard.of()));
    let parts = Part::all(to).map_err(cannot)?;
    match parts.into_keys().find(|name| own.as_ref().is_none_or(|own| own == name)) {
        Some(name) => Err(cannot(DatasetError::Doubled(to.place().join(PARTS).join(name)))),
        None => Ok(()),
    }
}

/// Copies the files of the tables, then the texts of the shards. Tells how many bytes.
fn upload(from: &Path, to: &dyn Folder) -> Result<u64, Failure> {
    let cannot =
        |path: &Path, error: io::Error| Failure::Cannot(format!("{}: {error}", shown(path)));
    let list = |folder: &Path| -> Result<Vec<PathBuf>, Failure> {
        let entries = fs::read_dir(folder).map_err(|error| cannot(folder, error))?;
        let mut paths = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<Vec<_>>>()
            .map_err(|error| cannot(folder, error))?;
        paths.sort();
        Ok(paths)
    };
    let mut folders: Vec<PathBuf> = list(from)?.into_iter().filter(|path| path.is_dir()).collect();
    // What says that the others are there comes after them.
    folders.sort_by_key(|folder| folder.ends_with(PARTS));
    let mut bytes = 0;
    for folder in folders {
        let Some(name) = folder.file_name().and_then(|name| name.to_str()) else { continue };
        let remote = to.folder(name);
        for path in list(&folder)? {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let content = fs::read(&path).map_err(|error| cannot(&path, error))?;
            remote
                .write(name, &content)
                .map_err(|error| cannot(&remote.place().join(name), error))?;
            bytes += content.len() as u64;
        }
    }
    Ok(bytes)
}

fn seal(to: &dyn Folder, address: &str) -> Result<Exit, Failure> {
    let manifest = seal_in(to).map_err(|error| Failure::Cannot(error.to_string()))?;
    let rows = count_of(manifest.files.iter().map(|file| file.rows).sum(), "row");
    let files = count_of(manifest.files.len() as u64, "file");
    let bytes = byte_size(manifest.files.iter().map(|file| file.bytes).sum());
    print(|out| writeln!(out, "{address}: {rows} in {files}, {bytes}, sealed"))?;
    Ok(Exit::from_lost(manifest.source.lost))
}
