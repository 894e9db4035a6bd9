//! Functions of a container: `name(id)`, `path(id)`, `ancestor(id, level)`. Where there are several
//! runs, its run comes before its id.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, StringArray, StringDictionaryBuilder, UInt32Array};
use datafusion::arrow::datatypes::{DataType, Int32Type};
use datafusion::common::{Result, ScalarValue, exec_err, internal_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use onca_model::{ContainerId, display_text};
use onca_tables::{Ancestors, Level, name_type};

use super::asked::{self, Asked};
use super::{ContainerTree, SharedRuns, on_arrays};

fn one_container() -> Signature {
    Signature::one_of(asked::signatures(&[]).to_vec(), Volatility::Immutable)
}

/// The name of a container.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Name {
    runs: SharedRuns,
    signature: Signature,
}

impl Name {
    pub(super) fn runs(&self) -> &SharedRuns {
        &self.runs
    }

    pub(super) fn new(runs: SharedRuns) -> Self {
        Self { runs, signature: one_container() }
    }
}

impl ScalarUDFImpl for Name {
    fn name(&self) -> &'static str {
        "name"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        asked::check(&self.runs, "name", arg_types.len() > 1, "")?;
        // As the tables of those who are asked elsewhere.
        Ok(if self.runs.0.address().is_some() { DataType::Utf8 } else { name_type() })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        on_arrays(&args, |arrays| {
            let asked = Asked::new(&self.runs, arrays)?;
            if self.runs.0.address().is_some() {
                return Ok(Arc::new(asked.each(name_of).collect::<StringArray>()));
            }
            if let [tree] = asked.trees.as_slice() {
                let names = tree.names().containers(tree.catalog());
                let keys: Vec<_> = asked.each(|_, _, id| Some(names.key(id))).collect();
                return Ok(names.optional(&keys)?);
            }
            let mut names = StringDictionaryBuilder::<Int32Type>::new();
            asked.each(name_of).for_each(|name| names.append_option(name));
            Ok(Arc::new(names.finish()) as ArrayRef)
        })
    }
}

fn name_of(_: usize, tree: &dyn ContainerTree, id: u32) -> Option<String> {
    Some(display_text(tree.catalog().containers.names.get(id as usize)).into_owned())
}

/// The names from below the root to a container.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Path {
    runs: SharedRuns,
    signature: Signature,
}

impl Path {
    pub(super) fn runs(&self) -> &SharedRuns {
        &self.runs
    }

    pub(super) fn new(runs: SharedRuns) -> Self {
        Self { runs, signature: one_container() }
    }
}

impl ScalarUDFImpl for Path {
    fn name(&self) -> &'static str {
        "path"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        asked::check(&self.runs, "path", arg_types.len() > 1, "")?;
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        on_arrays(&args, |arrays| {
            let asked = Asked::new(&self.runs, arrays)?;
            let paths = asked.each(|_, tree, id| tree.tree().path(tree.catalog(), ContainerId(id)));
            Ok(Arc::new(paths.collect::<StringArray>()) as ArrayRef)
        })
    }
}

/// The container at a level that a container lies in, or is.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Ancestor {
    runs: SharedRuns,
    signature: Signature,
}

impl Ancestor {
    pub(super) fn runs(&self) -> &SharedRuns {
        &self.runs
    }

    pub(super) fn new(runs: SharedRuns) -> Self {
        let with = |level: DataType| asked::signatures(&[level]);
        let either = [with(DataType::Int64), with(DataType::Utf8)].concat();
        Self { runs, signature: Signature::one_of(either, Volatility::Immutable) }
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

    /// A type that any of the runs has.
    fn type_level(&self, name: &str) -> Result<Level> {
        let mut known: Vec<String> = Vec::new();
        for run in 0..self.runs.0.names().len() {
            let more = self.runs.0.tree(run)?.container_types();
            if more.iter().any(|known| known == name) {
                return Ok(Level::Type(name.to_owned()));
            }
            let new: Vec<_> = more.into_iter().filter(|more| !known.contains(more)).collect();
            known.extend(new);
        }
        exec_err!("ancestor: there is no container type {name:?}; there are {}", known.join(", "))
    }
}

impl ScalarUDFImpl for Ancestor {
    fn name(&self) -> &'static str {
        "ancestor"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        asked::check(&self.runs, "ancestor", arg_types.len() > 2, ", level")?;
        Ok(DataType::UInt32)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some(level) = args.args.last() else {
            return internal_err!("ancestor takes a container and a level");
        };
        let Some(level) = self.level(level)? else {
            return Ok(ColumnarValue::Scalar(ScalarValue::UInt32(None)));
        };
        on_arrays(&args, |arrays| {
            let Some((_, container)) = arrays.split_last() else {
                return internal_err!("ancestor takes a container and a level");
            };
            let asked = Asked::new(&self.runs, container)?;
            let ancestors: Vec<Ancestors> = (asked.trees.iter())
                .map(|tree| tree.tree().ancestors(tree.catalog(), &level))
                .collect();
            let above =
                asked.each(|tree, _, id| ancestors.get(tree)?.get(id as usize).copied().flatten());
            Ok(Arc::new(above.collect::<UInt32Array>()) as ArrayRef)
        })
    }
}
