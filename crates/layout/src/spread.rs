//! Things along a line that must not touch.

/// Places at least `gap` apart from `from` to `to`, for things that want to be at `wanted`, in
/// rising order. Together they are as near to where they want to be as can be, by the squares of
/// the distances. `None` where the line is too short.
pub fn spread(wanted: &[f64], gap: f64, from: f64, to: f64) -> Option<Vec<f64>> {
    let last = wanted.len().saturating_sub(1) as f64 * gap;
    if to - from < last {
        return None;
    }
    // Without the gaps the places need only not fall: neighbours that would are put together at
    // their mean.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for (index, &wanted) in wanted.iter().enumerate() {
        let mut group = (wanted - index as f64 * gap, 1);
        while let Some(&(mean, n)) = groups.last()
            && mean > group.0
        {
            let total = mean * n as f64 + group.0 * group.1 as f64;
            group = (total / (n + group.1) as f64, n + group.1);
            groups.pop();
        }
        groups.push(group);
    }
    let means = groups.into_iter().flat_map(|(mean, n)| std::iter::repeat_n(mean, n));
    let places = means.enumerate().map(|(index, mean)| {
        // Cutting off at both ends leaves the nearest of all places inside.
        mean.clamp(from, (to - last).max(from)) + index as f64 * gap
    });
    Some(places.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_apart_stays() {
        assert_eq!(spread(&[1.0, 5.0, 9.0], 2.0, 0.0, 10.0), Some(vec![1.0, 5.0, 9.0]));
        assert_eq!(spread(&[], 2.0, 0.0, 0.0), Some(vec![]));
    }

    #[test]
    fn what_touches_moves_apart_around_its_middle() {
        assert_eq!(spread(&[5.0, 5.0, 5.0], 2.0, 0.0, 10.0), Some(vec![3.0, 5.0, 7.0]));
        assert_eq!(spread(&[5.0, 5.0], 2.0, 5.0, 10.0), Some(vec![5.0, 7.0]));
        assert_eq!(spread(&[9.0, 20.0], 2.0, 0.0, 10.0), Some(vec![8.0, 10.0]));
    }

    #[test]
    fn a_line_that_is_too_short_has_no_places() {
        assert_eq!(spread(&[1.0, 2.0, 3.0], 2.0, 0.0, 3.9), None);
    }

    #[test]
    fn no_places_are_nearer() {
        // Whole places only, so that all of them can be tried.
        let wanted = [1.0, 1.0, 2.0, 7.0];
        let cost = |places: &[f64]| -> f64 {
            places.iter().zip(wanted).map(|(place, wanted)| (place - wanted).powi(2)).sum()
        };
        let found = spread(&wanted, 2.0, 0.0, 9.0).expect("there is room");
        assert!(found.windows(2).all(|pair| pair[1] - pair[0] >= 2.0 - 1e-9));
        let all = (0..10usize.pow(4))
            .map(|number| [1, 10, 100, 1000].map(|power| (number / power % 10) as f64));
        for places in all {
            if places.windows(2).all(|pair| pair[1] - pair[0] >= 2.0) {
                assert!(cost(&places) >= cost(&found) - 1e-9, "{places:?} {found:?}");
            }
        }
    }
}
