//! Which bands show their states one by one.

use onca_answer::{TrackId, entities};
use onca_model::LaneId;
use rayon::prelude::*;

use crate::{
    Result,
    timeline::{content::Content, stage::Stage},
};

/// A picture has no more single states than this: more can neither be told apart nor sent and
/// drawn in time.
const MOST_STATES: u64 = 50_000;
/// In a band, a column has no more than this many single states on average. More could not be told
/// apart, unless short ones lie in long ones.
const MOST_PER_COLUMN: u64 = 1;
const MOST_NESTED_PER_COLUMN: u64 = 4;
/// More depths cannot be told apart: then columns show the innermost states.
const MOST_DEPTHS: usize = 16;

/// The bands whose states are drawn one by one. Those with the fewest states come first, for as
/// long as the picture has room; the others are drawn as columns of shares.
pub(crate) struct SingleBands {
    is_single: Vec<bool>,
}

impl SingleBands {
    /// Chooses among bands.
    pub fn choose<'b>(stage: &Stage<'_>, bands: impl Iterator<Item = &'b Content>) -> Result<Self> {
        let bands: Vec<&Content> = bands.collect();
        let counted: Vec<Option<u64>> = bands
            .par_iter()
            .map(|content| match content {
                Content::States { tracks, .. } => count(stage, tracks),
                _ => Ok(None),
            })
            .collect::<Result<_>>()?;
        let mut counts: Vec<(u64, usize)> = counted
            .into_iter()
            .enumerate()
            .filter_map(|(number, count)| Some((count?, number)))
            .collect();
        counts.sort_unstable();
        let mut is_single = vec![false; bands.len()];
        let mut sum = 0;
        for (count, number) in counts {
            sum += count;
            is_single[number] = sum <= MOST_STATES;
        }
        Ok(Self { is_single })
    }

    /// Is the band with this number one of them?
    pub fn contains(&self, number: usize) -> bool {
        self.is_single[number]
    }
}

/// How many states some tracks have in the window, if they are few enough for a band.
fn count(stage: &Stage<'_>, tracks: &[TrackId]) -> Result<Option<u64>> {
    let lanes = || tracks.iter().map(|track| entities::lanes_of(stage.scope, *track));
    if lanes().any(|lanes| lanes.len() > MOST_DEPTHS) {
        return Ok(None);
    }
    // Every depth beyond the second has a lane of its own, with columns of its own where it is dense.
    let most = match lanes().map(<[LaneId]>::len).max().unwrap_or(0) {
        0 | 1 => MOST_PER_COLUMN,
        n_depths => MOST_NESTED_PER_COLUMN * (n_depths as u64 - 1),
    };
    let all: u64 = lanes().flatten().map(|lane| entities::n_rows(stage.scope, *lane)).sum();
    if all == 0 {
        return Ok(Some(0));
    }
    let n = entities::n_states(stage.scope, tracks, stage.instants())?;
    Ok((n <= most * stage.grid.n as u64).then_some(n))
}
