//! The partition for a trade-off, and the trade-offs that matter.

use onca_aggregate::overview::{
    Axis, Curve, CurveLimits, Gain, Halving, Look, OverviewError, Partition, Problem, StartRule,
    Tables, Watch, best_grid, best_product, is_readable,
};

use super::Matrix;
use crate::{AnswerError, Result};

/// Ocelotl stops halving an interval of trade-offs at this width.
const HALVING_STEP: f64 = 0.001;

/// How a matrix is aggregated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OverviewOptions {
    /// Along which axes.
    pub axis: Axis,
    /// How the gain is measured.
    pub gain: Gain,
    /// How many bytes the tables may take.
    pub memory: u64,
}

impl Default for OverviewOptions {
    /// Along both axes, within 1 GiB.
    fn default() -> Self {
        Self { axis: Axis::Both, gain: Gain::Sum, memory: 1 << 30 }
    }
}

/// Which trade-off to take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Choice {
    /// This one, between 0 and 1.
    P(f64),
    /// That of the segment of the curve with this number, from 0.
    Rank(usize),
    /// The one to begin with, by a rule.
    Start(StartRule),
}

/// A partition that is simpler than the optimal one, to compare with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simpler {
    /// The nodes of one depth in intervals of the same width.
    Grid,
    /// An optimal partition in space times one in time.
    Product,
}

/// A partition, with the looks of its areas.
#[derive(Clone, PartialEq, Debug)]
pub struct OverviewAnswer {
    /// The partition.
    pub partition: Partition,
    /// Its areas as a reader lists them: by the place of the node in the tree, then by time.
    pub areas: Vec<AreaRow>,
    /// Gain of everything as one area.
    pub whole_gain: f64,
    /// Loss of everything as one area.
    pub whole_loss: f64,
}

/// An area of a partition.
#[derive(Clone, PartialEq, Debug)]
pub struct AreaRow {
    /// The node of the tree.
    pub node: u32,
    /// Its first slice.
    pub first: usize,
    /// Its last slice, which belongs to it.
    pub last: usize,
    /// How many leaves it has.
    pub n_leaves: usize,
    /// Its gain, in bits.
    pub gain: f64,
    /// Its loss, in bits.
    pub loss: f64,
    /// Its mean amounts, its strongest value and the share of that.
    pub look: Look,
}

/// The best value for all trade-offs.
#[derive(Clone, PartialEq, Debug)]
pub struct CurveAnswer {
    /// The curve.
    pub curve: Curve,
    /// The number of the segment to begin with.
    pub default: usize,
}

/// The trade-offs that Ocelotl would list.
#[derive(Clone, PartialEq, Debug)]
pub struct HalvingAnswer {
    /// The list.
    pub halving: Halving,
    /// Gain of everything as one area.
    pub whole_gain: f64,
    /// Loss of everything as one area.
    pub whole_loss: f64,
}

/// A matrix with the tables for all its trade-offs.
pub struct Overview<'m> {
    matrix: &'m Matrix,
    options: OverviewOptions,
    tables: &'m Tables<'m>,
}

impl<'m> Overview<'m> {
    /// Builds the tables and hands them to `ask`.
    pub fn with<T>(
        matrix: &'m Matrix,
        options: &OverviewOptions,
        watch: Watch<'_>,
        ask: impl FnOnce(&Overview<'_>) -> Result<T>,
    ) -> Result<T> {
        let problem = Problem::new(&matrix.tree, &matrix.cells, options.axis, options.gain)
            .map_err(|error| explained(matrix, error))?;
        let tables = Tables::new(&problem, options.memory, watch)
            .map_err(|error| explained(matrix, error))?;
        ask(&Overview { matrix, options: *options, tables: &tables })
    }

    /// The matrix.
    pub fn matrix(&self) -> &Matrix {
        self.matrix
    }

    /// The partition for a trade-off.
    pub fn partition(&self, choice: Choice, watch: Watch<'_>) -> Result<OverviewAnswer> {
        let partition = self.chosen(choice, watch)?;
        let (whole_gain, whole_loss) = self.tables.whole();
        Ok(OverviewAnswer { areas: self.areas(&partition), partition, whole_gain, whole_loss })
    }

    /// A simpler partition with at most as many areas as the optimal one, and as small a loss as that allows. Only along
    /// both axes is there anything simpler.
    pub fn simpler(
        &self,
        simpler: Simpler,
        optimal: &OverviewAnswer,
        watch: Watch<'_>,
    ) -> Result<OverviewAnswer> {
        let OverviewOptions { axis, gain, memory } = self.options;
        if axis != Axis::Both {
            let why = "a partition along one axis has nothing simpler beside it; take both axes";
            return Err(AnswerError::Question(why.to_owned()));
        }
        let Matrix { tree, cells, .. } = self.matrix;
        let (p, most) = (optimal.partition.p, optimal.areas.len());
        let partition = match simpler {
            Simpler::Grid => best_grid(tree, cells, gain, p, most),
            Simpler::Product => best_product(tree, cells, gain, p, most, memory, watch)
                .map_err(|error| explained(self.matrix, error))?,
        };
        let OverviewAnswer { whole_gain, whole_loss, .. } = *optimal;
        Ok(OverviewAnswer { areas: self.areas(&partition), partition, whole_gain, whole_loss })
    }

    /// The curve over all trade-offs, and where to begin by a rule.
    pub fn curve(
        &self,
        limits: CurveLimits,
        rule: StartRule,
        watch: Watch<'_>,
    ) -> Result<CurveAnswer> {
        let curve = Curve::search(self.tables, limits, watch)
            .map_err(|error| explained(self.matrix, error))?;
        Ok(CurveAnswer { default: curve.start(rule), curve })
    }

    /// The trade-offs that Ocelotl would list.
    pub fn halving(&self, watch: Watch<'_>) -> Result<HalvingAnswer> {
        let halving = Halving::search(self.tables, HALVING_STEP, watch)
            .map_err(|error| explained(self.matrix, error))?;
        let (whole_gain, whole_loss) = self.tables.whole();
        Ok(HalvingAnswer { halving, whole_gain, whole_loss })
    }

    fn solve(&self, p: f64, watch: Watch<'_>) -> Result<Partition> {
        self.tables.solve(p, watch).map_err(|error| explained(self.matrix, error))
    }

    fn chosen(&self, choice: Choice, watch: Watch<'_>) -> Result<Partition> {
        let draft = |rule| self.curve(CurveLimits::DRAFT, rule, watch);
        let p = match choice {
            Choice::P(p) => p,
            Choice::Rank(rank) => {
                let segments = draft(StartRule::default())?.curve.segments;
                let segment = segments.get(rank).ok_or_else(|| no_rank(rank, segments.len()))?;
                segment.p
            }
            Choice::Start(StartRule::Readable) => {
                // Mostly this is the answer, and the curve need not be searched.
                let first = self.solve(self.tables.start_p(), watch)?;
                if is_readable(first.areas.len()) {
                    return Ok(first);
                }
                let CurveAnswer { curve, default } = draft(StartRule::Readable)?;
                curve.segments[default].p
            }
            Choice::Start(rule) => {
                let CurveAnswer { curve, default } = draft(rule)?;
                curve.segments[default].p
            }
        };
        self.solve(p, watch)
    }

    fn areas(&self, partition: &Partition) -> Vec<AreaRow> {
        let Matrix { tree, cells, .. } = self.matrix;
        let row = |area: &onca_aggregate::overview::Area| {
            // Without an axis of time, an area has all of it.
            let (first, last) = match self.options.axis {
                Axis::Space => (0, cells.n_slices() - 1),
                _ => (area.first, area.last),
            };
            AreaRow {
                node: area.node,
                first,
                last,
                n_leaves: tree.n_leaves(area.node),
                gain: area.gain,
                loss: area.loss,
                look: Look::of(tree, cells, area.node, first, last),
            }
        };
        let mut rows: Vec<AreaRow> = partition.areas.iter().map(row).collect();
        let mut places = vec![0; tree.len()];
        for (place, &node) in tree.preorder().iter().enumerate() {
            places[node as usize] = place;
        }
        rows.sort_by_key(|row| (places[row.node as usize], row.first));
        rows
    }
}

fn no_rank(rank: usize, n: usize) -> AnswerError {
    let last = n - 1;
    AnswerError::Question(format!(
        "there is no trade-off {rank}; they are numbered from 0 to {last}"
    ))
}

/// The error with the names of this matrix.
fn explained(matrix: &Matrix, error: OverviewError) -> AnswerError {
    match error {
        OverviewError::Memory { .. } => AnswerError::TooLarge(error.to_string()),
        OverviewError::Number { leaf, value, slice, number } => {
            let place = matrix.where_is(leaf, value);
            AnswerError::Question(format!(
                "{place} is {number} in slice {slice}; only amounts from 0 on can be aggregated"
            ))
        }
        error => AnswerError::Question(error.to_string()),
    }
}
