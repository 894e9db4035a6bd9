//! Names of what MPI numbers, and the sizes of data types.

/// Data types by number; what follows is the program's.
const DATA_TYPES: [&str; 28] = [
    "MPI_DATATYPE_ERROR",
    "MPI_DATATYPE_NULL",
    "MPI_CHAR",
    "MPI_SIGNED_CHAR",
    "MPI_UNSIGNED_CHAR",
    "MPI_BYTE",
    "MPI_WCHAR",
    "MPI_SHORT",
    "MPI_UNSIGNED_SHORT",
    "MPI_INT",
    "MPI_UNSIGNED",
    "MPI_LONG",
    "MPI_UNSIGNED_LONG",
    "MPI_FLOAT",
    "MPI_DOUBLE",
    "MPI_LONG_DOUBLE",
    "MPI_LONG_LONG_INT",
    "MPI_UNSIGNED_LONG_LONG",
    "MPI_LONG_LONG",
    "MPI_PACKED",
    "MPI_LB",
    "MPI_UB",
    "MPI_FLOAT_INT",
    "MPI_DOUBLE_INT",
    "MPI_LONG_INT",
    "MPI_SHORT_INT",
    "MPI_2INT",
    "MPI_LONG_DOUBLE_INT",
];

/// Their sizes, where a file does not tell.
const SIZES: [u64; 28] =
    [0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20];

/// Files give this type no size.
const LONG_LONG_INT: usize = 16;

/// Operations by number, from 1.
const OPERATIONS: [&str; 13] = [
    "MPI_MAX",
    "MPI_MIN",
    "MPI_SUM",
    "MPI_PROD",
    "MPI_LAND",
    "MPI_BAND",
    "MPI_LOR",
    "MPI_BOR",
    "MPI_LXOR",
    "MPI_BXOR",
    "MPI_MINLOC",
    "MPI_MAXLOC",
    "MPI_REPLACE",
];

/// What an argument stands for, by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    Number,
    DataType,
    Operation,
    Communicator,
}

impl Meaning {
    pub fn of(argument: &str) -> Self {
        match argument {
            "datatype" | "sendtype" | "recvtype" | "oldtype" | "newtype" | "origintype"
            | "targettype" => Self::DataType,
            "op" => Self::Operation,
            "comm" | "oldcomm" | "newcomm" => Self::Communicator,
            _ => Self::Number,
        }
    }
}

/// The name of a data type; its number if it is the program's.
pub(super) fn data_type(number: i64) -> String {
    named(&DATA_TYPES, number, 0)
}

/// The name of an operation; its number if it is the program's.
pub(super) fn operation(number: i64) -> String {
    named(&OPERATIONS, number, 1)
}

fn named(names: &[&str], number: i64, first: i64) -> String {
    let name = usize::try_from(number - first).ok().and_then(|place| names.get(place));
    name.map_or_else(|| number.to_string(), |name| (*name).to_owned())
}

/// The size of a number of things of a type, by the sizes that a file tells.
pub(super) fn bytes_of(sizes: &[i32], data_type: i64, count: i64) -> Option<u64> {
    let place = usize::try_from(data_type).ok()?;
    let told = sizes.get(place).and_then(|&size| u64::try_from(size).ok());
    let size = match told {
        Some(0) if place == LONG_LONG_INT => SIZES[place],
        Some(size) => size,
        None => *SIZES.get(place)?,
    };
    size.checked_mul(u64::try_from(count).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_file() {
        assert_eq!(bytes_of(&[], 14, 3), Some(24));
        let mut sizes = vec![0; 29];
        (sizes[14], sizes[28]) = (4, 100);
        assert_eq!(bytes_of(&sizes, 14, 3), Some(12));
        assert_eq!(bytes_of(&sizes, 28, 2), Some(200));
        assert_eq!(bytes_of(&sizes, 16, 2), Some(16));
        assert_eq!(bytes_of(&sizes, 30, 2), None);
        assert_eq!(bytes_of(&sizes, 14, -1), None);
        assert_eq!((data_type(14).as_str(), data_type(28).as_str()), ("MPI_DOUBLE", "28"));
        assert_eq!((operation(3).as_str(), operation(0).as_str()), ("MPI_SUM", "0"));
    }
}
