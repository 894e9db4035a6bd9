//! A small trace with everything that a timeline can show.

use onca_scene::Figure;
use onca_testkit::fixtures;
use onca_views::timeline::{TimelineOptions, figure};
use onca_views::{Paper, Theme};

use super::Stored;

/// Two machines with two ranks each: nested states, a burst of states that are thinner than a
/// pixel, a fan of links, events, a variable.
fn trace() -> String {
    let mut text = fixtures::header()
        + "1 M 0 Machine\n1 P M Rank\n2 S P State\n3 V M Load \"0 0.45 0.7\"\n4 E P Mark\n\
           5 L 0 P P Message\n\
           6 c S compute \"0 0.62 0.45\"\n6 s S MPI_Send \"0.9 0.62 0\"\n\
           6 w S MPI_Wait \"0.84 0.37 0\"\n6 i S idle \"0.73 0.73 0.73\"\n\
           7 0 m0 M 0 machine0\n7 0 m1 M 0 machine1\n";
    for rank in 0..4 {
        text += &format!("7 0 r{rank} P m{} rank{rank}\n", rank / 2);
    }
    text += "9 0 V m0 0\n9 0 V m1 2\n\
             12 0 S r0 c\n12 0 S r1 c\n12 0 S r2 i\n12 0 S r3 c\n\
             13 2 S r0 s\n16 2 L 0 r0 data a\n16 2 L 0 r0 data b\n9 2 V m0 5\n14 3 S r0\n\
             13 3 S r1 w\n17 4 L 0 r1 data a\n14 4 S r1\n18 4 E r1 checkpoint\n\
             17 5 L 0 r3 data b\n9 5 V m1 4\n13 5 S r3 w\n13 5.5 S r3 s\n14 6 S r3\n14 7 S r3\n";
    // A rank that switches back and forth within a pixel.
    for step in 0..200 {
        let time = 6.0 + f64::from(step) * 0.005;
        let value = ["c", "s", "s", "w"][step as usize % 4];
        text += &format!("12 {time:.3} S r2 {value}\n");
    }
    text + "12 7 S r2 c\n9 8 V m0 1\n18 9 E r3 error\n12 10 S r0 i\n12 10 S r1 i\n12 10 S r2 i\n\
            12 10 S r3 i\n8 11 P r0\n8 11 P r1\n8 11 P r2\n8 11 P r3\n"
}

/// The trace as a timeline.
pub fn small(theme: Theme, width: f64, options: &TimelineOptions) -> Figure {
    let stored = Stored::from_text(&trace());
    let source = Some("small.paje".to_owned());
    let paper = Paper { width, theme, source, ..Paper::default() };
    figure(&stored.whole(), &stored.appearance, &paper, options).expect("a timeline")
}
