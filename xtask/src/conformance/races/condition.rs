//! Conditions on what programs leave in memory, as in `%x[0][1] == 3 and %y != 0`.

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Compare(Term, String, Term),
}

/// Something that is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Term {
    Number(i64),
    /// A variable, without the percent sign, and indexes into it.
    Variable(String, Vec<usize>),
}

/// An integer in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) bits: u64,
    /// In bits.
    pub(super) width: u32,
}

impl Condition {
    /// Reads a condition.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut tokens = Tokens { rest: text };
        let condition = tokens.any(0)?;
        match tokens.rest.trim() {
            "" => Ok(condition),
            rest => Err(format!("`{rest}` is left over")),
        }
    }

    /// Adds the elements that it is about, with the indexes into their variables.
    pub(super) fn add_elements<'a>(&'a self, to: &mut Vec<(&'a str, &'a [usize])>) {
        match self {
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().for_each(|part| part.add_elements(to));
            }
            Self::Not(part) => part.add_elements(to),
            Self::Compare(a, _, b) => to.extend([a, b].into_iter().filter_map(|term| match term {
                Term::Number(_) => None,
                Term::Variable(name, indexes) => Some((name.as_str(), &indexes[..])),
            })),
        }
    }

    /// Whether it holds, given what variables hold.
    pub(super) fn holds(
        &self,
        value: &dyn Fn(&str, &[usize]) -> Option<Element>,
    ) -> Result<bool, String> {
        let of = |term: &Term| match term {
            Term::Number(number) => Ok(Element {
                bits: *number as u64,
                width: 64,
            }),
            Term::Variable(name, indexes) => {
                value(name, indexes).ok_or_else(|| format!("`%{name}` has no such element"))
            }
        };
        match self {
            Self::All(parts) => parts
                .iter()
                .try_fold(true, |all, it| Ok(all & it.holds(value)?)),
            Self::Any(parts) => parts
                .iter()
                .try_fold(false, |any, it| Ok(any | it.holds(value)?)),
            Self::Not(part) => Ok(!part.holds(value)?),
            Self::Compare(a, op, b) => {
                let (a, b) = (of(a)?, of(b)?);
                // Headers write numbers with or without a sign, whatever the types say.
                let unused = 64 - a.width.min(b.width);
                let [a, b] = [a, b].map(|it| (it.bits << unused) as i64 >> unused);
                Ok(match op.as_str() {
                    "==" => a == b,
                    "!=" => a != b,
                    "<" => a < b,
                    "<=" => a <= b,
                    ">" => a > b,
                    _ => a >= b,
                })
            }
        }
    }
}

/// A number, decimal or hexadecimal, or a Boolean.
pub(super) fn number(text: &str) -> Result<i64, String> {
    let wrong = || format!("`{text}` is no number");
    let (digits, sign) = match text.strip_prefix('-') {
        Some(digits) => (digits, -1),
        None => (text, 1),
    };
    match (digits, digits.strip_prefix("0x")) {
        ("true", _) => Ok(1),
        ("false", _) => Ok(0),
        (_, Some(hex)) => {
            let bits = u64::from_str_radix(hex, 16).map_err(|_| wrong())?;
            Ok((bits as i64).wrapping_mul(sign))
        }
        // Unsigned numbers of 64 bits are written, too.
        _ => match digits.parse::<u64>() {
            Ok(number) if digits.starts_with(|it: char| it.is_ascii_digit()) => {
                Ok((number as i64).wrapping_mul(sign))
            }
            _ => Err(wrong()),
        },
    }
}

struct Tokens<'a> {
    rest: &'a str,
}

/// How deep conditions may be.
const MAX_DEPTH: u32 = 100;

impl Tokens<'_> {
    fn take(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start();
        let is_word = token.chars().all(char::is_alphabetic);
        match rest.strip_prefix(token) {
            Some(after) if !is_word || !after.starts_with(|it: char| it.is_alphanumeric()) => {
                self.rest = after;
                true
            }
            _ => false,
        }
    }

    fn any(&mut self, depth: u32) -> Result<Condition, String> {
        let mut parts = vec![self.all(depth)?];
        while self.take("or") || self.take("\\/") || self.take("||") {
            parts.push(self.all(depth)?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Condition::Any(parts),
        })
    }

    fn all(&mut self, depth: u32) -> Result<Condition, String> {
        let mut parts = vec![self.part(depth)?];
        while self.take("and") || self.take("/\\") || self.take("&&") {
            parts.push(self.part(depth)?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Condition::All(parts),
        })
    }

    fn part(&mut self, depth: u32) -> Result<Condition, String> {
        if depth > MAX_DEPTH {
            return Err("the condition is too deep".to_owned());
        }
        let is_unequal = self.rest.trim_start().starts_with("!=");
        if self.take("not") || self.take("~") || !is_unequal && self.take("!") {
            return Ok(Condition::Not(Box::new(self.part(depth + 1)?)));
        }
        if self.take("(") {
            let inner = self.any(depth + 1)?;
            return match self.take(")") {
                true => Ok(inner),
                false => Err(format!("`)` is missing before `{}`", self.rest)),
            };
        }
        for (word, truth) in [("true", true), ("false", false)] {
            let before = self.rest;
            if self.take(word) {
                // It may be compared as well.
                if !self.rest.trim_start().starts_with(['=', '!', '<', '>']) {
                    let parts = Vec::new();
                    return Ok(match truth {
                        true => Condition::All(parts),
                        false => Condition::Any(parts),
                    });
                }
                self.rest = before;
            }
        }
        let a = self.term()?;
        let ops = ["==", "!=", "<=", ">=", "<", ">", "="];
        let Some(op) = ops.into_iter().find(|op| self.take(op)) else {
            return Err(format!("a comparison is missing before `{}`", self.rest));
        };
        let op = if op == "=" { "==" } else { op };
        Ok(Condition::Compare(a, op.to_owned(), self.term()?))
    }

    fn term(&mut self) -> Result<Term, String> {
        if self.take("%") {
            let name = self.word(|it| it.is_alphanumeric() || it == '_');
            let mut indexes = Vec::new();
            while self.take("[") {
                let index = self.word(|it| it.is_ascii_digit());
                indexes.push(
                    index
                        .parse()
                        .map_err(|_| format!("`{index}` is no index"))?,
                );
                if !self.take("]") {
                    return Err(format!("`]` is missing before `{}`", self.rest));
                }
            }
            return Ok(Term::Variable(name, indexes));
        }
        let text = self.word(|it| it.is_ascii_alphanumeric() || it == '-');
        Ok(Term::Number(number(&text)?))
    }

    fn word(&mut self, is_part: impl Fn(char) -> bool) -> String {
        let rest = self.rest.trim_start();
        let end = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
        self.rest = &rest[end..];
        rest[..end].to_owned()
    }
}
