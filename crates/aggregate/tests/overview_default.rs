//! Does the trade-off to begin with show what was planted? The runs look like the first figure of the paper: all
//! processes initialise, then iterate, and for a while some of them wait longer.

use std::ops::Range;

use onca_aggregate::Tree;
use onca_aggregate::overview::{
    Area, Axis, Curve, CurveLimits, Gain, Partition, Problem, StartRule, Tables, Watch, is_readable,
};
use onca_aggregate::slice::Cube;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const CAP: u64 = 1 << 30;
const INIT: usize = 0;
const COMPUTE: usize = 1;
const SEND: usize = 2;
const WAIT: usize = 3;

/// A run, and what was planted in it.
struct Run {
    tree: Tree,
    cube: Cube<f64>,
    leaves: Range<usize>,
    slices: Range<usize>,
}

/// How a run is made.
struct Plan {
    n_machines: usize,
    n_cores: usize,
    n_slices: usize,
    init: usize,
    leaves: Range<usize>,
    slices: Range<usize>,
    /// The share of a slice that is waited instead of computed.
    shift: f64,
    /// The largest deviation of a share.
    noise: f64,
}

impl Plan {
    /// The run of the paper: 64 processes on 8 machines, and a burst on 26 of them.
    fn of_the_paper() -> Self {
        Self {
            n_machines: 8,
            n_cores: 8,
            n_slices: 30,
            init: 5,
            leaves: 19..45,
            slices: 18..21,
            shift: 0.2,
            noise: 0.02,
        }
    }

    fn random(dice: &mut ChaCha8Rng) -> Self {
        let (n_machines, n_cores) = (dice.random_range(2..=16), dice.random_range(2..=12));
        let n_leaves = n_machines * n_cores;
        let n_slices = [20, 30, 50][dice.random_range(0..3)];
        let init = dice.random_range(1..n_slices / 4);
        let n_hit = (n_leaves as f64 * dice.random_range(0.1..0.6)).ceil() as usize;
        let from = dice.random_range(0..=n_leaves - n_hit);
        let length = dice.random_range(1..=n_slices / 4);
        let begin = dice.random_range(init + 2..=n_slices - length);
        Self {
            n_machines,
            n_cores,
            n_slices,
            init,
            leaves: from..from + n_hit,
            slices: begin..begin + length,
            shift: dice.random_range(0.15..0.4),
            noise: dice.random_range(0.002..0.03),
        }
    }

    fn run(&self, dice: &mut ChaCha8Rng) -> Run {
        let Self { n_machines, n_cores, n_slices, .. } = *self;
        let mut parents = vec![0u32; 1 + n_machines];
        let n_leaves = n_machines * n_cores;
        parents.extend((0..n_leaves).map(|leaf| (1 + leaf / n_cores) as u32));
        let mut cube = Cube::new(n_leaves, 4, n_slices).expect("a cube");
        for leaf in 0..n_leaves {
            for slice in 0..n_slices {
                let mut shares = [0.0; 4];
                if slice < self.init {
                    shares[INIT] = 1.0;
                } else {
                    let mut deviation = || self.noise * (2.0 * dice.random::<f64>() - 1.0);
                    (shares[SEND], shares[WAIT]) = (0.1 + deviation(), 0.15 + deviation());
                    if self.leaves.contains(&leaf) && self.slices.contains(&slice) {
                        shares[WAIT] += self.shift;
                    }
                    shares[COMPUTE] = 1.0 - shares[SEND] - shares[WAIT];
                }
                for (value, share) in shares.into_iter().enumerate() {
                    cube.row_mut(leaf, value)[slice] = share;
                }
            }
        }
        let tree = Tree::new(parents).expect("parents come before children");
        Run { tree, cube, leaves: self.leaves.clone(), slices: self.slices.clone() }
    }
}

impl Run {
    /// The partition that a reader sees first, as a command takes it.
    fn first(&self) -> Partition {
        let problem = Problem::new(&self.tree, &self.cube, Axis::Both, Gain::Sum).expect("valid");
        let tables = Tables::new(&problem, CAP, Watch::default()).expect("tables");
        let first = tables.solve(tables.start_p(), Watch::default()).expect("a partition");
        if is_readable(first.areas.len()) {
            return first;
        }
        let curve = Curve::search(&tables, CurveLimits::DRAFT, Watch::default()).expect("a curve");
        let start = &curve.segments[curve.start(StartRule::default())];
        tables.solve(start.p, Watch::default()).expect("a partition")
    }

    /// No area is both inside and outside of what was planted.
    fn is_shown_by(&self, partition: &Partition) -> bool {
        let is_clear = |area: &Area| {
            let leaves = self.tree.leaf_range(area.node);
            let n_leaves = leaves.filter(|leaf| self.leaves.contains(leaf)).count();
            let n_slices = (area.first..=area.last).filter(|at| self.slices.contains(at)).count();
            let n_inside = n_leaves * n_slices;
            let n_cells = self.tree.n_leaves(area.node) * (area.last + 1 - area.first);
            n_inside == 0 || n_inside == n_cells
        };
        partition.areas.iter().all(is_clear)
    }
}

#[test]
fn the_burst_of_the_paper_is_seen_at_once() {
    let run = Plan::of_the_paper().run(&mut ChaCha8Rng::seed_from_u64(1));
    let first = run.first();
    assert!(run.is_shown_by(&first), "{:?}", first.areas);
    assert!(first.areas.len() < 60, "{}", first.areas.len());
}

#[test]
fn what_is_planted_is_seen_in_95_of_100_runs() {
    let mut n_shown = 0;
    for seed in 0..100 {
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        let plan = Plan::random(&mut dice);
        let run = plan.run(&mut dice);
        let first = run.first();
        n_shown += usize::from(run.is_shown_by(&first));
        assert!(first.areas.len() <= 150, "{seed}: {} areas", first.areas.len());
        // Without it there is nothing to see but two phases.
        let calm = Plan { shift: 0.0, ..plan }.run(&mut dice).first();
        assert_eq!(calm.areas.len(), 2, "{seed}");
    }
    assert!(n_shown >= 95, "{n_shown} of 100");
}
