//! How long, how often and how evenly: what values take, per node.
//!
//! Times are of what lies in the window; durations are of whole instances that touch it, so that
//! an instance does not get shorter when the window cuts it.

mod scan;
pub(crate) mod wire;

use onca_aggregate::ratio::divide;
use onca_aggregate::statistics::StreamSummary;
use onca_model::{ContainerId, Nature, Ticks, TypeId, ValueId};
use onca_query::{DerivedValue, ReductionForm, Scope, StateValue};
use onca_store::Measure;
use rayon::prelude::*;

use crate::times::{StateTimes, state_times};
use crate::{AnswerError, Cut, Result};
use scan::Gathered;

/// How many rows an answer may have.
const MAX_ROWS: usize = 1 << 21;

/// What the values seen take, at each place of a cut.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// The places that the rows refer to.
    pub cut: Cut,
    /// What the times of states are of.
    pub measure: Measure,
    /// The rows: by place, states before links before events, those with the most time first.
    pub rows: Vec<ValueStatistics>,
}

/// What one value takes at one place.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueStatistics {
    /// The place in the cut.
    pub place: usize,
    /// The value, or the number of a derived state.
    pub value: StateValue,
    /// What it is a value of.
    pub nature: Nature,
    /// The time in it during the window; `None` for events, which take none.
    pub ticks: Option<i128>,
    /// Its share of the time of all seen states of its type, each tick counted once.
    pub share: Option<f64>,
    /// How many instances touch the window.
    pub count: u64,
    /// The sum of the sizes of links.
    pub size: Option<u64>,
    /// The durations of whole instances; `None` for events. Links of which one end is not known
    /// have no duration.
    pub durations: Option<Durations>,
    /// The longest instances, the longest first.
    pub longest: Vec<Instance>,
}

/// How durations are distributed. Quantiles are by nearest rank.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Durations {
    /// The shortest.
    pub min: Ticks,
    /// The mean.
    pub mean: f64,
    /// The quantile 1/2.
    pub median: Ticks,
    /// The quantile 9/10.
    pub p90: Ticks,
    /// The quantile 99/100.
    pub p99: Ticks,
    /// The longest.
    pub max: Ticks,
    /// Are the quantiles exact? Else they are off by at most
    /// [`StreamSummary::RELATIVE_ERROR`].
    pub exact: bool,
}

impl Durations {
    pub(crate) fn of(summary: &StreamSummary) -> Option<Self> {
        let quantiles = summary.quantiles();
        Some(Self {
            min: summary.min()?,
            mean: summary.mean()?,
            median: quantiles.get(1, 2)?,
            p90: quantiles.get(9, 10)?,
            p99: quantiles.get(99, 100)?,
            max: summary.max()?,
            exact: summary.is_exact(),
        })
    }
}

/// One instance of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Instance {
    /// When it began.
    pub start: Ticks,
    /// When it ended.
    pub end: Ticks,
    /// Whose it is; for links where it comes from.
    pub container: Option<ContainerId>,
}

/// The statistics of all values seen, with the `n_longest` longest instances of each. Links are
/// told of only where everything is taken together: they have two ends.
pub fn statistics(
    scope: &Scope<'_>,
    cut: Cut,
    measure: Measure,
    n_longest: usize,
) -> Result<Statistics> {
    let times = state_times(scope, &cut, scope.window(), measure)?;
    let whole = state_shares(scope, &cut, measure, &times)?;
    let n_rows = times.rows.len();
    if n_rows > MAX_ROWS {
        return Err(AnswerError::TooLarge(format!(
            "statistics of {n_rows} values of containers are too many to hold; choose a level, \
             or fewer containers"
        )));
    }
    let states = cut.tracks(scope, Nature::State);
    let events = cut.tracks(scope, Nature::Event);
    let together = cut.nodes().len() == 1;
    let rows: Vec<Vec<ValueStatistics>> = (0..cut.nodes().len())
        .into_par_iter()
        .map(|place| {
            let mut rows = Vec::new();
            let gathered = scan::states(scope, scan::of_place(&states, place), n_longest)?;
            for (value, found) in gathered {
                let ticks = times.get(place, value);
                let share = divide(ticks, whole.of(place, scope.catalog().value(value).type_id));
                rows.push(found.finish(place, value.into(), Nature::State, Some(ticks), share));
            }
            for (value, found, whole) in derived(scope, &cut, place, n_longest)? {
                let ticks = found.ticks;
                let share = divide(ticks, whole);
                let value = StateValue::Derived(value);
                rows.push(found.finish(place, value, Nature::State, Some(ticks), share));
            }
            if together {
                for (value, found) in scan::links(scope, n_longest)? {
                    let ticks = found.ticks;
                    rows.push(found.finish(place, value.into(), Nature::Link, Some(ticks), None));
                }
            }
            for (value, count) in scan::events(scope, scan::of_place(&events, place))? {
                let found = Gathered::count(count);
                rows.push(found.finish(place, value.into(), Nature::Event, None, None));
            }
            rows.sort_by_key(|row| {
                let most = (std::cmp::Reverse(row.ticks), std::cmp::Reverse(row.count));
                (order_of(row.nature), most, row.value)
            });
            Ok(rows)
        })
        .collect::<Result<_>>()?;
    Ok(Statistics { rows: rows.into_iter().flatten().collect(), cut, measure })
}

/// What the derived states of the nodes of a place take, with the time of all of their kind.
fn derived(
    scope: &Scope<'_>,
    cut: &Cut,
    place: usize,
    n_longest: usize,
) -> Result<Vec<(DerivedValue, Gathered, i128)>> {
    let mut rows = Vec::new();
    let reductions = scope.reductions().iter().enumerate();
    for (reduction, derived) in reductions.filter(|(_, one)| one.form == ReductionForm::States) {
        let nodes: Vec<_> =
            derived.nodes.iter().copied().filter(|node| cut.place(*node) == Some(place)).collect();
        let found = scan::derived(scope, derived, &nodes, n_longest)?;
        let whole = found.values().map(|found| found.ticks).sum();
        rows.extend(
            found
                .into_iter()
                .map(|(number, found)| (DerivedValue { reduction, number }, found, whole)),
        );
    }
    Ok(rows)
}

fn order_of(nature: Nature) -> u8 {
    match nature {
        Nature::State => 0,
        Nature::Link => 1,
        _ => 2,
    }
}

/// The time of all seen states by place and type, each tick counted once.
struct Whole(Vec<(usize, TypeId, i128)>);

impl Whole {
    fn of(&self, place: usize, type_id: TypeId) -> i128 {
        let key = |row: &(usize, TypeId, i128)| (row.0, row.1);
        let found = self.0.binary_search_by_key(&(place, type_id), key);
        found.map_or(0, |at| self.0[at].2)
    }
}

fn state_shares(
    scope: &Scope<'_>,
    cut: &Cut,
    measure: Measure,
    times: &StateTimes,
) -> Result<Whole> {
    let exclusive;
    let times = match measure {
        Measure::Exclusive => times,
        Measure::Inclusive => {
            exclusive = state_times(scope, cut, scope.window(), Measure::Exclusive)?;
            &exclusive
        }
    };
    let type_of = |value: ValueId| scope.catalog().value(value).type_id;
    let mut whole: Vec<_> =
        times.rows.iter().map(|row| (row.place, type_of(row.value), row.ticks)).collect();
    whole.sort_unstable();
    whole.dedup_by(|later, earlier| {
        let same = (later.0, later.1) == (earlier.0, earlier.1);
        if same {
            earlier.2 += later.2;
        }
        same
    });
    Ok(Whole(whole))
}
