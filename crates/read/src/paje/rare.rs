//! Records that define, create and destroy.

use onca_model::{Code, Color, Nature, printable};

use super::color::parse_color;
use super::decode::{Decoder, Fields, Line};
use super::event::Effect;
use super::layout::{ABSENT, Layout};
use crate::batch::{Batch, CreateRecord, Op, Rare, Record, Role, TypeRecord, ValueRecord};

impl Decoder<'_> {
    /// Definitions, creations and the like.
    #[inline(never)]
    pub fn rare(&mut self, fields: Fields<'_>, line: Line, layout: &Layout, batch: &mut Batch) {
        let mut time = 0;
        if layout.has(Role::Time) {
            match self.time(fields, line, layout, batch) {
                Some(ticks) => time = ticks,
                None => return,
            }
        } else {
            batch.last_line = Some(None);
        }
        let rare = match layout.event.effect {
            Effect::DefineType(nature) => self.define_type(nature, fields, line, layout, batch),
            Effect::DefineValue => self.define_value(fields, line, layout, batch),
            Effect::Create => self.create(fields, layout, batch),
            Effect::Destroy => {
                let type_ = fields.tokens[layout.column(Role::Type) + 1];
                Rare::Destroy {
                    container: self
                        .symbols
                        .containers
                        .intern(fields.text(layout.column(Role::Name))),
                    type_symbol: self.types.get(fields.text, type_, &self.symbols.types),
                }
            }
            Effect::TraceFile => {
                Rare::Part { file: batch.keep(fields.text(layout.column(Role::File))) }
            }
            Effect::User => Rare::UserEvent { name: self.symbols.values.intern(&layout.name) },
            Effect::Timed(_) | Effect::Ignored => Rare::Ignored,
            Effect::Unknown => {
                batch.n_lost += 1;
                return;
            }
        };
        let has_extras = self.extras(fields, layout, batch);
        let value = batch.rare.len() as u32;
        batch.rare.push(rare);
        batch.records.push(Record {
            time,
            at: line.start,
            pair: 0,
            value,
            op: Op::Rare,
            has_extras,
        });
    }

    fn define_type(
        &mut self,
        nature: Nature,
        fields: Fields<'_>,
        line: Line,
        layout: &Layout,
        batch: &mut Batch,
    ) -> Rare {
        let name = fields.text(layout.column(Role::Name));
        let alias = alias(fields, layout);
        let types = &self.symbols.types;
        let symbol = |role| types.intern(fields.text(layout.column(role)));
        let ends = (nature == Nature::Link)
            .then(|| (symbol(Role::StartContainerType), symbol(Role::EndContainerType)));
        Rare::Type(TypeRecord {
            nature,
            name: batch.keep(name),
            has_alias: alias.is_some(),
            identifier: types.intern(alias.unwrap_or(name)),
            parent: symbol(Role::Type),
            ends,
            color: self.color(fields, line, layout, batch),
        })
    }

    fn define_value(
        &mut self,
        fields: Fields<'_>,
        line: Line,
        layout: &Layout,
        batch: &mut Batch,
    ) -> Rare {
        let name = fields.text(layout.column(Role::Name));
        let alias = alias(fields, layout);
        Rare::Value(ValueRecord {
            name: batch.keep(name),
            has_alias: alias.is_some(),
            identifier: self.symbols.values.intern(alias.unwrap_or(name)),
            type_symbol: self.symbols.types.intern(fields.text(layout.column(Role::Type))),
            color: self.color(fields, line, layout, batch),
        })
    }

    fn create(&mut self, fields: Fields<'_>, layout: &Layout, batch: &mut Batch) -> Rare {
        let name = fields.text(layout.column(Role::Name));
        let alias = alias(fields, layout);
        let part = layout.part_column.and_then(|(column, by_name)| {
            let file = fields.get(column)?;
            (!file.is_empty() && (by_name || file.ends_with(b".ept"))).then(|| batch.keep(file))
        });
        let token = |role| fields.tokens[layout.column(role) + 1];
        let (type_, parent) = (token(Role::Type), token(Role::Container));
        Rare::Create(CreateRecord {
            name: batch.keep(name),
            alias: alias.map(|alias| batch.keep(alias)),
            identifier: self.symbols.containers.intern(alias.unwrap_or(name)),
            type_symbol: self.types.get(fields.text, type_, &self.symbols.types),
            parent: self.containers.get(fields.text, parent, &self.symbols.containers),
            part,
        })
    }

    fn color(
        &mut self,
        fields: Fields<'_>,
        line: Line,
        layout: &Layout,
        batch: &mut Batch,
    ) -> Option<Color> {
        let column = layout.column(Role::Color);
        let text = fields.get(column).filter(|_| column != usize::from(ABSENT))?;
        let color = parse_color(text);
        if color.is_none() {
            let at = fields.tokens[column + 1].start;
            self.problem(batch, line, at, Code::BadColor, || {
                let hint = "three numbers from 0 to 1, such as \"1 0.5 0\"".to_owned();
                (format!("\"{}\" is not a colour", printable(text)), Some(hint))
            });
        }
        color
    }
}

/// The alias of a definition; poti writes `(null)` for none.
fn alias<'a>(fields: Fields<'a>, layout: &Layout) -> Option<&'a [u8]> {
    let column = layout.column(Role::Alias);
    let alias = fields.get(column).filter(|_| column != usize::from(ABSENT))?;
    (!alias.is_empty() && alias != b"(null)").then_some(alias)
}
