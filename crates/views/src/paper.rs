//! What every figure can be asked for.

use onca_query::{Appearance, Scope};

use crate::{Theme, sheet::MARGIN};

/// The page that a figure is made for.
#[derive(Clone, PartialEq, Debug)]
pub struct Paper {
    /// Its width, in pixels of 1/96 inch.
    pub width: f64,
    /// Its height; the view chooses when there is none.
    pub height: Option<f64>,
    /// Light or dark.
    pub theme: Theme,
    /// The title; the view chooses when there is none, and an empty one takes no room.
    pub title: Option<String>,
    /// What the caption says of the source; no caption when there is none.
    pub source: Option<String>,
    /// Marks carry texts for the pointer.
    pub titles: bool,
}

impl Paper {
    /// The width inside the margins.
    pub(crate) fn inner_width(&self) -> f64 {
        (self.width - 2.0 * MARGIN).max(0.0)
    }
}

impl Default for Paper {
    fn default() -> Self {
        Self {
            width: 960.0,
            height: None,
            theme: Theme::Light,
            title: None,
            source: None,
            titles: true,
        }
    }
}

/// What a caption says of the source: the name of the trace, the window if it is not the whole, and
/// why values do not have the colours that the trace gives them.
pub fn caption(name: &str, scope: &Scope<'_>, appearance: &Appearance) -> String {
    let facts = &scope.catalog().facts;
    let (window, unit) = (scope.window(), &facts.unit);
    let mut parts = vec![name.to_owned()];
    if (window.from, window.to) != (facts.start, facts.end) {
        let (from, to) = (unit.units(window.from), unit.units(window.to));
        parts.push(format!("{from} – {to} {}", unit.name));
    }
    parts.extend(appearance.colors_note(scope.catalog()));
    parts.join(" · ")
}
