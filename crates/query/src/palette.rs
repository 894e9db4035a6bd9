//! Colours for names that have none: by role, by a hash of the name, by lightness and hue.
//!
//! Every name has a list of colours that it would like, in an order that depends on the name
//! alone. A name with a [`Role`] likes the colour of the role best and then its shades; any
//! other name likes one of a set that people who see fewer colours can tell apart, and then hues
//! spread over the circle, in changing lightness.
//!
//! [`assign`] lets names choose one after the other; each takes the first colour of its list that
//! is not too near to one that is taken, for any kind of colour vision if that can be, else for
//! most people. So the colour of a name depends on other names only
//! where two like the same. The order of choice is: the first name of each role, the other names
//! with a role, names without; among those the shorter name, then the smaller in byte order. A
//! short name is mostly the plain one: `MPI_Send` chooses before `MPI_Isend`.

mod maps;
mod oklab;
#[cfg(test)]
mod tests;
mod told_apart;
mod vision;

use std::collections::{BTreeMap, BTreeSet};

use onca_model::Color;

use self::oklab::Lch;
use self::vision::Seen;
use crate::Role;

pub use self::maps::{count_shade, count_shades, diverging, sequential};
pub use self::oklab::{contrast, text_on};
pub use self::told_apart::{
    Alike, FADED_SHARE, GROUNDS, LEAST_DISTANCE, LEAST_FADED, LEAST_FROM_GROUND, alike,
};

/// The colours of Okabe and Ito, without black: one can tell them apart with any common
/// deficiency of colour vision.
const SAFE: [Color; 7] = [
    Color::rgb(0xe6, 0x9f, 0x00),
    Color::rgb(0x56, 0xb4, 0xe9),
    Color::rgb(0x00, 0x9e, 0x73),
    Color::rgb(0xf0, 0xe4, 0x42),
    Color::rgb(0x00, 0x72, 0xb2),
    Color::rgb(0xd5, 0x5e, 0x00),
    Color::rgb(0xcc, 0x79, 0xa7),
];

/// With more colours than this on a screen nobody tells them apart: then only equal ones are the
/// same, and choosing stays quick.
const MAX_COMPARED: usize = 64;

/// Shades of a role: their lightness, and their chroma as a share of that of the role.
const SHADE_LIGHTNESS: [f64; 7] = [0.40, 0.49, 0.58, 0.67, 0.76, 0.85, 0.93];
const SHADE_CHROMA: [f64; 2] = [1.0, 0.5];

/// Hues of the spread, and the lightness and chroma that they go through in turn.
const N_SPREAD: usize = 360;
const SPREAD_LIGHTNESS: [f64; 4] = [0.72, 0.50, 0.84, 0.61];
const SPREAD_CHROMA: f64 = 0.13;
/// Steps of this angle, in degrees, never come back to where they were and leave no wide gap.
const GOLDEN_ANGLE: f64 = 137.507_764_050_037_85;

/// The colour that a name likes best, and has when nothing else is shown.
pub fn color_of(name: &[u8]) -> Color {
    match Role::guess(name) {
        Some(role) => role.color(),
        None => SAFE[safe_index(name)],
    }
}

/// The colours of names that are shown together, with their roles, in the order of the names.
///
/// Equal names of one role have equal colours. The result does not depend on the order. When all that a name
/// likes is taken, which needs 14 names of a role or hundreds without, it shares a colour that its
/// hash picks.
pub fn assign(names: &[(&[u8], Option<Role>)]) -> Vec<Color> {
    assign_beside(&[], names)
}

/// The same, where some colours are taken already.
pub fn assign_beside(taken: &[Color], names: &[(&[u8], Option<Role>)]) -> Vec<Color> {
    let mut choice = Choice::new();
    for &color in taken {
        choice.take(Candidate::new(color));
    }
    let mut chosen: BTreeMap<(&[u8], Option<Role>), Color> = BTreeMap::new();
    for (name, role) in order_of_choice(names) {
        chosen.insert((name, role), choice.choose(name, role));
    }
    names.iter().map(|named| chosen[named]).collect()
}

/// A fixed hash of a name (FNV-1a, 64 bits): colours must be the same in every version and on
/// every machine.
pub(crate) fn hash(name: &[u8]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    name.iter().fold(OFFSET, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

fn safe_index(name: &[u8]) -> usize {
    (hash(name) % SAFE.len() as u64) as usize
}

fn spread_index(name: &[u8]) -> usize {
    // What is left of the hash once it has picked one of the safe set.
    (hash(name) / SAFE.len() as u64 % N_SPREAD as u64) as usize
}

/// All of a slice, from one place to the end and on from the beginning.
fn turned<T>(all: &[T], first: usize) -> impl Iterator<Item = &T> {
    all[first..].iter().chain(&all[..first])
}

/// The names, each once, as they choose.
fn order_of_choice<'a>(names: &[(&'a [u8], Option<Role>)]) -> Vec<(&'a [u8], Option<Role>)> {
    let distinct: BTreeSet<(usize, &[u8], Option<Role>)> =
        names.iter().map(|(name, role)| (name.len(), *name, *role)).collect();
    let mut seen_roles = BTreeSet::new();
    let mut turns: Vec<(u8, &[u8], Option<Role>)> = Vec::with_capacity(distinct.len());
    for (_, name, role) in distinct {
        let turn = match role {
            Some(role) if seen_roles.insert(role) => 0,
            Some(_) => 1,
            None => 2,
        };
        turns.push((turn, name, role));
    }
    // A stable sort: by length and bytes within a turn.
    turns.sort_by_key(|(turn, ..)| *turn);
    turns.into_iter().map(|(_, name, role)| (name, role)).collect()
}

/// A colour that may be chosen.
#[derive(Clone, Copy)]
struct Candidate {
    color: Color,
    seen: Seen,
}

impl Candidate {
    fn new(color: Color) -> Self {
        Self { color, seen: Seen::of(color) }
    }
}

/// What there is to choose from, and what is chosen.
struct Choice {
    safe: [Candidate; SAFE.len()],
    spread: Vec<Candidate>,
    taken: Vec<Seen>,
    taken_bytes: BTreeSet<[u8; 3]>,
    /// Lists of which nothing is left: that of a role, or that of names without.
    exhausted: BTreeSet<Option<Role>>,
}

impl Choice {
    fn new() -> Self {
        Self {
            safe: SAFE.map(Candidate::new),
            spread: spread().map(Candidate::new).collect(),
            taken: Vec::new(),
            taken_bytes: BTreeSet::new(),
            exhausted: BTreeSet::new(),
        }
    }

    fn take(&mut self, Candidate { color, seen }: Candidate) {
        self.taken_bytes.insert([color.red, color.green, color.blue]);
        self.taken.push(seen);
    }

    fn choose(&mut self, name: &[u8], role: Option<Role>) -> Color {
        if !self.exhausted.contains(&role) {
            if let Some(Candidate { color, seen }) = self.first_free(&self.likes(name, role)) {
                self.take(Candidate { color, seen });
                return color;
            }
            self.exhausted.insert(role);
        }
        match role {
            Some(role) => shades(role, hash(name)).next().unwrap_or(role.color()),
            None => self.spread[spread_index(name)].color,
        }
    }

    /// The first that is far from all that are taken for everybody, else for most, else the first
    /// that is another.
    fn first_free(&self, list: &[Candidate]) -> Option<Candidate> {
        let is_new = |candidate: &&Candidate| {
            let Color { red, green, blue, .. } = candidate.color;
            !self.taken_bytes.contains(&[red, green, blue])
        };
        let far = |distance: fn(&Seen, &Seen) -> f64| {
            let is_far = |candidate: &&Candidate| {
                self.taken.iter().all(|taken| distance(taken, &candidate.seen) >= LEAST_DISTANCE)
            };
            (self.taken.len() < MAX_COMPARED).then(|| list.iter().find(is_far)).flatten()
        };
        let found = far(Seen::least_distance).or_else(|| far(Seen::distance));
        found.or_else(|| list.iter().find(is_new)).copied()
    }

    /// The colours that a name likes, the best first.
    fn likes(&self, name: &[u8], role: Option<Role>) -> Vec<Candidate> {
        match role {
            Some(role) => {
                let list = std::iter::once(role.color()).chain(shades(role, hash(name)));
                list.map(Candidate::new).collect()
            }
            None => {
                let safe = turned(&self.safe, safe_index(name));
                safe.chain(turned(&self.spread, spread_index(name))).copied().collect()
            }
        }
    }
}

/// Shades of the colour of a role: full ones first, from a lightness that the hash picks.
fn shades(role: Role, hash: u64) -> impl Iterator<Item = Color> {
    let base = Lch::of(role.color());
    let first = (hash % SHADE_LIGHTNESS.len() as u64) as usize;
    SHADE_CHROMA.into_iter().flat_map(move |share| {
        (0..SHADE_LIGHTNESS.len()).map(move |step| {
            let lightness = SHADE_LIGHTNESS[(first + step) % SHADE_LIGHTNESS.len()];
            Lch { lightness, chroma: base.chroma * share, hue: base.hue }.to_color()
        })
    })
}

/// Hues all around, each in another lightness than the last.
fn spread() -> impl Iterator<Item = Color> {
    (0..N_SPREAD).map(|at| {
        let lightness = SPREAD_LIGHTNESS[at % SPREAD_LIGHTNESS.len()];
        let hue = (at as f64 * GOLDEN_ANGLE).rem_euclid(360.0);
        Lch { lightness, chroma: SPREAD_CHROMA, hue }.to_color()
    })
}
