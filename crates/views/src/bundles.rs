//! Neighbours that share a place where a picture has fewer places than there are things.

use std::ops::Range;

use onca_model::format::grouped;

/// `n` things in at most `most` runs of neighbours, all of one size but the last, which may be
/// smaller: what is the same for all things is then the same for all runs.
pub(crate) fn runs(n: usize, most: usize) -> Vec<Range<usize>> {
    let size = n.div_ceil(most.max(1)).max(1);
    (0..n).step_by(size).map(|first| first..(first + size).min(n)).collect()
}

/// What a picture says when neighbours share places.
pub(crate) fn note(n: usize, n_runs: usize, noun: &str) -> Option<String> {
    let (n, n_runs) = (n as u64, n_runs as u64);
    (n > n_runs).then(|| format!("{} {noun} share {} places", grouped(n), grouped(n_runs)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_hold_everything_once() {
        for (n, most) in [(0, 5), (3, 5), (5, 5), (6, 5), (10_000, 333), (7, 0)] {
            let runs = runs(n, most);
            assert!(runs.len() <= most.max(1));
            assert_eq!(
                runs.iter().cloned().flatten().collect::<Vec<_>>(),
                (0..n).collect::<Vec<_>>()
            );
            if let [all_but_last @ .., last] = runs.as_slice() {
                let size = runs[0].len();
                assert!(all_but_last.iter().all(|run| run.len() == size) && last.len() <= size);
            }
        }
        assert_eq!(note(6, 5, "containers").as_deref(), Some("6 containers share 5 places"));
        assert_eq!(note(5, 5, "containers"), None);
    }
}
