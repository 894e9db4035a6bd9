//! Bars, bands and ribbons.

use onca_aggregate::phases::Community;
use onca_answer::phases::{Communication, Flow, PhasesAnswer};
use onca_layout::commgram::{Span, band, ranks};
use onca_model::{Color, format::grouped};
use onca_scene::{Bounds, Layer, Pick, Point, Polygons, Rect, Titles};

use super::{
    CommgramOptions, CurvePlace,
    plan::{Plan, Slot},
};
use crate::{Canvas, Theme, color};

/// How far the tangents of bands reach.
const BEND: f64 = 0.5;
/// A side of a band has this many pieces.
const PIECES: usize = 20;
/// The faintest band and the strongest.
const OPACITY: (f64, f64) = (0.6, 0.92);
/// The colour of nothing is this far from that of the page, so that little can be seen.
const FIRST_SHADE: f64 = 0.12;
/// The edge of a band is its colour, this far towards that of texts: pale bands stand out from the page, and thin ones do not vanish.
const EDGE: f64 = 0.35;
/// The same of ribbons, which have the colour of axes: how opaque.
const RIBBON: (f64, f64) = (0.22, 0.35);
/// Texts name this many processors of a community.
const NAMED: usize = 6;

/// What is drawn of a flow.
struct Band {
    phase: usize,
    flow: Flow,
    from: Span,
    to: Span,
}

/// Ribbons, bands and bars, from below to above. Texts for the pointer are added to `titles` if the canvas has them.
pub(super) fn layers(
    communication: &Communication<'_>,
    answer: &PhasesAnswer,
    plan: &Plan,
    canvas: &Canvas,
    titles: &mut Titles,
) -> Vec<Layer> {
    let mut painter = Painter { communication, answer, plan, canvas, titles };
    let ribbons = painter.ribbons();
    let bands = painter.bands();
    let bars = painter.bars();
    vec![Layer::Polygons(ribbons), Layer::Polygons(bands), Layer::Rects(bars)]
}

/// What the picture sums up, in words.
pub(super) fn notes(plan: &Plan, options: &CommgramOptions) -> Vec<String> {
    let mut notes: Vec<String> = crossings(plan).into_iter().collect();
    if options.curve == CurvePlace::Over {
        notes.push("the line over the slots is the curve".to_owned());
    }
    if let Some(n) = options.phases.communities {
        notes.push(format!("{n} communities, as far as there are processes"));
    }
    notes
}

/// How many ribbons cross, if any would.
pub(super) fn crossings(plan: &Plan) -> Option<String> {
    let ordered = &plan.ordered;
    (ordered.crossings_as_given > 0).then(|| {
        let (n, as_given) = (grouped(ordered.crossings), grouped(ordered.crossings_as_given));
        format!("{n} crossings between phases ({as_given} in order of processes)")
    })
}

/// The colour of a flow, by its share of the scale.
pub(super) fn flow_color(share: f64, theme: Theme) -> Color {
    let between = |(from, to): (f64, f64)| from + (to - from) * share;
    color::faded(color::quantity(between((FIRST_SHADE, 1.0)), theme), between(OPACITY))
}

/// The colour of the edge of a flow.
fn edge_color(share: f64, theme: Theme) -> Color {
    let fill = color::quantity(FIRST_SHADE + (1.0 - FIRST_SHADE) * share, theme);
    color::mix(fill, theme.colors().text, EDGE)
}

struct Painter<'a> {
    communication: &'a Communication<'a>,
    answer: &'a PhasesAnswer,
    plan: &'a Plan,
    canvas: &'a Canvas,
    titles: &'a mut Titles,
}

impl Painter<'_> {
    /// Where members go from phase to phase.
    fn ribbons(&self) -> Polygons {
        let axis = self.canvas.theme.colors().axis;
        let (fill, edge) = (color::faded(axis, RIBBON.0), color::faded(axis, RIBBON.1));
        let mut polygons = Polygons::default();
        for (at, ribbons) in self.plan.ribbons.iter().enumerate() {
            let (left, right) = (&self.plan.slots[at], &self.plan.slots[at + 1]);
            let ends = |number: usize| {
                (&self.answer.communities[number], ranks(&self.plan.ordered.columns[number]))
            };
            let ((before, before_ranks), (after, after_ranks)) = (ends(at), ends(at + 1));
            let mut sorted: Vec<_> = ribbons.iter().collect();
            sorted.sort_by_key(|one| (before_ranks[one.left], after_ranks[one.right]));
            let mut given = Shares::new(before, &left.bars);
            let outgoing: Vec<Span> =
                sorted.iter().map(|one| given.take(one.left, one.shared)).collect();
            let mut taken = Shares::new(after, &right.bars);
            for (ribbon, from) in sorted.into_iter().zip(outgoing) {
                let to = taken.take(ribbon.right, ribbon.shared);
                let outline = band(left.receivers, from, right.senders, to, BEND, PIECES);
                let outline = outline.into_iter().map(|(x, y)| Point::new(x, y));
                polygons.add(outline, fill).edge = edge;
            }
        }
        polygons
    }

    /// What communities send each other, little first.
    fn bands(&mut self) -> Polygons {
        let mut bands: Vec<Band> = Vec::new();
        for (phase, slot) in self.plan.slots.iter().enumerate() {
            let ranks = ranks(&self.plan.ordered.columns[phase]);
            let from =
                self.attached(slot, |flow| (ranks[flow.from], ranks[flow.to]), |flow| flow.from);
            let to = self.attached(slot, |flow| (ranks[flow.to], ranks[flow.from]), |flow| flow.to);
            let ends = slot.flows.iter().zip(from).zip(to);
            bands.extend(ends.map(|((&flow, from), to)| Band { phase, flow, from, to }));
        }
        bands.sort_by_key(|band| band.flow.weight);
        let mut polygons = Polygons::default();
        for own in bands {
            let slot = &self.plan.slots[own.phase];
            let (x0, x1) = (slot.senders + slot.bar, slot.receivers - slot.bar);
            let share = self.plan.scale.share(own.flow.weight as f64);
            let fill = flow_color(share, self.canvas.theme);
            let outline = band(x0, own.from, x1, own.to, BEND, PIECES);
            let polygon = polygons.add(outline.into_iter().map(|(x, y)| Point::new(x, y)), fill);
            polygon.edge = edge_color(share, self.canvas.theme);
            polygon.pick = Pick::flow(own.phase, own.flow.from, own.flow.to);
            if self.canvas.titles {
                polygon.title = self.titles.add(self.flow_title(&own));
            }
        }
        polygons
    }

    /// Where flows touch the bars of one side: in the order of `key`, each with its own width, spread over the bar.
    fn attached(
        &self,
        slot: &Slot,
        key: impl Fn(&Flow) -> (usize, usize),
        group: impl Fn(&Flow) -> usize,
    ) -> Vec<Span> {
        let mut sorted: Vec<usize> = (0..slot.flows.len()).collect();
        sorted.sort_by_key(|&at| key(&slot.flows[at]));
        let mut wholes = vec![0.0; slot.bars.len()];
        slot.flows.iter().for_each(|flow| wholes[group(flow)] += self.plan.band_width(flow));
        let mut sums = vec![0.0; slot.bars.len()];
        let mut spans = vec![Span::default(); slot.flows.len()];
        for at in sorted {
            let flow = &slot.flows[at];
            let (number, width) = (group(flow), self.plan.band_width(flow));
            let middle = (sums[number] + width / 2.0) / wholes[number];
            sums[number] += width;
            let middle = slot.bars[number].part(middle, middle).top;
            spans[at] = Span { top: middle - width / 2.0, bottom: middle + width / 2.0 };
        }
        spans
    }

    /// Communities as senders and as receivers.
    fn bars(&mut self) -> Vec<Rect> {
        let colors = self.canvas.theme.colors();
        let fill = color::mix(colors.axis, colors.text, 0.5);
        let mut rects = Vec::new();
        for (phase, slot) in self.plan.slots.iter().enumerate() {
            let sides = [
                (slot.senders, slot.senders + slot.bar),
                (slot.receivers - slot.bar, slot.receivers),
            ];
            for (place, span) in slot.bars.iter().enumerate() {
                let title = self.canvas.titles.then(|| self.community_title(phase, place));
                let title = title.map(|text| self.titles.add(text)).unwrap_or_default();
                let pick = Pick::Community { phase: phase as u32, place: place as u32 };
                let bounds = sides.map(|(x0, x1)| Bounds::new(x0, span.top, x1, span.bottom));
                rects.extend(bounds.map(|bounds| Rect {
                    title,
                    pick,
                    ..Rect::plain(bounds, fill)
                }));
            }
            let idle = slot.idle.into_iter().flat_map(|span| sides.map(|side| (span, side)));
            for (span, (x0, x1)) in idle {
                let bounds = Bounds::new(x0, span.top, x1, span.bottom);
                rects.push(Rect::plain(bounds, color::mix(colors.background, colors.axis, 0.3)));
            }
        }
        rects
    }

    fn flow_title(&self, band: &Band) -> String {
        let communities = &self.answer.communities[band.phase];
        let amount = self.plan.quantity.text(band.flow.weight as f64);
        let messages = onca_model::format::count_of(band.flow.count, "message");
        let amount = if self.communication.is_sized() {
            format!("{amount} in {messages}")
        } else {
            messages
        };
        format!(
            "{}\nfrom {}\nto {}\n{amount}",
            phase_title(self.communication, self.answer, band.phase),
            self.members(&communities[band.flow.from]),
            self.members(&communities[band.flow.to]),
        )
    }

    fn community_title(&self, phase: usize, place: usize) -> String {
        let members = &self.answer.communities[phase][place];
        format!(
            "{}\n{}",
            phase_title(self.communication, self.answer, phase),
            self.members(members)
        )
    }

    fn members(&self, community: &Community) -> String {
        let name = |id: &u32| self.communication.processors[*id as usize].name.as_str();
        let names: Vec<&str> = community.iter().take(NAMED).map(name).collect();
        let more = community.len().saturating_sub(NAMED);
        let more =
            if more > 0 { format!(" and {} more", grouped(more as u64)) } else { String::new() };
        format!("{}{more}", names.join(", "))
    }
}

/// Which phase it is, and when.
pub(super) fn phase_title(
    communication: &Communication<'_>,
    answer: &PhasesAnswer,
    at: usize,
) -> String {
    let phase = &answer.phases[at];
    let unit = &communication.unit;
    let (from, to) = (unit.format(phase.window.from), unit.format(phase.window.to));
    format!("phase {}, pattern {}, {from} – {to} {}", at + 1, phase.pattern(), unit.name)
}

/// Bars of which parts are given away from above.
struct Shares<'a> {
    communities: &'a [Community],
    bars: &'a [Span],
    given: Vec<usize>,
}

impl<'a> Shares<'a> {
    fn new(communities: &'a [Community], bars: &'a [Span]) -> Self {
        Self { communities, bars, given: vec![0; bars.len()] }
    }

    fn take(&mut self, number: usize, n: usize) -> Span {
        let whole = self.communities[number].len() as f64;
        let first = self.given[number];
        self.given[number] += n;
        self.bars[number].part(first as f64 / whole, (first + n) as f64 / whole)
    }
}
