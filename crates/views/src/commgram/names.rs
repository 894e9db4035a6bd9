//! What communities are called, and where their names stand.

use onca_aggregate::phases::Community;
use onca_answer::phases::PhasesAnswer;
use onca_layout::text::Font;
use onca_scene::{Align, Label, Pick, Point, Rise};

use super::plan::Plan;
use crate::{canvas::label, sheet::TICK_SIZE, theme::ThemeColors};

/// Between a name and what is beside it.
pub(super) const GAP: f64 = 6.0;
/// A shorter room has no name: it would be nothing but dots.
const LEAST_ROOM: f64 = 16.0;

/// Names of communities, in the order of phases and communities.
pub(super) struct Names(Vec<Vec<String>>);

impl Names {
    /// The names of all communities; `short` has those of processors.
    pub fn new(short: &[String], answer: &PhasesAnswer) -> Self {
        let of_phase = |communities: &Vec<Community>| {
            communities.iter().map(|community| community_name(community, short)).collect()
        };
        Self(answer.communities.iter().map(of_phase).collect())
    }

    /// How long the longest name of the first phase is.
    pub fn longest(&self) -> f64 {
        let names = self.0.first().into_iter().flatten();
        names.map(|name| Font::Regular.width(name, TICK_SIZE)).fold(0.0, f64::max)
    }

    /// The names before the slots at which communities or their order change, as far as they have room
    /// and do not touch. `margin` is the room before the first slot.
    pub fn labels(
        &self,
        answer: &PhasesAnswer,
        plan: &Plan,
        margin: f64,
        colors: &ThemeColors,
    ) -> Vec<Label> {
        let in_order = |at: usize| {
            let order = plan.ordered.columns[at].iter();
            order.map(|&place| &answer.communities[at][place]).collect::<Vec<&Community>>()
        };
        let mut labels = Vec::new();
        for (at, slot) in plan.slots.iter().enumerate() {
            let room = match at.checked_sub(1) {
                Some(before) if in_order(before) == in_order(at) => continue,
                Some(before) => slot.senders - plan.slots[before].receivers - 2.0 * GAP,
                None => margin + slot.senders - slot.x0 - GAP,
            };
            if room < LEAST_ROOM {
                continue;
            }
            let mut free = f64::NEG_INFINITY;
            for &place in &plan.ordered.columns[at] {
                let span = slot.bars[place];
                let middle = (span.top + span.bottom) / 2.0;
                if middle - TICK_SIZE / 2.0 < free {
                    continue;
                }
                let text = Font::Regular.fit(&self.0[at][place], TICK_SIZE, room);
                let Some(text) = text.filter(|text| !text.is_empty()) else { continue };
                free = middle + TICK_SIZE / 2.0 + 1.0;
                let end = Point::new(slot.senders - GAP, middle);
                let pick = Pick::Community { phase: at as u32, place: place as u32 };
                labels.push(Label {
                    align: Align::End,
                    rise: Rise::Middle,
                    pick,
                    ..label(end, text, TICK_SIZE, colors.text)
                });
            }
        }
        labels
    }
}

/// Neighbours are named by the first and the last, others by the first and how many more there are.
fn community_name(community: &Community, names: &[String]) -> String {
    let name = |id: u32| names.get(id as usize).map_or("", String::as_str);
    match community[..] {
        [] => String::new(),
        [one] => name(one).to_owned(),
        [one, other] => format!("{}, {}", name(one), name(other)),
        [first, .., last] if (last - first) as usize == community.len() - 1 => {
            format!("{} – {}", name(first), name(last))
        }
        [first, ..] => format!("{} + {}", name(first), community.len() - 1),
    }
}
