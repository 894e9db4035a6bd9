//! Pictures as files, and the commands that make the same.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use onca_query::Appearance;
use onca_views::registry::Screen;
use onca_views::{Paper, caption, report};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::command::{LENS_FILE, lens_file, line, percent_encoded, window_flags};
use super::picture::{PictureQuestion, named, take};
use super::timeline::rows_as_options;
use super::{NothingElse, Shared, TraceId};
use crate::fault::Fault;
use crate::question::Seen;

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FileFormat {
    #[default]
    Svg,
    Png,
    Pdf,
    Html,
}

impl FileFormat {
    fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Pdf => "pdf",
            Self::Html => "html",
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
            Self::Pdf => "application/pdf",
            Self::Html => "text/html; charset=utf-8",
        }
    }
}

/// Pixels of a PNG for each pixel of the page.
const USUAL_SCALE: f64 = 2.0;

/// What is exported.
struct Exported {
    picture: Picture,
    format: FileFormat,
    scale: f64,
}

enum Picture {
    View(PictureQuestion),
    /// Everything about the trace.
    Page,
}

impl Picture {
    fn read(view: &str, mut fields: Map<String, Value>) -> Result<Self, Fault> {
        if view == "page" {
            let nothing = serde_json::from_value::<NothingElse>(Value::Object(fields));
            nothing.map_err(|error| Fault::question(error.to_string()))?;
            return Ok(Self::Page);
        }
        let view = named(view)?;
        if view.screen == Screen::Rows {
            rows_as_options(&mut fields)?;
        }
        Ok(Self::View(PictureQuestion::read(view, fields)?))
    }
}

impl Exported {
    /// Reads what a view takes, with the name of the view, the format and the scale.
    fn read(mut fields: Map<String, Value>) -> Result<Self, Fault> {
        let view: Option<String> = take(&mut fields, "view")?;
        let format: Option<FileFormat> = take(&mut fields, "format")?;
        let scale = take(&mut fields, "scale")?.unwrap_or(USUAL_SCALE);
        if !(0.1..=20.0).contains(&scale) {
            return Err(Fault::question("scale: a factor from 0.1 to 20"));
        }
        let picture = Picture::read(view.as_deref().unwrap_or("timeline"), fields)?;
        let is_page = matches!(picture, Picture::Page);
        let usual = if is_page { FileFormat::Html } else { FileFormat::default() };
        let format = format.unwrap_or(usual);
        match is_page == (format == FileFormat::Html) {
            true => Ok(Self { picture, format, scale }),
            false => Err(Fault::question("format: a page is html, and nothing else is")),
        }
    }

    /// The file.
    fn bytes(&self, seen: &Seen<'_>, looks: &Appearance) -> Result<Vec<u8>, Fault> {
        let question = match &self.picture {
            Picture::Page => {
                let report = report::report(&seen.scope, looks, &seen.trace.name())?;
                return Ok(onca_draw::page(&report).into_bytes());
            }
            Picture::View(question) => question,
        };
        let paper = Paper {
            width: question.width,
            height: question.height,
            theme: question.theme,
            source: Some(caption(&seen.trace.name(), &seen.scope, looks)),
            ..Paper::default()
        };
        let figure = question.figure(seen, looks, &paper)?;
        let drawn = match self.format {
            FileFormat::Svg | FileFormat::Html => Ok(onca_draw::svg(&figure).into_bytes()),
            FileFormat::Png => onca_draw::png(&figure, self.scale),
            FileFormat::Pdf => onca_draw::pdf(&figure),
        };
        drawn.map_err(|error| Fault::senseless(error.to_string()))
    }

    /// The command that draws the same.
    fn command(&self, seen: &Seen<'_>) -> Result<String, Fault> {
        let (view, flags) = match &self.picture {
            Picture::View(question) => (question.view.entry().name, question.flags(seen)?),
            Picture::Page => ("page", Vec::new()),
        };
        let mut words = vec!["onca".to_owned(), "render".to_owned(), view.to_owned()];
        let paths = seen.before.iter().map(|it| it.path).chain([seen.trace.path.as_path()]);
        words.extend(paths.map(|path| path.to_string_lossy().into_owned()));
        words.extend(window_flags(seen));
        words.extend(lens_file(seen.lens).map(|_| format!("--lens={LENS_FILE}")));
        // The page shows the looks that the user chose.
        words.push("--remembered".to_owned());
        words.extend(flags);
        if self.format == FileFormat::Png && self.scale != USUAL_SCALE {
            words.push(format!("--scale={}", self.scale));
        }
        words.extend(["-o".to_owned(), format!("{view}.{}", self.format.extension())]);
        Ok(line(&words))
    }
}

pub async fn export(State(app): Shared, Path(id): TraceId, body: Bytes) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, fields: Map<String, Value>| {
        let exported = Exported::read(fields)?;
        let bytes = exported.bytes(&seen, &seen.appearance()?)?;
        let command = percent_encoded(&exported.command(&seen)?);
        let command = HeaderValue::try_from(command).map_err(|_| Fault::ours("a command"))?;
        let kind = HeaderValue::from_static(exported.format.media_type());
        let headers =
            [(header::CONTENT_TYPE, kind), (HeaderName::from_static("x-onca-command"), command)];
        Ok((headers, bytes).into_response())
    })
    .await
}

/// The command that makes the same file.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CommandAnswer {
    /// The command, as shells read it.
    command: String,
    /// The text of the file of the lens that it names; `null` if it needs none.
    lens_file: Option<String>,
}

pub async fn command(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Json<CommandAnswer>, Fault> {
    app.ask(&id, body, |seen, fields: Map<String, Value>| {
        let command = Exported::read(fields)?.command(&seen)?;
        Ok(Json(CommandAnswer { command, lens_file: lens_file(seen.lens) }))
    })
    .await
}
