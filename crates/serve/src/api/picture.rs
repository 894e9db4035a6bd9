//! The views besides the timeline: what they can be asked for, as scenes, as figures and as
//! commands.

use onca_aggregate::slice::{Crossing, LinkEnd};
use onca_answer::Level;
use onca_answer::overview::{Choice, Metric as OverviewMetric};
use onca_answer::slice::{LinkMeasure, Measure};
use onca_query::{Appearance, Scope};
use onca_scene::Figure;
use onca_views::{Canvas, Drawn, Paper, Theme, bars, concurrency, histogram, matrix, overview};
use onca_views::{pie, treemap};
use serde::Deserialize;

use crate::fault::Fault;

/// The shortest and the longest side of a picture, in pixels.
const SIDES: std::ops::RangeInclusive<f64> = 1.0..=20_000.0;

/// Refuses sides that no picture has.
pub fn side(name: &str, pixels: f64) -> Result<f64, Fault> {
    match SIDES.contains(&pixels) {
        true => Ok(pixels),
        false => Err(Fault::question(format!("{name}: a side has from 1 to 20000 pixels"))),
    }
}

/// Light or dark.
#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThemeName {
    #[default]
    Light,
    Dark,
}

impl ThemeName {
    /// The theme.
    pub fn theme(self) -> Theme {
        match self {
            Self::Light => Theme::Light,
            Self::Dark => Theme::Dark,
        }
    }
}

/// A view besides the timeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    Treemap,
    Overview,
    Pie,
    Bars,
    Matrix,
    Histogram,
    Concurrency,
}

/// What a view is asked for; each takes what makes sense for it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewOptions {
    pub width: f64,
    pub height: f64,
    #[serde(default)]
    pub theme: ThemeName,
    /// The kind of the nodes, or their distance from the root.
    level: Option<String>,
    depth: Option<usize>,
    /// Into how many slices the window is cut.
    slices: Option<usize>,
    /// The trade-off of an overview.
    p: Option<f64>,
    /// The time in no state is a value too.
    #[serde(default)]
    idle: bool,
    /// All values of an area, stacked.
    #[serde(default)]
    all_values: bool,
    #[serde(default)]
    length: Length,
    metric: Option<Metric>,
    #[serde(default)]
    of: Counted,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Length {
    #[default]
    Share,
    Time,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Metric {
    Count,
    Bytes,
    Time,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Counted {
    #[default]
    Links,
    LinkSizes,
    LinkDurations,
    States,
}

impl View {
    /// The view of a name.
    pub fn named(name: &str) -> Result<Self, Fault> {
        let all = [
            Self::Treemap,
            Self::Overview,
            Self::Pie,
            Self::Bars,
            Self::Matrix,
            Self::Histogram,
            Self::Concurrency,
        ];
        let found = all.into_iter().find(|view| view.name() == name);
        found.ok_or_else(|| Fault::not_found(format!("there is no view {name:?}")))
    }

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Treemap => "treemap",
            Self::Overview => "overview",
            Self::Pie => "pie",
            Self::Bars => "bars",
            Self::Matrix => "matrix",
            Self::Histogram => "histogram",
            Self::Concurrency => "concurrency",
        }
    }

    /// Does it go over time?
    pub fn has_time(self) -> bool {
        matches!(self, Self::Overview | Self::Concurrency)
    }

    /// The bare view.
    pub fn scene(
        self,
        scope: &Scope<'_>,
        looks: &Appearance,
        options: &ViewOptions,
    ) -> Result<Drawn, Fault> {
        let canvas = &Canvas {
            width: side("width", options.width)?,
            height: side("height", options.height)?,
            theme: options.theme.theme(),
            titles: true,
        };
        Ok(match self {
            Self::Treemap => treemap::scene(scope, looks, canvas, &options.treemap()),
            Self::Overview => overview::scene(scope, looks, canvas, &options.overview()),
            Self::Pie => pie::scene(scope, looks, canvas, &options.pie()),
            Self::Bars => bars::scene(scope, looks, canvas, &options.bars()),
            Self::Matrix => matrix::scene(scope, looks, canvas, &options.matrix()),
            Self::Histogram => histogram::scene(scope, looks, canvas, &options.histogram()),
            Self::Concurrency => concurrency::scene(scope, looks, canvas, &options.concurrency()),
        }?)
    }

    /// The view on a page.
    pub fn figure(
        self,
        scope: &Scope<'_>,
        looks: &Appearance,
        paper: &Paper,
        options: &ViewOptions,
    ) -> Result<Figure, Fault> {
        Ok(match self {
            Self::Treemap => treemap::figure(scope, looks, paper, &options.treemap()),
            Self::Overview => overview::figure(scope, looks, paper, &options.overview()),
            Self::Pie => pie::figure(scope, looks, paper, &options.pie()),
            Self::Bars => bars::figure(scope, looks, paper, &options.bars()),
            Self::Matrix => matrix::figure(scope, looks, paper, &options.matrix()),
            Self::Histogram => histogram::figure(scope, looks, paper, &options.histogram()),
            Self::Concurrency => concurrency::figure(scope, looks, paper, &options.concurrency()),
        }?)
    }

    /// The flags of `onca render` for it.
    pub fn flags(self, options: &ViewOptions) -> Vec<String> {
        let mut flags = Vec::new();
        let mut add = |flag: &str, value: Option<String>| {
            if let Some(value) = value {
                flags.extend([flag.to_owned(), value]);
            }
        };
        let has_level = matches!(self, Self::Treemap | Self::Pie | Self::Bars | Self::Matrix);
        if has_level {
            add("--level", options.level.clone());
            let depth = options.depth.filter(|_| options.level.is_none());
            add("--depth", depth.map(|depth| depth.to_string()));
        }
        if self.has_time() {
            add("--slices", options.slices.map(|slices| slices.to_string()));
        }
        match self {
            Self::Overview => add("--p", options.p.map(|p| p.to_string())),
            Self::Bars if options.length == Length::Time => add("--length", Some("time".into())),
            Self::Treemap => match options.metric {
                Some(Metric::Count) => add("--mode", Some("count".into())),
                Some(Metric::Bytes) => {
                    add("--by", Some("links".into()));
                    add("--mode", Some("size".into()));
                }
                None | Some(Metric::Time) => {}
            },
            Self::Matrix => add("--metric", options.metric.map(|metric| metric.name().into())),
            Self::Histogram if options.of != Counted::Links => {
                add("--of", Some(options.of.name().into()));
            }
            _ => {}
        }
        if options.idle && matches!(self, Self::Treemap | Self::Overview) {
            flags.push("--idle".to_owned());
        }
        if options.all_values && self == Self::Overview {
            flags.push("--all-values".to_owned());
        }
        flags
    }
}

impl Metric {
    fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Bytes => "bytes",
            Self::Time => "time",
        }
    }
}

impl Counted {
    fn name(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::LinkSizes => "link-sizes",
            Self::LinkDurations => "link-durations",
            Self::States => "states",
        }
    }
}

impl ViewOptions {
    fn level(&self) -> Option<Level> {
        self.level.clone().map(Level::Kind).or(self.depth.map(Level::Depth))
    }

    fn treemap(&self) -> treemap::TreemapOptions {
        let detail = match (&self.level, self.depth) {
            (Some(level), _) => treemap::Detail::Kind(level.clone()),
            (None, Some(depth)) => treemap::Detail::Depth(depth),
            (None, None) => treemap::Detail::Leaves,
        };
        let measure = match self.metric {
            None | Some(Metric::Time) => Measure::StateTime { inclusive: false },
            Some(Metric::Count) => Measure::StateCount,
            Some(Metric::Bytes) => Measure::Link {
                measure: LinkMeasure::Size,
                end: LinkEnd::Origin,
                border: Crossing::Drop,
            },
        };
        treemap::TreemapOptions { measure, detail, idle: self.idle, ..Default::default() }
    }

    fn overview(&self) -> overview::OverviewOptions {
        let usual = overview::OverviewOptions::default();
        overview::OverviewOptions {
            metric: OverviewMetric::States { idle: self.idle },
            slices: self.slices.unwrap_or(usual.slices),
            choice: self.p.map_or(usual.choice, Choice::P),
            shading: match self.all_values {
                true => overview::Shading::AllValues,
                false => overview::Shading::Mode,
            },
            ..usual
        }
    }

    fn pie(&self) -> pie::PieOptions {
        pie::PieOptions { level: self.level().unwrap_or(Level::Whole) }
    }

    fn bars(&self) -> bars::BarsOptions {
        let usual = bars::BarsOptions::default();
        bars::BarsOptions {
            level: self.level().unwrap_or(usual.level),
            length: match self.length {
                Length::Share => bars::BarLength::Share,
                Length::Time => bars::BarLength::Time,
            },
        }
    }

    fn matrix(&self) -> matrix::MatrixOptions {
        let usual = matrix::MatrixOptions::default();
        matrix::MatrixOptions {
            level: self.level().unwrap_or(usual.level),
            metric: self.metric.map(|metric| match metric {
                Metric::Count => matrix::Metric::Count,
                Metric::Bytes => matrix::Metric::Bytes,
                Metric::Time => matrix::Metric::Time,
            }),
            ..usual
        }
    }

    fn histogram(&self) -> histogram::HistogramOptions {
        histogram::HistogramOptions {
            counted: match self.of {
                Counted::Links => histogram::Counted::Links,
                Counted::LinkSizes => histogram::Counted::LinkSizes,
                Counted::LinkDurations => histogram::Counted::LinkDurations,
                Counted::States => histogram::Counted::States,
            },
            counts: None,
        }
    }

    fn concurrency(&self) -> concurrency::ConcurrencyOptions {
        concurrency::ConcurrencyOptions { n_slices: self.slices }
    }
}
