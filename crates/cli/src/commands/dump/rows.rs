//! The written form of a row.

use std::io::{self, Write};

use onca_answer::wire::ExtraJson;
use onca_model::{Catalog, Container, Ticks, csv_field, display_text, extra_fields};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{Dump, DumpError, Form, Kind};

/// A column of a row.
pub(super) enum Cell<'a> {
    Name(&'a [u8]),
    Time(Option<Ticks>),
    Depth(usize),
    Number(f64),
}

impl<W: Write> Dump<'_, W> {
    pub(super) fn row(
        &mut self,
        kind: Kind,
        cells: &[Cell<'_>],
        extras: &[u8],
    ) -> Result<(), DumpError> {
        if self.form == Form::Json {
            return self.json_row(kind, cells, extras);
        }
        self.out.write_all(kind.columns().0.as_bytes())?;
        for cell in cells {
            self.out.write_all(b", ")?;
            self.cell(cell)?;
        }
        self.extras(extras)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }

    fn cell(&mut self, cell: &Cell<'_>) -> io::Result<()> {
        match *cell {
            Cell::Name(name) => match self.form {
                Form::Exact { safe } => self.out.write_all(&csv_field(name, safe)),
                _ => self.out.write_all(name),
            },
            Cell::Time(None) => self.out.write_all(b"?"),
            Cell::Time(Some(time)) if self.form == Form::Compatible => {
                write!(self.out, "{:.9}", self.catalog.facts.unit.units(time))
            }
            Cell::Time(Some(time)) => {
                self.out.write_all(self.catalog.facts.unit.format(time).as_bytes())
            }
            Cell::Depth(depth) if self.form == Form::Compatible => {
                write!(self.out, "{depth}.000000000")
            }
            Cell::Depth(depth) => write!(self.out, "{depth}"),
            Cell::Number(number) if self.form == Form::Compatible => {
                self.out.write_all(nine_decimals(number).as_bytes())
            }
            Cell::Number(number) => write!(self.out, "{number}"),
        }
    }

    fn extras(&mut self, packed: &[u8]) -> io::Result<()> {
        for extra in extra_fields(packed) {
            if self.form == Form::Compatible {
                // pj_dump knows these names, and therefore does not print their values.
                let name = self.catalog.field_name(extra.field);
                let known = matches!(&*name, b"File" | b"Line" | b"Filename");
                if known || extra.field.surplus_number().is_some() {
                    continue;
                }
            }
            self.out.write_all(b", ")?;
            self.cell(&Cell::Name(extra.text))?;
        }
        Ok(())
    }

    fn json_row(&mut self, kind: Kind, cells: &[Cell<'_>], extras: &[u8]) -> Result<(), DumpError> {
        let row = RowJson { catalog: self.catalog, kind, cells, extras };
        serde_json::to_writer(&mut self.out, &row).map_err(io::Error::from)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }

    /// Containers have six significant digits, whatever is asked for.
    pub(super) fn compatible_container(
        &mut self,
        parent: &[u8],
        type_name: &[u8],
        start: Ticks,
        end: Option<Ticks>,
        container: Container<'_>,
    ) -> Result<(), DumpError> {
        let unit = &self.catalog.facts.unit;
        let start = unit.units(start);
        let end = end.map_or(-1.0, |end| unit.units(end));
        self.out.write_all(b"Container, ")?;
        self.out.write_all(parent)?;
        self.out.write_all(b", ")?;
        self.out.write_all(type_name)?;
        write!(
            self.out,
            ", {}, {}, {}, ",
            six_digits(start),
            six_digits(end),
            six_digits(end - start)
        )?;
        self.out.write_all(container.name)?;
        self.extras(container.extras)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }
}

/// A row as an object, with a field for each column; times are in units and in ticks.
struct RowJson<'a> {
    catalog: &'a Catalog,
    kind: Kind,
    cells: &'a [Cell<'a>],
    /// Packed.
    extras: &'a [u8],
}

impl Serialize for RowJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (name, columns) = self.kind.columns();
        let mut row = serializer.serialize_map(None)?;
        row.serialize_entry("kind", &name.to_lowercase())?;
        for (column, cell) in columns.iter().zip(self.cells) {
            match *cell {
                Cell::Name(name) => row.serialize_entry(column, &display_text(name))?,
                Cell::Time(time) => {
                    let unit = &self.catalog.facts.unit;
                    row.serialize_entry(column, &time.map(|time| unit.units(time)))?;
                    row.serialize_entry(&format_args!("{column}_ticks"), &time)?;
                }
                Cell::Depth(depth) => row.serialize_entry(column, &depth)?,
                Cell::Number(number) => row.serialize_entry(column, &number)?,
            }
        }
        // A list: both halves of a link may have a field of one name.
        let extras = ExtraJson::list(self.catalog, self.extras);
        if !extras.is_empty() {
            row.serialize_entry("extras", &extras)?;
        }
        row.end()
    }
}

/// C's `%.9f`.
fn nine_decimals(number: f64) -> String {
    if number.is_nan() {
        return if number.is_sign_negative() { "-nan" } else { "nan" }.to_owned();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-inf" } else { "inf" }.to_owned();
    }
    format!("{number:.9}")
}

/// C's `%g`: six significant digits, trailing zeros removed.
fn six_digits(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{number:.5e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..6).contains(&exponent) {
        let decimals = (5 - exponent).max(0) as usize;
        return trimmed(&format!("{number:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_digits_are_those_of_c() {
        for (number, text) in [
            (0.0, "0"),
            (4.485137, "4.48514"),
            (1234567890.0, "1.23457e+09"),
            (0.000001234, "1.234e-06"),
            (446.744123, "446.744"),
            (10.0, "10"),
            (999999.5, "1e+06"),
            (0.0001, "0.0001"),
            (-1.0, "-1"),
            (100000.0, "100000"),
        ] {
            assert_eq!(six_digits(number), text, "{number}");
        }
    }
}
