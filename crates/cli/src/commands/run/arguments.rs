//! What `spv run` takes: bindings, numbers, ranges.

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;
use spirvkit::binary::{FloatFormat, NumberType};
use spirvkit::eval::{Environment, Scalar, ScalarType, evaluate_scalar};
use spirvkit::grammar::Op;
use spirvkit::interp::Outcome;
use spirvkit::text::{parse_number, write_number};

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

/// A type of numbers, by its name here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Type {
    pub(super) name: &'static str,
    number: NumberType,
}

/// All types of numbers.
const TYPES: [Type; 11] = [
    Type::integer("u8", 8, false),
    Type::integer("i8", 8, true),
    Type::integer("u16", 16, false),
    Type::integer("i16", 16, true),
    Type::integer("u32", 32, false),
    Type::integer("i32", 32, true),
    Type::integer("u64", 64, false),
    Type::integer("i64", 64, true),
    Type::float("f16", FloatFormat::Half),
    Type::float("f32", FloatFormat::Single),
    Type::float("f64", FloatFormat::Double),
];

impl Type {
    const fn integer(name: &'static str, width: u8, signed: bool) -> Self {
        let number = NumberType::Integer { width, signed };
        Self { name, number }
    }

    const fn float(name: &'static str, format: FloatFormat) -> Self {
        let number = NumberType::Float(format);
        Self { name, number }
    }

    fn named(name: &str) -> Result<Self, String> {
        let found = TYPES.into_iter().find(|ty| ty.name == name);
        found.ok_or_else(|| {
            let names = TYPES.map(|ty| ty.name).join(", ");
            format!("`{name}` is not a type of numbers; there are {names}")
        })
    }

    /// How many bytes a number takes.
    fn size(self) -> usize {
        (ScalarType::from(self.number).width() / 8) as usize
    }

    /// The bits of a number.
    fn parse(self, text: &str) -> Result<u64, String> {
        let special = match (self.number, text) {
            (NumberType::Float(_), "inf") => Some(f64::INFINITY),
            (NumberType::Float(_), "-inf") => Some(f64::NEG_INFINITY),
            (NumberType::Float(_), "NaN") => Some(f64::NAN),
            _ => None,
        };
        if let Some(special) = special {
            let operand = [Scalar::from(special)];
            let converted = evaluate_scalar(
                Op::FConvert,
                self.number.into(),
                &operand,
                &Environment::default(),
            );
            return converted.map_or_else(
                |error| Err(error.to_string()),
                |outcome| Ok(outcome.common().bits()),
            );
        }
        parse_number(text, self.number).map_err(|error| {
            format!(
                "`{text}` is not a number of the type {}: {error}",
                self.name
            )
        })
    }

    /// A number as people write it: as short as the type allows.
    fn text(self, bytes: &[u8]) -> String {
        let bits = bytes
            .iter()
            .rev()
            .fold(0, |all, &byte| all << 8 | u64::from(byte));
        let text = match (Scalar::new(self.number.into(), bits).to_f64(), self.number) {
            (Some(number), NumberType::Float(FloatFormat::Double)) => format!("{number:?}"),
            (Some(number), _) => format!("{:?}", number as f32),
            (None, _) => {
                let mut text = String::new();
                write_number(&mut text, self.number, bits);
                text
            }
        };
        match text.strip_suffix(".0") {
            Some(whole) => whole.to_owned(),
            None => text,
        }
    }
}

/// What to show of a buffer.
#[derive(Clone, Debug)]
pub(super) struct Print {
    pub(super) binding: Binding,
    pub(super) ty: Type,
    start: usize,
    end: usize,
}

impl Print {
    /// The numbers as people write them.
    pub(super) fn numbers(&self, outcome: &Outcome) -> Vec<String> {
        let bytes = outcome.bytes(self.binding.set, self.binding.binding);
        let numbers = bytes.chunks_exact(self.ty.size());
        let shown = numbers.take(self.end).skip(self.start);
        shown.map(|bytes| self.ty.text(bytes)).collect()
    }

    /// The same for programs. JSON has no infinities and NaNs: they are strings.
    pub(super) fn values(&self, outcome: &Outcome) -> Vec<Value> {
        let numbers = self.numbers(outcome).into_iter();
        let value = |text: String| serde_json::from_str(&text).unwrap_or(Value::String(text));
        numbers.map(value).collect()
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
    let ty = Type::named(ty)?;
    let mut bytes = Vec::new();
    for number in list.split(',') {
        let bits = ty.parse(number.trim())?.to_le_bytes();
        bytes.extend(&bits[..ty.size()]);
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
            ty: Type::named(rest)?,
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
        ty: Type::named(ty)?,
        start: bound(start, 0)?,
        end: bound(end, usize::MAX)?,
    })
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
