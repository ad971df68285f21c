//! The operands of the instructions of the three sets, as tables.
//!
//! The sets share their numbers as far as they have the same instructions, and
//! differ in how they write what is no id: `NonSemantic.Shader.DebugInfo` as ids
//! of constants, the others as literals.

/// What an operand must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// Anything: a literal, or an id of which nothing is asked.
    Any,
    /// An `OpString`.
    Text,
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
    /// An `OpConstant` or one of these debugging instructions.
    ConstantOr(Kinds),
    /// An `OpConstant` of an integer that is not zero.
    Positive,
    /// One of these debugging instructions.
    Debug(Kinds),
    /// One of these or an `OpTypeVoid`.
    DebugOrVoid(Kinds),
    /// A `DebugTypeComposite` whose tag, a literal, is class or structure.
    ClassOrStructure,
    /// The length of an array: a constant integer or a variable.
    Length,
    /// The same, not 0 and not a specialization constant.
    FixedLength,
    /// An `OpVariable`, a constant, or `DebugInfoNone`.
    GlobalVariable,
    /// An `OpVariable` or an `OpFunctionParameter`.
    Variable,
    /// A value of an integer type.
    Integer,
    /// An index: a constant integer or a variable.
    Index,
    /// An `OpFunction`.
    Function,
    /// An `OpFunction` or `DebugInfoNone`.
    FunctionOrNone,
}

use Operand::*;

/// A set of debugging instructions, as bits by [`position`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds(u64);

impl Kinds {
    const fn of(numbers: &[u32]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < numbers.len() {
            if let Some(position) = position(numbers[index]) {
                bits |= 1 << position;
            }
            index += 1;
        }
        Self(bits)
    }

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline]
    pub(super) fn contains(self, number: u32) -> bool {
        position(number).is_some_and(|position| self.0 >> position & 1 != 0)
    }

    /// The numbers of the instructions.
    pub(super) fn numbers(self) -> impl Iterator<Item = u32> {
        (0..=LAST).filter(move |&number| self.contains(number))
    }
}

const LAST: u32 = 110;

/// An instruction's place in the tables, which leave out the numbers between
/// those of all sets and those of `NonSemantic.Shader.DebugInfo` alone.
const fn position(number: u32) -> Option<usize> {
    match number {
        0..=36 => Some(number as usize),
        101..=LAST => Some((number - 101 + 37) as usize),
        _ => None,
    }
}

/// The operands of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Those that have a place of their own; the last ones may be left out.
    pub(super) fixed: &'static [Operand],
    /// Those that follow any number of times.
    pub(super) repeated: &'static [Operand],
    /// Whether `DebugInfoNone` may stand for any of them: so for what describes
    /// source code that few producers describe, and not all to the letter.
    pub(super) takes_none: bool,
}

impl Row {
    const fn or_none(self) -> Self {
        Self {
            takes_none: true,
            ..self
        }
    }
}

/// The operands of an instruction of a set.
pub(super) fn row(rows: &'static [Row], number: u32) -> Option<&'static Row> {
    rows.get(position(number)?)
}

const fn fixed(fixed: &'static [Operand]) -> Row {
    repeated(fixed, &[])
}

const fn repeated(fixed: &'static [Operand], repeated: &'static [Operand]) -> Row {
    Row {
        fixed,
        repeated,
        takes_none: false,
    }
}

/// `DebugInfoNone`.
pub(super) const NONE: Kinds = Kinds::of(&[0]);
const COMPILATION_UNIT: Operand = Debug(Kinds::of(&[1]));
const BASIC: Operand = Debug(Kinds::of(&[2]));
/// Debugging types, templates among them.
const TYPES: Kinds = Kinds::of(&[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 108, 109, 110]);
const TYPE: Operand = Debug(TYPES);
/// Where a template's own parameters may stand for types.
const TYPE_OR_PARAMETER: Kinds = TYPES.or(Kinds::of(&[15, 16]));
const VECTOR: Operand = Debug(Kinds::of(&[6]));
const FUNCTION_TYPE: Operand = Debug(Kinds::of(&[8]));
const COMPOSITE: Operand = Debug(Kinds::of(&[10]));
const MEMBER: Operand = Debug(Kinds::of(&[11]));
/// Members, methods, base classes.
const MEMBERS: Operand = Debug(Kinds::of(&[11, 12, 20]));
const TEMPLATE_TARGET: Operand = Debug(Kinds::of(&[10, 20]));
const TEMPLATE_PARAMETER: Operand = Debug(Kinds::of(&[15, 16, 17]));
const DECLARATION: Operand = Debug(Kinds::of(&[19]));
const FUNCTION: Operand = Debug(Kinds::of(&[20]));
/// Compilation units, composites, functions, blocks, modules.
const SCOPE: Operand = Debug(Kinds::of(&[1, 10, 20, 21, 22, 36]));
const INLINED_AT: Operand = Debug(Kinds::of(&[25]));
const LOCAL: Operand = Debug(Kinds::of(&[26]));
pub(super) const VARIABLE_KINDS: Kinds = Kinds::of(&[18, 26]);
const VARIABLES: Operand = Debug(VARIABLE_KINDS);
const OPERATION: Operand = Debug(Kinds::of(&[30]));
const EXPRESSION: Operand = Debug(Kinds::of(&[31]));
const MACRO: Operand = Debug(Kinds::of(&[32]));
const SOURCE: Operand = Debug(Kinds::of(&[35]));

/// `NonSemantic.Shader.DebugInfo`.
pub(super) const SHADER: &[Row] = &[
    fixed(&[]),
    fixed(&[Uint, Uint, SOURCE, Uint]),
    fixed(&[Text, Constant, Uint, Uint, Uint]),
    fixed(&[TYPE, Uint, Uint]),
    fixed(&[TYPE, Uint]),
    repeated(&[TYPE], &[Length]),
    fixed(&[BASIC, Count]),
    fixed(&[Text, TYPE, SOURCE, Uint, Uint, SCOPE]),
    repeated(
        &[Uint, DebugOrVoid(TYPE_OR_PARAMETER)],
        &[Debug(TYPE_OR_PARAMETER)],
    ),
    repeated(
        &[
            Text,
            Debug(TYPES.or(NONE)),
            SOURCE,
            Uint,
            Uint,
            SCOPE,
            Positive,
            Uint,
        ],
        &[Constant, Text],
    ),
    repeated(
        &[
            Text,
            Any,
            SOURCE,
            Uint,
            Uint,
            SCOPE,
            Text,
            ConstantOr(NONE),
            Uint,
        ],
        &[MEMBERS],
    ),
    fixed(&[
        Text,
        Debug(TYPE_OR_PARAMETER),
        SOURCE,
        Uint,
        Uint,
        Constant,
        Constant,
        Uint,
        Constant,
    ]),
    fixed(&[COMPOSITE, Constant, Constant, Uint]),
    fixed(&[Any, Any]),
    repeated(&[TEMPLATE_TARGET], &[TEMPLATE_PARAMETER]),
    fixed(&[Text, TYPE, ConstantOr(NONE), SOURCE, Uint, Uint]),
    fixed(&[Text, Text, SOURCE, Uint, Uint]).or_none(),
    repeated(&[Text, SOURCE, Uint, Uint], &[TEMPLATE_PARAMETER]).or_none(),
    fixed(&[
        Text,
        TYPE,
        SOURCE,
        Uint,
        Uint,
        SCOPE,
        Text,
        GlobalVariable,
        Uint,
        MEMBER,
    ]),
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
    fixed(&[SOURCE, Uint, SCOPE]).or_none(),
    fixed(&[SCOPE, INLINED_AT]),
    fixed(&[]),
    fixed(&[Uint, SCOPE, INLINED_AT]),
    fixed(&[
        Text,
        Debug(TYPE_OR_PARAMETER),
        SOURCE,
        Uint,
        Uint,
        SCOPE,
        Uint,
        Uint,
    ]),
    fixed(&[VARIABLES, INLINED_AT]).or_none(),
    repeated(&[LOCAL, Variable, EXPRESSION], &[Integer]),
    repeated(&[LOCAL, Any, EXPRESSION], &[Index]),
    repeated(&[Uint], &[Any]),
    repeated(&[], &[OPERATION]),
    fixed(&[SOURCE, Uint, Text, Text]).or_none(),
    fixed(&[SOURCE, Uint, MACRO]).or_none(),
    fixed(&[Text, Uint, SOURCE, Any, Uint, Uint, SCOPE]).or_none(),
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
    fixed(&[VECTOR, Count, Any]),
    fixed(&[BASIC, SpecUint]),
    fixed(&[BASIC, SpecUint, SpecUint, SpecUint, SpecUint]),
];

/// `OpenCL.DebugInfo.100`.
pub(super) const OPENCL: &[Row] = &[
    fixed(&[]),
    fixed(&[Any, Any, SOURCE, Any]),
    fixed(&[Text, Constant, Any]),
    fixed(&[TYPE, Any, Any]),
    fixed(&[TYPE, Any]),
    repeated(&[TYPE], &[FixedLength]),
    fixed(&[BASIC, LiteralCount]),
    fixed(&[Text, TYPE, SOURCE, Any, Any, SCOPE]),
    repeated(
        &[Any, DebugOrVoid(TYPE_OR_PARAMETER)],
        &[Debug(TYPE_OR_PARAMETER)],
    ),
    repeated(
        &[
            Text,
            Debug(TYPES.or(NONE)),
            SOURCE,
            Any,
            Any,
            SCOPE,
            Positive,
            Any,
        ],
        &[Constant, Text],
    ),
    repeated(
        &[
            Text,
            Any,
            SOURCE,
            Any,
            Any,
            SCOPE,
            Text,
            ConstantOr(NONE),
            Any,
        ],
        &[MEMBERS],
    ),
    fixed(&[
        Text,
        Debug(TYPE_OR_PARAMETER),
        SOURCE,
        Any,
        Any,
        COMPOSITE,
        Constant,
        Constant,
        Any,
        Constant,
    ]),
    fixed(&[ClassOrStructure, ClassOrStructure, Constant, Constant, Any]),
    fixed(&[Any, Any]),
    repeated(&[TEMPLATE_TARGET], &[TEMPLATE_PARAMETER]),
    fixed(&[Text, TYPE, ConstantOr(NONE), SOURCE, Any, Any]),
    fixed(&[Text, Text, SOURCE, Any, Any]).or_none(),
    repeated(&[Text, SOURCE, Any, Any], &[TEMPLATE_PARAMETER]).or_none(),
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
        FunctionOrNone,
        DECLARATION,
    ]),
    fixed(&[SOURCE, Any, Any, SCOPE, Text]),
    fixed(&[SOURCE, Any, SCOPE]).or_none(),
    fixed(&[SCOPE, INLINED_AT]),
    fixed(&[]),
    fixed(&[Any, SCOPE, INLINED_AT]),
    fixed(&[
        Text,
        Debug(TYPE_OR_PARAMETER),
        SOURCE,
        Any,
        Any,
        SCOPE,
        Any,
        Any,
    ]),
    fixed(&[VARIABLES, INLINED_AT]).or_none(),
    fixed(&[LOCAL, Variable, EXPRESSION]),
    repeated(&[LOCAL, Any, EXPRESSION], &[Index]),
    repeated(&[Any], &[Any]),
    repeated(&[], &[OPERATION]),
    fixed(&[SOURCE, Any, Text, Text]).or_none(),
    fixed(&[SOURCE, Any, MACRO]).or_none(),
    fixed(&[Text, Any, SOURCE, Any, Any, Any, SCOPE]).or_none(),
    fixed(&[Text, Text]),
    fixed(&[]),
];

/// `DebugInfo`. A source is a string here. Wherever a debugging instruction
/// belongs there may be a `DebugInfoNone`, because tools that take information
/// away leave one behind.
pub(super) const FIRST: &[Row] = &[
    fixed(&[]),
    fixed(&[Any, Any, Any]),
    fixed(&[Text, Constant, Any]),
    fixed(&[TYPE, Any, Any]),
    fixed(&[TYPE, Any]),
    repeated(&[TYPE], &[ConstantOr(VARIABLE_KINDS)]),
    fixed(&[TYPE, Any]),
    fixed(&[Text, TYPE, Any, Any, Any, SCOPE]),
    repeated(
        &[DebugOrVoid(TYPE_OR_PARAMETER)],
        &[Debug(TYPE_OR_PARAMETER)],
    ),
    repeated(
        &[Text, TYPE, Any, Any, Any, SCOPE, ConstantOr(NONE), Any],
        &[Constant, Text],
    ),
    repeated(
        &[Text, Any, Any, Any, Any, SCOPE, ConstantOr(NONE), Any],
        &[MEMBERS],
    ),
    fixed(&[
        Text,
        Debug(TYPE_OR_PARAMETER),
        Any,
        Any,
        Any,
        COMPOSITE,
        Constant,
        Constant,
        Any,
        Any,
    ]),
    fixed(&[COMPOSITE, COMPOSITE, Constant, Constant, Any]),
    fixed(&[TYPE, TYPE]),
    repeated(&[TEMPLATE_TARGET], &[TEMPLATE_PARAMETER]),
    fixed(&[Text, Debug(TYPE_OR_PARAMETER), Any, Any, Any, Any]),
    fixed(&[Text, Text, Any, Any, Any]),
    repeated(&[Text, Any, Any, Any], &[TEMPLATE_PARAMETER]),
    fixed(&[
        Text,
        Debug(TYPE_OR_PARAMETER),
        Any,
        Any,
        Any,
        SCOPE,
        Text,
        GlobalVariable,
        Any,
        MEMBER,
    ]),
    fixed(&[Text, FUNCTION_TYPE, Any, Any, Any, SCOPE, Text, Any]),
    fixed(&[
        Text,
        FUNCTION_TYPE,
        Any,
        Any,
        Any,
        SCOPE,
        Text,
        Any,
        Any,
        FunctionOrNone,
        DECLARATION,
    ]),
    fixed(&[Any, Any, Any, SCOPE, Text]),
    fixed(&[Any, Any, SCOPE]),
    fixed(&[SCOPE, INLINED_AT]),
    fixed(&[]),
    fixed(&[Any, SCOPE, INLINED_AT]),
    fixed(&[Text, Debug(TYPE_OR_PARAMETER), Any, Any, Any, SCOPE, Any]),
    fixed(&[VARIABLES, INLINED_AT]).or_none(),
    fixed(&[LOCAL, Variable, EXPRESSION]),
    repeated(&[LOCAL, Any, EXPRESSION], &[Any]),
    repeated(&[Any], &[Any]),
    repeated(&[], &[OPERATION]),
    fixed(&[Any, Any, Text, Text]),
    fixed(&[Any, Any, MACRO]),
];

const _: () = assert!(SHADER.len() == 47 && OPENCL.len() == 37 && FIRST.len() == 34);
