//! All views, each described once.
//!
//! Commands, the server and the page go through [`VIEWS`]: whoever adds a view adds a module, and a
//! line here.

use std::fmt::Debug;
use std::sync::Arc;

use onca_answer::compare::{CompareSpec, Comparison, compare};
use onca_answer::overview::{Matrix, Metric};
use onca_answer::phases::{Communication, PhaseSpec, PhasesAnswer};
use onca_answer::topology::Platform;
use onca_model::Nature;
use onca_query::{Appearance, Reduction, ReductionForm, Scope};
use onca_scene::Figure;
use serde::Serialize;
use serde_json::{Map, Value};

#[cfg(feature = "clap")]
use crate::options::{OptionInfo, described, flags};
use crate::options::{ViewOptions, parse};
use crate::{Canvas, Drawn, Paper, Result, ViewError};

/// The views, in the order in which they are offered.
pub static VIEWS: [ViewEntry; 22] = [
    ViewEntry::of::<crate::timeline::TimelineView>(),
    ViewEntry::of::<crate::treemap::Treemap>(),
    ViewEntry::of::<crate::overview::OverviewView>(),
    ViewEntry::of::<crate::pie::Pie>(),
    ViewEntry::of::<crate::bars::BarChart>(),
    ViewEntry::of::<crate::matrix::MatrixView>(),
    ViewEntry::of::<crate::commgram::Commgram>(),
    ViewEntry::of::<crate::histogram::Histogram>(),
    ViewEntry::of::<crate::durations::DurationsView>(),
    ViewEntry::of::<crate::concurrency::Concurrency>(),
    ViewEntry::of::<crate::traffic::Traffic>(),
    ViewEntry::of::<crate::efficiency::EfficiencyView>(),
    ViewEntry::of::<crate::flame::FlameGraph>(),
    ViewEntry::of::<crate::graph::GraphView>(),
    ViewEntry::of::<crate::topology::Topology>(),
    ViewEntry::of::<crate::solid::SpaceScene>(),
    ViewEntry::of::<crate::compare::CompareTimeline>(),
    ViewEntry::of::<crate::compare::CompareOverview>(),
    ViewEntry::of::<crate::compare::CompareTreemap>(),
    ViewEntry::of::<crate::compare::CompareFlame>(),
    ViewEntry::of::<crate::compare::CompareMatrix>(),
    ViewEntry::of::<crate::compare::CompareTable>(),
];

/// A view.
pub trait View: 'static {
    /// What it can be asked for.
    type Options: ViewOptions;
    /// Its name in commands, requests and addresses.
    const NAME: &'static str;
    /// What people call it.
    const TITLE: &'static str;
    /// What a trace must have for it.
    const NEEDS: Needs = Needs::Nothing;
    /// How a page shows it.
    const SCREEN: Screen = Screen::Flat;
    /// Where a page shows it.
    const TAB: Tab = Tab::Charts;
    /// Does time go to the right in it?
    const HAS_TIME: bool = false;
    /// Can a network be named that it shows?
    const USES_NETWORK: bool = matches!(Self::NEEDS, Needs::Network);
    /// The flag of a command that names a file to draw instead of a trace, if there is one.
    const FILE: Option<FileFlag> = None;

    /// The view alone. Only those that a page shows flat have one.
    fn scene(
        _material: &Material<'_>,
        _canvas: &Canvas,
        _options: &Self::Options,
    ) -> Result<Drawn> {
        let why = format!("the {} has no scene of its own", Self::NAME);
        Err(ViewError::Nothing(why))
    }

    /// The view on a page, with title, axes, legend and caption.
    fn figure(material: &Material<'_>, paper: &Paper, options: &Self::Options) -> Result<Figure>;

    /// The view of a file that is no trace, on a page. Only those that take one have it.
    fn figure_of_file(_text: &str, _paper: &Paper, _options: &Self::Options) -> Result<OfFile> {
        let why = format!("the {} is drawn of traces only", Self::NAME);
        Err(ViewError::Nothing(why))
    }
}

/// The methods of a view that needs nothing but what is seen and how it looks: those of its module.
macro_rules! drawn_from_scope {
    () => {
        fn scene(
            material: &$crate::registry::Material<'_>,
            canvas: &$crate::Canvas,
            options: &Self::Options,
        ) -> $crate::Result<$crate::Drawn> {
            scene(material.scope, material.appearance, canvas, options)
        }

        fn figure(
            material: &$crate::registry::Material<'_>,
            paper: &$crate::Paper,
            options: &Self::Options,
        ) -> $crate::Result<onca_scene::Figure> {
            figure(material.scope, material.appearance, paper, options)
        }
    };
}
pub(crate) use drawn_from_scope;

/// A flag that names a file to draw instead of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileFlag {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub help: &'static str,
    /// The options of the view that the file decides.
    pub decides: &'static [&'static str],
}

/// What is drawn of a file.
#[derive(Debug)]
pub struct OfFile {
    /// The figure.
    pub figure: Figure,
    /// How many records were lost of the trace that the file was made of.
    pub lost: u64,
}

/// What a trace must have for a view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Nothing in particular.
    Nothing,
    /// States.
    States,
    /// Links.
    Links,
    /// A network that it ran on.
    Network,
    /// Another run to compare it with.
    OtherRun,
}

impl Needs {
    /// Why a trace does not fit, if it does not.
    fn missing(self, material: &Material<'_>) -> Option<&'static str> {
        let scope = material.scope;
        match self {
            Self::Nothing => None,
            Self::States => {
                let derived = |one: &Reduction| one.form == ReductionForm::States;
                let has_any = scope.tracks(Nature::State).next().is_some()
                    || scope.reductions().iter().any(derived);
                (!has_any).then_some("the trace has no states")
            }
            Self::Links => {
                let has_any = scope.link_lanes().next().is_some();
                (!has_any).then_some("the trace has no links")
            }
            Self::Network => material.platform.is_none().then_some(NO_NETWORK),
            Self::OtherRun => material.before.is_none().then_some(NO_OTHER_RUN),
        }
    }
}

pub(crate) const NO_OTHER_RUN: &str = "there is no other run to compare with";
const NO_NETWORK: &str = "the trace tells of no network; name a file of it with --topology";

/// How a page shows a view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Screen {
    /// As a flat scene.
    Flat,
    /// As rows that can be scrolled.
    Rows,
    /// As a scene in space.
    Space,
}

/// The tabs of a page, in the order in which they stand there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Tab {
    /// Rows of containers over time.
    Timeline,
    /// Areas that are alike.
    Overview,
    /// Nested rectangles.
    Treemap,
    /// Who sends how much to whom.
    Matrix,
    /// All that have no tab of their own.
    Charts,
    /// Nested states.
    Flame,
    /// Phases of communication.
    Phases,
    /// Who sends to whom, as a graph.
    Graph,
    /// Scenes in space, and the networks in them.
    Space,
    /// Two runs.
    Compare,
}

impl Tab {
    /// All of them, in order.
    pub const ALL: [Self; 10] = [
        Self::Timeline,
        Self::Overview,
        Self::Treemap,
        Self::Matrix,
        Self::Charts,
        Self::Flame,
        Self::Phases,
        Self::Graph,
        Self::Space,
        Self::Compare,
    ];
}

/// What views are made of.
#[derive(Clone, Copy)]
pub struct Material<'a> {
    /// What is seen of a trace.
    pub scope: &'a Scope<'a>,
    /// How it looks.
    pub appearance: &'a Appearance,
    /// The network that it ran on, if one is known.
    pub platform: Option<&'a Platform>,
    /// What was found out before.
    pub memory: &'a dyn Memory,
    /// The run that it is compared with, if there is one.
    pub before: Option<Before<'a>>,
}

/// Another run of the same program, which came before.
#[derive(Clone, Copy)]
pub struct Before<'a> {
    /// What is seen of it.
    pub scope: &'a Scope<'a>,
    /// How it looks.
    pub appearance: &'a Appearance,
}

impl<'a> Material<'a> {
    /// The network, or that there is none.
    pub(crate) fn network(&self) -> Result<&'a Platform> {
        self.platform.ok_or_else(|| ViewError::Nothing(NO_NETWORK.to_owned()))
    }
}

/// What pictures of the same part of a trace have in common, whatever else they are asked for. A
/// server remembers it.
pub trait Memory: Sync {
    /// The amounts that an overview is made of.
    fn matrix(&self, scope: &Scope<'_>, n_slices: usize, metric: &Metric) -> Result<Arc<Matrix>>;

    /// The messages that phases are made of.
    fn communication<'s>(
        &self,
        scope: &'s Scope<'s>,
        spec: &PhaseSpec,
    ) -> Result<Communication<'s>>;

    /// This many phases of these messages, and this many communities in each.
    fn phases(
        &self,
        communication: &Communication<'_>,
        spec: &PhaseSpec,
        n_phases: usize,
        n_communities: Option<usize>,
    ) -> Result<Arc<PhasesAnswer>>;

    /// Two runs compared.
    fn comparison(
        &self,
        before: &Scope<'_>,
        after: &Scope<'_>,
        spec: &CompareSpec,
    ) -> Result<Arc<Comparison>> {
        Ok(Arc::new(compare(before, after, spec)?))
    }
}

/// Remembers nothing: everything is found out when it is asked for.
pub struct NoMemory;

impl Memory for NoMemory {
    fn matrix(&self, scope: &Scope<'_>, n_slices: usize, metric: &Metric) -> Result<Arc<Matrix>> {
        Ok(Arc::new(Matrix::new(scope, n_slices, metric)?))
    }

    fn communication<'s>(
        &self,
        scope: &'s Scope<'s>,
        spec: &PhaseSpec,
    ) -> Result<Communication<'s>> {
        Ok(Communication::new(scope, spec)?)
    }

    fn phases(
        &self,
        communication: &Communication<'_>,
        _spec: &PhaseSpec,
        n_phases: usize,
        n_communities: Option<usize>,
    ) -> Result<Arc<PhasesAnswer>> {
        Ok(Arc::new(communication.phases(Some(n_phases), n_communities)?))
    }
}

/// A view that is asked for something.
pub trait AskedView: Send + Sync + Debug {
    /// The view.
    fn entry(&self) -> &'static ViewEntry;

    /// The view alone.
    fn scene(&self, material: &Material<'_>, canvas: &Canvas) -> Result<Drawn>;

    /// The view on a page.
    fn figure(&self, material: &Material<'_>, paper: &Paper) -> Result<Figure>;

    /// The view of a file that is no trace, on a page.
    fn figure_of_file(&self, text: &str, paper: &Paper) -> Result<OfFile>;

    /// The flags of a command that draws the same figure.
    #[cfg(feature = "clap")]
    fn flags(&self, scope: &Scope<'_>) -> Vec<String>;
}

/// A view that is asked for something, or why not.
type OrWhyNot<E> = std::result::Result<Box<dyn AskedView>, E>;

struct Asked<V: View>(V::Options);

impl<V: View> Debug for Asked<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", V::NAME, self.0)
    }
}

impl<V: View> AskedView for Asked<V> {
    fn entry(&self) -> &'static ViewEntry {
        const { &ViewEntry::of::<V>() }
    }

    fn scene(&self, material: &Material<'_>, canvas: &Canvas) -> Result<Drawn> {
        V::scene(material, canvas, &self.0)
    }

    fn figure(&self, material: &Material<'_>, paper: &Paper) -> Result<Figure> {
        V::figure(material, paper, &self.0)
    }

    fn figure_of_file(&self, text: &str, paper: &Paper) -> Result<OfFile> {
        V::figure_of_file(text, paper, &self.0)
    }

    #[cfg(feature = "clap")]
    fn flags(&self, scope: &Scope<'_>) -> Vec<String> {
        flags(&self.0.portable(scope))
    }
}

/// A view in the list of all.
#[derive(Debug)]
pub struct ViewEntry {
    /// Its name in commands, requests and addresses.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// How a page shows it.
    pub screen: Screen,
    /// Where a page shows it.
    pub tab: Tab,
    /// Does time go to the right in it?
    pub has_time: bool,
    /// Can a network be named that it shows?
    pub uses_network: bool,
    /// The flag of a command that names a file to draw instead of a trace, if there is one.
    pub file: Option<FileFlag>,
    /// Does it show two runs?
    pub compares: bool,
    needs: Needs,
    read: fn(Map<String, Value>) -> OrWhyNot<String>,
    #[cfg(feature = "clap")]
    describe: fn() -> Vec<OptionInfo>,
    #[cfg(feature = "clap")]
    augment: fn(clap::Command) -> clap::Command,
    #[cfg(feature = "clap")]
    from_matches: fn(&clap::ArgMatches) -> OrWhyNot<clap::Error>,
}

impl ViewEntry {
    /// The entry of a view.
    pub const fn of<V: View>() -> Self {
        Self {
            name: V::NAME,
            title: V::TITLE,
            screen: V::SCREEN,
            tab: V::TAB,
            has_time: V::HAS_TIME,
            uses_network: V::USES_NETWORK,
            file: V::FILE,
            compares: matches!(V::NEEDS, Needs::OtherRun),
            needs: V::NEEDS,
            read: read_fields::<V>,
            #[cfg(feature = "clap")]
            describe: described::<V::Options>,
            #[cfg(feature = "clap")]
            augment: <V::Options as clap::Args>::augment_args,
            #[cfg(feature = "clap")]
            from_matches: read_matches::<V>,
        }
    }

    /// The view of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        VIEWS.iter().find(|view| view.name == name)
    }

    /// Why a trace does not fit, if it does not.
    pub fn misfit(&self, material: &Material<'_>) -> Option<&'static str> {
        self.needs.missing(material)
    }

    /// The view with what the fields of a request ask for. What is unknown, of another kind, out of
    /// range, or does not go together, is refused by its name.
    pub fn ask(&self, fields: Map<String, Value>) -> OrWhyNot<String> {
        (self.read)(fields)
    }
}

#[cfg(feature = "clap")]
impl ViewEntry {
    /// All that it can be asked for.
    pub fn options(&self) -> Vec<OptionInfo> {
        (self.describe)()
    }

    /// A command with its options as arguments.
    pub fn augment(&self, command: clap::Command) -> clap::Command {
        (self.augment)(command)
    }

    /// The view with what the arguments of a command ask for.
    pub fn ask_matches(&self, matches: &clap::ArgMatches) -> OrWhyNot<clap::Error> {
        (self.from_matches)(matches)
    }
}

fn read_fields<V: View>(fields: Map<String, Value>) -> OrWhyNot<String> {
    Ok(Box::new(Asked::<V>(parse(V::NAME, fields)?)))
}

#[cfg(feature = "clap")]
fn read_matches<V: View>(matches: &clap::ArgMatches) -> OrWhyNot<clap::Error> {
    use clap::FromArgMatches;
    Ok(Box::new(Asked::<V>(V::Options::from_arg_matches(matches)?)))
}
