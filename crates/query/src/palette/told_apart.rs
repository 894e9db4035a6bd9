//! Can colours be told apart where they are shown together?
//!
//! A trace's own colours are kept only if every two of them differ to everybody: to people who
//! see all colours, and to those with protanopia, deuteranopia or tritanopia. They must also
//! differ from what is behind them, in the light and in the dark theme, and from each other when
//! they are faded, as all but one are while the pointer rests on it.

use onca_model::Color;

use super::vision::Seen;

/// What is behind everything in the light and in the dark theme.
pub const GROUNDS: [Color; 2] = [Color::rgb(255, 255, 255), Color::rgb(22, 23, 28)];

/// Two colours nearer than this in OKLab, to anybody, are taken for the same.
pub const LEAST_DISTANCE: f64 = 0.06;
/// Colours nearer than this to what is behind them are lost on it.
pub const LEAST_FROM_GROUND: f64 = 0.06;
/// What fades keeps this share of its colour; the rest is what is behind.
pub const FADED_SHARE: f64 = 0.45;
/// Faded colours nearer than this are taken for the same. It is less than
/// [`LEAST_DISTANCE`]: what fades is there to be passed over.
pub const LEAST_FADED: f64 = 0.02;

/// Why colours cannot be told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alike {
    /// These two, by their places in the list, look alike to somebody.
    Each(usize, usize),
    /// This one is lost on what is behind it.
    Ground(usize),
}

/// The first colours that cannot be told apart, if there are such. `same` says which places stand
/// for the same thing: they may share a colour.
pub fn alike(colors: &[Color], same: impl Fn(usize, usize) -> bool) -> Option<Alike> {
    let seen: Vec<[Seen; 3]> = colors
        .iter()
        .map(|&color| [Seen::of(color), faded(color, GROUNDS[0]), faded(color, GROUNDS[1])])
        .collect();
    for at in 0..seen.len() {
        for (other, before) in seen[..at].iter().enumerate() {
            let least = [LEAST_DISTANCE, LEAST_FADED, LEAST_FADED];
            let near = (0..3).any(|way| seen[at][way].least_distance(&before[way]) < least[way]);
            if near && !same(other, at) {
                return Some(Alike::Each(other, at));
            }
        }
    }
    let grounds = GROUNDS.map(Seen::of);
    let is_lost = |at: &usize| {
        let near = |ground: &Seen| seen[*at][0].least_distance(ground) < LEAST_FROM_GROUND;
        colors[*at].alpha < 255 || grounds.iter().any(near)
    };
    (0..seen.len()).find(is_lost).map(Alike::Ground)
}

/// A colour that has faded into what is behind it.
fn faded(color: Color, ground: Color) -> Seen {
    let channel = |own: u8, behind: u8| {
        (f64::from(own) * FADED_SHARE + f64::from(behind) * (1.0 - FADED_SHARE)).round() as u8
    };
    Seen::of(Color::rgb(
        channel(color.red, ground.red),
        channel(color.green, ground.green),
        channel(color.blue, ground.blue),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::SAFE;
    use super::*;

    fn first(colors: &[Color]) -> Option<Alike> {
        alike(colors, |_, _| false)
    }

    #[test]
    fn equal_and_nearly_equal_colours_are_alike() {
        let (blue, red) = (Color::rgb(0, 114, 178), Color::rgb(255, 0, 0));
        assert_eq!(first(&[red, blue, blue]), Some(Alike::Each(1, 2)));
        assert_eq!(first(&[blue, red, Color::rgb(0, 110, 178)]), Some(Alike::Each(0, 2)));
        assert_eq!(first(&[blue, red]), None);
        assert_eq!(alike(&[blue, blue], |a, b| (a, b) == (0, 1)), None);
    }

    #[test]
    fn what_only_some_people_confuse_is_alike() {
        // An olive and a brown, which look alike without the cones for red or green.
        let (olive, brown) = (Color::rgb(0x80, 0x90, 0x40), Color::rgb(0xb0, 0x80, 0x40));
        assert!(Seen::of(olive).distance(&Seen::of(brown)) > LEAST_DISTANCE);
        assert_eq!(first(&[olive, brown]), Some(Alike::Each(0, 1)));
    }

    #[test]
    fn what_is_lost_on_a_ground_is_not_kept() {
        for ground in GROUNDS {
            assert_eq!(first(&[Color::rgb(255, 0, 0), ground]), Some(Alike::Ground(1)));
        }
        assert_eq!(first(&[Color::rgb(250, 250, 245)]), Some(Alike::Ground(0)));
        assert_eq!(first(&[Color { alpha: 128, ..SAFE[0] }]), Some(Alike::Ground(0)));
    }

    /// Pure cyan is far from white for most, and not for who has no cones for red.
    #[test]
    fn a_ground_counts_for_every_kind_of_vision() {
        let cyan = Color::rgb(0, 255, 255);
        assert!(Seen::of(cyan).distance(&Seen::of(GROUNDS[0])) > 2.0 * LEAST_FROM_GROUND);
        assert_eq!(first(&[cyan]), Some(Alike::Ground(0)));
    }

    #[test]
    fn the_palette_keeps_its_own_rule() {
        assert_eq!(first(&SAFE), None);
    }

    /// The page fades what it draws by a number of its own.
    #[test]
    fn the_page_fades_as_far() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/paint/painter.ts");
        let text = std::fs::read_to_string(page).expect("the page");
        let share =
            text.split("export const FADE = ").nth(1).and_then(|rest| rest.split(';').next());
        let share: f64 = share.and_then(|share| share.parse().ok()).expect("a number");
        assert!((share + FADED_SHARE - 1.0).abs() < 1e-9);
    }
}
