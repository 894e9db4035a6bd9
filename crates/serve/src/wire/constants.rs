//! The numbers of scenes on the wire, as TypeScript.

use std::fmt::Write;

use onca_scene::{Align, BaseKind, Pattern, Pick, Rise, Shape};

use super::layers::{DOT, HEAD, N_RULES, align, pattern, rise, shape};
use super::solid::{NONE, base_kind};
use super::strips::{AGGREGATE, HAS_RARE};
use super::{ALIGNMENT, MAGIC, PREFIX, VERSION};

/// Numbers by name, under the name of all.
type Group = (&'static str, &'static str, Vec<(&'static str, u64)>);

/// What the page must know to read scenes.
pub fn constants() -> String {
    let groups: [Group; 9] = [
        (
            "How a scene begins: its name, the version, how long that is; where columns may begin.",
            "WIRE",
            vec![
                ("magic", u32::from_le_bytes(*MAGIC).into()),
                ("version", VERSION.into()),
                ("prefix", PREFIX as u64),
                ("alignment", ALIGNMENT as u64),
                ("none", NONE.into()),
            ],
        ),
        (
            "Bits of the look of columns, and how many rules tell how columns become pixels.",
            "STRIP",
            vec![
                ("aggregate", AGGREGATE.into()),
                ("hasRare", HAS_RARE.into()),
                ("nRules", N_RULES as u64),
            ],
        ),
        (
            "How rectangles are filled.",
            "PATTERN",
            vec![
                ("plain", pattern(Pattern::Plain).into()),
                ("hatch", pattern(Pattern::Hatch).into()),
                ("diagonal", pattern(Pattern::Diagonal).into()),
                ("cross", pattern(Pattern::Cross).into()),
            ],
        ),
        (
            "What glyphs are.",
            "SHAPE",
            vec![
                ("triangle", shape(Shape::Triangle).into()),
                ("diamond", shape(Shape::Diamond).into()),
                ("disc", shape(Shape::Disc).into()),
                ("square", shape(Shape::Square).into()),
                ("bar", shape(Shape::Bar).into()),
            ],
        ),
        ("Bits of what arrows have.", "ARROW", vec![("head", HEAD.into()), ("dot", DOT.into())]),
        (
            "Where the place of a label is in its length.",
            "ALIGN",
            vec![
                ("start", align(Align::Start).into()),
                ("middle", align(Align::Middle).into()),
                ("end", align(Align::End).into()),
            ],
        ),
        (
            "Where the place of a label is in its height.",
            "RISE",
            vec![
                ("baseline", rise(Rise::Baseline).into()),
                ("middle", rise(Rise::Middle).into()),
                ("top", rise(Rise::Top).into()),
            ],
        ),
        (
            "What nodes of the base of a scene in space are.",
            "BASE_KIND",
            vec![
                ("container", base_kind(BaseKind::Container).into()),
                ("host", base_kind(BaseKind::Host).into()),
                ("switch", base_kind(BaseKind::Switch).into()),
                ("wire", base_kind(BaseKind::Wire).into()),
                ("middle", base_kind(BaseKind::Middle).into()),
                ("group", base_kind(BaseKind::Group).into()),
            ],
        ),
        (
            "The bits of picks: those of the two parts below the kind, and the kinds.",
            "PICK",
            vec![
                ("firstBits", Pick::FIRST_BITS.into()),
                ("secondBits", Pick::SECOND_BITS.into()),
                ("entity", kind(Pick::Entity { lane: 0, row: 0 })),
                ("node", kind(Pick::Node(0))),
                ("value", kind(Pick::Value(0))),
                ("share", kind(Pick::Share { node: 0, value: 0 })),
                ("pair", kind(Pick::Pair { from: 0, to: 0 })),
                ("area", kind(Pick::Area(0))),
                ("community", kind(Pick::Community { phase: 0, place: 0 })),
                ("flow", kind(Pick::Flow { phase: 0, from: 0, to: 0 })),
            ],
        ),
    ];
    let mut text = String::new();
    for (comment, name, numbers) in groups {
        let numbers: Vec<String> =
            numbers.iter().map(|(name, number)| format!("  {name}: {number},\n")).collect();
        let numbers = numbers.concat();
        // Writing to a text cannot fail.
        let _ =
            write!(text, "\n/** {comment} */\nexport const {name} = {{\n{numbers}}} as const;\n");
    }
    text
}

fn kind(pick: Pick) -> u64 {
    pick.to_bits() >> (Pick::FIRST_BITS + Pick::SECOND_BITS)
}
