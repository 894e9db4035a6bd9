//! Disruptions as a table.

use onca_aggregate::overview::Shift;
use onca_answer::overview::{DisruptionAnswer, FoundDisruption, HitArea};
use onca_model::printable;

use onca_program::format::{count_of, shortened};
use onca_program::table::{Cell, Table};

use super::areas::short;
use super::output::Reader;
use super::slices::Slices;

/// Areas of a disruption that people see; the others are counted.
const AREAS: usize = 3;
/// How much of the name of a value people see.
const VALUE: usize = 12;

/// The disruptions, each followed by its areas if there are several.
pub fn disruptions(
    slices: &Slices<'_>,
    answer: &DisruptionAnswer,
    reader: Reader,
) -> (String, Table) {
    let title = match answer.n_found {
        0 => format!(
            "nothing stands out: the highest score is {:.1}, and from {} on it is more than noise",
            answer.highest, answer.threshold
        ),
        n => format!(
            "{} with a score of at least {}, with the areas for p = {}",
            count_of(n as u64, "disruption"),
            answer.threshold,
            short(answer.p),
        ),
    };
    let mut lines = Lines {
        slices,
        table: Table::new(&[
            "#rank",
            "#score",
            "#from",
            "#to",
            "-#leaves",
            "/where",
            "more",
            "-#by",
            "less",
            "-#by",
            "-part of",
            "-#displaced",
        ]),
    };
    for (rank, found) in answer.disruptions.iter().enumerate() {
        lines.add(rank + 1, found, reader);
    }
    (title, lines.table)
}

struct Lines<'a> {
    slices: &'a Slices<'a>,
    table: Table,
}

/// What is said of a disruption, and of each of its areas.
struct Line<'a> {
    rank: Option<usize>,
    score: f64,
    first: usize,
    last: usize,
    n_leaves: usize,
    nodes: &'a [u32],
    rises: Option<Shift>,
    falls: Option<Shift>,
    part_of: Option<u32>,
    displaced: Option<f64>,
}

impl Lines<'_> {
    fn add(&mut self, rank: usize, found: &FoundDisruption, reader: Reader) {
        let disruption = &found.disruption;
        self.push(&Line {
            rank: Some(rank),
            score: disruption.score,
            first: disruption.first,
            last: disruption.last,
            n_leaves: disruption.leaves().len(),
            nodes: &found.nodes,
            rises: disruption.rises,
            falls: disruption.falls,
            part_of: None,
            displaced: Some(disruption.displaced),
        });
        let n_shown = match reader {
            Reader::Program => found.areas.len(),
            Reader::Person if found.areas.len() == 1 => 0,
            Reader::Person => found.areas.len().min(AREAS),
        };
        found.areas[..n_shown].iter().for_each(|area| self.push(&of_area(area)));
        let beyond = found.areas.len() - n_shown;
        if n_shown > 0 && beyond > 0 {
            let mut cells = vec![Cell::text(""); 12];
            cells[5] = Cell::text(format!("+ {}", count_of(beyond as u64, "area")));
            self.table.push(cells);
        }
    }

    fn push(&mut self, line: &Line<'_>) {
        let (more, up) = self.shift(line.rises);
        let (less, down) = self.shift(line.falls);
        let matrix = self.slices.matrix;
        self.table.push(vec![
            Cell::text(line.rank.map_or(String::new(), |rank| rank.to_string())),
            Cell::number(format!("{:.1}", line.score), line.score),
            self.slices.begin(line.first),
            self.slices.begin(line.last + 1),
            Cell::text(line.n_leaves.to_string()),
            self.place(line),
            more,
            up,
            less,
            down,
            line.part_of.map_or_else(Cell::none, |node| Cell::text(matrix.path(node))),
            line.displaced.map_or_else(Cell::none, |it| Cell::number(format!("{it:.3}"), it)),
        ]);
    }

    /// Where it is: a path, or a path and how many nodes below it.
    fn place(&self, line: &Line<'_>) -> Cell {
        let matrix = self.slices.matrix;
        let paths: Vec<String> = line.nodes.iter().map(|&node| matrix.path(node)).collect();
        let shown = match paths.as_slice() {
            [path] => path.clone(),
            paths => {
                let common = matrix.path(matrix.common_node(line.nodes));
                format!("{common} ({})", paths.len())
            }
        };
        Cell::number(shown, paths.join(" "))
    }

    /// A value with how much more or less there is of it.
    fn shift(&self, shift: Option<Shift>) -> (Cell, Cell) {
        match shift {
            Some(Shift { value, by }) => {
                let name = printable(&self.slices.matrix.values[value]);
                // The type says less than the value itself.
                let value = name.rsplit(':').next().unwrap_or(&name);
                let shown = format!("{} {by:+.2}", shortened(value, VALUE));
                (Cell::number(shown, name), Cell::number(format!("{by:+.3}"), by))
            }
            None => (Cell::none(), Cell::none()),
        }
    }
}

fn of_area(area: &HitArea) -> Line<'_> {
    Line {
        rank: None,
        score: area.score,
        first: area.first,
        last: area.last,
        n_leaves: area.n_leaves,
        nodes: &area.nodes,
        rises: area.rises,
        falls: area.falls,
        part_of: area.part_of.map(|area| area.node),
        displaced: None,
    }
}
