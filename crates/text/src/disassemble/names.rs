//! Names for ids, as readers want to see them.
//!
//! A name comes from `OpName`, else from what the id is: a built-in, a type, a
//! constant. It consists of letters, digits and underscores, and no two ids
//! have the same, so that the text assembles.
//!
//! They are made in one pass of their own, because every text needs them: to index the
//! module first would take as long again.

use std::fmt::Write as _;

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use spirvkit_binary::{
    Budget, Definitions, Id, IdMap, Instruction, LiteralString, Module, NumberType,
};
use spirvkit_grammar::{
    AccessQualifier, BuiltIn, Decoration, Enumeration, FPEncoding, Op, StorageClass,
};

use crate::buffer::{TextBuffer, numbered_id, thousand_ids};
use crate::number::write_number;

/// The most bytes of a name before any suffix; an id whose name would be longer
/// keeps its number. Names are made of names, so without a limit they could grow
/// with the square of the module's size.
const MAX_LENGTH: usize = 1024;

/// The most bytes of a name that may be used however often: there is a word for each
/// use, and so no more text than sixteen bytes for each of a module's. Longer names take
/// what they are used for from a budget.
pub(super) const SHORT: usize = 64;

/// What long names may take of a module's text, which has more in it than names.
fn room(module: &Module<'_>) -> Budget {
    Budget::for_words(module.words().len()).part(2)
}

/// How ids are written.
#[derive(Clone)]
pub(super) enum Names {
    /// By their numbers.
    Raw,
    /// By the names that have been worked out, or their numbers.
    Friendly(Friendly),
}

impl Names {
    /// Works out a name for every id of a module.
    pub(super) fn friendly(module: &Module<'_>) -> Self {
        let mut namer = Namer::new(module);
        let mut instructions = module.instructions();
        let mut functions = instructions.clone();
        while let Some(Ok(instruction)) = instructions.next()
            && instruction.op() != Op::Function
        {
            namer.instruction(&instruction);
            functions = instructions.clone();
        }
        let functions = || functions.clone().map_while(Result::ok);
        // What names ids hardly ever stands there, and then each id is its number.
        if namer.numbers_are_used || functions().any(|it| may_name(&it)) {
            functions().for_each(|instruction| namer.instruction(&instruction));
        } else {
            namer.names.number_the_rest();
        }
        namer.limit_uses(module);
        Self::Friendly(namer.names)
    }

    /// How many ids have numbers because their names would take too much room.
    pub(super) fn left_out(&self) -> usize {
        match self {
            Self::Friendly(names) => names.left_out,
            Self::Raw => 0,
        }
    }

    /// Takes the names of ids as they are given; others are written by their numbers, as
    /// are those whose names would take too much room.
    pub(super) fn given<'n>(
        module: &Module<'_>,
        names: impl Iterator<Item = (Id, &'n str)>,
    ) -> Self {
        let mut own = Friendly {
            text: Vec::new(),
            written: IdMap::with_bound(
                Written::NOT_YET,
                module.words().len(),
                module.header().bound,
            ),
            left_out: 0,
        };
        let mut long = Vec::new();
        for (id, name) in names {
            own.push(id, name.as_bytes());
            if name.len() > SHORT {
                long.push(id);
            }
        }
        own.limit_uses(module, &long, &mut room(module));
        Self::Friendly(own)
    }

    /// Writes an id without its `%`.
    pub(super) fn write(&self, out: &mut TextBuffer, id: Id) {
        match self {
            Self::Friendly(names) => names.write_to(out, id),
            Self::Raw => out.push_number(id.0),
        }
    }

    /// The name of an id, unless that is its number.
    pub(super) fn get(&self, id: Id) -> Option<&str> {
        match self {
            Self::Friendly(names) => names.get(id),
            Self::Raw => None,
        }
    }

    /// How many bytes the id takes without any prefix.
    #[inline]
    pub(super) fn width(&self, id: Id) -> usize {
        let name = match self {
            Self::Friendly(names) => names.prefixed(id),
            Self::Raw => None,
        };
        match name {
            Some(name) => name.len() - PREFIX.len(),
            None => id.0.checked_ilog10().unwrap_or(0) as usize + 1,
        }
    }
}

/// What is before each name in the text of names, so that an operand is
/// written in one go.
const PREFIX: &str = " %";

/// The names, one after the other, and how each id is written.
#[derive(Clone)]
pub(super) struct Friendly {
    text: Vec<u8>,
    written: IdMap<Written>,
    /// How many ids have numbers because their names would take too much room.
    left_out: usize,
}

/// The size of the blocks of bytes that ids are written as.
const BLOCK: usize = 16;

/// How an id is written behind a blank: its text in a block of bytes, the last of
/// which is the text's length. So one copy writes an id, be it a number or a name.
#[derive(Clone, Copy)]
struct Written([u8; BLOCK]);

impl Written {
    /// The id has no name yet.
    const NOT_YET: Self = Self([0; BLOCK]);

    /// In place of the length: the text doesn't fit. In the block there is where it
    /// starts in the text of names, and its length.
    const LONG: u8 = 0x7f;

    /// Added to the length: the text is the id's own number.
    const NUMBER: u8 = 0x80;

    fn new(mut block: [u8; BLOCK], last: u8) -> Self {
        block[BLOCK - 1] = last;
        Self(block)
    }

    #[inline]
    fn number(id: Id) -> Self {
        if let Some((text, length)) = numbered_id(id.0) {
            return Self::new(u128::from(text).to_le_bytes(), length as u8 | Self::NUMBER);
        }
        let mut block = [0; BLOCK];
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(id.0).as_bytes();
        let length = PREFIX.len() + digits.len();
        block[..PREFIX.len()].copy_from_slice(PREFIX.as_bytes());
        block[PREFIX.len()..length].copy_from_slice(digits);
        Self::new(block, length as u8 | Self::NUMBER)
    }

    /// What is at a place of the text of names.
    fn name(text: &[u8], start: u32, length: u32) -> Self {
        let mut block = [0; BLOCK];
        match text.get(start as usize..) {
            Some(name) if name.len() == length as usize && name.len() < BLOCK => {
                block[..name.len()].copy_from_slice(name);
                Self::new(block, length as u8)
            }
            _ => {
                block[..4].copy_from_slice(&start.to_le_bytes());
                block[4..8].copy_from_slice(&length.to_le_bytes());
                Self::new(block, Self::LONG)
            }
        }
    }

    /// The text at the start of a block, the block's lowest byte first, and its
    /// length; `None` if the text is elsewhere, or nowhere.
    #[inline(always)]
    fn block(&self) -> Option<(u128, usize)> {
        // The compiler keeps a number in registers, and a block in memory.
        let block = u128::from_le_bytes(self.0);
        let length = (block >> (8 * BLOCK - 8)) as u8 & !Self::NUMBER;
        (length < BLOCK as u8 && length > 0).then_some((block, length.into()))
    }

    /// Whether the id has a name or a number.
    fn is_there(&self) -> bool {
        self.0[BLOCK - 1] != 0
    }

    fn is_number(&self) -> bool {
        self.0[BLOCK - 1] & Self::NUMBER != 0
    }

    /// Where a text that doesn't fit is.
    fn place(&self) -> Option<std::ops::Range<usize>> {
        let [words @ .., last] = self.0.as_chunks::<4>().0 else {
            return None;
        };
        let [start, length] =
            [words.first()?, words.get(1)?].map(|word| u32::from_le_bytes(*word) as usize);
        (last[3] == Self::LONG).then_some(start..start + length)
    }
}

impl Friendly {
    /// The name of an id, unless that is its number.
    #[inline]
    fn get(&self, id: Id) -> Option<&str> {
        std::str::from_utf8(self.prefixed(id)?.get(PREFIX.len()..)?).ok()
    }

    /// Notes an id's name, and returns where it is, unless there is no more room.
    fn push(&mut self, id: Id, name: &[u8]) -> Option<(u32, u32)> {
        let start = u32::try_from(self.text.len()).ok()?;
        let length = u32::try_from(PREFIX.len() + name.len()).ok()?;
        self.text.extend_from_slice(PREFIX.as_bytes());
        self.text.extend_from_slice(name);
        *self.written.slot(id) = Written::name(&self.text, start, length);
        Some((start, length))
    }

    /// An id's name or number behind a blank and its `%`, at the start of a block of
    /// bytes, the lowest first, and its length; `None` if it is longer.
    #[inline(always)]
    pub(super) fn block(&self, id: Id) -> Option<(u128, usize)> {
        self.written.peek(id).block()
    }

    /// A name that is too long for a block, behind a blank and its `%`.
    pub(super) fn long(&self, id: Id) -> Option<&[u8]> {
        self.text.get(self.written.peek(id).place()?)
    }

    /// The name behind its prefix, a blank and its `%`.
    fn prefixed(&self, id: Id) -> Option<&[u8]> {
        let written = self.written.peek(id);
        match written.place() {
            Some(place) => self.text.get(place),
            None => {
                let (_, length) = written.block().filter(|_| !written.is_number())?;
                written.0.get(..length)
            }
        }
    }

    /// Names all ids that have no name by their numbers.
    fn number_the_rest(&mut self) {
        for (thousands, ids) in (0..).zip(self.written.vector_mut().chunks_mut(1000)) {
            let Some(texts) = thousand_ids(thousands) else {
                return;
            };
            for (written, (text, length)) in ids.iter_mut().zip(texts) {
                if !written.is_there() {
                    *written = Written::new(text.to_le_bytes(), length as u8 | Written::NUMBER);
                }
            }
        }
    }

    /// Takes those of the long names away that would take too much room as often as their
    /// ids are used, but keeps as many as possible. Returns the ids.
    fn limit_uses(&mut self, module: &Module<'_>, long: &[Id], budget: &mut Budget) -> Vec<Id> {
        let width = |id: &Id| self.get(*id).map_or(0, str::len) as u64;
        let longest = long.iter().map(width).max().unwrap_or(0);
        if longest.saturating_mul(module.words().len() as u64) <= budget.left() {
            return Vec::new();
        }
        let mut costs: HashMap<Id, u64> = long.iter().map(|&id| (id, 0)).collect();
        for instruction in module.instructions().map_while(Result::ok) {
            // A number that looks like one of the ids counts as well, which makes the
            // text shorter than it might be.
            for &word in instruction.operand_words() {
                if self.written.peek(Id(word)).place().is_some()
                    && let Some(cost) = costs.get_mut(&Id(word))
                {
                    *cost += width(&Id(word));
                }
            }
        }
        let mut costs: Vec<(u64, Id)> = costs.into_iter().map(|(id, cost)| (cost, id)).collect();
        costs.sort_unstable();
        costs.retain(|(cost, _)| !budget.take(*cost));
        let taken: Vec<Id> = costs.into_iter().map(|(_, id)| id).collect();
        for &id in &taken {
            self.written.replace(id, Written::NOT_YET);
        }
        self.left_out += taken.len();
        taken
    }

    /// Appends the name of an id, or its number.
    fn write_to(&self, out: &mut TextBuffer, id: Id) {
        let written = self.written.peek(id);
        match (written.block(), written.place()) {
            (Some((block, length)), _) => {
                let block = block >> (8 * PREFIX.len());
                out.push_first(block.to_le_bytes(), length - PREFIX.len());
            }
            (None, Some(place)) => {
                let name = self.text.get(place).unwrap_or_default();
                out.push_bytes(name.get(PREFIX.len()..).unwrap_or_default());
            }
            (None, None) => out.push_number(id.0),
        }
    }
}

struct Namer {
    names: Friendly,
    /// Where the names in use are, but for those that are their ids' own numbers.
    used: HashTable<(u32, u32)>,
    hasher: DefaultHashBuilder,
    /// Whether an id has another's number for a name. Hardly ever one has, and
    /// that saves most of the work.
    numbers_are_used: bool,
    /// The next suffix to try for a name that is in use.
    suffixes: HashMap<String, u32>,
    definitions: Definitions,
    /// Memory that is used again and again.
    scratch: TextBuffer,
    candidate: Vec<u8>,
    bytes: Vec<u8>,
    /// The ids with names that aren't short.
    long: Vec<Id>,
    /// What these may take of the text.
    budget: Budget,
}

impl Namer {
    fn new(module: &Module<'_>) -> Self {
        let (words, bound) = (module.words().len(), module.header().bound);
        // Some ids in four are named after something.
        let names = words.min(bound as usize) / 4;
        Self {
            names: Friendly {
                text: Vec::with_capacity(names * 16),
                written: IdMap::with_bound(Written::NOT_YET, words, bound),
                left_out: 0,
            },
            used: HashTable::with_capacity(names),
            hasher: DefaultHashBuilder::default(),
            numbers_are_used: false,
            suffixes: HashMap::new(),
            definitions: Definitions::with_word_limit(words),
            scratch: TextBuffer::default(),
            candidate: Vec::new(),
            bytes: Vec::new(),
            long: Vec::new(),
            budget: room(module),
        }
    }

    fn is_named(&self, id: Id) -> bool {
        self.names.written.peek(id).is_there()
    }

    /// Names an id by its number, unless another id has taken that name.
    fn name_by_number(&mut self, id: Id) {
        if self.numbers_are_used {
            let number = id.0.to_string();
            if self.is_used(number.as_bytes(), self.hasher.hash_one(number.as_bytes())) {
                return self.name(id, number.as_bytes());
            }
        }
        *self.names.written.slot(id) = Written::number(id);
    }

    /// Gives an id a name like `suggestion`, unless it has one.
    fn name(&mut self, id: Id, suggestion: &[u8]) {
        if self.is_named(id) {
            return;
        }
        if suggestion.len() > MAX_LENGTH {
            return self.name(id, id.0.to_string().as_bytes());
        }
        if suggestion.len() > SHORT {
            // Names are made of names, so there may be much more of them than there is
            // of the module.
            if !self.budget.take(suggestion.len() as u64) {
                self.names.left_out += 1;
                return self.name(id, id.0.to_string().as_bytes());
            }
            self.long.push(id);
        }
        let mut bytes = std::mem::take(&mut self.candidate);
        sanitize(&mut bytes, suggestion);
        let hash = self.hasher.hash_one(bytes.as_slice());
        if self.is_used(&bytes, hash) {
            let name = self.with_suffix(&String::from_utf8_lossy(&bytes));
            self.record(id, name.as_bytes(), self.hasher.hash_one(name.as_bytes()));
        } else {
            self.record(id, &bytes, hash);
        }
        self.candidate = bytes;
    }

    /// A name that is in use with the first suffix that makes it another.
    fn with_suffix(&mut self, base: &str) -> String {
        let mut suffix = self.suffixes.get(base).copied().unwrap_or(0);
        loop {
            let name = format!("{base}_{suffix}");
            suffix += 1;
            if !self.is_used(name.as_bytes(), self.hasher.hash_one(name.as_bytes())) {
                self.suffixes.insert(base.to_owned(), suffix);
                return name;
            }
        }
    }

    /// Takes the names away that would take too much room, and numbers their ids.
    fn limit_uses(&mut self, module: &Module<'_>) {
        let long = std::mem::take(&mut self.long);
        for id in self.names.limit_uses(module, &long, &mut self.budget) {
            self.name_by_number(id);
        }
    }

    /// Notes a name that is not in use yet.
    fn record(&mut self, id: Id, name: &[u8], hash: u64) {
        let Some((start, length)) = self.names.push(id, name) else {
            return;
        };
        self.numbers_are_used |= number_of(name).is_some();
        let (hasher, text) = (&self.hasher, &self.names.text);
        self.used
            .insert_unique(hash, (start, length), |&(start, length)| {
                hasher.hash_one(name_at(text, start, length))
            });
    }

    fn is_used(&self, name: &[u8], hash: u64) -> bool {
        let text = &self.names.text;
        let is_own_number = |id| self.names.written.peek(id).is_number();
        let same = |&(start, length): &(u32, u32)| name_at(text, start, length) == name;
        self.used.find(hash, same).is_some() || number_of(name).is_some_and(is_own_number)
    }

    fn instruction(&mut self, instruction: &Instruction<'_>) {
        let words = instruction.words();
        match (instruction.op(), words) {
            (Op::Name, [_, target, text @ ..]) => {
                if let Some(text) = LiteralString::at_start_of(text) {
                    let mut bytes = std::mem::take(&mut self.bytes);
                    bytes.clear();
                    text.append_to(&mut bytes);
                    self.name(Id(*target), &bytes);
                    self.bytes = bytes;
                }
                return;
            }
            (Op::Decorate, [_, target, decoration, built_in, ..])
                if Decoration(*decoration) == Decoration::BuiltIn =>
            {
                if let Some(name) = built_in_name(BuiltIn(*built_in)) {
                    self.name(Id(*target), name.as_bytes());
                }
                return;
            }
            _ => {}
        }
        let Some(result) = instruction.result() else {
            return;
        };
        // The names of constants hang on their types.
        if matches!(instruction.op(), Op::TypeInt | Op::TypeFloat) {
            self.definitions.define(instruction);
        }
        if self.is_named(result) {
            return;
        }
        if !is_declaration(instruction) {
            return self.name_by_number(result);
        }
        let mut name = std::mem::take(&mut self.scratch);
        name.truncate(0);
        match self.describe(instruction, &mut name) {
            Some(()) => self.name(result, name.as_bytes()),
            None => self.name_by_number(result),
        }
        self.scratch = name;
    }

    /// Names what an instruction defines after its operands; `None` if they
    /// don't say enough.
    fn describe(&self, instruction: &Instruction<'_>, name: &mut TextBuffer) -> Option<()> {
        let words = instruction.words();
        let word = |index: usize| words.get(index).copied();
        let push_name = |name: &mut TextBuffer, index: usize| {
            self.names.write_to(name, Id(word(index)?));
            Some(())
        };
        match instruction.op() {
            Op::TypeVoid => name.push_str("void"),
            Op::TypeBool => name.push_str("bool"),
            Op::TypeInt => {
                let (width, signed) = (word(2)?, word(3)? != 0);
                let root = match width {
                    8 => Some("char"),
                    16 => Some("short"),
                    32 => Some("int"),
                    64 => Some("long"),
                    _ => None,
                };
                match (root, signed) {
                    (Some(root), true) => name.push_str(root),
                    (Some(root), false) => {
                        name.push('u');
                        name.push_str(root);
                    }
                    (None, true) => write!(name, "i{width}").ok()?,
                    (None, false) => write!(name, "u{width}").ok()?,
                }
            }
            Op::TypeFloat => float_name(name, word(2)?, word(3).map(FPEncoding))?,
            Op::TypeVector => {
                name.push('v');
                name.push_number(word(3)?);
                push_name(name, 2)?;
            }
            Op::TypeMatrix => {
                name.push_str("mat");
                name.push_number(word(3)?);
                push_name(name, 2)?;
            }
            Op::TypeArray => {
                name.push_str("_arr_");
                push_name(name, 2)?;
                name.push('_');
                push_name(name, 3)?;
            }
            Op::TypeRuntimeArray => {
                name.push_str("_runtimearr_");
                push_name(name, 2)?;
            }
            Op::TypeNodePayloadArrayAMDX => {
                name.push_str("_payloadarr_");
                push_name(name, 2)?;
            }
            Op::TypePointer => {
                name.push_str("_ptr_");
                name.push_str(StorageClass(word(2)?).name()?);
                name.push('_');
                push_name(name, 3)?;
            }
            Op::TypeUntypedPointerKHR => {
                name.push_str("_ptr_");
                name.push_str(StorageClass(word(2)?).name()?);
            }
            Op::TypePipe => {
                name.push_str("Pipe");
                name.push_str(AccessQualifier(word(2)?).name()?);
            }
            Op::TypeEvent => name.push_str("Event"),
            Op::TypeDeviceEvent => name.push_str("DeviceEvent"),
            Op::TypeReserveId => name.push_str("ReserveId"),
            Op::TypeQueue => name.push_str("Queue"),
            Op::TypePipeStorage => name.push_str("PipeStorage"),
            Op::TypeNamedBarrier => name.push_str("NamedBarrier"),
            Op::TypeOpaque => {
                let text = LiteralString::at_start_of(words.get(2..)?)?;
                name.push_str("Opaque_");
                name.push_str(&text.to_text_lossy());
            }
            Op::TypeStruct => {
                name.push_str("_struct_");
                name.push_number(word(1)?);
            }
            Op::ConstantTrue => name.push_str("true"),
            Op::ConstantFalse => name.push_str("false"),
            Op::Constant => {
                let ty = self.definitions.number_type(Id(word(1)?))?;
                let bits = NumberType::join(words.get(3..3 + ty.words())?);
                push_name(name, 1)?;
                name.push('_');
                let value = match ty {
                    NumberType::Integer { signed: true, .. } => {
                        u32::try_from(ty.sign_extend(bits)).ok()
                    }
                    NumberType::Integer { .. } => u32::try_from(ty.extend(bits)).ok(),
                    NumberType::Float(_) => None,
                };
                match value {
                    Some(value) => name.push_number(value),
                    _ => {
                        let mut value = String::new();
                        write_number(&mut value, ty, bits);
                        // A minus sign would become an underscore.
                        name.push_str(&value.replace('-', "n"));
                    }
                }
            }
            _ => return None,
        }
        Some(())
    }
}

/// Whether an instruction makes a type or a constant, which may be named after what it is.
fn is_declaration(instruction: &Instruction<'_>) -> bool {
    let op = instruction.op();
    op.is_type() || op.is_constant()
}

/// Whether an instruction may give an id a name that is not its number.
fn may_name(instruction: &Instruction<'_>) -> bool {
    matches!(instruction.op(), Op::Name | Op::Decorate) || is_declaration(instruction)
}

fn float_name(name: &mut TextBuffer, width: u32, encoding: Option<FPEncoding>) -> Option<()> {
    let known = match (width, encoding) {
        (16, None) => Some("half"),
        (32, None) => Some("float"),
        (64, None) => Some("double"),
        (_, Some(FPEncoding::BFloat16KHR)) => Some("bfloat16"),
        (_, Some(FPEncoding::Float8E4M3EXT)) => Some("fp8e4m3"),
        (_, Some(FPEncoding::Float8E5M2EXT)) => Some("fp8e5m2"),
        _ => None,
    };
    match known {
        Some(known) => name.push_str(known),
        None => write!(name, "fp{width}").ok()?,
    }
    Some(())
}

/// The name of a variable for a built-in: GLSL's, or OpenCL's. Other built-ins
/// don't name their variables.
fn built_in_name(built_in: BuiltIn) -> Option<&'static str> {
    Some(match built_in {
        BuiltIn::Position => "gl_Position",
        BuiltIn::PointSize => "gl_PointSize",
        BuiltIn::ClipDistance => "gl_ClipDistance",
        BuiltIn::CullDistance => "gl_CullDistance",
        BuiltIn::VertexId => "gl_VertexID",
        BuiltIn::InstanceId => "gl_InstanceID",
        BuiltIn::PrimitiveId => "gl_PrimitiveID",
        BuiltIn::InvocationId => "gl_InvocationID",
        BuiltIn::Layer => "gl_Layer",
        BuiltIn::ViewportIndex => "gl_ViewportIndex",
        BuiltIn::TessLevelOuter => "gl_TessLevelOuter",
        BuiltIn::TessLevelInner => "gl_TessLevelInner",
        BuiltIn::TessCoord => "gl_TessCoord",
        BuiltIn::PatchVertices => "gl_PatchVertices",
        BuiltIn::FragCoord => "gl_FragCoord",
        BuiltIn::PointCoord => "gl_PointCoord",
        BuiltIn::FrontFacing => "gl_FrontFacing",
        BuiltIn::SampleId => "gl_SampleID",
        BuiltIn::SamplePosition => "gl_SamplePosition",
        BuiltIn::SampleMask => "gl_SampleMask",
        BuiltIn::FragDepth => "gl_FragDepth",
        BuiltIn::HelperInvocation => "gl_HelperInvocation",
        BuiltIn::NumWorkgroups => "gl_NumWorkGroups",
        BuiltIn::WorkgroupSize => "gl_WorkGroupSize",
        BuiltIn::WorkgroupId => "gl_WorkGroupID",
        BuiltIn::LocalInvocationId => "gl_LocalInvocationID",
        BuiltIn::GlobalInvocationId => "gl_GlobalInvocationID",
        BuiltIn::LocalInvocationIndex => "gl_LocalInvocationIndex",
        BuiltIn::VertexIndex => "gl_VertexIndex",
        BuiltIn::InstanceIndex => "gl_InstanceIndex",
        BuiltIn::BaseInstance => "gl_BaseInstance",
        BuiltIn::SubgroupEqMask => "SubgroupEqMaskKHR",
        BuiltIn::SubgroupGeMask => "SubgroupGeMaskKHR",
        BuiltIn::SubgroupGtMask => "SubgroupGtMaskKHR",
        BuiltIn::SubgroupLeMask => "SubgroupLeMaskKHR",
        BuiltIn::SubgroupLtMask => "SubgroupLtMaskKHR",
        BuiltIn::WorkDim
        | BuiltIn::GlobalSize
        | BuiltIn::EnqueuedWorkgroupSize
        | BuiltIn::GlobalOffset
        | BuiltIn::GlobalLinearId
        | BuiltIn::SubgroupSize
        | BuiltIn::SubgroupMaxSize
        | BuiltIn::NumSubgroups
        | BuiltIn::NumEnqueuedSubgroups
        | BuiltIn::SubgroupId
        | BuiltIn::SubgroupLocalInvocationId => built_in.name()?,
        _ => return None,
    })
}

/// The id whose number a name is, written as ids are.
pub(super) fn as_number(name: &str) -> Option<Id> {
    if !name.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let number: u32 = name.parse().ok()?;
    (name == "0" || !name.starts_with('0')).then_some(Id(number))
}

/// The same for a name in bytes.
fn number_of(name: &[u8]) -> Option<Id> {
    match name.first()?.is_ascii_digit() {
        true => as_number(std::str::from_utf8(name).ok()?),
        false => None,
    }
}

/// The name at a place in the text of names, without its prefix.
fn name_at(text: &[u8], start: u32, length: u32) -> &[u8] {
    let (start, end) = (start as usize + PREFIX.len(), (start + length) as usize);
    text.get(start..end).unwrap_or_default()
}

/// Makes a text a name: letters, digits and underscores. Byte by byte, as the
/// established tools do.
fn sanitize(name: &mut Vec<u8>, text: &[u8]) {
    /// What becomes of each byte.
    static IN_NAMES: [u8; 256] = {
        let mut bytes = [b'_'; 256];
        let mut byte = 0;
        while byte < 128 {
            if (byte as u8).is_ascii_alphanumeric() {
                bytes[byte] = byte as u8;
            }
            byte += 1;
        }
        bytes
    };
    name.clear();
    name.extend(text.iter().map(|&byte| IN_NAMES[usize::from(byte)]));
    if name.is_empty() {
        name.push(b'_');
    }
}
