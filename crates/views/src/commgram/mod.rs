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

mod page;
mod paint;
mod plan;
mod screen;
mod strip;

use onca_answer::phases::{Communication, PhaseSpec, PhasesAnswer};
use onca_query::{Appearance, Scope};
use onca_scene::{Scene, Titles};

use crate::{Canvas, Drawn, Result, ViewError};

pub use page::figure;
pub use screen::screen;
pub use strip::strip;

/// What is drawn, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct CommgramOptions {
    /// Which messages, and between whom.
    pub spec: PhaseSpec,
    /// How many phases; the number that stands out most when there is none.
    pub phases: Option<usize>,
    /// How many communities in each phase; the best number of each phase when there is none.
    pub communities: Option<usize>,
    /// How much of the height slots may be moved up and down; from 0 to 1.
    pub waviness: f64,
    /// How wide bands are, compared with the usual.
    pub band_scale: f64,
}

impl Default for CommgramOptions {
    fn default() -> Self {
        Self {
            spec: PhaseSpec::default(),
            phases: None,
            communities: None,
            waviness: 0.2,
            band_scale: 1.0,
        }
    }
}

/// A slot is at least this wide, in pixels: fewer phases are drawn where more would have to be.
const LEAST_SLOT: f64 = 18.0;

/// Why there is no picture.
const NO_MESSAGES: &str = "there are no messages between containers in what is seen";

/// The picture alone.
pub fn scene(
    scope: &Scope<'_>,
    _appearance: &Appearance,
    canvas: &Canvas,
    options: &CommgramOptions,
) -> Result<Drawn> {
    let communication = Communication::new(scope, &options.spec)?;
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
    let layers = paint::layers(communication, answer, plan, canvas, &mut titles);
    let scene = Scene { layers, titles };
    Drawn { scene, view: canvas.bounds(), notes: paint::notes(plan, options) }
}

/// The phases that a width has room for, and what to say where there are more.
fn phases(
    communication: &Communication<'_>,
    width: f64,
    options: &CommgramOptions,
) -> Result<(PhasesAnswer, Option<String>)> {
    let (n, note) = fitting(communication, width, options.phases)?;
    Ok((communication.phases(Some(n), options.communities)?, note))
}

/// How many phases a width has room for, of those that are wanted, and what to say where that is fewer. Unless told, those are wanted that
/// stand out most.
pub fn fitting(
    communication: &Communication<'_>,
    width: f64,
    wanted: Option<usize>,
) -> Result<(usize, Option<String>)> {
    if communication.totals.messages == 0 {
        return Err(ViewError::Nothing(NO_MESSAGES.to_owned()));
    }
    let wanted = wanted.unwrap_or_else(|| communication.suggestions()[0].phases);
    let room = (width / LEAST_SLOT).max(1.0) as usize;
    let note = (wanted > room).then(|| format!("{wanted} phases were joined to {room}"));
    Ok((wanted.min(room), note))
}
