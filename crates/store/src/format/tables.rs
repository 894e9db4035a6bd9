//! The catalog as bytes: types, values, fields, lanes, containers, facts, diagnostics.

use onca_model::{
    Catalog, Code, Color, ContainerId, Containers, Diagnostic, Diagnostics, FieldDef, FieldKind,
    Lane, Nature, Position, Severity, Tally, TextColumn, TimeUnit, TraceFacts, TypeDef, TypeId,
    ValueDef,
};

use crate::{
    error::{Result, damaged},
    format::codec::{Reader, put_bytes, put_column, put_deltas, put_signed, put_varint},
};

pub(crate) fn encode_catalog(catalog: &Catalog) -> Vec<u8> {
    let mut out = Vec::new();
    put_facts(&mut out, &catalog.facts);
    put_list(&mut out, &catalog.types, put_type);
    put_list(&mut out, &catalog.values, put_value);
    put_list(&mut out, &catalog.fields, |out, field| {
        out.push(field.kind as u8);
        put_bytes(out, &field.name);
    });
    put_containers(&mut out, &catalog.containers);
    put_lanes(&mut out, &catalog.lanes);
    put_diagnostics(&mut out, &catalog.diagnostics);
    out
}

pub(crate) fn decode_catalog(bytes: &[u8]) -> Result<Catalog> {
    let mut reader = Reader::new(bytes);
    let facts = facts(&mut reader)?;
    let types = list(&mut reader, type_def)?;
    let values = list(&mut reader, value_def)?;
    let fields = list(&mut reader, |reader| {
        let kind = field_kind(reader.u8()?)?;
        Ok(FieldDef { kind, name: reader.bytes()?.to_vec() })
    })?;
    let containers = containers(&mut reader)?;
    let lanes = lanes(&mut reader)?;
    let diagnostics = diagnostics(&mut reader)?;
    if reader.remaining() > 0 {
        return Err(damaged("the tables are followed by something"));
    }
    let catalog = Catalog { types, values, containers, fields, lanes, facts, diagnostics };
    check_catalog(&catalog).map_err(damaged)?;
    Ok(catalog)
}

/// Checks that every id is one of the catalog, so that indexing by it cannot fail later.
pub(crate) fn check_catalog(catalog: &Catalog) -> std::result::Result<(), &'static str> {
    let is_type = |id: TypeId| id.index() < catalog.types.len();
    let n_containers = catalog.containers.len();
    if !catalog.types.iter().all(|def| {
        is_type(def.parent) && def.ends.is_none_or(|(from, to)| is_type(from) && is_type(to))
    }) {
        return Err("a type refers to no type");
    }
    if !catalog.values.iter().all(|value| is_type(value.type_id)) {
        return Err("a value refers to no type");
    }
    if !catalog.containers.types.iter().all(|&id| is_type(id)) {
        return Err("a container refers to no type");
    }
    if !catalog.containers.parents.iter().enumerate().all(|(own, id)| id.index() <= own) {
        return Err("a container comes before its parent");
    }
    if !catalog
        .lanes
        .iter()
        .all(|lane| is_type(lane.type_id) && lane.container.index() < n_containers)
    {
        return Err("a lane refers to no container or type");
    }
    Ok(())
}

fn put_list<T>(out: &mut Vec<u8>, items: &[T], put: impl Fn(&mut Vec<u8>, &T)) {
    put_varint(out, items.len() as u64);
    items.iter().for_each(|item| put(out, item));
}

fn list<T>(reader: &mut Reader<'_>, read: impl Fn(&mut Reader<'_>) -> Result<T>) -> Result<Vec<T>> {
    let n = reader.count()?;
    (0..n).map(|_| read(reader)).collect()
}

fn put_option<T>(out: &mut Vec<u8>, item: Option<T>, put: impl FnOnce(&mut Vec<u8>, T)) {
    out.push(u8::from(item.is_some()));
    if let Some(item) = item {
        put(out, item);
    }
}

fn option<T>(
    reader: &mut Reader<'_>,
    read: impl FnOnce(&mut Reader<'_>) -> Result<T>,
) -> Result<Option<T>> {
    if flag(reader)? { read(reader).map(Some) } else { Ok(None) }
}

fn flag(reader: &mut Reader<'_>) -> Result<bool> {
    match reader.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(damaged("a flag is neither 0 nor 1")),
    }
}

fn text(reader: &mut Reader<'_>) -> Result<String> {
    String::from_utf8(reader.bytes()?.to_vec()).map_err(|_| damaged("a text is not UTF-8"))
}

fn put_facts(out: &mut Vec<u8>, facts: &TraceFacts) {
    put_varint(out, facts.unit.ticks_per_unit);
    put_bytes(out, facts.unit.name.as_bytes());
    out.push(u8::from(facts.unit.assumed));
    put_signed(out, facts.start);
    put_signed(out, facts.end);
    put_option(out, facts.last_line, put_signed);
    put_varint(out, facts.records);
    put_varint(out, facts.lost);
    put_option(out, facts.producer.as_ref(), |out, name| put_bytes(out, name.as_bytes()));
    out.push(u8::from(facts.truncated));
}

fn facts(reader: &mut Reader<'_>) -> Result<TraceFacts> {
    let unit =
        TimeUnit { ticks_per_unit: reader.varint()?, name: text(reader)?, assumed: flag(reader)? };
    Ok(TraceFacts {
        unit,
        start: reader.signed()?,
        end: reader.signed()?,
        last_line: option(reader, |reader| Ok(reader.signed()?))?,
        records: reader.varint()?,
        lost: reader.varint()?,
        producer: option(reader, text)?,
        truncated: flag(reader)?,
    })
}

fn put_type(out: &mut Vec<u8>, def: &TypeDef) {
    out.push(def.nature as u8);
    put_varint(out, u64::from(def.parent.0));
    put_naming(out, &def.name, def.alias.as_deref(), def.color);
    put_option(out, def.ends, |out, (from, to)| {
        put_varint(out, u64::from(from.0));
        put_varint(out, u64::from(to.0));
    });
    put_bytes(out, &def.extras);
}

fn type_def(reader: &mut Reader<'_>) -> Result<TypeDef> {
    let nature = *Nature::ALL
        .get(usize::from(reader.u8()?))
        .ok_or_else(|| damaged("a type has no known nature"))?;
    let parent = TypeId(reader.varint_u32()?);
    let (name, alias, color) = naming(reader)?;
    let ends =
        option(reader, |reader| Ok((TypeId(reader.varint_u32()?), TypeId(reader.varint_u32()?))))?;
    Ok(TypeDef { name, alias, nature, parent, color, ends, extras: reader.bytes()?.to_vec() })
}

fn put_value(out: &mut Vec<u8>, value: &ValueDef) {
    put_varint(out, u64::from(value.type_id.0));
    put_naming(out, &value.name, value.alias.as_deref(), value.color);
    put_bytes(out, &value.extras);
}

fn value_def(reader: &mut Reader<'_>) -> Result<ValueDef> {
    let type_id = TypeId(reader.varint_u32()?);
    let (name, alias, color) = naming(reader)?;
    Ok(ValueDef { type_id, name, alias, color, extras: reader.bytes()?.to_vec() })
}

fn put_naming(out: &mut Vec<u8>, name: &[u8], alias: Option<&[u8]>, color: Option<Color>) {
    put_bytes(out, name);
    put_option(out, alias, put_bytes);
    put_option(out, color, |out, c| out.extend([c.red, c.green, c.blue, c.alpha]));
}

type Naming = (Vec<u8>, Option<Vec<u8>>, Option<Color>);

fn naming(reader: &mut Reader<'_>) -> Result<Naming> {
    let name = reader.bytes()?.to_vec();
    let alias = option(reader, |reader| Ok(reader.bytes()?.to_vec()))?;
    let color = option(reader, |reader| {
        let [red, green, blue, alpha] = reader.u32()?.to_le_bytes();
        Ok(Color { red, green, blue, alpha })
    })?;
    Ok((name, alias, color))
}

fn field_kind(code: u8) -> Result<FieldKind> {
    use FieldKind::{Color, Date, Double, Hex, Int, String};
    [String, Int, Double, Date, Hex, Color]
        .into_iter()
        .find(|kind| *kind as u8 == code)
        .ok_or_else(|| damaged("a field has no known kind"))
}

/// Containers, column by column, so that each is read in a tight loop and compresses well.
fn put_containers(out: &mut Vec<u8>, containers: &Containers) {
    put_varint(out, containers.len() as u64);
    put_deltas(out, containers.types.iter().map(|id| i64::from(id.0)));
    put_deltas(out, containers.parents.iter().map(|id| i64::from(id.0)));
    put_deltas(out, containers.starts.iter().copied());
    put_deltas(out, containers.ends.iter().copied());
    put_deltas(out, containers.destroyed.iter().map(|&destroyed| i64::from(destroyed)));
    put_texts(out, &containers.names);
    put_texts(out, &containers.aliases);
    put_texts(out, &containers.extras);
}

fn containers(reader: &mut Reader<'_>) -> Result<Containers> {
    let n = length(reader)?;
    Ok(Containers {
        types: ids(reader, n, TypeId)?,
        parents: ids(reader, n, ContainerId)?,
        starts: reader.deltas(n)?.collect(),
        ends: reader.deltas(n)?.collect(),
        destroyed: reader.deltas(n)?.map(|destroyed| destroyed != 0).collect(),
        names: texts(reader, n)?,
        aliases: texts(reader, n)?,
        extras: texts(reader, n)?,
    })
}

/// A number of rows of columns, which may take no byte each.
fn length(reader: &mut Reader<'_>) -> Result<usize> {
    Ok(reader.varint_u32()? as usize)
}

fn ids<T>(reader: &mut Reader<'_>, n: usize, make: impl Fn(u32) -> T) -> Result<Vec<T>> {
    let ids = reader.deltas(n)?.map(|id| u32::try_from(id).map(&make));
    ids.collect::<std::result::Result<_, _>>().map_err(|_| damaged("an id is too large"))
}

/// All lengths, then all texts: what they share, the compression of the pages finds.
fn put_texts(out: &mut Vec<u8>, texts: &TextColumn) {
    put_column(out, (0..texts.len()).map(|index| texts.get(index).len() as u64));
    put_bytes(out, &texts.bytes);
}

fn texts(reader: &mut Reader<'_>, n: usize) -> Result<TextColumn> {
    let mut end = 0u64;
    let ends = reader.column(n)?.map(|length| {
        end = end.wrapping_add(length);
        end
    });
    let ends: Vec<u64> = ends.collect();
    let bytes = reader.bytes()?.to_vec();
    let ascending = ends.is_sorted();
    if !ascending || ends.last().copied().unwrap_or(0) != bytes.len() as u64 {
        return Err(damaged("the lengths of names do not fit"));
    }
    Ok(TextColumn { bytes, ends })
}

fn put_lanes(out: &mut Vec<u8>, lanes: &[Lane]) {
    put_varint(out, lanes.len() as u64);
    put_deltas(out, lanes.iter().map(|lane| i64::from(lane.container.0)));
    put_deltas(out, lanes.iter().map(|lane| i64::from(lane.type_id.0)));
    put_deltas(out, lanes.iter().map(|lane| i64::from(lane.depth)));
}

fn lanes(reader: &mut Reader<'_>) -> Result<Vec<Lane>> {
    let n = length(reader)?;
    let columns = reader.deltas(n)?.zip(reader.deltas(n)?).zip(reader.deltas(n)?);
    let lane = |((container, type_id), depth): ((i64, i64), i64)| {
        Some(Lane {
            container: ContainerId(u32::try_from(container).ok()?),
            type_id: TypeId(u32::try_from(type_id).ok()?),
            depth: u16::try_from(depth).ok()?,
        })
    };
    columns.map(lane).collect::<Option<_>>().ok_or_else(|| damaged("a lane has no such id"))
}

fn put_diagnostics(out: &mut Vec<u8>, diagnostics: &Diagnostics) {
    let tallies: Vec<_> = diagnostics.iter().collect();
    put_list(out, &tallies, |out, (code, tally)| {
        put_bytes(out, code.name().as_bytes());
        out.push(tally.severity as u8);
        put_varint(out, tally.count);
        put_list(out, &tally.samples, put_sample);
    });
}

fn put_sample(out: &mut Vec<u8>, sample: &Diagnostic) {
    out.push(sample.severity as u8);
    put_varint(out, u64::from(sample.position.part));
    put_varint(out, sample.position.line);
    put_varint(out, u64::from(sample.position.column));
    put_option(out, sample.position.offset, put_varint);
    put_bytes(out, sample.message.as_bytes());
    put_option(out, sample.hint.as_ref(), |out, hint| put_bytes(out, hint.as_bytes()));
}

fn diagnostics(reader: &mut Reader<'_>) -> Result<Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    for _ in 0..reader.count()? {
        let code = Code::from_name(&text(reader)?)
            .ok_or_else(|| damaged("a diagnostic has no known code"))?;
        let severity = severity(reader.u8()?)?;
        let count = reader.varint()?;
        let samples = list(reader, |reader| sample(reader, code))?;
        diagnostics.restore(code, Tally { severity, count, samples });
    }
    Ok(diagnostics)
}

fn sample(reader: &mut Reader<'_>, code: Code) -> Result<Diagnostic> {
    let severity = severity(reader.u8()?)?;
    let position = Position {
        part: reader.varint_u32()?,
        line: reader.varint()?,
        column: reader.varint_u32()?,
        offset: option(reader, |reader| Ok(reader.varint()?))?,
    };
    let message = text(reader)?;
    Ok(Diagnostic { code, severity, position, message, hint: option(reader, text)? })
}

fn severity(code: u8) -> Result<Severity> {
    [Severity::Note, Severity::Warning, Severity::Error, Severity::Fatal]
        .into_iter()
        .find(|severity| *severity as u8 == code)
        .ok_or_else(|| damaged("a diagnostic has no known severity"))
}
