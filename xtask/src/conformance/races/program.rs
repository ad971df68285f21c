//! A program as a module that can be run: its text with what the headers say put into it.
//!
//! The programs were written for a checker that takes more than the specification allows:
//! variables in the storage classes `Output` and `Uniform` without a binding are memory that
//! all share. They become storage buffers here.

use std::collections::BTreeMap;
use std::ops::Range;

use spirvkit::analysis::{Lookup, ModuleIndex, Type};
use spirvkit::binary::Id;
use spirvkit::grammar::{Decoration, Op, StorageClass};
use spirvkit::{AssembleOptions, assemble};

use super::condition::Element;
use super::headers::{Headers, Value};

/// How many elements arrays have whose length nobody gives.
const DEFAULT_LENGTH: u32 = 64;

/// A buffer of the program.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) name: String,
    pub(super) place: Place,
    /// The type of what it holds; of an argument, that of its elements.
    pub(super) ty: Id,
    pub(super) contents: Vec<u8>,
    /// Whether nobody gives the contents.
    pub(super) is_open: bool,
    /// Whether nothing says how large it is.
    is_growable: bool,
}

/// Where a run gets something from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Binding(u32, u32),
    /// A kernel's argument by its number.
    Argument(u32),
}

/// A program that can be run.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) words: Vec<u32>,
    pub(super) buffers: Vec<Buffer>,
    /// A kernel's arguments that are memory of the workgroup.
    pub(super) locals: Vec<u32>,
    push: Vec<u8>,
    /// The offsets of the words of push constants that nobody gives.
    open_push: Vec<usize>,
    /// What memory that nobody gives is filled with, one number after the other: those that the
    /// program knows, and their neighbours.
    fills: Vec<u32>,
    /// How many bytes are behind what is given of buffers of which nothing says how large they are.
    pub(super) room: usize,
    pub(super) headers: Headers,
    pub(super) text: String,
}

impl Program {
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let headers = Headers::parse(text)?;
        let (text, initials) = adapted(text, &headers);
        let assembled = assemble(&text, &AssembleOptions::default());
        let words = assembled
            .map_err(|errors| format!("it doesn't assemble: {errors}"))?
            .words;
        let m = ModuleIndex::new(&words).map_err(|error| error.to_string())?;
        let mut buffers = Vec::new();
        let mut push = Vec::new();
        let mut open_push = Vec::new();
        for &offset in &m.globals {
            let Some(inst) = m.inst(offset) else { continue };
            let (Some(id), Some(pointer)) = (inst.result(), inst.result_type()) else {
                continue;
            };
            let Type::Pointer { class, pointee } = m.ty(pointer) else {
                continue;
            };
            let name = m
                .name_of(id)
                .map(|name| name.to_text_lossy())
                .unwrap_or_default();
            let input = headers
                .inputs
                .iter()
                .find(|input| input.0 == name)
                .map(|input| &input.1);
            let initial = initials.get(&name).and_then(|initial| named(&m, initial));
            let initial = initial.map(|id| constant(&m, id));
            let value = input.or(initial.as_ref());
            let number = |decoration| m.decoration(id, decoration).map(|it| it.param(0));
            match (
                class,
                number(Decoration::DescriptorSet),
                number(Decoration::Binding),
            ) {
                (StorageClass::PushConstant, ..) => {
                    push = bytes(&m, pointee, input);
                    let known = put_push_constants(&text, &headers, &mut push);
                    if input.is_none() {
                        words_of(&m, pointee, 0, &mut open_push);
                        open_push.retain(|at| !known.contains(at));
                    }
                }
                (StorageClass::StorageBuffer | StorageClass::Uniform, Some(set), Some(binding)) => {
                    buffers.push(Buffer {
                        name,
                        place: Place::Binding(set, binding),
                        ty: pointee,
                        contents: bytes(&m, pointee, value),
                        is_open: value.is_none(),
                        is_growable: has_any_length(&m, pointee),
                    });
                }
                _ if input.is_some_and(|input| !is_zero(input)) => {
                    return Err(format!("an input for a variable in {class}"));
                }
                _ => {}
            }
        }
        let locals = arguments(&m, &headers, &mut buffers)?;
        let fills = fills(&m);
        Ok(Self {
            words,
            locals,
            buffers,
            push,
            open_push,
            fills,
            room: 0,
            headers,
            text,
        })
    }

    /// The push constants. Where nobody gives them, they are other numbers in each order.
    pub(super) fn push(&self, seed: u64) -> Vec<u8> {
        let mut push = self.push.clone();
        for (index, &at) in self.open_push.iter().enumerate() {
            if let Some(word) = push.get_mut(at..at + 4) {
                word.copy_from_slice(&self.fill(seed, index).to_le_bytes());
            }
        }
        push
    }

    /// What a word begins with that nobody gives: one of a few small numbers, or from
    /// [`FIRST_FILL`] on one that the program knows, another one in each buffer.
    fn fill(&self, seed: u64, index: usize) -> u32 {
        match seed.checked_sub(FIRST_FILL) {
            Some(filling) => self.fills[(filling as usize + 7 * index) % self.fills.len()],
            None => [0, 1, 4][(seed % 3) as usize],
        }
    }

    /// The contents of a buffer. A number that nobody gives is another one in each order, and
    /// from [`FIRST_FILL`] on so is all memory that nobody gives.
    pub(super) fn contents(&self, buffer: &Buffer, seed: u64) -> Vec<u8> {
        let mut contents = buffer.contents.clone();
        let is_number = contents.len() <= 8;
        let given = if buffer.is_open { 0 } else { contents.len() };
        if buffer.is_growable {
            contents.resize(contents.len() + self.room, 0);
        }
        let index = self.buffers.iter().position(|it| it.name == buffer.name);
        let fill = self.fill(seed, index.unwrap_or(0)).to_le_bytes();
        if seed >= FIRST_FILL {
            let fill = fill.into_iter().cycle();
            contents[given..]
                .iter_mut()
                .zip(fill)
                .for_each(|(to, from)| *to = from);
        } else if buffer.is_open && is_number {
            contents.fill(0);
            contents[0] = fill[0];
        }
        contents
    }

    /// The seeds with which all memory that nobody gives, if there is any, begins with something
    /// that may matter.
    pub(super) fn fillings(&self) -> Range<u64> {
        let is_given = self.open_push.is_empty() && self.room == 0;
        let count = match is_given && !self.buffers.iter().any(|buffer| buffer.is_open) {
            true => 0,
            false => self.fills.len() as u64,
        };
        FIRST_FILL..FIRST_FILL + count
    }

    /// An element of a buffer, given the contents of all.
    pub(super) fn element(
        &self,
        m: &ModuleIndex<'_>,
        contents: &[Vec<u8>],
        name: &str,
        indexes: &[usize],
    ) -> Option<Element> {
        let index = self.buffers.iter().position(|buffer| buffer.name == name)?;
        let buffer = &self.buffers[index];
        let bytes = contents.get(index)?;
        let (mut ty, mut offset) = (buffer.ty, 0);
        let mut indexes = indexes;
        if let (Place::Argument(_), Some((&first, rest))) = (buffer.place, indexes.split_first()) {
            (offset, indexes) = (first * size(m, ty), rest);
        }
        for &index in indexes {
            let (part, at) = part(m, ty, index)?;
            (ty, offset) = (part, offset + at);
        }
        let size = size(m, ty);
        let is_integer = matches!(m.ty(ty), Type::Int { .. } | Type::Bool);
        let read = bytes.get(offset..offset + size)?;
        let bits = read
            .iter()
            .rev()
            .fold(0u64, |all, &byte| all << 8 | u64::from(byte));
        let width = 8 * size as u32;
        is_integer.then_some(Element { bits, width })
    }
}

/// From which seed on all memory that nobody gives begins with something else in each order.
const FIRST_FILL: u64 = 1 << 32;

/// Whether the last member of a type is an array of any length.
fn has_any_length(m: &ModuleIndex<'_>, ty: Id) -> bool {
    match m.ty(ty) {
        Type::RuntimeArray { .. } => true,
        Type::Struct { members } => members
            .last()
            .is_some_and(|&last| matches!(m.ty(Id(last)), Type::RuntimeArray { .. })),
        _ => false,
    }
}

/// The constants of a module with their neighbours, and some numbers that it hardly knows.
fn fills(m: &ModuleIndex<'_>) -> Vec<u32> {
    let constants = m
        .all_instructions()
        .filter(|inst| matches!(inst.op(), Op::Constant | Op::SpecConstant));
    let numbers = constants.filter_map(|inst| m.constant_u64(inst.result()?));
    let near = |number: u64| [0, 1, u32::MAX].map(|by| (number as u32).wrapping_add(by));
    let mut all: Vec<u32> = numbers.flat_map(near).collect();
    all.extend([0x5eed_1234, 0xdead_beef, 0x7654_3210]);
    all.sort_unstable();
    all.dedup();
    all
}

/// The offsets of the words that the members of a type take.
fn words_of(m: &ModuleIndex<'_>, ty: Id, offset: usize, to: &mut Vec<usize>) {
    let count = match m.ty(ty) {
        Type::Vector { count, .. } => count as usize,
        Type::Array { length, .. } => m.constant_u64(length).unwrap_or(0) as usize,
        Type::Struct { members } => members.len(),
        _ => {
            to.extend((offset..offset + size(m, ty)).step_by(4));
            return;
        }
    };
    for index in 0..count.min(MAX_PARTS) {
        if let Some((part, at)) = part(m, ty, index) {
            words_of(m, part, offset + at, to);
        }
    }
}

/// How many parts of a type of push constants are looked at.
const MAX_PARTS: usize = 1024;

/// How many bytes memory has that nobody gives.
const DEFAULT_BYTES: usize = 4096;

/// Adds the arguments of a kernel to the buffers, and gives those that are memory of the
/// workgroup.
fn arguments(
    m: &ModuleIndex<'_>,
    headers: &Headers,
    buffers: &mut Vec<Buffer>,
) -> Result<Vec<u32>, String> {
    let mut entries = m
        .all_instructions()
        .filter(|inst| inst.op() == Op::EntryPoint);
    let Some(function) = entries
        .next()
        .and_then(|entry| m.function_index(entry.id(1)))
    else {
        return Err("there is no entry point".to_owned());
    };
    let range = m.functions[function as usize].range.clone();
    let all = m
        .instructions(range)
        .take_while(|inst| inst.op() != Op::Label);
    let mut locals = Vec::new();
    for (index, inst) in all
        .filter(|inst| inst.op() == Op::FunctionParameter)
        .enumerate()
    {
        let (Some(id), Some(ty)) = (inst.result(), inst.result_type()) else {
            continue;
        };
        let index = index as u32;
        let name = m
            .name_of(id)
            .map(|name| name.to_text_lossy())
            .unwrap_or_default();
        let input = headers
            .inputs
            .iter()
            .find(|input| input.0 == name)
            .map(|input| &input.1);
        let (ty, is_pointer) = match m.ty(ty) {
            Type::Pointer {
                class: StorageClass::Workgroup,
                ..
            } => {
                locals.push(index);
                continue;
            }
            // It points to a copy of what is given.
            Type::Pointer {
                class: StorageClass::Function,
                pointee,
            } => (pointee, false),
            Type::Pointer { pointee, .. } => (pointee, true),
            _ => (ty, false),
        };
        let contents = match input {
            Some(Value::List(values)) if is_pointer => values
                .iter()
                .flat_map(|value| bytes(m, ty, Some(value)))
                .collect(),
            None if is_pointer => vec![0; DEFAULT_BYTES],
            input => bytes(m, ty, input),
        };
        buffers.push(Buffer {
            name,
            place: Place::Argument(index),
            ty,
            contents,
            is_open: input.is_none(),
            is_growable: is_pointer,
        });
    }
    Ok(locals)
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Number(number) => *number == 0,
        Value::List(values) => values.iter().all(is_zero),
    }
}

/// The text with numbers of threads, lengths and inputs put into it, and shared memory made
/// storage buffers; and which constant each variable begins with. Ids have their names from
/// the text.
fn adapted(text: &str, headers: &Headers) -> (String, BTreeMap<String, String>) {
    let threads = headers.config[0] * headers.config[1];
    let words =
        |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_owned).collect() };
    let lines: Vec<Vec<String>> = text.lines().map(words).collect();
    let decorated = |what: &str| -> BTreeMap<String, String> {
        let is = |line: &&Vec<String>| line.len() > 3 && line[0] == "OpDecorate" && line[2] == what;
        let found = lines.iter().filter(is);
        found
            .map(|line| (line[1].clone(), line[3].clone()))
            .collect()
    };
    let (spec_ids, bindings, built_ins) = (
        decorated("SpecId"),
        decorated("Binding"),
        decorated("BuiltIn"),
    );
    let size = built_ins
        .iter()
        .find(|it| it.1 == "WorkgroupSize")
        .map(|it| it.0.clone());
    let is_constant = |id: &String| {
        lines.iter().any(|line| {
            line.first() == Some(id) && line.len() > 6 && line[2].ends_with("ConstantComposite")
        })
    };
    let size = size.filter(is_constant);
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    for line in &lines {
        // %size = OpSpecConstantComposite %v3uint %x %y %z
        if line.len() > 6 && size.as_ref() == Some(&line[0]) {
            for (part, value) in line[4..7].iter().zip([threads, 1, 1]) {
                values.insert(part.clone(), value.to_string());
            }
        }
        // %24 = OpExtInst %void %20 ArgumentWorkgroup %kernel %ordinal %spec-id %size %info
        if line.len() > 9 && line[5] == "ArgumentWorkgroup" {
            let spec_id = line[8].trim_start_matches("%uint_");
            let ids = spec_ids.iter().filter(|it| it.1 == spec_id);
            values.extend(ids.map(|it| (it.0.clone(), DEFAULT_LENGTH.to_string())));
        }
    }
    for (name, value) in &headers.inputs {
        if let Value::Number(number) = value {
            values.insert(format!("%{name}"), number.to_string());
        }
    }
    let entry = lines
        .iter()
        .find(|line| line.first().is_some_and(|it| it == "OpEntryPoint"));
    let entry = entry
        .and_then(|line| line.get(2))
        .cloned()
        .unwrap_or_default();
    let mut out: Vec<String> = Vec::new();
    let mut free_binding = 100;
    let mut has_names = false;
    let mut initials = BTreeMap::new();
    let mut pointees: BTreeMap<String, String> = BTreeMap::new();
    // The widths of integers without a sign.
    let mut unsigned: BTreeMap<&str, u32> = BTreeMap::new();
    for (line, original) in lines.iter().zip(text.lines()) {
        let at = |index: usize| line.get(index).map_or("", String::as_str);
        if matches!(at(0), "OpName" | "OpMemberName")
            || at(1) == "LocalSize"
            || at(2) == "LocalSize"
        {
            continue;
        }
        let begins_rest = at(0).starts_with("OpDecorate")
            || at(0).starts_with("OpMember")
            || at(2).starts_with("OpType");
        if begins_rest && !has_names {
            has_names = true;
            let parameters = lines
                .iter()
                .filter(|line| line.len() > 3 && line[2] == "OpFunctionParameter");
            for parameter in parameters {
                let name = parameter[0].trim_start_matches('%');
                out.push(format!("OpName {} \"{name}\"", parameter[0]));
            }
            let variables = lines
                .iter()
                .filter(|line| line.len() > 4 && line[2] == "OpVariable");
            for variable in variables {
                let name = variable[0].trim_start_matches('%');
                if let Some(initial) = variable.get(5) {
                    let initial = initial.trim_start_matches('%');
                    out.push(format!("OpName %{initial} \"{initial}\""));
                    initials.insert(name.to_owned(), initial.to_owned());
                }
                out.push(format!("OpName {} \"{name}\"", variable[0]));
                let is_shared =
                    matches!(variable[4].as_str(), "Output" | "Uniform" | "StorageBuffer");
                if is_shared && !bindings.contains_key(&variable[0]) {
                    out.push(format!("OpDecorate {} DescriptorSet 0", variable[0]));
                    out.push(format!("OpDecorate {} Binding {free_binding}", variable[0]));
                    free_binding += 1;
                }
            }
        }
        if at(2) == "OpTypePointer" {
            pointees.insert(at(0).to_owned(), at(4).to_owned());
        }
        let is_constant = at(2).starts_with("OpSpecConstant") && at(2) != "OpSpecConstantComposite";
        match values.get(at(0)).filter(|_| is_constant) {
            Some(value) if at(2) == "OpSpecConstant" => {
                out.push(format!("{} = OpSpecConstant {} {value}", at(0), at(3)));
                continue;
            }
            Some(value)
                if at(2).starts_with("OpSpecConstantTrue")
                    || at(2).starts_with("OpSpecConstantFalse") =>
            {
                let name = if value == "0" { "False" } else { "True" };
                out.push(format!("{} = OpSpecConstant{name} {}", at(0), at(3)));
                continue;
            }
            _ => {}
        }
        if at(2) == "OpTypeInt" && at(4) == "0" {
            unsigned.insert(at(0), at(3).parse().unwrap_or(32));
        }
        let is_number = matches!(at(2), "OpConstant" | "OpSpecConstant");
        if is_number
            && let (Some(width @ 1..=64), Ok(number @ ..0)) =
                (unsigned.get(at(3)), at(4).parse::<i64>())
        {
            let bits = number as u64 & u64::MAX >> (64 - width);
            out.push(format!("{} = {} {} {bits}", at(0), at(2), at(3)));
            continue;
        }
        let is_shared = at(2) == "OpVariable"
            && (at(4) == "Output" || at(4) == "Uniform" && !bindings.contains_key(at(0)));
        if is_shared {
            let name = at(0).trim_start_matches('%');
            let pointee = pointees.get(at(3)).cloned().unwrap_or_default();
            out.push(format!(
                "%pointer_of_{name} = OpTypePointer StorageBuffer {pointee}"
            ));
            out.push(format!(
                "{} = OpVariable %pointer_of_{name} StorageBuffer",
                at(0)
            ));
            continue;
        }
        out.push(original.to_owned());
        if at(0) == "OpEntryPoint" && at(1) == "GLCompute" && size.is_none() {
            out.push(format!("OpExecutionMode {entry} LocalSize {threads} 1 1"));
        }
    }
    (out.join("\n"), initials)
}

/// Writes the push constants that programs of clspv ask for, such as the number of
/// workgroups, and gives the offsets of their words.
fn put_push_constants(text: &str, headers: &Headers, push: &mut [u8]) -> Vec<usize> {
    let [lanes, subgroups, groups] = headers.config;
    let mut known = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(at) = words
            .iter()
            .position(|word| word.starts_with("PushConstant"))
        else {
            continue;
        };
        let value = match words[at] {
            "PushConstantGlobalSize" => [lanes * subgroups * groups, 1, 1],
            "PushConstantEnqueuedLocalSize" => [lanes * subgroups, 1, 1],
            "PushConstantNumWorkgroups" => [groups, 1, 1],
            _ => [0, 0, 0],
        };
        let offset = words
            .get(at + 1)
            .map(|word| word.trim_start_matches("%uint_"));
        let Some(offset) = offset.and_then(|word| word.parse::<usize>().ok()) else {
            continue;
        };
        for (index, number) in value.into_iter().enumerate() {
            let at = offset + 4 * index;
            if let Some(word) = push.get_mut(at..at + 4) {
                word.copy_from_slice(&number.to_le_bytes());
                known.push(at);
            }
        }
    }
    known
}

/// The constant with a name.
fn named(m: &ModuleIndex<'_>, name: &str) -> Option<Id> {
    let ids = m.all_instructions().filter_map(|inst| inst.result());
    let mut named = ids.filter(|&id| m.name_of(id).is_some_and(|it| it.to_text_lossy() == name));
    named.next()
}

/// A constant as nested lists.
fn constant(m: &ModuleIndex<'_>, id: Id) -> Value {
    let Some(inst) = m.def(id) else {
        return Value::Number(0);
    };
    let name = inst.op().to_string();
    match name.as_str() {
        "OpConstantComposite" | "OpSpecConstantComposite" => Value::List(
            inst.args()
                .iter()
                .map(|&part| constant(m, Id(part)))
                .collect(),
        ),
        "OpConstantTrue" | "OpSpecConstantTrue" => Value::Number(1),
        _ => Value::Number(m.constant_i64(id).unwrap_or(0)),
    }
}

/// The bytes of a value of a type; zeros where nothing is given.
fn bytes(m: &ModuleIndex<'_>, ty: Id, value: Option<&Value>) -> Vec<u8> {
    let mut out = vec![0; size(m, ty)];
    if let Some(value) = value {
        put(m, ty, value, 0, &mut out);
    }
    out
}

fn put(m: &ModuleIndex<'_>, ty: Id, value: &Value, offset: usize, out: &mut Vec<u8>) {
    match value {
        Value::List(values) => {
            for (index, value) in values.iter().enumerate() {
                if let Some((part, at)) = part(m, ty, index) {
                    put(m, part, value, offset + at, out);
                }
            }
        }
        Value::Number(number) => {
            let size = size(m, ty).min(8);
            if out.len() < offset + size {
                out.resize(offset + size, 0);
            }
            let bytes = match m.ty(ty) {
                Type::Float { width: 32, .. } => {
                    u64::from((*number as f32).to_bits()).to_le_bytes()
                }
                Type::Float { width: 64, .. } => (*number as f64).to_bits().to_le_bytes(),
                _ => number.to_le_bytes(),
            };
            out[offset..offset + size].copy_from_slice(&bytes[..size]);
        }
    }
}

/// The size of a type in bytes; arrays of any length have none.
fn size(m: &ModuleIndex<'_>, ty: Id) -> usize {
    match m.ty(ty) {
        Type::Bool => 4,
        Type::Int { width, .. } | Type::Float { width, .. } => width as usize / 8,
        Type::Vector { component, count } => size(m, component) * count as usize,
        Type::Array { length, .. } => {
            let count = m.constant_u64(length).unwrap_or(1) as usize;
            part(m, ty, count).map_or(0, |end| end.1)
        }
        Type::Struct { members } => {
            let last = members.len().saturating_sub(1);
            part(m, ty, last).map_or(0, |(part, at)| at + size(m, part))
        }
        Type::Pointer { .. } => 8,
        _ => 0,
    }
}

/// A part of a composite, and where it begins.
fn part(m: &ModuleIndex<'_>, ty: Id, index: usize) -> Option<(Id, usize)> {
    match m.ty(ty) {
        Type::Vector { component, .. } => Some((component, index * size(m, component))),
        Type::Array { element, .. } | Type::RuntimeArray { element } => {
            let stride = m.decoration(ty, Decoration::ArrayStride);
            let stride = stride.map_or_else(|| size(m, element), |it| it.param(0) as usize);
            Some((element, index * stride))
        }
        Type::Struct { members } => {
            let member = Id(*members.get(index)?);
            let offset = m.member_decoration(ty, index as u32, Decoration::Offset);
            let offset = match (offset, index) {
                (Some(offset), _) => offset.param(0) as usize,
                (None, 0) => 0,
                (None, _) => {
                    let (before, at) = part(m, ty, index - 1)?;
                    let align = size(m, member).clamp(1, 8);
                    (at + size(m, before)).next_multiple_of(align)
                }
            };
            Some((member, offset))
        }
        _ => None,
    }
}
