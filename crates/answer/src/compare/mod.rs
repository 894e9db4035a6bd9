//! Why one run of a program is longer, or shorter, than another.
//!
//! The containers of two traces are paired (`matching`), their times are laid side by side (`aligning`), and what each
//! place did is put into one exact cube (`cube`). `onca_aggregate::compare` finds in it what changes the run time; here it
//! gets names and sentences.

mod aligning;
mod cube;
mod matching;
mod scaling;
mod several;
mod side;
mod telling;
mod text;
pub(crate) mod wire;

use std::borrow::Cow;
use std::collections::HashMap;

use onca_aggregate::Tree;
use onca_aggregate::align::Alignment;
use onca_aggregate::compare::{Account, Runs, find};
use onca_model::{ContainerId, TimeUnit, Window, format::count_of};
use onca_query::{NodeId, Scope};

use crate::diagnosis::Diagnosis;
use crate::{AnswerError, Level, Result};

pub use aligning::Align;
pub use cube::{CubeCell, DifferenceCube};
pub use matching::{MatchRule, Matching, Place};
pub use scaling::{ScalingRun, scaling, scaling_json};
pub use several::{LEAST_RUNS, RunLengths, Several, compare_several};
pub use side::times_between;

use cube::BothWorked;
use side::Side;
use telling::Telling;

/// So many cells are compared at most; neighbouring segments are joined.
const MOST_CELLS: usize = 1 << 17;
/// Runs of which less than this share is in states that the other has too have nothing in common.
const LEAST_COMMON: f64 = 0.2;

/// What is asked about two runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CompareSpec {
    /// By what times are paired.
    pub align: Align,
    /// Which containers are compared; single processes by default.
    pub level: Option<Level>,
}

/// Something that changes the run time.
#[derive(Clone, PartialEq, Debug)]
pub struct ComparedFinding {
    /// `slow`, `fast`, `more-work`, `less-work`, `communication`, `new` or `gone`.
    pub kind: Cow<'static, str>,
    /// Whom it is about: containers of the second run, or of the first for what is gone.
    pub containers: Vec<ContainerId>,
    /// The largest nodes that hold just these.
    pub groups: Vec<NodeId>,
    /// When, in the first run.
    pub before: Window,
    /// When, in the second run.
    pub after: Window,
    /// How many times as long.
    pub ratio: f64,
    /// How much longer the run is because of it, in ticks of the comparison.
    pub ticks: i128,
    /// How much more time of all processes it takes: their work, and the waiting of others.
    pub cost: i128,
    /// How much more others wait.
    pub waiting: i128,
    /// How many processes wait longer.
    pub n_waiting: u64,
    /// The value of the work, as its number among those of both runs.
    pub value: Option<u32>,
    /// How sure it is, from 0 to 1.
    pub sure: f64,
    /// How likely it is by chance, where several runs tell.
    pub p: Option<f64>,
    /// The numbers of the places that it is about.
    pub places: Vec<u32>,
    /// One sentence.
    pub text: String,
}

impl ComparedFinding {
    /// Is it told of the first run, because the second has nothing of it?
    pub fn is_gone(&self) -> bool {
        self.kind == "gone"
    }
}

/// The time of a value in both runs, over all processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueChange {
    /// Its name; `None` is what is outside of all states.
    pub name: Option<Vec<u8>>,
    /// In the first run, in ticks of the comparison.
    pub before: i128,
    /// In the second run.
    pub after: i128,
    /// Is it work: neither communication nor waiting?
    pub is_work: bool,
}

/// Two runs compared.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The unit of the comparison, with its ticks.
    pub unit: TimeUnit,
    /// What a tick of each run is in ticks of the comparison.
    pub scales: (i64, i64),
    /// The runs, in their own ticks.
    pub runs: (Window, Window),
    /// The processes of each, in natural order: what the numbers in places refer to.
    pub processes: (Vec<ContainerId>, Vec<ContainerId>),
    /// Do they have anything in common?
    pub is_related: bool,
    /// How containers were paired.
    pub matching: Matching,
    /// By what times were paired.
    pub align: Align,
    /// The runs side by side, in ticks of the comparison.
    pub alignment: Alignment,
    /// What places did in both, by pair of `alignment`.
    pub cube: DifferenceCube,
    /// The values of both runs by number, with their time.
    pub values: Vec<ValueChange>,
    /// What the change of the run time is made of, in ticks of the comparison.
    pub account: Account,
    /// How much of the change may be chance, in ticks of the comparison; `None` where there are too few segments to tell.
    pub noise: Option<f64>,
    /// The lengths of all runs, where there are several on each side.
    pub lengths_of_all: Option<RunLengths>,
    /// What changes the run time most first.
    pub findings: Vec<ComparedFinding>,
    /// What was assumed, in words.
    pub assumed: Vec<String>,
    /// What could not be examined, in words.
    pub not_examined: Vec<String>,
}

impl Comparison {
    /// How long both runs are, in ticks of the comparison.
    pub fn lengths(&self) -> (i128, i128) {
        let length = |run: Window, scale: i64| i128::from(run.to - run.from) * i128::from(scale);
        (length(self.runs.0, self.scales.0), length(self.runs.1, self.scales.1))
    }

    /// How many processes both runs have.
    pub fn n_processes(&self) -> (u64, u64) {
        (self.processes.0.len() as u64, self.processes.1.len() as u64)
    }

    /// How much longer the second run is.
    pub fn change(&self) -> i128 {
        let (before, after) = self.lengths();
        after - before
    }

    /// The same as a share of the first run; 0 where no time passes in it.
    pub fn change_share(&self) -> f64 {
        self.share_of_run(self.change())
    }

    /// A time as a share of the first run.
    pub fn share_of_run(&self, ticks: i128) -> f64 {
        let (before, _) = self.lengths();
        if before > 0 { ticks as f64 / before as f64 } else { 0.0 }
    }

    /// A time as a share of the change of the run time, if there is one.
    pub fn share_of_change(&self, ticks: i128) -> Option<f64> {
        (self.change() != 0).then(|| ticks as f64 / self.change() as f64)
    }

    /// Is the second run longer by more than chance explains, as far as that is known?
    pub fn is_slower_beyond_noise(&self) -> bool {
        match &self.lengths_of_all {
            Some(lengths) => self.change() > 0 && lengths.p <= 0.05,
            None => self.change() as f64 > self.noise.unwrap_or(0.0),
        }
    }

    /// The places that a finding is about.
    pub fn places_of(&self, finding: &ComparedFinding) -> impl Iterator<Item = &Place> {
        finding.places.iter().map(|place| &self.matching.places[*place as usize])
    }
}

/// Compares two runs of a program.
pub fn compare(before: &Scope<'_>, after: &Scope<'_>, spec: &CompareSpec) -> Result<Comparison> {
    // What is known is read at once. What is not is worked out one run after the other: both would take twice the memory.
    rayon::join(|| Diagnosis::known(before.store()), || Diagnosis::known(after.store()));
    let (mut a, mut b) = (Side::new(before)?, Side::new(after)?);
    let (unit, assumed) = common_unit(&mut a, &mut b)?;
    let names = number_values(&mut a, &mut b);
    let totals = totals(&a, &b, names.len())?;
    let matching = matching::match_places(&a, &b, spec.level.as_ref())?;
    let work = work(&a, &b, names.len());
    let value = |(number, name): (usize, Name)| ValueChange {
        name,
        before: totals[number].0,
        after: totals[number].1,
        is_work: work[number],
    };
    let mut answer = Comparison {
        unit,
        scales: (a.scale, b.scale),
        runs: (a.run, b.run),
        processes: (a.processes.clone(), b.processes.clone()),
        is_related: are_related(&names, &totals) && !matching.places.is_empty(),
        matching,
        align: spec.align.clone(),
        alignment: Alignment { pairs: Vec::new() },
        cube: DifferenceCube::default(),
        values: names.into_iter().enumerate().map(value).collect(),
        account: Account::default(),
        noise: None,
        lengths_of_all: None,
        findings: Vec::new(),
        assumed,
        not_examined: Vec::new(),
    };
    if !answer.is_related {
        let Account { new, gone, .. } = &mut answer.account;
        (*new, *gone) = (b.length() as f64, -(a.length() as f64));
        return Ok(answer);
    }
    let aligned = aligning::align(&a, &b, &spec.align, answer.values.len())?;
    let n_processes = a.processes.len().max(b.processes.len());
    let most = (MOST_CELLS / n_processes.max(1)).clamp(32, 512);
    answer.align = aligned.by;
    answer.alignment = aligned.alignment.joined(most);
    let sides = (&a, &b);
    let (cube, worked) = cube::fill(sides, &answer.matching.places, &answer.alignment, &work)?;
    answer.cube = cube;
    answer.fill(&a, &b, worked)?;
    Ok(answer)
}

type Name = Option<Vec<u8>>;

/// Gives values of both runs numbers, the same for the same name.
fn number_values<'a>(a: &mut Side<'a>, b: &mut Side<'a>) -> Vec<Name> {
    let mut names: Vec<Name> = vec![None];
    let mut numbers: HashMap<Vec<u8>, u32> = HashMap::new();
    for side in [a, b] {
        for value in &side.scope.catalog().values {
            let name = value.name.to_vec();
            let number = *numbers.entry(name.clone()).or_insert_with(|| {
                names.push(Some(name));
                names.len() as u32 - 1
            });
            side.numbers.push(number);
        }
        side.numbers.push(0);
    }
    names
}

/// The unit of a comparison: that of the first run, with ticks that both runs' ticks are made of.
fn common_unit(a: &mut Side<'_>, b: &mut Side<'_>) -> Result<(TimeUnit, Vec<String>)> {
    let units = (&a.scope.catalog().facts.unit, &b.scope.catalog().facts.unit);
    let mut assumed = Vec::new();
    let nanoseconds = match (units.0.nanoseconds(), units.1.nanoseconds()) {
        _ if units.0.name == units.1.name => (1, 1),
        (Some(first), Some(second)) => (first, second),
        _ => {
            assumed.push(format!(
                "a unit of the first run ({}) is as long as one of the second ({})",
                units.0.name, units.1.name
            ));
            (1, 1)
        }
    };
    // Ticks of the first run in a unit of it, and of the second in the same time: the latter is a fraction.
    let first = u128::from(units.0.ticks_per_unit) * u128::from(nanoseconds.1);
    let second = u128::from(units.1.ticks_per_unit) * u128::from(nanoseconds.0);
    let divisor = gcd(first, second).max(1);
    let scale = |ticks: u128| i64::try_from(ticks / divisor).ok();
    let unit = TimeUnit { ticks_per_unit: units.0.ticks_per_unit, ..units.0.clone() };
    let (scale_a, scale_b) = (scale(second), scale(first));
    let fits = |run: Window, scale: i64| {
        run.from.checked_mul(scale).is_some() && run.to.checked_mul(scale).is_some()
    };
    match (scale_a, scale_b) {
        (Some(of_a), Some(of_b)) if fits(a.run, of_a) && fits(b.run, of_b) => {
            (a.scale, b.scale) = (of_a, of_b);
            Ok((
                TimeUnit {
                    ticks_per_unit: unit.ticks_per_unit.saturating_mul(of_a as u64),
                    ..unit
                },
                assumed,
            ))
        }
        _ => Err(AnswerError::Question(
            "the times of the two runs have no common unit in which they fit".to_owned(),
        )),
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The time of each value in both runs, over all processes.
fn totals(a: &Side<'_>, b: &Side<'_>, n: usize) -> Result<Vec<(i128, i128)>> {
    let (before, after) = rayon::join(|| a.totals(n), || b.totals(n));
    Ok(before?.into_iter().zip(after?).collect())
}

/// Is enough of both runs in states of names that both have?
fn are_related(names: &[Name], totals: &[(i128, i128)]) -> bool {
    let in_states = || names.iter().zip(totals).filter(|(name, _)| name.is_some());
    let common = in_states().filter(|(_, (before, after))| *before > 0 && *after > 0);
    let sum = |all: (i128, i128), (_, own): (&Name, &(i128, i128))| (all.0 + own.0, all.1 + own.1);
    let (all, common) = (in_states().fold((0, 0), sum), common.fold((0, 0), sum));
    let enough = |part: i128, all: i128| all > 0 && part as f64 >= LEAST_COMMON * all as f64;
    enough(common.0, all.0) && enough(common.1, all.1)
}

impl Comparison {
    /// Finds what changes the run time, and tells it.
    fn fill(&mut self, a: &Side<'_>, b: &Side<'_>, worked: BothWorked) -> Result<()> {
        let tree = Tree::new(b.scope.hierarchy().parents())
            .map_err(|error| AnswerError::Question(error.to_string()))?;
        let BothWorked { sites: places, before, after } = worked;
        let pairs = &self.alignment.pairs;
        let cut = self.cut_slot(a, b);
        let runs = Runs { tree: &tree, places, pairs, cut, before, after };
        if !runs.have_work() {
            self.not_examined.push("work: no state is work".to_owned());
        }
        let n_both = self.alignment.pairs.iter().filter(|pair| pair.is_both()).count();
        if n_both < 8 {
            self.not_examined.push(format!(
                "small changes: there are only {n_both} segments that both runs have, and so nothing tells what is chance"
            ));
        }
        let found = find(runs);
        self.account = found.account;
        self.noise = found.noise;
        self.tell_losses(a, b);
        let telling = Telling { a, b, comparison: self, tree: &tree };
        self.findings =
            found.changes.iter().map(|change| telling.tell(change)).collect::<Result<_>>()?;
        Ok(())
    }

    /// The pair in which a run ends because its trace is cut: there the other run goes on, and nothing changed.
    fn cut_slot(&self, a: &Side<'_>, b: &Side<'_>) -> Option<usize> {
        let (a_end, b_end) = (a.scaled_run().to, b.scaled_run().to);
        self.alignment.pairs.iter().position(|pair| {
            let ends_a = a.is_cut() && pair.before.to == a_end;
            let ends_b = b.is_cut() && pair.after.to == b_end;
            pair.is_both() && (ends_a || ends_b)
        })
    }

    fn tell_losses(&mut self, a: &Side<'_>, b: &Side<'_>) {
        for (side, which) in [(a, "first"), (b, "second")] {
            if side.is_cut() {
                let told = format!("the last part of the {which} run: its trace is cut there");
                self.not_examined.push(told);
            }
            let lost = side.scope.catalog().facts.lost;
            if lost > 0 {
                let told = count_of(lost, "record");
                self.not_examined.push(format!("{told} of the {which} run: lost"));
            }
        }
    }
}

/// Which values of both runs are work, by number.
fn work(a: &Side<'_>, b: &Side<'_>, n: usize) -> Vec<bool> {
    let mut work = vec![false; n];
    for side in [a, b] {
        for (number, is_work) in side.numbers.iter().zip(&side.work) {
            work[*number as usize] |= is_work;
        }
    }
    work
}
