//! A header with every kind of damage, against the slow interpreter.

use std::convert::Infallible;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use onca_model::{EntitySink, EventRow, LaneId, LinkRow, StateRow, VariableRow};
use onca_read::{Progress, Source};
use onca_simulate::{DriveOptions, drive};
use onca_testkit::fixtures;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::small_trace;

/// Counts entities: states, variables, events, links.
#[derive(Default)]
struct Counts([u64; 4]);

impl EntitySink for Counts {
    type Error = Infallible;

    fn state(&mut self, _: LaneId, _: &StateRow, _: &[u8]) -> Result<(), Infallible> {
        self.0[0] += 1;
        Ok(())
    }

    fn variable(&mut self, _: LaneId, _: &VariableRow, _: &[u8]) -> Result<(), Infallible> {
        self.0[1] += 1;
        Ok(())
    }

    fn event(&mut self, _: LaneId, _: &EventRow, _: &[u8]) -> Result<(), Infallible> {
        self.0[2] += 1;
        Ok(())
    }

    fn link(&mut self, _: LaneId, _: &LinkRow<'_>, _: &[u8]) -> Result<(), Infallible> {
        self.0[3] += 1;
        Ok(())
    }
}

/// Records, lost records, containers, entities.
fn found(path: &Path) -> String {
    let progress = Arc::new(Progress::default());
    // Small blocks: thousands of small files are read here.
    let options = DriveOptions { block_bytes: 4096, ..DriveOptions::default() };
    let driven = drive(&Source::new(path), &options, &progress, || Ok(Counts::default()));
    match driven {
        Err(error) => format!("refused: {error}"),
        Ok(driven) => {
            let facts = &driven.catalog.facts;
            let containers = driven.catalog.containers.len();
            format!("{} {} {containers} {:?}", facts.records, facts.lost, driven.sink.0)
        }
    }
}

/// The same by the slow interpreter.
fn expected(bytes: &[u8]) -> String {
    let trace = onca_testkit::interpret(bytes);
    let entities =
        [trace.states.len(), trace.variables.len(), trace.events.len(), trace.links.len()];
    format!("{} {} {} {entities:?}", trace.records, trace.lost, trace.containers.len())
}

/// Every cut of the header, and every byte of it replaced: what remains is what the slow
/// interpreter finds in it.
#[test]
fn a_damaged_header_costs_records_and_no_more() {
    let trace = small_trace().into_bytes();
    let header = fixtures::header().len();
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(&trace).expect("written");
    let check = |bytes: &[u8], what: String| {
        assert_eq!(found(file.path()), expected(bytes), "{what}: found (left) and expected");
    };
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut damaged = trace.clone();
    for place in 0..header {
        // One that means something here, one that means nothing anywhere, and any.
        let meaningful = b"% \n\"#0\t9aP"[place % 10];
        for byte in [meaningful, 0xff, random.random()] {
            // The file is changed where it is: some file systems wait for the disk when a file
            // is emptied and written again, and this happens thousands of times.
            file.as_file().write_all_at(&[byte], place as u64).expect("written");
            damaged[place] = byte;
            check(&damaged, format!("byte {place} is {byte:#04x}"));
        }
        file.as_file().write_all_at(&trace[place..=place], place as u64).expect("written");
        damaged[place] = trace[place];
    }
    for cut in (0..=header).rev() {
        file.as_file().set_len(cut as u64).expect("cut");
        check(&trace[..cut], format!("cut at {cut}"));
    }
}
