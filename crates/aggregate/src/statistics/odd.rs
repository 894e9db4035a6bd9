//! Who carries a load unlike that of most?

use crate::robust::{median, spread};

/// Of fewer, nobody can tell what is usual.
const LEAST: usize = 5;
/// A load is odd when it is this many standard deviations from the median, as Iglewicz and Hoaglin advise.
const DEVIATIONS: f64 = 3.5;
/// A smaller part of the mean load is nothing to look at, however alike the others are.
const LEAST_PART: f64 = 0.1;

/// On which side of the others a load lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Odd {
    /// Far above.
    High,
    /// Far below.
    Low,
}

impl Odd {
    /// Both sides.
    pub const ALL: [Self; 2] = [Self::High, Self::Low];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Low => "low",
        }
    }
}

/// Which of some loads are far from the median of all: by more than 3.5 standard deviations, as the median
/// absolute deviation estimates them, and by more than a tenth of the mean.
pub fn odd_ones(loads: &[i128]) -> Vec<Option<Odd>> {
    if loads.len() < LEAST {
        return vec![None; loads.len()];
    }
    let mut numbers: Vec<f64> = loads.iter().map(|load| *load as f64).collect();
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let middle = median(&mut numbers);
    let deviation = spread(numbers.iter().map(|number| number - middle));
    let most = (DEVIATIONS * deviation).max(LEAST_PART * mean.abs());
    let side = |load: &i128| match *load as f64 - middle {
        by if by > most => Some(Odd::High),
        by if by < -most => Some(Odd::Low),
        _ => None,
    };
    loads.iter().map(side).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_far_from_the_median_are_odd() {
        // The median is 100, deviations are 2, 1, 0, 1, 2, 60, 50: their median is 2, which makes 2.97
        // standard deviations, and 10.4 of them the border.
        let loads = [98, 99, 100, 101, 102, 160, 50];
        let odd = [None, None, None, None, None, Some(Odd::High), Some(Odd::Low)];
        assert_eq!(odd_ones(&loads), odd);
        // 110 is within the border, 112 is not.
        assert_eq!(odd_ones(&[98, 99, 100, 101, 102, 110, 50])[5], None);
        assert_eq!(odd_ones(&[98, 99, 100, 101, 102, 112, 50])[5], Some(Odd::High));
    }

    #[test]
    fn equal_loads_make_small_differences_no_odder() {
        assert_eq!(odd_ones(&[100, 100, 100, 100, 100, 105]), [None; 6]);
        assert_eq!(odd_ones(&[100, 100, 100, 100, 100, 120])[5], Some(Odd::High));
        // What one alone does is odd.
        assert_eq!(odd_ones(&[0, 0, 0, 0, 0, 1])[5], Some(Odd::High));
    }

    #[test]
    fn of_few_nobody_is_odd() {
        assert_eq!(odd_ones(&[1, 1, 1, 100]), [None; 4]);
        assert!(odd_ones(&[]).is_empty());
        assert_eq!(odd_ones(&[0; 6]), [None; 6]);
    }
}
