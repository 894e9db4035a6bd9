//! Files as they look after a fault: bits that turned, pieces that are missing, numbers at their limits.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Numbers at which something begins or ends.
const EDGES: [u64; 10] =
    [0, 1, 0x7f, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 32, i64::MAX as u64, u64::MAX];

/// The files of a trace with a few changes.
pub fn damage(good: &[Vec<u8>], random: &mut ChaCha8Rng) -> Vec<Vec<u8>> {
    let mut files = good.to_vec();
    for _ in 0..random.random_range(1..=4) {
        let file = random.random_range(0..files.len());
        change(&mut files[file], random);
    }
    files
}

fn change(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    let n = bytes.len();
    if n == 0 {
        bytes.push(random.random());
        return;
    }
    let at = random.random_range(0..n);
    let stretch = at..n.min(at + random.random_range(1..=16));
    match random.random_range(0..9) {
        0 => bytes[at] ^= 1 << random.random_range(0..8),
        1 => bytes[at] = random.random(),
        2 => bytes[at] = EDGES[random.random_range(0..4)] as u8,
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(stretch)),
        5 => {
            let copy = bytes[stretch].to_vec();
            bytes.splice(at..at, copy);
        }
        6 => {
            let edge = EDGES[random.random_range(0..EDGES.len())].to_le_bytes();
            let width = [2, 4, 8][random.random_range(0..3)].min(n - at);
            bytes[at..at + width].copy_from_slice(&edge[..width]);
        }
        7 => {
            let edge = EDGES[random.random_range(0..EDGES.len())].to_string();
            bytes.splice(stretch, edge.into_bytes());
        }
        _ => {
            let other = random.random_range(0..n);
            bytes.swap(at, other);
        }
    }
}
