//! Whole shares of a whole.

/// Splits `total` in the proportions of `weights`: whole shares that add up to it. What rounding leaves over goes to the
/// first of the largest remainders. All are 0 where all weights are.
pub(super) fn apportion(total: i128, weights: &[i128]) -> Vec<i128> {
    let sum: i128 = weights.iter().sum();
    if sum <= 0 || total <= 0 {
        return vec![0; weights.len()];
    }
    let mut shares: Vec<i128> = Vec::with_capacity(weights.len());
    let mut remainders: Vec<(i128, usize)> = Vec::with_capacity(weights.len());
    for (place, weight) in weights.iter().enumerate() {
        // Ticks have 63 bits: a product of two fits.
        let product = total * weight;
        shares.push(product / sum);
        remainders.push((product % sum, place));
    }
    let left = total - shares.iter().sum::<i128>();
    remainders.sort_by_key(|(remainder, place)| (std::cmp::Reverse(*remainder), *place));
    for (_, place) in remainders.iter().take(left as usize) {
        shares[*place] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::apportion;

    #[test]
    fn shares_add_up_and_follow_weights() {
        assert_eq!(apportion(10, &[1, 1, 1]), [4, 3, 3]);
        assert_eq!(apportion(7, &[0, 2, 5]), [0, 2, 5]);
        assert_eq!(apportion(3, &[0, 0]), [0, 0]);
        let large = i128::from(i64::MAX);
        assert_eq!(apportion(large, &[large, large]).iter().sum::<i128>(), large);
    }
}
