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
                "Config" => headers.config = config(value)?,
                other => return Err(format!("the header @{other} is not known")),
            }
        }
        Ok(headers)
    }
}

/// Three numbers.
fn config(text: &str) -> Result<[u32; 3], String> {
    let numbers = text.split(',').map(|number| number.trim().parse::<u32>());
    let numbers: Result<Vec<u32>, _> = numbers.collect();
    let numbers = numbers.map_err(|error| format!("@Config: {error}"))?;
    let config: Option<[u32; 3]> = numbers.try_into().ok();
    config
        .filter(|config| !config.contains(&0))
        .ok_or_else(|| "@Config has not three numbers".to_owned())
}

/// A condition behind a quantifier, and perhaps a comma.
fn output(text: &str) -> Result<(Quantifier, Condition), String> {
    let text = text.strip_suffix(',').unwrap_or(text);
    let negated = ["not", "~", "!"]
        .iter()
        .find_map(|sign| text.strip_prefix(sign));
    let quantified = negated.unwrap_or(text).trim_start();
    let exists = quantified.strip_prefix("exists");
    let (quantifier, rest) = match (exists, negated, text.strip_prefix("forall")) {
        (Some(rest), None, _) => (Quantifier::Sometimes, rest),
        (Some(rest), Some(_), _) => (Quantifier::Never, rest),
        (None, _, Some(rest)) => (Quantifier::Always, rest),
        _ => return Err(format!("`{text}` begins with no quantifier")),
    };
    Ok((quantifier, Condition::parse(rest)?))
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
    // What a list is may stand before it.
    let kinds = ["RuntimeArray", "Vector", "Array", "Struct"];
    let kind = kinds.iter().find_map(|kind| text.strip_prefix(kind));
    let Some(mut rest) = kind.unwrap_or(text).trim_start().strip_prefix('{') else {
        let end = text.find(|it: char| it != '-' && !it.is_ascii_alphanumeric());
        let (number, rest) = text.split_at(end.unwrap_or(text.len()));
        return Ok((Value::Number(super::condition::number(number)?), rest));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn list(numbers: &[i64]) -> Value {
        Value::List(numbers.iter().map(|&it| Value::Number(it)).collect())
    }

    #[test]
    fn all_forms_of_headers() {
        let text = "; @Input: %a = 1, %b={-2, 0x10}, %c = Vector {true,false}
;@Input : %d = {{1,2},{3}}
; @Output: forall (%a == 1 and %b[1] >= -2),
; @Output: not exists (%d[0][1] != 2)
; @Output: ~exists (true)
; @Output: exists (%a < 0x2 \\/ not %a > 1)
; @Filter: %a == 1 && !(%b[0] == 3 || false)
; @Config: 4, 2,1
; a comment: with a colon
OpCapability Shader
";
        let headers = Headers::parse(text).unwrap();
        let expected = [
            ("a", Value::Number(1)),
            ("b", list(&[-2, 16])),
            ("c", list(&[1, 0])),
            ("d", Value::List(vec![list(&[1, 2]), list(&[3])])),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value));
        assert_eq!(headers.inputs, expected);
        let quantifiers: Vec<Quantifier> = headers.outputs.iter().map(|it| it.0).collect();
        use Quantifier::{Always, Never, Sometimes};
        assert_eq!(quantifiers, [Always, Never, Never, Sometimes]);
        assert_eq!((headers.filters.len(), headers.config), (1, [4, 2, 1]));
        let element =
            |bits| Some(crate::conformance::races::condition::Element { bits, width: 32 });
        let holds = |condition: &Condition| condition.holds(&|_, _| element(1)).unwrap();
        let all: Vec<bool> = headers.outputs.iter().map(|it| holds(&it.1)).collect();
        assert_eq!(all, [true, true, true, true]);
        assert!(holds(&headers.filters[0]));
    }

    #[test]
    fn what_is_no_header_is_refused() {
        for text in [
            "; @Config: 1, 2",
            "; @Config: 1, 0, 1",
            "; @Output: sometimes (%a == 1)",
            "; @Output: forall (%a == )",
            "; @Input: %a = {1, 2",
            "; @Input: %a = x",
            "; @Other: 1",
        ] {
            assert!(Headers::parse(text).is_err(), "{text}");
        }
    }
}
