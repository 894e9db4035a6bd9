//! Where everything is.

use onca_aggregate::phases::{Community, overlaps};
use onca_answer::phases::{Communication, Flow, PhasesAnswer};
use onca_layout::commgram::{Ordered, Ribbon, Span, order, ranks, stack};
use onca_scene::Bounds;

use super::CommgramOptions;
use crate::{
    Ruler,
    quantity::{Quantity, Scale},
};

/// Shares of a slot: the bars, and what is left for ribbons after it.
const BAR_SHARE: f64 = 0.06;
const RIBBON_SHARE: f64 = 0.24;
/// A bar is at most and at least this wide, in pixels.
const BAR_WIDTH: (f64, f64) = (1.5, 7.0);
/// Between bars, at most.
const GAP: f64 = 5.0;
/// Gaps take at most this share of the height.
const GAPS_SHARE: f64 = 0.25;
/// Bars are at least this high.
const LEAST_BAR: f64 = 1.0;
/// The widest band is this share of the bar in the middle of all, by height, but not less and not more than this many pixels.
const BAND_SHARE: f64 = 0.7;
const WIDEST_BAND: (f64, f64) = (5.0, 36.0);
/// A band is at least this wide, in pixels: whoever sends anything is seen to send.
const LEAST_BAND: f64 = 1.0;

/// Where everything is, in pixels.
pub(super) struct Plan {
    /// The phases.
    pub slots: Vec<Slot>,
    /// The order of communities.
    pub ordered: Ordered,
    /// What is shared between each phase and the next.
    pub ribbons: Vec<Vec<Ribbon>>,
    /// How wide the band of the largest flow is.
    pub widest_band: f64,
    pub quantity: Quantity,
    pub scale: Scale,
}

/// Where a phase is.
pub(super) struct Slot {
    /// From its beginning to that of the next.
    pub x0: f64,
    pub x1: f64,
    /// The outer sides of the bars of senders and of receivers, and how wide bars are.
    pub senders: f64,
    pub receivers: f64,
    pub bar: f64,
    /// The bar of each community.
    pub bars: Vec<Span>,
    /// The processors without messages, where there are any.
    pub idle: Option<Span>,
    /// What communities send each other.
    pub flows: Vec<Flow>,
}

impl Plan {
    pub fn new(
        communication: &Communication<'_>,
        answer: &PhasesAnswer,
        frame: &Bounds,
        options: &CommgramOptions,
    ) -> Self {
        let ribbons: Vec<Vec<Ribbon>> = answer
            .communities
            .windows(2)
            .map(|pair| {
                let overlaps = overlaps(&pair[0], &pair[1]).into_iter();
                overlaps
                    .map(|one| Ribbon { left: one.before, right: one.after, shared: one.shared })
                    .collect()
            })
            .collect();
        let n_groups: Vec<usize> = answer.communities.iter().map(Vec::len).collect();
        let ordered = order(&n_groups, &ribbons);
        let slots = slots(communication, answer, &ordered, frame, options);
        let weights = || slots.iter().flat_map(|slot| &slot.flows).map(|flow| flow.weight as f64);
        let (smallest, largest) = (
            weights().filter(|weight| *weight > 0.0).fold(f64::INFINITY, f64::min),
            weights().fold(0.0, f64::max),
        );
        let ruler = Ruler::fitting(smallest, largest);
        let from = if ruler == Ruler::Log { smallest } else { 0.0 };
        let mut bars: Vec<f64> =
            slots.iter().flat_map(|slot| &slot.bars).map(Span::height).collect();
        bars.sort_by(f64::total_cmp);
        let usual = BAND_SHARE * bars.get(bars.len() / 2).copied().unwrap_or(0.0);
        let widest_band = options.bands * usual.clamp(WIDEST_BAND.0, WIDEST_BAND.1);
        let quantity = if communication.is_sized() { Quantity::Bytes } else { Quantity::Count };
        let scale = Scale { ruler, from, to: largest };
        Self { slots, ordered, ribbons, widest_band, quantity, scale }
    }

    /// How wide the band of a flow is.
    pub fn band_width(&self, flow: &Flow) -> f64 {
        let share = if self.scale.to > 0.0 { flow.weight as f64 / self.scale.to } else { 1.0 };
        (self.widest_band * share).max(LEAST_BAND)
    }
}

fn slots(
    communication: &Communication<'_>,
    answer: &PhasesAnswer,
    ordered: &Ordered,
    frame: &Bounds,
    options: &CommgramOptions,
) -> Vec<Slot> {
    let n = answer.phases.len().max(1) as f64;
    let width = frame.width() / n;
    let bar = (width * BAR_SHARE).clamp(BAR_WIDTH.0, BAR_WIDTH.1);
    let margin = width * RIBBON_SHARE / 2.0;
    let (lowest, highest) = answer.curve.range();
    let is_flat = highest <= lowest;
    let room = if is_flat { 0.0 } else { frame.height() * options.wave.clamp(0.0, 0.9) };
    let heights = Heights::new(communication.processors.len(), answer, frame.height() - room);
    let mut slots = Vec::new();
    for (at, communities) in answer.communities.iter().enumerate() {
        let x0 = frame.x0 + at as f64 * width;
        let share =
            if is_flat { 0.0 } else { (answer.curve.heights[at] - lowest) / (highest - lowest) };
        // What is high on the curve is high on the page.
        let top = frame.y0 + room * (1.0 - share);
        let (bars, idle) = heights.bars(communities, &ordered.columns[at], top);
        slots.push(Slot {
            x0,
            x1: x0 + width,
            senders: x0 + margin,
            receivers: x0 + width - margin,
            bar,
            bars,
            idle,
            flows: answer.phases[at].flows(communities),
        });
    }
    slots
}

/// How high bars are: every processor is as high, in all phases.
struct Heights {
    n_processors: usize,
    of_processor: f64,
    gap: f64,
}

impl Heights {
    fn new(n_processors: usize, answer: &PhasesAnswer, height: f64) -> Self {
        let most = answer.communities.iter().map(Vec::len).max().unwrap_or(1);
        // One more, for those that are idle.
        let n_gaps = most as f64;
        let gap = GAP.min(GAPS_SHARE * height / n_gaps);
        let of_processor = ((height - gap * n_gaps) / n_processors.max(1) as f64).max(0.0);
        Self { n_processors, of_processor, gap }
    }

    /// The bar of each community, by its number, and that of those that are idle.
    fn bars(
        &self,
        communities: &[Community],
        order: &[usize],
        top: f64,
    ) -> (Vec<Span>, Option<Span>) {
        let n_active: usize = communities.iter().map(Vec::len).sum();
        let n_idle = self.n_processors - n_active;
        let height = |n: usize| (n as f64 * self.of_processor).max(LEAST_BAR);
        let heights = order.iter().map(|&number| height(communities[number].len()));
        let idle = (n_idle > 0).then(|| height(n_idle));
        let mut spans = stack(heights.chain(idle), top, self.gap);
        let idle = idle.and_then(|_| spans.pop());
        let ranks = ranks(order);
        (ranks.into_iter().map(|rank| spans[rank]).collect(), idle)
    }
}
