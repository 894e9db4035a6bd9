//! `onca slice`: the summary of a window, per container and value, at any level.

mod output;
mod vectors;

use onca_answer::slice::{Nodes, SliceQuestion, VectorQuestion, slice, vectors as vectors_of};

use crate::look::LookArgs;
use crate::trace::TraceArgs;
use onca_program::table::FormArgs;
use onca_program::{Exit, Failure, print, write_json};
use onca_views::options::MeasureOptions;

/// Sum up a window of time, per container and value
///
/// For each container, and for each group of them up to the whole trace: the time in each state,
/// the mean of each variable, the number of events, or what links carry. A group has the sum of
/// its leaves, or what --agg says.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca slice run.paje --from 10 --to 19
  onca slice run.paje --level Machine --normalise --agg mean
  onca slice run.paje --by links --mode size --as destination --csv
  onca slice run.paje --ratio 'time:Blocked / count:link:Message' --depth 1
  onca slice run.paje --slices 100 --values MPI_Wait --csv
  onca slice run.paje --level Machine --vectors --csv")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    /// Only the containers of this type, or the nodes of this kind
    #[arg(long, value_name = "NAME", conflicts_with = "depth")]
    level: Option<String>,

    /// Only the containers at this depth; the root has depth 0
    #[arg(long, value_name = "N")]
    depth: Option<usize>,

    #[command(flatten)]
    measure: MeasureOptions,

    /// States and links together: the time in each state, its share of the slice, and how many links
    /// there are and how large they are
    #[arg(long, conflicts_with_all = ["by", "mode", "ratio", "normalise"])]
    vectors: bool,

    /// Give times as shares of the width of the slice
    #[arg(long)]
    normalise: bool,

    /// Cut the window into this many slices
    #[arg(long, value_name = "N", default_value_t = 1)]
    slices: usize,

    #[command(flatten)]
    look: LookArgs,

    #[command(flatten)]
    form: FormArgs,
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let question = args.question()?;
    let trace = args.trace.open()?;
    trace.mention_problems();
    let scope = args.look.scope(&trace.store)?;
    if args.vectors {
        let answer = vectors_of(&scope, &args.vector_question(question))?;
        print(|out| match (args.form.json, args.form.csv) {
            (true, _) => write_json(out, &answer.json()),
            (_, true) => vectors::write_csv(out, args.form, &answer),
            _ => vectors::write_text(out, &answer),
        })?;
    } else {
        let answer = slice(&scope, &question)?;
        print(|out| match (args.form.json, args.form.csv) {
            (true, _) => write_json(out, &answer.json()),
            (_, true) => output::write_csv(out, args.form, &answer),
            _ => output::write_text(out, &answer, &question),
        })?;
    }
    Ok(Exit::from_lost(trace.store.catalog().facts.lost))
}

impl Args {
    fn question(&self) -> Result<SliceQuestion, Failure> {
        let what = self.measure.what(self.slices).map_err(Failure::Cannot)?;
        let aggregate = self.measure.aggregate(&what).map_err(Failure::Cannot)?;
        let nodes = match (&self.level, self.depth) {
            (Some(level), _) => Nodes::Level(level.clone()),
            (None, Some(depth)) => Nodes::Depth(depth),
            (None, None) => Nodes::All,
        };
        let (n_slices, normalise) = (self.slices, self.normalise);
        Ok(SliceQuestion { what, aggregate, nodes, n_slices, normalise })
    }

    /// The same question about vectors.
    fn vector_question(&self, question: SliceQuestion) -> VectorQuestion {
        let SliceQuestion { aggregate, nodes, n_slices, .. } = question;
        let links = self.measure.links(n_slices);
        VectorQuestion { aggregate, nodes, n_slices, links, inclusive: self.measure.inclusive }
    }
}
