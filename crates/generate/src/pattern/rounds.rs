//! Patterns with a fixed order: rounds of stages, and a token that goes round.

use std::io::Write;

use super::{Options, Pattern, States, message, shape, swap};
use crate::GenerateError;
use crate::dice::Dice;
use crate::paje::LinkKind;
use crate::run::{Message, Run, Sent};

/// A token goes round, and who has it computes.
pub(super) fn token<W: Write>(
    options: &Options,
    states: States,
    links: &[LinkKind],
    dice: &mut Dice,
    run: &mut Run<'_, W>,
) -> Result<(), GenerateError> {
    let mut arriving: Option<(Message, Sent)> = None;
    for round in 0..options.rounds {
        for process in 0..options.procs {
            if let Some((message, sent)) = arriving.take() {
                run.receive(message, sent, states.message);
            }
            let ticks = dice.jitter(options.compute_ticks, u64::from(options.jitter));
            let ticks = options.slowed(process, ticks);
            run.spend(process, states.compute, ticks);
            let is_last = round + 1 == options.rounds && process + 1 == options.procs;
            if options.procs > 1 && !is_last {
                let next = message(process, (process + 1) % options.procs, options.message_bytes);
                // Only now: what arrived was sent as a link of the round before.
                run.link = links[round as usize % links.len()];
                arriving = Some((next, run.send(next, states.message.send)));
            }
        }
        run.write_past()?;
    }
    run.meet(states.message.wait);
    Ok(())
}

/// The patterns with a fixed order.
pub(super) fn rounds<W: Write>(
    options: &Options,
    states: States,
    links: &[LinkKind],
    dice: &mut Dice,
    run: &mut Run<'_, W>,
) -> Result<(), GenerateError> {
    let mut messages = Vec::new();
    for _ in 0..options.rounds {
        for process in 0..options.procs {
            let ticks = dice.jitter(options.compute_ticks, u64::from(options.jitter));
            let ticks = options.slowed(process, ticks);
            run.spend(process, states.compute, ticks);
        }
        for stage in 0..n_stages(options) {
            stage_messages(options, stage, &mut messages);
            run.link = links[stage as usize % links.len()];
            run.exchange(&messages, states.message);
            if options.pattern == Pattern::SynchronisedBinarySwap {
                run.meet(states.message.wait);
            }
            if run.schedule.is_large() {
                run.write_past()?;
            }
        }
        run.write_past()?;
    }
    Ok(())
}

/// How many stages a round has.
fn n_stages(options: &Options) -> u32 {
    let procs = options.procs;
    match options.pattern {
        _ if procs == 1 => 0,
        Pattern::Ring | Pattern::Full | Pattern::Stencil2d => 1,
        Pattern::Star => 2,
        Pattern::HierarchicalStar => 2 * shape::tree_depth(procs, options.children),
        Pattern::AllToAll => procs - 1,
        Pattern::BinarySwap | Pattern::SynchronisedBinarySwap => procs.ilog2(),
        Pattern::TwoThreeSwap => swap::swap_height(procs),
        Pattern::MasterWorker | Pattern::WorkStealing | Pattern::SequentialRing => 0,
    }
}

/// Replaces `messages` by those of a stage.
fn stage_messages(options: &Options, stage: u32, messages: &mut Vec<Message>) {
    let procs = options.procs;
    messages.clear();
    let mut send = |from: u32, to: u32, bytes: u64| messages.push(Message { from, to, bytes });
    let bytes = options.message_bytes;
    match options.pattern {
        Pattern::Ring => (0..procs).for_each(|p| send(p, (p + 1) % procs, bytes)),
        Pattern::Full => {
            // Each sender begins with its neighbour: all aiming at process 0 first would be a star.
            for from in 0..procs {
                (1..procs).for_each(|shift| send(from, (from + shift) % procs, bytes));
            }
        }
        Pattern::Star if stage == 0 => (1..procs).for_each(|p| send(p, 0, bytes)),
        Pattern::Star => (1..procs).for_each(|p| send(0, p, bytes)),
        Pattern::HierarchicalStar => {
            shape::tree_stage(options, stage, |from, to| send(from, to, bytes));
        }
        Pattern::Stencil2d => shape::stencil(procs, |from, to| send(from, to, bytes)),
        Pattern::AllToAll => (0..procs).for_each(|p| send(p, (p + stage + 1) % procs, bytes)),
        Pattern::BinarySwap | Pattern::SynchronisedBinarySwap => {
            let half = (bytes >> stage).max(1);
            (0..procs).for_each(|p| send(p, p ^ (1 << stage), half));
        }
        Pattern::TwoThreeSwap => swap::swap_stage((0, procs), stage + 1, bytes, &mut send),
        Pattern::MasterWorker | Pattern::WorkStealing | Pattern::SequentialRing => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::write;
    use super::*;

    fn stages(pattern: Pattern, procs: u32) -> Vec<Vec<(u32, u32, u64)>> {
        let options =
            Options { pattern, procs, children: 2, message_bytes: 1_000, ..Options::default() };
        let mut messages = Vec::new();
        (0..n_stages(&options))
            .map(|stage| {
                stage_messages(&options, stage, &mut messages);
                messages.iter().map(|m| (m.from, m.to, m.bytes)).collect()
            })
            .collect()
    }

    #[test]
    fn binary_swap_halves_and_doubles_the_distance() {
        assert_eq!(
            stages(Pattern::BinarySwap, 4),
            [
                [(0, 1, 1000), (1, 0, 1000), (2, 3, 1000), (3, 2, 1000)],
                [(0, 2, 500), (1, 3, 500), (2, 0, 500), (3, 1, 500)],
            ]
        );
    }

    #[test]
    fn two_three_swap_gives_everybody_its_share() {
        // Two groups, of two and of three; then the groups with each other.
        let swapped = stages(Pattern::TwoThreeSwap, 5);
        assert_eq!(
            swapped[0],
            [
                (0, 1, 500),
                (1, 0, 500),
                (2, 3, 333),
                (2, 4, 334),
                (3, 2, 333),
                (3, 4, 334),
                (4, 2, 333),
                (4, 3, 333),
            ]
        );
        // A process of the end has a fifth from each of the two groups: 200 bytes, less its own.
        for procs in 2..=20 {
            let stages = stages(Pattern::TwoThreeSwap, procs);
            let received = |stage: &Vec<(u32, u32, u64)>, to: u32| -> u64 {
                stage.iter().filter(|message| message.1 == to).map(|message| message.2).sum()
            };
            let last = stages.last().expect("a stage");
            let n_parts = if procs <= 3 { u64::from(procs) } else { 2 };
            for to in 0..procs {
                let border = |at: u32| 1_000 * u64::from(at) / u64::from(procs);
                let share = border(to + 1) - border(to);
                assert!(received(last, to) <= share * n_parts, "{procs}: {to}");
                assert!(received(last, to) + share >= share * n_parts, "{procs}: {to}");
            }
            assert!(stages.iter().flatten().all(|&(from, to, _)| from != to));
        }
    }

    #[test]
    fn one_process_at_a_time_is_active_in_the_sequential_ring() {
        let options =
            Options { pattern: Pattern::SequentialRing, procs: 5, rounds: 3, ..Options::default() };
        let mut text = Vec::new();
        write(&options, &mut text).expect("written");
        let text = String::from_utf8(text).expect("text");
        // What each process is in, where that is not waiting.
        let mut active: Vec<&str> = Vec::new();
        let mut n_computed = 0;
        for line in text.lines() {
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["12", _, "STATE", _, "wait"] => {}
                ["12", _, "STATE", process, value] => {
                    active.push(process);
                    n_computed += usize::from(value == "compute");
                    assert_eq!(active.len(), 1, "{line}: {active:?}");
                }
                ["13", _, "STATE", process] => active.retain(|other| *other != process),
                _ => {}
            }
        }
        assert_eq!(n_computed, 15);
    }

    #[test]
    fn ring_closes() {
        assert_eq!(stages(Pattern::Ring, 3), [[(0, 1, 1000), (1, 2, 1000), (2, 0, 1000)]]);
    }

    #[test]
    fn star_goes_in_and_out() {
        assert_eq!(
            stages(Pattern::Star, 3),
            [[(1, 0, 1000), (2, 0, 1000)], [(0, 1, 1000), (0, 2, 1000)]]
        );
    }

    #[test]
    fn tree_goes_up_and_down() {
        // 0 has 1 and 2; 1 has 3.
        assert_eq!(
            stages(Pattern::HierarchicalStar, 4),
            [
                vec![(3, 1, 1000)],
                vec![(1, 0, 1000), (2, 0, 1000)],
                vec![(0, 1, 1000), (0, 2, 1000)],
                vec![(1, 3, 1000)],
            ]
        );
    }

    #[test]
    fn all_pairs_talk_once_in_full_and_all_to_all() {
        for pattern in [Pattern::Full, Pattern::AllToAll] {
            let mut pairs: Vec<_> = stages(pattern, 5).concat();
            pairs.sort_unstable();
            let expected: Vec<_> = (0..5)
                .flat_map(|from| (0..5).map(move |to| (from, to, 1000)))
                .filter(|(from, to, _)| from != to)
                .collect();
            assert_eq!(pairs, expected, "{pattern}");
        }
    }

    #[test]
    fn stencil_does_not_wrap() {
        let mut neighbours = vec![Vec::new(); 6];
        shape::stencil(6, |from, to| neighbours[from as usize].push(to));
        // 0 1 2
        // 3 4 5
        assert_eq!(neighbours[0], [3, 1]);
        assert_eq!(neighbours[4], [1, 3, 5]);
    }
}
