//! Extra fields of a record, in a packed form that can be appended to and copied as bytes:
//! for each field its id and its text, both lengths as variable-length integers.

use crate::FieldId;

/// One extra field of an entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extra<'a> {
    /// The field's name and declared type, in [`Catalog::fields`](crate::Catalog::fields).
    pub field: FieldId,
    /// The text as the source has it, without quotes.
    pub text: &'a [u8],
}

/// Appends one extra field to a packed list.
pub fn push_extra(packed: &mut Vec<u8>, field: FieldId, text: &[u8]) {
    push_varint(packed, field.0 as usize);
    push_varint(packed, text.len());
    packed.extend_from_slice(text);
}

/// The fields of a packed list, in order. A damaged list ends early.
pub fn extra_fields(packed: &[u8]) -> impl Iterator<Item = Extra<'_>> {
    let mut rest = packed;
    std::iter::from_fn(move || {
        let field = take_varint(&mut rest)?;
        let len = take_varint(&mut rest)?;
        let (text, after) = rest.split_at_checked(len)?;
        rest = after;
        Some(Extra { field: FieldId(u32::try_from(field).ok()?), text })
    })
}

fn push_varint(packed: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        packed.push(number as u8 | 0x80);
        number >>= 7;
    }
    packed.push(number as u8);
}

fn take_varint(rest: &mut &[u8]) -> Option<usize> {
    let mut number = 0usize;
    for shift in (0..usize::BITS).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        number |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_fields_come_back_and_damage_ends_the_list() {
        let mut packed = Vec::new();
        push_extra(&mut packed, FieldId(300), b"4096");
        push_extra(&mut packed, FieldId(1), &[b'x'; 200]);
        let fields: Vec<_> = extra_fields(&packed).collect();
        assert_eq!(fields.len(), 2);
        assert_eq!((fields[0].field, fields[0].text), (FieldId(300), b"4096".as_slice()));
        assert_eq!(fields[1].text.len(), 200);
        assert_eq!(extra_fields(&packed[..packed.len() - 1]).count(), 1);
    }
}
