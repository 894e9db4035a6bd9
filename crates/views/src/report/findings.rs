//! What costs time, with pictures that show it.

use onca_answer::{FindingAnswer, FoundFinding, findings as find};
use onca_model::format::percent;
use onca_query::{Appearance, Scope};
use onca_scene::{Block, Report, Section};

use super::whole::{bound, picture_block};
use crate::timeline::{self, TimelineOptions};
use crate::{Paper, Result};

/// At most this many findings are told.
const MOST: usize = 10;
/// At most this many have a picture.
const MOST_PICTURES: usize = 3;
/// The height of a picture, in pixels.
const HEIGHT: f64 = 300.0;

/// What costs time in the run, the most costly first.
pub fn findings(scope: &Scope<'_>, appearance: &Appearance) -> Result<Section> {
    let answer = find(scope)?;
    let mut blocks = Vec::new();
    for (at, finding) in answer.findings.iter().take(MOST).enumerate() {
        blocks.push(Block::Paragraph(sentence(&answer, at + 1, finding)));
        if at < MOST_PICTURES && finding.saved > 0 {
            blocks.push(evidence(scope, appearance, &answer, finding)?);
        }
    }
    if blocks.is_empty() {
        blocks.push(Block::Paragraph("Nothing was found that costs time.".to_owned()));
    }
    if !answer.not_examined.is_empty() {
        let remarks = answer.not_examined.join("; ");
        blocks.push(Block::Paragraph(format!("Not examined: {remarks}.")));
    }
    Ok(Section { heading: "What costs time".to_owned(), blocks })
}

/// A report of nothing but what costs time. `source` is what the trace is called.
pub fn findings_report(scope: &Scope<'_>, appearance: &Appearance, source: &str) -> Result<Report> {
    let sections = vec![findings(scope, appearance)?];
    Ok(bound(source, scope, sections))
}

fn sentence(answer: &FindingAnswer, number: usize, finding: &FoundFinding) -> String {
    let share = match answer.share(finding) {
        share if share > 0.0 => format!("{} of the run", percent(share).trim()),
        _ => "no time claimed".to_owned(),
    };
    format!("{number}. {} ({}; {share}).", finding.text, finding.kind)
}

/// A timeline of the time around a finding.
fn evidence(
    scope: &Scope<'_>,
    appearance: &Appearance,
    answer: &FindingAnswer,
    finding: &FoundFinding,
) -> Result<Block> {
    let window = answer.around(finding.window);
    let around = scope.during(window);
    let caption = "The time around it.";
    picture_block(&around, caption, |paper| {
        let paper = Paper { height: Some(HEIGHT), ..paper.clone() };
        timeline::figure(&around, appearance, &paper, &TimelineOptions::default())
    })
}
