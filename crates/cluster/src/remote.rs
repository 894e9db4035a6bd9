//! Folders in object stores. Who asks waits: the work is done by threads of its own, so that it does
//! not matter what kind of thread asks.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use futures::executor::block_on;
use object_store::aws::AmazonS3Builder;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use onca_sql::{Folder, ReadAt};
use tokio::runtime::{Builder, Runtime};

const S3: &str = "s3://";

/// Where credentials may come from. Without any of them a machine in a cloud would be asked for its own,
/// and any other machine for minutes.
const CREDENTIALS: [&str; 5] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SKIP_SIGNATURE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_METADATA_ENDPOINT",
];

/// Threads that wait for answers of stores.
const THREADS: usize = 2;

static IO: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread().worker_threads(THREADS).thread_name("store").enable_all().build()
});

/// Is this an address in an object store?
pub fn is_address(location: &str) -> bool {
    location.starts_with(S3)
}

/// The folder at an address.
pub fn folder(address: &str) -> Result<Arc<dyn Folder>, String> {
    let rest = address.strip_prefix(S3).unwrap_or_default().trim_end_matches('/');
    let (bucket, path) = rest.split_once('/').unwrap_or((rest, ""));
    if bucket.is_empty() {
        return Err(format!("{address:?} names no bucket; write s3://BUCKET/PATH"));
    }
    let path = Path::parse(path).map_err(|error| format!("{address}: {error}"))?;
    if !CREDENTIALS.iter().any(|name| std::env::var_os(name).is_some()) {
        return Err(format!(
            "{address}: there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, \
             or AWS_SKIP_SIGNATURE=true for a bucket that everybody may read"
        ));
    }
    let store = AmazonS3Builder::from_env().with_bucket_name(bucket).build();
    let store = store.map_err(|error| format!("{address}: {error}"))?;
    let place = PathBuf::from(format!("{S3}{rest}"));
    Ok(Arc::new(RemoteFolder { store: Arc::new(store), path, place }))
}

/// Waits for a store.
fn wait<T: Send + 'static>(
    work: impl Future<Output = object_store::Result<T>> + Send + 'static,
) -> io::Result<T> {
    let runtime = match &*IO {
        Ok(runtime) => runtime,
        Err(error) => return Err(io::Error::new(error.kind(), error.to_string())),
    };
    match block_on(runtime.spawn(work)) {
        Ok(done) => done.map_err(io_error),
        Err(error) => Err(io::Error::other(error)),
    }
}

fn io_error(error: object_store::Error) -> io::Error {
    let kind = match &error {
        object_store::Error::NotFound { .. } => io::ErrorKind::NotFound,
        object_store::Error::PermissionDenied { .. }
        | object_store::Error::Unauthenticated { .. } => io::ErrorKind::PermissionDenied,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}

#[derive(Clone)]
struct RemoteFolder {
    store: Arc<dyn ObjectStore>,
    path: Path,
    place: PathBuf,
}

impl fmt::Debug for RemoteFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RemoteFolder").field(&self.place).finish()
    }
}

/// What lies directly in a folder: folders, and files with their lengths.
struct Content {
    folders: Vec<String>,
    files: Vec<(String, u64)>,
}

impl RemoteFolder {
    fn content(&self) -> io::Result<Content> {
        let (store, path) = (Arc::clone(&self.store), self.path.clone());
        let found = wait(async move { store.list_with_delimiter(Some(&path)).await })?;
        let name = |path: &Path| path.filename().map(str::to_owned);
        let mut folders: Vec<String> = found.common_prefixes.iter().filter_map(name).collect();
        let files = found.objects.iter();
        let mut files: Vec<(String, u64)> =
            files.filter_map(|file| Some((name(&file.location)?, file.size))).collect();
        folders.sort();
        files.sort();
        // A store knows no folder with nothing in it.
        match folders.is_empty() && files.is_empty() {
            true => Err(io::Error::new(io::ErrorKind::NotFound, "there is nothing")),
            false => Ok(Content { folders, files }),
        }
    }
}

impl Folder for RemoteFolder {
    fn folders(&self) -> io::Result<Vec<String>> {
        let Content { mut folders, .. } = self.content()?;
        folders.retain(|name| !name.starts_with('.'));
        Ok(folders)
    }

    fn folder(&self, name: &str) -> Arc<dyn Folder> {
        let store = Arc::clone(&self.store);
        Arc::new(Self { store, path: self.path.clone().join(name), place: self.place.join(name) })
    }

    fn files(&self) -> io::Result<Vec<(String, u64)>> {
        self.content().map(|content| content.files)
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn ReadAt>> {
        let (store, path) = (Arc::clone(&self.store), self.path.clone().join(name));
        let (asked, at) = (Arc::clone(&store), path.clone());
        let found = wait(async move { asked.head(&at).await })?;
        Ok(Arc::new(RemoteFile { store, path, bytes: found.size }))
    }

    fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let (store, path) = (Arc::clone(&self.store), self.path.clone().join(name));
        let content = PutPayload::from(content.to_vec());
        wait(async move { store.put(&path, content).await }).map(|_| ())
    }

    fn place(&self) -> PathBuf {
        self.place.clone()
    }
}

struct RemoteFile {
    store: Arc<dyn ObjectStore>,
    path: Path,
    bytes: u64,
}

impl ReadAt for RemoteFile {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<bytes::Bytes> {
        if range.is_empty() {
            return Ok(bytes::Bytes::new());
        }
        if range.end > self.bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let (store, path) = (Arc::clone(&self.store), self.path.clone());
        wait(async move { store.get_range(&path, range).await })
    }
}
