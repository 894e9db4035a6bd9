//! Values that carry their type: those of attributes, properties and metrics.

use crate::cursor::{Broken, Cursor, Field};

/// What an id refers to. The numbers are those of mapping tables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(super) enum Kind {
    String = 0,
    Attribute = 1,
    Location = 2,
    Region = 3,
    Group = 4,
    Metric = 5,
    Comm = 6,
    Parameter = 7,
    Window = 8,
    SourceLine = 9,
    Context = 10,
    Interrupt = 11,
    IoFile = 12,
    IoHandle = 13,
    LocationGroup = 14,
}

impl Kind {
    /// All kinds, in order of their number.
    pub const ALL: [Self; 15] = [
        Self::String,
        Self::Attribute,
        Self::Location,
        Self::Region,
        Self::Group,
        Self::Metric,
        Self::Comm,
        Self::Parameter,
        Self::Window,
        Self::SourceLine,
        Self::Context,
        Self::Interrupt,
        Self::IoFile,
        Self::IoHandle,
        Self::LocationGroup,
    ];
}

/// A value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Typed {
    Unsigned(u64),
    Signed(i64),
    Double(f64),
    Reference(Kind, u64),
}

impl Typed {
    pub fn string(id: u32) -> Self {
        Self::Reference(Kind::String, id.into())
    }
}

/// Reads a value of the given type.
pub(super) fn typed_value(c: &mut Cursor<'_>, kind: u8) -> Field<Typed> {
    Ok(match kind {
        1 => Typed::Unsigned(c.u8()?.into()),
        2 => Typed::Unsigned(c.u16()?.into()),
        3 => Typed::Unsigned(c.c32()?.into()),
        4 => Typed::Unsigned(c.c64()?),
        5 => Typed::Signed(c.u8()?.cast_signed().into()),
        6 => Typed::Signed(c.u16()?.cast_signed().into()),
        7 => Typed::Signed(c.i32()?.into()),
        8 => Typed::Signed(c.i64()?),
        9 => Typed::Double(f32::from_bits(c.u32()?).into()),
        10 => Typed::Double(c.f64()?),
        13 => Typed::Reference(Kind::Location, c.c64()?),
        11..=25 => Typed::Reference(Kind::ALL[usize::from(kind - 11)], c.c32()?.into()),
        _ => return Err(Broken::Wrong),
    })
}

/// The number of a metric, whose bits are those of the type that it says.
pub(super) fn metric_number(kind: u8, bits: u64) -> Option<f64> {
    match kind {
        1..=4 => Some(bits as f64),
        5..=8 => Some(bits.cast_signed() as f64),
        9 => Some(f32::from_bits(bits as u32).into()),
        10 => Some(f64::from_bits(bits)),
        _ => None,
    }
}
