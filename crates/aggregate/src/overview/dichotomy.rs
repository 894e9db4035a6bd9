//! The list of trade-offs that Ocelotl finds by halving, for comparison with it.

use super::start::after_steepest;
use super::{OverviewError, Partition, Tables, Watch};

/// A trade-off that gives another partition than all smaller ones of the list.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HalvingPoint {
    /// The trade-off.
    pub p: f64,
    /// The gain of its partition.
    pub gain: f64,
    /// The loss of its partition.
    pub loss: f64,
}

/// What halving finds.
#[derive(Clone, PartialEq, Debug)]
pub struct Halving {
    /// The smallest trade-off for each partition that was met.
    pub points: Vec<HalvingPoint>,
    /// The place of the point to begin with.
    pub default: usize,
}

impl Halving {
    /// Halves the interval from 0 to 1 as long as the partitions at its ends differ and it is wider than `step`.
    pub fn search(tables: &Tables, step: f64, watch: Watch) -> Result<Self, OverviewError> {
        let solve = |p: f64| tables.solve(p, watch.silent()).map(|partition| point(&partition));
        let rounding = 1e-12 * tables.scale();
        let same = |a: &HalvingPoint, b: &HalvingPoint| {
            (a.gain - b.gain).abs() <= rounding && (a.loss - b.loss).abs() <= rounding
        };
        let (first, last) = (solve(0.0)?, solve(1.0)?);
        let mut met = vec![first, last];
        let mut open = vec![(first, last)];
        while let Some((left, right)) = open.pop() {
            if right.p - left.p <= step || same(&left, &right) {
                continue;
            }
            let middle = solve((left.p + right.p) / 2.0)?;
            met.push(middle);
            open.extend([(left, middle), (middle, right)]);
        }
        met.sort_by(|a, b| a.p.total_cmp(&b.p));
        met.dedup_by(|later, earlier| same(later, earlier));
        let measures: Vec<(f64, f64)> = met.iter().map(|point| (point.gain, point.loss)).collect();
        Ok(Self { default: after_steepest(&measures), points: met })
    }
}

fn point(partition: &Partition) -> HalvingPoint {
    HalvingPoint { p: partition.p, gain: partition.gain, loss: partition.loss }
}
