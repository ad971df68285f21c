//! What the comments before a program say: inputs, conditions, numbers of threads.

use super::condition::Condition;

/// A value of nested lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Number(i64),
    List(Vec<Value>),
}

/// How often a condition must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantifier {
    Always,
    Sometimes,
    Never,
}

/// The headers of a program.
#[derive(Clone, Debug)]
pub(super) struct Headers {
    /// Names without percent signs, and what they hold at first.
    pub(super) inputs: Vec<(String, Value)>,
    pub(super) outputs: Vec<(Quantifier, Condition)>,
    /// Only runs that fulfil these count.
    pub(super) filters: Vec<Condition>,
    /// The threads in a subgroup, the subgroups in a workgroup, the workgroups.
    pub(super) config: [u32; 3],
}

impl Headers {
    /// How many invocations a subgroup has room for. That is a power of two, of which a single
    /// subgroup need not have all.
    pub(super) fn subgroup_size(&self) -> u32 {
        match self.config {
            [lanes, 1, _] => lanes.checked_next_power_of_two().unwrap_or(lanes),
            [lanes, ..] => lanes,
        }
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut headers = Self {
            inputs: Vec::new(),
            outputs: Vec::new(),
            filters: Vec::new(),
            config: [1, 1, 1],
        };
        let comments = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix(';'));
        let known = comments.filter_map(|line| line.trim().strip_prefix('@'));
        for line in known {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            let value = value.trim();
            match name.trim() {
                "Input" => headers.inputs.extend(inputs(value)?),
                "Output" => headers.outputs.push(output(value)?),
                "Filter" => headers.filters.push(Condition::parse(value)?),
                "Config" => {
                    let numbers = value.split(',').map(|number| number.trim().parse::<u32>());
                    let numbers: Result<Vec<u32>, _> = numbers.collect();
                    let numbers = numbers.map_err(|error| format!("@Config: {error}"))?;
                    let config = numbers.try_into();
                    headers.config =
                        config.map_err(|_| "@Config has not three numbers".to_owned())?;
                }
                other => return Err(format!("the header @{other} is not known")),
            }
        }
        Ok(headers)
    }
}

fn output(text: &str) -> Result<(Quantifier, Condition), String> {
    let quantifiers = [
        ("forall", Quantifier::Always),
        ("not exists", Quantifier::Never),
        ("exists", Quantifier::Sometimes),
    ];
    for (word, quantifier) in quantifiers {
        if let Some(rest) = text.strip_prefix(word) {
            return Ok((quantifier, Condition::parse(rest)?));
        }
    }
    Err(format!("`{text}` begins with no quantifier"))
}

/// `%a = 1, %b = {2, 3}`.
fn inputs(text: &str) -> Result<Vec<(String, Value)>, String> {
    let mut rest = text.trim();
    let mut inputs = Vec::new();
    while let Some(after) = rest.strip_prefix('%') {
        let (name, after) = after.split_once('=').ok_or("an input has no value")?;
        let (value, after) = value(after, 0)?;
        inputs.push((name.trim().to_owned(), value));
        let after = after.trim_start();
        rest = after.strip_prefix(',').unwrap_or(after).trim_start();
    }
    match rest {
        "" => Ok(inputs),
        rest => Err(format!("`{rest}` is no input")),
    }
}

fn value(text: &str, depth: u32) -> Result<(Value, &str), String> {
    let text = text.trim_start();
    let Some(mut rest) = text.strip_prefix('{') else {
        let end = text.find(|it: char| it != '-' && !it.is_ascii_digit());
        let (number, rest) = text.split_at(end.unwrap_or(text.len()));
        let number = number
            .parse()
            .map_err(|_| format!("`{text}` is no number"))?;
        return Ok((Value::Number(number), rest));
    };
    if depth > 100 {
        return Err("lists are nested too deeply".to_owned());
    }
    let mut values = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('}') {
            return Ok((Value::List(values), after));
        }
        let (value, after) = value(rest, depth + 1)?;
        values.push(value);
        let after = after.trim_start();
        rest = after.strip_prefix(',').unwrap_or(after);
        if rest.is_empty() {
            return Err("a list has no end".to_owned());
        }
    }
}
