//! A look at what the end of the trace would bring, while more of it is to come.

use onca_model::{Code, EntitySink, Ticks, TimeUnit};
use onca_read::Origin;

use crate::{Finished, Outcome, Plan, SimulateError, Simulator};

impl<'s, S: EntitySink> Simulator<'s, S> {
    /// What the trace would be if it ended here. The sink gets what is open now, as if nothing closed it,
    /// and halves of links; this simulator goes on as if nothing had been asked. `None` if the source must
    /// be read again by a better plan.
    pub fn look<T: EntitySink>(
        &self,
        sink: T,
        origin: Origin,
    ) -> Result<Option<Finished<T>>, SimulateError<T::Error>> {
        match self.fork(sink).finish(origin)? {
            Outcome::Finished(finished) => Ok(Some(*finished)),
            Outcome::Again(_) => Ok(None),
        }
    }

    /// A better plan, if the source must be read again.
    pub fn better_plan(&self) -> Option<&Plan> {
        (self.redo != self.plan).then_some(&self.redo)
    }

    /// How far answers are sure: nothing that comes within the lateness of the plan can change them up to here.
    pub fn watermark(&self) -> Option<Ticks> {
        let last = self.extent.last()?;
        let first = self.extent.first()?;
        Some(last.saturating_sub(self.plan.within.unwrap_or(0)).max(first))
    }

    /// Records that came so far.
    pub fn n_records(&self) -> u64 {
        self.n_records
    }

    /// Records that came so late that they are left out.
    pub fn n_late(&self) -> u64 {
        self.reporter.diagnostics.get(Code::LateRecord).map_or(0, |tally| tally.count)
    }

    /// Would another reading of the source give more? Where records were put in order as they came, the
    /// problems of that order are told by the usual reading.
    pub fn needs_another_reading(&self) -> bool {
        self.plan.within.is_some() || !self.parts.is_empty()
    }

    /// The unit of its times, as far as is known.
    pub fn unit(&self, origin: Origin) -> TimeUnit {
        self.unit_and_producer(origin).0
    }

    /// The sink.
    pub fn sink_mut(&mut self) -> &mut S {
        &mut self.tracks.sink
    }

    /// A simulator that goes on from here with another sink.
    fn fork<T: EntitySink>(&self, sink: T) -> Simulator<'s, T> {
        Simulator {
            symbols: self.symbols,
            options: self.options,
            plan: self.plan.clone(),
            names: self.names.clone(),
            tracks: self.tracks.fork(sink),
            track_of_pair: Vec::new(),
            brief_pairs: Default::default(),
            track_index: Default::default(),
            first_track: Vec::new(),
            next_track: Vec::new(),
            pair_of_track: Vec::new(),
            links: self.links.clone(),
            aside: self.aside.fork(),
            latest_half: Default::default(),
            reporter: self.reporter.clone(),
            named_types: Default::default(),
            named_containers: Default::default(),
            parts: Vec::new(),
            redo: self.redo.clone(),
            extent: self.extent,
            last_line: self.last_line,
            n_records: self.n_records,
            truncated: self.truncated,
            pajeng_differs: self.pajeng_differs,
            failed: None,
            scratch: Vec::new(),
            cursor: (0, 0),
            reader_bytes: 0,
        }
    }
}
