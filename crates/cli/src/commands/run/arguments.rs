//! What `spv run` takes: bindings, numbers, ranges.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde_json::{Value, json};
use spirvkit::interp::{Element, Outcome};

/// Where a buffer is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Binding {
    pub(super) set: u32,
    pub(super) binding: u32,
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.set, self.binding)
    }
}

/// What a buffer holds before the run.
#[derive(Clone, Debug)]
pub(super) enum Contents {
    Zeros(usize),
    Numbers(Numbers),
    File(PathBuf),
}

/// Numbers as they lie in memory.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub(super) bytes: Vec<u8>,
}

/// The type of numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberType {
    name: &'static str,
    parse: fn(&str, &mut Vec<u8>) -> Option<()>,
    read: fn(&Outcome, Binding) -> Vec<Value>,
}

/// All types of numbers.
const TYPES: [NumberType; 10] = [
    NumberType::integer::<u8>("u8"),
    NumberType::integer::<i8>("i8"),
    NumberType::integer::<u16>("u16"),
    NumberType::integer::<i16>("i16"),
    NumberType::integer::<u32>("u32"),
    NumberType::integer::<i32>("i32"),
    NumberType::integer::<u64>("u64"),
    NumberType::integer::<i64>("i64"),
    NumberType::float::<f32>("f32"),
    NumberType::float::<f64>("f64"),
];

impl NumberType {
    const fn integer<T>(name: &'static str) -> Self
    where
        T: Element + TryFrom<i128> + Into<Value>,
    {
        Self {
            name,
            parse: parse_integer::<T>,
            read: read::<T>,
        }
    }

    const fn float<T>(name: &'static str) -> Self
    where
        T: Element + FromStr + Into<Value> + fmt::Display,
    {
        Self {
            name,
            parse: parse_float::<T>,
            read: read_floats::<T>,
        }
    }

    pub(super) fn name(self) -> &'static str {
        self.name
    }

    fn named(name: &str) -> Result<Self, String> {
        let found = TYPES.into_iter().find(|ty| ty.name == name);
        found.ok_or_else(|| {
            let names = TYPES.map(|ty| ty.name).join(", ");
            format!("`{name}` is not a type of numbers; there are {names}")
        })
    }
}

fn parse_integer<T: Element + TryFrom<i128>>(text: &str, to: &mut Vec<u8>) -> Option<()> {
    T::try_from(whole(text)?).ok()?.write(to);
    Some(())
}

/// A decimal or hexadecimal number.
fn whole(text: &str) -> Option<i128> {
    match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn parse_float<T: Element + FromStr>(text: &str, to: &mut Vec<u8>) -> Option<()> {
    text.parse::<T>().ok()?.write(to);
    Some(())
}

fn read<T: Element + Into<Value>>(outcome: &Outcome, binding: Binding) -> Vec<Value> {
    let numbers = outcome.read::<T>(binding.set, binding.binding);
    numbers.into_iter().map(Into::into).collect()
}

/// JSON has no infinities and NaNs: they are strings.
fn read_floats<T>(outcome: &Outcome, binding: Binding) -> Vec<Value>
where
    T: Element + Into<Value> + fmt::Display,
{
    let numbers = outcome.read::<T>(binding.set, binding.binding).into_iter();
    let value = |number: T| match number.into() {
        Value::Null => json!(number.to_string()),
        // As short as the number's own type has it.
        _ => number
            .to_string()
            .parse::<f64>()
            .map_or(Value::Null, Into::into),
    };
    numbers.map(value).collect()
}

/// What to show of a buffer.
#[derive(Clone, Debug)]
pub(super) struct Print {
    pub(super) binding: Binding,
    pub(super) ty: NumberType,
    start: usize,
    end: usize,
}

impl Print {
    pub(super) fn values(&self, outcome: &Outcome) -> Vec<Value> {
        let mut all = (self.ty.read)(outcome, self.binding);
        all.truncate(self.end);
        all.split_off(self.start.min(all.len()))
    }

    /// The numbers as people write them.
    pub(super) fn numbers(&self, outcome: &Outcome) -> Vec<String> {
        let text = |value: Value| match value {
            Value::String(text) => text,
            Value::Number(number) => {
                let text = number.to_string();
                text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
            }
            other => other.to_string(),
        };
        self.values(outcome).into_iter().map(text).collect()
    }
}

/// `SET:BINDING=CONTENTS`.
pub(super) fn binding(text: &str) -> Result<(Binding, Contents), String> {
    let Some((at, contents)) = text.split_once('=') else {
        return Err("it must have the form SET:BINDING=CONTENTS".into());
    };
    let Some((set, binding)) = at.split_once(':') else {
        return Err("it must have the form SET:BINDING=CONTENTS".into());
    };
    let binding = place(set, binding)?;
    if let Some(bytes) = contents.strip_prefix("zeros:") {
        let bytes = bytes
            .parse()
            .map_err(|_| format!("`{bytes}` is not a number of bytes"))?;
        return Ok((binding, Contents::Zeros(bytes)));
    }
    let is_number_type = |name: &str| TYPES.iter().any(|ty| ty.name == name);
    match contents.split_once(':') {
        Some((name, _)) if is_number_type(name) => {
            Ok((binding, Contents::Numbers(numbers(contents)?)))
        }
        _ => Ok((binding, Contents::File(contents.into()))),
    }
}

fn place(set: &str, binding: &str) -> Result<Binding, String> {
    let number = |text: &str| {
        let number = text.parse::<u32>();
        number.map_err(|_| format!("`{text}` is not the number of a set or binding"))
    };
    Ok(Binding {
        set: number(set)?,
        binding: number(binding)?,
    })
}

/// `TYPE:NUMBERS`.
pub(super) fn numbers(text: &str) -> Result<Numbers, String> {
    let Some((ty, list)) = text.split_once(':') else {
        return Err("it must have the form TYPE:NUMBERS, such as f32:1,2.5".into());
    };
    let ty = NumberType::named(ty)?;
    let mut bytes = Vec::new();
    for number in list.split(',').map(str::trim) {
        let parsed = (ty.parse)(number, &mut bytes);
        parsed.ok_or_else(|| format!("`{number}` is not a number of the type {}", ty.name))?;
    }
    Ok(Numbers { bytes })
}

/// `SET:BINDING:TYPE[RANGE]`.
pub(super) fn print(text: &str) -> Result<Print, String> {
    let form = "it must have the form SET:BINDING:TYPE or SET:BINDING:TYPE[START..END]";
    let parts: Vec<&str> = text.splitn(3, ':').collect();
    let &[set, binding, rest] = &parts[..] else {
        return Err(form.into());
    };
    let binding = place(set, binding)?;
    let Some((ty, range)) = rest.split_once('[') else {
        return Ok(Print {
            binding,
            ty: NumberType::named(rest)?,
            start: 0,
            end: usize::MAX,
        });
    };
    let range = range
        .strip_suffix(']')
        .and_then(|range| range.split_once(".."));
    let (start, end) = range.ok_or(form)?;
    let bound = |text: &str, default: usize| match text {
        "" => Ok(default),
        text => text
            .parse()
            .map_err(|_| format!("`{text}` is not an index")),
    };
    Ok(Print {
        binding,
        ty: NumberType::named(ty)?,
        start: bound(start, 0)?,
        end: bound(end, usize::MAX)?,
    })
}

/// `SPECID=VALUE`.
pub(super) fn constant(text: &str) -> Result<(u32, u64), String> {
    let Some((id, value)) = text.split_once('=') else {
        return Err("it must have the form SPECID=VALUE".into());
    };
    let id = id.parse().map_err(|_| format!("`{id}` is not a SpecId"))?;
    let bits = match value {
        "true" => Some(1),
        "false" => Some(0),
        // Floating-point numbers have a point, or an exponent.
        _ => whole(value).map(|number| number as u64).or_else(|| {
            let number = value.parse::<f32>().ok()?;
            Some(number.to_bits().into())
        }),
    };
    let bits = bits.ok_or_else(|| format!("`{value}` is not a number, true or false"))?;
    Ok((id, bits))
}

/// `X[,Y[,Z]]`.
pub(super) fn groups(text: &str) -> Result<[u32; 3], String> {
    let mut groups = [1; 3];
    let mut numbers = text.split(',');
    for (group, number) in groups.iter_mut().zip(numbers.by_ref()) {
        *group = number
            .parse()
            .map_err(|_| format!("`{number}` is not a number of workgroups"))?;
    }
    match numbers.next() {
        None => Ok(groups),
        Some(_) => Err("there are at most three dimensions".into()),
    }
}
