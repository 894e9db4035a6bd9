//! Pictures as files, and the commands that make the same.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use onca_query::Appearance;
use onca_views::{Paper, caption, report, timeline};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::command::{LENS_FILE, lens_file, line, percent_encoded, timeline_flags, window_flags};
use super::picture::{ThemeName, View, ViewOptions, side};
use super::structure::{Structure, StructureFile};
use super::timeline::TimelineQuestion;
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
    Timeline(TimelineQuestion),
    Structure(Box<StructureFile>),
    Other(View, Box<ViewOptions>),
    /// Everything about the trace.
    Page,
}

impl Picture {
    fn read(view: &str, fields: Map<String, Value>) -> Result<Self, Fault> {
        if let Some(structure) = Structure::named(view) {
            return Ok(Self::Structure(Box::new(StructureFile::read(structure, fields)?)));
        }
        let fields = Value::Object(fields);
        let unreadable = |error: serde_json::Error| Fault::question(error.to_string());
        Ok(match view {
            "page" => {
                serde_json::from_value::<NothingElse>(fields).map_err(unreadable)?;
                Self::Page
            }
            "timeline" => Self::Timeline(serde_json::from_value(fields).map_err(unreadable)?),
            other => {
                let options = serde_json::from_value(fields).map_err(unreadable)?;
                Self::Other(View::named(other)?, options)
            }
        })
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
        let figure = match &self.picture {
            Picture::Page => {
                let report = report::report(&seen.scope, looks, &seen.trace.name())?;
                return Ok(onca_draw::page(&report).into_bytes());
            }
            Picture::Timeline(asked) => {
                let options = asked.file_options(&seen.scope)?;
                let paper = paper(seen, asked.width, None, asked.theme)?;
                timeline::figure(&seen.scope, looks, &paper, &options)?
            }
            Picture::Structure(file) => {
                let paper = paper(seen, file.width, Some(file.height), file.theme)?;
                file.figure(seen, looks, &paper)?
            }
            Picture::Other(view, options) => {
                let paper = paper(seen, options.width, Some(options.height), options.theme)?;
                view.figure(seen, looks, &paper, options)?
            }
        };
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
            Picture::Timeline(asked) => {
                let options = asked.file_options(&seen.scope)?;
                let mut flags = timeline_flags(&seen.scope, &options);
                flags.extend(paper_flags(asked.width, None, asked.theme));
                ("timeline", flags)
            }
            Picture::Structure(file) => {
                let mut flags = file.flags(seen)?;
                flags.extend(paper_flags(file.width, Some(file.height), file.theme));
                (file.picture.name(), flags)
            }
            Picture::Other(view, options) => {
                let mut flags = view.flags(&seen.scope, options)?;
                flags.extend(paper_flags(options.width, Some(options.height), options.theme));
                (view.name(), flags)
            }
            Picture::Page => ("page", Vec::new()),
        };
        let path = seen.trace.path.to_string_lossy().into_owned();
        let mut words = vec!["onca".to_owned(), "render".to_owned(), view.to_owned(), path];
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

fn paper(
    seen: &Seen<'_>,
    width: f64,
    height: Option<f64>,
    theme: ThemeName,
) -> Result<Paper, Fault> {
    Ok(Paper {
        width: side("width", width)?,
        height: height.map(|height| side("height", height)).transpose()?,
        theme: theme.theme(),
        source: Some(caption(&seen.trace.name(), &seen.scope)),
        ..Paper::default()
    })
}

fn paper_flags(width: f64, height: Option<f64>, theme: ThemeName) -> Vec<String> {
    let mut flags = vec![format!("--width={width}")];
    flags.extend(height.map(|height| format!("--height={height}")));
    flags.extend((theme == ThemeName::Dark).then(|| "--theme=dark".to_owned()));
    flags
}

/// Takes a field out of a question.
pub fn take<T: DeserializeOwned>(
    fields: &mut Map<String, Value>,
    name: &str,
) -> Result<Option<T>, Fault> {
    let value = fields.remove(name).filter(|value| !value.is_null());
    let value = value.map(serde_json::from_value).transpose();
    value.map_err(|error| Fault::question(format!("{name}: {error}")))
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

pub async fn command(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Json<Value>, Fault> {
    app.ask(&id, body, |seen, fields: Map<String, Value>| {
        let command = Exported::read(fields)?.command(&seen)?;
        Ok(Json(json!({"command": command, "lens_file": lens_file(seen.lens)})))
    })
    .await
}
