//! What is aggregated, how, and with which trade-off.

use onca_answer::overview::Choice;
use onca_program::Failure;
use onca_views::options::PartitionOptions;

/// What is aggregated, how, and with which trade-off.
#[derive(clap::Args, Debug)]
pub struct ProblemArgs {
    /// The trade-off, from 0 (nothing may be hidden) to 1; may be given several times
    #[arg(long, value_name = "P", conflicts_with = "p_rank")]
    p: Vec<f64>,

    #[command(flatten)]
    pub partition: PartitionOptions,
}

impl ProblemArgs {
    /// The trade-offs that were given.
    pub fn given(&self) -> Vec<Choice> {
        match self.partition.p_rank {
            Some(rank) => vec![Choice::Rank(rank)],
            None => self.p.iter().map(|&p| Choice::P(p)).collect(),
        }
    }

    /// The trade-offs that partitions are wanted for: one by a rule when none was given.
    pub fn choices(&self) -> Vec<Choice> {
        let given = self.given();
        if given.is_empty() { vec![Choice::Start(self.partition.rule())] } else { given }
    }

    /// The trade-off where only one partition is wanted.
    pub fn choice(&self) -> Result<Choice, Failure> {
        match self.choices().as_slice() {
            [choice] => Ok(*choice),
            _ => Err(Failure::Cannot("give one --p, not several".to_owned())),
        }
    }
}
