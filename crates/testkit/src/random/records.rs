//! The written form of a record: its tokens in the order of a layout.

use super::header::Layout;
use super::{TICKS, Writer};
use crate::header::{EventKind, canonical_name};

/// What became of a record that was to be written.
pub(super) struct Written {
    /// False if the line was damaged so that it may have no effect.
    pub(super) intact: bool,
    pub(super) with_alias: bool,
}

impl Writer {
    pub(super) fn record(&mut self, event: &'static str, values: &[(&str, String)]) -> Written {
        let choices: Vec<Layout> =
            self.layouts.iter().filter(|layout| layout.event == event).cloned().collect();
        if choices.is_empty() {
            // A later block took over the only id of this event.
            return Written { intact: false, with_alias: false };
        }
        let layout = choices[self.rng.below(choices.len())].clone();
        let kind = EventKind::from_name(event.as_bytes());
        let mut roles: Vec<Option<&str>> = vec![None];
        let mut tokens: Vec<Vec<u8>> = vec![layout.id.clone().into_bytes()];
        for field in &layout.fields {
            let canonical = canonical_name(field.as_bytes(), kind);
            let known = values.iter().find(|(name, _)| Some(*name) == canonical);
            match known {
                Some((_, text)) => tokens.push(text.clone().into_bytes()),
                None => tokens.push(self.user_text(field).into_bytes()),
            }
            roles.push(known.and(canonical));
        }
        let with_alias = roles.contains(&Some("Alias"));
        let intact = !(self.damaged && self.rng.percent(18))
            || self.damage_tokens(&mut tokens, &roles, values);

        let mut line = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            if index > 0 {
                let gap: &str = self.rng.pick(&[" ", " ", " ", " ", "\t", "  "]);
                line.extend_from_slice(gap.as_bytes());
            }
            let written = if index == 0 { token.clone() } else { self.written_token(token) };
            line.extend_from_slice(&written);
        }
        let intact = if intact && self.damaged && self.rng.percent(8) {
            self.damage_line(&mut line)
        } else {
            intact
        };
        self.out.extend_from_slice(&line);
        self.earlier_lines.push(line);
        self.end_line();
        Written { intact, with_alias }
    }

    pub(super) fn time_text(&mut self, ticks: i64) -> String {
        let sign = if ticks < 0 { "-" } else { "" };
        let magnitude = ticks.unsigned_abs();
        let (whole, fraction) = (magnitude / TICKS as u64, magnitude % TICKS as u64);
        match self.rng.below(10) {
            0 => format!("{sign}{whole}.{fraction:09}"),
            1 => format!("{sign}{magnitude}e-9"),
            2 => format!("{sign}{whole}.{fraction:09}E+00"),
            3 => format!("{sign}{}e-06", magnitude as f64 / 1000.0),
            4 => {
                let decimals = self.rng.pick(&["5", "000", "500", "501", "49", "9", "123"]);
                format!("{sign}{whole}.{fraction:09}{decimals}")
            }
            _ if fraction == 0 => format!("{sign}{whole}"),
            _ => {
                let decimals = format!("{fraction:09}");
                format!("{sign}{whole}.{}", decimals.trim_end_matches('0'))
            }
        }
    }

    fn user_text(&mut self, field: &str) -> String {
        match field {
            "Size" | "Line" => self.rng.pick(&["0", "17", "4096", "-1", "NA"]).to_string(),
            "File" => self.rng.pick(&["main.c", "a b.f90", "part.ept", ""]).to_string(),
            _ => self.rng.pick(&["x", "two words", "=;\\", "", "naïve", "#1"]).to_string(),
        }
    }

    fn written_token(&mut self, token: &[u8]) -> Vec<u8> {
        let needs_quotes = token.is_empty()
            || token.starts_with(b"\"")
            || token.iter().any(|byte| b" \t#".contains(byte));
        if (needs_quotes || self.rng.percent(10)) && !token.contains(&b'"') {
            return [b"\"", token, b"\""].concat();
        }
        token.to_vec()
    }
}
