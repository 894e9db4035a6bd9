//! Cutting one line into tokens.

/// How doubtful characters are read; the two last modes are the repairs for lines whose token
/// count does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Plain,
    /// `\"` and `\\` inside quotes stand for `"` and `\`.
    Escapes,
    /// `#` between two non-blank bytes of a bare word is an ordinary byte.
    HashInWord,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tokens {
    pub words: Vec<Vec<u8>>,
    pub unterminated: bool,
}

/// White space of the C locale, without the newline that ends the line.
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

pub fn first_nonblank(line: &[u8]) -> Option<usize> {
    line.iter().position(|&byte| !is_blank(byte))
}

pub fn tokenize(line: &[u8], mode: Mode) -> Tokens {
    let mut words = Vec::new();
    let mut unterminated = false;
    let mut at = 0;
    while at < line.len() {
        if is_blank(line[at]) {
            at += 1;
            continue;
        }
        if line[at] == b'#' {
            break;
        }
        let mut word = Vec::new();
        if line[at] == b'"' {
            at += 1;
            let mut closed = false;
            while at < line.len() {
                let next = line.get(at + 1).copied();
                if mode == Mode::Escapes
                    && line[at] == b'\\'
                    && let Some(escaped @ (b'"' | b'\\')) = next
                {
                    word.push(escaped);
                    at += 2;
                    continue;
                }
                if line[at] == b'"' {
                    closed = true;
                    at += 1;
                    break;
                }
                word.push(line[at]);
                at += 1;
            }
            if !closed {
                unterminated = true;
            }
        } else {
            while at < line.len() && !is_blank(line[at]) {
                if line[at] == b'#' {
                    let in_word = line.get(at + 1).is_some_and(|&next| !is_blank(next));
                    if mode != Mode::HashInWord || !in_word {
                        break;
                    }
                }
                word.push(line[at]);
                at += 1;
            }
        }
        words.push(word);
    }
    Tokens { words, unterminated }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str, mode: Mode) -> Vec<String> {
        let tokens = tokenize(line.as_bytes(), mode);
        let text = |word| String::from_utf8(word).unwrap();
        tokens.words.into_iter().map(text).collect()
    }

    #[test]
    fn plain_tokens() {
        assert_eq!(words(" a\t\r\x0b\x0cb ", Mode::Plain), ["a", "b"]);
        assert_eq!(words("y#z w", Mode::Plain), ["y"]);
        assert_eq!(words("\"y#z\" w", Mode::Plain), ["y#z", "w"]);
        assert_eq!(words(r#""q\"r""#, Mode::Plain), ["q\\", "r\""]);
        assert_eq!(words(r#""q"r"#, Mode::Plain), ["q", "r"]);
        assert_eq!(words(r#"q"r"#, Mode::Plain), ["q\"r"]);
        assert_eq!(words(r#""" x"#, Mode::Plain), ["", "x"]);
        assert_eq!(words("'a b'", Mode::Plain), ["'a", "b'"]);
    }

    #[test]
    fn unterminated_quote_takes_the_rest() {
        let tokens = tokenize(b"1 \"a # b ", Mode::Plain);
        assert!(tokens.unterminated);
        assert_eq!(tokens.words, [b"1".to_vec(), b"a # b ".to_vec()]);
    }

    #[test]
    fn repairs() {
        assert_eq!(words(r#""q\"r\\" s"#, Mode::Escapes), ["q\"r\\", "s"]);
        assert_eq!(words(r#""q\n""#, Mode::Escapes), ["q\\n"]);
        assert_eq!(words("y#z w# c", Mode::HashInWord), ["y#z", "w"]);
        assert_eq!(words("y#z #c", Mode::HashInWord), ["y#z"]);
    }
}
