//! One recorded call.

use std::ops::Range;

use super::clock::Clock;
use super::function::{Argument, END, Function, Packing, function};
use crate::cursor::{Broken, Cursor, Field};

/// Bits of the byte that says what a record holds.
mod mask {
    pub const STATUSES: u8 = 3;
    pub const CPU_TIMES: u8 = 4;
    pub const WALL_TIMES: u8 = 8;
    pub const THREAD: u8 = 64;
    pub const COUNTERS: u8 = 128;
}

/// What was found out about a message that was received or looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Status {
    pub bytes: i32,
    pub source: i32,
    pub tag: i32,
    pub cancelled: bool,
}

/// An argument of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    /// Not recorded.
    Absent,
    Number(i64),
    /// Numbers of the call.
    List(Range<usize>),
    /// Bytes of the call.
    Text(Range<usize>),
}

/// When a call began and ended, in nanoseconds of a clock.
pub(super) type Times = (i64, i64);

/// A call. It is used again for the next one, with its memory.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub function: Option<&'static Function>,
    pub thread: u16,
    pub cpu: Option<Times>,
    pub wall: Option<Times>,
    /// Values of performance counters at its beginning and its end.
    pub counters: Vec<(u64, u64)>,
    pub statuses: Vec<Status>,
    values: Vec<Value>,
    numbers: Vec<i64>,
    text: Vec<u8>,
}

/// The clocks of a file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clocks {
    pub cpu: Clock,
    pub wall: Clock,
}

impl Call {
    pub fn id(&self) -> u16 {
        self.function.map_or(END, |function| function.id)
    }

    /// The number that an argument is.
    pub fn number(&self, name: &str) -> Option<i64> {
        match self.value(name)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The list that an argument is; empty if there is none.
    pub fn list(&self, name: &str) -> &[i64] {
        match self.value(name) {
            Some(Value::List(range)) => &self.numbers[range.clone()],
            _ => &[],
        }
    }

    /// Arguments that have a name and are one number or text, with their place.
    pub fn scalars(&self) -> impl Iterator<Item = (usize, &'static Argument, Scalar<'_>)> {
        let arguments = self.function.map_or(&[][..], |function| &function.arguments);
        let named = arguments.iter().zip(&self.values).enumerate();
        named.filter(|(_, (argument, _))| !argument.name.is_empty()).filter_map(
            |(place, (argument, value))| match value {
                Value::Number(number) => Some((place, argument, Scalar::Number(*number))),
                Value::Text(range) => {
                    Some((place, argument, Scalar::Text(&self.text[range.clone()])))
                }
                Value::Absent | Value::List(_) => None,
            },
        )
    }

    fn value(&self, name: &str) -> Option<&Value> {
        let arguments = &self.function?.arguments;
        let place = arguments.iter().position(|argument| argument.name == name)?;
        self.values.get(place)
    }

    /// Decodes the next call. False at the end of all calls.
    pub fn decode(&mut self, c: &mut Cursor<'_>, clocks: &mut Clocks) -> Field<bool> {
        let id = c.u16()?;
        if id == END {
            return Ok(false);
        }
        let function = function(id).ok_or(Broken::Wrong)?;
        self.function = Some(function);
        let mask = c.u8()?;
        self.thread = if mask & mask::THREAD != 0 { c.u16()? } else { 0 };
        let mut after = *clocks;
        self.cpu = times(c, mask & mask::CPU_TIMES != 0, &mut after.cpu)?;
        self.wall = times(c, mask & mask::WALL_TIMES != 0, &mut after.wall)?;
        self.counters.clear();
        if mask & mask::COUNTERS != 0 {
            for _ in 0..c.u8()? {
                self.counters.push((c.u64()?, c.u64()?));
            }
        }
        self.values.clear();
        self.numbers.clear();
        self.text.clear();
        self.statuses.clear();
        for argument in &function.arguments {
            let value = self.argument(c, *argument, mask)?;
            self.values.push(value);
        }
        // A call that is not there whole is decoded again, by the same clocks.
        *clocks = after;
        Ok(true)
    }

    fn argument(&mut self, c: &mut Cursor<'_>, argument: Argument, mask: u8) -> Field<Value> {
        if argument.at_root && self.number("commrank") != self.number("root") {
            return Ok(Value::Absent);
        }
        Ok(match argument.packing {
            Packing::Byte => Value::Number(c.u8()?.into()),
            Packing::Short => Value::Number(c.u16()?.cast_signed().into()),
            Packing::Int => Value::Number(c.u32()?.cast_signed().into()),
            Packing::Long => Value::Number(c.u64()?.cast_signed()),
            Packing::Text => {
                let text = text(c)?;
                let start = self.text.len();
                self.text.extend_from_slice(text);
                Value::Text(start..self.text.len())
            }
            Packing::Texts => {
                pass_texts(c)?;
                Value::Absent
            }
            Packing::TextLists => {
                for _ in 0..count(c)? {
                    pass_texts(c)?;
                }
                Value::Absent
            }
            Packing::Bytes => self.list_of(c, 1, |c| c.u8().map(i64::from))?,
            Packing::Shorts => self.list_of(c, 2, |c| c.u16().map(|n| n.cast_signed().into()))?,
            Packing::Ints => self.list_of(c, 4, int)?,
            Packing::IntLists => {
                let start = self.numbers.len();
                for _ in 0..count(c)? {
                    self.list_of(c, 4, int)?;
                }
                Value::List(start..self.numbers.len())
            }
            Packing::Statuses => {
                if mask & mask::STATUSES != 0 {
                    for _ in 0..count(c)? {
                        self.statuses.push(status(c)?);
                    }
                }
                Value::Absent
            }
        })
    }

    fn list_of(
        &mut self,
        c: &mut Cursor<'_>,
        width: usize,
        mut next: impl FnMut(&mut Cursor<'_>) -> Field<i64>,
    ) -> Field<Value> {
        let n = count(c)?;
        // A length that lies finds nothing.
        if n.saturating_mul(width) > c.left() {
            return Err(Broken::Short);
        }
        let start = self.numbers.len();
        for _ in 0..n {
            self.numbers.push(next(c)?);
        }
        Ok(Value::List(start..self.numbers.len()))
    }
}

/// A number or a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar<'a> {
    Number(i64),
    Text(&'a [u8]),
}

fn times(c: &mut Cursor<'_>, are_there: bool, clock: &mut Clock) -> Field<Option<Times>> {
    if !are_there {
        return Ok(None);
    }
    let mut next = || {
        let (seconds, nanoseconds) = (c.u16()?, c.u32()?);
        clock.time(seconds, nanoseconds).ok_or(Broken::Wrong)
    };
    Ok(Some((next()?, next()?)))
}

fn status(c: &mut Cursor<'_>) -> Field<Status> {
    let (bytes, source) = (c.u32()?.cast_signed(), c.u32()?.cast_signed());
    let cancelled = c.u8()? != 0;
    c.u8()?;
    Ok(Status { bytes, source, cancelled, tag: c.u32()?.cast_signed() })
}

fn int(c: &mut Cursor<'_>) -> Field<i64> {
    c.u32().map(|number| number.cast_signed().into())
}

/// How many things follow.
fn count(c: &mut Cursor<'_>) -> Field<usize> {
    usize::try_from(c.u32()?.cast_signed()).map_err(|_| Broken::Wrong)
}

/// Passes over a list of texts.
fn pass_texts(c: &mut Cursor<'_>) -> Field<()> {
    for _ in 0..count(c)? {
        text(c)?;
    }
    Ok(())
}

fn text<'a>(c: &mut Cursor<'a>) -> Field<&'a [u8]> {
    let n = count(c)?;
    c.bytes(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor::ByteOrder;

    fn ints(bytes: &mut Vec<u8>, numbers: &[i32]) {
        numbers.iter().for_each(|number| bytes.extend(number.to_be_bytes()));
    }

    fn texts(bytes: &mut Vec<u8>, texts: &[&str]) {
        ints(bytes, &[texts.len() as i32]);
        for text in texts {
            ints(bytes, &[text.len() as i32]);
            bytes.extend(text.as_bytes());
        }
    }

    /// What each rank writes of `MPI_Comm_spawn_multiple` with root 1: two commands, the first
    /// with two arguments.
    fn spawn_multiple(rank: i32) -> Vec<u8> {
        let mut bytes = vec![0, 136, 0];
        ints(&mut bytes, &[5, rank, 1]);
        bytes.extend([0, 2, 0, 9]);
        if rank == 1 {
            ints(&mut bytes, &[2]);
            texts(&mut bytes, &["sim", "viewer"]);
            ints(&mut bytes, &[2]);
            texts(&mut bytes, &["-n", "7"]);
            texts(&mut bytes, &[]);
            ints(&mut bytes, &[2, 4, 1]);
            ints(&mut bytes, &[2]);
            bytes.extend([0, 3, 0, 3]);
            ints(&mut bytes, &[5, 0, 0, 0, 0, 0]);
        }
        bytes
    }

    #[test]
    fn reading_goes_on_after_several_programs_were_spawned() {
        for rank in [0, 1, 2] {
            // The call, a barrier on communicator 2, the end.
            let bytes = [spawn_multiple(rank), vec![0, 52, 0, 0, 2, 1, 37]].concat();
            let mut cursor = Cursor::new(&bytes, 0, ByteOrder::Big);
            let (mut call, mut clocks) = (Call::default(), Clocks::default());
            assert_eq!(call.decode(&mut cursor, &mut clocks), Ok(true), "rank {rank}");
            assert_eq!(call.function.map(|f| f.name.as_str()), Some("MPI_Comm_spawn_multiple"));
            assert_eq!(call.number("commrank"), Some(rank.into()));
            assert_eq!(call.decode(&mut cursor, &mut clocks), Ok(true), "rank {rank}");
            assert_eq!((call.id(), call.number("comm")), (52, Some(2)));
            assert_eq!(call.decode(&mut cursor, &mut clocks), Ok(false));
            assert!(cursor.is_at_end());
        }
    }

    #[test]
    fn a_list_that_is_cut_is_short() {
        let whole = spawn_multiple(1);
        for length in 0..whole.len() {
            let mut cursor = Cursor::new(&whole[..length], 0, ByteOrder::Big);
            let outcome = Call::default().decode(&mut cursor, &mut Clocks::default());
            assert_eq!(outcome, Err(Broken::Short), "{length}");
        }
    }
}
