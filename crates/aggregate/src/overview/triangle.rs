//! Where the interval from slice `i` to slice `j` lies in a table of all intervals.

/// The upper triangle of a matrix over slices, packed by rows: row `i` holds the intervals that begin with slice `i`,
/// from the shortest to the longest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    pub n: usize,
}

impl Triangle {
    /// How many intervals there are.
    pub fn len(self) -> usize {
        self.n * (self.n + 1) / 2
    }

    /// Where row `i` begins.
    #[inline(always)]
    pub fn row(self, i: usize) -> usize {
        // i * n - (0 + 1 + ... + (i - 1)), with each row one shorter than the last.
        i * (2 * self.n + 1 - i) / 2
    }

    /// Where the interval from `i` to `j` lies.
    #[inline(always)]
    pub fn at(self, i: usize, j: usize) -> usize {
        self.row(i) + (j - i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_each_other() {
        for n in 1..20 {
            let triangle = Triangle { n };
            let mut next = 0;
            for i in 0..n {
                for j in i..n {
                    assert_eq!(triangle.at(i, j), next);
                    next += 1;
                }
            }
            assert_eq!(triangle.len(), next);
        }
    }
}
