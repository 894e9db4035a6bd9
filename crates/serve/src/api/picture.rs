//! The views besides the timeline: what they can be asked for, as scenes, as figures and as
//! commands.

use onca_answer::Level;
use onca_answer::overview::{Choice, Metric as OverviewMetric};
use onca_query::{Appearance, Scope};
use onca_scene::Figure;
use onca_views::{Canvas, Drawn, Paper, Theme, bars, commgram, concurrency, efficiency, flame};
use onca_views::{graph, histogram, matrix, overview, pie, treemap};
use serde::Deserialize;

use super::phases::MessagesAsked;
use super::solid::LayoutName;
use crate::fault::Fault;
use crate::question::{AskedWindow, Seen};

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
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThemeName {
    #[default]
    Light,
    Dark,
}

impl ThemeName {
    /// How questions write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

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
    Commgram,
    Efficiency,
    Flame,
    Graph,
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
    pub(super) level: Option<String>,
    pub(super) depth: Option<usize>,
    /// Into how many slices the window is cut.
    slices: Option<usize>,
    /// The trade-off of an overview.
    p: Option<f64>,
    /// The time in no state is a value too.
    #[serde(default)]
    pub(super) idle: bool,
    /// All values of an area, stacked.
    #[serde(default)]
    all_values: bool,
    #[serde(default)]
    length: Length,
    pub(super) metric: Option<Metric>,
    /// What a cell of a treemap has of its leaves, and a ratio that it shows instead of a metric.
    pub(super) agg: Option<String>,
    pub(super) ratio: Option<String>,
    #[serde(default)]
    of: Counted,
    /// How many phases of communication, and communities in each.
    phases: Option<usize>,
    communities: Option<usize>,
    /// How much phases are moved up and down, and how wide bands are.
    wave: Option<f64>,
    bands: Option<f64>,
    #[serde(default)]
    messages: MessagesAsked,
    /// The window that a treemap is compared with.
    pub(super) against: Option<AskedWindow>,
    /// The names of nested values that lead into a flame graph.
    #[serde(default)]
    path: Vec<String>,
    /// How a graph is laid out, and where its random numbers begin.
    layout: Option<LayoutName>,
    seed: Option<u64>,
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
pub(super) enum Metric {
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
            Self::Commgram,
            Self::Efficiency,
            Self::Flame,
            Self::Graph,
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
            Self::Commgram => "commgram",
            Self::Efficiency => "efficiency",
            Self::Flame => "flame",
            Self::Graph => "graph",
        }
    }

    /// Does it go over time?
    pub fn has_time(self) -> bool {
        matches!(self, Self::Overview | Self::Concurrency | Self::Efficiency)
    }

    /// The bare view.
    pub fn scene(
        self,
        seen: &Seen<'_>,
        looks: &Appearance,
        options: &ViewOptions,
    ) -> Result<Drawn, Fault> {
        let scope = &seen.scope;
        let canvas = &Canvas {
            width: side("width", options.width)?,
            height: side("height", options.height)?,
            theme: options.theme.theme(),
            titles: true,
        };
        Ok(match self {
            Self::Treemap => treemap::scene(scope, looks, canvas, &options.treemap(scope)?),
            Self::Overview => {
                let options = options.overview();
                let matrix = seen.trace.matrices.of(seen, options.slices, &options.metric)?;
                overview::scene_of(&matrix, scope, looks, canvas, &options)
            }
            Self::Pie => pie::scene(scope, looks, canvas, &options.pie()),
            Self::Bars => bars::scene(scope, looks, canvas, &options.bars()),
            Self::Matrix => matrix::scene(scope, looks, canvas, &options.matrix()),
            Self::Histogram => histogram::scene(scope, looks, canvas, &options.histogram()),
            Self::Concurrency => concurrency::scene(scope, looks, canvas, &options.concurrency()),
            Self::Commgram => return super::phases::drawn(seen, canvas, &options.commgram(seen)?),
            Self::Efficiency => efficiency::scene(scope, canvas, &options.efficiency()),
            Self::Flame => flame::scene(scope, looks, canvas, &options.flame()),
            Self::Graph => graph::scene(scope, looks, canvas, &options.graph()),
        }?)
    }

    /// The view on a page.
    pub fn figure(
        self,
        seen: &Seen<'_>,
        looks: &Appearance,
        paper: &Paper,
        options: &ViewOptions,
    ) -> Result<Figure, Fault> {
        let scope = &seen.scope;
        Ok(match self {
            Self::Treemap => treemap::figure(scope, looks, paper, &options.treemap(scope)?),
            Self::Overview => overview::figure(scope, looks, paper, &options.overview()),
            Self::Pie => pie::figure(scope, looks, paper, &options.pie()),
            Self::Bars => bars::figure(scope, looks, paper, &options.bars()),
            Self::Matrix => matrix::figure(scope, looks, paper, &options.matrix()),
            Self::Histogram => histogram::figure(scope, looks, paper, &options.histogram()),
            Self::Concurrency => concurrency::figure(scope, looks, paper, &options.concurrency()),
            Self::Commgram if options.messages.is_part() => {
                let why = "what is unfolded has no figure; make its time the window";
                return Err(Fault::senseless(why));
            }
            Self::Commgram => commgram::figure(scope, looks, paper, &options.commgram(seen)?),
            Self::Efficiency => efficiency::figure(scope, paper, &options.efficiency()),
            Self::Flame => flame::figure(scope, looks, paper, &options.flame()),
            Self::Graph => graph::figure(scope, looks, paper, &options.graph()),
        }?)
    }

    /// The flags of `onca render` for it.
    pub fn flags(self, scope: &Scope<'_>, options: &ViewOptions) -> Result<Vec<String>, Fault> {
        let mut flags = Vec::new();
        let mut add = |flag: &str, value: Option<String>| {
            if let Some(value) = value {
                flags.extend([flag.to_owned(), value]);
            }
        };
        let has_level = matches!(
            self,
            Self::Treemap | Self::Pie | Self::Bars | Self::Matrix | Self::Commgram | Self::Graph
        );
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
            Self::Graph => {
                let metric = options.metric.filter(|metric| *metric != Metric::Time);
                add("--metric", metric.map(|metric| metric.name().into()));
                add("--layout", options.layout.map(|layout| layout.meaning().name().into()));
                add("--seed", options.seed.map(|seed| seed.to_string()));
            }
            Self::Matrix => add("--metric", options.metric.map(|metric| metric.name().into())),
            Self::Histogram if options.of != Counted::Links => {
                add("--of", Some(options.of.name().into()));
            }
            Self::Commgram => {
                let number = |n: Option<usize>| n.map(|n| n.to_string());
                add("--phases", number(options.phases));
                add("--communities", number(options.communities));
                add("--wave", options.wave.map(|wave| wave.to_string()));
                add("--bands", options.bands.map(|bands| bands.to_string()));
                options.messages.flags().into_iter().for_each(|(flag, value)| add(flag, value));
            }
            _ => {}
        }
        if self == Self::Commgram && options.messages.leaves_collectives_out() {
            flags.push("--no-collectives".to_owned());
        }
        if self == Self::Flame {
            flags.extend(options.path.iter().map(|name| format!("--inside={name}")));
        }
        if self == Self::Treemap {
            flags.extend(options.treemap_flags(scope)?);
        }
        if options.idle && matches!(self, Self::Treemap | Self::Overview) {
            flags.push("--idle".to_owned());
        }
        if options.all_values && self == Self::Overview {
            flags.push("--all-values".to_owned());
        }
        Ok(flags)
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

    fn commgram(&self, seen: &Seen<'_>) -> Result<commgram::CommgramOptions, Fault> {
        let usual = commgram::CommgramOptions::default();
        let within = |name: &str, number: f64, range: std::ops::RangeInclusive<f64>| {
            let fault =
                || Fault::question(format!("{name}: from {} to {}", range.start(), range.end()));
            range.contains(&number).then_some(number).ok_or_else(fault)
        };
        Ok(commgram::CommgramOptions {
            spec: self.messages.spec(seen, self.level().unwrap_or_default())?,
            phases: self.phases.map(|n| n.max(1)),
            communities: self.communities.map(|n| n.max(1)),
            waviness: within("wave", self.wave.unwrap_or(usual.waviness), 0.0..=0.9)?,
            band_scale: within("bands", self.bands.unwrap_or(usual.band_scale), 0.01..=100.0)?,
        })
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

    fn graph(&self) -> graph::GraphOptions {
        let usual = graph::GraphOptions::default();
        graph::GraphOptions {
            level: self.level().unwrap_or(usual.level),
            method: self.layout.map_or(usual.method, LayoutName::meaning),
            seed: self.seed.unwrap_or(usual.seed),
            metric: self.metric.and_then(|metric| match metric {
                Metric::Bytes => Some(matrix::Metric::Bytes),
                Metric::Count => Some(matrix::Metric::Count),
                Metric::Time => None,
            }),
        }
    }

    fn concurrency(&self) -> concurrency::ConcurrencyOptions {
        concurrency::ConcurrencyOptions { n_slices: self.slices }
    }

    fn efficiency(&self) -> efficiency::EfficiencyOptions {
        let usual = efficiency::EfficiencyOptions::default();
        efficiency::EfficiencyOptions { n_slices: self.slices.unwrap_or(usual.n_slices) }
    }

    fn flame(&self) -> flame::FlameOptions {
        flame::FlameOptions { path: self.path.clone() }
    }
}
