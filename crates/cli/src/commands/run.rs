//! `onca run`: a program that records itself, and the trace of all its processes.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use onca_trace_mpi::{BuildError, build, compiler_beside};

use super::view;
use crate::place::{cache_dir, make_private_dir};
use crate::trace::ReadArgs;
use onca_program::format::shown;
use onca_program::{Exit, Failure, outlasting_interrupts};

/// Run a program that records itself, and show its trace
///
/// Calls of MPI are recorded without compiling the program again: a library is loaded before its MPI, which is built once by the
/// mpicc that belongs to mpirun, and kept. Programs that use onca-trace record what they say. The files of all processes
/// come into one folder, and the page shows the program while it runs. The exit status is that of the program.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca run -- mpirun -n 4 ./stencil 1000
  onca run --view-after -- mpirun -n 4 ./stencil 1000        nothing else runs beside it
  onca run --output run-7 --no-view -- mpirun.mpich -n 4 ./stencil
  onca run --mpicc /opt/mpi/bin/mpicc -- srun -n 64 ./stencil
  onca run -- ./program-that-uses-onca-trace")]
pub struct Args {
    /// The folder of the trace, which is made; trace-1, trace-2, ... by default
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Do not show the trace, only tell where it is
    #[arg(long)]
    no_view: bool,

    /// Show the trace only when the program has ended: until then, it has the machine for itself
    #[arg(long, conflicts_with = "no_view")]
    view_after: bool,

    /// The compiler of the program's MPI; the one beside mpirun, or in the PATH, by default
    #[arg(long, value_name = "PATH")]
    mpicc: Option<PathBuf>,

    #[command(flatten)]
    place: view::PlaceArgs,

    #[command(flatten)]
    read: ReadArgs,

    /// What to run, with its arguments
    #[arg(
        required = true,
        value_name = "COMMAND",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    command: Vec<OsString>,
}

/// Runs the program, and shows what it recorded.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let Some((name, arguments)) = args.command.split_first() else {
        return Err(Failure::Cannot("name a program to run".to_owned()));
    };
    let program = found(name).ok_or_else(|| {
        let name = name.to_string_lossy();
        Failure::Cannot(format!("there is no program \"{name}\" that can be run"))
    })?;
    let launcher = Launcher::of(&program);
    let wrapper = wrapper(args, &program, launcher.is_some())?;
    let folder = new_folder(args.output.as_deref())?;
    let cannot = |error: io::Error| {
        folder.remove_if_empty();
        Failure::Cannot(format!("{}: {error}", shown(&program)))
    };
    let command = recorded(&folder, &program, arguments, launcher, wrapper.as_deref());
    let mut command = command.map_err(cannot)?;
    // Who ends the program that way wants to see what it did.
    outlasting_interrupts(|| {
        let mut child = command.spawn().map_err(cannot)?;
        let status = match args.no_view || args.view_after {
            true => Some(child.wait().map_err(cannot)?),
            false => wait_for_records(&mut child, &folder).map_err(cannot)?,
        };
        match status {
            Some(status) => after(args, &folder, status, wrapper.is_some()),
            None => beside(args, &folder, child),
        }
    })
}

/// How long a program runs before it is shown: what ends earlier is shown whole.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// Waits until the program has ended, or runs for a while and has recorded something.
fn wait_for_records(child: &mut Child, folder: &Folder) -> io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        let status = child.try_wait()?;
        if status.is_some() || started.elapsed() >= SHOWN_AFTER && !folder.traces().is_empty() {
            return Ok(status);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Shows a program while it runs, and then its trace.
fn beside(args: &Args, folder: &Folder, mut child: Child) -> Result<Exit, Failure> {
    let ended = Arc::new(AtomicBool::new(false));
    let path = folder.path.clone();
    let (flag, place) = (Arc::clone(&ended), shown(&path));
    let waiting = std::thread::Builder::new().spawn(move || {
        let status = child.wait();
        flag.store(true, Ordering::Release);
        if let Some(status) = status.as_ref().ok().filter(|status| !status.success()) {
            eprintln!("{}", said(*status));
        }
        eprintln!("the program has ended; {place} has its trace. Ctrl-C ends the page");
        status
    });
    let cannot = |error: io::Error| Failure::Cannot(error.to_string());
    let waiting = waiting.map_err(cannot)?;
    let viewed = view::open_running(&path, Arc::clone(&ended), &args.read, &args.place);
    let status = waiting.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    viewed?;
    Ok(exit_of(status.map_err(cannot)?))
}

/// Tells of a program that has ended, and shows its trace if that is wanted.
fn after(args: &Args, folder: &Folder, status: ExitStatus, is_mpi: bool) -> Result<Exit, Failure> {
    let n_files = folder.traces().len();
    let ended = said(status);
    if n_files == 0 {
        folder.remove_if_empty();
        let why = match is_mpi {
            true => {
                "it may never call MPI_Init, be linked with another MPI than the compiler, or be \
                 linked statically"
            }
            false => "it does not use onca-trace; for MPI name its compiler with --mpicc",
        };
        let message = format!("the program recorded nothing: {why}");
        return match status.success() {
            true => Err(Failure::Cannot(message)),
            false => {
                eprintln!("{ended}\n{message}");
                Ok(Exit::Program(code(status)))
            }
        };
    }
    if !status.success() {
        eprintln!("{ended}");
    }
    let name = shown(&folder.path);
    let files = if n_files == 1 { "process" } else { "processes" };
    eprintln!("{name} has the trace of {n_files} {files}");
    if args.no_view {
        eprintln!("  onca view {name}\n  onca info {name}");
    } else {
        view::open(&folder.path, &args.read, &args.place)?;
    }
    Ok(exit_of(status))
}

/// The exit status is that of the program.
fn exit_of(status: ExitStatus) -> Exit {
    if status.success() { Exit::Fine } else { Exit::Program(code(status)) }
}

/// A program that is named by a path, or lies in the `PATH`.
fn found(name: &OsStr) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
    };
    if name.as_encoded_bytes().contains(&b'/') {
        return Some(PathBuf::from(name)).filter(is_program);
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(is_program)
}

/// How somebody who starts the processes of a parallel program hands variables to them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Launcher {
    /// `-x NAME=VALUE`: Open MPI.
    OpenMpi,
    /// `-genv NAME VALUE`: MPICH and its relatives.
    Hydra,
    /// It hands on its own.
    Inherited,
}

impl Launcher {
    /// The launcher that a program is, if it is one.
    fn of(program: &Path) -> Option<Self> {
        let name = program.file_name()?.to_str()?;
        let name = name.split('.').next().unwrap_or(name);
        match name {
            "mpirun" | "mpiexec" | "orterun" | "prterun" | "oshrun" => {}
            "srun" | "aprun" | "jsrun" => return Some(Self::Inherited),
            _ => return None,
        }
        let mut asked = Command::new(program);
        asked.arg("--version").stdin(Stdio::null());
        let told = asked.output().map(|output| output.stdout).unwrap_or_default();
        let told = String::from_utf8_lossy(&told).into_owned();
        let says = |words: &[&str]| words.iter().any(|word| told.contains(word));
        Some(match () {
            () if says(&["Open MPI", "OpenRTE", "PRRTE"]) => Self::OpenMpi,
            () if says(&["HYDRA", "MPICH", "Intel(R) MPI", "MVAPICH"]) => Self::Hydra,
            () => Self::Inherited,
        })
    }

    /// What its command line begins with, so that processes get a variable, on other machines too.
    fn hand_on(self, name: &str, value: &OsStr) -> Vec<OsString> {
        match self {
            Self::OpenMpi => {
                let mut pair = OsString::from(format!("{name}="));
                pair.push(value);
                vec!["-x".into(), pair]
            }
            Self::Hydra => vec!["-genv".into(), name.into(), value.to_owned()],
            Self::Inherited => Vec::new(),
        }
    }
}

/// The library that records calls of MPI, if the program has to do with MPI.
fn wrapper(args: &Args, program: &Path, is_launcher: bool) -> Result<Option<PathBuf>, Failure> {
    let mpicc =
        match &args.mpicc {
            Some(named) => {
                let path = found(named.as_os_str());
                Some(path.ok_or_else(|| {
                    Failure::Cannot(format!("there is no compiler {}", shown(named)))
                })?)
            }
            None if is_launcher => compiler_beside(program).or_else(|| found(OsStr::new("mpicc"))),
            None if is_linked_with_mpi(program) => found(OsStr::new("mpicc")),
            None => return Ok(None),
        };
    let Some(mpicc) = mpicc else {
        return Err(Failure::Cannot(format!(
            "there is no mpicc beside {} or in the PATH, with which the library that records MPI is \
             built; name it with --mpicc (Debian has it in libopenmpi-dev and libmpich-dev)",
            shown(program)
        )));
    };
    let cache = cache_dir().ok_or_else(|| {
        Failure::Cannot("neither HOME nor XDG_CACHE_HOME names a folder".to_owned())
    })?;
    make_private_dir(&cache)
        .map_err(|error| Failure::Cannot(format!("{}: {error}", shown(&cache))))?;
    let wrapper = build(&mpicc, &cache).map_err(|error| match error {
        BuildError::Refused { command, said } => {
            eprintln!("{command}\n{}", said.trim_end());
            Failure::Cannot("the library that records MPI cannot be compiled".to_owned())
        }
        other => Failure::Cannot(other.to_string()),
    })?;
    if wrapper.is_new {
        eprintln!("built the library that records MPI with {}", shown(&mpicc));
    }
    Ok(Some(wrapper.library))
}

/// Does a program that nobody launches, and so runs alone, name a library of MPI?
fn is_linked_with_mpi(program: &Path) -> bool {
    let Ok(bytes) = std::fs::read(program) else { return false };
    let names = [&b"libmpi.so"[..], b"libmpich.so", b"libmpi_", b"libmpifort.so"];
    bytes.starts_with(b"\x7fELF")
        && names.iter().any(|name| memchr::memmem::find(&bytes, name).is_some())
}

/// The folder that the files of processes come into.
struct Folder {
    path: PathBuf,
}

fn new_folder(named: Option<&Path>) -> Result<Folder, Failure> {
    let cannot =
        |path: &Path, error: &io::Error| Failure::Cannot(format!("{}: {error}", shown(path)));
    let Some(path) = named else {
        for number in 1u32.. {
            let path = PathBuf::from(format!("trace-{number}"));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Folder { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(cannot(&path, &error)),
            }
        }
        return Err(Failure::Cannot("all folders trace-1, trace-2, ... are there".to_owned()));
    };
    std::fs::create_dir_all(path).map_err(|error| cannot(path, &error))?;
    let folder = Folder { path: path.to_owned() };
    match folder.traces().is_empty() {
        true => Ok(folder),
        false => Err(Failure::Cannot(format!(
            "{} has the trace of another run; name another folder",
            shown(path)
        ))),
    }
}

impl Folder {
    /// The files of processes.
    fn traces(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        let is_trace = |path: &PathBuf| path.extension().is_some_and(|it| it == "onct");
        entries.map(|entry| entry.path()).filter(is_trace).collect()
    }

    fn remove_if_empty(&self) {
        // What is not empty stays.
        let _ = std::fs::remove_dir(&self.path);
    }
}

/// The program, told to record what it does.
fn recorded(
    folder: &Folder,
    program: &Path,
    arguments: &[OsString],
    launcher: Option<Launcher>,
    wrapper: Option<&Path>,
) -> io::Result<Command> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let run = format!("{}-{}", since.as_nanos(), std::process::id());
    let folder = folder.path.canonicalize()?;
    let mut variables = vec![
        ("ONCA_TRACE_FILE", folder.join("process-%r-%p.onct").into_os_string()),
        ("ONCA_TRACE_RUN", OsString::from(run)),
    ];
    if let Some(wrapper) = wrapper {
        let mut preload = wrapper.as_os_str().to_owned();
        if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|it| !it.is_empty()) {
            preload.push(":");
            preload.push(others);
        }
        variables.push(("LD_PRELOAD", preload));
    }
    let mut command = Command::new(program);
    let launcher = launcher.unwrap_or(Launcher::Inherited);
    for (name, value) in &variables {
        let handed = launcher.hand_on(name, value);
        if handed.is_empty() {
            command.env(name, value);
        }
        command.args(handed);
    }
    command.args(arguments);
    Ok(command)
}

/// How the program ended.
fn said(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("the program ended with status {code}"),
        (None, Some(signal)) => format!("the program was ended by signal {signal}"),
        (None, None) => "the program ended".to_owned(),
    }
}

/// The exit status that tells of another, as shells do.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(1);
    u8::try_from(code & 0xff).unwrap_or(1)
}
