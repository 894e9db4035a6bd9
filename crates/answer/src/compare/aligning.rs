//! Which times of two runs belong together.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use onca_aggregate::align::{Alignment, Gap, Step, sequence};
use onca_model::{ContainerId, Nature, Ticks};
use onca_query::Scope;
use serde::{Deserialize, Serialize};

use super::side::{Side, alike};
use crate::{AnswerError, Result};

/// By what the times of two runs are paired.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Align {
    /// By iterations where both runs have them, else by phases.
    #[default]
    Auto,
    /// The runs begin together.
    Begin,
    /// The runs end together.
    End,
    /// What processes do in a part of a run, and in which order such parts come.
    Phases,
    /// What lies between operations in which all meet.
    Iterations,
    /// The first event or state of a name belongs to the first of the other run, and so on.
    Events(String),
    /// Times as they are.
    None,
}

impl FromStr for Align {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        Ok(match text {
            "auto" => Self::Auto,
            "begin" => Self::Begin,
            "end" => Self::End,
            "phases" => Self::Phases,
            "iterations" => Self::Iterations,
            "none" => Self::None,
            _ => match text.strip_prefix("events:").filter(|name| !name.is_empty()) {
                Some(name) => Self::Events(name.to_owned()),
                None => {
                    return Err(format!(
                        "{text:?} is none of auto, begin, end, phases, iterations, events:NAME, none"
                    ));
                }
            },
        })
    }
}

impl TryFrom<String> for Align {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        text.parse()
    }
}

impl From<Align> for String {
    fn from(align: Align) -> Self {
        align.to_string()
    }
}

impl fmt::Display for Align {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Begin => f.write_str("begin"),
            Self::End => f.write_str("end"),
            Self::Phases => f.write_str("phases"),
            Self::Iterations => f.write_str("iterations"),
            Self::Events(name) => write!(f, "events:{name}"),
            Self::None => f.write_str("none"),
        }
    }
}

/// So many pairs are compared where time runs evenly inside of them.
const EVEN_PAIRS: usize = 64;
/// Runs with fewer steps have no iterations.
const LEAST_STEPS: usize = 4;
/// Sums of these are exact, so that ways that are equally good are known to be.
const GAP: Gap = Gap { begin: 0.5, each: 0.0625 };

/// Two runs side by side in ticks of the comparison, and by what.
pub(super) struct Aligned {
    pub by: Align,
    pub alignment: Alignment,
}

/// Lays two runs side by side. `n_numbers` is how many values both have.
pub(super) fn align(
    before: &Side<'_>,
    after: &Side<'_>,
    by: &Align,
    n_numbers: usize,
) -> Result<Aligned> {
    let (a, b) = (before.scaled_run(), after.scaled_run());
    let has_steps = |side: &Side<'_>| side.course().n_steps() >= LEAST_STEPS;
    let by = match by {
        Align::Auto if has_steps(before) && has_steps(after) => Align::Iterations,
        Align::Auto => Align::Phases,
        by => by.clone(),
    };
    let even = |alignment: Alignment| alignment.cut(EVEN_PAIRS);
    let alignment = match &by {
        Align::Begin => even(Alignment::shifted(a, b, b.from - a.from)),
        Align::End => even(Alignment::shifted(a, b, b.to - a.to)),
        Align::None => even(Alignment::shifted(a, b, 0)),
        Align::Iterations => by_steps(before, after),
        Align::Phases | Align::Auto => even(by_phases(before, after, n_numbers)?),
        Align::Events(name) => by_events(before, after, name)?,
    };
    Ok(Aligned { by, alignment: snapped(alignment, before.scale, after.scale) })
}

/// Borders in ticks of the runs.
fn snapped(mut alignment: Alignment, before: i64, after: i64) -> Alignment {
    let snap = |time: &mut Ticks, scale: i64| *time -= time.rem_euclid(scale);
    for pair in &mut alignment.pairs {
        snap(&mut pair.before.from, before);
        snap(&mut pair.before.to, before);
        snap(&mut pair.after.from, after);
        snap(&mut pair.after.to, after);
    }
    alignment
}

/// What a longer, or shorter, segment takes off the worth of a pair: nothing up to half as long again.
fn stretched(before: f64, after: f64) -> f64 {
    let ratio = (after.max(1.0) / before.max(1.0)).ln().abs();
    0.2 * ((ratio - 1.5f64.ln()) / 4f64.ln()).clamp(0.0, 1.0)
}

fn scaled(borders: &[Ticks], scale: i64) -> Vec<Ticks> {
    borders.iter().map(|border| border * scale).collect()
}

/// Pairs segments whose worth is from 0 to 1.
fn best(a: &[Ticks], b: &[Ticks], worth: impl Fn(usize, usize) -> f64) -> Alignment {
    let length = |borders: &[Ticks], at: usize| (borders[at + 1] - borders[at]) as f64;
    let score =
        |i: usize, j: usize| 2.0 * worth(i, j) - 1.0 - stretched(length(a, i), length(b, j));
    Alignment::of_steps(a, b, &sequence(a.len() - 1, b.len() - 1, score, &GAP))
}

/// Steps that do the same things equally often belong together.
fn by_steps(before: &Side<'_>, after: &Side<'_>) -> Alignment {
    let kinds = |side: &Side<'_>| {
        let n = side.processes.len().max(1) as f64;
        let mut numbers: HashMap<&[(u32, u64)], usize> = HashMap::new();
        let mut kinds: Vec<HashMap<u32, f64>> = Vec::new();
        let mut of_steps = Vec::new();
        for step in &side.course().made_of {
            let kind = *numbers.entry(step).or_insert_with(|| {
                let mut counts: HashMap<u32, f64> = HashMap::new();
                for (value, count) in step {
                    let number = side.numbers[*value as usize];
                    *counts.entry(number).or_default() += *count as f64 / n;
                }
                kinds.push(counts);
                kinds.len() - 1
            });
            of_steps.push(kind);
        }
        (kinds, of_steps)
    };
    let ((a_kinds, a_steps), (b_kinds, b_steps)) = (kinds(before), kinds(after));
    let table: Vec<Vec<f64>> =
        a_kinds.iter().map(|a| b_kinds.iter().map(|b| in_common(a, b)).collect()).collect();
    let borders = |side: &Side<'_>| scaled(&side.course().borders, side.scale);
    best(&borders(before), &borders(after), |i, j| table[a_steps[i]][b_steps[j]])
}

/// What two counts have in common, as a share of what either has.
fn in_common(a: &HashMap<u32, f64>, b: &HashMap<u32, f64>) -> f64 {
    let (mut common, mut all) = (0.0, 0.0);
    for (value, count) in a {
        let other = b.get(value).copied().unwrap_or(0.0);
        common += count.min(other);
        all += count.max(other);
    }
    all +=
        b.iter().filter(|(value, _)| !a.contains_key(value)).map(|(_, count)| count).sum::<f64>();
    if all > 0.0 { common / all } else { 1.0 }
}

/// Parts of the runs in which processes do the same things belong together.
fn by_phases(before: &Side<'_>, after: &Side<'_>, n_numbers: usize) -> Result<Alignment> {
    let (a, of_a) = before.phases(n_numbers)?;
    let (b, of_b) = after.phases(n_numbers)?;
    let worth = |i: usize, j: usize| alike(&of_a[i], &of_b[j]);
    Ok(best(&scaled(&a, before.scale), &scaled(&b, after.scale), worth))
}

/// The first of a name belongs to the first of the other run, and so on. What one has more of is alone.
fn by_events(before: &Side<'_>, after: &Side<'_>, name: &str) -> Result<Alignment> {
    let marks = |side: &Side<'_>, which: &str| -> Result<Vec<Ticks>> {
        let mut borders = vec![side.run.from];
        borders.extend(marks(side.scope, name)?);
        if borders.len() == 1 {
            return Err(AnswerError::Question(format!(
                "no event and no state of the {which} run is called {name:?}; try --align auto"
            )));
        }
        borders.push(side.run.to);
        Ok(scaled(&borders, side.scale))
    };
    let (a, b) = (marks(before, "first")?, marks(after, "second")?);
    let (n, m) = (a.len() - 2, b.len() - 2);
    let common = n.min(m);
    let mut steps: Vec<Step> = (0..common).map(|at| Step::Both(at, at)).collect();
    steps.extend((common..n).map(Step::Before));
    steps.extend((common..m).map(Step::After));
    steps.push(Step::Both(n, m));
    Ok(Alignment::of_steps(&a, &b, &steps))
}

/// When events of a name, or else states, begin. The first of all containers is one mark, so is the second.
fn marks(scope: &Scope<'_>, name: &str) -> Result<Vec<Ticks>> {
    let catalog = scope.catalog();
    let window = scope.window();
    let mut times: HashMap<ContainerId, Vec<Ticks>> = HashMap::new();
    let is_called = |value: onca_model::ValueId| {
        let value = catalog.value(value);
        value.name == name.as_bytes() || catalog.type_def(value.type_id).name == name.as_bytes()
    };
    for (track, of, _) in scope.tracks(Nature::Event) {
        for &lane in scope.store().tracks().lanes(track) {
            scope.store().visit_events(lane, window, |_, event| {
                if is_called(event.value) && scope.sees_event(event) {
                    times.entry(of.container).or_default().push(event.time);
                }
            })?;
        }
    }
    if times.is_empty() {
        for (track, of, _) in scope.tracks(Nature::State) {
            scope.visit_states(track, |_, _, state| {
                if catalog.value(state.value).name == name.as_bytes() {
                    times.entry(of.container).or_default().push(state.start);
                }
            })?;
        }
    }
    let most = times.values().map(Vec::len).max().unwrap_or(0);
    let mut first: Vec<Ticks> = vec![Ticks::MAX; most];
    for times in times.values_mut() {
        times.sort_unstable();
        first.iter_mut().zip(times.iter()).for_each(|(first, time)| *first = (*first).min(*time));
    }
    first.sort_unstable();
    Ok(first)
}
