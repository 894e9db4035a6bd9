//! What communities are called, and where their names stand.

use onca_aggregate::phases::Community;
use onca_answer::phases::PhasesAnswer;
use onca_layout::text::Font;
use onca_scene::{Align, Label, Pick, Point, Rise};

use super::plan::Plan;
use crate::{canvas::label, sheet::TICK_SIZE, theme::ThemeColors};

/// Between a name and what is beside it.
pub(super) const GAP: f64 = 6.0;
/// The same between two slots, where there is less room.
const NARROW_GAP: f64 = 3.0;

/// Names of communities, in the order of phases and communities. After the first phase they are without
/// what all processors have in common.
pub(super) struct Names(Vec<Vec<String>>);

impl Names {
    /// The names of all communities; `short` has those of processors.
    pub fn new(short: &[String], answer: &PhasesAnswer) -> Self {
        let prefix = common_prefix(short);
        let brief: Vec<String> = short.iter().map(|name| name[prefix..].to_owned()).collect();
        let of_phase = |(at, communities): (usize, &Vec<Community>)| {
            let (names, space) = if at == 0 { (short, " ") } else { (brief.as_slice(), "") };
            communities.iter().map(|community| community_name(community, names, space)).collect()
        };
        Self(answer.communities.iter().enumerate().map(of_phase).collect())
    }

    /// How long the longest name of the first phase is.
    pub fn longest(&self) -> f64 {
        let names = self.0.first().into_iter().flatten();
        names.map(|name| Font::Regular.width(name, TICK_SIZE)).fold(0.0, f64::max)
    }

    /// The names before the slots at which communities or their order change, as far as they have room
    /// and do not touch. Between slots they stand upright where they do not fit otherwise, if they
    /// `may_turn`. `margin` is the room before the first slot.
    pub fn labels(
        &self,
        answer: &PhasesAnswer,
        plan: &Plan,
        margin: f64,
        may_turn: bool,
        colors: &ThemeColors,
    ) -> Vec<Label> {
        let in_order = |at: usize| {
            let order = plan.ordered.columns[at].iter();
            order.map(|&place| &answer.communities[at][place]).collect::<Vec<&Community>>()
        };
        let mut labels = Vec::new();
        for (at, slot) in plan.slots.iter().enumerate() {
            let (room, gap) = match at.checked_sub(1) {
                Some(before) if in_order(before) == in_order(at) => continue,
                Some(before) => {
                    let between = slot.senders - plan.slots[before].receivers;
                    (between - 2.0 * NARROW_GAP, NARROW_GAP)
                }
                None => (margin + slot.senders - slot.x0 - GAP, GAP),
            };
            let length_of = |name: &String| Font::Regular.width(name, TICK_SIZE);
            let upright = at > 0 && self.0[at].iter().any(|name| length_of(name) > room);
            let mut free = f64::NEG_INFINITY;
            for &place in &plan.ordered.columns[at] {
                let span = slot.bars[place];
                let middle = (span.top + span.bottom) / 2.0;
                let name = &self.0[at][place];
                let length = length_of(name);
                let half = if upright { length } else { TICK_SIZE } / 2.0;
                // An upright name stays beside its bar.
                let has_room =
                    !upright || (may_turn && room >= TICK_SIZE && length <= span.height());
                if middle - half < free || !has_room {
                    continue;
                }
                let text = match upright {
                    true => Some(name.clone()),
                    false => Font::Regular.fit(name, TICK_SIZE, room),
                };
                let Some(text) = text.filter(|text| !text.is_empty()) else { continue };
                free = middle + half + 1.0;
                let end = Point::new(slot.senders - gap, middle);
                let pick = Pick::Community { phase: at as u32, place: place as u32 };
                let text = Label { pick, ..label(end, text, TICK_SIZE, colors.text) };
                labels.push(match upright {
                    true => Label { align: Align::Middle, turn: -90.0, ..text },
                    false => Label { align: Align::End, rise: Rise::Middle, ..text },
                });
            }
        }
        labels
    }
}

/// How many bytes all names begin with, without a part of a number: `rank-` of `rank-10` and `rank-11`.
fn common_prefix(names: &[String]) -> usize {
    let Some((first, others)) = names.split_first() else { return 0 };
    let shared = |name: &String| {
        let pairs = first.char_indices().zip(name.chars());
        pairs.take_while(|((_, a), b)| a == b).last().map_or(0, |((at, a), _)| at + a.len_utf8())
    };
    let length = others.iter().map(shared).min().unwrap_or(0);
    first[..length].trim_end_matches(|letter: char| letter.is_ascii_digit()).len()
}

/// Neighbours are named by the first and the last, others by the first and how many more there are.
fn community_name(community: &Community, names: &[String], space: &str) -> String {
    let name = |id: u32| names.get(id as usize).map_or("", String::as_str);
    match community[..] {
        [] => String::new(),
        [one] => name(one).to_owned(),
        [one, other] => format!("{},{space}{}", name(one), name(other)),
        [first, .., last] if (last - first) as usize == community.len() - 1 => {
            format!("{}{space}–{space}{}", name(first), name(last))
        }
        [first, ..] => format!("{}{space}+{space}{}", name(first), community.len() - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_whole() {
        let prefix = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            common_prefix(&names)
        };
        assert_eq!(prefix(&["rank-10", "rank-11"]), 5);
        assert_eq!(prefix(&["rank-1", "rank-1b"]), 5);
        assert_eq!(prefix(&["ann", "bob"]), 0);
        assert_eq!(prefix(&["münchen", "münster"]), "mün".len());
        assert_eq!(prefix(&["alone"]), 0);
        assert_eq!(prefix(&[]), 0);
    }
}
