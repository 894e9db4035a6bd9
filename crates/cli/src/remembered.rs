//! Looks that the user chose, remembered for all traces with the same type tree.

use std::io::ErrorKind;
use std::path::PathBuf;

use onca_query::{AppearanceSpec, LENS_VERSION, Lens};

use crate::look::{read_lens, write_lens};
use crate::place;
use onca_program::Failure;
use onca_program::format::shown;

/// The file for a type tree.
fn place_of(key: &str) -> Option<PathBuf> {
    Some(place::config_dir()?.join("appearance").join(format!("{key}.json")))
}

/// What was remembered, if anything.
pub fn recall(key: &str) -> Result<Option<AppearanceSpec>, Failure> {
    match place_of(key) {
        Some(place) if place.exists() => Ok(Some(read_lens(&place)?.appearance)),
        _ => Ok(None),
    }
}

/// Remembers; tells where.
pub fn remember(key: &str, appearance: &AppearanceSpec) -> Result<PathBuf, Failure> {
    let place = place_of(key)
        .ok_or_else(|| Failure::Cannot("there is no place for the user's settings".to_owned()))?;
    if let Some(folder) = place.parent() {
        place::make_private_dir(folder)
            .map_err(|error| Failure::Cannot(format!("{}: {error}", shown(folder))))?;
    }
    let lens = Lens { version: LENS_VERSION, appearance: appearance.clone(), ..Lens::default() };
    write_lens(&place, &lens)?;
    Ok(place)
}

/// Forgets.
pub fn forget(key: &str) -> Result<(), Failure> {
    let Some(place) = place_of(key) else { return Ok(()) };
    match std::fs::remove_file(&place) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Failure::Cannot(format!("{}: {error}", shown(&place))))
        }
        _ => Ok(()),
    }
}
