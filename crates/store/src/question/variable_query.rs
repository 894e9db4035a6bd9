//! Questions about variables.

use onca_model::{Flow, LaneId, Nature, Ticks, VariableRow, Window};

use crate::{
    Store,
    error::Result,
    format::block::variable::{Integral, VariableBlock, range},
    format::directory::BlockEntry,
    read::store::{Held, last_before},
};

/// A variable during a window. Values that are infinite or not a number enter nothing but `time`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct VariableSummary {
    /// The integral divided by the finite time; `None` when that is zero.
    pub mean: Option<f64>,
    /// The smallest value of the steps that touch the window, also those of no length.
    pub min: Option<f64>,
    /// The largest value of those.
    pub max: Option<f64>,
    /// Value times ticks.
    pub integral: f64,
    /// Ticks during which the variable had a finite value.
    pub finite_time: Ticks,
    /// Ticks during which it had any value.
    pub time: Ticks,
}

impl Store {
    /// Sums up a variable during a window. Equals a scan over the steps that touch it: times
    /// exactly, the integral to the precision of a double.
    ///
    /// Costs two searches, and a look at the directory for every block in between.
    pub fn variable_summary(&self, lane: LaneId, window: Window) -> Result<VariableSummary> {
        let blocks = self.rows_of(lane, Nature::Variable)?;
        let mut sum = Summing::new(window);
        if let Some(last) = last_before(blocks, window.to) {
            let first = last_before(blocks, window.from).unwrap_or(0).min(last);
            sum.add_rows(&self.variable_block(lane, &blocks[first])?);
            if first < last {
                let last_block = self.variable_block(lane, &blocks[last])?;
                if first + 1 < last {
                    let second = self.variable_block(lane, &blocks[first + 1])?;
                    self.add_whole(&mut sum, &blocks[first + 1..last], &second, &last_block);
                }
                sum.add_rows(&last_block);
            }
        }
        Ok(sum.finish())
    }

    /// Visits the steps of a variable that touch a window, in order, with their row numbers.
    pub fn visit_variables<F: Flow>(
        &self,
        lane: LaneId,
        window: Window,
        mut visit: impl FnMut(u64, &VariableRow) -> F,
    ) -> Result<F::Out> {
        let blocks = self.rows_of(lane, Nature::Variable)?;
        let first = last_before(blocks, window.from).unwrap_or(0);
        for entry in &blocks[first..] {
            if entry.first >= window.to {
                break;
            }
            let block = self.variable_block(lane, entry)?;
            let bytes = block.bytes();
            let from = block.first_touching(bytes, window.from);
            for index in from..block.rows_before(bytes, window.to) {
                let answer = visit(entry.rows_before + index as u64, &block.row(bytes, index));
                if let Some(out) = answer.ended() {
                    return Ok(out);
                }
            }
        }
        Ok(F::done())
    }

    /// The extra fields of a step, packed; empty if it has none.
    pub fn variable_extras(&self, lane: LaneId, row: u64) -> Result<Vec<u8>> {
        self.extras(lane, row)
    }

    /// Adds the blocks that lie inside the window, without reading them all.
    fn add_whole(
        &self,
        sum: &mut Summing,
        inside: &[BlockEntry],
        second: &VariableBlock,
        last: &VariableBlock,
    ) {
        sum.integral.add_between(&second.before, &last.before);
        for entry in inside {
            let range = self.directory().ranges.get(entry.range as usize);
            let (low, high) = range.copied().unwrap_or((f64::NAN, f64::NAN));
            sum.widen(low, high);
        }
    }
}

struct Summing {
    window: Window,
    integral: Integral,
    low: f64,
    high: f64,
}

impl Summing {
    fn new(window: Window) -> Self {
        let integral = Integral::default();
        Self { window, integral, low: f64::NAN, high: f64::NAN }
    }

    /// Adds the rows of a block that touch the window.
    fn add_rows(&mut self, block: &Held<VariableBlock>) {
        let bytes = block.bytes();
        let from = block.first_touching(bytes, self.window.from);
        let to = block.rows_before(bytes, self.window.to);
        for index in from..to {
            let VariableRow { start, end, value } = block.row(bytes, index);
            let clipped =
                end.min(self.window.to).saturating_sub(start.max(self.window.from)).max(0);
            self.integral.add(value, clipped as u64);
        }
        let values = (from..to).map(|index| block.row(bytes, index).value);
        let (low, high) = range(values);
        self.widen(low, high);
    }

    fn widen(&mut self, low: f64, high: f64) {
        // The minimum of a number and NaN is the number.
        self.low = self.low.min(low);
        self.high = self.high.max(high);
    }

    fn finish(self) -> VariableSummary {
        let ticks = |time: u64| Ticks::try_from(time).unwrap_or(Ticks::MAX);
        let finite_time = self.integral.finite_time;
        let integral = self.integral.total();
        VariableSummary {
            mean: (finite_time > 0).then(|| integral / finite_time as f64),
            min: Some(self.low).filter(|low| low.is_finite()),
            max: Some(self.high).filter(|high| high.is_finite()),
            integral,
            finite_time: ticks(finite_time),
            time: ticks(self.integral.time),
        }
    }
}
