//! One trace event: its members, by where they stand.

use super::scan::{Fault, Scanner, Value};

/// An event as written. Its values are places in the text that it was scanned from.
#[derive(Default)]
pub(super) struct Event {
    pub phase: Value,
    pub name: Value,
    pub category: Value,
    pub time: Value,
    pub duration: Value,
    pub process: Value,
    pub thread: Value,
    pub id: Value,
    /// An object with the member `local` or `global`.
    pub id2: Value,
    pub scope: Value,
    /// `s` of an instant: thread, process or global.
    pub reach: Value,
    /// `bp` of the end of a flow.
    pub binding: Value,
    pub bind_id: Value,
    pub flow_in: Value,
    pub flow_out: Value,
    /// Members of `args`.
    pub args: Vec<(Value, Value)>,
}

impl Event {
    /// Scans an event; the scanner stands on its opening brace.
    pub fn scan(&mut self, scanner: &mut Scanner<'_>, text: &[u8]) -> Result<(), Fault> {
        let mut args = std::mem::take(&mut self.args);
        args.clear();
        *self = Self { args, ..Self::default() };
        scanner.expect(b'{', "an event, which begins with a brace")?;
        let mut first = true;
        while let Some(key) = scanner.key(first)? {
            first = false;
            let Value::Text { span, .. } = key else { continue };
            let member = match span.of(text) {
                b"ph" => &mut self.phase,
                b"name" => &mut self.name,
                b"cat" => &mut self.category,
                b"ts" => &mut self.time,
                b"dur" => &mut self.duration,
                b"pid" => &mut self.process,
                b"tid" => &mut self.thread,
                b"id" => &mut self.id,
                b"id2" => &mut self.id2,
                b"scope" => &mut self.scope,
                b"s" => &mut self.reach,
                b"bp" => &mut self.binding,
                b"bind_id" => &mut self.bind_id,
                b"flow_in" => &mut self.flow_in,
                b"flow_out" => &mut self.flow_out,
                b"args" if scanner.peek()? == b'{' => {
                    scan_members(scanner, &mut self.args)?;
                    continue;
                }
                _ => {
                    scanner.value()?;
                    continue;
                }
            };
            *member = scanner.value()?;
        }
        Ok(())
    }

    /// The member of `args` with this key.
    pub fn arg(&self, text: &[u8], key: &[u8]) -> Value {
        let named = |(name, _): &&(Value, Value)| &*name.text(text) == key;
        self.args.iter().rev().find(named).map_or(Value::Absent, |(_, value)| *value)
    }
}

/// The members of an object on whose opening brace the scanner stands.
pub(super) fn scan_members(
    scanner: &mut Scanner<'_>,
    members: &mut Vec<(Value, Value)>,
) -> Result<(), Fault> {
    members.clear();
    scanner.at += 1;
    while let Some(key) = scanner.key(members.is_empty())? {
        members.push((key, scanner.value()?));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_in_any_order() {
        let text = br#"{"args":{"a":1,"b":{"c":[2]},"a":"x"}, "ts" : 1.5, "ph":"X","odd":[{}],}"#;
        let mut event = Event::default();
        let mut scanner = Scanner::new(text, 0);
        event.scan(&mut scanner, text).expect("an event");
        assert_eq!(scanner.at, text.len());
        assert_eq!(&*event.phase.text(text), b"X");
        assert_eq!(&*event.time.text(text), b"1.5");
        assert!(event.name.is_absent());
        assert_eq!(event.args.len(), 3);
        assert_eq!(&*event.arg(text, b"a").text(text), b"x");
        assert_eq!(&*event.arg(text, b"b").text(text), br#"{"c":[2]}"#);
        assert!(event.arg(text, b"c").is_absent());
    }

    #[test]
    fn every_cut_is_a_cut() {
        let text = br#"{"ph":"B","args":{"a":"\"","n":{"m":[1]}},"ts":12}"#;
        for len in 0..text.len() {
            let cut = &text[..len];
            let fault = Event::default().scan(&mut Scanner::new(cut, 0), cut);
            assert_eq!(fault, Err(Fault::Cut), "{}", String::from_utf8_lossy(cut));
        }
    }
}
