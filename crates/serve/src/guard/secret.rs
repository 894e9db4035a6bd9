//! Random texts that nobody can guess.

use std::fmt;
use std::io;

use subtle::ConstantTimeEq;

/// 256 random bits as text.
pub struct Secret(String);

impl Secret {
    /// A new one from the operating system.
    pub fn random() -> io::Result<Self> {
        random_hex::<32>().map(Self)
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Is it this? How long that takes does not tell how much of it is right.
    pub fn is(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// This many random bytes, in hexadecimal digits.
pub fn random_hex<const N: usize>() -> io::Result<String> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_text_is_it() {
        let (secret, other) = (Secret::random().unwrap(), Secret::random().unwrap());
        assert_eq!(secret.text().len(), 64);
        assert!(secret.is(secret.text()));
        assert!(!secret.is(other.text()) && !secret.is("") && !secret.is(&secret.text()[..63]));
        assert_eq!(format!("{secret:?}"), "Secret");
    }
}
