//! Everything about a trace in one document.

use onca_aggregate::overview::StartRule;
use onca_answer::AnswerError;
use onca_answer::overview::{Choice, Matrix, Metric};
use onca_query::{Appearance, Scope};
use onca_scene::{Block, Figure, Picture, Report, Section};

use crate::{
    Paper, Result, Theme, TimeScale, ViewError, concurrency, matrix, overview, timeline, treemap,
};

use super::{disruptions, efficiency, findings, notes, problems, statistics, trace};

/// The width of the pictures, in pixels.
const WIDTH: f64 = 960.0;
/// Slices of time in which disruptions are looked for: enough to tell when something happens.
const SLICES: usize = 100;
/// The same in a trace of many values: losses take time with the square of the slices.
const SLICES_OF_MANY: usize = 30;
/// With more values than this, pictures are on light ground alone: they take seconds and megabytes.
const MANY_VALUES: usize = 10_000;

/// A report on what is seen: what costs time, what is in the trace, its pictures, its statistics, what breaks the
/// pattern, and what was wrong with it. `source` is what the trace is called.
pub fn report(scope: &Scope<'_>, appearance: &Appearance, source: &str) -> Result<Report> {
    let mut sections = vec![
        findings(scope, appearance)?,
        trace(scope),
        picture(scope, "Overview", "Which parts look alike, in space and time.", |paper| {
            overview::figure(scope, appearance, paper, &overview::OverviewOptions::default())
        })?,
        picture(scope, "Timeline", "Every container over time.", |paper| {
            timeline::figure(scope, appearance, paper, &timeline::TimelineOptions::default())
        })?,
        picture(
            scope,
            "Treemap",
            "How much time every container spends in each state.",
            |paper| treemap::figure(scope, appearance, paper, &treemap::TreemapOptions::default()),
        )?,
        picture(
            scope,
            "Concurrency",
            "How many containers are in each state over time.",
            |paper| {
                let options = concurrency::ConcurrencyOptions::default();
                concurrency::figure(scope, appearance, paper, &options)
            },
        )?,
        picture(scope, "Communication", "Who sends how much to whom.", |paper| {
            matrix::figure(scope, appearance, paper, &matrix::MatrixOptions::default())
        })?,
        statistics(scope, appearance)?,
        efficiency(scope)?,
        broken_patterns(scope)?,
        problems(scope),
    ];
    // What people said comes right after what was found.
    if let Some(notes) = notes(scope) {
        sections.insert(1, notes);
    }
    Ok(bound(source, scope, sections))
}

/// Sections as a document.
pub(super) fn bound(source: &str, scope: &Scope<'_>, sections: Vec<Section>) -> Report {
    Report {
        title: source.to_owned(),
        subtitle: subtitle(scope),
        sections,
        foot: concat!("Made by onca ", env!("CARGO_PKG_VERSION")).to_owned(),
    }
}

/// A section with one picture.
fn picture(
    scope: &Scope<'_>,
    heading: &str,
    caption: &str,
    make: impl Fn(&Paper) -> Result<Figure>,
) -> Result<Section> {
    let block = picture_block(scope, caption, make)?;
    Ok(Section { heading: heading.to_owned(), blocks: vec![block] })
}

/// A picture on light and on dark ground, or the reason why there is none.
pub(super) fn picture_block(
    scope: &Scope<'_>,
    caption: &str,
    make: impl Fn(&Paper) -> Result<Figure>,
) -> Result<Block> {
    let paper =
        |theme| Paper { width: WIDTH, theme, title: Some(String::new()), ..Paper::default() };
    Ok(match make(&paper(Theme::Light)) {
        Ok(light) => {
            let dark = (!has_many_values(scope)).then(|| make(&paper(Theme::Dark))).transpose()?;
            Block::Picture(Picture { light, dark, caption: caption.to_owned() })
        }
        Err(
            ViewError::Nothing(why)
            | ViewError::Answer(AnswerError::Question(why) | AnswerError::TooLarge(why)),
        ) => Block::Paragraph(format!("There is no picture: {why}.")),
        Err(error) => return Err(error),
    })
}

fn has_many_values(scope: &Scope<'_>) -> bool {
    scope.catalog().values.len() > MANY_VALUES
}

fn broken_patterns(scope: &Scope<'_>) -> Result<Section> {
    let n_slices = if has_many_values(scope) { SLICES_OF_MANY } else { SLICES };
    match Matrix::new(scope, n_slices, &Metric::States { idle: false }) {
        Ok(matrix) if !matrix.values.is_empty() => {
            disruptions(&matrix, Choice::Start(StartRule::default()))
        }
        Ok(_) => Ok(nothing_to_compare("no states are seen")),
        Err(AnswerError::Question(why) | AnswerError::TooLarge(why)) => {
            Ok(nothing_to_compare(&why))
        }
        Err(error) => Err(error.into()),
    }
}

fn nothing_to_compare(why: &str) -> Section {
    let words = format!("There is nothing to compare: {why}.");
    Section { heading: "Disruptions".to_owned(), blocks: vec![Block::Paragraph(words)] }
}

/// The window, where it is not the whole trace.
fn subtitle(scope: &Scope<'_>) -> String {
    let facts = &scope.catalog().facts;
    let window = scope.window();
    if (window.from, window.to) == (facts.start, facts.end) {
        return String::new();
    }
    let scale = TimeScale::new(window, &facts.unit);
    let (from, to) = (scale.of(window.from as f64), scale.of(window.to as f64));
    format!("From {from} to {to}: {}", scale.title())
}
