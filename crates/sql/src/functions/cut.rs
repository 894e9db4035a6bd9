//! `cut(start, end, from, to, n)`: the slices of a window that an interval lies in.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, AsArray, Int64Array, ListArray, StructArray, UInt32Array,
};
use datafusion::arrow::buffer::{NullBuffer, OffsetBuffer};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields, Int64Type};
use datafusion::common::{Result, exec_datafusion_err, exec_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use onca_aggregate::slice::Bounds;
use onca_model::Ticks;

use super::on_arrays;

/// A list for each row: the slices, from 0 on, and the ticks in each.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Cut {
    signature: Signature,
}

impl Cut {
    pub(super) fn new() -> Self {
        let five = vec![DataType::Int64; 5];
        Self { signature: Signature::exact(five, Volatility::Immutable) }
    }
}

fn fields() -> Fields {
    let field = |name, kind| Field::new(name, kind, false);
    vec![field("slice", DataType::UInt32), field("ticks", DataType::Int64)].into()
}

fn item() -> FieldRef {
    Arc::new(Field::new("item", DataType::Struct(fields()), false))
}

impl ScalarUDFImpl for Cut {
    fn name(&self) -> &'static str {
        "cut"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::List(item()))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        on_arrays(&args, |arrays| {
            let columns = arrays.iter().map(|array| array.as_primitive::<Int64Type>());
            let columns: Vec<&Int64Array> = columns.collect();
            match columns.as_slice() {
                [start, end, from, to, n] => cut(start, end, from, to, n),
                _ => exec_err!("cut takes an interval, a window and a number of slices"),
            }
        })
    }
}

fn cut(
    start: &Int64Array,
    end: &Int64Array,
    from: &Int64Array,
    to: &Int64Array,
    n: &Int64Array,
) -> Result<ArrayRef> {
    let (mut slices, mut ticks) = (Vec::new(), Vec::new());
    let (mut lengths, mut valid) = (Vec::new(), Vec::new());
    // Neighbours mostly are cut in the same way.
    let mut last: Option<((Ticks, Ticks, i64), Bounds)> = None;
    let rows = start.iter().zip(end.iter()).zip(from.iter().zip(to.iter())).zip(n.iter());
    for (((start, end), (from, to)), n) in rows {
        let before = slices.len();
        let known = (|| Some(((start?, end?), (from?, to?, n?))))();
        valid.push(known.is_some());
        if let Some(((start, end), window)) = known {
            let bounds = match last {
                Some((known, bounds)) if known == window => bounds,
                _ => bounds_of(window)?,
            };
            last = Some((window, bounds));
            onca_answer::slice::visit_touched(&bounds, start, end, |slice, inside| {
                slices.push(slice as u32);
                ticks.push(inside);
            });
        }
        lengths.push(slices.len() - before);
    }
    let columns: Vec<ArrayRef> =
        vec![Arc::new(UInt32Array::from(slices)), Arc::new(Int64Array::from(ticks))];
    let parts = StructArray::try_new(fields(), columns, None)?;
    let offsets = OffsetBuffer::from_lengths(lengths);
    let nulls = Some(NullBuffer::from(valid)).filter(|nulls| nulls.null_count() > 0);
    Ok(Arc::new(ListArray::try_new(item(), offsets, Arc::new(parts), nulls)?))
}

fn bounds_of((from, to, n): (Ticks, Ticks, i64)) -> Result<Bounds> {
    let n = usize::try_from(n).unwrap_or(0);
    Bounds::new(from, to, n).map_err(|error| exec_datafusion_err!("cut: {error}"))
}
