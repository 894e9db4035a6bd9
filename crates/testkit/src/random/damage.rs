//! Damage: wrong tokens, odd writing, and lines that are no proper records.

use super::Writer;

impl Writer {
    /// Makes one token wrong. Returns true if the record still means what it should.
    pub(super) fn damage_tokens(
        &mut self,
        tokens: &mut Vec<Vec<u8>>,
        roles: &[Option<&str>],
        values: &[(&str, String)],
    ) -> bool {
        let any_token = 1 + self.rng.below(tokens.len() - 1);
        match self.rng.below(12) {
            0 | 1 => {
                let Some(column) = roles.iter().position(|role| *role == Some("Time")) else {
                    return true;
                };
                let bad = ["abc", "1,5", "0x10", "", "1e", "inf", "-NaN", "-", "1.2.3", "Infinity"];
                tokens[column] = self.rng.pick(&bad).as_bytes().to_vec();
            }
            2 => tokens[0] = self.rng.pick(&["999", "x", "\"\"", "-1"]).as_bytes().to_vec(),
            3 => {
                tokens[0].insert(0, b'0');
                return true;
            }
            4 | 5 => {
                let named = ["Type", "Container", "StartContainer", "EndContainer", "Value"];
                let columns: Vec<usize> = (1..tokens.len())
                    .filter(|&column| roles[column].is_some_and(|role| named.contains(&role)))
                    .collect();
                if columns.is_empty() {
                    return true;
                }
                let column = columns[self.rng.below(columns.len())];
                let replacement = self.rng.pick(&["nowhere", "0", "/", "File", ""]);
                tokens[column] = replacement.as_bytes().to_vec();
            }
            6 => {
                let kept = tokens.len() - 1 - self.rng.below(2).min(tokens.len() - 2);
                tokens.truncate(kept);
            }
            7 => {
                for _ in 0..=self.rng.below(2) {
                    tokens.push(self.rng.pick(&["more", "4", ""]).as_bytes().to_vec());
                }
                return true;
            }
            8 => {
                // Refer to something by its name where there is an alias.
                let column = (1..tokens.len()).find(|&column| {
                    roles[column].is_some_and(|role| role == "Type" || role == "Container")
                });
                let Some(column) = column else {
                    return true;
                };
                let token = String::from_utf8_lossy(&tokens[column]).into_owned();
                let container = self.containers.iter().find(|item| item.identifier == token);
                let named_type = self.types.iter().find(|item| item.identifier == token);
                if roles[column] == Some("Container") {
                    if let Some(container) = container {
                        tokens[column] = container.name.clone().into_bytes();
                    }
                } else if let Some(named_type) = named_type {
                    tokens[column] = named_type.name.clone().into_bytes();
                }
            }
            9 => {
                let is_definition = values.iter().any(|(name, _)| *name == "Alias");
                if !is_definition {
                    return true;
                }
                let column = roles.iter().position(|role| matches!(role, Some("Alias" | "Name")));
                if let Some(column) = column {
                    tokens[column] = self.rng.pick(&["0", "(null)", ""]).as_bytes().to_vec();
                }
            }
            10 => {
                if roles[any_token] != Some("Time") {
                    tokens[any_token].extend_from_slice(b"\xe9\xff");
                }
            }
            _ => {
                let column = roles.iter().position(|role| matches!(role, Some("Color" | "Value")));
                if let Some(column) = column {
                    let odd = ["red", "1 0", "inf", "nan", "0x1.8p3", "1e400", "12,5"];
                    tokens[column] = self.rng.pick(&odd).as_bytes().to_vec();
                }
            }
        }
        false
    }

    /// Changes the written form of a record. Returns true if that cannot matter.
    pub(super) fn damage_line(&mut self, line: &mut Vec<u8>) -> bool {
        match self.rng.below(9) {
            0 => {
                line.extend_from_slice(b" \t ");
                true
            }
            1 => {
                line.extend_from_slice(b" # 12 \"x");
                true
            }
            2 => {
                line.extend_from_slice(b"# glued comment");
                true
            }
            3 => {
                line.extend_from_slice(b" \"never closed");
                false
            }
            4 => {
                let position = 1 + self.rng.below(line.len());
                line.insert(position, 0);
                false
            }
            5 => {
                replace_last_word(line, br#""q\"r s""#);
                false
            }
            6 => {
                replace_last_word(line, b"y#z");
                false
            }
            7 => {
                replace_last_word(line, br#""q"r"#);
                false
            }
            _ => {
                // A hash inside the last but one word hides the last one.
                let blank = line.iter().rposition(|&byte| byte == b' ');
                if let Some(blank) = blank.filter(|&blank| !line[..blank].contains(&b'"')) {
                    line.insert(blank, b'z');
                    line.insert(blank, b'#');
                }
                false
            }
        }
    }

    /// Lines that are no proper records.
    pub(super) fn write_oddity(&mut self) {
        let text: &[u8] = match self.rng.below(9) {
            0 => b"",
            1 => b" \t ",
            2 => b"# a comment \xe9",
            3 => b"   # 12 3 4",
            4 => b"%",
            5 => b"%EndEventDef",
            6 => {
                b"%EventDef SendMessage 300\n% Time date\n% Container string\n%EndEventDef\n300 1 x\n\
                  300 2 0\n%EventDef PajeX 302\n% Time date\n%EndEventDef\n302 1"
            }
            7 => b"%EventDef PajeSetState 301\n% Time date\n% Value string\n%EndEventDef\n301 1 x",
            _ => {
                let count = self.earlier_lines.len();
                if count > 0 {
                    let again = self.earlier_lines[self.rng.below(count)].clone();
                    self.out.extend_from_slice(&again);
                }
                b""
            }
        };
        self.out.extend_from_slice(text);
        self.end_line();
    }
}

fn replace_last_word(line: &mut Vec<u8>, word: &[u8]) {
    if let Some(blank) = line.iter().rposition(|&byte| byte == b' ') {
        line.truncate(blank + 1);
        line.extend_from_slice(word);
    }
}
