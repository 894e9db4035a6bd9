//! Functions of a container: `name(id)`, `path(id)`, `ancestor(id, level)`.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, StringArray, UInt32Array};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_err, internal_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, TypeSignature, Volatility,
};
use onca_model::ContainerId;
use onca_tables::{Level, name_type};

use super::{SharedTrace, on_arrays};

fn one_id() -> Signature {
    // An unsigned id becomes a signed one without loss; a constant is signed already.
    Signature::exact(vec![DataType::Int64], Volatility::Immutable)
}

/// The ids of an argument; null where there is no such container.
fn ids(array: &ArrayRef, n_containers: usize) -> Vec<Option<u32>> {
    let exists = |id: i64| u32::try_from(id).ok().filter(|&id| (id as usize) < n_containers);
    array.as_primitive::<Int64Type>().iter().map(|id| id.and_then(exists)).collect()
}

/// The name of a container.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Name {
    trace: SharedTrace,
    signature: Signature,
}

impl Name {
    pub(super) fn new(trace: SharedTrace) -> Self {
        Self { trace, signature: one_id() }
    }
}

impl ScalarUDFImpl for Name {
    fn name(&self) -> &'static str {
        "name"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(name_type())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        on_arrays(&args, |arrays| {
            let [array] = arrays else { return internal_err!("name takes one argument") };
            let catalog = self.trace.0.catalog();
            let names = self.trace.0.names.containers(catalog);
            let ids = ids(array, catalog.containers.len()).into_iter();
            let keys: Vec<_> = ids.map(|id| id.map(|id| names.key(id))).collect();
            Ok(names.optional(&keys)?)
        })
    }
}

/// The names from below the root to a container.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Path {
    trace: SharedTrace,
    signature: Signature,
}

impl Path {
    pub(super) fn new(trace: SharedTrace) -> Self {
        Self { trace, signature: one_id() }
    }
}

impl ScalarUDFImpl for Path {
    fn name(&self) -> &'static str {
        "path"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        on_arrays(&args, |arrays| {
            let [array] = arrays else { return internal_err!("path takes one argument") };
            let trace = &self.trace.0;
            let ids = ids(array, trace.catalog().containers.len()).into_iter();
            let path = |id: Option<u32>| trace.tree().path(trace.catalog(), ContainerId(id?));
            Ok(Arc::new(ids.map(path).collect::<StringArray>()) as ArrayRef)
        })
    }
}

/// The container at a level that a container lies in, or is.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Ancestor {
    trace: SharedTrace,
    signature: Signature,
}

impl Ancestor {
    pub(super) fn new(trace: SharedTrace) -> Self {
        let with = |level: DataType| TypeSignature::Exact(vec![DataType::Int64, level]);
        let either = vec![with(DataType::Int64), with(DataType::Utf8)];
        Self { trace, signature: Signature::one_of(either, Volatility::Immutable) }
    }

    fn level(&self, value: &ColumnarValue) -> Result<Option<Level>> {
        let ColumnarValue::Scalar(value) = value else {
            return exec_err!("ancestor: the level must be a constant, a type name or a depth");
        };
        match value {
            ScalarValue::Int64(Some(depth)) => {
                Ok(Some(Level::Depth(u32::try_from(*depth).unwrap_or(u32::MAX))))
            }
            ScalarValue::Utf8(Some(name)) => self.type_level(name).map(Some),
            _ => Ok(None),
        }
    }

    fn type_level(&self, name: &str) -> Result<Level> {
        let known = self.trace.0.container_types();
        match known.iter().any(|known| known == name) {
            true => Ok(Level::Type(name.to_owned())),
            false => exec_err!(
                "ancestor: there is no container type {name:?}; there are {}",
                known.join(", ")
            ),
        }
    }
}

impl ScalarUDFImpl for Ancestor {
    fn name(&self) -> &'static str {
        "ancestor"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::UInt32)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some(level) = args.args.get(1) else {
            return internal_err!("ancestor takes two arguments");
        };
        let Some(level) = self.level(level)? else {
            return Ok(ColumnarValue::Scalar(ScalarValue::UInt32(None)));
        };
        let trace = &self.trace.0;
        let ancestors = trace.tree().ancestors(trace.catalog(), &level);
        on_arrays(&args, |arrays| {
            let ids = ids(&arrays[0], ancestors.len()).into_iter();
            let above = ids.map(|id| ancestors.get(id? as usize).copied().flatten());
            Ok(Arc::new(above.collect::<UInt32Array>()) as ArrayRef)
        })
    }
}
