//! Lenses: checked, kept, and their looks remembered.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use onca_answer::lens_answer;
use onca_query::{Appearance, AppearanceSpec, LENS_VERSION, Lens, type_tree_key};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{NothingElse, Shared, TraceId};
use crate::fault::Fault;

pub async fn check(State(app): Shared, Path(id): TraceId, body: Bytes) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, _: NothingElse| {
        let (name, appearance) = (seen.trace.name(), seen.appearance()?);
        let answer = lens_answer(&name, seen.lens, &seen.scope, &appearance);
        Ok(Json(answer).into_response())
    })
    .await
}

pub async fn recall(
    State(app): Shared,
    Path((id, hash)): Path<(String, String)>,
) -> Result<Json<Lens>, Fault> {
    let unknown = || Fault::not_found("no lens is kept under this");
    let name = file_of(&hash).ok_or_else(unknown)?;
    app.with(&id, move |_, trace| {
        let text = trace.kept.get(&name)?;
        Ok(Json(Lens::from_json(&text.ok_or_else(unknown)?)?))
    })
    .await
}

/// A lens that is kept.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct KeptLens {
    /// The SHA-256 of its text.
    hash: String,
}

pub async fn keep(
    State(app): Shared,
    Path((id, hash)): Path<(String, String)>,
    body: Bytes,
) -> Result<Json<KeptLens>, Fault> {
    let unfit = || Fault::question("a lens is kept under the SHA-256 of its text");
    let name = file_of(&hash).ok_or_else(unfit)?;
    if hash_of(&body) != hash {
        return Err(unfit());
    }
    let text = String::from_utf8(body.to_vec()).map_err(|_| Fault::question("no text"))?;
    Lens::from_json(&text)?;
    app.with(&id, move |_, trace| {
        let kept = trace.kept.put(&name, &text);
        kept.map_err(|error| Fault::ours(&format!("the lens cannot be kept: {error}")))?;
        Ok(Json(KeptLens { hash }))
    })
    .await
}

fn hash_of(text: &[u8]) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The name of the file for a hash; none if it is no hash.
fn file_of(hash: &str) -> Option<String> {
    let digits = hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (hash.len() == 64 && digits).then(|| format!("lens-{hash}.json"))
}

pub async fn remember_appearance(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Json<AppearanceSpec>, Fault> {
    let looks: AppearanceSpec =
        serde_json::from_slice(&body).map_err(|error| Fault::question(error.to_string()))?;
    app.with(&id, move |app, trace| {
        let catalog = trace.store.catalog();
        let lens = Lens { version: LENS_VERSION, appearance: looks, ..Lens::default() };
        // What does not fit this trace is not worth remembering for others.
        Appearance::new(catalog, &lens, None)?;
        let remembered = app.memory.remember(&type_tree_key(catalog), &lens.appearance);
        remembered.map_err(|why| Fault::ours(&why))?;
        Ok(Json(lens.appearance))
    })
    .await
}
