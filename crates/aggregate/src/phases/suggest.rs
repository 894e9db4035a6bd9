//! How many phases tell most.

use super::TimeTree;

/// A number of phases, and how well it stands out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Suggestion {
    /// How many phases.
    pub phases: usize,
    /// How many times as far apart the phases are as the parts of the loosest of them.
    pub contrast: f64,
}

/// Of all gaps between messages, one in this many may be a pause that has nothing to do with the others.
const GAPS_PER_PAUSE: usize = 100;

/// Phases that are so many times as far apart as what is joined in them could not be clearer.
const CLEAR_CONTRAST: f64 = 16.0;

/// How far apart messages usually are: the mean gap without the widest gaps, one in a hundred and at least one. Times never decrease.
pub fn usual_gap(times: &[i64], messages: u64) -> f64 {
    let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return 0.0 };
    let mut gaps: Vec<i128> =
        times.windows(2).map(|pair| i128::from(pair[1]) - i128::from(pair[0])).collect();
    let n_pauses = (gaps.len() / GAPS_PER_PAUSE).max(1).min(gaps.len());
    let span = i128::from(last) - i128::from(first);
    let pauses: i128 = match n_pauses {
        0 => 0,
        n => {
            gaps.select_nth_unstable_by(n - 1, |a, b| b.cmp(a));
            gaps[..n].iter().sum()
        }
    };
    let rest = if span > pauses { span - pauses } else { span };
    rest as f64 / messages.saturating_sub(1).max(1) as f64
}

/// Numbers of phases, the best first; of equal ones the smallest. There is always one.
///
/// With `d(q)` the distance of the merge that leaves `q` clusters (0 where each leaf is one), `q` phases have the contrast
///
/// ```text
/// contrast(q) = (d(q - 1) + c) / (d(q) + c)        c = usual gap
/// ```
///
/// for `q` from 2 to `most`: the relative step between the distances of consecutive merges. The usual gap `c` between
/// messages keeps messages at the very same time from counting as infinitely close. The best has the largest
/// `log(min(contrast, 16)) log(q)^(1/3)`: one long pause is no reason to overlook many shorter ones, however long it is. A phase has two messages in the mean, so
/// that `q` is at most half the number of messages; where none remains, there is one phase.
pub fn suggestions(tree: &TimeTree, usual_gap: f64, messages: u64, most: usize) -> Vec<Suggestion> {
    let half = usize::try_from(messages / 2).unwrap_or(usize::MAX);
    let most = most.min(half).min(tree.n_leaves());
    if most < 2 || usual_gap <= 0.0 {
        return vec![Suggestion { phases: 1, contrast: 1.0 }];
    }
    let mut distances = tree.last_distances(most);
    distances.resize(most, 0.0);
    let steps = distances.windows(2).enumerate();
    let mut found: Vec<Suggestion> = steps
        .map(|(at, pair)| Suggestion {
            phases: at + 2,
            contrast: (pair[0] + usual_gap) / (pair[1] + usual_gap),
        })
        .collect();
    let worth =
        |one: &Suggestion| one.contrast.min(CLEAR_CONTRAST).ln() * (one.phases as f64).ln().cbrt();
    found.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then(a.phases.cmp(&b.phases)));
    found
}
