//! Files of source code, only below the folders that the user named.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;

/// A file of source code is not longer than this.
const MOST_BYTES: u64 = 16 << 20;

/// The folders below which files may be read, held open: what their names lead to later does not
/// matter.
#[derive(Debug, Default)]
pub struct SourceRoots {
    roots: Vec<OwnedFd>,
}

/// How a file is opened: it may be anything, so nothing waits for it.
const OPEN: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

impl SourceRoots {
    /// Opens the folders.
    pub fn open(folders: &[impl AsRef<Path>]) -> io::Result<Self> {
        let open = |folder: &Path| {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            rustix::fs::open(folder, flags, Mode::empty()).map_err(|error| {
                let error = io::Error::from(error);
                io::Error::new(error.kind(), format!("{}: {error}", folder.display()))
            })
        };
        let roots =
            folders.iter().map(|folder| open(folder.as_ref())).collect::<io::Result<_>>()?;
        Ok(Self { roots })
    }

    /// May anything be read?
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// Reads the file that a trace calls so: the one below a folder whose path is the longest end
    /// of that name. Returns that path and the content; nothing if there is no such file.
    pub fn read(&self, name: &str) -> io::Result<Option<(String, Vec<u8>)>> {
        let parts = plain_parts(name);
        for first in 0..parts.len() {
            for root in &self.roots {
                if let Some(file) = open_beneath(root, &parts[first..])? {
                    return Ok(Some((parts[first..].join("/"), content(file)?)));
                }
            }
        }
        Ok(None)
    }
}

/// The parts of a path after the last that leads upwards.
fn plain_parts(name: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => parts.clear(),
            part if part.contains('\0') => return Vec::new(),
            part => parts.push(part),
        }
    }
    parts
}

/// Opens a regular file below a folder, whatever links are on the way; nothing if there is none.
fn open_beneath(root: &OwnedFd, parts: &[&str]) -> io::Result<Option<File>> {
    let opened = match open_resolved(root, parts) {
        Err(Errno::NOSYS) => walk(root, parts),
        other => other,
    };
    let file = match opened {
        Ok(file) => File::from(file),
        // Out of file descriptors or memory is no reason to say that there is no file.
        Err(error @ (Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::IO)) => {
            return Err(error.into());
        }
        Err(_) => return Ok(None),
    };
    Ok(file.metadata()?.is_file().then_some(file))
}

/// Lets the kernel see to it that no link leads out of the folder.
#[cfg(target_os = "linux")]
fn open_resolved(root: &OwnedFd, parts: &[&str]) -> rustix::io::Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};

    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    openat2(root, parts.join("/"), OPEN, Mode::empty(), resolve)
}

#[cfg(not(target_os = "linux"))]
fn open_resolved(_root: &OwnedFd, _parts: &[&str]) -> rustix::io::Result<OwnedFd> {
    Err(Errno::NOSYS)
}

/// Goes down one part at a time and follows no link at all.
fn walk(root: &OwnedFd, parts: &[&str]) -> rustix::io::Result<OwnedFd> {
    let Some((last, folders)) = parts.split_last() else { return Err(Errno::NOENT) };
    let mut at = root.try_clone().map_err(|_| Errno::MFILE)?;
    for part in folders {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        at = openat(&at, *part, flags, Mode::empty())?;
    }
    openat(&at, *last, OPEN | OFlags::NOFOLLOW, Mode::empty())
}

fn content(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the file is too long to show"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_longest_end_of_a_name_is_the_file() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("src");
        fs::create_dir_all(root.join("app")).unwrap();
        fs::write(root.join("main.c"), "outer").unwrap();
        fs::write(root.join("app/main.c"), "inner").unwrap();
        let roots = SourceRoots::open(&[&root]).unwrap();
        let read = |name: &str| roots.read(name).unwrap();
        let inner = Some(("app/main.c".to_owned(), b"inner".to_vec()));
        let outer = Some(("main.c".to_owned(), b"outer".to_vec()));
        assert_eq!(read("/home/somebody/src/app/main.c"), inner);
        assert_eq!(read("../../app/./main.c"), inner);
        assert_eq!(read("/other/main.c"), outer);
        assert_eq!(read("app"), None, "a folder is no file");
        assert_eq!(read("main.cc"), None);
    }

    /// A folder with a neighbour whose name begins alike, and links in it that lead out.
    fn trap() -> (tempfile::TempDir, SourceRoots) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("root");
        fs::create_dir_all(root.join("in")).unwrap();
        fs::create_dir(place.path().join("rootX")).unwrap();
        fs::write(place.path().join("secret"), "secret").unwrap();
        fs::write(place.path().join("rootX/secret"), "secret").unwrap();
        fs::write(root.join("in/fine"), "fine").unwrap();
        symlink("../secret", root.join("up")).unwrap();
        symlink(place.path().join("secret"), root.join("absolute")).unwrap();
        symlink("../rootX", root.join("sideways")).unwrap();
        symlink("/", root.join("top")).unwrap();
        let roots = SourceRoots::open(&[&root]).unwrap();
        (place, roots)
    }

    #[test]
    fn nothing_leads_out_of_a_folder() {
        let (place, roots) = trap();
        let outside = place.path().join("secret");
        let outside = outside.to_str().unwrap();
        let mut names: Vec<String> = ["up", "absolute", "sideways/secret", "top/etc/passwd"]
            .into_iter()
            .chain(["../secret", "../rootX/secret", "in/../../secret", "/etc/passwd", ""])
            .chain(["secret\0", "in/\0/../secret", "..", ".", "/", "%2e%2e/secret", "..\\secret"])
            .chain(["....//secret", "in/..%2f..%2fsecret", "/proc/self/environ", outside])
            .map(str::to_owned)
            .collect();
        names.extend((1..40).map(|depth| format!("{}secret", "../".repeat(depth))));
        names.extend((1..40).map(|depth| format!("in/{}secret", "../".repeat(depth))));
        for name in names {
            assert_eq!(roots.read(&name).unwrap(), None, "{name:?}");
        }
        assert!(roots.read("in/fine").unwrap().is_some());
    }

    #[test]
    fn the_walk_follows_no_link() {
        let (_place, roots) = trap();
        let root = &roots.roots[0];
        assert!(walk(root, &["in", "fine"]).is_ok());
        for parts in [&["up"][..], &["absolute"], &["sideways", "secret"], &["top", "etc"], &[]] {
            assert!(walk(root, parts).is_err(), "{parts:?}");
        }
    }
}
