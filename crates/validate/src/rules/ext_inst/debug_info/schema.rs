//! The operands of the instructions of the three sets, as tables.
//!
//! The sets share their numbers as far as they have the same instructions, and
//! differ in how they write what is no id: `NonSemantic.Shader.DebugInfo` as ids
//! of constants, the others as literals.

use spirvkit_grammar::debug_info::{Kind, Set};

/// What an operand must be. Where `DebugInfoNone` may stand for it is a matter of the
/// [`Row`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// Anything: a literal, or an id of which nothing is asked.
    Any,
    /// An `OpString`.
    Text,
    /// An `OpString` or one of these debugging instructions.
    TextOr(Kinds),
    /// A 32-bit unsigned `OpConstant`.
    Uint,
    /// A 32-bit unsigned constant, which may be a specialization constant.
    SpecUint,
    /// Such a constant between 1 and 4.
    Count,
    /// A literal between 1 and 16 that a vector's size may be.
    LiteralCount,
    /// An `OpConstant`.
    Constant,
    /// An `OpConstant` of an integer.
    IntegerConstant,
    /// The same or one of these debugging instructions.
    IntegerConstantOr(Kinds),
    /// An `OpConstant`, or another constant of an integer.
    Amount,
    /// A constant, which may be a specialization constant.
    AnyConstant,
    /// Such a constant of an integer.
    AnyIntegerConstant,
    /// Such a constant of a boolean.
    BoolConstant,
    /// An `OpConstant` of an integer that is not zero.
    Positive,
    /// One of these debugging instructions.
    Debug(Kinds),
    /// One of these or an `OpTypeVoid`.
    DebugOrVoid(Kinds),
    /// A `DebugTypeComposite` that is a class or a structure.
    ClassOrStructure,
    /// The length of an array: a constant integer or a variable.
    Length,
    /// The same, not 0 and not a specialization constant.
    FixedLength,
    /// An `OpVariable` or a constant.
    GlobalVariable,
    /// An `OpVariable` or an `OpFunctionParameter`.
    Variable,
    /// The result of an instruction that computes something.
    Value,
    /// A value of an integer type.
    Integer,
    /// An index: an `OpConstant` of an integer or a variable.
    Index,
    /// An `OpFunction`.
    Function,
}

use Operand::*;

/// Kinds of debugging instructions, a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds(u64);

impl Kinds {
    const fn of(kinds: &[Kind]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < kinds.len() {
            bits |= 1 << kinds[index] as u64;
            index += 1;
        }
        Self(bits)
    }

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the instruction with this number is among them.
    #[inline]
    pub(super) fn contains(self, number: u32) -> bool {
        Kind::from_number(number).is_some_and(|kind| self.0 >> kind as u64 & 1 != 0)
    }

    /// The names of those that a set has.
    pub(super) fn names_in(self, set: Set) -> impl Iterator<Item = &'static str> {
        let kinds = Kind::ALL.iter().copied();
        let among = kinds.filter(move |&kind| self.0 >> kind as u64 & 1 != 0);
        among
            .filter(move |&kind| set.fields(kind).is_some())
            .map(Kind::name)
    }
}

/// The operands of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Those that have a place of their own; the last ones may be left out.
    pub(super) fixed: &'static [Operand],
    /// Those that follow any number of times.
    pub(super) repeated: &'static [Operand],
    /// What is asked beyond that for a warning: places and operands. Mostly what the
    /// specification says and other validators don't look at.
    pub(super) beyond: &'static [(usize, Operand)],
    /// The same of those that are repeated.
    pub(super) beyond_repeated: &'static [Operand],
}

impl Row {
    const fn beyond(self, beyond: &'static [(usize, Operand)]) -> Self {
        Self { beyond, ..self }
    }

    const fn beyond_repeated(self, beyond_repeated: &'static [Operand]) -> Self {
        Self {
            beyond_repeated,
            ..self
        }
    }
}

/// The operands of an instruction of a set.
pub(super) fn row(rows: &'static [Row], number: u32) -> Option<&'static Row> {
    rows.get(Kind::from_number(number)? as usize)
}

const fn fixed(fixed: &'static [Operand]) -> Row {
    repeated(fixed, &[])
}

const fn repeated(fixed: &'static [Operand], repeated: &'static [Operand]) -> Row {
    Row {
        fixed,
        repeated,
        beyond: &[],
        beyond_repeated: &[],
    }
}

/// `DebugInfoNone`.
pub(super) const NONE: Kinds = Kinds::of(&[Kind::InfoNone]);
const COMPILATION_UNIT: Operand = Debug(Kinds::of(&[Kind::CompilationUnit]));
const BASIC: Operand = Debug(Kinds::of(&[Kind::TypeBasic]));
/// Debugging types, templates among them.
pub(super) const TYPES: Kinds = Kinds::of(&[
    Kind::TypeBasic,
    Kind::TypePointer,
    Kind::TypeQualifier,
    Kind::TypeArray,
    Kind::TypeVector,
    Kind::Typedef,
    Kind::TypeFunction,
    Kind::TypeEnum,
    Kind::TypeComposite,
    Kind::TypeMember,
    Kind::TypeInheritance,
    Kind::TypePtrToMember,
    Kind::TypeTemplate,
    Kind::TypeMatrix,
    Kind::TypeVectorIdEXT,
    Kind::TypeCooperativeMatrixKHR,
]);
const TYPE: Operand = Debug(TYPES);
/// Where a template's own parameters may stand for types.
const TYPE_OR_PARAMETER: Operand = Debug(TYPES.or(Kinds::of(&[
    Kind::TypeTemplateParameter,
    Kind::TypeTemplateTemplateParameter,
])));
const RETURN: Operand = DebugOrVoid(TYPES.or(Kinds::of(&[
    Kind::TypeTemplateParameter,
    Kind::TypeTemplateTemplateParameter,
])));
const VECTOR: Operand = Debug(Kinds::of(&[Kind::TypeVector]));
const FUNCTION_TYPE: Operand = Debug(Kinds::of(&[Kind::TypeFunction]));
const COMPOSITE: Operand = Debug(Kinds::of(&[Kind::TypeComposite]));
const MEMBER: Operand = Debug(Kinds::of(&[Kind::TypeMember]));
/// Members, methods, base classes.
const MEMBERS: Operand = Debug(Kinds::of(&[
    Kind::TypeMember,
    Kind::TypeInheritance,
    Kind::Function,
]));
const TEMPLATE_TARGET: Operand = Debug(Kinds::of(&[Kind::TypeComposite, Kind::Function]));
const TEMPLATE_PARAMETER: Operand = Debug(Kinds::of(&[
    Kind::TypeTemplateParameter,
    Kind::TypeTemplateTemplateParameter,
]));
const TEMPLATE_PARAMETER_OR_PACK: Operand = Debug(Kinds::of(&[
    Kind::TypeTemplateParameter,
    Kind::TypeTemplateTemplateParameter,
    Kind::TypeTemplateParameterPack,
]));
const DECLARATION: Operand = Debug(Kinds::of(&[Kind::FunctionDeclaration]));
const FUNCTION: Operand = Debug(Kinds::of(&[Kind::Function]));
/// Compilation units, composites, functions, blocks, modules.
const SCOPE: Operand = Debug(Kinds::of(&[
    Kind::CompilationUnit,
    Kind::TypeComposite,
    Kind::Function,
    Kind::LexicalBlock,
    Kind::ModuleINTEL,
]));
/// The same and what tells blocks of one line apart, which has no use otherwise.
const SCOPE_OR_DISCRIMINATOR: Operand = Debug(Kinds::of(&[
    Kind::CompilationUnit,
    Kind::TypeComposite,
    Kind::Function,
    Kind::LexicalBlock,
    Kind::LexicalBlockDiscriminator,
    Kind::ModuleINTEL,
]));
pub(super) const EVERY_KIND: Kinds = Kinds(u64::MAX);
const ANYTHING: Operand = Debug(EVERY_KIND);
const INLINED_AT: Operand = Debug(Kinds::of(&[Kind::InlinedAt]));
const LOCAL: Operand = Debug(Kinds::of(&[Kind::LocalVariable]));
pub(super) const VARIABLE_KINDS: Kinds = Kinds::of(&[Kind::GlobalVariable, Kind::LocalVariable]);
const OPERATION: Operand = Debug(Kinds::of(&[Kind::Operation]));
pub(super) const EXPRESSIONS: Kinds = Kinds::of(&[Kind::Expression]);
const EXPRESSION: Operand = Debug(EXPRESSIONS);
const MACRO: Operand = Debug(Kinds::of(&[Kind::MacroDef]));
const SOURCES: Kinds = Kinds::of(&[Kind::Source]);
const SOURCE: Operand = Debug(SOURCES);
/// The source of a macro: the name of a file, or a source as elsewhere.
const FILE: Operand = TextOr(SOURCES);

/// `NonSemantic.Shader.DebugInfo`.
pub(super) const SHADER: &[Row] = &[
    fixed(&[]),
    fixed(&[Uint, Uint, SOURCE, Uint]),
    fixed(&[Text, Constant, Uint, Uint, Uint]).beyond(&[(1, IntegerConstant)]),
    fixed(&[TYPE, Uint, Uint]),
    fixed(&[TYPE, Uint]),
    repeated(&[TYPE], &[Length]),
    fixed(&[BASIC, Count]),
    fixed(&[Text, TYPE, SOURCE, Uint, Uint, SCOPE]),
    repeated(&[Uint, RETURN], &[TYPE_OR_PARAMETER]),
    repeated(
        &[Text, TYPE, SOURCE, Uint, Uint, SCOPE, Positive, Uint],
        &[Constant, Text],
    )
    .beyond_repeated(&[IntegerConstant, Text]),
    repeated(
        &[Text, Any, SOURCE, Uint, Uint, SCOPE, Text, Amount, Uint],
        &[MEMBERS],
    )
    .beyond(&[(1, Uint), (7, AnyIntegerConstant)]),
    fixed(&[
        Text,
        TYPE_OR_PARAMETER,
        SOURCE,
        Uint,
        Uint,
        Amount,
        Amount,
        Uint,
        AnyConstant,
    ])
    .beyond(&[(5, AnyIntegerConstant), (6, AnyIntegerConstant)]),
    fixed(&[COMPOSITE, Amount, Amount, Uint]).beyond(&[
        (0, ClassOrStructure),
        (1, AnyIntegerConstant),
        (2, AnyIntegerConstant),
    ]),
    fixed(&[Any, Any]).beyond(&[(0, TYPE), (1, ClassOrStructure)]),
    repeated(&[TEMPLATE_TARGET], &[TEMPLATE_PARAMETER_OR_PACK])
        .beyond_repeated(&[TEMPLATE_PARAMETER]),
    fixed(&[Text, TYPE, Amount, SOURCE, Uint, Uint]).beyond(&[(2, AnyIntegerConstant)]),
    fixed(&[Text, Text, SOURCE, Uint, Uint]),
    repeated(&[Text, SOURCE, Uint, Uint], &[TEMPLATE_PARAMETER_OR_PACK]),
    fixed(&[
        Text,
        TYPE,
        SOURCE,
        Uint,
        Uint,
        SCOPE,
        Text,
        GlobalVariable,
        Any,
        MEMBER,
    ])
    .beyond(&[(8, Uint)]),
    fixed(&[Text, FUNCTION_TYPE, SOURCE, Uint, Uint, SCOPE, Text, Uint]),
    fixed(&[
        Text,
        FUNCTION_TYPE,
        SOURCE,
        Uint,
        Uint,
        SCOPE,
        Text,
        Uint,
        Uint,
        DECLARATION,
    ]),
    fixed(&[SOURCE, Uint, Uint, SCOPE, Text]),
    fixed(&[SOURCE, Uint, SCOPE]),
    fixed(&[SCOPE, INLINED_AT]),
    fixed(&[]),
    fixed(&[Uint, SCOPE, INLINED_AT]),
    fixed(&[
        Text,
        TYPE_OR_PARAMETER,
        SOURCE,
        Uint,
        Uint,
        SCOPE,
        Uint,
        Uint,
    ]),
    fixed(&[LOCAL, INLINED_AT]),
    repeated(&[LOCAL, Variable, EXPRESSION], &[Integer]),
    repeated(&[LOCAL, Any, EXPRESSION], &[Index]).beyond(&[(1, Value)]),
    repeated(&[Uint], &[Uint]),
    repeated(&[], &[OPERATION]),
    fixed(&[FILE, Uint, Text, Text]),
    fixed(&[FILE, Uint, MACRO]),
    fixed(&[Text, Uint, SOURCE, Any, Uint, Uint, SCOPE]).beyond(&[(3, ANYTHING)]),
    fixed(&[Text, Text]),
    fixed(&[]),
    // From number 101 on.
    fixed(&[FUNCTION, Function]),
    fixed(&[Text]),
    fixed(&[SOURCE, Uint, Uint, Uint, Uint]),
    fixed(&[]),
    fixed(&[Text, Uint]),
    fixed(&[Text]),
    fixed(&[FUNCTION, COMPILATION_UNIT, Text, Text]),
    fixed(&[VECTOR, Count, Any]).beyond(&[(2, BoolConstant)]),
    fixed(&[BASIC, SpecUint]),
    fixed(&[BASIC, SpecUint, SpecUint, SpecUint, SpecUint]),
];

/// `OpenCL.DebugInfo.100`.
pub(super) const OPENCL: &[Row] = &[
    fixed(&[]),
    fixed(&[Any, Any, SOURCE, Any]),
    fixed(&[Text, Constant, Any]).beyond(&[(1, IntegerConstant)]),
    fixed(&[TYPE, Any, Any]),
    fixed(&[TYPE, Any]),
    repeated(&[TYPE], &[FixedLength]),
    fixed(&[BASIC, LiteralCount]),
    fixed(&[Text, TYPE, SOURCE, Any, Any, SCOPE]),
    repeated(&[Any, RETURN], &[TYPE_OR_PARAMETER]),
    repeated(
        &[Text, TYPE, SOURCE, Any, Any, SCOPE, Positive, Any],
        &[Constant, Text],
    )
    .beyond_repeated(&[IntegerConstant, Text]),
    repeated(
        &[Text, Any, SOURCE, Any, Any, SCOPE, Text, Constant, Any],
        &[MEMBERS],
    )
    .beyond(&[(7, IntegerConstant)]),
    fixed(&[
        Text,
        TYPE_OR_PARAMETER,
        SOURCE,
        Any,
        Any,
        COMPOSITE,
        Constant,
        Constant,
        Any,
        Constant,
    ])
    .beyond(&[(6, IntegerConstant), (7, IntegerConstant)]),
    fixed(&[ClassOrStructure, ClassOrStructure, Constant, Constant, Any])
        .beyond(&[(2, IntegerConstant), (3, IntegerConstant)]),
    fixed(&[Any, Any]).beyond(&[(0, TYPE), (1, ClassOrStructure)]),
    repeated(&[TEMPLATE_TARGET], &[TEMPLATE_PARAMETER_OR_PACK])
        .beyond_repeated(&[TEMPLATE_PARAMETER]),
    fixed(&[Text, TYPE, Constant, SOURCE, Any, Any]).beyond(&[(2, IntegerConstant)]),
    fixed(&[Text, Text, SOURCE, Any, Any]),
    repeated(&[Text, SOURCE, Any, Any], &[TEMPLATE_PARAMETER_OR_PACK]),
    fixed(&[
        Text,
        TYPE,
        SOURCE,
        Any,
        Any,
        SCOPE,
        Text,
        GlobalVariable,
        Any,
        MEMBER,
    ]),
    fixed(&[Text, FUNCTION_TYPE, SOURCE, Any, Any, SCOPE, Text, Any]),
    fixed(&[
        Text,
        FUNCTION_TYPE,
        SOURCE,
        Any,
        Any,
        SCOPE,
        Text,
        Any,
        Any,
        Function,
        DECLARATION,
    ]),
    fixed(&[SOURCE, Any, Any, SCOPE, Text]),
    fixed(&[SOURCE, Any, SCOPE]),
    fixed(&[SCOPE, INLINED_AT]),
    fixed(&[]),
    fixed(&[Any, SCOPE, INLINED_AT]),
    fixed(&[Text, TYPE_OR_PARAMETER, SOURCE, Any, Any, SCOPE, Any, Any]),
    fixed(&[LOCAL, INLINED_AT]),
    fixed(&[LOCAL, Variable, EXPRESSION]),
    repeated(&[LOCAL, Any, EXPRESSION], &[Index]).beyond(&[(1, Value)]),
    repeated(&[Any], &[Any]),
    repeated(&[], &[OPERATION]),
    fixed(&[FILE, Any, Text, Text]),
    fixed(&[FILE, Any, MACRO]),
    fixed(&[Text, Any, SOURCE, Any, Any, Any, SCOPE]).beyond(&[(3, ANYTHING)]),
    fixed(&[Text, Text]),
    // Other validators leave modules alone.
    fixed(&[Any, Any, Any, Any, Any, Any, Any, Any]).beyond(&[
        (0, Text),
        (1, SOURCE),
        (2, SCOPE),
        (4, Text),
        (5, Text),
        (6, Text),
    ]),
];

/// `DebugInfo`. A source is a string here.
pub(super) const FIRST: &[Row] = &[
    fixed(&[]),
    fixed(&[Text, Any, Any]),
    fixed(&[Text, IntegerConstant, Any]),
    fixed(&[TYPE, Any, Any]),
    fixed(&[TYPE, Any]),
    repeated(&[TYPE], &[IntegerConstantOr(VARIABLE_KINDS)]),
    fixed(&[TYPE, Any]),
    fixed(&[Text, TYPE, Text, Any, Any, SCOPE_OR_DISCRIMINATOR]),
    repeated(&[RETURN], &[TYPE_OR_PARAMETER]),
    repeated(
        &[
            Text,
            TYPE,
            Text,
            Any,
            Any,
            SCOPE_OR_DISCRIMINATOR,
            IntegerConstant,
            Any,
        ],
        &[IntegerConstant, Text],
    ),
    repeated(
        &[Text, Any, Text, Any, Any, SCOPE, IntegerConstant, Any],
        &[MEMBERS],
    ),
    fixed(&[
        Text,
        TYPE_OR_PARAMETER,
        Text,
        Any,
        Any,
        COMPOSITE,
        IntegerConstant,
        IntegerConstant,
        Any,
        AnyConstant,
    ]),
    fixed(&[
        ClassOrStructure,
        ClassOrStructure,
        IntegerConstant,
        IntegerConstant,
        Any,
    ]),
    fixed(&[TYPE, ClassOrStructure]),
    repeated(&[TEMPLATE_TARGET], &[TEMPLATE_PARAMETER_OR_PACK]),
    fixed(&[Text, TYPE_OR_PARAMETER, AnyIntegerConstant, Text, Any, Any]),
    fixed(&[Text, Text, Text, Any, Any]),
    repeated(&[Text, Text, Any, Any], &[TEMPLATE_PARAMETER_OR_PACK]),
    fixed(&[
        Text,
        TYPE_OR_PARAMETER,
        Text,
        Any,
        Any,
        SCOPE,
        Text,
        GlobalVariable,
        Any,
        MEMBER,
    ]),
    fixed(&[
        Text,
        FUNCTION_TYPE,
        Text,
        Any,
        Any,
        SCOPE_OR_DISCRIMINATOR,
        Text,
        Any,
    ]),
    fixed(&[
        Text,
        FUNCTION_TYPE,
        Text,
        Any,
        Any,
        SCOPE_OR_DISCRIMINATOR,
        Text,
        Any,
        Any,
        Function,
        DECLARATION,
    ]),
    fixed(&[Text, Any, Any, SCOPE_OR_DISCRIMINATOR, Text]),
    fixed(&[Text, Any, SCOPE_OR_DISCRIMINATOR]),
    fixed(&[SCOPE_OR_DISCRIMINATOR, INLINED_AT]),
    fixed(&[]),
    fixed(&[Any, SCOPE_OR_DISCRIMINATOR, INLINED_AT]),
    fixed(&[
        Text,
        TYPE_OR_PARAMETER,
        Text,
        Any,
        Any,
        SCOPE_OR_DISCRIMINATOR,
        Any,
    ]),
    fixed(&[LOCAL, INLINED_AT]),
    fixed(&[LOCAL, Variable, EXPRESSION]),
    repeated(&[LOCAL, Value, EXPRESSION], &[Integer]),
    repeated(&[Any], &[Any]),
    repeated(&[], &[OPERATION]),
    fixed(&[Text, Any, Text, Text]),
    fixed(&[Text, Any, MACRO]),
];

const _: () = assert!(SHADER.len() == Kind::ALL.len() && OPENCL.len() == 37 && FIRST.len() == 34);
