//! What types and values may be: patterns that can be matched and said in words.
//!
//! A rule says `INT.scalar_or_vector().widths(&[32])`; the pattern tells whether a type
//! [is so](Pattern::matches), and messages how it is called: "a 32-bit integer scalar or
//! vector".

use std::fmt;

use spirvkit_binary::Id;
use spirvkit_diagnostics::alternatives;
use spirvkit_grammar::{Op, StorageClass};

use crate::module::{Lookup, Module, Type, is_cross_workgroup};

/// What a type, or a value by its type, may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    what: What,
    is_constant: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Booleans and numbers, and what is made of them.
    Data {
        components: Components,
        form: Form,
        /// The widths in bits that numbers may have; with none, any.
        widths: &'static [u32],
    },
    /// A type by its opcode, and what to call it.
    Type(Op, &'static str),
    /// Whatever is a type.
    AnyType,
    /// The same, but not `OpTypeVoid`.
    NonVoid,
    /// An array whose elements are so: with the length, if it must have one.
    Array(&'static Pattern, Option<u32>),
    /// A pointer into one of these storage classes; with none, into any.
    Pointer(&'static [StorageClass]),
    /// A typed pointer to what is so.
    PointerTo(&'static Pattern),
    /// Any of these.
    Either(&'static [Pattern]),
}

/// What the components are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Components {
    Bool,
    Int,
    Unsigned,
    Float,
    /// An integer or a float.
    Number,
    /// Any of them.
    Data,
    /// Whatever there can be.
    Any,
}

/// How many components there are, and how they stand together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Scalar,
    /// One of these numbers of them; with none, any number. A number that is wanted must
    /// be known: that of a long vector may depend on specialization.
    Vector(&'static [u32]),
    ScalarOrVector,
    Matrix,
    /// So many columns of so many components.
    MatrixOf(u32, u32),
    SquareMatrix,
    CooperativeMatrix,
}

/// `OpTypeBool`.
pub(crate) const BOOL: Pattern = Pattern::data(Components::Bool);
/// An integer of any width and either signedness.
pub(crate) const INT: Pattern = Pattern::data(Components::Int);
/// An integer that is said to have no sign.
pub(crate) const UNSIGNED: Pattern = Pattern::data(Components::Unsigned);
/// A float of any width and encoding.
pub(crate) const FLOAT: Pattern = Pattern::data(Components::Float);
/// Two of them.
pub(crate) const INT_VEC2: Pattern = INT.vector_of(&[2]);
/// A 32-bit integer of either signedness.
pub(crate) const I32: Pattern = INT.widths(&[32]);
/// A 32-bit integer that is said to have no sign.
pub(crate) const U32: Pattern = UNSIGNED.widths(&[32]);
/// A 32-bit float of any encoding.
pub(crate) const F32: Pattern = FLOAT.widths(&[32]);
/// Two of them.
pub(crate) const F32_VEC2: Pattern = F32.vector_of(&[2]);
/// Three of them.
pub(crate) const F32_VEC3: Pattern = F32.vector_of(&[3]);
/// Four of them.
pub(crate) const F32_VEC4: Pattern = F32.vector_of(&[4]);
/// What takes places from one space to another.
pub(crate) const F32_MAT4X3: Pattern = F32.matrix_of(4, 3);
/// An integer or a float.
pub(crate) const NUMBER: Pattern = Pattern::data(Components::Number);
/// A boolean, an integer or a float.
pub(crate) const DATA: Pattern = Pattern::data(Components::Data);
/// A typed or an untyped pointer.
pub(crate) const POINTER: Pattern = Pattern::pointer_into(&[]);
/// Any value.
pub(crate) const ANY: Pattern = Pattern::data(Components::Any);
/// A vector of anything.
pub(crate) const VECTOR: Pattern = ANY.vector();
/// A matrix of anything.
pub(crate) const MATRIX: Pattern = Pattern::declared_by(Op::TypeMatrix, "a matrix");
/// A cooperative matrix of anything, of either extension.
pub(crate) const COOPERATIVE_MATRIX: Pattern = Pattern::data(Components::Any).cooperative_matrix();
/// `OpTypeVoid`.
pub(crate) const VOID: Pattern = Pattern::declared_by(Op::TypeVoid, "void");
/// An image without a sampler.
pub(crate) const IMAGE: Pattern = Pattern::declared_by(Op::TypeImage, "an image");
/// `OpTypeSampler`.
pub(crate) const SAMPLER: Pattern = Pattern::declared_by(Op::TypeSampler, "a sampler");
/// An image with its sampler.
pub(crate) const SAMPLED_IMAGE: Pattern =
    Pattern::declared_by(Op::TypeSampledImage, "a sampled image");
/// `OpTypeAccelerationStructureKHR`.
pub(crate) const ACCELERATION_STRUCTURE: Pattern = Pattern::declared_by(
    Op::TypeAccelerationStructureKHR,
    "an acceleration structure",
);
/// `OpTypeStruct`.
pub(crate) const STRUCT: Pattern = Pattern::declared_by(Op::TypeStruct, "a structure");
/// `OpTypeFunction`.
pub(crate) const FUNCTION_TYPE: Pattern = Pattern::declared_by(Op::TypeFunction, "a function type");
/// `OpTypeTensorARM`.
pub(crate) const TENSOR: Pattern = Pattern::declared_by(Op::TypeTensorARM, "a tensor");
/// A pointer that says what it points to.
pub(crate) const TYPED_POINTER: Pattern = Pattern::declared_by(Op::TypePointer, "a typed pointer");
/// A pointer that says nothing of what it points to.
pub(crate) const UNTYPED_POINTER: Pattern =
    Pattern::declared_by(Op::TypeUntypedPointerKHR, "an untyped pointer");
/// Any type.
pub(crate) const TYPE: Pattern = Pattern::of(What::AnyType);
/// A type that there can be objects of.
pub(crate) const NON_VOID: Pattern = Pattern::of(What::NonVoid);

impl Pattern {
    const fn data(components: Components) -> Self {
        Self::of(What::Data {
            components,
            form: Form::Scalar,
            widths: &[],
        })
    }

    const fn of(what: What) -> Self {
        Self {
            what,
            is_constant: false,
        }
    }

    /// A type that this instruction declares, and what to call it, with its article.
    pub(crate) const fn declared_by(op: Op, name: &'static str) -> Self {
        Self::of(What::Type(op, name))
    }

    /// A typed pointer to what is so.
    pub(crate) const fn pointer_to(pointee: &'static Self) -> Self {
        Self::of(What::PointerTo(pointee))
    }

    /// A pointer into one of these storage classes, of which `CrossWorkgroup` stands for
    /// its subsets, too.
    pub(crate) const fn pointer_into(classes: &'static [StorageClass]) -> Self {
        Self::of(What::Pointer(classes))
    }

    /// An array of what is so, with a length or without.
    pub(crate) const fn array_of(element: &'static Self) -> Self {
        Self::of(What::Array(element, None))
    }

    /// An array of so many, or of a number that specialization decides.
    pub(crate) const fn array_of_length(length: u32, element: &'static Self) -> Self {
        Self::of(What::Array(element, Some(length)))
    }

    /// Anything that is as one of these says.
    pub(crate) const fn either(all: &'static [Self]) -> Self {
        Self::of(What::Either(all))
    }

    const fn with_form(self, new: Form) -> Self {
        match self.what {
            What::Data {
                components, widths, ..
            } => Self {
                what: What::Data {
                    components,
                    form: new,
                    widths,
                },
                ..self
            },
            _ => self,
        }
    }

    /// A vector of them.
    pub(crate) const fn vector(self) -> Self {
        self.vector_of(&[])
    }

    /// A vector of one of these numbers of them.
    pub(crate) const fn vector_of(self, counts: &'static [u32]) -> Self {
        self.with_form(Form::Vector(counts))
    }

    /// A matrix of them.
    pub(crate) const fn matrix(self) -> Self {
        self.with_form(Form::Matrix)
    }

    /// A matrix of them with as many rows as columns.
    pub(crate) const fn square_matrix(self) -> Self {
        self.with_form(Form::SquareMatrix)
    }

    /// A matrix of so many columns of so many of them.
    pub(crate) const fn matrix_of(self, columns: u32, rows: u32) -> Self {
        self.with_form(Form::MatrixOf(columns, rows))
    }

    /// One of them, or a vector.
    pub(crate) const fn scalar_or_vector(self) -> Self {
        self.with_form(Form::ScalarOrVector)
    }

    /// A cooperative matrix of them.
    pub(crate) const fn cooperative_matrix(self) -> Self {
        self.with_form(Form::CooperativeMatrix)
    }

    /// With numbers of one of these widths, in bits.
    pub(crate) const fn widths(self, new: &'static [u32]) -> Self {
        match self.what {
            What::Data {
                components, form, ..
            } => Self {
                what: What::Data {
                    components,
                    form,
                    widths: new,
                },
                ..self
            },
            _ => self,
        }
    }

    /// A value that is a constant, specialization constants included.
    pub(crate) const fn constant(self) -> Self {
        Self {
            is_constant: true,
            ..self
        }
    }

    /// Whether a type is so. Nearly all patterns are constants, of which little remains
    /// where this is inlined.
    #[inline(always)]
    pub(crate) fn matches(self, m: &Module<'_>, ty: Id) -> bool {
        match self.what {
            What::Data {
                components,
                form,
                widths,
            } => form
                .component(m, ty)
                .is_some_and(|component| components.match_scalar(m, component, widths)),
            What::Type(op, _) => m.op_of(ty) == op,
            What::AnyType => m.op_of(ty).is_type(),
            What::NonVoid => m.op_of(ty).is_type() && !m.is_void(ty),
            _ => self.matches_nested(m, ty),
        }
    }

    /// The same where patterns may be in patterns, apart from what is asked most often.
    fn matches_nested(self, m: &Module<'_>, ty: Id) -> bool {
        match self.what {
            What::Data { .. } | What::Type(..) | What::AnyType | What::NonVoid => {
                self.matches(m, ty)
            }
            What::Pointer(classes) => m.pointer_class(ty).is_some_and(|class| {
                let class = match is_cross_workgroup(class) {
                    true => StorageClass::CrossWorkgroup,
                    false => class,
                };
                classes.is_empty() || classes.contains(&class)
            }),
            What::PointerTo(wanted) => m.pointee(ty).is_some_and(|ty| wanted.matches(m, ty)),
            What::Array(wanted, length) => match m.ty(ty) {
                Type::Array { element, .. } => {
                    // What specialization decides may be right.
                    let found = m.array_length(ty);
                    let fits =
                        length.is_none_or(|length| found.is_none_or(|it| it == u64::from(length)));
                    fits && wanted.matches(m, element)
                }
                _ => false,
            },
            What::Either(all) => all.iter().any(|wanted| wanted.matches(m, ty)),
        }
    }

    /// Whether an id is a value that matches.
    #[inline(always)]
    pub(crate) fn matches_value(self, m: &Module<'_>, value: Id) -> bool {
        let ty = m.type_of(value).unwrap_or(Id(0));
        self.matches(m, ty) && (!self.is_constant || m.is_constant(value))
    }
}

impl Form {
    /// The type of the components, if a type has this form.
    #[inline(always)]
    fn component(self, m: &Module<'_>, ty: Id) -> Option<Id> {
        match self {
            Self::Scalar => Some(ty),
            Self::ScalarOrVector => Some(m.scalar_or_vector_component(ty)),
            Self::Vector(counts) => {
                let component = m.vector_component(ty)?;
                let fits = counts.is_empty() || counts.contains(&m.dimension(ty));
                fits.then_some(component)
            }
            Self::Matrix | Self::SquareMatrix => {
                let Type::Matrix { column, count } = m.ty(ty) else {
                    return None;
                };
                let fits = self == Self::Matrix || m.dimension(column) == count;
                m.vector_component(column).filter(|_| fits)
            }
            Self::MatrixOf(columns, rows) => match m.ty(ty) {
                Type::Matrix { column, count }
                    if (count, m.dimension(column)) == (columns, rows) =>
                {
                    m.vector_component(column)
                }
                _ => None,
            },
            Self::CooperativeMatrix => m.is_cooperative_matrix(ty).then(|| m.component_type(ty)),
        }
    }
}

impl Components {
    #[inline(always)]
    fn match_scalar(self, m: &Module<'_>, ty: Id, widths: &[u32]) -> bool {
        if self == Self::Any {
            return true;
        }
        let (op, words) = m.declaration(ty);
        let is_unsigned = || words.get(3) == Some(&0);
        let fits = match op {
            Op::TypeBool => return matches!(self, Self::Bool | Self::Data),
            Op::TypeInt => match self {
                Self::Int | Self::Number | Self::Data => true,
                Self::Unsigned => is_unsigned(),
                Self::Bool | Self::Float | Self::Any => false,
            },
            Op::TypeFloat => matches!(self, Self::Float | Self::Number | Self::Data),
            _ => false,
        };
        let width = words.get(2).copied().unwrap_or(0);
        fits && match *widths {
            [] => true,
            // Needs no call.
            [only] => width == only,
            _ => widths.contains(&width),
        }
    }

    /// What one of them is called, and several.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Bool => ("boolean", "booleans"),
            Self::Int => ("integer", "integers"),
            Self::Unsigned => ("unsigned integer", "unsigned integers"),
            Self::Float => ("float", "floats"),
            Self::Number => ("integer or float", "integers or floats"),
            Self::Data => ("scalar", "scalars"),
            Self::Any => ("value", "values"),
        }
    }
}

/// "32-bit ", "16- or 32-bit ", or nothing.
fn width_prefix(widths: &[u32]) -> String {
    match widths.split_last() {
        None => String::new(),
        Some((last, [])) => format!("{last}-bit "),
        Some((last, first)) => {
            let first = first.iter().map(|width| format!("{width}-"));
            format!("{} or {last}-bit ", first.collect::<Vec<_>>().join(", "))
        }
    }
}

/// How many, as a word as far as that is usual.
fn number(count: u32) -> String {
    match count {
        2 => "two".to_owned(),
        3 => "three".to_owned(),
        4 => "four".to_owned(),
        _ => count.to_string(),
    }
}

impl Pattern {
    /// What several of them are called: "32-bit floats", "vectors of three floats".
    fn plural(self) -> String {
        let one = self.to_string();
        let noun = one.split_once(' ').map_or(&*one, |(_article, noun)| noun);
        match noun.split_once(" of ") {
            Some((head, rest)) => format!("{head}s of {rest}"),
            None => format!("{noun}s"),
        }
    }
}

impl fmt::Display for Pattern {
    /// Writes what is meant, with its article: "a vector of four 32-bit floats".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.what {
            What::Data {
                components,
                form,
                widths,
            } => {
                let (one, several) = components.names();
                let width = width_prefix(widths);
                let text = match form {
                    Form::Scalar => format!("{width}{one}"),
                    Form::ScalarOrVector => match components {
                        Components::Data => format!("{width}scalar or vector"),
                        Components::Float if widths.is_empty() => {
                            "floating-point scalar or vector".to_owned()
                        }
                        Components::Number => format!("scalar or vector of {width}{several}"),
                        _ => format!("{width}{one} scalar or vector"),
                    },
                    Form::Vector(counts) => {
                        let count = alternatives(counts.iter().map(|&count| number(count)));
                        let space = if counts.is_empty() { "" } else { " " };
                        format!("vector of {count}{space}{width}{several}")
                    }
                    Form::Matrix => format!("matrix of {width}{several}"),
                    Form::SquareMatrix => format!("square matrix of {width}{several}"),
                    Form::MatrixOf(columns, rows) => {
                        let (columns, rows) = (number(columns), number(rows));
                        format!("matrix of {columns} columns of {rows} {width}{several}")
                    }
                    Form::CooperativeMatrix => format!("cooperative matrix of {width}{several}"),
                };
                // Of anything: that goes without saying.
                text.trim_end_matches(" of values").to_owned()
            }
            What::Type(_, name) => {
                return match self.is_constant {
                    true => write!(f, "{name} constant"),
                    false => f.write_str(name),
                };
            }
            What::Either(all) => return f.write_str(&alternatives(all)),
            What::Pointer([]) => "pointer".to_owned(),
            What::Pointer(classes) => {
                let classes = alternatives(classes.iter().map(|class| format!("`{class}`")));
                format!("pointer into {classes} memory")
            }
            What::PointerTo(pointee) => format!("pointer to {pointee}"),
            What::AnyType => "type".to_owned(),
            What::NonVoid => "type other than void".to_owned(),
            What::Array(element, length) => {
                let space = if length.is_none() { "" } else { " " };
                let length = length.map_or_else(String::new, number);
                format!("array of {length}{space}{}", element.plural())
            }
        };
        match self.is_constant {
            true => write!(f, "a constant {text}"),
            false => f.write_str(&spirvkit_diagnostics::with_article(&text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    const TYPES: &str = "
        OpCapability Shader
        %1 = OpTypeBool
        %2 = OpTypeInt 32 0
        %3 = OpTypeInt 64 1
        %4 = OpTypeFloat 32
        %5 = OpTypeVector %2 4
        %6 = OpTypeVector %4 2
        %7 = OpTypeMatrix %6 2
        %8 = OpTypePointer Input %4
        %9 = OpTypeSampler
        %12 = OpTypeVoid
        %13 = OpConstant %2 5
        %14 = OpVariable %8 Input
        %15 = OpSpecConstant %2 4
        %10 = OpTypeArray %6 %13
        %11 = OpTypeVectorIdEXT %4 %15";

    const TWO_FLOATS: Pattern = FLOAT.vector_of(&[2]);
    const ALTERNATIVES: Pattern = Pattern::either(&[BOOL, UNSIGNED.vector(), POINTER]);

    /// The types from 1 to 12 and the values from 13 on that a pattern matches.
    fn matched(pattern: Pattern) -> Vec<u32> {
        let assembled = spirvkit_text::assemble(TYPES, &Default::default()).unwrap();
        let header = spirvkit_binary::Header::from_words(&assembled.words).unwrap();
        let options = Options::default();
        let m = Module::index(&assembled.words, header, &options, None);
        let types = (1..=12).filter(|&id| pattern.matches(&m, Id(id)));
        let values = (13..=15).filter(|&id| pattern.matches_value(&m, Id(id)));
        types.chain(values).collect()
    }

    #[test]
    fn patterns_match_what_they_say() {
        let all: &[(Pattern, &str, &[u32])] = &[
            (BOOL, "a boolean", &[1]),
            (INT, "an integer", &[2, 3, 13, 15]),
            (UNSIGNED, "an unsigned integer", &[2, 13, 15]),
            (FLOAT, "a float", &[4]),
            (NUMBER, "an integer or float", &[2, 3, 4, 13, 15]),
            (DATA, "a scalar", &[1, 2, 3, 4, 13, 15]),
            (POINTER, "a pointer", &[8, 14]),
            (INT.widths(&[64]), "a 64-bit integer", &[3]),
            (
                INT.widths(&[16, 32, 64]),
                "a 16-, 32- or 64-bit integer",
                &[2, 3, 13, 15],
            ),
            (FLOAT.vector_of(&[4]), "a vector of four floats", &[]),
            (
                FLOAT.vector_of(&[2]).widths(&[32]),
                "a vector of two 32-bit floats",
                &[6],
            ),
            (
                INT.scalar_or_vector(),
                "an integer scalar or vector",
                &[2, 3, 5, 13, 15],
            ),
            (
                FLOAT.scalar_or_vector(),
                "a floating-point scalar or vector",
                &[4, 6, 11],
            ),
            (
                DATA.scalar_or_vector(),
                "a scalar or vector",
                &[1, 2, 3, 4, 5, 6, 11, 13, 15],
            ),
            (
                INT.cooperative_matrix(),
                "a cooperative matrix of integers",
                &[],
            ),
            (INT.vector(), "a vector of integers", &[5]),
            (VECTOR, "a vector", &[5, 6, 11]),
            (
                NUMBER.vector_of(&[2, 3, 8]),
                "a vector of two, three or 8 integers or floats",
                &[6],
            ),
            (FLOAT.matrix(), "a matrix of floats", &[7]),
            (FLOAT.square_matrix(), "a square matrix of floats", &[7]),
            (INT.matrix(), "a matrix of integers", &[]),
            (MATRIX, "a matrix", &[7]),
            (COOPERATIVE_MATRIX, "a cooperative matrix", &[]),
            (
                Pattern::pointer_into(&[StorageClass::Generic, StorageClass::Input]),
                "a pointer into `Generic` or `Input` memory",
                &[8, 14],
            ),
            (
                Pattern::pointer_into(&[StorageClass::CrossWorkgroup]),
                "a pointer into `CrossWorkgroup` memory",
                &[],
            ),
            (
                ALTERNATIVES,
                "a boolean, a vector of unsigned integers or a pointer",
                &[1, 5, 8, 14],
            ),
            (
                Pattern::pointer_to(&FLOAT),
                "a pointer to a float",
                &[8, 14],
            ),
            (SAMPLER, "a sampler", &[9]),
            (TYPED_POINTER, "a typed pointer", &[8, 14]),
            (UNTYPED_POINTER, "an untyped pointer", &[]),
            (
                TYPE,
                "a type",
                &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
            ),
            (
                NON_VOID,
                "a type other than void",
                &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15],
            ),
            (VOID, "void", &[12]),
            (Pattern::array_of(&VECTOR), "an array of vectors", &[10]),
            (Pattern::array_of(&FLOAT), "an array of floats", &[]),
            (
                Pattern::array_of_length(5, &TWO_FLOATS),
                "an array of 5 vectors of two floats",
                &[10],
            ),
            (
                Pattern::array_of_length(3, &TWO_FLOATS),
                "an array of three vectors of two floats",
                &[],
            ),
            (
                FLOAT.matrix_of(2, 2),
                "a matrix of two columns of two floats",
                &[7],
            ),
            (
                FLOAT.widths(&[32]).matrix_of(4, 2),
                "a matrix of four columns of two 32-bit floats",
                &[],
            ),
        ];
        for &(pattern, words, ids) in all {
            assert_eq!(pattern.to_string(), words);
            assert_eq!(matched(pattern), ids, "{words}");
        }
        assert_eq!(matched(UNSIGNED.constant())[1..], [13, 15]);
        assert_eq!(
            INT.constant().widths(&[32]).to_string(),
            "a constant 32-bit integer"
        );
    }
}
