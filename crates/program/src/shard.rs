//! A part of something that several processes write.

use std::fmt;
use std::str::FromStr;

/// One of several parts, counted from 1: `2/4`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which.
    pub number: u32,
    /// Of how many.
    pub of: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, of) = text.split_once('/').ok_or("a shard is written 2/4")?;
        let parsed =
            |text: &str| text.parse::<u32>().map_err(|_| format!("{text:?} is not a number"));
        let (number, of) = (parsed(number)?, parsed(of)?);
        match (1..=of).contains(&number) {
            true => Ok(Self { number, of }),
            false if of == 0 => Err("there are no shards of 0".to_owned()),
            false => Err(format!("of {of} shards there are 1/{of} to {of}/{of}")),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parts_that_there_are_can_be_named() {
        let parsed: Result<Shard, String> = "2/4".parse();
        assert_eq!(parsed, Ok(Shard { number: 2, of: 4 }));
        assert_eq!(parsed.map(|shard| shard.to_string()), Ok("2/4".to_owned()));
        for wrong in ["", "2", "0/4", "5/4", "0/0", "1/0", "-1/4", "1/4/4", "a/b", "1/99999999999"]
        {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
