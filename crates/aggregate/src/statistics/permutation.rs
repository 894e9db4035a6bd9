//! Is a difference between two samples chance?

/// At most this many ways to share the numbers out are tried.
const MOST_WAYS: usize = 20_000;

/// How likely it is that the second of two samples has a mean so much higher than the first if both are alike: the share of
/// all ways to share their numbers out in which it does. 1 where one of them is empty.
///
/// With three and three numbers there are 20 ways, so that nothing is less likely than 1 in 20.
pub fn by_chance(before: &[f64], after: &[f64]) -> f64 {
    if before.is_empty() || after.is_empty() {
        return 1.0;
    }
    let all: Vec<f64> = before.iter().chain(after).copied().collect();
    let seen: f64 = after.iter().sum();
    // Sums of the same numbers in another order differ in their last digits.
    let least = seen - 1e-9 * all.iter().map(|number| number.abs()).sum::<f64>();
    let (mut n_ways, mut n_as_high) = (0usize, 0usize);
    let mut count = |sum: f64| {
        n_ways += 1;
        n_as_high += usize::from(sum >= least);
    };
    if ways(all.len(), after.len()).is_some_and(|ways| ways <= MOST_WAYS) {
        each_way(&all, after.len(), 0.0, &mut count);
    } else {
        let mut dice = 1u64;
        let mut shuffled = all.clone();
        count(seen);
        for _ in 1..MOST_WAYS {
            for at in 0..after.len() {
                dice = dice
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let other = at + ((dice >> 33) as usize) % (shuffled.len() - at);
                shuffled.swap(at, other);
            }
            count(shuffled[..after.len()].iter().sum());
        }
    }
    n_as_high as f64 / n_ways as f64
}

/// In how many ways `k` of `n` can be chosen, if that is not too many to count.
fn ways(n: usize, k: usize) -> Option<usize> {
    (0..k).try_fold(1usize, |ways, at| Some(ways.checked_mul(n - at)? / (at + 1)))
}

/// The sums of all ways to choose `k` of some numbers.
fn each_way(numbers: &[f64], k: usize, sum: f64, visit: &mut impl FnMut(f64)) {
    if k == 0 {
        return visit(sum);
    }
    for at in 0..=numbers.len() - k {
        each_way(&numbers[at + 1..], k - 1, sum + numbers[at], visit);
    }
}

/// How likely something may be at most, such that of all that is no likelier only a share is chance (Benjamini and Hochberg).
/// 0 where nothing is unlikely enough.
pub fn passing(likely: &[f64], share: f64) -> f64 {
    let mut sorted = likely.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let fits = |(at, p): &(usize, f64)| *p <= share * (*at as f64 + 1.0) / n;
    sorted.into_iter().enumerate().rev().find(fits).map_or(0.0, |(_, p)| p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_and_three_that_are_apart_are_one_of_twenty() {
        assert_eq!(by_chance(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 1.0 / 20.0);
        assert_eq!(by_chance(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0]), 1.0);
        // Of the twenty ways, 4+5+6, 3+5+6, 3+4+6 and 2+5+6 have sums of 13 or more.
        assert_eq!(by_chance(&[1.0, 2.0, 5.0], &[3.0, 4.0, 6.0]), 4.0 / 20.0);
        assert_eq!(by_chance(&[0.1, 0.2, 0.3], &[0.3, 0.2, 0.1]), 1.0 - 6.0 / 20.0);
        assert_eq!(by_chance(&[], &[1.0]), 1.0);
    }

    #[test]
    fn large_samples_are_shuffled() {
        let before: Vec<f64> = (0..12).map(f64::from).collect();
        let after: Vec<f64> = (100..112).map(f64::from).collect();
        assert!(by_chance(&before, &after) <= 1.0 / 1000.0);
        assert!(by_chance(&before, &before) > 0.3);
    }

    #[test]
    fn of_many_only_the_unlikely_pass() {
        assert_eq!(passing(&[0.01, 0.2, 0.02, 0.9], 0.05), 0.02);
        assert_eq!(passing(&[0.04, 0.6], 0.05), 0.0);
        assert_eq!(passing(&[0.05], 0.05), 0.05);
        assert_eq!(passing(&[], 0.05), 0.0);
    }
}
