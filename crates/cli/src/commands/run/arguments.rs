//! What `spv run` takes: bindings, numbers, ranges.

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;
use spirvkit::binary::{FloatFormat, NumberType};
use spirvkit::eval::{Environment, Scalar, ScalarType, evaluate_scalar};
use spirvkit::grammar::Op;
use spirvkit::interp::Sampler;
use spirvkit::text::{parse_number, write_number};

use super::images::{self, Texels};
use super::places::{Wanted, wanted};

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
    Value(Value),
    /// Memory of each workgroup.
    Local(u32),
    /// A pipe for packets of so many bytes, and how many, with those that are there.
    Pipe([u32; 2], Option<Box<Contents>>),
    Texels(Texels),
    Sampler(Sampler),
    File(PathBuf, FileForm),
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileForm {
    Raw,
    Json,
    Npy,
    Png,
}

impl FileForm {
    /// By the name's extension.
    pub(super) fn of(name: &str) -> Self {
        match name.rsplit_once('.').map(|it| it.1) {
            Some("json") => Self::Json,
            Some("npy") => Self::Npy,
            Some("png") => Self::Png,
            _ => Self::Raw,
        }
    }
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
    /// A number for programs. JSON has no infinities and NaNs: they are strings.
    pub(super) fn value(self, bytes: &[u8]) -> Value {
        let text = self.text(bytes);
        serde_json::from_str(&text).unwrap_or(Value::String(text))
    }

    const fn integer(name: &'static str, width: u8, signed: bool) -> Self {
        let number = NumberType::Integer { width, signed };
        Self { name, number }
    }

    const fn float(name: &'static str, format: FloatFormat) -> Self {
        let number = NumberType::Float(format);
        Self { name, number }
    }

    /// The type of these numbers.
    pub(super) fn of(number: NumberType) -> Self {
        let found = TYPES.into_iter().find(|ty| ty.number == number);
        let name = "number";
        found.unwrap_or(Self { name, number })
    }

    pub(super) fn named(name: &str) -> Result<Self, String> {
        let found = TYPES.into_iter().find(|ty| ty.name == name);
        found.ok_or_else(|| {
            let names = TYPES.map(|ty| ty.name).join(", ");
            format!("`{name}` is not a type of numbers; there are {names}")
        })
    }

    /// How many bytes a number takes.
    pub(super) fn size(self) -> usize {
        (ScalarType::from(self.number).width() / 8) as usize
    }

    /// The bits of a number.
    pub(super) fn parse(self, text: &str) -> Result<u64, String> {
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
    pub(super) fn text(self, bytes: &[u8]) -> String {
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

/// Memory that only addresses lead to.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) name: String,
    /// The name of the structure that lies there.
    pub(super) ty: Option<String>,
    pub(super) contents: Contents,
}

/// `NAME[:TYPE]=CONTENTS`.
pub(super) fn memory(text: &str) -> Result<Memory, String> {
    let Some((place, contents)) = text.split_once('=') else {
        return Err("it must have the form NAME=CONTENTS, such as list=u32:1,2".into());
    };
    let (name, ty) = match place.split_once(':') {
        Some((name, ty)) => (name, Some(ty.to_owned())),
        None => (place, None),
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_part) {
        return Err(format!("`{name}` is not a name of letters and digits"));
    }
    Ok(Memory {
        name: name.to_owned(),
        ty,
        contents: self::contents(contents)?,
    })
}

/// `WHERE=CONTENTS`.
pub(super) fn binding(text: &str) -> Result<(Wanted, Contents), String> {
    let Some((place, contents)) = text.split_once('=') else {
        return Err("it must have the form WHERE=CONTENTS, such as 0:1=x.bin or x=[1,2]".into());
    };
    Ok((wanted(place)?, self::contents(contents)?))
}

fn contents(text: &str) -> Result<Contents, String> {
    if let Some(bytes) = text.strip_prefix("zeros:") {
        let bytes = bytes
            .parse()
            .map_err(|_| format!("`{bytes}` is not a number of bytes"))?;
        return Ok(Contents::Zeros(bytes));
    }
    if let Some(bytes) = text.strip_prefix("local:") {
        let bytes = bytes
            .parse()
            .map_err(|_| format!("`{bytes}` is not a number of bytes"))?;
        return Ok(Contents::Local(bytes));
    }
    if let Some(text) = text.strip_prefix("pipe:") {
        return pipe(text);
    }
    if let Some(words) = text.strip_prefix("sampler:") {
        return Ok(Contents::Sampler(images::sampler(words)?));
    }
    if let Some(texels) = images::texels(text) {
        return Ok(Contents::Texels(texels?));
    }
    if let Some(path) = text.strip_prefix("raw:") {
        return Ok(Contents::File(path.into(), FileForm::Raw));
    }
    if text.starts_with(['{', '[']) {
        let value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
        return Ok(Contents::Value(value));
    }
    if let Ok(value @ Value::Number(_)) = serde_json::from_str(text) {
        return Ok(Contents::Value(value));
    }
    let is_number_type = |name: &str| TYPES.iter().any(|ty| ty.name == name);
    match text.split_once(':') {
        Some((name, _)) if is_number_type(name) => Ok(Contents::Numbers(numbers(text)?)),
        _ => Ok(Contents::File(text.into(), FileForm::of(text))),
    }
}

/// `SIZE,CAPACITY[:PACKETS]`.
fn pipe(text: &str) -> Result<Contents, String> {
    let (sizes, packets) = match text.split_once(':') {
        Some((sizes, packets)) => (sizes, Some(contents(packets)?)),
        None => (text, None),
    };
    let sizes = sizes.split_once(',').and_then(|(size, capacity)| {
        let sizes = [size.parse().ok()?, capacity.parse().ok()?];
        Some(sizes)
    });
    let Some(sizes) = sizes else {
        return Err("a pipe has the form pipe:SIZE,CAPACITY, such as pipe:4,16".into());
    };
    match packets {
        None | Some(Contents::Numbers(_) | Contents::File(_, FileForm::Raw)) => {
            Ok(Contents::Pipe(sizes, packets.map(Box::new)))
        }
        Some(_) => Err("the packets of a pipe are numbers, such as u32:1,2, or a file".into()),
    }
}

/// `WHERE=FILE`.
pub(super) fn output(text: &str) -> Result<(Wanted, PathBuf), String> {
    match text.split_once('=') {
        Some((place, path)) if !path.is_empty() => Ok((wanted(place)?, path.into())),
        _ => Err("it must have the form WHERE=FILE, such as 0:1=y.npy".into()),
    }
}

/// `X[,Y[,Z]]`.
pub(super) fn invocation(text: &str) -> Result<[u32; 3], String> {
    dimensions(text, 0, "an index of an invocation")
}

/// What push constants get: numbers one behind the other, or a member its value.
#[derive(Clone, Debug)]
pub(super) enum Push {
    Numbers(Numbers),
    Member(Wanted, Value),
}

/// `TYPE:NUMBERS` or `MEMBER=VALUE`.
pub(super) fn push(text: &str) -> Result<Push, String> {
    let Some((member, value)) = text.split_once('=') else {
        return numbers(text).map(Push::Numbers);
    };
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    Ok(Push::Member(wanted(member)?, value))
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

/// `X[,Y[,Z]]`.
pub(super) fn groups(text: &str) -> Result<[u32; 3], String> {
    dimensions(text, 1, "a number of workgroups")
}

fn dimensions(text: &str, rest: u32, what: &str) -> Result<[u32; 3], String> {
    let mut all = [rest; 3];
    let mut numbers = text.split(',');
    for (one, number) in all.iter_mut().zip(numbers.by_ref()) {
        *one = number
            .parse()
            .map_err(|_| format!("`{number}` is not {what}"))?;
    }
    match numbers.next() {
        None => Ok(all),
        Some(_) => Err("there are at most three dimensions".into()),
    }
}
