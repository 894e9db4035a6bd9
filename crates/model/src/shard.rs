//! A part of something that several processes write.

use std::fmt;
use std::str::FromStr;

/// One of several parts, counted from 1: `2/4`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    number: u32,
    of: u32,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// One of several, counted from 1; nothing if there is no such shard.
    pub fn new(number: u32, of: u32) -> Option<Self> {
        (1..=of).contains(&number).then_some(Self { number, of })
    }

    /// Which it is, from 1 on.
    pub fn number(self) -> u32 {
        self.number
    }

    /// Of how many.
    pub fn of(self) -> u32 {
        self.of
    }

    /// Does it have what the whole has once?
    pub fn is_first(self) -> bool {
        self.number == 1
    }

    /// Is what has this number its own? Each number from 0 on is that of one shard.
    pub fn holds(self, number: u32) -> bool {
        number % self.of == self.number - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, of) = text.split_once('/').ok_or("a shard is written 2/4")?;
        let parsed =
            |text: &str| text.parse::<u32>().map_err(|_| format!("{text:?} is not a number"));
        let (number, of) = (parsed(number)?, parsed(of)?);
        Self::new(number, of).ok_or_else(|| match of {
            0 => "there are no shards of 0".to_owned(),
            _ => format!("of {of} shards there are 1/{of} to {of}/{of}"),
        })
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

    #[test]
    fn each_number_is_that_of_one_shard() {
        for of in 1..5 {
            let shards: Vec<Shard> = (1..=of).filter_map(|number| Shard::new(number, of)).collect();
            for number in 0..20 {
                let holders = shards.iter().filter(|shard| shard.holds(number)).count();
                assert_eq!(holders, 1, "{number} of {of}");
            }
        }
        assert!(Shard::WHOLE.is_first() && Shard::WHOLE.holds(7));
    }
}
