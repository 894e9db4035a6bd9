//! Opening traces from the page: folders that were allowed, and dropped files.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::Shared;
use crate::app::App;
use crate::fault::{Code, Fault};
use crate::openable::{Drop, DropName, Entry, Listing, Openables, Spot, is_file_name, write_piece};
use crate::work::aside;

/// A body that brings nothing for this time is given up.
const PIECE_TIME: Duration = Duration::from_secs(30);

/// What may be opened: `onca-places/1`.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PlacesAnswer"))]
pub struct Places {
    schema: &'static str,
    /// The folders that were allowed.
    folders: Vec<String>,
    /// Traces below them that were shown last, the last one first.
    recent: Vec<Spot>,
    dropped: Vec<DroppedJson>,
    /// What all dropped files may have together, in bytes.
    drop_limit: u64,
    /// What may still be dropped, in bytes.
    drop_room: u64,
}

/// Files that were dropped together.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct DroppedJson {
    /// What requests call it.
    drop: String,
    files: Vec<String>,
    /// In bytes.
    size: u64,
}

/// What is in a folder: `onca-folder/1`.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "FolderAnswer"))]
pub struct Folder {
    schema: &'static str,
    /// Folders, then traces, each by name.
    entries: Vec<Entry>,
    /// How many more there are than a page shows.
    left_out: u64,
}

/// A trace that is opened: `onca-opened/1`.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "OpenedAnswer"))]
pub struct OpenedTrace {
    schema: &'static str,
    /// What requests call it.
    id: String,
}

/// What is to be opened.
#[derive(Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum OpenQuestion {
    /// Below a folder that was allowed.
    Spot(Spot),
    /// Files that were dropped together.
    Dropped(DroppedFiles),
}

#[derive(Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct DroppedFiles {
    drop: String,
}

pub async fn places(State(app): Shared) -> Result<Json<Places>, Fault> {
    let openables = openables(&app)?;
    aside(move || {
        let shown = |drop: Drop| DroppedJson {
            drop: drop.text().to_owned(),
            files: drop.files,
            size: drop.size,
        };
        let roots = openables.folders.roots().iter();
        Ok(Json(Places {
            schema: "onca-places/1",
            folders: roots.map(|root| root.to_string_lossy().into_owned()).collect(),
            recent: openables.recent(),
            dropped: openables.drops.list()?.into_iter().map(shown).collect(),
            drop_limit: openables.drops.limit(),
            drop_room: openables.drops.room()?,
        }))
    })
    .await
}

pub async fn folder(State(app): Shared, Query(spot): Query<Spot>) -> Result<Json<Folder>, Fault> {
    let openables = openables(&app)?;
    aside(move || {
        let Listing { entries, left_out } = match openables.folders.list(&spot) {
            Ok(listing) => listing.ok_or_else(no_such_place)?,
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return Err(Fault::senseless("this folder may not be read"));
            }
            Err(error) => return Err(error.into()),
        };
        Ok(Json(Folder { schema: "onca-folder/1", entries, left_out: left_out as u64 }))
    })
    .await
}

pub async fn open(State(app): Shared, body: Bytes) -> Result<Json<OpenedTrace>, Fault> {
    let openables = openables(&app)?;
    let asked: OpenQuestion = serde_json::from_slice(&body).map_err(|_| {
        Fault::question("name a trace: {\"folder\": 0, \"path\": …} or {\"drop\": …}")
    })?;
    aside(move || {
        let path = place_of(&openables, &asked)?;
        let id = app.traces.add(openables.source(&path))?;
        openables.shown(&path);
        Ok(Json(OpenedTrace { schema: "onca-opened/1", id }))
    })
    .await
}

/// Where a trace is that may be opened: a file or a folder, nothing that could wait for ever.
fn place_of(openables: &Openables, asked: &OpenQuestion) -> Result<PathBuf, Fault> {
    let path = match asked {
        OpenQuestion::Spot(spot) => openables.folders.resolve(spot),
        OpenQuestion::Dropped(DroppedFiles { drop }) => {
            DropName::read(drop).and_then(|drop| openables.drops.main_file(&drop))
        }
    };
    path.filter(|path| path.is_file() || path.is_dir()).ok_or_else(no_such_place)
}

/// Takes a file that was dropped. One at a time, so that the limit holds for all of them.
pub async fn take(
    State(app): Shared,
    Path((drop, file)): Path<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, Fault> {
    let openables = openables(&app)?;
    let Some(drop) = DropName::read(&drop) else { return Err(no_such_place()) };
    if !is_file_name(&file) {
        return Err(Fault::question(format!("a file cannot be called {file:?} here")));
    }
    let _alone = app.dropping.lock().await;
    let begun = Arc::clone(&openables);
    let (mut written, mut room) = aside(move || {
        let room = begun.drops.room()?;
        Ok((begun.drops.begin().map_err(cannot_write)?, room))
    })
    .await?;
    if length_of(&headers).is_some_and(|length| length > room) {
        return Err(too_long(&openables));
    }
    let mut body = body;
    while let Some(piece) = next_piece(&mut body).await? {
        (written, room) = add_piece(&openables, written, piece, room).await?;
    }
    aside(move || openables.drops.finish(written, &drop, &file).map_err(cannot_write)).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn next_piece(body: &mut Body) -> Result<Option<Bytes>, Fault> {
    loop {
        let Ok(frame) = tokio::time::timeout(PIECE_TIME, body.frame()).await else {
            let message = "the file comes too slowly";
            return Err(Fault::new(StatusCode::REQUEST_TIMEOUT, Code::Question, message));
        };
        match frame {
            None => return Ok(None),
            Some(Err(_)) => return Err(Fault::question("the file does not end")),
            Some(Ok(frame)) => {
                if let Ok(piece) = frame.into_data() {
                    return Ok(Some(piece));
                }
            }
        }
    }
}

async fn add_piece(
    openables: &Arc<Openables>,
    mut written: NamedTempFile,
    piece: Bytes,
    room: u64,
) -> Result<(NamedTempFile, u64), Fault> {
    let openables = Arc::clone(openables);
    aside(move || {
        let left = write_piece(&mut written, &piece, room).map_err(cannot_write)?;
        Ok((written, left.ok_or_else(|| too_long(&openables))?))
    })
    .await
}

/// Removes a drop, and closes its traces.
pub async fn remove(State(app): Shared, Path(drop): Path<String>) -> Result<StatusCode, Fault> {
    let openables = openables(&app)?;
    aside(move || {
        let drop = DropName::read(&drop).ok_or_else(no_such_place)?;
        let folder = openables.drops.folder_of(&drop);
        // Traces are known by paths without links.
        app.traces.forget_below(&folder.canonicalize().unwrap_or(folder))?;
        match openables.drops.remove(&drop)? {
            true => Ok(StatusCode::NO_CONTENT),
            false => Err(no_such_place()),
        }
    })
    .await
}

fn openables(app: &Arc<App>) -> Result<Arc<Openables>, Fault> {
    let none = || Fault::not_found("this server opens no other traces");
    app.openables.as_ref().map(Arc::clone).ok_or_else(none)
}

fn no_such_place() -> Fault {
    Fault::not_found("there is no such place, or it may not be opened: --allow names folders")
}

fn length_of(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_long(openables: &Openables) -> Fault {
    let limit = openables.drops.limit();
    let message = format!(
        "dropped files have at most {limit} bytes together; remove some, or start onca view with a \
         larger --upload-limit"
    );
    Fault::new(StatusCode::PAYLOAD_TOO_LARGE, Code::TooLong, message)
}

fn cannot_write(error: io::Error) -> Fault {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            Fault::limit(format!("there is no room for the file: {error}"))
        }
        _ => error.into(),
    }
}
