//! Types in short, for people to read.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Write as _;

use spirvkit_binary::Id;

use crate::types::{Image, ImageUsage, OperandValue, TypeKind, Types};

/// The most characters of a spelling: types that are made of types whose spellings
/// double each time must not take exponential room.
const LONGEST: usize = 120;

/// Spells a type, and tells whether all that it is made of is in the table: what is
/// declared later isn't yet, and is called by its id.
pub(crate) fn of(id: Id, name: Option<&str>, kind: &TypeKind, types: &Types) -> (String, bool) {
    // Most are shorter.
    let mut out = String::with_capacity(32);
    let is_complete = Cell::new(true);
    let of = |id: &Id| match types.get(*id) {
        Some(ty) => Cow::Borrowed(ty.spelling.as_str()),
        None => {
            is_complete.set(false);
            Cow::Owned(id.to_string())
        }
    };
    // Writing to a string can't fail.
    let _ = match kind {
        TypeKind::Void => write!(out, "void"),
        TypeKind::Bool => write!(out, "bool"),
        TypeKind::Int { width, signed } => {
            write!(out, "{}{width}", if *signed { 'i' } else { 'u' })
        }
        TypeKind::Float {
            width,
            encoding: None,
        } => write!(out, "f{width}"),
        TypeKind::Float {
            encoding: Some(encoding),
            ..
        } => write!(out, "{encoding}"),
        TypeKind::Vector { component, count } => write!(out, "vec{count}<{}>", of(component)),
        TypeKind::Matrix { column, columns } => {
            let (rows, component) = match types.kind(*column) {
                Some(TypeKind::Vector { component, count }) => (count.to_string(), of(component)),
                _ => ("?".to_owned(), Cow::Borrowed("unknown")),
            };
            write!(out, "mat{columns}x{rows}<{component}>")
        }
        TypeKind::Array {
            element,
            length_id: None,
            ..
        } => write!(out, "array<{}>", of(element)),
        TypeKind::Array {
            element, length, ..
        } => write!(out, "array<{}, {length}>", of(element)),
        TypeKind::Struct { .. } => match name {
            Some(name) => write!(out, "struct {name}"),
            None => write!(out, "struct {id}"),
        },
        TypeKind::Pointer {
            storage_class,
            pointee,
        } => match pointee {
            Some(pointee) => write!(out, "ptr<{storage_class}, {}>", of(pointee)),
            None => write!(out, "ptr<{storage_class}>"),
        },
        TypeKind::Image(image) => {
            spell_image(&mut out, image, &of(&image.sampled_type));
            Ok(())
        }
        TypeKind::Sampler => write!(out, "sampler"),
        TypeKind::SampledImage { image } => write!(out, "sampled_{}", of(image)),
        TypeKind::AccelerationStructure => write!(out, "acceleration_structure"),
        TypeKind::Other { opcode, operands } => {
            let name = opcode.to_string();
            out += name.strip_prefix("OpType").unwrap_or(&name);
            for (index, operand) in operands.iter().enumerate().take(LONGEST) {
                let separator = if index == 0 { "<" } else { ", " };
                let ty = match operand.value {
                    OperandValue::Id(id) => types.get(id),
                    _ => None,
                };
                let _ = match (operand.constant, ty) {
                    (Some(constant), _) => write!(out, "{separator}{constant}"),
                    (None, Some(ty)) => write!(out, "{separator}{}", ty.spelling),
                    (None, None) => write!(out, "{separator}{}", operand.value),
                };
                if out.len() > LONGEST {
                    break;
                }
            }
            out += if operands.is_empty() { "" } else { ">" };
            Ok(())
        }
        TypeKind::Unknown => write!(out, "unknown"),
    };
    (shorten(out), is_complete.get())
}

fn spell_image(out: &mut String, image: &Image, component: &str) {
    let _ = write!(out, "image{}", image.dim);
    if image.arrayed {
        *out += "_array";
    }
    if image.multisampled {
        *out += "_ms";
    }
    let _ = write!(out, "<{component}");
    if image.depth == Some(true) {
        *out += ", depth";
    }
    if image.usage == ImageUsage::Storage {
        let _ = write!(out, ", {}", image.format);
    }
    if let Some(access) = image.access {
        let _ = write!(out, ", {access}");
    }
    out.push('>');
}

fn shorten(mut text: String) -> String {
    if let Some((cut, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(cut);
        text.push('…');
    }
    text
}
