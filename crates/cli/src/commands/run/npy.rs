//! NumPy's format for arrays (`.npy`, versions 1 to 3).

use spirvkit::binary::NumberType;

use super::arguments::Type;
use super::json::put;
use super::places::{Blocks, Part};

const MAGIC: &[u8] = b"\x93NUMPY";

/// How many dimensions NumPy's arrays may have.
const MAX_DIMENSIONS: usize = 64;

/// An array of numbers.
#[derive(Debug)]
pub(super) struct Npy {
    pub(super) ty: Type,
    /// The numbers, in row-major order, the low byte first.
    pub(super) bytes: Vec<u8>,
}

/// Reads a file.
pub(super) fn read(file: &[u8]) -> Result<Npy, String> {
    let not = || String::from("this is not a NumPy array");
    let rest = file.strip_prefix(MAGIC).ok_or_else(not)?;
    let &[major, _, ref rest @ ..] = rest else {
        return Err(not());
    };
    let (length, rest) = match (major, rest) {
        (1, &[a, b, ref rest @ ..]) => (usize::from(u16::from_le_bytes([a, b])), rest),
        (2 | 3, &[a, b, c, d, ref rest @ ..]) => (u32::from_le_bytes([a, b, c, d]) as usize, rest),
        (1..=3, _) => return Err(not()),
        _ => return Err(format!("version {major} of NumPy's format is unknown")),
    };
    let (header, data) = rest.split_at_checked(length).ok_or_else(not)?;
    let header = std::str::from_utf8(header).map_err(|_| not())?;
    let descr = field(header, "descr").ok_or("the array's header has no `descr`")?;
    let descr = descr.trim_start_matches(['\'', '"']);
    let descr = &descr[..descr.find(['\'', '"']).unwrap_or(0)];
    let (ty, is_big) = ty(descr).ok_or_else(|| {
        format!("the array has the type `{descr}`; only arrays of numbers can be read")
    })?;
    let shape = field(header, "shape").ok_or("the array's header has no `shape`")?;
    let shape = shape.trim_start_matches('(');
    let shape = &shape[..shape.find(')').unwrap_or(0)];
    let numbers = shape.split(',').map(str::trim).filter(|it| !it.is_empty());
    let shape: Result<Vec<usize>, _> = numbers.map(str::parse).collect();
    let shape = shape.map_err(|_| String::from("the array's shape is not numbers"))?;
    if shape.len() > MAX_DIMENSIONS {
        return Err(format!(
            "the array has more than {MAX_DIMENSIONS} dimensions"
        ));
    }
    let count = shape
        .iter()
        .try_fold(ty.size(), |all, &it| all.checked_mul(it));
    let data = count.and_then(|count| data.get(..count));
    let data = data.ok_or("the file has fewer numbers than its shape says")?;
    let mut bytes = data.to_vec();
    if is_big {
        bytes.chunks_exact_mut(ty.size()).for_each(<[u8]>::reverse);
    }
    if field(header, "fortran_order").is_some_and(|it| it.starts_with("True")) {
        bytes = transposed(&bytes, &shape, ty.size());
    }
    Ok(Npy { ty, bytes })
}

/// What stands behind a key of the header, a Python dictionary.
fn field<'h>(header: &'h str, key: &str) -> Option<&'h str> {
    let at = header
        .find(&format!("'{key}'"))
        .or_else(|| header.find(&format!("\"{key}\"")))?;
    let rest = &header[at + key.len() + 2..];
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}

/// The type of numbers, and whether their high byte is first.
fn ty(descr: &str) -> Option<(Type, bool)> {
    let (order, rest) = descr.split_at_checked(1)?;
    let (kind, size) = rest.split_at_checked(1)?;
    let bits = size.parse::<u32>().ok()?.checked_mul(8)?;
    let kind = match kind {
        "b" => "u",
        kind => kind,
    };
    let ty = Type::named(&format!("{kind}{bits}")).ok()?;
    match order {
        "<" | "|" | "=" => Some((ty, false)),
        ">" => Some((ty, true)),
        _ => None,
    }
}

/// From column-major to row-major order.
fn transposed(bytes: &[u8], shape: &[usize], size: usize) -> Vec<u8> {
    let mut result = Vec::with_capacity(bytes.len());
    let mut index = vec![0; shape.len()];
    for _ in 0..bytes.len() / size.max(1) {
        let mut at = 0;
        for (&index, &length) in index.iter().zip(shape).rev() {
            at = at * length + index;
        }
        result.extend_from_slice(&bytes[at * size..(at + 1) * size]);
        for (index, &length) in index.iter_mut().zip(shape).rev() {
            *index += 1;
            if *index < length {
                break;
            }
            *index = 0;
        }
    }
    result
}

/// Puts the numbers of an array where those of a part are.
pub(super) fn write_to(
    array: &Npy,
    blocks: &Blocks<'_>,
    part: Part,
    bytes: &mut Vec<u8>,
) -> Result<(), String> {
    let mut numbers = array.bytes.chunks_exact(array.ty.size());
    let mut wrong = None;
    let is_all = blocks.walk(part, u64::MAX, &mut |offset, number, size| {
        let Some(next) = numbers.next() else {
            return false;
        };
        let expected = Type::of(number);
        if expected.name != array.ty.name {
            let (found, expected) = (array.ty.name, expected.name);
            wrong = Some(format!(
                "the array's numbers are {found}, but here are {expected}"
            ));
            return false;
        }
        let bits = next
            .iter()
            .rev()
            .fold(0, |all, &byte| all << 8 | u64::from(byte));
        match put(bytes, offset, bits, size) {
            Ok(()) => true,
            Err(why) => {
                wrong = Some(why);
                false
            }
        }
    })?;
    match (wrong, is_all && numbers.next().is_some()) {
        (Some(why), _) => Err(why),
        (None, true) => Err("the array has more numbers than there is room for".into()),
        (None, false) => Ok(()),
    }
}

/// The numbers of a part as a file: of one type, in arrays, vectors and matrices.
/// With a range, only these elements.
pub(super) fn of_part(
    blocks: &Blocks<'_>,
    part: Part,
    range: Option<(u64, u64)>,
    bytes: &[u8],
) -> Result<Vec<u8>, String> {
    let (mut inner, mut shape) = (part, Vec::new());
    for _ in 0..32 {
        if let Some(members) = blocks.members(inner) {
            match (members.len(), blocks.member(inner, 0)) {
                (1, Some(only)) => inner = only,
                _ => return Err("a structure is no array of numbers; write it as JSON".into()),
            }
            continue;
        }
        let Some(count) = blocks.count(inner, bytes.len() as u64) else {
            break;
        };
        shape.push(count);
        let element = blocks.element(inner, 0);
        inner = element.ok_or_else(|| blocks.no_layout(inner))?;
    }
    let Some((number, _)) = blocks.number(inner.ty) else {
        return Err(blocks.no_layout(inner));
    };
    let mut numbers = Vec::new();
    let mut add = |offset: u64, _: NumberType, size: u32| {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let there = bytes
            .get(start..)
            .and_then(|rest| rest.get(..size as usize));
        there
            .inspect(|bytes| numbers.extend_from_slice(bytes))
            .is_some()
    };
    let size = bytes.len() as u64;
    match (range, shape.first_mut()) {
        (Some((first, end)), Some(count)) => {
            let whole = blocks.only(part);
            let end = end.min(*count);
            for index in first..end {
                let element = blocks.element(whole, index);
                let element = element.ok_or_else(|| blocks.no_layout(whole))?;
                if !blocks.walk(element, size, &mut add)? {
                    break;
                }
            }
            *count = end.saturating_sub(first);
        }
        _ => {
            blocks.walk(part, size, &mut add)?;
        }
    }
    Ok(file(Type::of(number), &shape, &numbers))
}

/// The file of an array.
pub(super) fn file(ty: Type, shape: &[u64], numbers: &[u8]) -> Vec<u8> {
    let (kind, size) = (&ty.name[..1], ty.size());
    let order = if size == 1 { '|' } else { '<' };
    let lengths: Vec<String> = shape.iter().map(|it| format!("{it},")).collect();
    let lengths = match &lengths[..] {
        [only] => only.clone(),
        all => all.join(" ").trim_end_matches(',').to_owned(),
    };
    let mut header = format!(
        "{{'descr': '{order}{kind}{size}', 'fortran_order': False, 'shape': ({lengths}), }}"
    );
    // The data begin at a multiple of 64 bytes.
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    let mut file = MAGIC.to_vec();
    file.extend([1, 0]);
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(numbers);
    file
}
