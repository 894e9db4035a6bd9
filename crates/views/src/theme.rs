//! The colours of everything that is not data.

use onca_model::Color;
use onca_query::palette::GROUNDS;
use serde::{Deserialize, Serialize};

/// Light or dark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Theme {
    /// Black on white, for paper
    #[default]
    Light,
    /// White on nearly black, for screens
    Dark,
}

/// The colours of a theme. Text has a contrast of at least 4.5 to 1 on the background.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThemeColors {
    /// Behind everything.
    pub background: Color,
    /// Behind the data, where nothing is.
    pub field: Color,
    /// Titles and labels.
    pub text: Color,
    /// Captions, ticks, what matters less.
    pub muted: Color,
    /// Lines of axes.
    pub axis: Color,
    /// Lines of grids.
    pub grid: Color,
    /// The chosen one.
    pub accent: Color,
}

impl Theme {
    /// How requests and addresses write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Its colours.
    pub fn colors(self) -> &'static ThemeColors {
        match self {
            Self::Light => &LIGHT,
            Self::Dark => &DARK,
        }
    }
}

const LIGHT: ThemeColors = ThemeColors {
    background: GROUNDS[0],
    field: Color::rgb(247, 247, 248),
    text: Color::rgb(20, 20, 24),
    muted: Color::rgb(92, 92, 102),
    axis: Color::rgb(128, 128, 138),
    grid: Color::rgb(226, 226, 231),
    accent: Color::rgb(0, 90, 181),
};

const DARK: ThemeColors = ThemeColors {
    background: GROUNDS[1],
    field: Color::rgb(31, 32, 39),
    text: Color::rgb(236, 236, 240),
    muted: Color::rgb(164, 166, 178),
    axis: Color::rgb(118, 120, 134),
    grid: Color::rgb(52, 54, 64),
    accent: Color::rgb(120, 180, 255),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::contrast;

    #[test]
    fn texts_can_be_read() {
        for theme in [Theme::Light, Theme::Dark] {
            let colors = theme.colors();
            for behind in [colors.background, colors.field] {
                assert!(contrast(colors.text, behind) >= 7.0);
                assert!(contrast(colors.muted, behind) >= 4.5);
            }
        }
    }
}
