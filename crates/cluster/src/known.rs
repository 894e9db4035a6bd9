//! Data sets that processes tell each other of. An address holds where they are and what they are, so
//! that nobody answers from others that have taken their place.

use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use onca_program::Failure;
use onca_program::format::shown;
use onca_sql::{DataSets, DatasetError, Folder, LocalFolder};

use crate::remote;
use crate::secret::hex;

/// Data sets that are kept open.
const MOST_OPEN: usize = 8;

const SCHEME: &str = "onca://";

/// The data sets that were asked for last, the last one first.
static OPEN: LazyLock<Mutex<Vec<Arc<DataSets>>>> = LazyLock::new(Mutex::default);

/// A folder of this machine, or of an object store.
pub fn folder(location: &str) -> Result<Arc<dyn Folder>, String> {
    match remote::is_address(location) {
        true => remote::folder(location),
        false => Ok(Arc::new(LocalFolder::new(Path::new(location)))),
    }
}

/// Opens data sets for a question, and gives them an address that the other processes understand.
pub fn open(location: &Path) -> Result<Arc<DataSets>, Failure> {
    let text = location.to_str();
    let text = text.ok_or_else(|| Failure::Cannot("the path is no text".to_owned()))?;
    // Others work in other folders.
    let full = match remote::is_address(text) {
        true => text.to_owned(),
        false => match location.canonicalize() {
            Ok(full) if full.is_file() => {
                let why = "this is no data set; \"onca-cluster export\" makes one of a trace";
                return Err(Failure::Cannot(format!("{}: {why}", shown(location))));
            }
            Ok(full) => full.to_string_lossy().into_owned(),
            Err(_) => text.to_owned(),
        },
    };
    let sets = read(&full).map_err(Failure::Cannot)?;
    let address = address(&full, sets.identity());
    let sets = Arc::new(sets.with_address(address));
    keep(&sets);
    Ok(sets)
}

fn read(location: &str) -> Result<DataSets, String> {
    DataSets::open_in(folder(location)?).map_err(|error| error.to_string())
}

/// The data sets at an address.
pub fn at(address: &str) -> Result<Arc<DataSets>> {
    if let Some(sets) = kept(address) {
        keep(&sets);
        return Ok(sets);
    }
    let Some((location, identity)) = understand(address) else {
        return exec_err!("{address} is no address of data sets");
    };
    let sets = read(&location).map_err(|why| exec_datafusion_err!("{why}"))?;
    if sets.identity() != identity {
        return exec_err!("{location}: this is not the data set that was asked about");
    }
    let sets = Arc::new(sets.with_address(address.to_owned()));
    keep(&sets);
    Ok(sets)
}

fn kept(address: &str) -> Option<Arc<DataSets>> {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.iter().find(|sets| sets.address() == Some(address)).map(Arc::clone)
}

fn keep(sets: &Arc<DataSets>) {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|known| known.address() != sets.address());
    open.insert(0, Arc::clone(sets));
    open.truncate(MOST_OPEN);
}

/// The digits of an identity, then those of a location.
fn address(location: &str, identity: u32) -> String {
    format!("{SCHEME}{identity:08x}{}", hex(location.as_bytes()))
}

fn understand(address: &str) -> Option<(String, u32)> {
    let digits = address.strip_prefix(SCHEME)?.trim_end_matches('/');
    let (identity, location) = digits.split_at_checked(8)?;
    let identity = u32::from_str_radix(identity, 16).ok()?;
    if location.len() % 2 != 0 || !location.is_ascii() {
        return None;
    }
    let bytes = (0..location.len()).step_by(2);
    let bytes = bytes.map(|at| u8::from_str_radix(location.get(at..at + 2)?, 16).ok());
    let location = String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()?;
    Some((location, identity))
}

/// An error of a data set as the engine hands it on.
pub fn external(error: DatasetError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_holds_place_and_identity() {
        for location in ["/a b/ü", "s3://bucket/run", ""] {
            let known = (location.to_owned(), 0x00ab_cdef);
            assert_eq!(understand(&address(location, known.1)), Some(known));
        }
        for wrong in
            ["", "file:///etc", "onca://", "onca://0000000", "onca://0000000ag", "onca://00000000é"]
        {
            assert_eq!(understand(wrong), None, "{wrong}");
        }
    }
}
