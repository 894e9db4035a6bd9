//! Whole shares of a whole.

/// Splits `total` in the proportions of `weights`: whole shares that add up to it. What rounding leaves over goes to the
/// first of the largest remainders. All are 0 where all weights are.
pub(super) fn apportion(total: i128, weights: &[i128]) -> Vec<i128> {
    let mut shares = Shares::default();
    shares.split(total, weights);
    shares.shares
}

/// The same many times, in one place.
#[derive(Default)]
pub(super) struct Shares {
    shares: Vec<i128>,
    remainders: Vec<(i128, usize)>,
}

impl Shares {
    /// The shares of a total.
    pub fn split(&mut self, total: i128, weights: &[i128]) -> &[i128] {
        self.shares.clear();
        let sum: i128 = weights.iter().sum();
        if sum <= 0 || total <= 0 {
            self.shares.resize(weights.len(), 0);
            return &self.shares;
        }
        self.remainders.clear();
        for (place, weight) in weights.iter().enumerate() {
            let (share, remainder) = divided(total, *weight, sum);
            self.shares.push(share);
            self.remainders.push((remainder, place));
        }
        let left = total - self.shares.iter().sum::<i128>();
        if left > 0 {
            self.remainders
                .sort_by_key(|(remainder, place)| (std::cmp::Reverse(*remainder), *place));
        }
        for (_, place) in self.remainders.iter().take(left as usize) {
            self.shares[*place] += 1;
        }
        &self.shares
    }
}

/// `total * weight / sum`, and what remains. Ticks have 63 bits: a product of two fits.
fn divided(total: i128, weight: i128, sum: i128) -> (i128, i128) {
    let product = total * weight;
    match (u64::try_from(product), u64::try_from(sum)) {
        // Small numbers are divided ten times as fast.
        (Ok(product), Ok(sum)) => (i128::from(product / sum), i128::from(product % sum)),
        _ => (product / sum, product % sum),
    }
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
