//! Extra fields of records as columns.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_schema::DataType;
use onca_model::{Catalog, FieldId, FieldKind, display_text, extra_fields};

/// A declared extra field and the column that shows it.
#[derive(Debug)]
pub struct ExtraField {
    /// Its column: `x_` and the name in lower case.
    pub column: String,
    kind: FieldKind,
}

impl ExtraField {
    /// The fields that a trace declares, in that order: the number of a field is its id.
    pub fn all(catalog: &Catalog) -> Vec<Self> {
        let mut taken = HashSet::new();
        let fields = catalog.fields.iter().map(|field| {
            let plain = column_name(&field.name);
            let numbered = (2u32..).map(|number| format!("{plain}_{number}"));
            let free =
                std::iter::once(plain.clone()).chain(numbered).find(|name| !taken.contains(name));
            let column = free.unwrap_or(plain);
            taken.insert(column.clone());
            Self { column, kind: field.kind }
        });
        fields.collect()
    }

    /// The type of its column. A declared type is only a hint, so a text that does not fit it is
    /// a null there; hexadecimal numbers and colours stay texts.
    pub fn data_type(&self) -> DataType {
        match self.kind {
            FieldKind::Int => DataType::Int64,
            FieldKind::Double | FieldKind::Date => DataType::Float64,
            FieldKind::String | FieldKind::Hex | FieldKind::Color => DataType::Utf8,
        }
    }

    fn builder(&self) -> Builder {
        match self.data_type() {
            DataType::Int64 => Builder::Int(Int64Builder::new()),
            DataType::Float64 => Builder::Float(Float64Builder::new()),
            _ => Builder::Text(StringBuilder::new()),
        }
    }
}

/// `x_` and the name in lower case, with an underscore for everything that SQL would want quoted.
fn column_name(name: &[u8]) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
    let name: String = display_text(name).chars().flat_map(char::to_lowercase).map(plain).collect();
    format!("x_{name}")
}

enum Builder {
    Int(Int64Builder),
    Float(Float64Builder),
    Text(StringBuilder),
}

impl Builder {
    fn append(&mut self, text: Option<&[u8]>) {
        match self {
            Self::Int(builder) => builder.append_option(text.and_then(parsed)),
            Self::Float(builder) => builder.append_option(text.and_then(parsed)),
            Self::Text(builder) => builder.append_option(text.map(display_text)),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Int(builder) => Arc::new(builder.finish()),
            Self::Float(builder) => Arc::new(builder.finish()),
            Self::Text(builder) => Arc::new(builder.finish()),
        }
    }
}

fn parsed<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}

/// Collects the columns of some extra fields.
pub(crate) struct ExtraColumns {
    /// For each column its field.
    wanted: Vec<(FieldId, Builder)>,
}

impl ExtraColumns {
    /// Columns for the fields with these numbers.
    pub fn new(fields: &[ExtraField], wanted: impl Iterator<Item = usize>) -> Self {
        let wanted = wanted.map(|index| (FieldId(index as u32), fields[index].builder()));
        Self { wanted: wanted.collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Appends a row. Where a field is given twice the first counts.
    pub fn append(&mut self, packed: &[u8]) {
        for (field, builder) in &mut self.wanted {
            let found = extra_fields(packed).find(|extra| extra.field == *field);
            builder.append(found.map(|extra| extra.text));
        }
    }

    /// The columns in the order in which they were asked for.
    pub fn finish(&mut self) -> Vec<ArrayRef> {
        self.wanted.iter_mut().map(|(_, builder)| builder.finish()).collect()
    }
}
