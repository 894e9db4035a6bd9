//! Damaged, cut, hostile and oversized traces: every loss is counted, nothing crashes, and what
//! is whole is read.

mod contents;
mod cuts;
mod header;
mod parts;
use onca_testkit::fixtures;

/// A trace with all kinds of entities after the common header.
fn small_trace() -> String {
    fixtures::trace(
        "12 1 S a x\n13 2.5 S a y\n14 3 S a\n9 1 V a 0.5\n10 2 V a 4\n\
         16 1 L 0 a v k\n17 3 L 0 b v k\n18 3.5 E b q\n8 4 P a\n18 6 E b r\n",
    )
}
