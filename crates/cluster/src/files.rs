//! What executors read: the files that manifests list, by the names that plans have for them, and
//! nothing else. There is no store for any other address, so no plan can reach one.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use datafusion::common::exec_err;
use datafusion::execution::object_store::ObjectStoreRegistry;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use object_store::path::Path;
use object_store::{
    Attributes, CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, Result,
};
use onca_sql::{DataSets, DatasetError, ReadAt};
use url::Url;

use crate::known;

/// Files that are kept open.
const MOST_OPEN: usize = 256;

/// The stores of a process: one for each address of data sets.
#[derive(Debug, Default)]
pub struct Stores {
    known: Mutex<HashMap<String, Arc<SetFiles>>>,
}

impl ObjectStoreRegistry for Stores {
    /// Nobody adds one.
    fn register_store(&self, _: &Url, _: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        None
    }

    fn get_store(&self, url: &Url) -> datafusion::common::Result<Arc<dyn ObjectStore>> {
        if url.scheme() != "onca" {
            return exec_err!("{url}: nothing but data sets is read");
        }
        let address = url.as_str().trim_end_matches('/');
        let sets = known::at(address)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // What nobody has open any more needs no store.
        known.retain(|_, files| Arc::strong_count(&files.sets) > 1);
        let files = known
            .entry(address.to_owned())
            .or_insert_with(|| Arc::new(SetFiles { sets, open: Mutex::default() }));
        Ok(Arc::clone(files) as Arc<dyn ObjectStore>)
    }
}

/// The files of data sets as a store.
#[derive(Debug)]
struct SetFiles {
    sets: Arc<DataSets>,
    open: Mutex<Opened>,
}

/// Files by their names.
#[derive(Default)]
struct Opened(HashMap<String, Arc<dyn ReadAt>>);

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl fmt::Display for SetFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the files of a data set")
    }
}

impl SetFiles {
    fn open(&self, name: &str) -> Result<Arc<dyn ReadAt>> {
        let known = |files: &Opened| files.0.get(name).map(Arc::clone);
        if let Some(file) = known(&self.open.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(file);
        }
        let Some((run, listed)) = self.sets.file(name) else {
            let why = io::Error::other("it is not a file of the data set");
            return Err(Error::NotFound { path: name.to_owned(), source: Box::new(why) });
        };
        let place = run.dir().join(&listed.path);
        let file = match run.open_file(listed) {
            Ok(file) if file.bytes() == listed.bytes => file,
            Ok(file) => return Err(failed(DatasetError::Cut(place, file.bytes(), listed.bytes))),
            Err(error) => return Err(failed(DatasetError::Io(place, error))),
        };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.0.len() >= MOST_OPEN {
            open.0.clear();
        }
        open.0.insert(name.to_owned(), Arc::clone(&file));
        Ok(file)
    }

    fn read(&self, path: &Path, options: &GetOptions) -> Result<(ObjectMeta, Range<u64>, Bytes)> {
        let file = self.open(path.as_ref())?;
        let size = file.bytes();
        let range = match &options.range {
            Some(range) => range.as_range(size).map_err(failed)?,
            None => 0..size,
        };
        let bytes = match options.head {
            true => Bytes::new(),
            false => file.read_at(range.clone()).map_err(failed)?,
        };
        let meta = ObjectMeta {
            location: path.clone(),
            last_modified: Default::default(),
            size,
            e_tag: None,
            version: None,
        };
        Ok((meta, range, bytes))
    }
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Generic { store: "data set", source: Box::new(error) }
}

/// Data sets are only read.
fn refused<T>() -> Result<T> {
    Err(Error::NotSupported { source: "a data set is only read".into() })
}

#[async_trait]
impl ObjectStore for SetFiles {
    async fn put_opts(&self, _: &Path, _: PutPayload, _: PutOptions) -> Result<PutResult> {
        refused()
    }

    async fn put_multipart_opts(
        &self,
        _: &Path,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        refused()
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        // Reads where it is asked, as on one machine: the threads of tasks are for that.
        let (meta, range, bytes) = self.read(path, &options)?;
        let payload = GetResultPayload::Stream(stream::once(async move { Ok(bytes) }).boxed());
        Ok(GetResult { payload, meta, range, attributes: Attributes::default() })
    }

    fn delete_stream(
        &self,
        _: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        stream::once(async { refused() }).boxed()
    }

    fn list(&self, _: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        stream::once(async { refused() }).boxed()
    }

    async fn list_with_delimiter(&self, _: Option<&Path>) -> Result<ListResult> {
        refused()
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        refused()
    }
}
