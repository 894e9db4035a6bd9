//! Lines to tokens.
//!
//! Tokens are separated by blanks; quotes hold blanks together; `#` begins a comment anywhere
//! outside quotes, even inside a word. There is no escape. Two retries read what some producers
//! write against these rules: escapes inside quotes, and `#` inside words.

/// A token: a stretch of the line. Quotes are not part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub start: u32,
    pub end: u32,
}

const NORMAL: u8 = 0;
const BLANK: u8 = 1;
/// Ends the plain reading of a line: newline, quote, comment sign, NUL.
const SPECIAL: u8 = 2;

static CLASS: [u8; 256] = {
    let mut class = [NORMAL; 256];
    class[b' ' as usize] = BLANK;
    class[b'\t' as usize] = BLANK;
    class[b'\r' as usize] = BLANK;
    class[0x0b] = BLANK;
    class[0x0c] = BLANK;
    class[b'\n' as usize] = SPECIAL;
    class[b'"' as usize] = SPECIAL;
    class[b'#' as usize] = SPECIAL;
    class[0] = SPECIAL;
    class
};

pub(super) fn is_blank(byte: u8) -> bool {
    CLASS[byte as usize] == BLANK
}

/// Splits a line that holds nothing special, from `start` to its newline. Returns the position
/// of the newline, or `None` when the line needs [`split`].
#[inline(always)]
pub(super) fn split_plain(text: &[u8], start: usize, tokens: &mut Vec<Token>) -> Option<usize> {
    tokens.clear();
    let mut at = start;
    loop {
        while CLASS[text[at] as usize] == BLANK {
            at += 1;
        }
        let word = at;
        while CLASS[text[at] as usize] == NORMAL {
            at += 1;
        }
        if at > word {
            tokens.push(Token { start: word as u32, end: at as u32 });
        }
        if CLASS[text[at] as usize] == SPECIAL {
            return (text[at] == b'\n').then_some(at);
        }
    }
}

/// What was odd about a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Oddities {
    /// A quote was not closed.
    pub unterminated: bool,
    /// A `#` cut a word.
    pub hash_cut_word: bool,
    /// There is a NUL byte.
    pub nul: bool,
    /// The line has a comment.
    pub comment: bool,
}

/// Which rules to split by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rules {
    /// Those of the format.
    Standard,
    /// `#` inside a word is literal.
    HashInWord,
}

/// Splits the line `text[start..end]`, which has no newline, by the full rules.
pub(super) fn split(
    text: &[u8],
    start: usize,
    end: usize,
    rules: Rules,
    tokens: &mut Vec<Token>,
) -> Oddities {
    tokens.clear();
    let mut oddities = Oddities::default();
    let mut at = start;
    while at < end {
        match text[at] {
            byte if is_blank(byte) => at += 1,
            b'#' => {
                oddities.comment = true;
                break;
            }
            b'"' => {
                let word = at + 1;
                let close = memchr::memchr(b'"', &text[word..end]);
                oddities.unterminated |= close.is_none();
                let word_end = close.map_or(end, |offset| word + offset);
                tokens.push(Token { start: word as u32, end: word_end as u32 });
                at = word_end + 1;
            }
            _ => {
                let word = at;
                while at < end
                    && !is_blank(text[at])
                    && (text[at] != b'#' || rules == Rules::HashInWord)
                {
                    at += 1;
                }
                let after = text.get(at + 1).filter(|_| at + 1 < end);
                oddities.hash_cut_word |=
                    at < end && text[at] == b'#' && after.is_some_and(|&byte| !is_blank(byte));
                tokens.push(Token { start: word as u32, end: at as u32 });
            }
        }
    }
    oddities.nul = memchr::memchr(0, &text[start..end]).is_some();
    oddities
}

/// Splits by the rules of the format, with `\"` and `\\` as escapes inside quotes. The tokens'
/// texts differ from the line's, so they are returned; and whether a quote was not closed.
pub(super) fn split_escaped(line: &[u8]) -> (Vec<Vec<u8>>, bool) {
    let mut tokens = Vec::new();
    let mut unterminated = false;
    let mut bytes = line.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if is_blank(byte) {
            continue;
        }
        if byte == b'#' {
            break;
        }
        let mut token = Vec::new();
        if byte == b'"' {
            unterminated = true;
            while let Some(byte) = bytes.next() {
                match (byte, bytes.peek()) {
                    (b'\\', Some(&escaped @ (b'"' | b'\\'))) => {
                        token.push(escaped);
                        bytes.next();
                    }
                    (b'"', _) => {
                        unterminated = false;
                        break;
                    }
                    _ => token.push(byte),
                }
            }
        } else {
            token.push(byte);
            while let Some(byte) = bytes.next_if(|&byte| !is_blank(byte) && byte != b'#') {
                token.push(byte);
            }
        }
        tokens.push(token);
    }
    (tokens, unterminated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paje::decode::PADDING;

    fn texts(line: &str, rules: Rules) -> (Vec<String>, Oddities) {
        let mut tokens = Vec::new();
        let oddities = split(line.as_bytes(), 0, line.len(), rules, &mut tokens);
        let texts =
            tokens.iter().map(|t| line[t.start as usize..t.end as usize].to_owned()).collect();
        (texts, oddities)
    }

    #[test]
    fn tokens_follow_the_rules_of_the_format() {
        for (line, expected) in [
            ("12 1 S a x # c", vec!["12", "1", "S", "a", "x"]),
            ("12\t y#z", vec!["12", "y"]),
            ("\"q#r\" 2", vec!["q#r", "2"]),
            ("\"q\"r", vec!["q", "r"]),
            ("q\"r", vec!["q\"r"]),
            ("\"\" x", vec!["", "x"]),
            ("\"q\\\"r\"", vec!["q\\", "r\""]),
            ("'a b'", vec!["'a", "b'"]),
            ("  \r\u{b}\u{c} ", vec![]),
            ("\"open", vec!["open"]),
        ] {
            assert_eq!(texts(line, Rules::Standard).0, expected, "{line}");
        }
        assert!(texts("\"open", Rules::Standard).1.unterminated);
        assert!(texts("y#z", Rules::Standard).1.hash_cut_word);
        assert!(!texts("y #z", Rules::Standard).1.hash_cut_word);
        assert_eq!(texts("y#z", Rules::HashInWord).0, ["y#z"]);
        assert_eq!(split_escaped(b"1 \"q\\\"r\" \"a\\\\\"").0, [&b"1"[..], b"q\"r", b"a\\"]);
    }

    /// The fast splitters agree with the slow one on lines of all lengths around the window.
    #[test]
    fn plain_and_wide_agree_with_the_full_rules() {
        let alphabet = b"aZ09. \t\r\x0b\x0c\x01\x08\x0e\xff#\"\0%";
        let mut state = 1u64;
        let mut next = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize
        };
        for _ in 0..20_000 {
            let len = next() % 90;
            let plain_only = next() % 3 > 0;
            let letters = if plain_only { &alphabet[..14] } else { &alphabet[..] };
            let mut line: Vec<u8> = (0..len).map(|_| letters[next() % letters.len()]).collect();
            line.push(b'\n');
            line.resize(len + 1 + PADDING, b'x');
            line.push(b'\n');
            let mut slow = Vec::new();
            split(&line, 0, len, Rules::Standard, &mut slow);
            let special = line[..len].iter().any(|b| matches!(b, b'"' | b'#' | 0));
            let mut fast = Vec::new();
            match split_plain(&line, 0, &mut fast) {
                Some(end) => assert!(end == len && fast == slow && !special, "{line:?}"),
                None => assert!(special, "{line:?}"),
            }
            #[cfg(target_arch = "x86_64")]
            if crate::number::has_wide_instructions() {
                // SAFETY: the processor has these instructions.
                match unsafe { crate::paje::window::Window::at(&line, 0) } {
                    Some(window) => {
                        window.tokens(0, &mut fast);
                        let n_tokens = window.n_tokens() as usize;
                        assert!(fast == slow && n_tokens == slow.len(), "{line:?}");
                        assert!(window.newline as usize == len && !special, "{line:?}");
                        for (field, token) in window.first_fields().iter().zip(fast.iter().skip(1))
                        {
                            assert_eq!(field.token(0), *token, "{line:?}");
                        }
                    }
                    None => assert!(special || len >= 64, "{line:?}"),
                }
            }
        }
    }
}
