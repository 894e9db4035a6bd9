//! Pictures as files, and the commands that make the same.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use onca_query::Appearance;
use onca_scene::Figure;
use onca_views::{Paper, caption, timeline};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::command::{LENS_FILE, lens_file, line, percent_encoded, timeline_flags, window_flags};
use super::picture::{ThemeName, View, ViewOptions, side};
use super::timeline::TimelineQuestion;
use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::question::Seen;

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FileFormat {
    #[default]
    Svg,
    Png,
    Pdf,
}

impl FileFormat {
    fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Pdf => "pdf",
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
            Self::Pdf => "application/pdf",
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
    Other(View, ViewOptions),
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
        let fields = Value::Object(fields);
        let unreadable = |error: serde_json::Error| Fault::question(error.to_string());
        let picture = match view.as_deref().unwrap_or("timeline") {
            "timeline" => Picture::Timeline(serde_json::from_value(fields).map_err(unreadable)?),
            other => {
                let options = serde_json::from_value(fields).map_err(unreadable)?;
                Picture::Other(View::named(other)?, options)
            }
        };
        Ok(Self { picture, format: format.unwrap_or_default(), scale })
    }

    fn paper(&self, seen: &Seen<'_>) -> Result<Paper, Fault> {
        let (width, height, theme) = match &self.picture {
            Picture::Timeline(asked) => (asked.width, None, asked.theme),
            Picture::Other(_, options) => (options.width, Some(options.height), options.theme),
        };
        Ok(Paper {
            width: side("width", width)?,
            height: height.map(|height| side("height", height)).transpose()?,
            theme: theme.theme(),
            source: Some(caption(&seen.trace.name(), &seen.scope)),
            ..Paper::default()
        })
    }

    fn figure(&self, seen: &Seen<'_>, looks: &Appearance) -> Result<Figure, Fault> {
        let (scope, paper) = (&seen.scope, self.paper(seen)?);
        match &self.picture {
            Picture::Timeline(asked) => {
                Ok(timeline::figure(scope, looks, &paper, &asked.file_options(scope)?)?)
            }
            Picture::Other(view, options) => view.figure(scope, looks, &paper, options),
        }
    }

    fn bytes(&self, figure: &Figure) -> Result<Vec<u8>, Fault> {
        let drawn = match self.format {
            FileFormat::Svg => Ok(onca_draw::svg(figure).into_bytes()),
            FileFormat::Png => onca_draw::png(figure, self.scale),
            FileFormat::Pdf => onca_draw::pdf(figure),
        };
        drawn.map_err(|error| Fault::senseless(error.to_string()))
    }

    /// The command that draws the same.
    fn command(&self, seen: &Seen<'_>) -> Result<String, Fault> {
        let paper = self.paper(seen)?;
        let (view, options) = match &self.picture {
            Picture::Timeline(asked) => {
                let options = asked.file_options(&seen.scope)?;
                ("timeline", timeline_flags(&seen.scope, &options))
            }
            Picture::Other(view, options) => (view.name(), view.flags(options)),
        };
        let path = seen.trace.path.to_string_lossy().into_owned();
        let mut words = vec!["onca".to_owned(), "render".to_owned(), view.to_owned(), path];
        words.extend(window_flags(seen));
        words.extend(lens_file(seen.lens).map(|_| format!("--lens={LENS_FILE}")));
        // The page shows the looks that the user chose.
        words.push("--remembered".to_owned());
        words.extend(options);
        words.push(format!("--width={}", paper.width));
        words.extend(paper.height.map(|height| format!("--height={height}")));
        if self.theme() == ThemeName::Dark {
            words.push("--theme=dark".to_owned());
        }
        if self.format == FileFormat::Png && self.scale != USUAL_SCALE {
            words.push(format!("--scale={}", self.scale));
        }
        words.extend(["-o".to_owned(), format!("{view}.{}", self.format.extension())]);
        Ok(line(&words))
    }

    fn theme(&self) -> ThemeName {
        match &self.picture {
            Picture::Timeline(asked) => asked.theme,
            Picture::Other(_, options) => options.theme,
        }
    }
}

fn take<T: DeserializeOwned>(
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
        let figure = exported.figure(&seen, &seen.appearance()?)?;
        let bytes = exported.bytes(&figure)?;
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
