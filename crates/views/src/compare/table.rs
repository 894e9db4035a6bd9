//! The values of two runs with their times, as a table.

use onca_layout::text::Font;
use onca_model::format::{count_of, rounded};
use onca_scene::{
    Align, Bounds, Figure, Label, Layer, Pick, Point, Rect, Rise, Scene, Titles, Weight,
};
use serde::{Deserialize, Serialize};

use super::{PairingOptions, Runs, change_color};
use crate::options::ViewOptions;
use crate::registry::{Material, Needs, Tab, View};
use crate::sheet::{LABEL_SIZE, Sheet};
use crate::time_scale::readable_unit;
use crate::{Canvas, Drawn, Paper, Result, Theme, canvas::label};

/// The values of two runs with their times, the largest change first, as a table
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render compare-table before.paje after.paje -o change.svg
  onca render compare-table before.paje after.paje --top 10 -o change.pdf")
)]
pub struct CompareTableOptions {
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    #[allow(missing_docs, reason = "clap takes it for the help of a flag")]
    pub pairing: PairingOptions,

    /// At most this many values
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200), default_value_t = 20)
    )]
    pub top: u32,
}

impl Default for CompareTableOptions {
    fn default() -> Self {
        Self { pairing: PairingOptions::default(), top: 20 }
    }
}

impl ViewOptions for CompareTableOptions {}

/// The values of two runs with their times.
pub struct CompareTable;

impl View for CompareTable {
    type Options = CompareTableOptions;
    const NAME: &str = "compare-table";
    const TITLE: &str = "Table of changes";
    const NEEDS: Needs = Needs::OtherRun;
    const TAB: Tab = Tab::Compare;

    fn scene(
        material: &Material<'_>,
        canvas: &Canvas,
        options: &CompareTableOptions,
    ) -> Result<Drawn> {
        let table = Table::new(material, options)?;
        let scene = table.draw(canvas.bounds(), canvas.theme);
        Ok(Drawn { notes: table.notes(), ..Drawn::plain(scene, canvas.bounds()) })
    }

    fn figure(
        material: &Material<'_>,
        paper: &Paper,
        options: &CompareTableOptions,
    ) -> Result<Figure> {
        let title = "Time of all processes by state, in two runs";
        let table = Table::new(material, options)?;
        let around = Sheet::height_around(paper, title, &[]);
        let wanted = LINE * (table.lines.len() + 1) as f64 + 8.0;
        let mut sheet = Sheet::new(paper, title, (around + wanted).round());
        let notes = table.runs.notes().into_iter().chain(table.notes());
        notes.for_each(|note| sheet.note(note));
        sheet.reserve_caption();
        let plot = sheet.room;
        let scene = table.draw(plot, paper.theme);
        let drawn = Drawn::plain(scene, plot);
        Ok(sheet.finish(title.to_owned(), vec![drawn.panel("compare-table", plot)]))
    }
}

const LINE: f64 = 20.0;
/// The columns, by where they end: name, before, after, change, ratio; then a bar.
const ENDS: [f64; 5] = [0.34, 0.48, 0.62, 0.76, 0.85];

struct Table<'a> {
    runs: Runs<'a>,
    lines: Vec<TableLine>,
    n_more: usize,
}

struct TableLine {
    name: String,
    before: i128,
    after: i128,
    is_total: bool,
}

impl<'a> Table<'a> {
    fn new(material: &Material<'a>, options: &CompareTableOptions) -> Result<Self> {
        let runs = Runs::new(material, &options.pairing)?;
        let values = runs.comparison.values_by_change();
        let top = options.top as usize;
        let n_more = values.len().saturating_sub(top);
        let (before, after) = runs.comparison.lengths();
        let mut lines =
            vec![TableLine { name: "run time".to_owned(), before, after, is_total: true }];
        lines.extend(values.iter().take(top).map(|value| TableLine {
            name: match &value.name {
                Some(name) => onca_model::printable(name).into_owned(),
                None => "outside of all states".to_owned(),
            },
            before: value.before,
            after: value.after,
            is_total: false,
        }));
        Ok(Self { runs, lines, n_more })
    }

    fn notes(&self) -> Vec<String> {
        let more = || format!("and {}", count_of(self.n_more as u64, "more value"));
        (self.n_more > 0).then(more).into_iter().collect()
    }

    fn draw(&self, room: Bounds, theme: Theme) -> Scene {
        let colors = theme.colors();
        let (mut rects, mut labels) = (Vec::new(), Vec::new());
        let x_of = |share: f64| room.x0 + share * room.width();
        let mut text = |x: f64, y: f64, text: String, color, align, weight| {
            let label = label(Point::new(x, y), text, LABEL_SIZE, color);
            labels.push(Label { align, weight, rise: Rise::Middle, ..label });
        };
        let y = room.y0 + LINE / 2.0;
        let longest = self.lines.iter().map(|line| line.before.max(line.after)).max().unwrap_or(0);
        let (ticks, unit) = readable_unit(longest as f64, &self.runs.comparison.unit);
        let time = |amount: i128| rounded(amount as f64 / ticks);
        let heads = ["before", "after", "change"].map(|head| format!("{head} ({unit})"));
        for (head, end) in heads.into_iter().zip(ENDS.into_iter().skip(1)) {
            text(x_of(end), y, head, colors.muted, Align::End, Weight::Regular);
        }
        let most = self.lines.iter().filter(|line| !line.is_total);
        let most = most.map(|line| (line.after - line.before).abs()).max().unwrap_or(1).max(1);
        for (at, line) in self.lines.iter().enumerate() {
            let top = room.y0 + LINE * (at + 1) as f64;
            let y = top + LINE / 2.0;
            if at % 2 == 0 {
                let bounds = Bounds::new(room.x0, top, room.x1, top + LINE);
                rects.push(Rect::plain(bounds, colors.field));
            }
            let weight = if line.is_total { Weight::Bold } else { Weight::Regular };
            let name = Font::Regular.fit(&line.name, LABEL_SIZE, (ENDS[0] - 0.02) * room.width());
            text(room.x0 + 4.0, y, name.unwrap_or_default(), colors.text, Align::Start, weight);
            let change = line.after - line.before;
            let sign = if change > 0 { "+" } else { "" };
            let ratio = match (line.before > 0, line.after > 0) {
                (true, true) => format!("{:+.1} %", 100.0 * change as f64 / line.before as f64),
                (true, false) => "gone".to_owned(),
                _ => "new".to_owned(),
            };
            let cells =
                [time(line.before), time(line.after), format!("{sign}{}", time(change)), ratio];
            for (cell, end) in cells.into_iter().zip(ENDS.into_iter().skip(1)) {
                text(x_of(end), y, cell, colors.text, Align::End, weight);
            }
            if !line.is_total {
                let (from, to) = (x_of(0.87), room.x1 - 4.0);
                let middle = (from + to) / 2.0;
                let length = (to - from) / 2.0 * change as f64 / most as f64;
                let bounds = Bounds::new(
                    middle.min(middle + length),
                    top + 5.0,
                    middle.max(middle + length),
                    top + LINE - 5.0,
                );
                let ratio = if change > 0 { 1.5 } else { 0.5 };
                rects
                    .push(Rect { pick: Pick::NOTHING, ..Rect::plain(bounds, change_color(ratio)) });
            }
        }
        Scene {
            layers: vec![Layer::Rects(rects), Layer::Labels(labels)],
            titles: Titles::default(),
        }
    }
}
