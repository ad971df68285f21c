//! Kernels and their arguments, as far as modules tell (OpenCL SPIR-V environment;
//! `NonSemantic.ClspvReflection`).
//!
//! What a kernel's source says of an argument stands in up to three places: in the
//! types and decorations of its parameters, in strings of the form
//! `kernel_arg_type.KERNEL.TYPE,TYPE,` that some producers write, and in the
//! instructions of clspv's reflection.

use std::collections::{BTreeMap, BTreeSet};

use spirvkit_analysis::layout;
use spirvkit_binary::{Id, IdMap, Instruction};
use spirvkit_grammar::{
    AccessQualifier, ClspvReflection, Decoration, Enumeration, ExecutionModel, ExtInstSet,
    FunctionParameterAttribute, Op, StorageClass,
};

use crate::contents::Contents;
use crate::decorations::Decorations;
use crate::entry::EntryPoint;
#[cfg(feature = "serde")]
use crate::serial;
use crate::types::{OperandValue, TypeKind, Types};

/// A kernel of OpenCL.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its function.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
    pub function: Id,
    /// Its arguments, in order.
    pub arguments: Vec<KernelArgument>,
}

/// An argument of a kernel. Serialized, what isn't known is the word `"unknown"`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct KernelArgument {
    /// Its number, from 0.
    pub index: u32,
    /// Its name.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::or_unknown"))]
    pub name: Option<String>,
    /// Its type in the source.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::or_unknown"))]
    pub type_name: Option<String>,
    /// The type of the parameter, if it is one.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "type", serialize_with = "serial::maybe_id")
    )]
    pub ty: Option<Id>,
    /// Where it points to; `private` if it is no pointer.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::or_unknown"))]
    pub address_space: Option<&'static str>,
    /// How the kernel may use an image or a pipe: `read_only`, `write_only`,
    /// `read_write`; `none` if it is neither.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::or_unknown"))]
    pub access: Option<&'static str>,
    /// `const`, `restrict`, `volatile`, `pipe`.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::or_unknown"))]
    pub type_qualifiers: Option<Vec<String>>,
    /// The attributes with which the parameter is decorated.
    pub attributes: Vec<&'static str>,
    /// How clspv passes it.
    pub passing: Option<Passing>,
}

/// How clspv passes an argument.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Passing {
    /// The instruction that says so, such as `ArgumentStorageBuffer`.
    pub kind: &'static str,
    /// The descriptor set.
    pub set: Option<u64>,
    /// The binding.
    pub binding: Option<u64>,
    /// Where in the buffer or the push constants it begins, in bytes.
    pub offset: Option<u64>,
    /// How many bytes it takes there.
    pub size: Option<u64>,
    /// The number of the specialization constant that is the length of an array in
    /// shared memory.
    pub spec_id: Option<u64>,
    /// How many bytes an element of that array takes.
    pub element_size: Option<u64>,
}

/// The kernels of a module, in the order of their entry points.
pub(crate) fn kernels(
    contents: &Contents<'_>,
    types: &Types,
    constants: &layout::Types<'_>,
    entry_points: &[EntryPoint],
) -> Vec<Kernel> {
    let words = contents.module.words().len();
    let mut strings = Strings::new(contents);
    let mut seen = BTreeSet::new();
    let mut kernels: Vec<Kernel> = Vec::new();
    // By function, one more than the index of its kernel.
    let mut places: IdMap<u32> = IdMap::new(0, words);
    let is_kernel = |entry: &&EntryPoint| entry.model == ExecutionModel::Kernel;
    for entry in entry_points.iter().filter(is_kernel) {
        let place = places.slot(entry.function);
        if *place == 0 {
            kernels.push(Kernel {
                name: entry.name.clone(),
                function: entry.function,
                arguments: parameters(contents, types, entry, &mut strings, &mut seen),
            });
            *place = kernels.len() as u32;
        }
    }
    if !contents.clspv.is_empty() {
        let mut reader = Clspv {
            contents,
            constants,
            infos: BTreeMap::new(),
            kernels: BTreeMap::new(),
        };
        reader.read(&mut kernels);
    }
    kernels
}

/// The arguments of a function whose parameters they are. What is said of an id is said
/// of the first parameter that has it, which joins those that were seen.
fn parameters(
    contents: &Contents<'_>,
    types: &Types,
    entry: &EntryPoint,
    strings: &mut Strings,
    seen: &mut BTreeSet<Id>,
) -> Vec<KernelArgument> {
    let Some(function) = contents.function(entry.function) else {
        return Vec::new();
    };
    let count = function.parameters.len();
    let type_names = strings.take("kernel_arg_type", &entry.name, count);
    let qualifiers = strings.take("kernel_arg_type_qual", &entry.name, count);
    let argument = |(index, &(id, ty)): (usize, &(Id, Id))| {
        let is_first = seen.insert(id);
        let decorations = match is_first {
            true => contents.decorations(id),
            false => Decorations::default(),
        };
        let kind = types.kind(ty);
        let named = qualifiers.as_ref().and_then(|list| list.get(index));
        let named = named.map(|words| words.split_whitespace().map(str::to_owned).collect());
        let type_name = type_names.as_ref().and_then(|list| list.get(index));
        let attributes = (0..32).filter(|&number| decorations.has_attribute(number));
        let attributes = attributes.map(FunctionParameterAttribute);
        KernelArgument {
            index: index as u32,
            name: is_first.then(|| contents.name(id)).flatten(),
            type_name: type_name.filter(|name| !name.is_empty()).cloned(),
            ty: Some(ty),
            address_space: kind.and_then(address_space),
            access: kind.and_then(access),
            type_qualifiers: named.or_else(|| {
                let volatile = decorations.has(Decoration::Volatile);
                kind.and_then(|kind| qualifiers_of(kind, volatile))
            }),
            attributes: attributes.filter_map(Enumeration::name).collect(),
            passing: None,
        }
    };
    function
        .parameters
        .iter()
        .enumerate()
        .map(argument)
        .collect()
}

/// The address space of a parameter of this type.
fn address_space(kind: &TypeKind) -> Option<&'static str> {
    match kind {
        TypeKind::Pointer { storage_class, .. } => match *storage_class {
            StorageClass::CrossWorkgroup => Some("global"),
            StorageClass::Workgroup => Some("local"),
            StorageClass::UniformConstant => Some("constant"),
            StorageClass::Function | StorageClass::Private => Some("private"),
            StorageClass::Generic => Some("generic"),
            _ => None,
        },
        TypeKind::Image(_) | TypeKind::SampledImage { .. } => Some("global"),
        TypeKind::Other { opcode, .. } if *opcode == Op::TypePipe => Some("global"),
        TypeKind::Unknown => None,
        _ => Some("private"),
    }
}

fn access(kind: &TypeKind) -> Option<&'static str> {
    let qualifier = |qualifier| match qualifier {
        AccessQualifier::ReadOnly => Some("read_only"),
        AccessQualifier::WriteOnly => Some("write_only"),
        AccessQualifier::ReadWrite => Some("read_write"),
        _ => None,
    };
    match kind {
        // The default (OpenCL C, section "Access Qualifiers").
        TypeKind::Image(image) => image.access.map_or(Some("read_only"), qualifier),
        TypeKind::Other { opcode, operands } if *opcode == Op::TypePipe => {
            match operands.first().map(|operand| &operand.value) {
                Some(OperandValue::Name(name)) => {
                    AccessQualifier::from_name(name).and_then(qualifier)
                }
                _ => None,
            }
        }
        TypeKind::Unknown => None,
        _ => Some("none"),
    }
}

/// What a type says of qualifiers: nothing, where a pointer may be one to what is
/// constant.
fn qualifiers_of(kind: &TypeKind, volatile: bool) -> Option<Vec<String>> {
    match kind {
        TypeKind::Pointer { .. } | TypeKind::Unknown => None,
        TypeKind::Other { opcode, .. } if *opcode == Op::TypePipe => Some(vec!["pipe".into()]),
        _ if volatile => Some(vec!["volatile".into()]),
        _ => Some(Vec::new()),
    }
}

/// What strings say of kernels' arguments, by what it is and the kernel's name.
struct Strings(BTreeMap<(&'static str, String), String>);

impl Strings {
    fn new(contents: &Contents<'_>) -> Self {
        let mut found = BTreeMap::new();
        // All begin the same, so others need not be copied.
        let start = u32::from_le_bytes(*b"kern");
        let strings = contents.declared().filter(|inst| inst.op() == Op::String);
        let wanted = strings.filter(|inst| inst.optional(0) == Some(start));
        for text in wanted.filter_map(|inst| inst.string(0)) {
            let text = text.to_text_lossy();
            for key in ["kernel_arg_type", "kernel_arg_type_qual"] {
                let rest = text
                    .strip_prefix(key)
                    .and_then(|rest| rest.strip_prefix('.'));
                if let Some((kernel, list)) = rest.and_then(|rest| rest.split_once('.')) {
                    found.insert((key, kernel.to_owned()), list.to_owned());
                }
            }
        }
        Self(found)
    }

    /// What is said of each argument, if it is of as many. Only the first kernel of a
    /// name gets it.
    fn take(&mut self, key: &'static str, kernel: &str, count: usize) -> Option<Vec<String>> {
        let list = self.0.remove(&(key, kernel.to_owned()))?;
        let items = split(&list);
        (items.len() == count).then_some(items)
    }
}

/// Splits a list at its commas, each of which ends an item; but not at those within
/// brackets.
fn split(list: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut depth = 0usize;
    let mut item = String::new();
    for character in list.chars() {
        match character {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(std::mem::take(&mut item));
                continue;
            }
            _ => {}
        }
        item.push(character);
    }
    if !item.is_empty() {
        items.push(item);
    }
    items
}

/// Reads clspv's reflection.
struct Clspv<'r, 'a> {
    contents: &'r Contents<'a>,
    constants: &'r layout::Types<'a>,
    /// What is said of arguments.
    infos: BTreeMap<Id, &'r Instruction<'a>>,
    /// The index of the kernel that an instruction declares.
    kernels: BTreeMap<Id, usize>,
}

impl Clspv<'_, '_> {
    fn read(&mut self, kernels: &mut Vec<Kernel>) {
        for instruction in &self.contents.clspv {
            let words = instruction.words();
            let (Some(id), Some(&number)) = (instruction.result(), words.get(4)) else {
                continue;
            };
            match ClspvReflection(number) {
                ClspvReflection::Kernel => {
                    let function = self.operand(instruction, &["Kernel"]).unwrap_or(Id(0));
                    let name = self.operand(instruction, &["Name"]);
                    self.kernels.insert(id, kernels.len());
                    kernels.push(Kernel {
                        name: name.and_then(|name| self.string(name)).unwrap_or_default(),
                        function,
                        arguments: Vec::new(),
                    });
                }
                ClspvReflection::ArgumentInfo => {
                    self.infos.insert(id, instruction);
                }
                _ => {
                    let kernel = self.operand(instruction, &["Decl", "Kernel"]);
                    let kernel = kernel.and_then(|kernel| self.kernels.get(&kernel));
                    let kernel = kernel.and_then(|&kernel| kernels.get_mut(kernel));
                    if let (Some(kernel), Some(argument)) = (kernel, self.argument(instruction)) {
                        kernel.arguments.push(argument);
                    }
                }
            }
        }
        for &kernel in self.kernels.values() {
            if let Some(kernel) = kernels.get_mut(kernel) {
                kernel.arguments.sort_by_key(|argument| argument.index);
            }
        }
    }

    /// The operand that the grammar calls by one of these names.
    fn operand(&self, instruction: &Instruction<'_>, names: &[&str]) -> Option<Id> {
        let words = instruction.words();
        let info = ExtInstSet::ClspvReflection.instruction(*words.get(4)?)?;
        let mut operands = info.operands().iter();
        let place = operands.position(|operand| names.contains(&operand.name()))?;
        words.get(5 + place).map(|&id| Id(id))
    }

    fn number(&self, instruction: &Instruction<'_>, name: &str) -> Option<u64> {
        let id = self.operand(instruction, &[name])?;
        self.constants.constant(id)?.known()
    }

    fn string(&self, id: Id) -> Option<String> {
        match self.contents.is_cut() {
            true => None,
            false => self.contents.shared(self.contents.string(id)),
        }
    }

    fn argument(&self, instruction: &Instruction<'_>) -> Option<KernelArgument> {
        let number = *instruction.words().get(4)?;
        let kind = ExtInstSet::ClspvReflection.instruction(number)?.name();
        if !kind.starts_with("Argument") {
            return None;
        }
        let index = self.number(instruction, "Ordinal")?;
        let info = self.operand(instruction, &["ArgInfo"]);
        let info = info.and_then(|info| self.infos.get(&info).copied());
        let said = |name| self.number(info?, name);
        let (space, access, qualifiers) = (
            said("Address Qualifier").and_then(named_space),
            said("Access Qualifier").and_then(named_access),
            said("Type Qualifier").map(named_qualifiers),
        );
        let texts = info.map(|info| {
            let text = |name: &str| self.operand(info, &[name]);
            (text("Name"), text("Type Name"))
        });
        let (name, type_name) = texts.unwrap_or_default();
        Some(KernelArgument {
            index: u32::try_from(index).ok()?,
            name: name.and_then(|name| self.string(name)),
            type_name: type_name.and_then(|name| self.string(name)),
            ty: None,
            address_space: space,
            access,
            type_qualifiers: qualifiers,
            attributes: Vec::new(),
            passing: Some(Passing {
                kind,
                set: self.number(instruction, "DescriptorSet"),
                binding: self.number(instruction, "Binding"),
                offset: self.number(instruction, "Offset"),
                size: self.number(instruction, "Size"),
                spec_id: self.number(instruction, "SpecId"),
                element_size: self.number(instruction, "ElemSize"),
            }),
        })
    }
}

/// The numbers of OpenCL's `cl_kernel_arg_address_qualifier`.
fn named_space(number: u64) -> Option<&'static str> {
    Some(match number {
        0x119b => "global",
        0x119c => "local",
        0x119d => "constant",
        0x119e => "private",
        _ => return None,
    })
}

/// The numbers of OpenCL's `cl_kernel_arg_access_qualifier`.
fn named_access(number: u64) -> Option<&'static str> {
    Some(match number {
        0x11a0 => "read_only",
        0x11a1 => "write_only",
        0x11a2 => "read_write",
        0x11a3 => "none",
        _ => return None,
    })
}

/// The bits of OpenCL's `cl_kernel_arg_type_qualifier`.
fn named_qualifiers(bits: u64) -> Vec<String> {
    let names = ["const", "restrict", "volatile", "pipe"];
    let set = (0..).zip(names).filter(|&(bit, _)| bits & 1 << bit != 0);
    set.map(|(_, name): (u32, &str)| name.to_owned()).collect()
}
