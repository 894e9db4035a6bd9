//! The tables of what a trace declares: containers, types, their values, diagnostics.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt32Array,
    UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use onca_model::{ContainerId, Diagnostic, Tally, TypeDef, TypeId, ValueDef, display_text};
use onca_store::{BlockExtent, SourceFile, StoreError};

use crate::columns::Column;
use crate::extras::ExtraColumns;
use crate::names::name_type;
use crate::table::{Collect, Table};
use crate::trace::Trace;

/// Rows of a block, so that the table of a million containers is streamed as well.
const BLOCK_ROWS: usize = 8192;

/// A column and how to make some rows of it.
#[derive(Clone, Debug)]
struct CatalogColumn {
    field: Field,
    make: Make,
}

#[derive(Clone, Copy, Debug)]
enum Make {
    Rows(fn(&Trace, Range<usize>) -> Result<ArrayRef, ArrowError>),
    /// The extra field with this number, of containers.
    Extra(usize),
}

/// A table over the catalog of a trace.
#[derive(Debug)]
pub struct CatalogTable {
    trace: Arc<Trace>,
    name: &'static str,
    columns: Vec<CatalogColumn>,
    schema: SchemaRef,
    n_rows: usize,
}

type MakeRows = fn(&Trace, Range<usize>) -> Result<ArrayRef, ArrowError>;

fn column(name: &str, data_type: DataType, nullable: bool, make: MakeRows) -> CatalogColumn {
    CatalogColumn { field: Field::new(name, data_type, nullable), make: Make::Rows(make) }
}

impl CatalogTable {
    fn new(
        trace: Arc<Trace>,
        name: &'static str,
        columns: Vec<CatalogColumn>,
        n_rows: usize,
    ) -> Self {
        let fields: Vec<Field> = columns.iter().map(|column| column.field.clone()).collect();
        Self { trace, name, columns, schema: Arc::new(Schema::new(fields)), n_rows }
    }

    /// The container tree.
    pub fn containers(trace: Arc<Trace>) -> Self {
        use DataType::{Boolean, Float64, Int64, UInt32, Utf8};
        let mut columns = vec![
            column("id", UInt32, false, |_, rows| ids(rows)),
            column("parent_id", UInt32, true, container_parents),
            column("name", name_type(), false, container_names),
            column("alias", Utf8, true, container_aliases),
            column("type", name_type(), false, container_types),
            column("path", Utf8, true, container_paths),
            column("depth", UInt32, false, container_depths),
            column("t_start", Float64, false, |trace, rows| {
                units(trace, &trace.catalog().containers.starts[rows])
            }),
            column("t_end", Float64, false, |trace, rows| {
                units(trace, &trace.catalog().containers.ends[rows])
            }),
            column("tick_start", Int64, false, |trace, rows| {
                let starts = trace.catalog().containers.starts[rows].to_vec();
                Ok(Arc::new(Int64Array::from(starts)))
            }),
            column("tick_end", Int64, false, |trace, rows| {
                let ends = trace.catalog().containers.ends[rows].to_vec();
                Ok(Arc::new(Int64Array::from(ends)))
            }),
            column("destroyed", Boolean, false, |trace, rows| {
                let destroyed = trace.catalog().containers.destroyed[rows].to_vec();
                Ok(Arc::new(BooleanArray::from(destroyed)))
            }),
        ];
        columns.extend(trace.extras.iter().enumerate().map(|(index, extra)| CatalogColumn {
            field: Field::new(&extra.column, extra.data_type(), true),
            make: Make::Extra(index),
        }));
        let n_rows = trace.catalog().containers.len();
        Self::new(trace, "containers", columns, n_rows)
    }

    /// The type tree.
    pub fn types(trace: Arc<Trace>) -> Self {
        use DataType::{UInt32, Utf8};
        let columns = vec![
            column("id", UInt32, false, |_, rows| ids(rows)),
            column("parent_id", UInt32, true, |trace, rows| {
                let parents = rows.map(|index| parent_type(trace, index).map(|id| id.0));
                Ok(Arc::new(parents.collect::<UInt32Array>()))
            }),
            column("name", Utf8, false, |trace, rows| {
                texts_of_types(trace, rows, |_, def| Some(display_text(&def.name).into_owned()))
            }),
            column("alias", Utf8, true, |trace, rows| {
                texts_of_types(trace, rows, |_, def| {
                    def.alias.as_ref().map(|alias| display_text(alias).into_owned())
                })
            }),
            column("nature", Utf8, false, |trace, rows| {
                texts_of_types(trace, rows, |_, def| Some(def.nature.name().to_owned()))
            }),
            column("color", Utf8, true, |trace, rows| {
                texts_of_types(trace, rows, |_, def| def.color.map(|color| color.to_string()))
            }),
            column("source_type", Utf8, true, |trace, rows| {
                texts_of_types(trace, rows, |trace, def| Some(type_name(trace, def.ends?.0)))
            }),
            column("destination_type", Utf8, true, |trace, rows| {
                texts_of_types(trace, rows, |trace, def| Some(type_name(trace, def.ends?.1)))
            }),
        ];
        let n_rows = trace.catalog().types.len();
        Self::new(trace, "types", columns, n_rows)
    }

    /// What states, links and events can be: the values of types, in the order of the catalog.
    pub fn type_values(trace: Arc<Trace>) -> Self {
        use DataType::{UInt32, Utf8};
        let columns = vec![
            column("type_id", UInt32, false, |trace, rows| {
                let types = trace.catalog().values[rows].iter().map(|value| value.type_id.0);
                Ok(Arc::new(UInt32Array::from_iter_values(types)))
            }),
            column("type", Utf8, false, |trace, rows| {
                texts_of_values(trace, rows, |value| Some(type_name(trace, value.type_id)))
            }),
            column("nature", Utf8, false, |trace, rows| {
                texts_of_values(trace, rows, |value| {
                    Some(trace.catalog().type_def(value.type_id).nature.name().to_owned())
                })
            }),
            column("value", Utf8, false, |trace, rows| {
                texts_of_values(trace, rows, |value| Some(display_text(&value.name).into_owned()))
            }),
            column("color", Utf8, true, |trace, rows| {
                texts_of_values(trace, rows, |value| value.color.map(|color| color.to_string()))
            }),
        ];
        let n_rows = trace.catalog().values.len();
        Self::new(trace, "type_values", columns, n_rows)
    }

    /// What is wrong with the source: the problems of which a sample was kept.
    pub fn diagnostics(trace: Arc<Trace>) -> Self {
        use DataType::{UInt32, UInt64, Utf8};
        let columns = vec![
            column("code", Utf8, false, |trace, rows| {
                texts_of_problems(trace, rows, |_, problem| Some(problem.code.name().to_owned()))
            }),
            column("severity", Utf8, false, |trace, rows| {
                texts_of_problems(trace, rows, |_, problem| {
                    Some(problem.severity.name().to_owned())
                })
            }),
            column("count", UInt64, false, |trace, rows| {
                let counts = problems(trace, rows).map(|(_, tally)| tally.count);
                Ok(Arc::new(UInt64Array::from_iter_values(counts)))
            }),
            column("file", Utf8, true, |trace, rows| {
                texts_of_problems(trace, rows, |trace, problem| {
                    let file = trace.store.source().files.get(problem.position.part as usize);
                    file.map(SourceFile::location).map(|path| path.display().to_string())
                })
            }),
            column("line", UInt64, true, |trace, rows| {
                let lines = problems(trace, rows).map(|(problem, _)| problem.position.line);
                let known = |line: u64| (line > 0).then_some(line);
                Ok(Arc::new(lines.map(known).collect::<UInt64Array>()))
            }),
            column("column", UInt32, true, |trace, rows| {
                let columns = problems(trace, rows).map(|(problem, _)| problem.position.column);
                let known = |column: u32| (column > 0).then_some(column);
                Ok(Arc::new(columns.map(known).collect::<UInt32Array>()))
            }),
            column("byte_offset", UInt64, true, |trace, rows| {
                let offsets = problems(trace, rows).map(|(problem, _)| problem.position.offset);
                Ok(Arc::new(offsets.collect::<UInt64Array>()))
            }),
            column("message", Utf8, false, |trace, rows| {
                texts_of_problems(trace, rows, |_, problem| Some(problem.message.clone()))
            }),
            column("hint", Utf8, true, |trace, rows| {
                texts_of_problems(trace, rows, |_, problem| problem.hint.clone())
            }),
        ];
        let n_rows = trace.catalog().diagnostics.iter().map(|(_, tally)| tally.samples.len()).sum();
        Self::new(trace, "diagnostics", columns, n_rows)
    }
}

impl Table for CatalogTable {
    fn name(&self) -> &'static str {
        self.name
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn lanes(&self) -> Vec<u32> {
        vec![0]
    }

    fn blocks(&self, _: u32) -> Box<dyn Iterator<Item = BlockExtent> + '_> {
        Box::new((0..self.n_rows).step_by(BLOCK_ROWS).map(|start| BlockExtent {
            first: i64::MIN,
            last: i64::MAX,
            rows_before: start as u64,
            n_rows: (self.n_rows - start).min(BLOCK_ROWS) as u32,
        }))
    }

    fn collect(&self, projection: &[usize]) -> Box<dyn Collect> {
        let columns = projection.iter().map(|&index| self.columns[index].clone()).collect();
        let trace = Arc::clone(&self.trace);
        Box::new(CatalogCollector { trace, columns, end: self.n_rows, rows: 0..0 })
    }

    fn column(&self, _: usize) -> Option<Column> {
        None
    }

    fn lane_batch(&self, _: &[u32]) -> Result<RecordBatch, ArrowError> {
        Ok(RecordBatch::new_empty(Arc::new(Schema::empty())))
    }
}

/// Collects consecutive rows.
struct CatalogCollector {
    trace: Arc<Trace>,
    columns: Vec<CatalogColumn>,
    /// One past the last row of the table.
    end: usize,
    rows: Range<usize>,
}

impl Collect for CatalogCollector {
    fn add(&mut self, _: u32, block: u32) -> Result<(), StoreError> {
        let start = block as usize * BLOCK_ROWS;
        if self.rows.is_empty() {
            self.rows = start..start;
        }
        self.rows.end = (start + BLOCK_ROWS).min(self.end);
        Ok(())
    }

    fn n_rows(&self) -> usize {
        self.rows.len()
    }

    fn finish(&mut self) -> Result<Vec<ArrayRef>, ArrowError> {
        let rows = std::mem::take(&mut self.rows);
        let wanted = self.columns.iter().filter_map(|column| match column.make {
            Make::Extra(index) => Some(index),
            Make::Rows(_) => None,
        });
        let mut extras = ExtraColumns::new(&self.trace.extras, wanted);
        if !extras.is_empty() {
            let packed = &self.trace.catalog().containers.extras;
            rows.clone().for_each(|row| extras.append(packed.get(row)));
        }
        let mut extras = extras.finish().into_iter();
        let arrays = self.columns.iter().map(|column| match column.make {
            Make::Rows(make) => make(&self.trace, rows.clone()),
            Make::Extra(_) => extras.next().ok_or_else(|| {
                ArrowError::InvalidArgumentError("an extra field was not collected".into())
            }),
        });
        arrays.collect()
    }
}

fn ids(rows: Range<usize>) -> Result<ArrayRef, ArrowError> {
    Ok(Arc::new(UInt32Array::from_iter_values(rows.map(|index| index as u32))))
}

fn units(trace: &Trace, ticks: &[i64]) -> Result<ArrayRef, ArrowError> {
    Ok(Arc::new(Float64Array::from(trace.units(ticks))))
}

// Containers

fn container_parents(trace: &Trace, rows: Range<usize>) -> Result<ArrayRef, ArrowError> {
    let parents = &trace.catalog().containers.parents;
    let above = |index: usize| Some(parents[index].0).filter(|&parent| parent as usize != index);
    Ok(Arc::new(rows.map(above).collect::<UInt32Array>()))
}

fn container_names(trace: &Trace, rows: Range<usize>) -> Result<ArrayRef, ArrowError> {
    let names = trace.names.containers(trace.catalog());
    names.column(rows.map(|index| names.key(index as u32)).collect(), None)
}

fn container_aliases(trace: &Trace, rows: Range<usize>) -> Result<ArrayRef, ArrowError> {
    let aliases = &trace.catalog().containers.aliases;
    let alias = |index: usize| match aliases.get(index) {
        b"" => None,
        alias => Some(display_text(alias)),
    };
    Ok(Arc::new(rows.map(alias).collect::<StringArray>()))
}

fn container_types(trace: &Trace, rows: Range<usize>) -> Result<ArrayRef, ArrowError> {
    let catalog = trace.catalog();
    let names = trace.names.types(catalog);
    let keys = catalog.containers.types[rows].iter().map(|id| names.key(id.0)).collect();
    names.column(keys, None)
}

fn container_paths(trace: &Trace, rows: Range<usize>) -> Result<ArrayRef, ArrowError> {
    let path = |index: usize| trace.tree().path(trace.catalog(), ContainerId(index as u32));
    Ok(Arc::new(rows.map(path).collect::<StringArray>()))
}

fn container_depths(trace: &Trace, rows: Range<usize>) -> Result<ArrayRef, ArrowError> {
    let depth = |index: usize| trace.tree().depth(ContainerId(index as u32));
    Ok(Arc::new(rows.map(depth).collect::<UInt32Array>()))
}

// Types

fn texts_of_types(
    trace: &Trace,
    rows: Range<usize>,
    text: impl Fn(&Trace, &TypeDef) -> Option<String>,
) -> Result<ArrayRef, ArrowError> {
    let types = trace.catalog().types[rows].iter();
    Ok(Arc::new(types.map(|def| text(trace, def)).collect::<StringArray>()))
}

fn texts_of_values(
    trace: &Trace,
    rows: Range<usize>,
    text: impl Fn(&ValueDef) -> Option<String>,
) -> Result<ArrayRef, ArrowError> {
    let values = trace.catalog().values[rows].iter();
    Ok(Arc::new(values.map(text).collect::<StringArray>()))
}

fn parent_type(trace: &Trace, index: usize) -> Option<TypeId> {
    let parent = trace.catalog().types[index].parent;
    (parent.index() != index).then_some(parent)
}

fn type_name(trace: &Trace, id: TypeId) -> String {
    display_text(&trace.catalog().type_def(id).name).into_owned()
}

// Diagnostics

fn problems(trace: &Trace, rows: Range<usize>) -> impl Iterator<Item = (&Diagnostic, &Tally)> {
    let tallies = trace.catalog().diagnostics.iter();
    let all =
        tallies.flat_map(|(_, tally)| tally.samples.iter().map(move |sample| (sample, tally)));
    all.skip(rows.start).take(rows.len())
}

fn texts_of_problems(
    trace: &Trace,
    rows: Range<usize>,
    text: impl Fn(&Trace, &Diagnostic) -> Option<String>,
) -> Result<ArrayRef, ArrowError> {
    let texts = problems(trace, rows).map(|(problem, _)| text(trace, problem));
    Ok(Arc::new(texts.collect::<StringArray>()))
}
