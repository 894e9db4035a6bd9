//! Shares of a column in bytes.

/// Amounts as shares of 255, from the lowest up. Every edge between two of them is where it belongs,
/// rounded, so that the shares add up to what all amounts together are of the whole.
#[derive(Clone, Copy, Debug)]
pub struct ShareEdges {
    /// The share of one amount, of 2^56. There are millions of edges, and a product of whole
    /// numbers is the quickest way to them.
    per_amount: u64,
    /// Amounts are divided by this power of two, so that the product is exact enough.
    shift: u32,
    whole: u64,
    sum: u64,
    edge: u8,
}

/// Bits of a fraction.
const FRACTION: u32 = 56;
/// Bits of a whole. With more, rounding up `per_amount` could be seen.
const WHOLE_BITS: u32 = 40;

impl ShareEdges {
    /// Nothing yet of a whole.
    #[inline]
    pub fn of(whole: u64) -> Self {
        let shift = (u64::BITS - whole.leading_zeros()).saturating_sub(WHOLE_BITS);
        let per_amount = match whole >> shift {
            0 => 0,
            whole => (255u64 << FRACTION).div_ceil(whole),
        };
        Self { per_amount, shift, whole, sum: 0, edge: 0 }
    }

    /// The sum of all shares so far.
    #[inline]
    pub fn edge(&self) -> u8 {
        self.edge
    }

    /// The share of the next amount.
    #[inline]
    pub fn next(&mut self, amount: u64) -> u8 {
        // What is more than the whole is cut off.
        self.sum = self.sum.saturating_add(amount).min(self.whole);
        let below = self.edge;
        let share = u128::from(self.sum >> self.shift) * u128::from(self.per_amount);
        self.edge = ((share + (1 << (FRACTION - 1))) >> FRACTION) as u8;
        self.edge - below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares_in_bytes(amounts: &[u64], whole: u64) -> Vec<u8> {
        let mut edges = ShareEdges::of(whole);
        amounts.iter().map(|amount| edges.next(*amount)).collect()
    }

    #[test]
    fn shares_add_up() {
        assert_eq!(shares_in_bytes(&[1, 1, 1], 3), [85, 85, 85]);
        assert_eq!(shares_in_bytes(&[1, 1], 4), [64, 64]);
        assert_eq!(shares_in_bytes(&[7, 0, 0], 7), [255, 0, 0]);
        assert_eq!(shares_in_bytes(&[3, 5, 9], 7), [109, 146, 0]);
        assert_eq!(shares_in_bytes(&[1, 1, 5], 7).iter().map(|s| u32::from(*s)).sum::<u32>(), 255);
        assert_eq!(shares_in_bytes(&[], 7), []);
        assert_eq!(shares_in_bytes(&[0], 0), [0]);
        let (half, most) = (u64::MAX / 2, u64::MAX);
        assert_eq!(shares_in_bytes(&[half, half], most), [128, 127], "nearly a half");
        assert_eq!(shares_in_bytes(&[most, most], most), [255, 0]);
    }
}
