//! The natural order of names: `rank2` comes before `rank10`.
//!
//! A name is a sequence of parts. A run of ASCII digits is one part, a number of any length; every
//! other byte is a part of its own. Names are compared part by part: two numbers by value, all
//! else by byte, a number standing where its digits stand among the bytes. A name that ends
//! first comes first. Names that differ only in leading zeros are told apart at the first such
//! number: fewer zeros come first, so `a2`, `a02`, `a002`, `a3`.

use std::cmp::Ordering;

/// Bytes compared at once while two names are the same.
const STRIDE: usize = 8;

/// Compares two names in natural order. Only equal names are equal.
///
/// What the names have in common is skipped first; the result is that of comparing from the start.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let common = common_prefix(a, b);
    let n_digits = a[..common].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    // The names may part within a number: go back to where it begins.
    let start = common - n_digits;
    compare_parts(&a[start..], &b[start..])
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let strides = a.chunks_exact(STRIDE).zip(b.chunks_exact(STRIDE));
    let skipped = strides.take_while(|(x, y)| x == y).count() * STRIDE;
    let rest = a[skipped..].iter().zip(&b[skipped..]);
    skipped + rest.take_while(|(x, y)| x == y).count()
}

/// The order as it is defined, without a shortcut.
fn compare_parts(mut a: &[u8], mut b: &[u8]) -> Ordering {
    let mut zeros = Ordering::Equal;
    loop {
        let (Some(&first_a), Some(&first_b)) = (a.first(), b.first()) else {
            return a.len().cmp(&b.len()).then(zeros);
        };
        if first_a.is_ascii_digit() && first_b.is_ascii_digit() {
            let (number_a, rest_a) = Number::split(a);
            let (number_b, rest_b) = Number::split(b);
            let by_value = number_a.compare(&number_b);
            if by_value.is_ne() {
                return by_value;
            }
            zeros = zeros.then(number_a.n_zeros.cmp(&number_b.n_zeros));
            (a, b) = (rest_a, rest_b);
        } else if first_a != first_b {
            return first_a.cmp(&first_b);
        } else {
            (a, b) = (&a[1..], &b[1..]);
        }
    }
}

/// A run of digits.
struct Number<'a> {
    n_zeros: usize,
    /// The digits that follow the leading zeros.
    digits: &'a [u8],
}

impl<'a> Number<'a> {
    /// Takes the number off the front of a name.
    fn split(name: &'a [u8]) -> (Self, &'a [u8]) {
        let end = name.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(name.len());
        let (run, rest) = name.split_at(end);
        let n_zeros = run.iter().take_while(|&&digit| digit == b'0').count();
        (Self { n_zeros, digits: &run[n_zeros..] }, rest)
    }

    fn compare(&self, other: &Self) -> Ordering {
        let by_length = self.digits.len().cmp(&other.digits.len());
        by_length.then_with(|| self.digits.cmp(other.digits))
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn names_stand_in_the_order_people_expect() {
        let ordered: &[&[u8]] = &[
            b"",
            b"\x00",
            b"0",
            b"00",
            b"1",
            b"01",
            b"2",
            b"10",
            b"99999999999999999999999999999998",
            b"99999999999999999999999999999999",
            b"099999999999999999999999999999999",
            b"100000000000000000000000000000000",
            b"a",
            b"a-1",
            b"a0b",
            b"a2",
            b"a02",
            b"a002",
            b"a2b02",
            b"a02b2",
            b"a2b3",
            b"a3",
            b"a10",
            b"aa",
            b"rank",
            b"rank 3",
            b"rank1",
            b"rank1.5",
            b"rank1.10",
            b"rank2",
            b"rank10",
            b"rank10x",
            b"\xff",
        ];
        for (i, a) in ordered.iter().enumerate() {
            for (j, b) in ordered.iter().enumerate() {
                let (a_shown, b_shown) = (a.escape_ascii(), b.escape_ascii());
                assert_eq!(compare(a, b), i.cmp(&j), "{a_shown} against {b_shown}");
            }
        }
    }

    /// Few letters and digits, so that names often share a beginning, a number, or all.
    fn name(rng: &mut ChaCha8Rng) -> Vec<u8> {
        text(rng, b"0001299ab- \xc3", 24)
    }

    fn text(rng: &mut ChaCha8Rng, letters: &[u8], most: usize) -> Vec<u8> {
        let n = rng.random_range(0..most);
        (0..n).map(|_| letters[rng.random_range(0..letters.len())]).collect()
    }

    /// Checks 2000 random cases, the same ones in every run.
    fn for_random(mut check: impl FnMut(&mut ChaCha8Rng)) {
        (0..2000).for_each(|seed| check(&mut ChaCha8Rng::seed_from_u64(seed)));
    }

    /// The order by another way: numbers that fit in a machine word become values.
    fn key(name: &[u8]) -> (Vec<(u8, u128)>, Vec<usize>) {
        let (mut parts, mut zeros, mut at) = (Vec::new(), Vec::new(), 0);
        while at < name.len() {
            let run: String = name[at..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .map(|&byte| char::from(byte))
                .collect();
            if run.is_empty() {
                parts.push((name[at], 0));
                at += 1;
            } else {
                parts.push((b'0', run.parse().expect("24 digits fit")));
                let trimmed = run.trim_start_matches('0');
                zeros.push(run.len() - trimmed.len());
                at += run.len();
            }
        }
        (parts, zeros)
    }

    #[test]
    fn the_order_is_that_of_values() {
        for_random(|rng| {
            let (a, b) = (name(rng), name(rng));
            assert_eq!(compare(&a, &b), key(&a).cmp(&key(&b)), "{a:?} {b:?}");
        });
    }

    #[test]
    fn skipping_what_is_common_changes_nothing() {
        for_random(|rng| {
            let prefix = text(rng, b"019a", 40);
            let (a, b) = ([&prefix[..], &name(rng)].concat(), [&prefix[..], &name(rng)].concat());
            assert_eq!(compare(&a, &b), compare_parts(&a, &b), "{a:?} {b:?}");
        });
    }

    #[test]
    fn the_order_is_total() {
        for_random(|rng| {
            let (a, b, c) = (name(rng), name(rng), name(rng));
            assert_eq!(compare(&a, &b), compare(&b, &a).reverse(), "{a:?} {b:?}");
            assert_eq!(compare(&a, &b).is_eq(), a == b, "{a:?} {b:?}");
            if compare(&a, &b).is_le() && compare(&b, &c).is_le() {
                assert!(compare(&a, &c).is_le(), "{a:?} {b:?} {c:?}");
            }
        });
    }
}
