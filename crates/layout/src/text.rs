//! How long texts are, and how they are made to fit.

use std::sync::LazyLock;

use ttf_parser::Face;

/// The name of the font family that is measured and drawn.
pub const FAMILY: &str = "Noto Sans";

/// What takes the place of letters that do not fit.
const ELLIPSIS: char = '…';

/// A font of the family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Font {
    /// For most texts.
    Regular,
    /// For titles.
    Bold,
}

/// What is known of a font: widths of its letters in units of the letter size.
struct Metrics {
    face: Face<'static>,
    /// The first letters of Unicode make up nearly all texts.
    latin: [f32; 256],
    capital_height: f64,
    unit: f64,
}

impl Metrics {
    fn new(bytes: &'static [u8]) -> Self {
        let face = Face::parse(bytes, 0).expect("the font comes with the program");
        let unit = f64::from(face.units_per_em());
        let capital_height = face.capital_height().map_or(0.714, |height| f64::from(height) / unit);
        let mut metrics = Self { face, latin: [0.0; 256], capital_height, unit };
        for code in 0..=255u8 {
            metrics.latin[usize::from(code)] = metrics.look_up(char::from(code)) as f32;
        }
        metrics
    }

    fn look_up(&self, letter: char) -> f64 {
        let glyph = self.face.glyph_index(letter).unwrap_or_default();
        f64::from(self.face.glyph_hor_advance(glyph).unwrap_or_default()) / self.unit
    }

    fn advance(&self, letter: char) -> f64 {
        match self.latin.get(letter as usize) {
            Some(&width) => f64::from(width),
            None => self.look_up(letter),
        }
    }
}

static REGULAR: LazyLock<Metrics> = LazyLock::new(|| Metrics::new(notosans::REGULAR_TTF));
static BOLD: LazyLock<Metrics> = LazyLock::new(|| Metrics::new(notosans::BOLD_TTF));

impl Font {
    /// The file of the font.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Regular => notosans::REGULAR_TTF,
            Self::Bold => notosans::BOLD_TTF,
        }
    }

    fn metrics(self) -> &'static Metrics {
        match self {
            Self::Regular => &REGULAR,
            Self::Bold => &BOLD,
        }
    }

    /// How long a text is in letters of this size. Kerning only ever brings letters closer in this
    /// family, so a text is never longer than this.
    pub fn width(self, text: &str, size: f64) -> f64 {
        let metrics = self.metrics();
        text.chars().map(|letter| metrics.advance(letter)).sum::<f64>() * size
    }

    /// How high capital letters of this size are.
    pub fn capital_height(self, size: f64) -> f64 {
        self.metrics().capital_height * size
    }

    /// The text if it fits, else its beginning and end with a mark between: names that differ at
    /// the end, as names of processes do, remain different. `None` where not even three letters
    /// fit.
    pub fn fit(self, text: &str, size: f64, room: f64) -> Option<String> {
        if self.width(text, size) <= room {
            return Some(text.to_owned());
        }
        let metrics = self.metrics();
        let letters: Vec<char> = text.chars().collect();
        let mut left = room - metrics.advance(ELLIPSIS) * size;
        // One letter from the front, one from the back, and so on while there is room.
        let (mut front, mut back) = (0, letters.len());
        while front < back {
            let from_front = front <= letters.len() - back;
            let letter = if from_front { letters[front] } else { letters[back - 1] };
            left -= metrics.advance(letter) * size;
            if left < 0.0 {
                break;
            }
            if from_front { front += 1 } else { back -= 1 }
        }
        if front + letters.len() - back < 3 {
            return None;
        }
        let shortened =
            letters[..front].iter().chain([&ELLIPSIS]).chain(&letters[back..]).collect();
        Some(shortened)
    }
}

/// Of texts along a line, those that can be shown without touching: `spans` are their places in
/// order, and the first of two that touch is kept.
pub fn without_overlaps(spans: &[(f64, f64)], gap: f64) -> Vec<bool> {
    let mut end = f64::NEG_INFINITY;
    spans
        .iter()
        .map(|&(from, to)| {
            let kept = from >= end;
            if kept {
                end = to + gap;
            }
            kept
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_all_of_one_width() {
        let widths: Vec<f64> =
            ('0'..='9').map(|digit| Font::Regular.width(&digit.to_string(), 12.0)).collect();
        assert!(widths.iter().all(|width| *width == widths[0]), "{widths:?}");
    }

    #[test]
    fn widths_are_those_of_the_font() {
        // 1171 of 2048 units, as the table of the font says.
        let width = Font::Regular.width("00", 2048.0);
        assert!((width - 2342.0).abs() < 0.01, "{width}");
        assert_eq!(Font::Regular.width("", 12.0), 0.0);
        assert!(Font::Bold.width("Onca", 12.0) > Font::Regular.width("Onca", 12.0));
    }

    #[test]
    fn a_text_that_does_not_fit_keeps_both_ends() {
        let font = Font::Regular;
        for room in [20.0, 40.0, 60.0, 80.0] {
            let Some(short) = font.fit("graphene-101.nancy.grid5000.fr", 12.0, room) else {
                assert_eq!(room, 20.0);
                continue;
            };
            assert!(font.width(&short, 12.0) <= room, "{short} in {room}");
            assert!(short.starts_with('g') && short.ends_with('r') && short.contains('…'));
        }
        assert_eq!(font.fit("rank 0", 12.0, 500.0).as_deref(), Some("rank 0"));
        assert_eq!(font.fit("rank 0", 12.0, 3.0), None);
        assert_eq!(font.fit("", 12.0, 0.0).as_deref(), Some(""));
    }

    #[test]
    fn letters_without_a_glyph_still_take_room() {
        assert!(Font::Regular.width("\u{1F980}", 12.0) > 0.0);
    }

    #[test]
    fn of_texts_that_touch_the_first_stays() {
        let spans = [(0.0, 10.0), (8.0, 20.0), (12.0, 20.0), (30.0, 31.0)];
        assert_eq!(without_overlaps(&spans, 2.0), [true, false, true, true]);
    }
}
