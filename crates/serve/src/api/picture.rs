//! Pictures of a view: its options, and the frame that it is drawn in.

use onca_query::Appearance;
use onca_scene::Figure;
use onca_views::registry::{AskedView, Material, ViewEntry};
use onca_views::{Canvas, Drawn, Paper, Theme};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::fault::Fault;
use crate::question::{Seen, SeenBefore};

/// The shortest and the longest side of a picture, in pixels.
const SIDES: std::ops::RangeInclusive<f64> = 1.0..=20_000.0;

/// Refuses sides that no picture has.
pub fn side(name: &str, pixels: f64) -> Result<f64, Fault> {
    match SIDES.contains(&pixels) {
        true => Ok(pixels),
        false => Err(Fault::question(format!("{name}: a side has from 1 to 20000 pixels"))),
    }
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

/// Takes a field out of a question that must have it.
pub fn take_needed<T: DeserializeOwned>(
    fields: &mut Map<String, Value>,
    name: &str,
) -> Result<T, Fault> {
    let missing = || Fault::question(format!("{name}: it is missing"));
    take(fields, name)?.ok_or_else(missing)
}

/// What is asked of a view, and how large the picture is.
pub struct PictureQuestion {
    pub view: Box<dyn AskedView>,
    pub width: f64,
    /// Without it, the view chooses.
    pub height: Option<f64>,
    pub theme: Theme,
    /// The name of a network.
    topology: Option<String>,
}

/// The view of a name.
pub fn named(name: &str) -> Result<&'static ViewEntry, Fault> {
    let unknown = || Fault::not_found(format!("there is no view {name:?}"));
    ViewEntry::named(name).ok_or_else(unknown)
}

impl PictureQuestion {
    /// Reads the fields of a question: those of the frame, and the options of the view.
    pub fn read(view: &ViewEntry, mut fields: Map<String, Value>) -> Result<Self, Fault> {
        let width = side("width", take_needed(&mut fields, "width")?)?;
        let height: Option<f64> = take(&mut fields, "height")?;
        let theme = take(&mut fields, "theme")?.unwrap_or_default();
        let topology = match view.uses_network {
            true => take(&mut fields, "topology")?,
            false => None,
        };
        Ok(Self {
            view: view.ask(fields).map_err(Fault::question)?,
            width,
            height: height.map(|height| side("height", height)).transpose()?,
            theme,
            topology,
        })
    }

    /// The bare view.
    pub fn scene(&self, seen: &Seen<'_>, looks: &Appearance) -> Result<Drawn, Fault> {
        let height = self.height.ok_or_else(|| Fault::question("height: it is missing"))?;
        let canvas = Canvas { width: self.width, height, theme: self.theme, titles: true };
        Ok(self.view.scene(&self.material(seen, looks)?, &canvas)?)
    }

    /// The view on a page.
    pub fn figure(
        &self,
        seen: &Seen<'_>,
        looks: &Appearance,
        paper: &Paper,
    ) -> Result<Figure, Fault> {
        Ok(self.view.figure(&self.material(seen, looks)?, paper)?)
    }

    fn material<'a>(
        &self,
        seen: &'a Seen<'a>,
        appearance: &'a Appearance,
    ) -> Result<Material<'a>, Fault> {
        let platform = match self.view.entry().uses_network {
            true => seen.platform(self.topology.as_deref())?,
            false => None,
        };
        let before = seen.before.as_ref().map(SeenBefore::as_before);
        Ok(Material { scope: &seen.scope, appearance, platform, memory: seen, before })
    }

    /// The flags of `onca render` for it.
    pub fn flags(&self, seen: &Seen<'_>) -> Result<Vec<String>, Fault> {
        let mut flags = self.view.flags(&seen.scope);
        if self.view.entry().uses_network {
            flags.extend_from_slice(seen.platform_flags(self.topology.as_deref())?);
        }
        flags.push(format!("--width={}", self.width));
        flags.extend(self.height.map(|height| format!("--height={height}")));
        flags.extend((self.theme == Theme::Dark).then(|| "--theme=dark".to_owned()));
        Ok(flags)
    }
}
