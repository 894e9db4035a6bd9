//! Rows that are made of other rows.

use std::sync::Arc;

use onca_store::TrackId;

/// What a row is the sum of: rows that are done before it, and tracks that are in none of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Parts {
    /// The row.
    pub row: usize,
    /// Rows.
    pub rows: Vec<usize>,
    /// Tracks.
    pub tracks: Vec<TrackId>,
}

/// Stands for "no row has it yet".
const NONE: u32 = u32::MAX;

/// Takes rows apart into steps: the parts of a row are done in steps before its own. Rows that lie
/// in each other, as groups and their members do, share everything.
pub(super) fn steps(rows: &[Arc<[TrackId]>], n_tracks: usize) -> Vec<Vec<Parts>> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|row| rows[*row].len());
    // By track: the largest row so far that holds it.
    let mut holder = vec![NONE; n_tracks];
    let mut level = vec![0; rows.len()];
    let mut steps: Vec<Vec<Parts>> = Vec::new();
    for row in order {
        let parts = parts_of(row, rows, &holder);
        let below = parts.rows.iter().map(|part| level[*part] + 1).max();
        level[row] = below.unwrap_or(0);
        rows[row].iter().for_each(|track| holder[track.index()] = row as u32);
        if steps.len() <= level[row] {
            steps.resize_with(level[row] + 1, Vec::new);
        }
        steps[level[row]].push(parts);
    }
    steps
}

/// A row may use another one that lies in it as a whole.
fn parts_of(row: usize, rows: &[Arc<[TrackId]>], holder: &[u32]) -> Parts {
    let mut holders: Vec<u32> = rows[row].iter().map(|track| holder[track.index()]).collect();
    holders.sort_unstable();
    let is_whole = |same: &&[u32]| same[0] != NONE && same.len() == rows[same[0] as usize].len();
    let whole: Vec<u32> =
        holders.chunk_by(|a, b| a == b).filter(is_whole).map(|same| same[0]).collect();
    let is_left = |track: &&TrackId| whole.binary_search(&holder[track.index()]).is_err();
    Parts {
        row,
        tracks: rows[row].iter().filter(is_left).copied().collect(),
        rows: whole.into_iter().map(|part| part as usize).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(tracks: &[u32]) -> Arc<[TrackId]> {
        tracks.iter().map(|track| TrackId(*track)).collect()
    }

    fn parts(row: usize, rows: &[usize], tracks: &[u32]) -> Parts {
        let tracks = tracks.iter().map(|track| TrackId(*track)).collect();
        Parts { row, rows: rows.to_vec(), tracks }
    }

    #[test]
    fn groups_are_made_of_their_members() {
        let rows = [row(&[0, 1, 2, 3, 4]), row(&[0, 1]), row(&[0]), row(&[1]), row(&[3])];
        let expected = [
            vec![parts(2, &[], &[0]), parts(3, &[], &[1]), parts(4, &[], &[3])],
            vec![parts(1, &[2, 3], &[])],
            vec![parts(0, &[1, 4], &[2, 4])],
        ];
        assert_eq!(steps(&rows, 5), expected);
    }

    #[test]
    fn rows_that_overlap_share_nothing() {
        let rows = [row(&[0, 1]), row(&[1, 2]), row(&[0, 1, 2]), row(&[])];
        let expected = [
            vec![parts(3, &[], &[]), parts(0, &[], &[0, 1]), parts(1, &[], &[1, 2])],
            vec![parts(2, &[1], &[0])],
        ];
        assert_eq!(steps(&rows, 3), expected);
    }

    #[test]
    fn equal_rows_are_computed_once() {
        let rows = [row(&[0, 1]), row(&[0, 1])];
        let expected = [vec![parts(0, &[], &[0, 1])], vec![parts(1, &[0], &[])]];
        assert_eq!(steps(&rows, 2), expected);
    }
}
