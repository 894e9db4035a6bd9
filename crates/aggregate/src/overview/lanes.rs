//! Eight numbers side by side, and the logarithm of eight at once.
//!
//! The loops over [`Lanes`] are plain Rust that the compiler turns into vector instructions; [`widest`] runs a loop
//! that was compiled for the widest vectors of this machine. No variant fuses or reorders operations, so all give the
//! same bits.

use std::ops::{Add, AddAssign, Mul, Sub};

/// How many nodes are computed side by side.
pub(super) const LANES: usize = 8;

/// One number for each of eight nodes.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
#[repr(C, align(64))]
pub(super) struct Lanes(pub [f64; LANES]);

impl Lanes {
    /// The same number in all lanes.
    #[inline(always)]
    pub fn splat(number: f64) -> Self {
        Self([number; LANES])
    }

    /// A function of each lane.
    #[inline(always)]
    pub fn map(mut self, f: impl Fn(f64) -> f64) -> Self {
        for number in &mut self.0 {
            *number = f(*number);
        }
        self
    }

    /// A function of each lane and that of another.
    #[inline(always)]
    pub fn zip(mut self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        for (number, other) in self.0.iter_mut().zip(other.0) {
            *number = f(*number, other);
        }
        self
    }

    /// The larger of each pair.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.zip(other, larger)
    }
}

impl Add for Lanes {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl AddAssign for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Lanes {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul for Lanes {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

/// The larger of two numbers, neither of which is NaN: one instruction, unlike `f64::max`.
#[inline(always)]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// `x * log2(x)`, with 0 for 0. `x` is finite and not negative.
///
/// The standard library's logarithm is a call for each number; this one is straight-line code that works on all lanes
/// at once, and its error is below two units in the last place.
#[inline(always)]
pub(super) fn x_log2_x(x: f64) -> f64 {
    x * log2(x)
}

/// The logarithm of a normal positive number; for 0 some finite number.
///
/// With `x = 2^e * m`, `m` between `sqrt(1/2)` and `sqrt(2)`, and `s = (m - 1) / (m + 1)`: `ln m = 2 (s + s^3/3 +
/// s^5/5 + ...)`. `s^2` is below 0.0295, so that ten terms reach the precision of `f64`.
#[inline(always)]
pub(super) fn log2(x: f64) -> f64 {
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    const BIAS: u64 = 1023;
    const EXPONENT_BITS: u32 = 52;
    /// 2^52 as bits: a small integer in its last places reads as 2^52 plus that integer.
    const INTEGER: u64 = 0x4330_0000_0000_0000;
    const TWO_52: f64 = 4_503_599_627_370_496.0;

    let bits = x.to_bits();
    let biased = bits.wrapping_sub(SQRT_HALF).wrapping_add(BIAS << EXPONENT_BITS) >> EXPONENT_BITS;
    let exponent = f64::from_bits(biased | INTEGER) - (TWO_52 + BIAS as f64);
    let mantissa = f64::from_bits(bits.wrapping_sub(biased.wrapping_sub(BIAS) << EXPONENT_BITS));
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let mut series = 1.0 / 19.0;
    for odd in [17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        series = series * square + 1.0 / odd;
    }
    // The first term is kept apart: it is the largest, and its rounding decides.
    let tail = series * square * s;
    exponent + (s + tail) * (2.0 * std::f64::consts::LOG2_E)
}

/// Defines a function that runs the body, a call of an `#[inline(always)]` function, compiled for the widest vectors
/// that this machine has.
macro_rules! widest {
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) => $body:path) => {
        $(#[$doc])*
        pub(super) fn $name($($arg: $type),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
                fn with_avx512($($arg: $type),*) {
                    $body($($arg),*);
                }
                #[target_feature(enable = "avx2")]
                fn with_avx2($($arg: $type),*) {
                    $body($($arg),*);
                }
                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                {
                    // SAFETY: the machine has these instructions, and the function asks for nothing else.
                    return unsafe { with_avx512($($arg),*) };
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: the machine has these instructions, and the function asks for nothing else.
                    return unsafe { with_avx2($($arg),*) };
                }
            }
            $body($($arg),*);
        }
    };
}
pub(super) use widest;

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn the_logarithm_is_as_good_as_the_standard_one() {
        let mut dice = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let near_one = (0..2000).map(|step| 0.5 + f64::from(step) / 1000.0);
        let anywhere = (0..20_000).map(|_| dice.random_range(-300.0..300.0f64).exp2());
        for x in near_one.chain(anywhere.collect::<Vec<_>>()) {
            let (found, expected) = (log2(x), x.log2());
            assert!((found - expected).abs() <= 4e-16 * expected.abs(), "{x}: {found} {expected}");
        }
    }

    #[test]
    fn powers_of_two_are_exact_and_zero_gives_zero() {
        for exponent in -1000..1000 {
            assert_eq!(log2(f64::from(exponent).exp2()), f64::from(exponent));
        }
        assert_eq!(x_log2_x(0.0), 0.0);
        assert_eq!(x_log2_x(1.0), 0.0);
        assert!(x_log2_x(f64::MIN_POSITIVE / 8.0).abs() < 1e-300);
    }
}
