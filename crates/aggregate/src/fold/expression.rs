//! Operators that the user writes: arithmetic over the plain ones.

use std::fmt;

use super::Summary;
use crate::SyntaxError;

/// An operator such as `max / mean` or `(max - mean) / mean * 100`.
///
/// ```text
/// expression = term { ("+" | "-") term }
/// term       = factor { ("*" | "/") factor }
/// factor     = [ "-" | "+" ] factor | number | name | "(" expression ")"
/// name       = "sum" | "mean" | "min" | "max" | "count" | "std" | "leaves"
/// number     = digits [ "." digits ] [ "e" [ "+" | "-" ] digits ]
/// ```
///
/// Every single name is an expression too. An expression is evaluated once the leaves of a node
/// have been folded, so it need not be associative itself.
///
/// ```
/// use onca_aggregate::fold::{Expression, Summary};
///
/// let imbalance = Expression::parse("(max - mean) / mean * 100")?;
/// let group = Summary {
///     leaves: 2, count: 2, sum: 8.0, mean: Some(4.0), min: Some(3.0), max: Some(5.0), std: Some(1.0),
/// };
/// assert_eq!(imbalance.evaluate(&group), Some(25.0));
/// # Ok::<(), onca_aggregate::SyntaxError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    /// In postfix order: operands before their operator. Evaluation is then a loop with a stack,
    /// and nothing recurses on what the user nests.
    steps: Vec<Step>,
    text: String,
}

impl fmt::Display for Expression {
    /// As it was written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    Number(f64),
    Name(Name),
    Apply(Operator),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Name {
    Sum,
    Mean,
    Min,
    Max,
    Count,
    Std,
    Leaves,
}

const NAMES: &[(&str, Name)] = &[
    ("sum", Name::Sum),
    ("mean", Name::Mean),
    ("min", Name::Min),
    ("max", Name::Max),
    ("count", Name::Count),
    ("std", Name::Std),
    ("leaves", Name::Leaves),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Negate,
}

impl Operator {
    /// How tightly it binds.
    fn rank(self) -> u8 {
        match self {
            Self::Add | Self::Subtract => 1,
            Self::Multiply | Self::Divide => 2,
            Self::Negate => 3,
        }
    }
}

/// No sensible expression is longer; a text from a URL might be.
const MAX_STEPS: usize = 1000;

/// How deep parentheses and signs may nest.
const MAX_DEPTH: usize = 100;

impl Expression {
    /// Understands a text.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        Parser { text, at: 0, steps: Vec::new(), waiting: Vec::new() }.parse()
    }

    /// The value for a group; `None` where a part of it is undefined, where it divides by 0, and
    /// where the result is too large for a number.
    pub fn evaluate(&self, group: &Summary) -> Option<f64> {
        let mut stack = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let value = match *step {
                Step::Number(number) => number,
                Step::Name(name) => name.of(group)?,
                Step::Apply(operator) => operator.apply(&mut stack)?,
            };
            stack.push(value);
        }
        stack.pop().filter(|value: &f64| value.is_finite())
    }
}

impl Name {
    fn of(self, group: &Summary) -> Option<f64> {
        match self {
            Self::Sum => Some(group.sum),
            Self::Mean => group.mean,
            Self::Min => group.min,
            Self::Max => group.max,
            Self::Count => Some(group.count as f64),
            Self::Std => group.std,
            Self::Leaves => Some(group.leaves as f64),
        }
    }
}

impl Operator {
    /// Takes its operands from the stack; `None` if the result is undefined.
    fn apply(self, stack: &mut Vec<f64>) -> Option<f64> {
        let right = stack.pop()?;
        match self {
            Self::Add => Some(stack.pop()? + right),
            Self::Subtract => Some(stack.pop()? - right),
            Self::Multiply => Some(stack.pop()? * right),
            Self::Divide => stack.pop().filter(|_| right != 0.0).map(|left| left / right),
            Self::Negate => Some(-right),
        }
    }
}

/// What waits for its right operand, or for its closing parenthesis.
#[derive(Clone, Copy)]
enum Waiting {
    Operator(Operator),
    /// With the place where it was opened.
    Parenthesis(usize),
}

/// Dijkstra's shunting yard.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    steps: Vec<Step>,
    waiting: Vec<Waiting>,
}

impl Parser<'_> {
    fn parse(mut self) -> Result<Expression, SyntaxError> {
        loop {
            self.operand()?;
            if !self.operator()? {
                return Ok(Expression { steps: self.steps, text: self.text.trim().to_owned() });
            }
        }
    }

    /// Reads signs and opening parentheses, then a number or a name.
    fn operand(&mut self) -> Result<(), SyntaxError> {
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'(') => self.wait(Waiting::Parenthesis(self.at))?,
                Some(b'-') => self.wait(Waiting::Operator(Operator::Negate))?,
                Some(b'+') => {}
                Some(byte) if byte.is_ascii_digit() || byte == b'.' => return self.number(),
                Some(byte) if byte.is_ascii_alphabetic() => return self.name(),
                _ => return Err(self.unexpected("a number, a name or \"(\"")),
            }
            self.at += 1;
        }
    }

    /// Reads closing parentheses, then an operator; `false` at the end of the text.
    fn operator(&mut self) -> Result<bool, SyntaxError> {
        loop {
            self.skip_space();
            let operator = match self.peek() {
                Some(b'+') => Operator::Add,
                Some(b'-') => Operator::Subtract,
                Some(b'*') => Operator::Multiply,
                Some(b'/') => Operator::Divide,
                Some(b')') => {
                    self.close()?;
                    self.at += 1;
                    continue;
                }
                None => {
                    self.end()?;
                    return Ok(false);
                }
                _ => return Err(self.unexpected("+ - * / or the end")),
            };
            self.apply_waiting(operator.rank())?;
            self.wait(Waiting::Operator(operator))?;
            self.at += 1;
            return Ok(true);
        }
    }

    fn close(&mut self) -> Result<(), SyntaxError> {
        self.apply_waiting(0)?;
        match self.waiting.pop() {
            Some(_) => Ok(()),
            None => Err(SyntaxError::new(self.at, "\")\" closes nothing")),
        }
    }

    fn end(&mut self) -> Result<(), SyntaxError> {
        self.apply_waiting(0)?;
        match self.waiting.pop() {
            Some(Waiting::Parenthesis(at)) => Err(SyntaxError::new(at, "\"(\" is not closed")),
            _ => Ok(()),
        }
    }

    /// Applies the operators back to the last parenthesis that bind at least as tightly.
    fn apply_waiting(&mut self, rank: u8) -> Result<(), SyntaxError> {
        while let Some(&Waiting::Operator(operator)) = self.waiting.last()
            && operator.rank() >= rank
        {
            self.waiting.pop();
            self.step(Step::Apply(operator))?;
        }
        Ok(())
    }

    fn wait(&mut self, waiting: Waiting) -> Result<(), SyntaxError> {
        if self.waiting.len() == MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(SyntaxError::new(self.at, message));
        }
        self.waiting.push(waiting);
        Ok(())
    }

    fn step(&mut self, step: Step) -> Result<(), SyntaxError> {
        if self.steps.len() == MAX_STEPS {
            let message = format!("longer than {MAX_STEPS} numbers, names and operators");
            return Err(SyntaxError::new(self.at, message));
        }
        self.steps.push(step);
        Ok(())
    }

    fn number(&mut self) -> Result<(), SyntaxError> {
        let bytes = self.text.as_bytes();
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let mut end = digits(self.at);
        if bytes.get(end) == Some(&b'.') {
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let signed = matches!(bytes.get(end + 1), Some(b'+' | b'-'));
            end = digits(end + 1 + usize::from(signed));
        }
        let word = &self.text[self.at..end];
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => self.step(Step::Number(number))?,
            _ => return Err(SyntaxError::new(self.at, format!("\"{word}\" is not a number"))),
        }
        self.at = end;
        Ok(())
    }

    fn name(&mut self) -> Result<(), SyntaxError> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = &rest[..end];
        let Some(&(_, name)) = NAMES.iter().find(|(text, _)| *text == word) else {
            let names: Vec<&str> = NAMES.iter().map(|(text, _)| *text).collect();
            let message = format!("no operator \"{word}\"; there are {}", names.join(", "));
            return Err(SyntaxError::new(self.at, message));
        };
        self.step(Step::Name(name))?;
        self.at += end;
        Ok(())
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn unexpected(&self, wanted: &str) -> SyntaxError {
        SyntaxError::unexpected(self.text, self.at, wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: Summary = Summary {
        leaves: 5,
        count: 4,
        sum: 20.0,
        mean: Some(5.0),
        min: Some(2.0),
        max: Some(8.0),
        std: Some(3.0),
    };

    fn value(text: &str) -> Option<f64> {
        Expression::parse(text).expect("an expression").evaluate(&GROUP)
    }

    #[test]
    fn arithmetic_has_its_usual_meaning() {
        assert_eq!(value("max / mean"), Some(1.6));
        assert_eq!(value("(max-mean)/mean*100"), Some(60.0));
        assert_eq!(value("8 - 2 - 1"), Some(5.0), "from the left");
        assert_eq!(value("8 / 2 / 2"), Some(2.0));
        assert_eq!(value("1 + 2 * 3"), Some(7.0));
        assert_eq!(value("-min * -(1 - 3)"), Some(-4.0));
        assert_eq!(value("2 - -2"), Some(4.0));
        assert_eq!(value("leaves - count + .5e1 + 2E-1*0"), Some(6.0));
        assert_eq!(value("sum + std"), Some(23.0));
    }

    #[test]
    fn what_has_no_value_is_undefined() {
        assert_eq!(value("1 / (mean - 5)"), None);
        assert_eq!(value("1e308 * 1e308"), None);
        let empty = Summary { mean: None, count: 0, ..GROUP };
        assert_eq!(Expression::parse("mean * 0").expect("an expression").evaluate(&empty), None);
    }

    #[test]
    fn errors_tell_the_place() {
        let error = |text: &str| Expression::parse(text).expect_err(text);
        let cases = [
            ("", 0, "the text ends where a number, a name or \"(\" should be"),
            ("max / ", 6, "the text ends"),
            ("max mean", 4, "\"m\" where + - * / or the end should be"),
            ("max / avg", 6, "no operator \"avg\"; there are sum, mean, min"),
            ("(max", 0, "\"(\" is not closed"),
            ("max)", 3, "\")\" closes nothing"),
            ("1 + é", 4, "\"é\" where"),
            ("1e", 0, "\"1e\" is not a number"),
            ("()", 1, "\")\" where a number"),
        ];
        for (text, at, message) in cases {
            let error = error(text);
            assert_eq!(error.at, at, "{text}");
            assert!(error.message.contains(message), "{text}: {error}");
        }
        assert_eq!(error("max)").to_string(), "column 4: \")\" closes nothing");
    }

    #[test]
    fn depth_and_length_are_limited() {
        let deep = format!("{}1{}", "(".repeat(MAX_DEPTH), ")".repeat(MAX_DEPTH));
        assert_eq!(value(&deep), Some(1.0));
        assert!(Expression::parse(&"(".repeat(1_000_000)).is_err());
        assert!(Expression::parse(&"-".repeat(1_000_000)).is_err());
        assert!(Expression::parse(&format!("1{}", "+1".repeat(1_000_000))).is_err());
    }
}
