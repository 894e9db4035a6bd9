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

/// Numbers of phases, the best first; of equal ones the smallest. There is always one.
///
/// With `d(q)` the distance of the merge that leaves `q` clusters (0 where each leaf is one), `q` phases are worth
///
/// ```text
/// contrast(q) = (d(q - 1) + c) / (d(q) + c)        c = span / (messages - 1)
/// ```
///
/// for `q` from 2 to `most`: the largest relative step between the distances of consecutive merges. The mean gap `c` between
/// messages keeps messages at the very same time from counting as infinitely close. A phase has two messages in the mean, so
/// that `q` is at most half the number of messages; where none remains, there is one phase.
pub fn suggestions(tree: &TimeTree, span: f64, messages: u64, most: usize) -> Vec<Suggestion> {
    let half = usize::try_from(messages / 2).unwrap_or(usize::MAX);
    let most = most.min(half).min(tree.n_leaves());
    if most < 2 || span <= 0.0 {
        return vec![Suggestion { phases: 1, contrast: 1.0 }];
    }
    let mean_gap = span / (messages - 1) as f64;
    let mut distances = tree.last_distances(most);
    distances.resize(most, 0.0);
    let steps = distances.windows(2).enumerate();
    let mut found: Vec<Suggestion> = steps
        .map(|(at, pair)| Suggestion {
            phases: at + 2,
            contrast: (pair[0] + mean_gap) / (pair[1] + mean_gap),
        })
        .collect();
    found.sort_by(|a, b| b.contrast.total_cmp(&a.contrast).then(a.phases.cmp(&b.phases)));
    found
}
