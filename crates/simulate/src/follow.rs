//! From a file that grows to entities, as far as they are known.

use std::path::PathBuf;

use onca_model::{EntitySink, Ticks, TimeUnit};
use onca_read::paje::GrowingText;
use onca_read::{Progress, ReadError, Symbols, Tail, TailError};

use crate::{DriveError, DriveOptions, Finished, Outcome, Plan, SimulateError, Simulator};

/// Reads on while a file grows. At any line end it can tell what the trace would be if it ended there.
pub struct Follower<'a, S: EntitySink> {
    simulator: Simulator<'a, S>,
    text: GrowingText<'a>,
    options: &'a DriveOptions,
    progress: &'a Progress,
    path: PathBuf,
}

/// What reading on gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Advance {
    /// This many bytes were read; none if there are none yet.
    Read(u64),
    /// All must be read again from the beginning, by this plan.
    Again(Plan),
}

impl<'a, S> Follower<'a, S>
where
    S: EntitySink + Send,
    S::Error: Send,
{
    /// Begins at the first byte of a file.
    pub fn new(
        tail: &Tail,
        symbols: &'a Symbols,
        sink: S,
        options: &'a DriveOptions,
        plan: &Plan,
        progress: &'a Progress,
    ) -> Result<Self, TailError> {
        let input = tail.input()?;
        let text = GrowingText::new(input, symbols, options.reading(plan.tick_exponent));
        let simulator = Simulator::new(symbols, sink, options.simulating(), plan.clone());
        Ok(Self { simulator, text, options, progress, path: tail.path().to_owned() })
    }

    /// Reads what the file lets be read now.
    pub fn advance(&mut self) -> Result<Advance, DriveError<S::Error>> {
        let before = self.text.bytes();
        let read = self.text.read_on(self.progress, &mut self.simulator);
        if let Some(error) = self.simulator.take_error() {
            return Err(self.failure(error));
        }
        match read {
            Ok(()) => {}
            Err(ReadError::Stopped) if self.progress.is_cancelled() => {
                return Err(DriveError::Cancelled);
            }
            Err(error) => return Err(DriveError::Read(self.path.clone(), error)),
        }
        Ok(match self.simulator.better_plan() {
            Some(plan) => Advance::Again(plan.clone()),
            None => Advance::Read(self.text.bytes() - before),
        })
    }

    /// What the trace would be if it ended here: the sink gets what is still open, and halves of links.
    pub fn look<T: EntitySink>(
        &self,
        sink: T,
    ) -> Result<Option<Finished<T>>, SimulateError<T::Error>> {
        let mut finished = self.simulator.look(sink, self.text.origin())?;
        if let Some(finished) = &mut finished {
            self.options.correct(&mut finished.catalog);
        }
        Ok(finished)
    }

    /// Reads what is left as the last of the file, a line without its newline too, and closes what is open.
    pub fn finish(mut self) -> Result<Outcome<S>, DriveError<S::Error>> {
        self.text.end();
        if let Advance::Again(plan) = self.advance()? {
            return Ok(Outcome::Again(plan));
        }
        let origin = self.text.origin();
        let finished = self.simulator.finish(origin);
        let path = self.path;
        let mut outcome = finished.map_err(|error| failure_in(error, path))?;
        if let Outcome::Finished(finished) = &mut outcome {
            self.options.correct(&mut finished.catalog);
        }
        Ok(outcome)
    }

    /// The sink that gets what is finished.
    pub fn sink_mut(&mut self) -> &mut S {
        self.simulator.sink_mut()
    }

    /// Up to when answers are sure.
    pub fn watermark(&self) -> Option<Ticks> {
        self.simulator.watermark()
    }

    /// Records that came so far.
    pub fn n_records(&self) -> u64 {
        self.simulator.n_records()
    }

    /// Records that came so late that they are left out.
    pub fn n_late(&self) -> u64 {
        self.simulator.n_late()
    }

    /// Bytes that were read.
    pub fn bytes(&self) -> u64 {
        self.text.bytes()
    }

    /// Bytes of a line whose newline is not there yet.
    pub fn unfinished(&self) -> usize {
        self.text.unfinished()
    }

    /// Must the whole be read once more at its end? Late records are put in their place then, and parts
    /// that the trace names are read.
    pub fn needs_another_reading(&self) -> bool {
        self.simulator.needs_another_reading()
    }

    /// The unit of times, as far as is known.
    pub fn unit(&self) -> TimeUnit {
        self.simulator.unit(self.text.origin())
    }

    fn failure(&self, error: SimulateError<S::Error>) -> DriveError<S::Error> {
        failure_in(error, self.path.clone())
    }
}

fn failure_in<E>(error: SimulateError<E>, path: PathBuf) -> DriveError<E> {
    match error {
        SimulateError::Problem(problem) => DriveError::Problem(problem, vec![path]),
        error => DriveError::Simulate(error),
    }
}
