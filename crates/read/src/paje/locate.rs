//! The place of a record's field in the source, for messages.

use std::sync::Arc;

use onca_model::printable;

use super::layout::Layouts;
use super::token::{Rules, split};
use crate::batch::{Locate, Located, Role};

/// Finds the fields of a record again by splitting its line once more.
pub(super) struct PajeLocator {
    pub layouts: Arc<Layouts>,
}

impl Locate for PajeLocator {
    fn locate(&self, text: &[u8], at: u32, role: Option<Role>) -> Located {
        let start = at as usize;
        let line = memchr::memchr_iter(b'\n', &text[..start]).count() as u32;
        let end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |n| start + n);
        let mut tokens = Vec::new();
        split(text, start, end, Rules::Standard, &mut tokens);
        let Some(first) = tokens.first() else {
            return Located { line, column: 1, event: String::new() };
        };
        let id = &text[first.start as usize..first.end as usize];
        let layout = self.layouts.get(id).or_else(|| self.layouts.get_by_value(id));
        let column = layout
            .zip(role)
            .and_then(|(layout, role)| tokens.get(layout.column(role) + 1))
            .map_or(first.start, |token| token.start);
        let event = layout.map_or(String::new(), |l| printable(&l.name).into_owned());
        Located { line, column: column - at + 1, event }
    }
}
