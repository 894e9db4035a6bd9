//! `onca-cluster cube`: the time in states by container and slice, from which overviews are drawn.

use std::path::PathBuf;

use onca_answer::slice::CubeFile;
use onca_model::{ContainerId, Ticks, TypeId, Window};
use onca_program::{Exit, Failure, new_file};
use onca_query::TimeText;
use onca_sql::{DataSets, StateTimes};

use crate::ask::{AskArgs, failure};
use crate::process::runtime;

/// Compute what the overview of a data set is made from
///
/// "onca overview --cube FILE" and "onca render overview --cube FILE" answer from the file.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    ask: AskArgs,

    /// Which run, where there are several
    #[arg(long, value_name = "NAME")]
    run: Option<String>,

    /// The containers at this level, each with all below it; by default all that have states
    #[arg(long, value_name = "TYPE|DEPTH")]
    level: Option<String>,

    /// How many slices
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    slices: u32,

    /// The time from here on: in the unit of the trace, or with ns, us, ms, s or %
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = TimeText::parse)]
    from: Option<TimeText>,

    /// The time before this
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = TimeText::parse)]
    to: Option<TimeText>,

    /// The file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Computes, and writes the file.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let runtime = runtime()?;
    let (sets, times, window) = runtime.block_on(async {
        tokio::select! {
            biased;
            _ = tokio::signal::ctrl_c() => Err(Failure::Interrupted),
            computed = args.compute() => computed,
        }
    })?;
    let file = args.file(&times, window)?;
    new_file::fill(&args.output, |out| file.write(out))
        .map_err(|error| new_file::failure(&args.output, &error))?;
    Ok(Exit::from_lost(sets))
}

impl Args {
    /// How many records were lost, the times, and their window.
    async fn compute(&self) -> Result<(u64, StateTimes, Window), Failure> {
        let (sets, database) = self.ask.open().await?;
        let number = self.number(&sets)?;
        let Some(run) = sets.runs().get(number) else {
            return Err(Failure::Cannot("there is no data set".to_owned()));
        };
        let facts = run.facts();
        let ticks = |time: Option<TimeText>, default: Ticks| {
            time.map_or(Ok(default), |time| time.ticks(&facts)).map_err(Failure::Cannot)
        };
        let window = Window::new(ticks(self.from, facts.start)?, ticks(self.to, facts.end)?);
        if window.from >= window.to {
            let shown = |ticks| format!("{} {}", facts.unit.format(ticks), facts.unit.name);
            let (from, to) = (shown(window.from), shown(window.to));
            return Err(Failure::Cannot(format!("the window from {from} to {to} is empty")));
        }
        let times = database.state_times(number, window, self.slices).await.map_err(failure)?;
        Ok((run.manifest().source.lost, times, window))
    }

    /// The place of the run.
    fn number(&self, sets: &DataSets) -> Result<usize, Failure> {
        let names: Vec<&str> = sets.runs().iter().map(|run| run.name()).collect();
        match &self.run {
            None if names.len() == 1 => Ok(0),
            None => Err(Failure::Cannot(format!(
                "there are several runs; name one with --run: {}",
                names.join(", ")
            ))),
            Some(wanted) => names.iter().position(|name| name == wanted).ok_or_else(|| {
                Failure::Cannot(format!(
                    "there is no run {wanted:?}; there are {}",
                    names.join(", ")
                ))
            }),
        }
    }

    fn file(&self, times: &StateTimes, window: Window) -> Result<CubeFile, Failure> {
        let StateTimes { catalog, cells, having } = times;
        let cells = cells.iter().filter_map(|&(slice, container, value, ticks)| {
            let def = catalog.values.get(value as usize)?;
            let ticks = Ticks::try_from(ticks).unwrap_or(Ticks::MAX);
            Some((ContainerId(container), def.type_id, &*def.name, slice as usize, ticks))
        });
        let having = having.iter().flat_map(|(&kind, containers)| {
            containers.iter().map(move |&container| (TypeId(kind), ContainerId(container)))
        });
        let level = self.level.as_deref();
        let file =
            CubeFile::from_cells(catalog, window, self.slices as usize, cells, having, level);
        file.map_err(|error| Failure::Cannot(error.to_string()))
    }
}
