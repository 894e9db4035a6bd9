//! How types and values look.
//!
//! The colour of a value comes from the first that gives one: the lens, the user's remembered
//! choice, the trace, the role of the value, the palette. The trace is asked only if all colours
//! that it gives to values of states, or of events, or of links, can be told apart
//! ([`palette::alike`]), or if the lens says so. That depends on the trace alone and not on a
//! view or a window, so that a value has one colour everywhere.

use std::collections::BTreeMap;

use onca_model::{Catalog, Color, Nature, TypeId, ValueId, printable};

use crate::{
    AppearanceSpec, Lens, Look, NamePattern, Resolver, Role, Shape, TraceColors,
    error::{LensError, Result},
    palette::{self, Alike},
    scope::roles,
};

/// Who chose a colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColorSource {
    /// The lens.
    Lens,
    /// The user, for traces of this kind.
    Remembered,
    /// The trace.
    Trace,
    /// The role of the value.
    Role,
    /// The palette, by the name.
    Palette,
}

impl ColorSource {
    /// All of them, the strongest first.
    pub const ALL: [Self; 5] =
        [Self::Lens, Self::Remembered, Self::Trace, Self::Role, Self::Palette];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lens => "lens",
            Self::Remembered => "remembered",
            Self::Trace => "trace",
            Self::Role => "role",
            Self::Palette => "palette",
        }
    }
}

/// How one type or value looks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Style {
    /// Its colour.
    pub color: Color,
    /// Who chose the colour.
    pub source: ColorSource,
    /// Its mark.
    pub shape: Shape,
    /// The share of the row that it takes, from 0 to 1.
    pub height: f64,
}

/// How all types and values of a trace look.
#[derive(Clone, PartialEq, Debug)]
pub struct Appearance {
    types: Vec<Style>,
    values: Vec<Style>,
    trace_colors: TraceColors,
    unused: Option<UnusedColors>,
}

/// Colours that the trace gives and that are not used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnusedColors {
    /// What they are of: states, events or links.
    pub nature: Nature,
    /// The values that cannot be told apart; one, if it cannot be seen on what is behind.
    pub alike: Vec<ValueId>,
}

/// The colours of values in an earlier look at a trace that grows. They keep them: a colour depends on the other names,
/// and would jump when one more comes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct KeptColors {
    /// By the names of type and value.
    values: BTreeMap<(Vec<u8>, Vec<u8>), Kept>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Kept {
    color: Color,
    source: ColorSource,
    role: Option<Role>,
}

/// Among more values nobody knows one by its colour.
const MOST_KEPT: usize = 10_000;

impl KeptColors {
    /// The colours that the trace itself gives in a look, which has those of the look before.
    pub fn of(catalog: &Catalog, before: &Self) -> Result<Self> {
        let roles = roles(&Resolver::new(catalog), catalog, &Lens::clear(), |_, _| ())?;
        let appearance = Appearance::of_trace(catalog, &roles, TraceColors::default(), before);
        let mut kept = before.clone();
        for (at, def) in catalog.values.iter().enumerate().take(MOST_KEPT) {
            let Style { color, source, .. } = appearance.values[at];
            let name = (catalog.type_def(def.type_id).name.clone(), def.name.clone());
            kept.values.entry(name).or_insert(Kept { color, source, role: roles[at] });
        }
        Ok(kept)
    }

    /// The colour of a value, unless a lens has given it another role.
    fn of_value(&self, catalog: &Catalog, at: usize, role: Option<Role>) -> Option<Kept> {
        if self.values.is_empty() {
            return None;
        }
        let def = &catalog.values[at];
        let name = (catalog.type_def(def.type_id).name.clone(), def.name.clone());
        self.values.get(&name).copied().filter(|kept| kept.role == role)
    }
}

impl Appearance {
    /// The looks that a lens, the remembered choice and the trace give together. Patterns may name
    /// what this trace does not have.
    pub fn new(
        catalog: &Catalog,
        lens: &Lens,
        remembered: Option<&AppearanceSpec>,
    ) -> Result<Self> {
        Self::going_on(catalog, lens, remembered, &KeptColors::default())
    }

    /// The same for a trace that grows: values that had a colour before keep it.
    pub fn going_on(
        catalog: &Catalog,
        lens: &Lens,
        remembered: Option<&AppearanceSpec>,
        before: &KeptColors,
    ) -> Result<Self> {
        let resolver = Resolver::new(catalog);
        let roles = roles(&resolver, catalog, lens, |_, _| ())?;
        let chosen = lens.appearance.trace_colors;
        let chosen = chosen.or(remembered.and_then(|spec| spec.trace_colors)).unwrap_or_default();
        let mut appearance = Self::of_trace(catalog, &roles, chosen, before);
        if let Some(remembered) = remembered {
            appearance.apply(&resolver, remembered, ColorSource::Remembered, "remembered")?;
        }
        appearance.apply(&resolver, &lens.appearance, ColorSource::Lens, "appearance")?;
        Ok(appearance)
    }

    /// How a type looks.
    pub fn of_type(&self, id: TypeId) -> &Style {
        &self.types[id.index()]
    }

    /// How a value looks.
    pub fn of_value(&self, id: ValueId) -> &Style {
        &self.values[id.index()]
    }

    /// Whether the colours of the trace are used, as it was asked for.
    pub fn trace_colors(&self) -> TraceColors {
        self.trace_colors
    }

    /// The first colours of the trace that are not used because some look alike.
    pub fn unused_colors(&self) -> Option<&UnusedColors> {
        self.unused.as_ref()
    }

    /// Says why colours of the trace are not used, in words for a caption.
    pub fn colors_note(&self, catalog: &Catalog) -> Option<String> {
        let UnusedColors { alike, .. } = self.unused.as_ref()?;
        let name = |id: &ValueId| printable(&catalog.value(*id).name).into_owned();
        let why = match &alike[..] {
            [first, second] => format!("{} and {} look alike", name(first), name(second)),
            [one, ..] => format!("{} is lost on the page to some people", name(one)),
            [] => return None,
        };
        Some(format!("not the colours of the trace, in which {why}"))
    }

    fn of_trace(
        catalog: &Catalog,
        roles: &[Option<Role>],
        trace_colors: TraceColors,
        before: &KeptColors,
    ) -> Self {
        let (mut own, unused) = own_colors(catalog, trace_colors);
        let kept_of = |at: usize| before.of_value(catalog, at, roles[at]);
        let kept: Vec<Option<Kept>> = match trace_colors == TraceColors::default() {
            true => (0..own.len()).map(kept_of).collect(),
            false => vec![None; own.len()],
        };
        for (own, kept) in own.iter_mut().zip(&kept) {
            *own = kept.map(|kept| kept.color).or(*own);
        }
        let shape = |id: TypeId| default_shape(catalog.type_def(id).nature);
        let type_names: Vec<_> =
            catalog.types.iter().map(|def| (def.name.as_slice(), None)).collect();
        let types = palette::assign(&type_names).into_iter().zip(&catalog.types).enumerate();
        let types = types.map(|(index, (color, def))| Style {
            color: def.color.unwrap_or(color),
            source: def.color.map_or(ColorSource::Palette, |_| ColorSource::Trace),
            shape: shape(TypeId(index as u32)),
            height: 1.0,
        });
        let nature_of = |at: usize| catalog.type_def(catalog.values[at].type_id).nature;
        let without: Vec<usize> = (0..own.len()).filter(|&at| own[at].is_none()).collect();
        // Colours of events do not keep states from them; those of states keep events.
        let choosing = [Nature::State, Nature::Event, Nature::Link]
            .map(|nature| without.iter().any(|&at| nature_of(at) == nature).then_some(nature));
        let taken: Vec<Color> = (0..own.len())
            .filter(|&at| nature_of(at) == Nature::State || choosing.contains(&Some(nature_of(at))))
            .filter_map(|at| own[at])
            .collect();
        let names: Vec<_> =
            without.iter().map(|&at| (catalog.values[at].name.as_slice(), roles[at])).collect();
        let mut colors = own.clone();
        for (&at, color) in without.iter().zip(palette::assign_beside(&taken, &names)) {
            colors[at] = Some(color);
        }
        let values = catalog.values.iter().enumerate().map(|(at, def)| Style {
            color: colors[at].unwrap_or_else(|| palette::color_of(&def.name)),
            source: match (kept[at], own[at], roles[at]) {
                (Some(kept), ..) => kept.source,
                (None, Some(_), _) => ColorSource::Trace,
                (None, None, Some(_)) => ColorSource::Role,
                (None, None, None) => ColorSource::Palette,
            },
            shape: shape(def.type_id),
            height: 1.0,
        });
        Self { types: types.collect(), values: values.collect(), trace_colors, unused }
    }

    fn apply(
        &mut self,
        resolver: &Resolver<'_>,
        spec: &AppearanceSpec,
        source: ColorSource,
        part: &str,
    ) -> Result<()> {
        let types = |pattern: &str| resolver.types(pattern).unwrap_or_default();
        let values = |pattern: &str| resolver.values(pattern).unwrap_or_default();
        set(&mut self.types, &spec.types, source, &format!("{part}.types"), |pattern| {
            types(pattern).into_iter().map(TypeId::index).collect()
        })?;
        set(&mut self.values, &spec.values, source, &format!("{part}.values"), |pattern| {
            values(pattern).into_iter().map(ValueId::index).collect()
        })
    }
}

/// The colours of the trace that are used, by value, and the first that are not.
fn own_colors(
    catalog: &Catalog,
    chosen: TraceColors,
) -> (Vec<Option<Color>>, Option<UnusedColors>) {
    let mut own: Vec<Option<Color>> = catalog.values.iter().map(|def| def.color).collect();
    let mut unused = None;
    if chosen == TraceColors::Always {
        return (own, unused);
    }
    for nature in [Nature::State, Nature::Event, Nature::Link] {
        let of_nature = |at: &usize| {
            catalog.type_def(catalog.values[*at].type_id).nature == nature && own[*at].is_some()
        };
        let colored: Vec<usize> = (0..own.len()).filter(of_nature).collect();
        let colors: Vec<Color> = colored.iter().filter_map(|&at| own[at]).collect();
        let name = |at: usize| &catalog.values[colored[at]].name;
        let found = match chosen {
            TraceColors::Never => None,
            _ => palette::alike(&colors, |a, b| name(a) == name(b)),
        };
        if chosen == TraceColors::Never || found.is_some() {
            for &at in &colored {
                own[at] = None;
            }
        }
        let id = |at: usize| ValueId(colored[at] as u32);
        let alike = match found {
            None => continue,
            Some(Alike::Each(a, b)) => vec![id(a), id(b)],
            Some(Alike::Ground(a)) => vec![id(a)],
        };
        unused.get_or_insert(UnusedColors { nature, alike });
    }
    (own, unused)
}

fn set(
    styles: &mut [Style],
    looks: &BTreeMap<String, Look>,
    source: ColorSource,
    part: &str,
    find: impl Fn(&str) -> Vec<usize>,
) -> Result<()> {
    for (pattern, look) in looks {
        let unfit = |why: String| LensError::unfit(format!("{part}.{pattern}"), why);
        NamePattern::parse(pattern).map_err(unfit)?;
        let color = look.color.as_deref().map(parse_color).transpose().map_err(unfit)?;
        if let Some(height) = look.height.filter(|height| !(0.0..=1.0).contains(height)) {
            return Err(unfit(format!("a height goes from 0 to 1, not {height}")));
        }
        for index in find(pattern) {
            let style = &mut styles[index];
            if let Some(color) = color {
                (style.color, style.source) = (color, source);
            }
            style.shape = look.shape.unwrap_or(style.shape);
            style.height = look.height.unwrap_or(style.height);
        }
    }
    Ok(())
}

fn default_shape(nature: Nature) -> Shape {
    match nature {
        Nature::Container | Nature::State => Shape::Box,
        Nature::Event => Shape::Triangle,
        Nature::Variable => Shape::Area,
        Nature::Link => Shape::Arrow,
    }
}

/// Reads a colour such as `#d55e00` or `#d55e0080`.
pub fn parse_color(text: &str) -> std::result::Result<Color, String> {
    let wrong = || format!("{text:?} is no colour; write it as #d55e00");
    let digits = text.strip_prefix('#').ok_or_else(wrong)?;
    let hex = |at: usize| {
        let pair =
            digits.get(at..at + 2).filter(|pair| pair.bytes().all(|b| b.is_ascii_hexdigit()));
        u8::from_str_radix(pair.ok_or_else(wrong)?, 16).map_err(|_| wrong())
    };
    let alpha = match digits.len() {
        6 => 255,
        8 => hex(6)?,
        _ => return Err(wrong()),
    };
    Ok(Color { red: hex(0)?, green: hex(2)?, blue: hex(4)?, alpha })
}

/// A text that is the same for traces with the same type tree, whatever else is in them: a hash
/// of the natures and names of the types and of their parents, in order of their names.
pub fn type_tree_key(catalog: &Catalog) -> String {
    let mut lines: Vec<Vec<u8>> = catalog
        .types
        .iter()
        .map(|def| {
            let parent = &catalog.type_def(def.parent).name;
            [def.nature.name().as_bytes(), b"\t", &def.name, b"\t", parent, b"\n"].concat()
        })
        .collect();
    lines.sort_unstable();
    format!("{:016x}", palette::hash(&lines.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use onca_model::{TypeDef, ValueDef};

    fn catalog() -> Catalog {
        let def = |name: &str, nature| TypeDef {
            name: name.into(),
            alias: None,
            nature,
            parent: TypeId::ROOT,
            color: None,
            ends: None,
            extras: Vec::new(),
        };
        let value = |name: &str, color| ValueDef {
            type_id: TypeId(1),
            name: name.into(),
            alias: None,
            color,
            extras: Vec::new(),
        };
        Catalog {
            types: vec![def("root", Nature::Container), def("State", Nature::State)],
            values: vec![
                value("MPI_Wait", None),
                value("given", Some(Color::rgb(200, 2, 3))),
                value("xyzzy", None),
            ],
            ..Catalog::default()
        }
    }

    #[test]
    fn values_keep_their_colours_when_others_come() {
        let mut catalog = catalog();
        catalog.values.truncate(1);
        catalog.values[0].name = b"MPI_Waitall".to_vec();
        let clear = Lens::clear();
        let first = Appearance::new(&catalog, &clear, None).expect("looks");
        let kept = KeptColors::of(&catalog, &KeptColors::default()).expect("looks");
        let shorter = ValueDef { name: b"MPI_Wait".to_vec(), ..catalog.values[0].clone() };
        catalog.values.insert(0, shorter);
        let alone = Appearance::new(&catalog, &clear, None).expect("looks");
        let beside = Appearance::going_on(&catalog, &clear, None, &kept).expect("looks");
        let color = |of: &Appearance, id| of.of_value(ValueId(id)).color;
        assert_eq!(color(&alone, 0), color(&first, 0), "the shorter name takes the colour");
        assert_eq!(color(&beside, 1), color(&first, 0), "unless it is kept");
        assert_ne!(color(&beside, 0), color(&beside, 1));
        assert_eq!(beside.of_value(ValueId(1)).source, ColorSource::Role);
        // Who gives another role wants its colour.
        let other = lens(r#"{"version":1,"roles":{"MPI_Waitall":"compute"}}"#);
        let recolored = Appearance::going_on(&catalog, &other, None, &kept).expect("looks");
        assert_ne!(color(&recolored, 1), color(&first, 0));
    }

    fn lens(json: &str) -> Lens {
        Lens::from_json(json).expect("a lens")
    }

    #[test]
    fn the_first_that_gives_a_colour_has_its_way() {
        let catalog = catalog();
        let sources = |lens: &Lens, remembered: Option<&AppearanceSpec>| {
            let appearance = Appearance::new(&catalog, lens, remembered).expect("it fits");
            [0, 1, 2].map(|id| appearance.of_value(ValueId(id)).source)
        };
        use ColorSource::{Lens as L, Palette, Remembered, Role, Trace};
        assert_eq!(sources(&Lens::clear(), None), [Role, Trace, Palette]);
        let chosen =
            lens(r##"{"version":1,"appearance":{"values":{"given":{"color":"#ffffff"}}}}"##);
        assert_eq!(sources(&chosen, None), [Role, L, Palette]);
        let before = lens(r##"{"version":1,"appearance":{"values":{"*":{"color":"#000000"}}}}"##);
        assert_eq!(sources(&chosen, Some(&before.appearance)), [Remembered, L, Remembered]);
        let role = lens(r#"{"version":1,"roles":{"xyzzy":"idle"}}"#);
        assert_eq!(sources(&role, None), [Role, Trace, Role]);
    }

    #[test]
    fn colours_of_the_trace_are_used_if_they_can_be_told_apart() {
        let mut catalog = catalog();
        let blue = Color::rgb(0, 114, 178);
        let source = |catalog: &Catalog, lens: &str, id: u32| {
            let appearance = Appearance::new(catalog, &self::lens(lens), None).expect("it fits");
            let style = *appearance.of_value(ValueId(id));
            (style.source, style.color, appearance.colors_note(catalog))
        };
        let (plain, always, never) = (
            r#"{"version":1}"#,
            r#"{"version":1,"appearance":{"trace_colors":"always"}}"#,
            r#"{"version":1,"appearance":{"trace_colors":"never"}}"#,
        );
        assert_eq!(source(&catalog, plain, 1).0, ColorSource::Trace);
        assert_eq!(source(&catalog, never, 1).0, ColorSource::Palette);
        catalog.values[0].color = Some(blue);
        catalog.values[1].color = Some(blue);
        let (from, color, note) = source(&catalog, plain, 1);
        assert_eq!(from, ColorSource::Palette);
        assert_ne!(color, source(&catalog, plain, 0).1);
        assert_eq!(
            note.as_deref(),
            Some("not the colours of the trace, in which MPI_Wait and given look alike")
        );
        assert_eq!(source(&catalog, always, 1), (ColorSource::Trace, blue, None));
        // Equal names are the same to whoever reads a legend.
        catalog.values[1].name = b"MPI_Wait".to_vec();
        assert_eq!(source(&catalog, plain, 1), (ColorSource::Trace, blue, None));
    }

    #[test]
    fn what_has_no_colour_of_the_trace_gets_another_than_those() {
        let mut catalog = catalog();
        // The colour that the palette has for the third value alone.
        let liked = palette::color_of(b"xyzzy");
        catalog.values[1].color = Some(liked);
        let appearance = Appearance::new(&catalog, &Lens::clear(), None).expect("it fits");
        assert_eq!(appearance.of_value(ValueId(1)).color, liked);
        assert_ne!(appearance.of_value(ValueId(2)).color, liked);
    }

    #[test]
    fn wrong_looks_are_refused() {
        let catalog = catalog();
        for (json, what) in [
            (r##"{"version":1,"appearance":{"values":{"x":{"color":"red"}}}}"##, "no colour"),
            (r##"{"version":1,"appearance":{"types":{"x":{"height":2}}}}"##, "from 0 to 1"),
        ] {
            let error =
                Appearance::new(&catalog, &lens(json), None).expect_err("wrong").to_string();
            assert!(error.contains(what), "{error}");
        }
        assert_eq!(parse_color("#d55e0080").map(|color| color.alpha), Ok(0x80));
        assert!(parse_color("#d55e0").is_err() && parse_color("#+1+1+1").is_err());
    }

    #[test]
    fn the_key_is_that_of_the_type_tree() {
        let (one, mut other) = (catalog(), catalog());
        other.values.clear();
        assert_eq!(type_tree_key(&one), type_tree_key(&other));
        other.types[1].name = b"Other".to_vec();
        assert_ne!(type_tree_key(&one), type_tree_key(&other));
    }
}
