//! How types and values are spelled for people: as GLSL does, and alike where it has
//! no word.
//!
//! [`Speller`] writes what an id stands for, looking up what it needs by [`Lookup`]:
//!
//! | what | how |
//! |---|---|
//! | numbers | `float`, `half`, `int`, `uint8`, `bfloat16` |
//! | vectors, matrices | `vec4`, `uvec2`, `vec2<bfloat16>`, `mat4`, `mat3x2` |
//! | arrays | `float[4]`, `vec3[]`, `float[spec 4]` |
//! | pointers | `ptr<Uniform, vec4>`, `ptr<StorageBuffer>` |
//! | functions | `void(float, vec2)` |
//! | images | `texture2D`, `uimage3D<r32ui>`, `sampler2DShadow`, `subpassInput` |
//! | cooperative matrices | `coopmat<half, Subgroup, 16, 16, MatrixA>` |
//! | other types | `event`, `pipe<ReadOnly>`, `accelerationStructureKHR` |
//! | constants | `1.5`, `4u`, `vec2(0.0, 1.0)`, `null`, `spec true`, `spec(IAdd, 1, 2)` |
//!
//! What has no spelling of its own, a structure above all, is called by [`Names`].
//! Every id has a spelling, whatever the module is like: what contains itself, what
//! lies deeper than [`MAX_DEPTH`], and what is left after [`MAX_PARTS`] is called by its
//! name, and lists break off after [`MAX_LENGTH`] bytes.
//!
//! ```
//! use spirvkit_analysis::ModuleIndex;
//! use spirvkit_analysis::index::spelling::Speller;
//! use spirvkit_binary::Id;
//!
//! let text = "
//!     %1 = OpTypeFloat 32
//!     %2 = OpTypeVector %1 3
//!     %3 = OpTypeStruct %2
//!     %4 = OpTypePointer Uniform %3
//!     %5 = OpConstant %1 0.5
//!     %6 = OpConstantComposite %2 %5 %5 %5";
//! let words = spirvkit_text::assemble(text, &Default::default()).unwrap().words;
//! let index = ModuleIndex::new(&words)?;
//! let speller = Speller::new(&index, &Id::to_string);
//! assert_eq!(speller.spell(Id(4)), "ptr<Uniform, struct %3>");
//! assert_eq!(speller.spell(Id(6)), "vec3(0.5)");
//! # Ok::<(), spirvkit_binary::Error>(())
//! ```

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;
use core::mem::replace;

use spirvkit_binary::{
    Definitions, FloatFormat, Id, Instruction, NumberType, Operand, Value, WordOffset, spelling,
};
use spirvkit_eval::Scalar;
use spirvkit_grammar::{CooperativeMatrixUse, Dim, Enumeration, ImageFormat, Op, OperandKind};

use super::{CooperativeMatrix, Image, Lookup, Type};

/// How many types, or values, may lie within each other in a spelling.
pub const MAX_DEPTH: usize = 16;

/// How many types and values one spelling is made of.
pub const MAX_PARTS: usize = 128;

/// Lists that are longer than this, in bytes, break off.
pub const MAX_LENGTH: usize = 120;

/// The most components of a vector that has them in its instruction.
const MAX_COMPONENTS: usize = 16;

/// How ids are called that have no spelling of their own.
///
/// A function from ids to text is enough.
pub trait Names {
    /// Writes what an id is called.
    fn id(&self, out: &mut String, id: Id);

    /// Writes what a structure is called.
    fn structure(&self, out: &mut String, id: Id) {
        out.push_str("struct ");
        self.id(out, id);
    }

    /// Writes a string that the module contains.
    fn string(&self, out: &mut String, text: &str) {
        out.push_str(text);
    }

    /// Notes that the spelling speaks of an id, whether or not it calls it by name.
    fn speaks_of(&self, _id: Id) {}
}

impl<F: Fn(&Id) -> String> Names for F {
    fn id(&self, out: &mut String, id: Id) {
        out.push_str(&self(&id));
    }
}

/// Spells what ids of a module stand for.
#[derive(Clone, Copy)]
pub struct Speller<'s, 'a> {
    module: &'s dyn Lookup<'a>,
    names: &'s dyn Names,
}

impl core::fmt::Debug for Speller<'_, '_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Speller").finish_non_exhaustive()
    }
}

impl<'s, 'a> Speller<'s, 'a> {
    /// A speller for a module, with names for what has no spelling of its own.
    pub fn new(module: &'s dyn Lookup<'a>, names: &'s dyn Names) -> Self {
        Self { module, names }
    }

    /// What an id stands for: a type, the value of a constant, or else its name.
    pub fn spell(&self, id: Id) -> String {
        let mut out = String::new();
        self.write(&mut out, id);
        out
    }

    /// Writes the same.
    pub fn write(&self, out: &mut String, id: Id) {
        self.spelling().any(out, id);
    }

    /// Whether an id stands for a type or for a constant that can be read: whether it is
    /// spelled out, and not called by its name.
    pub fn spells(&self, id: Id) -> bool {
        match self.module.declaration(id) {
            (Op::Constant | Op::SpecConstant, words) => self.number(words).is_some(),
            (op, _) => has_value(op) || op.is_type(),
        }
    }

    /// The type and the bits of the number that these words make a constant.
    fn number(&self, words: &[u32]) -> Option<(NumberType, u64)> {
        let (&[_, ty, _], literal) = words.split_first_chunk()?;
        let ty = match self.module.ty(Id(ty)) {
            Type::Int { width, signed } => NumberType::integer(width, signed.into())?,
            Type::Float { width, encoding } => {
                NumberType::Float(FloatFormat::new(width, encoding)?)
            }
            _ => return None,
        };
        let is_whole = literal.len() == ty.words();
        is_whole.then(|| (ty, NumberType::join(literal)))
    }

    /// Writes a constant as a number of things or a place in a list: without the mark
    /// of its type.
    pub fn write_count(&self, out: &mut String, id: Id) {
        self.spelling().count(out, id);
    }

    /// Writes an operand: an id as what it stands for, anything else by its name or
    /// value.
    pub fn write_operand(&self, out: &mut String, operand: &Operand<'_>) {
        self.spelling().operand(out, operand);
    }

    /// What a scope or a memory semantics operand stands for, if that is a constant.
    pub fn named_constant(&self, kind: OperandKind, id: Id) -> Option<String> {
        let value = || self.module.constant_u64(id).map(|bits| bits as u32);
        match kind {
            OperandKind::IdScope => {
                let scope = OperandKind::Scope.enumerant(value()?)?;
                Some(scope.name().to_owned())
            }
            OperandKind::IdMemorySemantics => {
                let mut out = String::new();
                push_mask(&mut out, OperandKind::MemorySemantics, value()?);
                Some(out)
            }
            _ => None,
        }
    }

    fn spelling(&self) -> Spelling<'s, 'a> {
        Spelling {
            speller: *self,
            path: Vec::new(),
            left: MAX_PARTS,
        }
    }
}

/// One thing that is being spelled.
struct Spelling<'s, 'a> {
    speller: Speller<'s, 'a>,
    /// The ids that are being spelled, each within the one before.
    path: Vec<Id>,
    /// How many more parts may be spelled.
    left: usize,
}

impl<'a> Spelling<'_, 'a> {
    fn any(&mut self, out: &mut String, id: Id) {
        let Speller { module, names } = self.speller;
        let has_room = self.left > 0 && self.path.len() < MAX_DEPTH;
        if !self.speller.spells(id) || !has_room || self.path.contains(&id) {
            return names.id(out, id);
        }
        self.left -= 1;
        self.path.push(id);
        match module.ty(id) {
            Type::None => self.value(out, module.words_of(id).unwrap_or_default()),
            ty => {
                names.speaks_of(id);
                self.ty(out, id, ty);
            }
        }
        self.path.pop();
    }

    fn inner(&mut self, id: Id) -> String {
        let mut out = String::new();
        self.any(&mut out, id);
        out
    }

    fn ty(&mut self, out: &mut String, id: Id, ty: Type<'_>) {
        match ty {
            Type::Void => out.push_str("void"),
            Type::Bool => out.push_str("bool"),
            Type::Int { width, signed } => out.push_str(&spelling::integer(width, signed)),
            Type::Float { width, encoding } => out.push_str(&spelling::float(width, encoding)),
            Type::Vector { component, count } => {
                out.push_str(&vector(&self.inner(component), count))
            }
            Type::Matrix { column, count } => match self.speller.module.ty(column) {
                Type::Vector {
                    component,
                    count: rows,
                } => out.push_str(&matrix(&self.inner(component), count, rows)),
                _ => {
                    let _ = write!(out, "{count}-column matrix of {}", self.inner(column));
                }
            },
            Type::Image(image) => self.image(out, &image),
            Type::SampledImage { image } => self.sampled_image(out, image),
            Type::Array { .. } | Type::RuntimeArray { .. } => self.array(out, id),
            Type::Struct { .. } => self.speller.names.structure(out, id),
            Type::Pointer { class, pointee } => {
                let _ = write!(out, "ptr<{class}, ");
                self.any(out, pointee);
                out.push('>');
            }
            Type::UntypedPointer { class } => {
                let _ = write!(out, "ptr<{class}>");
            }
            Type::Function { result, parameters } => {
                self.any(out, result);
                self.list(out, parameters);
            }
            Type::CooperativeMatrix(matrix) => self.cooperative_matrix(out, &matrix),
            Type::None
            | Type::Sampler
            | Type::LongVector { .. }
            | Type::CooperativeMatrixNv(_)
            | Type::Other(_) => self.other(out, id),
        }
    }

    /// Writes `float[2][8]`: GLSL has an array's length before those of arrays in it.
    fn array(&mut self, out: &mut String, id: Id) {
        let Speller { module, names } = self.speller;
        let mut lengths = String::new();
        let mut element = id;
        let mut is_first = true;
        loop {
            let (inner, length) = match module.ty(element) {
                Type::Array { element, length } => (element, Some(length)),
                Type::RuntimeArray { element } => (element, None),
                _ => break,
            };
            // There may be more arrays within each other than other types.
            if !replace(&mut is_first, false) {
                if self.left == 0 || self.path.contains(&element) {
                    break;
                }
                self.left -= 1;
                names.speaks_of(element);
            }
            element = inner;
            match lengths.len() <= MAX_LENGTH {
                true => {
                    lengths.push('[');
                    if let Some(length) = length {
                        self.count(&mut lengths, length);
                    }
                    lengths.push(']');
                }
                false if lengths.ends_with('…') => {}
                false => lengths.push('…'),
            }
        }
        self.any(out, element);
        out.push_str(&lengths);
    }

    /// Writes `image2D<rgba8>`, `utexture2DArray` and the like.
    fn image(&mut self, out: &mut String, image: &Image) {
        let (noun, shape) = match (image.dim, image.sampled) {
            (Dim::SubpassData, _) => ("subpassInput", String::new()),
            (Dim::Rect, 1) => ("texture", "2DRect".to_owned()),
            (Dim::Rect, _) => ("image", "2DRect".to_owned()),
            (dim, 1) => ("texture", dim.to_string()),
            (dim, _) => ("image", dim.to_string()),
        };
        self.image_as(out, image, noun, &shape);
    }

    /// Writes `sampler2D` for a `texture2D` and its sampler.
    fn sampled_image(&mut self, out: &mut String, id: Id) {
        if let Type::Image(image) = self.speller.module.ty(id)
            && image.sampled == 1
            && image.dim != Dim::SubpassData
        {
            self.speller.names.speaks_of(id);
            let shape = match image.dim {
                Dim::Rect => "2DRect".to_owned(),
                dim => dim.to_string(),
            };
            return self.image_as(out, &image, "sampler", &shape);
        }
        out.push_str("sampledImage<");
        self.any(out, id);
        out.push('>');
    }

    fn image_as(&mut self, out: &mut String, image: &Image, noun: &str, shape: &str) {
        // Those of OpenCL have no component.
        let component = self.inner(image.sampled_type);
        out.push_str(prefix(&component).unwrap_or_default());
        out.push_str(noun);
        out.push_str(shape);
        let suffixes = [
            (image.multisampled, "MS"),
            (image.arrayed, "Array"),
            (image.depth == 1, "Shadow"),
        ];
        for (_, suffix) in suffixes.into_iter().filter(|(applies, _)| *applies) {
            out.push_str(suffix);
        }
        if image.format != ImageFormat::Unknown {
            let _ = write!(out, "<{}>", image.format.to_string().to_ascii_lowercase());
        }
        if let Some(access) = image.access {
            let _ = write!(out, "<{access}>");
        }
    }

    /// Writes `coopmat<half, Subgroup, 16, 16, MatrixA>`.
    fn cooperative_matrix(&mut self, out: &mut String, matrix: &CooperativeMatrix) {
        out.push_str("coopmat<");
        self.any(out, matrix.component);
        out.push_str(", ");
        match self
            .speller
            .named_constant(OperandKind::IdScope, matrix.scope)
        {
            Some(name) => out.push_str(&name),
            None => self.any(out, matrix.scope),
        }
        for size in [matrix.rows, matrix.columns] {
            out.push_str(", ");
            self.count(out, size);
        }
        out.push_str(", ");
        let role = self.speller.module.constant_u64(matrix.matrix_use);
        match role.and_then(|role| CooperativeMatrixUse(role as u32).name()) {
            Some(name) => out.push_str(name.strip_suffix("KHR").unwrap_or(name)),
            None => self.any(out, matrix.matrix_use),
        }
        out.push('>');
    }

    /// Writes any other type: its opcode's name, and its operands.
    fn other(&mut self, out: &mut String, id: Id) {
        let words = self.speller.module.words_of(id).unwrap_or_default();
        let Some(instruction) = Instruction::from_words(words, WordOffset(0)) else {
            return self.speller.names.id(out, id);
        };
        let name = instruction.op().to_string();
        let mut name = name.strip_prefix("OpType").unwrap_or(&name).chars();
        out.extend(name.next().map(|first| first.to_ascii_lowercase()));
        out.push_str(name.as_str());
        // The first operand is the result.
        self.operands(out, &instruction, 1, ("<", ">"));
    }

    /// Writes the operands of an instruction behind the first ones, if there are any.
    fn operands(
        &mut self,
        out: &mut String,
        instruction: &Instruction<'_>,
        skip: usize,
        (open, close): (&str, &str),
    ) {
        // No type and no operation on constants needs to know of others to be decoded.
        let definitions = Definitions::default();
        let operands = instruction.operands(&definitions).skip(skip);
        let mut start = None;
        for operand in operands.map_while(Result::ok) {
            match start {
                None => {
                    out.push_str(open);
                    start = Some(out.len());
                }
                Some(start) if breaks_off(out, start) => break,
                Some(_) => out.push_str(", "),
            }
            self.operand(out, &operand);
        }
        if start.is_some() {
            out.push_str(close);
        }
    }

    fn operand(&mut self, out: &mut String, operand: &Operand<'_>) {
        let kind = operand.kind;
        match operand.value {
            Value::Id(id) => match self.speller.named_constant(kind, id) {
                Some(name) => out.push_str(&name),
                None => self.any(out, id),
            },
            Value::Enumerant {
                info: Some(info), ..
            } => out.push_str(info.name()),
            Value::Mask(bits) => push_mask(out, kind, bits),
            Value::String(string) => self.speller.names.string(out, &string.to_text_lossy()),
            Value::SpecConstantOp(op) => {
                let name = op.name().unwrap_or_default();
                out.push_str(name.strip_prefix("Op").unwrap_or(name));
            }
            Value::Integer(value) | Value::Opaque(value) | Value::Enumerant { value, .. } => {
                let _ = write!(out, "{value}");
            }
            Value::Float(bits) => {
                let _ = write!(out, "{:?}", f32::from_bits(bits));
            }
            _ => out.push('?'),
        }
    }

    /// Writes what ids stand for as a list in parentheses.
    fn list(&mut self, out: &mut String, ids: &[u32]) {
        out.push('(');
        let start = out.len();
        for (index, &id) in ids.iter().enumerate() {
            if breaks_off(out, start) {
                break;
            }
            if index > 0 {
                out.push_str(", ");
            }
            self.any(out, Id(id));
        }
        out.push(')');
    }

    /// Writes the value of the constant that these words make.
    fn value(&mut self, out: &mut String, words: &[u32]) {
        let word = |index: usize| words.get(index).copied().unwrap_or(0);
        let ty = Id(word(1));
        let op = Op(word(0) as u16);
        match op {
            Op::ConstantTrue => out.push_str("true"),
            Op::ConstantFalse => out.push_str("false"),
            Op::ConstantNull => out.push_str("null"),
            Op::SpecConstantTrue => out.push_str("spec true"),
            Op::SpecConstantFalse => out.push_str("spec false"),
            Op::Constant | Op::SpecConstant => {
                // Of the other, only the default is known.
                if op == Op::SpecConstant {
                    out.push_str("spec ");
                }
                if let Some((ty, bits)) = self.speller.number(words) {
                    push_number(out, ty, bits);
                }
            }
            Op::SpecConstantOp => {
                if let Some(instruction) = Instruction::from_words(words, WordOffset(0)) {
                    self.operands(out, &instruction, 2, ("spec(", ")"));
                }
            }
            _ => {
                self.any(out, ty);
                let constituents = words.get(3..).unwrap_or_default();
                let is_vector = self.speller.module.op_of(ty) == Op::TypeVector;
                let shown = match constituents {
                    // GLSL writes a vector of one value with that alone.
                    [first, rest @ ..]
                        if is_vector
                            && rest.len() < MAX_COMPONENTS
                            && rest.iter().all(|id| id == first) =>
                    {
                        &constituents[..1]
                    }
                    all => all,
                };
                self.list(out, shown);
            }
        }
    }

    fn count(&mut self, out: &mut String, id: Id) {
        self.any(out, id);
        let is_number = matches!(
            self.speller.module.op_of(id),
            Op::Constant | Op::SpecConstant
        );
        if is_number && out.ends_with('u') {
            out.pop();
        }
    }
}

/// Whether the spelling of a result of this opcode is its value.
pub fn has_value(op: Op) -> bool {
    op.is_scalar_constant()
        || op.is_composite_constant()
        || matches!(op, Op::ConstantNull | Op::SpecConstantOp)
}

/// Whether a list is too long to go on. Then says so.
fn breaks_off(out: &mut String, start: usize) -> bool {
    let is_long = out.len() - start > MAX_LENGTH;
    if is_long {
        out.push_str(", …");
    }
    is_long
}

/// What vectors and matrices start with that have these components, and images.
const PREFIXES: &[(&str, &str)] = &[
    ("float", ""),
    ("half", "f16"),
    ("double", "d"),
    ("bool", "b"),
    ("int", "i"),
    ("uint", "u"),
    ("int8", "i8"),
    ("uint8", "u8"),
    ("int16", "i16"),
    ("uint16", "u16"),
    ("int64", "i64"),
    ("uint64", "u64"),
];

/// What the names of vectors, matrices and images start with that have components of a
/// type, if GLSL has such vectors.
fn prefix(component: &str) -> Option<&'static str> {
    let mut prefixes = PREFIXES.iter();
    let found = prefixes.find(|(name, _)| *name == component);
    found.map(|(_, prefix)| *prefix)
}

/// A vector of a type: `vec4`, `uvec2`, `vec2<bfloat16>`.
fn vector(component: &str, count: u32) -> String {
    match prefix(component) {
        Some(prefix) => format!("{prefix}vec{count}"),
        None => format!("vec{count}<{component}>"),
    }
}

/// A matrix of a type: `mat4`, `mat3x2` for three columns of two rows.
fn matrix(component: &str, columns: u32, rows: u32) -> String {
    let rows = match rows == columns {
        true => String::new(),
        false => format!("x{rows}"),
    };
    match prefix(component) {
        Some(prefix) => format!("{prefix}mat{columns}{rows}"),
        None => format!("mat{columns}{rows}<{component}>"),
    }
}

/// Writes a number in decimal, as short as tells it from others of its type.
fn push_number(out: &mut String, ty: NumberType, bits: u64) {
    let number = || Scalar::new(ty.into(), bits).to_f64();
    let _ = match ty {
        NumberType::Integer { signed: true, .. } => write!(out, "{}", ty.value(bits) as i64),
        NumberType::Integer { signed: false, .. } => write!(out, "{}u", ty.value(bits)),
        NumberType::Float(format) => match number() {
            Some(number) if format == FloatFormat::Double => write!(out, "{number:?}"),
            Some(number) => write!(out, "{:?}", number as f32),
            None => write!(out, "{:#x}", ty.value(bits)),
        },
    };
}

/// Writes the bits of a mask by their names.
fn push_mask(out: &mut String, kind: OperandKind, bits: u32) {
    if bits == 0 {
        return out.push_str("None");
    }
    let start = out.len();
    let mut rest = bits;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        rest &= !bit;
        if out.len() > start {
            out.push('|');
        }
        match kind.enumerant(bit) {
            Some(info) => out.push_str(info.name()),
            None => {
                let _ = write!(out, "{bit:#x}");
            }
        }
    }
}
