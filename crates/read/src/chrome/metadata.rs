//! Metadata: names and places of processes and threads.

use onca_model::{Code, printable};

use super::decode::{Decoder, Here, MAX_TEXT};

impl Decoder<'_> {
    /// Names and places of processes and threads.
    pub(super) fn metadata(&mut self, here: &Here<'_>) {
        let text = here.window.text();
        let event = here.event;
        let what = here.text(event.name);
        let of_thread = what.starts_with(b"thread_");
        let member: &[u8] = match &*what {
            b"process_name" | b"thread_name" => b"name",
            b"process_sort_index" | b"thread_sort_index" => b"sort_index",
            _ => return,
        };
        let said = here.text(event.arg(text, member));
        if said.len() > MAX_TEXT {
            return self.problems.lose(here.position, Code::LineTooLong, || {
                ("the name is longer than 1 MiB".to_owned(), None)
            });
        }
        let index = if of_thread { self.thread(here) } else { self.process(here) } as usize;
        self.names.note_name(&said);
        let parties = if of_thread { &mut self.names.threads } else { &mut self.names.processes };
        if member == b"name" {
            parties[index].name = Some(said.into_owned()).filter(|name| !name.is_empty());
            return;
        }
        match std::str::from_utf8(&said).ok().and_then(|text| text.parse::<f64>().ok()) {
            // Beyond the whole numbers of a float the order means nothing.
            Some(index_said) => parties[index].sort_index = index_said as i64,
            None => self.problems.lose(here.position, Code::BadNumber, || {
                (format!("the sort index is \"{}\", which is no number", printable(&said)), None)
            }),
        }
    }
}
