//! Texts.

use onca_layout::text::Font;
use onca_model::Color;
use onca_scene::{Align, Bounds, Label, Rise, Weight};

use crate::clip;
use crate::number::{self, Hundredths, push_attribute};
use crate::place::Place;
use crate::style::push_color;
use crate::xml::push_text;

/// What neighbours have in common.
#[derive(PartialEq)]
struct Look {
    size: f64,
    weight: Weight,
    color: Color,
    align: Align,
}

impl Look {
    fn of(label: &Label) -> Self {
        Self { size: label.size, weight: label.weight, color: label.color, align: label.align }
    }
}

/// Appends texts.
pub(crate) fn push(out: &mut String, place: &Place<'_>, labels: &[Label]) {
    let seen: Vec<&Label> = labels.iter().filter(|label| can_be_seen(place, label)).collect();
    for alike in seen.chunk_by(|first, second| Look::of(first) == Look::of(second)) {
        out.push_str("<g");
        push_look(out, &Look::of(alike[0]));
        out.push_str(">\n");
        alike.iter().for_each(|label| push_label(out, place, label));
        out.push_str("</g>\n");
    }
}

fn can_be_seen(place: &Place<'_>, label: &Label) -> bool {
    let (reach, far) = (&place.reach, label.length);
    let reach = Bounds::new(reach.x0 - far, reach.y0 - far, reach.x1 + far, reach.y1 + far);
    !label.text.is_empty() && label.color.alpha > 0 && clip::holds(&reach, place.point(label.at))
}

fn push_look(out: &mut String, look: &Look) {
    push_attribute(out, "font-size", look.size);
    if look.weight == Weight::Bold {
        out.push_str(" font-weight=\"700\"");
    }
    push_color(out, "fill", look.color);
    match look.align {
        Align::Start => {}
        Align::Middle => out.push_str(" text-anchor=\"middle\""),
        Align::End => out.push_str(" text-anchor=\"end\""),
    }
}

fn push_label(out: &mut String, place: &Place<'_>, label: &Label) {
    let at = place.point(label.at);
    let font = match label.weight {
        Weight::Regular => Font::Regular,
        Weight::Bold => Font::Bold,
    };
    let down = match label.rise {
        Rise::Baseline => 0.0,
        Rise::Middle => font.capital_height(label.size) / 2.0,
        Rise::Top => font.capital_height(label.size),
    };
    out.push_str("<text");
    push_attribute(out, "x", at.x);
    push_attribute(out, "y", at.y + down);
    // A font that is not the measured one is stretched, so that the text keeps to its place.
    if label.length > 0.0 {
        push_attribute(out, "textLength", label.length);
    }
    if label.turn != 0.0 {
        out.push_str(" transform=\"rotate(");
        for number in [label.turn, at.x, at.y] {
            number::push(out, Hundredths::of(number));
        }
        out.push_str(")\"");
    }
    out.push('>');
    if let Some(title) = place.title(label.title) {
        out.push_str("<title>");
        push_text(out, title);
        out.push_str("</title>");
    }
    push_text(out, &label.text);
    out.push_str("</text>\n");
}
