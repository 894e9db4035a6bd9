//! The marks of an overview.

use onca_answer::overview::{Matrix, Times};
use onca_model::{Color, format::count_of, format::percent};
use onca_scene::{Bounds, Layer, Lines, Pattern, Pick, Point, Rect, Scene, Title, Titles};

use super::{Intensity, Shading, areas::Shown, rows::Rows, values::ValueLook};
use crate::{Canvas, Drawn, color, quantity::brief, time_scale::duration};

/// The least opacity: even a value that is hardly the strongest can be told from nothing.
pub(crate) const FAINTEST: f64 = 30.0 / 255.0;
/// Smaller areas have a faint line around them, none at all, and no mark: it would be all that is
/// seen. A line of less than a pixel would be drawn here and there only.
const OUTLINED: f64 = 8.0;
const FAINTLY_OUTLINED: f64 = 5.0;
const FAINT: f64 = 0.5;
pub(crate) const MARKED: f64 = 5.0;
/// A mark is at most this many times as long as it is high, or as high as it is long: lines across a
/// long and thin area could not be told apart.
const LONGEST_MARK: f64 = 2.0;

/// How an overview is painted.
pub(crate) struct Painter<'a> {
    /// What was aggregated.
    pub matrix: &'a Matrix,
    /// Which of its leaves have a row.
    pub rows: &'a Rows,
    /// When its slices are, if anything tells.
    pub times: Option<&'a Times>,
    /// How its values look.
    pub values: &'a [ValueLook],
    /// What an area shows.
    pub shading: Shading,
    /// What the strength of a colour means.
    pub intensity: Intensity,
}

impl Painter<'_> {
    /// The areas of one partition or of several, one below the other: x is ticks from the begin of the
    /// window, or slices; y is rows.
    pub fn draw(&self, bands: &[Vec<Shown>], gap: f64, canvas: &Canvas) -> Drawn {
        let n_rows = self.rows.n() as f64;
        let n_bands = bands.len().max(1) as f64;
        let height = n_bands * n_rows + (n_bands - 1.0) * gap;
        let view = Bounds::new(0.0, 0.0, self.x_of(usize::MAX), height);
        let scale = Point::new(canvas.width / view.width(), canvas.height / view.height());
        let background = canvas.theme.colors().background;
        let (mut rects, mut lines, mut titles) = (Vec::new(), Lines::default(), Titles::default());
        let tops = (0..bands.len()).map(|band| band as f64 * (n_rows + gap));
        let in_bands = bands.iter().zip(tops);
        let areas = in_bands.flat_map(|(band, top)| band.iter().map(move |area| (area, top)));
        for (number, (area, top)) in areas.enumerate() {
            let bounds = self.bounds(area, top);
            let (width, height) = (bounds.width() * scale.x, bounds.height() * scale.y);
            let title = match canvas.titles {
                true => titles.add(self.title(area)),
                false => Title::NONE,
            };
            // Nothing is there to be alike where nothing is.
            let is_marked = width.min(height) >= MARKED && area.mode().is_some();
            let pattern = if is_marked { area.mark } else { Pattern::Plain };
            let whole = Rect {
                title,
                pick: Pick::Area(number as u32),
                ..Rect::plain(bounds, self.fill(area, background))
            };
            match self.shading {
                Shading::Mode => rects.push(whole),
                Shading::AllValues => self.stack(&mut rects, &whole, area, canvas),
            }
            if pattern != Pattern::Plain {
                let bounds = mark_bounds(&bounds, scale);
                // The colour of a mark is one that can be seen on its fill.
                let fill = match self.shading {
                    Shading::Mode => whole.fill,
                    Shading::AllValues => onca_scene::CLEAR,
                };
                rects.push(Rect { bounds, pattern, fill, ..whole });
            }
            if width.min(height) >= FAINTLY_OUTLINED {
                let is_large = width.min(height) >= OUTLINED;
                let line = if is_large { background } else { color::faded(background, FAINT) };
                lines.add(around(&bounds), line, 1.0);
            }
        }
        let layers = vec![Layer::Rects(rects), Layer::Lines(lines)];
        Drawn::plain(Scene { layers, titles }, view)
    }

    /// Ticks from the begin of the window to the bound of a slice, or slices; the last one for all beyond.
    fn x_of(&self, bound: usize) -> f64 {
        let Some(Times { bounds, .. }) = self.times else {
            return bound.min(self.matrix.cells.n_slices()) as f64;
        };
        (i128::from(bounds.bound(bound)) - i128::from(bounds.window().from)) as f64
    }

    fn bounds(&self, area: &Shown, top: f64) -> Bounds {
        let (top, bottom) = (top + area.rows.start as f64, top + area.rows.end as f64);
        Bounds::new(self.x_of(area.first), top, self.x_of(area.last + 1), bottom)
    }

    /// The colour of the strongest value, the fainter the more there is beside it.
    fn fill(&self, area: &Shown, background: Color) -> Color {
        let Some(mode) = area.mode() else { return background };
        let strength = match self.intensity {
            Intensity::Share => area.means[mode] / area.means.iter().sum::<f64>(),
            Intensity::Amount => area.means[mode].min(1.0),
        };
        color::mix(background, self.values[mode].color, strength.max(FAINTEST))
    }

    /// All values of an area on top of each other, as high as their shares; what is left is empty.
    fn stack(&self, rects: &mut Vec<Rect>, whole: &Rect, area: &Shown, canvas: &Canvas) {
        let sum: f64 = area.means.iter().sum();
        let full = if self.matrix.metric == "states" { sum.max(1.0) } else { sum };
        let Bounds { y0, y1, .. } = whole.bounds;
        let field = canvas.theme.colors().field;
        let (mut below, mut bottom) = (0.0, y1);
        for (value, &mean) in self.values.iter().zip(&area.means).filter(|(_, mean)| **mean > 0.0) {
            below += mean;
            let top = y1 - (y1 - y0) * (below / full).min(1.0);
            let bounds = Bounds { y0: top, y1: bottom, ..whole.bounds };
            rects.push(Rect { bounds, fill: value.color, ..*whole });
            bottom = top;
        }
        if bottom > y0 {
            let bounds = Bounds { y1: bottom, ..whole.bounds };
            rects.push(Rect { bounds, fill: field, ..*whole });
        }
    }

    /// What an area shows under the pointer: where, when, what, gain and loss.
    fn title(&self, area: &Shown) -> String {
        let mut text = format!("{}\n{}", self.place_of(area), self.time_of(area));
        let is_share = self.matrix.metric == "states";
        for (value, &mean) in self.values.iter().zip(&area.means).filter(|(_, mean)| **mean > 0.0) {
            let mean = if is_share { percent(mean) } else { brief(mean) };
            text += &format!("\n{}  {mean}", value.name);
        }
        text + &format!("\ngain {} bits, loss {} bits", brief(area.gain), brief(area.loss))
    }

    fn time_of(&self, area: &Shown) -> String {
        let Some(Times { bounds, unit }) = self.times else {
            return match area.n_slices() {
                1 => format!("slice {}", area.first),
                _ => format!("slices {} to {}", area.first, area.last),
            };
        };
        let (from, to) = (bounds.bound(area.first), bounds.bound(area.last + 1));
        let length = duration((i128::from(to) - i128::from(from)) as f64, unit);
        format!("{} to {} {}, {length}", unit.format(from), unit.format(to), unit.name)
    }

    fn place_of(&self, area: &Shown) -> String {
        let path = self.matrix.path(area.node);
        let leaves = count_of(area.rows.len() as u64, "container");
        let siblings = match area.n_nodes {
            1 => String::new(),
            n => format!(" and {} after it", n - 1),
        };
        match area.n_areas {
            1 => format!("{path}{siblings}: {leaves}"),
            n => {
                format!("{path}{siblings}: {leaves}, {} drawn together", count_of(n as u64, "area"))
            }
        }
    }
}

/// Where the mark of an area is: in its middle. `scale` is the number of pixels for each unit.
fn mark_bounds(bounds: &Bounds, scale: Point) -> Bounds {
    let (width, height) = (bounds.width() * scale.x, bounds.height() * scale.y);
    let half_width = width.min(LONGEST_MARK * height) / scale.x / 2.0;
    let half_height = height.min(LONGEST_MARK * width) / scale.y / 2.0;
    let Point { x, y } = bounds.center();
    Bounds::new(x - half_width, y - half_height, x + half_width, y + half_height)
}

fn around(bounds: &Bounds) -> [Point; 5] {
    let Bounds { x0, y0, x1, y1 } = *bounds;
    let corner = Point::new;
    [corner(x0, y0), corner(x1, y0), corner(x1, y1), corner(x0, y1), corner(x0, y0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_thin_areas_are_short_and_in_the_middle() {
        let mark = |x: f64, y: f64| {
            let Bounds { x0, y0, x1, y1 } =
                mark_bounds(&Bounds::new(0.0, 0.0, x, y), Point::new(10.0, 2.0));
            (x0, y0, x1, y1)
        };
        // 300 x 8 pixels: 16 of them are marked. 40 x 200: 80. 30 x 20: all.
        assert_eq!(mark(30.0, 4.0), (14.2, 0.0, 15.8, 4.0));
        assert_eq!(mark(4.0, 100.0), (0.0, 30.0, 4.0, 70.0));
        assert_eq!(mark(3.0, 10.0), (0.0, 0.0, 3.0, 10.0));
    }
}
