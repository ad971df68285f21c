//! What a kernel's interface looks like, by which it is known what it computes: the modules
//! have no names.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use spirvkit::analysis::{Lookup, ModuleIndex, Type};
use spirvkit::binary::Id;
use spirvkit::eval::Scalar;
use spirvkit::grammar::{Capability, Decoration, GlslStd450, Op, StorageClass};

use super::formats::Format;

/// The interface of a module, and of its body what tells it from others.
#[derive(Debug, Default)]
pub(super) struct Shape {
    /// The name of its file.
    name: String,
    /// The types of the push constants, with repeated ones counted: `u32*13`.
    pub(super) push: String,
    /// Of each binding, what the arrays are of that are views of it.
    pub(super) bindings: BTreeMap<u32, Vec<Element>>,
    /// The numbers that the body has as constants.
    constants: Vec<Scalar>,
    capabilities: Vec<Capability>,
    /// Which instructions of `GLSL.std.450` there are, sorted, each once.
    pub(super) functions: Vec<GlslStd450>,
    /// Which opcodes there are, sorted, each once.
    pub(super) opcodes: Vec<Op>,
    /// The size of workgroups, if no specialization constant is part of it.
    pub(super) workgroup: [u32; 3],
    /// The ids of specialization constants.
    pub(super) spec_ids: Vec<u32>,
}

/// What a buffer is an array of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    /// As [`Shape::push`] is written; structures in braces.
    pub(super) text: String,
    /// How many bytes one takes.
    size: usize,
}

impl Shape {
    /// The shape of a module from a file.
    pub(super) fn of(m: &ModuleIndex<'_>, file: &Path) -> Self {
        let name = file.file_name().unwrap_or_default();
        let mut shape = Self {
            name: name.to_string_lossy().into_owned(),
            ..Self::default()
        };
        for inst in m.all_instructions() {
            shape.opcodes.push(inst.op());
            match inst.op() {
                Op::ExtInst => shape.functions.push(GlslStd450(inst.arg(1))),
                Op::Capability => shape.capabilities.push(Capability(inst.arg(0))),
                Op::Constant => {
                    let number = inst.result().and_then(|id| m.number_constant(id));
                    let scalar = number.map(|(ty, bits)| Scalar::new(ty.into(), bits));
                    shape.constants.extend(scalar);
                }
                Op::Variable => shape.variable(m, inst.result(), inst.result_type()),
                _ => {}
            }
        }
        for mode in m.all_execution_modes() {
            if let [x, y, z] = mode.1.words()[3..] {
                shape.workgroup = [x, y, z];
            }
        }
        let ids = m.all_decorated_with(Decoration::SpecId);
        shape.spec_ids = ids.map(|(_, it)| it.param(0)).collect();
        shape.functions.sort_unstable_by_key(|it| it.0);
        shape.functions.dedup();
        shape.opcodes.sort_unstable_by_key(|it| it.0);
        shape.opcodes.dedup();
        shape
    }

    fn variable(&mut self, m: &ModuleIndex<'_>, id: Option<Id>, pointer: Option<Id>) {
        let (Some(id), Some(pointer)) = (id, pointer) else {
            return;
        };
        let Type::Pointer { class, pointee } = m.ty(pointer) else {
            return;
        };
        if class == StorageClass::PushConstant {
            self.push = members(m, pointee);
        }
        let Some(binding) = m.decoration(id, Decoration::Binding) else {
            return;
        };
        let array = m.members(pointee).first().map(|&member| m.ty(Id(member)));
        if let Some(Type::RuntimeArray { element }) = array {
            let all = self.bindings.entry(binding.param(0)).or_default();
            let text = spelled(m, element);
            let size = size(m, element);
            all.push(Element { text, size });
        }
    }

    pub(super) fn has(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// Whether arithmetic is done in 16 bits.
    pub(super) fn is_half(&self) -> bool {
        self.has(Capability::Float16)
    }

    /// Whether its name has this in it.
    pub(super) fn is_named(&self, hash: &str) -> bool {
        self.name.contains(hash)
    }

    /// Whether a float is among the constants, of either sign.
    fn has_float(&self, number: f64) -> bool {
        let floats = self.constants.iter().filter_map(|it| it.to_f64());
        floats.into_iter().any(|it| it.abs() == number)
    }

    fn has_integer(&self, number: i64) -> bool {
        let mut integers = self.constants.iter().filter(|it| it.to_f64().is_none());
        integers.any(|it| it.sign_extended() == number)
    }

    /// The format of the numbers in a buffer.
    pub(super) fn format(&self, binding: u32) -> Option<Format> {
        let elements = self.bindings.get(&binding)?;
        let is = |texts: &[&str]| {
            let is = |element: &Element| texts.contains(&element.text.as_str());
            elements.iter().all(is)
        };
        if is(&["f32", "f32x2", "f32x4", "f32x4m2"]) {
            return Some(Format::F32);
        }
        if is(&["f16", "f16x2", "f16x4", "f16x4m2"]) {
            return Some(Format::F16);
        }
        if is(&["u16", "u16x4", "bf16"]) {
            return Some(Format::Bf16);
        }
        if is(&["i32", "u32"]) {
            return Some(Format::I32);
        }
        if is(&["{f16x2*4,i32*32}", "{f16x2*4,i32x4*8}"]) {
            return Some(Format::Q8x4);
        }
        let block = elements.iter().find(|it| it.text.starts_with('{'))?;
        // Scales come last in those that have them in front otherwise.
        let ends_with_scale = block.text.ends_with("f16}");
        Some(match block.size {
            17 => Format::Mxfp4,
            // What both kinds of four bits stand for, they have as constants.
            18 if self.has_float(104.0) || self.has_integer(-104) => Format::Iq4Nl,
            18 if self.has_float(8.0) || self.has_integer(0x0f0f_0f0f) => Format::Q4_0,
            18 => Format::Q1_0,
            20 => Format::Q4_1,
            22 => Format::Q5_0,
            24 => Format::Q5_1,
            34 => Format::Q8_0,
            84 => Format::Q2K,
            110 if ends_with_scale => Format::Q3K,
            136 => Format::Iq4Xs,
            144 => Format::Q4K,
            176 => Format::Q5K,
            210 => Format::Q6K,
            _ => return None,
        })
    }

    /// The bindings there are, in order.
    pub(super) fn numbers(&self) -> Vec<u32> {
        self.bindings.keys().copied().collect()
    }
}

/// The types of a structure's members, without braces.
fn members(m: &ModuleIndex<'_>, ty: Id) -> String {
    let mut text = String::new();
    let mut runs: Vec<(String, u64)> = Vec::new();
    for &member in m.members(ty) {
        let (one, count) = match m.ty(Id(member)) {
            Type::Array { element, length } => {
                (spelled(m, element), m.constant_u64(length).unwrap_or(0))
            }
            _ => (spelled(m, Id(member)), 1),
        };
        match runs.last_mut() {
            Some((last, times)) if *last == one => *times += count,
            _ => runs.push((one, count)),
        }
    }
    for (index, (one, count)) in runs.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        let _ = match count {
            1 => write!(text, "{comma}{one}"),
            _ => write!(text, "{comma}{one}*{count}"),
        };
    }
    text
}

fn spelled(m: &ModuleIndex<'_>, ty: Id) -> String {
    match m.ty(ty) {
        Type::Int { width, signed } => format!("{}{width}", if signed { 'i' } else { 'u' }),
        Type::Float {
            width,
            encoding: None,
        } => format!("f{width}"),
        Type::Float { width, .. } => format!("bf{width}"),
        Type::Vector { component, count } => format!("{}x{count}", spelled(m, component)),
        Type::Matrix { column, count } => format!("{}m{count}", spelled(m, column)),
        Type::Struct { .. } => format!("{{{}}}", members(m, ty)),
        _ => String::from("?"),
    }
}

/// The bytes of what has no padding.
fn size(m: &ModuleIndex<'_>, ty: Id) -> usize {
    match m.ty(ty) {
        Type::Int { width, .. } | Type::Float { width, .. } => width as usize / 8,
        Type::Vector { component, count } => size(m, component) * count as usize,
        Type::Matrix { column, count } => size(m, column) * count as usize,
        Type::Array { element, length } => {
            size(m, element) * m.constant_u64(length).unwrap_or(0) as usize
        }
        Type::Struct { members } => members.iter().map(|&member| size(m, Id(member))).sum(),
        _ => 0,
    }
}
