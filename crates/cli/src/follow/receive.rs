//! Text that is sent: by a pipe, or to a socket.
//!
//! What comes is appended to a file beside the store, which is then followed like any other. It stays when
//! this process is killed, and goes when the store is built.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, ToSocketAddrs};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use onca_program::format::{byte_size, shown};
use onca_program::{Failure, is_full};
use onca_read::{Format, detect};
use onca_serve::{SocketFile, bind_socket, random_hex};

/// Who sends a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sender {
    /// Standard input.
    Pipe,
    /// Whoever connects to a socket in the file system that only the user can open.
    Unix(PathBuf),
    /// Whoever connects to an address and says the token first.
    Tcp(String),
}

/// How long whoever connects has to say the token.
const PATIENCE: Duration = Duration::from_secs(10);
/// How much is read at once.
const PIECE: usize = 1 << 18;

impl Sender {
    /// What a user names, if it is no file.
    pub fn named(trace: &Path) -> Result<Option<Self>, Failure> {
        let text = trace.to_str().unwrap_or_default();
        if text == "-" {
            return Ok(Some(Self::Pipe));
        }
        if let Some(path) = text.strip_prefix("unix:") {
            return Ok(Some(Self::Unix(PathBuf::from(path))));
        }
        let Some(address) = text.strip_prefix("tcp:") else { return Ok(None) };
        match address.rsplit_once(':') {
            Some((_, port)) if port.parse::<u16>().is_ok() => {
                Ok(Some(Self::Tcp(address.to_owned())))
            }
            _ => {
                Err(Failure::Cannot(format!("{text}: write tcp:HOST:PORT, as tcp:127.0.0.1:7000")))
            }
        }
    }
}

/// A trace that is being received.
pub struct Receiving {
    kept: PathBuf,
    /// How it ended, if it has.
    ended: Arc<OnceLock<io::Result<()>>>,
    /// The socket goes when this does.
    _socket: Option<SocketFile>,
}

impl Receiving {
    /// Begins to receive, for a store at `place`.
    pub fn begin(sender: &Sender, place: &Path) -> Result<Self, Failure> {
        let mut kept = place.as_os_str().to_owned();
        kept.push(".stream");
        let kept = PathBuf::from(kept);
        let cannot = |error: io::Error| Failure::Cannot(format!("{}: {error}", shown(&kept)));
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).append(true).create(true).mode(0o600).open(&kept).map_err(cannot)?;
        go_on(&mut file, &kept).map_err(cannot)?;
        let ended = Arc::new(OnceLock::new());
        let (source, socket) = Source::open(sender)?;
        let told = Arc::clone(&ended);
        let receive = move || told.get_or_init(|| source.copy_to(&mut file)).is_ok();
        std::thread::Builder::new().spawn(receive).map_err(cannot)?;
        Ok(Self { kept, ended, _socket: socket })
    }

    /// The file that has all that came.
    pub fn kept(&self) -> &Path {
        &self.kept
    }

    /// Will nothing more come? If what comes cannot be kept, it must not look complete.
    pub fn has_ended(&self) -> Result<bool, Failure> {
        let Some(Err(error)) = self.ended.get() else { return Ok(self.ended.get().is_some()) };
        let kept = shown(&self.kept);
        Err(match is_full(error) {
            true => Failure::Limit(format!(
                "{kept}: no room for more of what is sent ({error}); what came before is in it"
            )),
            false => Failure::Cannot(format!(
                "{kept}: {error}; no more is received, and what came before is in it"
            )),
        })
    }

    /// The store has it all: the text goes.
    pub fn forget(self) {
        // It does no harm if it stays.
        let _ = std::fs::remove_file(&self.kept);
    }
}

/// Looks at what an earlier process has kept, and cuts a line that it did not get whole.
fn go_on(file: &mut File, path: &Path) -> io::Result<()> {
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok(());
    }
    let whole = whole_part(file, length)?;
    file.set_len(whole)?;
    let cut = match length - whole {
        0 => String::new(),
        cut => format!(" and {cut} bytes of a line that was cut, which are left out"),
    };
    eprintln!(
        "warning: {} has {} of an earlier stream{cut}; what was sent since then is missing",
        shown(path),
        byte_size(whole)
    );
    Ok(())
}

/// How many bytes of a file count, if nothing more comes. Only of Pajé must a line be whole: others have no lines, and
/// readers that find where the next event begins.
fn whole_part(file: &File, length: u64) -> io::Result<u64> {
    let mut head = vec![0; PIECE.min(usize::try_from(length).unwrap_or(PIECE))];
    file.read_exact_at(&mut head, 0)?;
    match detect(&head) {
        Format::Chrome | Format::Onct => Ok(length),
        _ => whole_lines(file, length),
    }
}

/// How many bytes of a file are whole lines.
fn whole_lines(file: &File, length: u64) -> io::Result<u64> {
    let mut buffer = vec![0; PIECE];
    let mut end = length;
    while end > 0 {
        let start = end.saturating_sub(PIECE as u64);
        let piece = &mut buffer[..(end - start) as usize];
        file.read_exact_at(piece, start)?;
        if let Some(newline) = memchr::memrchr(b'\n', piece) {
            return Ok(start + newline as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Where bytes come from.
enum Source {
    Pipe,
    Unix(std::os::unix::net::UnixListener),
    Tcp(TcpListener, String),
}

impl Source {
    fn open(sender: &Sender) -> Result<(Self, Option<SocketFile>), Failure> {
        match sender {
            Sender::Pipe => Ok((Self::Pipe, None)),
            Sender::Unix(path) => {
                let cannot = |error| Failure::Cannot(format!("unix:{}: {error}", shown(path)));
                let (listener, file) = bind_socket(path).map_err(cannot)?;
                listener.set_nonblocking(false).map_err(cannot)?;
                Ok((Self::Unix(listener), Some(file)))
            }
            Sender::Tcp(address) => {
                let cannot = |error: io::Error| Failure::Cannot(format!("tcp:{address}: {error}"));
                let token = random_hex::<16>().map_err(cannot)?;
                let named: Vec<_> = address.to_socket_addrs().map_err(cannot)?.collect();
                let listener = TcpListener::bind(&named[..]).map_err(cannot)?;
                let own = listener.local_addr().map_err(cannot)?;
                eprintln!("send the trace to {own}; the first line must be {token}");
                if !own.ip().is_loopback() {
                    eprintln!(
                        "warning: EVERYBODY WHO CAN REACH {own} CAN TRY TO CONNECT, AND NOTHING IS ENCRYPTED"
                    );
                }
                Ok((Self::Tcp(listener, token), None))
            }
        }
    }

    /// Copies all that comes: of a pipe until it ends, of sockets from one writer after the other.
    fn copy_to(self, file: &mut File) -> io::Result<()> {
        match self {
            Self::Pipe => copy(io::stdin().lock(), file),
            Self::Unix(listener) => loop {
                let (stream, _) = listener.accept()?;
                receive(stream, file)?;
            },
            Self::Tcp(listener, token) => loop {
                let (stream, peer) = listener.accept()?;
                let patience = stream.set_read_timeout(Some(PATIENCE));
                let mut reader = BufReader::new(stream);
                if patience.is_err() || !says(&mut reader, &token) {
                    eprintln!("warning: {peer} did not say the token; it is not listened to");
                    continue;
                }
                reader.get_ref().set_read_timeout(None)?;
                receive(reader, file)?;
            },
        }
    }
}

/// Does the first line have the token?
fn says(reader: &mut impl BufRead, token: &str) -> bool {
    let mut line = Vec::new();
    let most = token.len() as u64 + 2;
    let read = reader.take(most).read_until(b'\n', &mut line);
    let said = line.strip_suffix(b"\n").unwrap_or_default();
    let said = said.strip_suffix(b"\r").unwrap_or(said);
    // How long this takes tells nothing: every byte is looked at.
    let differs = said.iter().zip(token.bytes()).fold(0, |differs, (&a, b)| differs | (a ^ b));
    read.is_ok() && said.len() == token.len() && differs == 0
}

/// Copies what one writer sends. One that breaks off does not end it, and half a line of it is cut.
fn receive(stream: impl Read, file: &mut File) -> io::Result<()> {
    match copy(stream, file) {
        Err(error) if is_of_writer(&error) => {
            eprintln!("warning: the writer has broken off: {error}")
        }
        copied => copied?,
    }
    let length = file.metadata()?.len();
    let whole = whole_part(file, length)?;
    if whole < length {
        eprintln!(
            "warning: the writer has ended in the middle of a line; {} bytes are left out",
            length - whole
        );
        file.set_len(whole)?;
    }
    Ok(())
}

fn is_of_writer(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::TimedOut
            | ErrorKind::BrokenPipe
    )
}

fn copy(mut from: impl Read, file: &mut File) -> io::Result<()> {
    let mut buffer = vec![0; PIECE];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(n) => file.write_all(&buffer[..n])?,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
