//! A first look at all files: who recorded what, and the calls that make communicators, which must
//! be known of all ranks before the messages of any can be followed.

use std::io;
use std::ops::ControlFlow;

use super::call::Call;
use super::calls::{Calls, Next, RankFile};
use super::function::N_COUNTED;
use super::made::{COMM_MAKERS, Made};
use super::sections::Sections;
use crate::batch::{Batch, BatchConsumer};
use crate::pipeline::{Decode, Taken};

/// What the first look at a file told.
#[derive(Debug, Default)]
pub(super) struct Surveyed {
    pub sections: Sections,
    /// Calls that make communicators and groups, in their order.
    pub made: Vec<Made>,
    /// Functions that are called, by number.
    pub used: Vec<bool>,
}

impl Surveyed {
    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        self.sections.bytes() + self.made.len() * size_of::<Made>() + self.used.len()
    }
}

/// Looks at files on all cores.
pub(super) struct Survey<'a> {
    pub files: &'a [RankFile],
    pub piece_bytes: usize,
}

impl Survey<'_> {
    fn look(&self, file: &RankFile) -> Surveyed {
        // A file that cannot be read is told when its calls are.
        let sections = Sections::read(file).unwrap_or_default();
        let used = sections.counts.as_ref().map(|counts| counts.iter().map(|&n| n > 0).collect());
        let mut surveyed = Surveyed { sections, ..Surveyed::default() };
        match used {
            Some(used) => {
                surveyed.used = used;
                let makes = |&id: &u16| surveyed.used[usize::from(id)];
                if COMM_MAKERS.iter().any(makes) {
                    self.walk(file, &mut surveyed);
                }
            }
            None => {
                surveyed.used = vec![false; N_COUNTED];
                self.walk(file, &mut surveyed);
            }
        }
        surveyed
    }

    /// Goes through all calls.
    fn walk(&self, file: &RankFile, surveyed: &mut Surveyed) {
        let mut calls = Calls::new(file.clone(), self.piece_bytes);
        let mut call = Call::default();
        while let Ok(Next::Call) = calls.next(&mut call) {
            if let Some(used) = surveyed.used.get_mut(usize::from(call.id())) {
                *used = true;
            }
            if call.id() == 82 {
                tell_rank(&mut surveyed.made, &call);
            }
            surveyed.made.extend(Made::of(&call));
        }
    }
}

/// The program asked for its rank in a communicator: the one that had its number last.
fn tell_rank(made: &mut [Made], call: &Call) {
    let asked = call.number("comm");
    for made in made.iter_mut().rev() {
        if let Made::Comm { new, told_rank, .. } = made
            && Some(*new) == asked
        {
            *told_rank = told_rank.or(call.number("rank"));
            return;
        }
    }
}

impl Decode for Survey<'_> {
    /// The next file.
    type Source = usize;
    type Piece = usize;
    type Worker = ();
    type Note = Surveyed;
    /// What was told, in the order of the files.
    type Order = Vec<Surveyed>;

    fn worker(&self) {}

    fn take(&self, next: &mut usize, _: &mut Batch) -> io::Result<Taken<usize>> {
        let number = *next;
        *next += 1;
        Ok(if number < self.files.len() { Taken::Piece(number) } else { Taken::End })
    }

    fn decode(&self, (): &mut (), number: usize, _: &mut Batch) -> Surveyed {
        self.look(&self.files[number])
    }

    fn hand_over(
        &self,
        all: &mut Vec<Surveyed>,
        surveyed: Surveyed,
        _: &mut Batch,
        _: &mut dyn BatchConsumer,
    ) -> ControlFlow<()> {
        all.push(surveyed);
        ControlFlow::Continue(())
    }
}
