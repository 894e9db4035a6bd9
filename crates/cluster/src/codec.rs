//! Plans on their way to other processes. What the engine does not know how to write are our tables
//! and functions: each is written as the address of its data sets.

use std::sync::Arc;

use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::ipc::reader::StreamReader;
use datafusion::arrow::ipc::writer::StreamWriter;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::catalog::TableProvider;
use datafusion::common::{Result, TableReference, exec_err, plan_err};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{AggregateUDF, Extension, LogicalPlan, ScalarUDF, WindowUDF};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use onca_sql::{PortableTable, address_of_function, function_of, table_of_rows, table_of_sets};

use crate::known;

/// How a table is told: a letter, and what belongs to it.
const OF_SETS: u8 = b'S';
const OF_STATES: u8 = b'T';
const OF_ROWS: u8 = b'R';

/// Logical plans: from the one who asks to the scheduler.
#[derive(Debug, Default)]
pub struct LogicalCodec(BallistaLogicalExtensionCodec);

/// Physical plans: from the scheduler to the executors.
#[derive(Debug, Default)]
pub struct PhysicalCodec(BallistaPhysicalExtensionCodec);

fn write_table(table: &dyn TableProvider, to: &mut Vec<u8>) -> Result<()> {
    match PortableTable::of(table) {
        Some(PortableTable::Set { address, name, has_types }) => {
            to.push(if has_types { OF_STATES } else { OF_SETS });
            to.extend_from_slice(format!("{name} {address}").as_bytes());
            Ok(())
        }
        Some(PortableTable::Rows(rows)) => {
            to.push(OF_ROWS);
            let mut writer = StreamWriter::try_new(to, &rows.schema())?;
            writer.write(&rows)?;
            Ok(writer.finish()?)
        }
        None => plan_err!("a table that only this process knows"),
    }
}

fn read_table(bytes: &[u8]) -> Result<Arc<dyn TableProvider>> {
    match bytes.split_first() {
        Some((&OF_ROWS, rows)) => read_rows(rows),
        Some((&kind, text)) if kind == OF_SETS || kind == OF_STATES => {
            let text = String::from_utf8_lossy(text);
            let (name, address) = text.split_once(' ').unwrap_or_default();
            let sets = known::at(address)?;
            let table = table_of_sets(&sets, name, kind == OF_STATES);
            match table.map_err(known::external)? {
                Some(table) => Ok(table),
                None => plan_err!("there is no table {name:?}"),
            }
        }
        _ => exec_err!("a plan reads something that is no table of a data set"),
    }
}

fn read_rows(bytes: &[u8]) -> Result<Arc<dyn TableProvider>> {
    let mut reader = StreamReader::try_new(bytes, None)?;
    let schema = reader.schema();
    let rows = reader.next().transpose()?;
    Ok(table_of_rows(rows.unwrap_or_else(|| RecordBatch::new_empty(schema))))
}

fn write_function(function: &ScalarUDF, to: &mut Vec<u8>) {
    if let Some(address) = address_of_function(function) {
        to.extend_from_slice(address.as_bytes());
    }
}

fn read_function(name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
    let function = match bytes {
        [] => function_of(None, name),
        address => function_of(Some(&known::at(&String::from_utf8_lossy(address))?), name),
    };
    match function {
        Some(function) => Ok(function),
        None => plan_err!("there is no function {name:?}"),
    }
}

impl LogicalExtensionCodec for LogicalCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[LogicalPlan],
        context: &TaskContext,
    ) -> Result<Extension> {
        self.0.try_decode(bytes, inputs, context)
    }

    fn try_encode(&self, node: &Extension, to: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode(node, to)
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        _: &TableReference,
        _: SchemaRef,
        _: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        read_table(bytes)
    }

    fn try_encode_table_provider(
        &self,
        _: &TableReference,
        table: Arc<dyn TableProvider>,
        to: &mut Vec<u8>,
    ) -> Result<()> {
        write_table(&*table, to)
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        read_function(name, bytes)
    }

    fn try_encode_udf(&self, function: &ScalarUDF, to: &mut Vec<u8>) -> Result<()> {
        write_function(function, to);
        Ok(())
    }

    fn try_decode_udaf(&self, name: &str, bytes: &[u8]) -> Result<Arc<AggregateUDF>> {
        self.0.try_decode_udaf(name, bytes)
    }

    fn try_decode_udwf(&self, name: &str, bytes: &[u8]) -> Result<Arc<WindowUDF>> {
        self.0.try_decode_udwf(name, bytes)
    }
}

impl PhysicalExtensionCodec for PhysicalCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.0.try_decode(bytes, inputs, context, converter)
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        to: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        self.0.try_encode(node, to, converter)
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        read_function(name, bytes)
    }

    fn try_encode_udf(&self, function: &ScalarUDF, to: &mut Vec<u8>) -> Result<()> {
        write_function(function, to);
        Ok(())
    }
}
