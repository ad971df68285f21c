//! Parts of buffers as JSON.

use serde_json::{Map, Value};
use spirvkit::binary::NumberType;

use super::arguments::Type;
use super::places::{Blocks, Part};

/// How many bytes a buffer may have that is made of values.
pub(super) const MAX_BYTES: u64 = 1 << 30;

/// How deep values are nested that are shown, and types that are written to.
const MAX_DEPTH: usize = 32;
const MAX_WRITTEN_DEPTH: usize = 200;

/// How many values are shown of a part. A broken module may have more than any buffer.
pub(super) const MAX_VALUES: u64 = 1 << 24;

/// Makes a buffer large enough.
fn make_room(bytes: &mut Vec<u8>, end: u64) -> Result<(), String> {
    if end > MAX_BYTES {
        return Err(format!("it would take {end} bytes, more than {MAX_BYTES}"));
    }
    bytes.resize(bytes.len().max(end as usize), 0);
    Ok(())
}

/// Writes a number where it belongs, and makes the buffer large enough.
pub(super) fn put(bytes: &mut Vec<u8>, offset: u64, bits: u64, size: u32) -> Result<(), String> {
    let end = offset.saturating_add(u64::from(size));
    make_room(bytes, end)?;
    let (start, end) = (offset as usize, end as usize);
    bytes[start..end].copy_from_slice(&bits.to_le_bytes()[..size as usize]);
    Ok(())
}

/// Writes a value into a part. Members that an object doesn't name keep what they have.
pub(super) fn write(
    blocks: &Blocks<'_>,
    part: Part,
    value: &Value,
    bytes: &mut Vec<u8>,
) -> Result<(), String> {
    write_within(blocks, part, value, bytes, MAX_WRITTEN_DEPTH)
}

fn write_within(
    blocks: &Blocks<'_>,
    part: Part,
    value: &Value,
    bytes: &mut Vec<u8>,
    depth: usize,
) -> Result<(), String> {
    if depth == 0 {
        return Err("types are nested too deep".into());
    }
    if let Some((number, size)) = blocks.number(part.ty) {
        let bits = bits(blocks, number, value)?;
        return put(bytes, part.offset, bits, size);
    }
    match (blocks.members(part), value) {
        (Some(members), Value::Object(values)) => {
            for (name, value) in values {
                let named = members.iter().position(|it| *it == Some(name.as_str()));
                // Those without a name go by their number, as where they are shown.
                let is_nameless = |index: &usize| members.get(*index) == Some(&None);
                let index = named.or_else(|| name.parse().ok().filter(is_nameless));
                let Some(index) = index else {
                    let names: Vec<&str> = members.iter().flatten().copied().collect();
                    let names = names.join(", ");
                    return Err(format!("there is no member `{name}`, but {names}"));
                };
                let member = blocks.member(part, index);
                let member = member.ok_or_else(|| blocks.no_layout(part))?;
                write_within(blocks, member, value, bytes, depth - 1)
                    .map_err(|why| inside(name, &why))?;
            }
            Ok(())
        }
        (Some(members), _) if members.len() == 1 => {
            let only = blocks.member(part, 0);
            let only = only.ok_or_else(|| blocks.no_layout(part))?;
            write_within(blocks, only, value, bytes, depth - 1)
        }
        (Some(_), _) => Err("an object with the members is expected".into()),
        (None, Value::Array(values)) => {
            let count = match blocks.is_open(part) {
                true => None,
                false => blocks.count(part, 0),
            };
            if let Some(count) = count.filter(|&count| values.len() as u64 > count) {
                let given = values.len();
                return Err(format!("{given} elements are given, but there are {count}"));
            }
            for (index, value) in values.iter().enumerate() {
                let element = blocks.element(part, index as u64);
                let element = element.ok_or_else(|| blocks.no_layout(part))?;
                write_within(blocks, element, value, bytes, depth - 1)
                    .map_err(|why| inside(&format!("[{index}]"), &why))?;
                // Elements are there even if nothing is written to them.
                if let Some(end) = blocks.end(element) {
                    make_room(bytes, end)?;
                }
            }
            Ok(())
        }
        (None, _) => Err("an array is expected".into()),
    }
}

fn inside(name: &str, why: &str) -> String {
    format!("{name}: {why}")
}

fn bits(blocks: &Blocks<'_>, number: NumberType, value: &Value) -> Result<u64, String> {
    match value {
        Value::String(text) if text.starts_with('&') => match number {
            NumberType::Integer { width: 64, .. } => blocks.address(text),
            _ => Err("an address takes a pointer or an integer of 64 bits".into()),
        },
        Value::Number(it) => Type::of(number).parse(&it.to_string()),
        Value::String(text) => Type::of(number).parse(text),
        _ => Err("a number is expected".into()),
    }
}

/// What is in a part. Numbers that JSON doesn't have are strings, those that the buffer doesn't
/// have are null.
pub(super) fn read(
    blocks: &Blocks<'_>,
    part: Part,
    range: Option<(u64, u64)>,
    bytes: &[u8],
) -> Result<Value, String> {
    read_within(blocks, part, range, bytes, MAX_DEPTH, &mut { MAX_VALUES })
}

fn read_within(
    blocks: &Blocks<'_>,
    part: Part,
    range: Option<(u64, u64)>,
    bytes: &[u8],
    depth: usize,
    room: &mut u64,
) -> Result<Value, String> {
    *room = room
        .checked_sub(1)
        .ok_or_else(|| format!("there are more than {MAX_VALUES} values"))?;
    if let Some((number, size)) = blocks.number(part.ty) {
        let start = usize::try_from(part.offset).unwrap_or(usize::MAX);
        let there = bytes
            .get(start..)
            .and_then(|rest| rest.get(..size as usize));
        return Ok(there.map_or(Value::Null, |bytes| Type::of(number).value(bytes)));
    }
    if depth == 0 {
        return Err(format!("types are nested more than {MAX_DEPTH} deep"));
    }
    let no_layout = || blocks.no_layout(part);
    if let Some(members) = blocks.members(part) {
        if let (1, Some(_)) = (members.len(), range) {
            let only = blocks.member(part, 0).ok_or_else(no_layout)?;
            return read_within(blocks, only, range, bytes, depth - 1, room);
        }
        let mut values = Map::new();
        for (index, name) in members.iter().enumerate() {
            let member = blocks.member(part, index).ok_or_else(no_layout)?;
            let value = read_within(blocks, member, None, bytes, depth - 1, room)?;
            let name = name.map_or_else(|| index.to_string(), str::to_owned);
            values.insert(name, value);
        }
        return Ok(Value::Object(values));
    }
    let count = blocks
        .count(part, bytes.len() as u64)
        .ok_or_else(no_layout)?;
    let (start, end) = range.unwrap_or((0, u64::MAX));
    // A broken module may have arrays longer than any buffer.
    let end = end.min(count).min(bytes.len() as u64 + 1);
    let values = (start..end).map(|index| {
        let element = blocks.element(part, index).ok_or_else(no_layout)?;
        read_within(blocks, element, None, bytes, depth - 1, room)
    });
    values
        .collect::<Result<Vec<Value>, String>>()
        .map(Value::Array)
}

/// A value for people: numbers behind each other, all else as JSON.
pub(super) fn text(value: &Value) -> String {
    let is_simple = |it: &Value| matches!(it, Value::Number(_) | Value::String(_) | Value::Null);
    let one = |it: &Value| match it {
        Value::String(text) => text.clone(),
        other => other.to_string().replace("e+", "e"),
    };
    match value {
        Value::Array(values) if values.iter().all(is_simple) => {
            let all: Vec<String> = values.iter().map(one).collect();
            all.join(" ")
        }
        value if is_simple(value) => one(value),
        value => value.to_string(),
    }
}
