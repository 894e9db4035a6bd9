//! Phases of communication: communities as bars, what they send each other as bands.
//!
//! ```text
//!   pattern      A                        B
//!   senders ▐▬▬▬▬▬▬▬▬▌ receivers ┄┄┄┄ ▐▬▬▬▬▬▬▬▬▌
//!           ▐▬▬╲ ╱▬▬▬▌           ┄┄╳┄ ▐▬▬▬▬▬▬▬▬▌
//!           ▐▬▬╱ ╲▬▬▬▌           ┄┄╳┄ ▐▬▬▬▬▬▬▬▬▌
//! ```
//!
//! A phase has a slot: at its left side the communities as senders, at its right side the same ones as receivers. Between the slots thin
//! ribbons show where members of a community go. Slots lie the higher or lower the more communities change.

mod names;
mod page;
mod paint;
mod plan;
mod screen;
mod strip;

use onca_answer::phases::{Communication, PhasesAnswer};
use onca_query::{Appearance, Scope};
use onca_scene::{Figure, Scene, Titles};
use serde::{Deserialize, Serialize};

use crate::options::{MessageOptions, PhaseOptions, ViewOptions};
use crate::registry::{FileFlag, Material, Needs, OfFile, Tab, View};
use crate::{Canvas, Drawn, Paper, Result, ViewError};

pub use page::figure;
pub use screen::screen;
pub use strip::strip;

/// Phases of communication: communities of processes, and what they send each other
///
/// Bars are communities, bands what one sends to another; thin ribbons show where the members of a community go from phase to
/// phase. A phase lies as high as the one before where its communities are the same.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render commgram run.paje -o run.svg
  onca render commgram run.paje --phases 12 --communities 4 -o run.pdf
  onca render commgram run.paje --wave 0 --bands 2 -o flat.png
  onca render commgram run.paje --curve alone -o curve.svg
  onca render commgram --messages messages.csv -o messages.svg")
)]
pub struct CommgramOptions {
    /// Which messages, between whom, in how many phases.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub phases: PhaseOptions,

    /// How much of the height phases are moved up and down by, from 0 to 0.9
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "SHARE",
            value_parser = parse_wave,
            default_value = "0.2",
            help_heading = "Picture"
        )
    )]
    pub wave: f64,

    /// How wide bands are, compared with the usual
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "FACTOR",
            value_parser = parse_bands,
            default_value = "1",
            help_heading = "Picture"
        )
    )]
    pub bands: f64,

    /// Where the curve of phases is
    #[cfg_attr(
        feature = "clap",
        arg(long, value_enum, value_name = "PLACE", default_value_t, help_heading = "Picture")
    )]
    pub curve: CurvePlace,
}

/// Where the curve of phases is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum CurvePlace {
    /// Below the diagram, over time
    #[default]
    Below,
    /// Over the slots too
    Over,
    /// Alone, large
    Alone,
}

impl Default for CommgramOptions {
    fn default() -> Self {
        Self {
            phases: PhaseOptions::default(),
            wave: 0.2,
            bands: 1.0,
            curve: CurvePlace::default(),
        }
    }
}

impl ViewOptions for CommgramOptions {}

#[cfg(feature = "clap")]
fn parse_wave(text: &str) -> std::result::Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=0.9).contains(share));
    share.ok_or_else(|| "write a share from 0 to 0.9".to_owned())
}

#[cfg(feature = "clap")]
fn parse_bands(text: &str) -> std::result::Result<f64, String> {
    let factor = text.parse().ok().filter(|factor| (0.01..=100.0).contains(factor));
    factor.ok_or_else(|| "write a factor from 0.01 to 100".to_owned())
}

/// Phases of communication.
pub struct Commgram;

impl View for Commgram {
    type Options = CommgramOptions;
    const NAME: &str = "commgram";
    const TITLE: &str = "CommGram";
    const TAB: Tab = Tab::Phases;
    const NEEDS: Needs = Needs::Links;
    const FILE: Option<FileFlag> = Some(FileFlag {
        name: "messages",
        help: "Draw the messages in FILE instead of a trace: source, destination, start, end, size; times in seconds",
        decides: &[],
    });

    fn scene(material: &Material<'_>, canvas: &Canvas, options: &CommgramOptions) -> Result<Drawn> {
        let spec = options.phases.spec(material.scope)?;
        let communication = material.memory.communication(material.scope, &spec)?;
        let wanted = options.phases.n_phases();
        let (n, note) = match communication.totals.messages {
            0 => (0, None),
            _ => on_screen(&communication, wanted)?,
        };
        let n_communities = options.phases.n_communities();
        let answer = material.memory.phases(&communication, &spec, n, n_communities)?;
        let mut drawn = match options.curve {
            CurvePlace::Alone if !answer.phases.is_empty() => {
                strip(&communication, &answer, communication.extent, canvas)
            }
            _ => screen(&communication, &answer, canvas, options),
        };
        drawn.notes.extend(note);
        Ok(drawn)
    }

    fn figure(material: &Material<'_>, paper: &Paper, options: &CommgramOptions) -> Result<Figure> {
        let MessageOptions { within, among, .. } = &options.phases.messages;
        if within.is_some() || among.is_some() {
            let why = "what is unfolded has no figure; make its time the window";
            return Err(ViewError::Nothing(why.to_owned()));
        }
        figure(material.scope, material.appearance, paper, options)
    }

    fn figure_of_file(text: &str, paper: &Paper, options: &CommgramOptions) -> Result<OfFile> {
        let communication = Communication::from_csv(text, &options.phases.spec_of_file())?;
        let processors = communication.processors.iter();
        let names: Vec<String> = processors.map(|one| one.name.clone()).collect();
        let figure = page::figure_of(&communication, &names, paper, options)?;
        Ok(OfFile { figure, lost: 0 })
    }
}

/// A slot of a figure is at least this wide, in pixels: fewer phases are drawn where more would have to be.
const LEAST_SLOT: f64 = 18.0;
/// A screen shows at most this many phases, however wide it is: what is found must not depend on the size of a window.
pub const MOST_ON_SCREEN: usize = 400;

/// Why there is no picture.
const NO_MESSAGES: &str = "there are no messages between containers in what is seen";

/// The picture alone.
pub fn scene(
    scope: &Scope<'_>,
    _appearance: &Appearance,
    canvas: &Canvas,
    options: &CommgramOptions,
) -> Result<Drawn> {
    let communication = Communication::new(scope, &options.phases.spec(scope)?)?;
    let (answer, note) = phases(&communication, canvas.width, options)?;
    let mut drawn = draw(&communication, &answer, canvas, options);
    drawn.notes.extend(note);
    Ok(drawn)
}

/// The picture of phases that are already known.
pub fn draw(
    communication: &Communication<'_>,
    answer: &PhasesAnswer,
    canvas: &Canvas,
    options: &CommgramOptions,
) -> Drawn {
    let plan = plan::Plan::new(communication, answer, &canvas.bounds(), options);
    painted(communication, answer, &plan, canvas, options)
}

/// What a plan says, as a scene.
fn painted(
    communication: &Communication<'_>,
    answer: &PhasesAnswer,
    plan: &plan::Plan,
    canvas: &Canvas,
    options: &CommgramOptions,
) -> Drawn {
    let mut titles = Titles::default();
    let mut layers = paint::layers(communication, answer, plan, canvas, &mut titles);
    if options.curve == CurvePlace::Over {
        layers.extend(strip::over_slots(answer, plan, &canvas.bounds(), canvas));
    }
    let scene = Scene { layers, titles };
    Drawn { notes: paint::notes(plan, options), ..Drawn::plain(scene, canvas.bounds()) }
}

/// The phases that a width has room for, and what to say where there are more.
fn phases(
    communication: &Communication<'_>,
    width: f64,
    options: &CommgramOptions,
) -> Result<(PhasesAnswer, Option<String>)> {
    let (n, note) = fitting(communication, width, options.phases.n_phases())?;
    Ok((communication.phases(Some(n), options.phases.n_communities())?, note))
}

/// How many phases a screen shows, of those that are wanted, and what to say where that is fewer.
pub fn on_screen(
    communication: &Communication<'_>,
    asked: Option<usize>,
) -> Result<(usize, Option<String>)> {
    at_most(communication, MOST_ON_SCREEN, asked)
}

/// The same for a figure of some width.
pub fn fitting(
    communication: &Communication<'_>,
    width: f64,
    asked: Option<usize>,
) -> Result<(usize, Option<String>)> {
    at_most(communication, (width / LEAST_SLOT).max(1.0) as usize, asked)
}

/// By default, those phases are wanted that stand out most.
fn at_most(
    communication: &Communication<'_>,
    room: usize,
    asked: Option<usize>,
) -> Result<(usize, Option<String>)> {
    if communication.totals.messages == 0 {
        return Err(ViewError::Nothing(NO_MESSAGES.to_owned()));
    }
    let wanted = asked.unwrap_or_else(|| communication.suggestions()[0].phases);
    let n = wanted.min(room);
    let note = match wanted > room {
        true => Some(format!("{wanted} phases were joined to {room}")),
        false => communication.note_of_phases(asked, n),
    };
    Ok((n, note))
}
