//! `overlap(start, end, a, b)`: how much of one interval lies in another.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, TypeSignature, Volatility,
};

use super::on_arrays;

/// In ticks it is exact: integers in, integers out. In units it is a number.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Overlap {
    signature: Signature,
}

impl Overlap {
    pub(super) fn new() -> Self {
        let four = |data_type: DataType| TypeSignature::Exact(vec![data_type; 4]);
        let either = vec![four(DataType::Int64), four(DataType::Float64)];
        Self { signature: Signature::one_of(either, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for Overlap {
    fn name(&self) -> &'static str {
        "overlap"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        Ok(arg_types.first().cloned().unwrap_or(DataType::Int64))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        on_arrays(&args, |arrays| match arrays {
            [start, end, from, to] => Ok(match start.data_type() {
                DataType::Float64 => overlap::<Float64Type>(start, end, from, to, |a, b| a - b),
                _ => overlap::<Int64Type>(start, end, from, to, i64::saturating_sub),
            }),
            _ => internal_err!("overlap takes four arguments"),
        })
    }
}

/// `max(0, min(end, to) - max(start, from))`, null where any of them is.
fn overlap<T: ArrowPrimitiveType>(
    start: &ArrayRef,
    end: &ArrayRef,
    from: &ArrayRef,
    to: &ArrayRef,
    minus: impl Fn(T::Native, T::Native) -> T::Native,
) -> ArrayRef
where
    T::Native: PartialOrd,
{
    let column = |array: &ArrayRef| array.as_primitive::<T>().clone();
    let (start, end, from, to) = (column(start), column(end), column(from), column(to));
    let least = |a: T::Native, b: T::Native| if b < a { b } else { a };
    let most = |a: T::Native, b: T::Native| if b > a { b } else { a };
    let rows = start.iter().zip(end.iter()).zip(from.iter().zip(to.iter()));
    let overlaps = rows.map(|((start, end), (from, to))| {
        let ticks = minus(least(end?, to?), most(start?, from?));
        Some(most(ticks, T::Native::default()))
    });
    Arc::new(overlaps.collect::<PrimitiveArray<T>>())
}
