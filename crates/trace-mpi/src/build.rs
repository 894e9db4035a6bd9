//! The wrapper, built for the MPI of a site and kept.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::generate::source;

/// The recorder, `libonca_trace.so`.
const RECORDER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libonca_trace.so"));
const HEADER: &str = include_str!("../../trace/include/onca_trace.h");

/// Links that are followed from a launcher.
const MOST_LINKS: usize = 16;

/// A wrapper that is ready to be loaded before a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrapper {
    /// `libonca_mpi.so`.
    pub library: PathBuf,
    /// It was built just now.
    pub is_new: bool,
}

/// Why there is no wrapper.
#[derive(Debug)]
pub enum BuildError {
    /// The compiler cannot be started.
    NoCompiler(PathBuf, io::Error),
    /// The compiler says no.
    Refused {
        /// What was started.
        command: String,
        /// What it said.
        said: String,
    },
    /// A file cannot be written.
    File(PathBuf, io::Error),
    /// The table of calls is wrong.
    Table(String),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCompiler(path, error) => {
                write!(f, "the compiler of MPI, {}, cannot be started: {error}", path.display())
            }
            Self::Refused { command, said } => {
                write!(
                    f,
                    "the wrapper of MPI cannot be compiled:\n  {command}\n{}",
                    said.trim_end()
                )
            }
            Self::File(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Table(line) => write!(f, "the table of calls is wrong: {line}"),
        }
    }
}

impl std::error::Error for BuildError {}

/// The compiler that belongs to a launcher such as `mpirun`, by where that lies and what it is called: `mpirun.mpich` has
/// `mpicc.mpich` beside it. Links are followed, because a site may choose among several with them; the first that has a
/// compiler of its own decides.
pub fn compiler_beside(launcher: &Path) -> Option<PathBuf> {
    let next = |path: &PathBuf| Some(path.parent()?.join(fs::read_link(path).ok()?));
    let names = std::iter::successors(Some(launcher.to_owned()), next).take(MOST_LINKS);
    let of_kind = |path: PathBuf| {
        let (_, kind) = path.file_name()?.to_str()?.split_once('.')?;
        Some(path.with_file_name(format!("mpicc.{kind}")))
    };
    let is_there = |path: &PathBuf| path.is_file();
    let of_kind = names.filter_map(of_kind).find(is_there);
    let real = launcher.canonicalize().ok();
    let plain = [Some(launcher), real.as_deref()].into_iter().flatten();
    of_kind.or_else(|| plain.map(|path| path.with_file_name("mpicc")).find(is_there))
}

/// The wrapper for the MPI of a compiler, which is built into a folder below the cache unless it is there.
pub fn build(mpicc: &Path, cache: &Path) -> Result<Wrapper, BuildError> {
    let source = source().map_err(BuildError::Table)?;
    // It is started in another folder, and by this very name: compilers of MPI look at it.
    let absolute = std::path::absolute(mpicc);
    let mpicc = &absolute.map_err(|error| BuildError::NoCompiler(mpicc.to_owned(), error))?;
    let folder = cache.join(format!("mpi-{:016x}", key(mpicc, &source)?));
    let library = folder.join("libonca_mpi.so");
    if library.is_file() {
        return Ok(Wrapper { library, is_new: false });
    }
    let made = Unfinished::below(cache)?;
    let write = |name: &str, bytes: &[u8]| {
        let path = made.0.join(name);
        fs::write(&path, bytes).map_err(|error| BuildError::File(path, error))
    };
    write("onca_mpi.c", source.as_bytes())?;
    write("onca_trace.h", HEADER.as_bytes())?;
    write("libonca_trace.so", RECORDER)?;
    let mut compiler = Command::new(mpicc);
    compiler.args(["-std=gnu11", "-O2", "-fPIC", "-shared", "-pthread", "-I."]);
    compiler.args(["onca_mpi.c", "-o", "libonca_mpi.so", "-L.", "-lonca_trace", "-ldl"]);
    let mut place = OsString::from("-Wl,-rpath,");
    place.push(&folder);
    compiler.arg(place).current_dir(&made.0);
    let output =
        compiler.output().map_err(|error| BuildError::NoCompiler(mpicc.to_owned(), error))?;
    if !output.status.success() {
        let command = format!("{compiler:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(BuildError::Refused { command, said });
    }
    match fs::rename(&made.0, &folder) {
        Ok(()) => {}
        // Somebody else was faster.
        Err(_) if library.is_file() => {}
        Err(error) => return Err(BuildError::File(folder, error)),
    }
    Ok(Wrapper { library, is_new: true })
}

/// What makes a wrapper differ from another: the compiler and its MPI, and what is compiled.
fn key(mpicc: &Path, source: &str) -> Result<u64, BuildError> {
    let cannot = |error| BuildError::NoCompiler(mpicc.to_owned(), error);
    let real = mpicc.canonicalize().map_err(cannot)?;
    let about = real.metadata().map_err(cannot)?;
    // Both Open MPI and MPICH print what they would start.
    let shown = Command::new(mpicc).arg("-show").output().map_err(cannot)?;
    let mut hasher = DefaultHasher::new();
    (mpicc, &real, about.size(), about.mtime(), shown.stdout).hash(&mut hasher);
    (source, HEADER, RECORDER).hash(&mut hasher);
    Ok(hasher.finish())
}

/// A folder that is removed unless it gets its name.
struct Unfinished(PathBuf);

impl Unfinished {
    fn below(cache: &Path) -> Result<Self, BuildError> {
        let path = cache.join(format!("mpi-unfinished-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|error| BuildError::File(path.clone(), error))?;
        Ok(Self(path))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // It is not there any more where all went well.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_lies_beside_the_launcher() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for name in ["mpirun.mpich", "mpicc.mpich", "mpicc.openmpi", "mpiexec"] {
            fs::write(path(name), "").expect("a file");
        }
        let link =
            |to: &str, name: &str| std::os::unix::fs::symlink(to, path(name)).expect("a link");
        // A launcher may be a link to what several names share.
        fs::write(path("orterun"), "").expect("a file");
        link("orterun", "mpirun.openmpi");
        link("mpirun.mpich", "chosen");
        link("chosen", "mpirun");
        assert_eq!(compiler_beside(&path("mpirun.openmpi")), Some(path("mpicc.openmpi")));
        assert_eq!(compiler_beside(&path("mpirun")), Some(path("mpicc.mpich")));
        assert_eq!(compiler_beside(&path("mpiexec")), None);
        fs::write(path("mpicc"), "").expect("a file");
        assert_eq!(compiler_beside(&path("mpiexec")), Some(path("mpicc")));
        assert_eq!(compiler_beside(&path("mpirun.openmpi")), Some(path("mpicc.openmpi")));
    }

    #[test]
    fn a_compiler_that_refuses_is_told_with_its_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let refused = build(Path::new("/bin/false"), folder.path());
        assert!(matches!(refused, Err(BuildError::Refused { .. })), "{refused:?}");
        let none = build(&folder.path().join("mpicc"), folder.path());
        assert!(matches!(none, Err(BuildError::NoCompiler(..))), "{none:?}");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
