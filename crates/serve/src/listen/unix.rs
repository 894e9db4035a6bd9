//! Sockets in the file system.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// The socket goes when this does.
#[derive(Debug)]
pub struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Nothing more can be done about it.
        let _ = fs::remove_file(&self.0);
    }
}

/// Listens on a socket that only the user may open. It is made in a private folder and then moved
/// to its place, so that it is never open to others.
pub fn bind(path: &Path) -> io::Result<(UnixListener, SocketFile)> {
    make_room(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let private = tempfile::Builder::new()
        .prefix(".onca-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(folder.unwrap_or(Path::new(".")))?;
    let made = private.path().join("s");
    let listener = UnixListener::bind(&made)?;
    listener.set_nonblocking(true)?;
    fs::set_permissions(&made, Permissions::from_mode(0o600))?;
    fs::rename(&made, path)?;
    Ok((listener, SocketFile(path.to_owned())))
}

/// Removes a socket on which nobody listens any more, and nothing else.
fn make_room(path: &Path) -> io::Result<()> {
    let taken = |why: &str| io::Error::new(ErrorKind::AlreadyExists, why);
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if !found.file_type().is_socket() {
        return Err(taken("there is something that is no socket; it is left alone"));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => fs::remove_file(path),
        _ => Err(taken("another program listens there")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_user_may_open_it_and_it_goes() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("onca.socket");
        let (_listener, file) = bind(&path).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(UnixStream::connect(&path).is_ok());
        assert_eq!(bind(&path).unwrap_err().kind(), ErrorKind::AlreadyExists);
        drop(file);
        assert!(!path.exists());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_no_socket_stays_and_a_dead_socket_goes() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("onca.socket");
        fs::write(&path, "precious").unwrap();
        assert_eq!(bind(&path).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
        fs::remove_file(&path).unwrap();
        drop(UnixListener::bind(&path).unwrap());
        assert!(bind(&path).is_ok());
    }
}
