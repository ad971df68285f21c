//! Names for ids, as readers want to see them.
//!
//! A name comes from `OpName`, else from what the id is: a built-in, a type, a
//! constant. It consists of letters, digits and underscores, and no two ids
//! have the same, so that the text assembles.

use std::fmt::Write as _;

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use spirvkit_binary::{Definitions, Id, IdMap, Instruction, LiteralString, Module, Operand, Value};
use spirvkit_grammar::{
    AccessQualifier, BuiltIn, Class, Decoration, Enumeration, FPEncoding, Op, StorageClass,
};

use crate::buffer::TextBuffer;
use crate::number::write_number;

/// The most bytes of a name before any suffix; an id whose name would be longer
/// keeps its number. Names are made of names, so without a limit they could grow
/// with the square of the module's size.
const LONGEST: usize = 1024;

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
        for instruction in module.instructions().map_while(Result::ok) {
            namer.instruction(&instruction);
        }
        Self::Friendly(namer.names)
    }

    /// Takes the names of ids as they are given; others are written by their numbers.
    pub(super) fn given<'n>(
        module: &Module<'_>,
        names: impl Iterator<Item = (Id, &'n str)>,
    ) -> Self {
        let mut own = Friendly {
            text: String::new(),
            places: IdMap::with_bound(Place::Nowhere, module.words().len(), module.header().bound),
        };
        for (id, name) in names {
            own.push(id, name);
        }
        Self::Friendly(own)
    }

    /// Writes an id behind a prefix: its `%`, a blank and its `%`, or nothing.
    #[inline]
    pub(super) fn write(&self, out: &mut TextBuffer, prefix: &'static str, id: Id) {
        match self {
            Self::Friendly(names) if let Some(name) = names.prefixed(id) => {
                debug_assert!(PREFIX.ends_with(prefix));
                out.push_name(name.get(PREFIX.len() - prefix.len()..).unwrap_or_default());
            }
            _ => {
                out.push_str(prefix);
                out.push_number(id.0);
            }
        }
    }

    /// The name of an id, unless that is its number.
    pub(super) fn get(&self, id: Id) -> Option<&str> {
        match self {
            Self::Friendly(names) => names.get(id),
            Self::Raw => None,
        }
    }

    /// Whether the id has a name other than its number.
    #[inline]
    pub(super) fn has_name(&self, id: Id) -> bool {
        match self {
            Self::Friendly(names) => matches!(names.places.get(id), Place::Text(..)),
            Self::Raw => false,
        }
    }

    /// How many bytes the id takes without any prefix.
    #[inline]
    pub(super) fn width(&self, id: Id) -> usize {
        match self {
            Self::Friendly(names) if let Some(name) = names.get(id) => name.len(),
            _ => id.0.checked_ilog10().unwrap_or(0) as usize + 1,
        }
    }
}

/// What stands before each name in the text of names, so that an operand is
/// written in one go.
const PREFIX: &str = " %";

/// The names, one after the other, and where each id's is.
#[derive(Clone)]
pub(super) struct Friendly {
    text: String,
    places: IdMap<Place>,
}

/// Where an id's name is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It has none yet.
    Nowhere,
    /// It is the id's own number.
    Number,
    /// It is in the text with its prefix, from this byte on and this long.
    Text(u32, u32),
}

impl Friendly {
    /// The name of an id, unless that is its number.
    #[inline]
    fn get(&self, id: Id) -> Option<&str> {
        self.prefixed(id)?.get(PREFIX.len()..)
    }

    /// Notes an id's name, and returns where it is, unless there is no more room.
    fn push(&mut self, id: Id, name: &str) -> Option<(u32, u32)> {
        let start = u32::try_from(self.text.len()).ok()?;
        let length = u32::try_from(PREFIX.len() + name.len()).ok()?;
        self.text.push_str(PREFIX);
        self.text.push_str(name);
        *self.places.slot(id) = Place::Text(start, length);
        Some((start, length))
    }

    /// The name behind its prefix, a blank and its `%`.
    #[inline]
    pub(super) fn prefixed(&self, id: Id) -> Option<&str> {
        match self.places.get(id) {
            Place::Text(start, length) => self.text.get(start as usize..(start + length) as usize),
            _ => None,
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
    scratch: String,
    candidate: Vec<u8>,
    bytes: Vec<u8>,
}

impl Namer {
    fn new(module: &Module<'_>) -> Self {
        let (words, bound) = (module.words().len(), module.header().bound);
        // Some ids in four are named after something.
        let names = words.min(bound as usize) / 4;
        Self {
            names: Friendly {
                text: String::with_capacity(names * 16),
                places: IdMap::with_bound(Place::Nowhere, words, bound),
            },
            used: HashTable::with_capacity(names),
            hasher: DefaultHashBuilder::default(),
            numbers_are_used: false,
            suffixes: HashMap::new(),
            definitions: Definitions::for_module(module),
            scratch: String::new(),
            candidate: Vec::new(),
            bytes: Vec::new(),
        }
    }

    fn is_named(&self, id: Id) -> bool {
        self.names.places.get(id) != Place::Nowhere
    }

    /// Names an id by its number, unless another id has taken that name.
    fn name_by_number(&mut self, id: Id) {
        if self.numbers_are_used {
            let number = id.0.to_string();
            if self.is_used(&number, self.hasher.hash_one(number.as_str())) {
                return self.name(id, number.as_bytes());
            }
        }
        *self.names.places.slot(id) = Place::Number;
    }

    /// Gives an id a name like `suggestion`, unless it has one.
    fn name(&mut self, id: Id, suggestion: &[u8]) {
        if self.is_named(id) {
            return;
        }
        if suggestion.len() > LONGEST {
            return self.name(id, id.0.to_string().as_bytes());
        }
        let mut bytes = std::mem::take(&mut self.candidate);
        sanitize(&mut bytes, suggestion);
        let name = std::str::from_utf8(&bytes).unwrap_or_default();
        let hash = self.hasher.hash_one(name);
        if self.is_used(name, hash) {
            let name = self.with_suffix(name);
            self.record(id, &name, self.hasher.hash_one(name.as_str()));
        } else {
            self.record(id, name, hash);
        }
        self.candidate = bytes;
    }

    /// A name that is in use with the first suffix that makes it another.
    fn with_suffix(&mut self, base: &str) -> String {
        let mut suffix = self.suffixes.get(base).copied().unwrap_or(0);
        loop {
            let name = format!("{base}_{suffix}");
            suffix += 1;
            if !self.is_used(&name, self.hasher.hash_one(name.as_str())) {
                self.suffixes.insert(base.to_owned(), suffix);
                return name;
            }
        }
    }

    /// Notes a name that is not in use yet.
    fn record(&mut self, id: Id, name: &str, hash: u64) {
        let Some((start, length)) = self.names.push(id, name) else {
            return;
        };
        self.numbers_are_used |= as_number(name).is_some();
        let (hasher, text) = (&self.hasher, &self.names.text);
        self.used
            .insert_unique(hash, (start, length), |&(start, length)| {
                hasher.hash_one(name_at(text, start, length))
            });
    }

    fn is_used(&self, name: &str, hash: u64) -> bool {
        let text = &self.names.text;
        let is_own_number = |id| self.names.places.get(id) == Place::Number;
        let same = |&(start, length): &(u32, u32)| name_at(text, start, length) == name;
        self.used.find(hash, same).is_some() || as_number(name).is_some_and(is_own_number)
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
        let class = instruction.info().map(|info| info.class());
        if !matches!(
            class,
            Some(Class::TypeDeclaration | Class::ConstantCreation)
        ) {
            return self.name_by_number(result);
        }
        let mut name = std::mem::take(&mut self.scratch);
        name.clear();
        match self.describe(instruction, &mut name) {
            Some(()) => self.name(result, name.as_bytes()),
            None => self.name_by_number(result),
        }
        self.scratch = name;
    }

    /// Appends the name of another id, or its number.
    fn push(&self, name: &mut String, id: Id) {
        match self.names.get(id) {
            Some(other) => name.push_str(other),
            None => name.push_str(itoa::Buffer::new().format(id.0)),
        }
    }

    /// Names what an instruction defines after its operands; `None` if they
    /// don't say enough.
    fn describe(&self, instruction: &Instruction<'_>, name: &mut String) -> Option<()> {
        let words = instruction.words();
        let word = |index: usize| words.get(index).copied();
        let named = |index: usize| Some(NameOf(&self.names, Id(word(index)?)));
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
            Op::TypeVector => write!(name, "v{}{}", word(3)?, named(2)?).ok()?,
            Op::TypeMatrix => write!(name, "mat{}{}", word(3)?, named(2)?).ok()?,
            Op::TypeArray => write!(name, "_arr_{}_{}", named(2)?, named(3)?).ok()?,
            Op::TypeRuntimeArray => write!(name, "_runtimearr_{}", named(2)?).ok()?,
            Op::TypeNodePayloadArrayAMDX => write!(name, "_payloadarr_{}", named(2)?).ok()?,
            Op::TypePointer => {
                name.push_str("_ptr_");
                name.push_str(StorageClass(word(2)?).name()?);
                name.push('_');
                self.push(name, Id(word(3)?));
            }
            Op::TypeUntypedPointerKHR => {
                write!(name, "_ptr_{}", StorageClass(word(2)?).name()?).ok()?;
            }
            Op::TypePipe => write!(name, "Pipe{}", AccessQualifier(word(2)?).name()?).ok()?,
            Op::TypeEvent => name.push_str("Event"),
            Op::TypeDeviceEvent => name.push_str("DeviceEvent"),
            Op::TypeReserveId => name.push_str("ReserveId"),
            Op::TypeQueue => name.push_str("Queue"),
            Op::TypePipeStorage => name.push_str("PipeStorage"),
            Op::TypeNamedBarrier => name.push_str("NamedBarrier"),
            Op::TypeOpaque => {
                let text = LiteralString::at_start_of(words.get(2..)?)?;
                write!(name, "Opaque_{}", text.to_text_lossy()).ok()?;
            }
            Op::TypeStruct => write!(name, "_struct_{}", word(1)?).ok()?,
            Op::ConstantTrue => name.push_str("true"),
            Op::ConstantFalse => name.push_str("false"),
            Op::Constant => {
                let value = instruction.operands(&self.definitions).nth(2)?;
                let Ok(Operand {
                    value: Value::Number { ty, bits },
                    ..
                }) = value
                else {
                    return None;
                };
                self.push(name, Id(word(1)?));
                name.push('_');
                let start = name.len();
                write_number(name, ty, bits);
                // A minus sign would become an underscore.
                if name[start..].contains('-') {
                    let value = name.split_off(start).replace('-', "n");
                    name.push_str(&value);
                }
            }
            _ => return None,
        }
        Some(())
    }
}

fn float_name(name: &mut String, width: u32, encoding: Option<FPEncoding>) -> Option<()> {
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

/// The name at a place in the text of names, without its prefix.
fn name_at(text: &str, start: u32, length: u32) -> &str {
    let (start, end) = (start as usize + PREFIX.len(), (start + length) as usize);
    text.get(start..end).unwrap_or_default()
}

/// The name of an id, or its number, for the names of other ids.
struct NameOf<'n>(&'n Friendly, Id);

impl std::fmt::Display for NameOf<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.get(self.1) {
            Some(name) => f.write_str(name),
            None => write!(f, "{}", self.1.0),
        }
    }
}

/// Makes a text a name: letters, digits and underscores. Byte by byte, as the
/// established tools do.
fn sanitize(name: &mut Vec<u8>, text: &[u8]) {
    name.clear();
    let replace = |&byte: &u8| {
        if byte.is_ascii_alphanumeric() {
            byte
        } else {
            b'_'
        }
    };
    name.extend(text.iter().map(replace));
    if name.is_empty() {
        name.push(b'_');
    }
}
