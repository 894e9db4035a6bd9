//! The partition for a trade-off, and the trade-offs that matter.

use onca_aggregate::overview::{
    Axis, Curve, CurveLimits, Gain, Halving, Look, OverviewError, Partition, Problem, Tables, Watch,
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

/// Which trade-off to take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Choice {
    /// This one, between 0 and 1.
    P(f64),
    /// The middle of the segment of the curve with this number, from 0.
    Rank(usize),
    /// Where gain and loss change most differently.
    Default,
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
    axis: Axis,
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
        ask(&Overview { matrix, axis: options.axis, tables: &tables })
    }

    /// The matrix.
    pub fn matrix(&self) -> &Matrix {
        self.matrix
    }

    /// The partition for a trade-off.
    pub fn partition(&self, choice: Choice, watch: Watch<'_>) -> Result<OverviewAnswer> {
        let p = match choice {
            Choice::P(p) => p,
            Choice::Default => {
                let CurveAnswer { curve, default } = self.curve(CurveLimits::DRAFT, watch)?;
                curve.segments[default].middle()
            }
            Choice::Rank(rank) => self.p_of_rank(rank, watch)?,
        };
        let partition =
            self.tables.solve(p, watch).map_err(|error| explained(self.matrix, error))?;
        let (whole_gain, whole_loss) = self.tables.whole();
        Ok(OverviewAnswer { areas: self.areas(&partition), partition, whole_gain, whole_loss })
    }

    /// The curve over all trade-offs.
    pub fn curve(&self, limits: CurveLimits, watch: Watch<'_>) -> Result<CurveAnswer> {
        let curve = Curve::search(self.tables, limits, watch)
            .map_err(|error| explained(self.matrix, error))?;
        Ok(CurveAnswer { default: curve.default_segment(), curve })
    }

    /// The trade-offs that Ocelotl would list.
    pub fn halving(&self, watch: Watch<'_>) -> Result<HalvingAnswer> {
        let halving = Halving::search(self.tables, HALVING_STEP, watch)
            .map_err(|error| explained(self.matrix, error))?;
        let (whole_gain, whole_loss) = self.tables.whole();
        Ok(HalvingAnswer { halving, whole_gain, whole_loss })
    }

    fn p_of_rank(&self, rank: usize, watch: Watch<'_>) -> Result<f64> {
        let segments = self.curve(CurveLimits::DRAFT, watch)?.curve.segments;
        let segment = segments.get(rank).ok_or_else(|| {
            let last = segments.len() - 1;
            AnswerError::Question(format!(
                "there is no trade-off {rank}; they are numbered from 0 to {last}"
            ))
        })?;
        Ok(segment.middle())
    }

    fn areas(&self, partition: &Partition) -> Vec<AreaRow> {
        let Matrix { tree, cells, .. } = self.matrix;
        let row = |area: &onca_aggregate::overview::Area| {
            // Without an axis of time, an area has all of it.
            let (first, last) = match self.axis {
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
