//! The tables of `onca stats`.

use onca_answer::phases::Communication;
use onca_answer::wire::{
    BalanceJson, ConcurrencyJson, EfficienciesJson, LinkHistogramsJson, LinkMatrixJson,
    StatisticsJson,
};
use onca_answer::{
    Balance, ConcurrencyAnswer, Cut, Durations, Efficiencies, Level, LinkHistograms, Load, Matrix,
    PartEfficiency, Statistics, balance, concurrency, doublings, efficiency, link_histograms,
    matrix, statistics,
};
use onca_model::{ContainerId, Window, printable};
use onca_query::{NodeId, Role, Scope, StateValue, container_path};
use serde::Serialize;

use super::{Args, Section, What};
use onca_program::Failure;
use onca_program::format::grouped;
use onca_program::table::{Cell, Table};
use onca_views::options::PhaseOptions;

/// How wide names may be in tables for people.
const NAME_WIDTH: usize = 40;

/// Up to this many nodes a matrix is shown as a grid.
const GRID: usize = 8;

/// What one table is about.
pub(super) enum Answer {
    Values(&'static str, Statistics),
    Longest(Statistics),
    Balance(Balance),
    Matrix(Matrix),
    Histograms(LinkHistograms),
    Concurrency(ConcurrencyAnswer),
    Efficiency(Efficiencies),
}

impl Answer {
    pub fn new(scope: &Scope<'_>, args: &Args, what: What) -> Result<Self, Failure> {
        let statistics = |cut, n_longest| statistics(scope, cut, args.measure(), n_longest);
        let whole = || Cut::new(scope, &Level::Whole);
        Ok(match what {
            What::Values | What::All => Self::Values(
                "time, count and durations of each value",
                statistics(whole()?, args.top)?,
            ),
            What::Longest => Self::Longest(statistics(whole()?, args.top)?),
            What::Containers => Self::Values(
                "time, count and durations of each value in each container",
                statistics(args.cut(scope, Level::Own)?, 0)?,
            ),
            What::Balance => {
                Self::Balance(balance(scope, args.level.level().as_ref(), args.measure())?)
            }
            What::Matrix => Self::Matrix(matrix(scope, args.cut(scope, Level::Own)?)?),
            What::Histograms => Self::Histograms(link_histograms(scope)?),
            What::Concurrency => Self::Concurrency(concurrency(scope, args.slices)?),
            What::Efficiency => {
                let level = args.level.level().unwrap_or(Level::Whole);
                let mut found = match args.phases {
                    true => efficiency_of_phases(scope, &level)?,
                    false => efficiency(scope, &level, args.slices)?,
                };
                if args.split {
                    found.split(scope, &level)?;
                }
                Self::Efficiency(found)
            }
        })
    }

    /// As a table with this many rows at most, where people need not see all.
    pub fn section(&self, scope: &Scope<'_>, most: usize) -> Section {
        let show = Shown { scope, most };
        match self {
            Self::Values(title, found) => show.values(title, found),
            Self::Longest(found) => show.longest(found),
            Self::Balance(found) => show.balance(found),
            Self::Matrix(found) => show.matrix(found),
            Self::Histograms(found) => show.histograms(found),
            Self::Concurrency(found) => show.concurrency(found),
            Self::Efficiency(found) => show.efficiency(found),
        }
    }

    pub fn json<'a>(&'a self, scope: &'a Scope<'_>) -> AnswerJson<'a> {
        match self {
            Self::Values(_, found) | Self::Longest(found) => AnswerJson::Values(found.json(scope)),
            Self::Balance(found) => AnswerJson::Balance(found.json(scope)),
            Self::Matrix(found) => AnswerJson::Matrix(found.json(scope)),
            Self::Histograms(found) => AnswerJson::Histograms(found.json(scope)),
            Self::Concurrency(found) => AnswerJson::Concurrency(found.json(scope)),
            Self::Efficiency(found) => AnswerJson::Efficiency(found.json(scope)),
        }
    }
}

/// The JSON of one table; its schema tells which.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum AnswerJson<'a> {
    Values(StatisticsJson<'a>),
    Balance(BalanceJson<'a>),
    Matrix(LinkMatrixJson<'a>),
    Histograms(LinkHistogramsJson<'a>),
    Concurrency(ConcurrencyJson<'a>),
    Efficiency(EfficienciesJson<'a>),
}

struct Shown<'a> {
    scope: &'a Scope<'a>,
    most: usize,
}

impl Shown<'_> {
    fn value(&self, value: impl Into<StateValue>) -> Cell {
        Cell::name(&value.into().name(self.scope)).shortened(NAME_WIDTH)
    }

    fn type_name(&self, value: impl Into<StateValue>) -> Cell {
        Cell::name(value.into().type_name(self.scope)).shortened(NAME_WIDTH)
    }

    fn node(&self, id: NodeId) -> Cell {
        Cell::text(self.scope.path(id))
    }

    fn container(&self, id: Option<ContainerId>) -> Cell {
        let containers = &self.scope.catalog().containers;
        id.map_or_else(Cell::none, |id| Cell::text(container_path(containers, id)))
    }

    fn unit(&self) -> &onca_model::TimeUnit {
        &self.scope.catalog().facts.unit
    }

    fn time(&self, ticks: Option<i64>) -> Cell {
        Cell::time(self.unit(), ticks.map(i128::from))
    }

    /// A title that names the unit.
    fn title(&self, text: &str) -> String {
        format!("{text}; times in {}", printable(self.unit().name.as_bytes()))
    }

    fn values(&self, title: &str, found: &Statistics) -> Section {
        let one = found.cut.nodes().len() == 1;
        let mut columns = if one { vec![] } else { vec!["/container"] };
        columns.extend([
            "value", "type", "#time", "#share", "#count", "#min", "#mean", "#median", "#p90",
            "#p99", "#max", "#size",
        ]);
        let mut table = Table::new(&columns).at_most(self.most);
        let mut rounded = false;
        for row in &found.rows {
            let of = |part: fn(&Durations) -> i64| self.time(row.durations.as_ref().map(part));
            rounded |= row.durations.is_some_and(|durations| !durations.exact);
            table.push_with(|| {
                let mut cells =
                    if one { vec![] } else { vec![self.node(found.cut.nodes()[row.place])] };
                cells.extend([
                    self.value(row.value),
                    self.type_name(row.value),
                    Cell::time(self.unit(), row.ticks),
                    Cell::share(row.share),
                    Cell::count(row.count),
                    of(|durations| durations.min),
                    Cell::mean(self.unit(), row.durations.map(|durations| durations.mean)),
                    of(|durations| durations.median),
                    of(|durations| durations.p90),
                    of(|durations| durations.p99),
                    of(|durations| durations.max),
                    row.size.map_or_else(Cell::none, Cell::count),
                ]);
                cells
            });
        }
        let remark = "median, p90 and p99 of more than 16,384 instances are within 0.4 %";
        Section {
            title: self.title(title),
            table,
            remarks: if rounded { vec![remark.to_owned()] } else { vec![] },
        }
    }

    fn longest(&self, found: &Statistics) -> Section {
        let columns = ["value", "type", "#rank", "/container", "#start", "#end", "#duration"];
        let mut table = Table::new(&columns);
        for row in &found.rows {
            for (rank, instance) in row.longest.iter().enumerate() {
                table.push(vec![
                    self.value(row.value),
                    self.type_name(row.value),
                    Cell::count(rank as u64 + 1),
                    self.container(instance.container),
                    self.time(Some(instance.start)),
                    self.time(Some(instance.end)),
                    self.time(Some(instance.end.saturating_sub(instance.start))),
                ]);
            }
        }
        Section { title: self.title("the longest instances of each value"), table, remarks: vec![] }
    }

    fn balance(&self, found: &Balance) -> Section {
        let mut table = Table::new(&[
            "level",
            "load",
            "#nodes",
            "#mean",
            "#max",
            "#max/mean",
            "#deviation",
            "/most",
        ])
        .at_most(self.most);
        for row in &found.rows {
            let load = match row.load {
                Load::Useful => Cell::text("useful time"),
                Load::Value(value) => self.value(value),
            };
            table.push_with(|| {
                vec![
                    row.level.as_ref().map_or_else(Cell::none, Cell::text),
                    load,
                    Cell::count(row.balance.count),
                    Cell::mean(self.unit(), Some(row.balance.mean)),
                    Cell::mean(self.unit(), Some(row.balance.max)),
                    Cell::ratio(row.balance.max_by_mean()),
                    Cell::mean(self.unit(), Some(row.balance.std)),
                    self.node(row.most),
                ]
            });
        }
        Section { title: self.title("how evenly time is spread"), table, remarks: vec![] }
    }

    fn matrix(&self, found: &Matrix) -> Section {
        let columns = ["/from", "/to", "#count", "#size", "#time"];
        let mut table = Table::new(&columns).at_most(self.most);
        let mut largest: Vec<_> = found.pairs.iter().collect();
        largest.sort_by_key(|pair| std::cmp::Reverse(pair.totals.count));
        for pair in largest {
            table.push_with(|| {
                vec![
                    self.node(found.node(pair.from)),
                    self.node(found.node(pair.to)),
                    Cell::count(pair.totals.count),
                    Cell::count(pair.totals.size),
                    self.time(Some(pair.totals.time)),
                ]
            });
        }
        let totals = found.totals();
        let mut remarks = vec![format!(
            "{} messages in {} pairs",
            grouped(totals.count),
            grouped(found.pairs.len() as u64)
        )];
        remarks.extend(self.grid(found));
        Section { title: self.title("messages from whom to whom"), table, remarks }
    }

    /// The counts as a grid, if there are few enough nodes that communicate.
    fn grid(&self, found: &Matrix) -> Option<String> {
        let mut places: Vec<usize> =
            found.pairs.iter().flat_map(|pair| [pair.from, pair.to]).collect();
        places.sort_unstable();
        places.dedup();
        if !(2..=GRID).contains(&places.len()) {
            return None;
        }
        let name = |place: usize| printable(self.scope.name(found.node(place))).into_owned();
        let columns: Vec<String> = std::iter::once("from / to".to_owned())
            .chain(places.iter().map(|&place| format!("#{}", name(place))))
            .collect();
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let mut grid = Table::new(&columns);
        for &from in &places {
            let mut cells = vec![Cell::text(name(from))];
            cells.extend(places.iter().map(|&to| {
                let pair = found.pairs.iter().find(|pair| (pair.from, pair.to) == (from, to));
                pair.map_or_else(Cell::none, |pair| Cell::count(pair.totals.count))
            }));
            grid.push(cells);
        }
        let mut text = b"\n".to_vec();
        grid.write_text(&mut text).ok()?;
        let lines = String::from_utf8(text).ok()?;
        let narrow = lines.lines().all(|line| line.chars().count() <= 80);
        narrow.then(|| lines.trim_end().to_owned())
    }

    fn histograms(&self, found: &LinkHistograms) -> Section {
        let mut table = Table::new(&["what", "#from", "#to", "#count", "#share"]);
        let sizes = doublings(&found.sizes);
        let durations = doublings(&found.durations);
        let sum = |bins: &[(i64, i64, u64)]| bins.iter().map(|bin| bin.2).sum::<u64>();
        for &(from, to, count) in &sizes {
            table.push(vec![
                Cell::text("size"),
                Cell::count(from as u64),
                Cell::count(to as u64),
                Cell::count(count),
                Cell::share(Some(count as f64 / sum(&sizes) as f64)),
            ]);
        }
        for &(from, to, count) in &durations {
            table.push(vec![
                Cell::text("duration"),
                self.time(Some(from)),
                self.time(Some(to)),
                Cell::count(count),
                Cell::share(Some(count as f64 / sum(&durations) as f64)),
            ]);
        }
        let left_out = [
            (found.without_size, "without a size"),
            (found.halves, "with only one end"),
            (found.durations.negative, "that end before they start"),
        ];
        let left_out = left_out.iter().filter(|(count, _)| *count > 0);
        Section {
            title: self.title("how many messages are how large and how long"),
            table,
            remarks: left_out
                .map(|(count, what)| format!("besides {} {what}", grouped(*count)))
                .collect(),
        }
    }

    fn concurrency(&self, found: &ConcurrencyAnswer) -> Section {
        let mut table = Table::new(&["value", "type", "#from", "#to", "#min", "#mean", "#max"]);
        for (value, slices) in &found.values {
            for (slice, levels) in found.slices.iter().zip(slices) {
                table.push(vec![
                    self.value(*value),
                    self.type_name(*value),
                    self.time(Some(slice.from)),
                    self.time(Some(slice.to)),
                    levels.min().map_or_else(Cell::none, Cell::count),
                    Cell::ratio(levels.mean()),
                    levels.max().map_or_else(Cell::none, Cell::count),
                ]);
            }
        }
        Section {
            title: self.title("how many containers are in a value at the same time"),
            table,
            remarks: vec![],
        }
    }

    fn efficiency(&self, found: &Efficiencies) -> Section {
        let mut columns = vec![
            "/container",
            "#from",
            "#to",
            "#processes",
            "#parallel",
            "#balance",
            "#communication",
        ];
        if found.is_split {
            columns.extend(["#serialisation", "#transfer"]);
        }
        let is_hybrid = found.rows.iter().any(|row| row.hybrid.is_some());
        if is_hybrid {
            columns.extend(["#processes' parallel", "#balance", "#communication"]);
            columns.extend(["#threads' parallel", "#balance", "#communication"]);
        }
        let roles: Vec<String> = Role::ALL.iter().map(|role| format!("#{}", role.name())).collect();
        columns.extend(roles.iter().map(String::as_str));
        columns.extend(["#unknown", "#none"]);
        let mut table = Table::new(&columns);
        for row in &found.rows {
            let part = |ticks: i128| {
                let whole = row.whole();
                match whole > 0 {
                    true => Cell::ratio(Some(ticks as f64 / whole as f64)),
                    false => Cell::none(),
                }
            };
            let mut cells = vec![
                self.node(row.node),
                self.time(Some(row.slice.from)),
                self.time(Some(row.slice.to)),
                Cell::count(row.times.processes),
                Cell::ratio(row.efficiency.parallel),
                Cell::ratio(row.efficiency.load_balance),
                Cell::ratio(row.efficiency.communication),
            ];
            if found.is_split {
                let (serialisation, transfer) = row.efficiency.split.parts();
                cells.extend([Cell::ratio(serialisation), Cell::ratio(transfer)]);
            }
            if is_hybrid {
                let of = |part: Option<PartEfficiency>| {
                    let all = |it: PartEfficiency| [it.parallel, it.load_balance, it.communication];
                    part.map_or([None; 3], all).map(Cell::ratio)
                };
                cells.extend(of(row.hybrid.map(|it| it.among_processes)));
                cells.extend(of(row.hybrid.map(|it| it.among_threads)));
            }
            cells.extend(row.roles.iter().map(|&ticks| part(ticks)));
            cells.extend([part(row.unknown), part(row.none)]);
            table.push(cells);
        }
        let mut remarks =
            vec!["parallel = balance x communication; roles are shares of all time".to_owned()];
        if found.is_split {
            remarks.push("communication = serialisation x transfer".to_owned());
        }
        if is_hybrid {
            remarks.push("each is that of processes x that of their threads".to_owned());
        }
        if found.several_types {
            remarks.push(SEVERAL_TYPES.to_owned());
        }
        Section { title: self.title("efficiency"), table, remarks }
    }
}

/// How well processes used their time in each phase of communication. Phases follow each other without a gap; the first and
/// the last reach to the ends of the window.
fn efficiency_of_phases(scope: &Scope<'_>, level: &Level) -> Result<Efficiencies, Failure> {
    let communication = Communication::new(scope, &PhaseOptions::default().spec_of_file())?;
    let found = communication.phases(None, None)?;
    let mut all = Efficiencies::default();
    let Window { mut from, to: end } = scope.window();
    for (number, phase) in found.phases.iter().enumerate() {
        let is_last = number + 1 == found.phases.len();
        let to = if is_last { end } else { phase.window.to.clamp(from, end) };
        if from >= to {
            continue;
        }
        let of_one = efficiency(&scope.during(Window { from, to }), level, 1)?;
        from = to;
        all.several_types |= of_one.several_types;
        all.scanned |= of_one.scanned;
        all.rows.extend(of_one.rows);
    }
    Ok(all)
}

/// Said where the times of states overlap.
pub(super) const SEVERAL_TYPES: &str =
    "some containers have states of several types, which overlap; choose one with --types";
