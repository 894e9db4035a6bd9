//! The line of source that made an entity.

use onca_model::{Catalog, FieldId, display_text, extra_fields};

/// What fields that hold a file are called, in lower case.
const FILES: [&[u8]; 7] =
    [b"file", b"filename", b"fname", b"source_file", b"sourcefile", b"src_file", b"source"];
/// What fields that hold the number of a line are called.
const LINES: [&[u8]; 8] = [
    b"line",
    b"lineno",
    b"linenumber",
    b"line_number",
    b"lnumber",
    b"source_line",
    b"sourceline",
    b"src_line",
];

/// A line of source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLine {
    /// The file, as the trace names it.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
}

/// The extra fields of a trace that tell a line of source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFields {
    files: Vec<FieldId>,
    lines: Vec<FieldId>,
}

impl SourceFields {
    /// Finds them by their names.
    pub fn new(catalog: &Catalog) -> Self {
        let named = |names: &[&[u8]]| {
            let is_named = |name: &[u8]| names.contains(&name.to_ascii_lowercase().as_slice());
            let fields = catalog.fields.iter().enumerate();
            let fields = fields.filter(|(_, field)| is_named(&field.name));
            fields.map(|(id, _)| FieldId(id as u32)).collect()
        };
        Self { files: named(&FILES), lines: named(&LINES) }
    }

    /// Can anything in the trace tell a line?
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() || self.lines.is_empty()
    }

    /// The line that the extra fields of an entity tell, or else those of its value.
    pub fn line(&self, own: &[u8], of_value: &[u8]) -> Option<SourceLine> {
        [own, of_value].into_iter().find_map(|packed| {
            let text = |ids: &[FieldId]| {
                extra_fields(packed).find(|extra| ids.contains(&extra.field)).map(|e| e.text)
            };
            let file = display_text(text(&self.files)?).into_owned();
            let line = display_text(text(&self.lines)?).trim().parse().ok()?;
            (!file.is_empty()).then_some(SourceLine { file, line })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onca_model::{FieldDef, FieldKind, push_extra};

    #[test]
    fn fields_of_several_producers_tell_lines() {
        for (file, line) in [
            ("FileName", "LineNumber"),
            ("File", "Line"),
            ("Filename", "line_number"),
            ("Fname", "Lnumber"),
        ] {
            let field = |name: &str| FieldDef { name: name.into(), kind: FieldKind::String };
            let fields = vec![field("Size"), field(file), field(line)];
            let known = SourceFields::new(&Catalog { fields, ..Catalog::default() });
            let mut packed = Vec::new();
            for (id, text) in [(0, "7"), (1, "source.c"), (2, "12")] {
                push_extra(&mut packed, FieldId(id), text.as_bytes());
            }
            let expected = SourceLine { file: "source.c".to_owned(), line: 12 };
            assert_eq!(known.line(&packed, b""), Some(expected), "{file}");
        }
    }
}
