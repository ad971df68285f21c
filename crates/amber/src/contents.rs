//! The bytes that buffers hold at first, and those that commands write.

use std::iter;

use spirvkit_diagnostics::{Diagnostic, Errors, Span};

use crate::command::Values;
use crate::kinds;
use crate::lex::{Lexer, TokenKind};
use crate::number::{Fit, Number};
use crate::reader::quoted;
use crate::script::{Buffer, Contents, FileFormat, Script};
use crate::types::ElementLayout;

/// How many bytes a buffer may have that [`contents`] fills.
pub const MAX_BYTES: u64 = 1 << 28;

/// The bytes that a buffer holds at first, laid out as the script says; those of an image are
/// its first level of detail. What the script leaves open is zero.
///
/// `framebuffer` is the [size](crate::Pipeline::framebuffer_size) that images without one of
/// their own have. `read_file` gets what is in a file and its path from the script's folder; of
/// a [picture](FileFormat::Png) it gives the texels in the buffer's format, row by row, of other
/// files their bytes. A file that is too short leaves zeros.
///
/// # Errors
///
/// If the buffer would have more than [`MAX_BYTES`], or if its file can't be had, has more than
/// the buffer or is no text of numbers. The place is that of the buffer.
pub fn contents(
    script: &Script,
    buffer: &Buffer,
    framebuffer: [u32; 2],
    read_file: impl FnOnce(FileFormat, &str) -> Result<Vec<u8>, String>,
) -> Result<Vec<u8>, Errors> {
    let layout = buffer.ty.element_layout(script, buffer.layout);
    let count = buffer.element_count(framebuffer);
    let size = count.saturating_mul(layout.stride);
    if size > MAX_BYTES {
        let name = quoted(&buffer.name);
        let message = format!("the buffer `{name}` has {size} bytes, more than {MAX_BYTES}");
        return Err(kinds::LIMIT.error(message).at_span(buffer.span).into());
    }
    let mut bytes = vec![0; size as usize];
    match &buffer.contents {
        Contents::None => {}
        Contents::Values(numbers) => put(&mut bytes, &layout, 0, numbers.iter().copied()),
        Contents::Fill(number) => fill(&mut bytes, &layout, count, *number),
        Contents::Series { from, step } => {
            put(
                &mut bytes,
                &layout,
                0,
                series(*from, *step).take(count as usize),
            );
        }
        Contents::File { format, path } => {
            let wrong = |message: String| wrong_file(buffer.span, path, &message);
            let data = read_file(*format, path).map_err(wrong)?;
            match format {
                FileFormat::Text => {
                    let text = String::from_utf8_lossy(&data);
                    let most = count.saturating_mul(layout.slots.len() as u64);
                    let numbers = numbers(&text, &layout, most).map_err(wrong)?;
                    put(&mut bytes, &layout, 0, numbers.into_iter());
                }
                FileFormat::Binary | FileFormat::Png => match bytes.get_mut(..data.len()) {
                    Some(start) => start.copy_from_slice(&data),
                    None => {
                        let length = data.len();
                        let message = format!("it has {length} bytes, and the buffer only {size}");
                        return Err(wrong(message).into());
                    }
                },
            }
        }
    }
    Ok(bytes)
}

/// Writes numbers into the bytes of a buffer.
///
/// # Errors
///
/// If they don't fit into the buffer, of which nothing is changed then: how many bytes it would
/// have to have.
pub fn write(script: &Script, bytes: &mut [u8], values: &Values) -> Result<(), u64> {
    let layout = values.ty.element_layout(script, values.layout);
    let needed = end(&layout, values);
    if needed > bytes.len() as u64 {
        return Err(needed);
    }
    put(
        bytes,
        &layout,
        values.offset,
        values.numbers.iter().copied(),
    );
    Ok(())
}

/// Where the last of some numbers ends, in bytes.
pub(crate) fn end(layout: &ElementLayout, values: &Values) -> u64 {
    let per_element = layout.slots.len().max(1) as u64;
    let count = values.numbers.len() as u64;
    let ends = |slots: &[crate::Slot]| {
        let ends = slots
            .iter()
            .map(|it| it.offset.saturating_add(it.scalar.size()));
        ends.max().unwrap_or(0)
    };
    let whole = count / per_element;
    let start = |element: u64| {
        values
            .offset
            .saturating_add(element.saturating_mul(layout.stride))
    };
    let of_whole = match whole {
        0 => 0,
        _ => start(whole - 1).saturating_add(ends(&layout.slots)),
    };
    let of_rest = match (count % per_element) as usize {
        0 => 0,
        rest => start(whole).saturating_add(ends(&layout.slots[..rest])),
    };
    of_whole.max(of_rest)
}

/// Where each number lies, element by element.
pub(crate) fn slots(
    layout: &ElementLayout,
    offset: u64,
) -> impl Iterator<Item = (u64, crate::Scalar)> {
    let elements = (0_u64..).map(move |element| {
        let before = element.saturating_mul(layout.stride);
        offset.saturating_add(before)
    });
    elements.flat_map(|start| {
        let slots = layout.slots.iter();
        slots.map(move |slot| (start.saturating_add(slot.offset), slot.scalar))
    })
}

/// Writes numbers where they lie; those that would be outside aren't written.
fn put(
    bytes: &mut [u8],
    layout: &ElementLayout,
    offset: u64,
    numbers: impl Iterator<Item = Number>,
) {
    if layout.slots.is_empty() {
        return;
    }
    for ((at, scalar), number) in slots(layout, offset).zip(numbers) {
        set(bytes, at, scalar.size(), number.to_bits(scalar).0);
    }
}

/// Writes the same number into all elements.
fn fill(bytes: &mut [u8], layout: &ElementLayout, count: u64, number: Number) {
    let slots = layout.slots.iter();
    let bits = slots.map(|slot| (slot, number.to_bits(slot.scalar).0));
    let bits: Vec<_> = bits.filter(|(_, bits)| *bits != 0).collect();
    if bits.is_empty() {
        return;
    }
    for element in 0..count {
        let start = element.saturating_mul(layout.stride);
        for (slot, bits) in &bits {
            let at = start.saturating_add(slot.offset);
            set(bytes, at, slot.scalar.size(), *bits);
        }
    }
}

pub(crate) fn set(bytes: &mut [u8], at: u64, size: u64, bits: u64) {
    let size = size as usize;
    let start = usize::try_from(at).unwrap_or(usize::MAX);
    let place = bytes.get_mut(start..).and_then(|rest| rest.get_mut(..size));
    if let Some(place) = place {
        place.copy_from_slice(&bits.to_le_bytes()[..size]);
    }
}

/// The number at an offset; what is outside is zero.
pub(crate) fn read(bytes: &[u8], offset: u64, scalar: crate::Scalar) -> Number {
    let mut word = [0; 8];
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let from = bytes.get(start..).unwrap_or_default();
    for (to, from) in word.iter_mut().zip(from).take(scalar.size() as usize) {
        *to = *from;
    }
    Number::from_bits(u64::from_le_bytes(word), scalar)
}

/// Numbers of equal distance: integers by adding integers, others by adding floating point.
fn series(from: Number, step: Number) -> impl Iterator<Item = Number> {
    iter::successors(Some(from), move |last| {
        Some(match last.to_integer().zip(step.to_integer()) {
            // Modulo 2^64, like the integers of any type.
            Some((last, step)) => Number::from((last + step).rem_euclid(1 << 64)),
            None => Number::Float(last.to_f64() + step.to_f64()),
        })
    })
}

/// The numbers of a text, at most so many.
fn numbers(text: &str, layout: &ElementLayout, most: u64) -> Result<Vec<Number>, String> {
    let mut lexer = Lexer::new(text, 0);
    let mut numbers = Vec::new();
    let mut scalars = layout.slots.iter().map(|slot| slot.scalar).cycle();
    loop {
        let word = match lexer.next().kind {
            TokenKind::EndOfText => return Ok(numbers),
            TokenKind::EndOfLine => continue,
            TokenKind::String(_) => return Err("it has a string in it".to_owned()),
            TokenKind::Word(word) => word,
        };
        let number = Number::parse(word).zip(scalars.next());
        let number = number.filter(|(number, ty)| number.to_bits(*ty).1 != Fit::NotWhole);
        let Some((number, _)) = number else {
            return Err(format!(
                "`{}` in it is not a number of the buffer's type",
                quoted(word)
            ));
        };
        if numbers.len() as u64 == most {
            return Err(format!("it has more numbers than the buffer's {most}"));
        }
        numbers.push(number);
    }
}

fn wrong_file(span: Span, path: &str, message: &str) -> Diagnostic {
    let message = format!("the file `{}` can't be used: {message}", quoted(path));
    kinds::BAD_FILE.error(message).at_span(span)
}
