//! How types and values look.
//!
//! The colour of a value comes from the first that gives one: the lens, the user's remembered
//! choice, the trace, the role of the value, the palette.

use std::collections::BTreeMap;

use onca_model::{Catalog, Color, Nature, TypeId, ValueId};

use crate::{
    AppearanceSpec, Lens, Look, NamePattern, Resolver, Role, Shape,
    error::{LensError, Result},
    palette,
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
}

impl Appearance {
    /// The looks that a lens, the remembered choice and the trace give together. Patterns may name
    /// what this trace does not have.
    pub fn new(
        catalog: &Catalog,
        lens: &Lens,
        remembered: Option<&AppearanceSpec>,
    ) -> Result<Self> {
        let resolver = Resolver::new(catalog);
        let roles = roles(&resolver, catalog, lens)?;
        let mut appearance = Self::of_trace(catalog, &roles);
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

    fn of_trace(catalog: &Catalog, roles: &[Option<Role>]) -> Self {
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
        let value_names: Vec<_> = catalog
            .values
            .iter()
            .map(|def| def.name.as_slice())
            .zip(roles.iter().copied())
            .collect();
        let values = palette::assign(&value_names).into_iter().zip(&catalog.values).zip(roles);
        let values = values.map(|((color, def), role)| Style {
            color: def.color.unwrap_or(color),
            source: match (def.color, role) {
                (Some(_), _) => ColorSource::Trace,
                (None, Some(_)) => ColorSource::Role,
                (None, None) => ColorSource::Palette,
            },
            shape: shape(def.type_id),
            height: 1.0,
        });
        Self { types: types.collect(), values: values.collect() }
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
                value("given", Some(Color::rgb(1, 2, 3))),
                value("xyzzy", None),
            ],
            ..Catalog::default()
        }
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
