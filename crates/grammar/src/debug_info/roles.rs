//! What stands in a field of a debugging instruction, and whether it may be none.

use super::{Field, Kind, Kinds, Set};

/// What must stand in a field. [`Set::takes_none`] says where `DebugInfoNone` may stand
/// for it.
///
/// A constant is an `OpConstant`; a specializable one may also be a specialization
/// constant or any other constant of the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Requirement {
    /// An `OpString`.
    Text,
    /// An `OpString` or one of these debugging instructions.
    TextOr(Kinds),
    /// A number of 32 bits: a literal or an unsigned constant.
    Number,
    /// An unsigned specializable constant of 32 bits.
    SpecNumber,
    /// The number of a vector's components: [`Set::takes_components`] says which.
    ComponentCount,
    /// A constant of any type.
    Constant,
    /// A specializable constant of any type.
    SpecConstant,
    /// A constant of an integer type.
    Integer,
    /// The same, greater than 0.
    PositiveInteger,
    /// A specializable constant of an integer type.
    SpecInteger,
    /// A constant of an integer type or one of these debugging instructions.
    IntegerOr(Kinds),
    /// A specializable constant of the type `OpTypeBool`.
    SpecBool,
    /// The length of an array: a specializable constant of an integer or a variable.
    Length,
    /// The same, but the constant is not 0 and can't be specialized.
    FixedLength,
    /// An index: a constant of an integer or a variable.
    Index,
    /// The values of an enumeration in pairs: a constant of an integer and a name.
    Enumerators,
    /// One of these debugging instructions.
    Debug(Kinds),
    /// One of these or the `OpTypeVoid`.
    DebugOrVoid(Kinds),
    /// A `DebugTypeComposite` that is a class or a structure.
    ClassOrStructure,
    /// An `OpVariable` or a constant.
    GlobalVariable,
    /// An `OpVariable` or an `OpFunctionParameter`.
    Variable,
    /// The result of an instruction that computes something.
    Value,
    /// The same, of an integer type.
    IntegerValue,
    /// An `OpFunction`.
    Function,
}

impl Requirement {
    /// What must stand at a place of a field that occurs any number of times, counted
    /// from 0: the [`Enumerators`](Self::Enumerators) take turns.
    pub fn at(self, place: usize) -> Self {
        match self {
            Self::Enumerators if place.is_multiple_of(2) => Self::Integer,
            Self::Enumerators => Self::Text,
            other => other,
        }
    }

    /// Whether it is a number, which is always there.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Number | Self::SpecNumber | Self::ComponentCount)
    }
}

/// What a field is to those who copy, build or remove an instruction, in every set that
/// has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// The id of an `OpString`.
    Text,
    /// A number of 32 bits: a literal or a constant.
    Number,
    /// A constant of any integer type: sizes and offsets in bits.
    Bits,
    /// A constant of any type, or nothing.
    Constant,
    /// A source file.
    Source,
    /// A lexical scope.
    Scope,
    /// The composite of a member.
    Composite,
    /// A type.
    Type,
    /// A type or a template's parameter that stands for one.
    TypeOrParameter,
    /// A function's type.
    FunctionType,
    /// What a function returns, which may be `OpTypeVoid`.
    Result,
    /// The `OpFunction`.
    Function,
    /// Anything else: a debugging instruction, or something of the module.
    Any,
}

const SOURCE: Kinds = Kinds::of(&[Kind::Source]);
const BASIC: Kinds = Kinds::of(&[Kind::TypeBasic]);
const FUNCTION_TYPE: Kinds = Kinds::of(&[Kind::TypeFunction]);
const COMPOSITE: Kinds = Kinds::of(&[Kind::TypeComposite]);
const FUNCTION: Kinds = Kinds::of(&[Kind::Function]);
const PARAMETERS: Kinds = Kinds::of(&[
    Kind::TypeTemplateParameter,
    Kind::TypeTemplateTemplateParameter,
]);
const PARAMETERS_AND_PACKS: Kinds = PARAMETERS.or(Kinds::of(&[Kind::TypeTemplateParameterPack]));
/// Where a template's own parameters may stand for types.
const TYPES_AND_PARAMETERS: Kinds = Kinds::TYPES.or(PARAMETERS);
/// Members, methods, base classes.
const MEMBERS: Kinds = Kinds::of(&[Kind::TypeMember, Kind::TypeInheritance, Kind::Function]);

const fn debug(kind: Kind) -> Requirement {
    Requirement::Debug(Kinds::of(&[kind]))
}

impl Kind {
    /// What must stand in a field in all sets but those that [`Set::requirement`] knows.
    fn requirement(self, field: Field) -> Requirement {
        use Field as F;
        use Kind as K;
        use Requirement::*;
        match (self, field) {
            (K::TypeVector, F::BaseType) => Debug(BASIC),
            (K::TypeCooperativeMatrixKHR, F::Scope) => SpecNumber,
            (K::TypeEnum, F::Size) => PositiveInteger,
            (K::TypeMember, F::Parent) => Debug(COMPOSITE),
            (K::TypeMember, F::Value) => SpecConstant,
            (K::TypeTemplateParameter, F::Value) => SpecInteger,
            (K::TypeMember | K::LocalVariable, F::Type) => Debug(TYPES_AND_PARAMETERS),
            (K::Function | K::FunctionDeclaration, F::Type) => Debug(FUNCTION_TYPE),
            (K::GlobalVariable, F::Variable) => GlobalVariable,
            (K::Declare, F::Indexes) => IntegerValue,
            (K::MacroDef, F::Value) => Text,
            (K::MacroDef | K::MacroUndef, F::Source) => TextOr(SOURCE),
            (_, F::Source) => Debug(SOURCE),
            (_, F::Parent | F::Scope) => Debug(Kinds::SCOPES),
            (_, F::BaseType | F::UnderlyingType | F::MemberType) => Debug(Kinds::TYPES),
            (_, F::ActualType | F::Type) => Debug(Kinds::TYPES),
            (_, F::ParameterTypes) => Debug(TYPES_AND_PARAMETERS),
            (_, F::ReturnType) => DebugOrVoid(TYPES_AND_PARAMETERS),
            (_, F::ComponentType) => Debug(BASIC),
            (_, F::VectorType) => debug(K::TypeVector),
            (_, F::Child | F::BaseClass | F::Class) => ClassOrStructure,
            (_, F::Members) => Debug(MEMBERS),
            (_, F::Parameters) => Debug(PARAMETERS),
            (_, F::TemplateParameters) => Debug(PARAMETERS_AND_PACKS),
            (_, F::Target) => Debug(COMPOSITE.or(FUNCTION)),
            (_, F::StaticMemberDeclaration) => debug(K::TypeMember),
            (_, F::Declaration) => debug(K::FunctionDeclaration),
            (_, F::DebugFunction | F::EntryPoint) => Debug(FUNCTION),
            (_, F::CompilationUnit) => debug(K::CompilationUnit),
            (_, F::InlinedAt) => debug(K::InlinedAt),
            (_, F::LocalVariable) => debug(K::LocalVariable),
            (_, F::Operations) => debug(K::Operation),
            (_, F::Expression) => debug(K::Expression),
            (_, F::Macro) => debug(K::MacroDef),
            (_, F::Entity) => Debug(Kinds::ALL),
            (_, F::Size | F::Offset) => Integer,
            (_, F::ComponentCounts) => Length,
            (_, F::ComponentCount | F::VectorCount) => ComponentCount,
            (_, F::ComponentCountId | F::Rows | F::Columns | F::Use) => SpecNumber,
            (_, F::ColumnMajor) => SpecBool,
            (_, F::Enumerators) => Enumerators,
            (_, F::Indexes) => Index,
            (_, F::Function | F::Definition) => Function,
            (_, F::Variable) => Variable,
            (_, F::Value) => Value,
            (_, F::Name | F::LinkageName | F::TemplateName) => Text,
            (_, F::File | F::Text | F::Path | F::Identifier) => Text,
            (_, F::CompilerSignature | F::CommandLineArguments) => Text,
            (_, F::ConfigurationMacros | F::IncludePath | F::ApiNotesFile) => Text,
            (_, F::Line | F::LineStart | F::LineEnd | F::ScopeLine) => Number,
            (_, F::Column | F::ColumnStart | F::ColumnEnd | F::Discriminator) => Number,
            (_, F::Version | F::DwarfVersion | F::Language) => Number,
            (_, F::Flags | F::IdentifierFlags | F::IsDeclaration | F::ArgNumber) => Number,
            (_, F::Encoding | F::FpEncoding | F::StorageClass | F::TypeQualifier) => Number,
            (_, F::Tag | F::OpCode | F::Operands) => Number,
        }
    }

    /// What a field of the instruction is, in every set that has it.
    ///
    /// ```
    /// use spirvkit_grammar::debug_info::{Field, Kind, Role};
    ///
    /// assert_eq!(Kind::TypeFunction.role(Field::ReturnType), Role::Result);
    /// assert_eq!(Kind::LocalVariable.role(Field::Line), Role::Number);
    /// ```
    pub fn role(self, field: Field) -> Role {
        use Requirement as R;
        match (field, self.requirement(field)) {
            (Field::Source, _) => Role::Source,
            (Field::Child, _) => Role::Composite,
            (Field::Value, R::SpecConstant | R::SpecInteger) => Role::Constant,
            (_, R::Integer | R::PositiveInteger) => Role::Bits,
            (_, R::Text) => Role::Text,
            (_, requirement) if requirement.is_number() => Role::Number,
            (_, R::Debug(Kinds::SCOPES)) => Role::Scope,
            (_, R::Debug(FUNCTION_TYPE)) => Role::FunctionType,
            (_, R::Debug(Kinds::TYPES | BASIC)) => Role::Type,
            (_, R::Debug(TYPES_AND_PARAMETERS)) => Role::TypeOrParameter,
            (Field::Parent, R::Debug(COMPOSITE)) => Role::Composite,
            (_, R::DebugOrVoid(_)) => Role::Result,
            (Field::Function, _) => Role::Function,
            _ => Role::Any,
        }
    }
}

impl Set {
    /// What must stand in a field of an instruction of the set.
    ///
    /// ```
    /// use spirvkit_grammar::debug_info::{Field, Kind, Requirement, Set};
    ///
    /// let length = |set: Set| set.requirement(Kind::TypeArray, Field::ComponentCounts);
    /// assert_eq!(length(Set::Shader), Requirement::Length);
    /// assert_eq!(length(Set::OpenCl100), Requirement::FixedLength);
    /// ```
    pub fn requirement(self, kind: Kind, field: Field) -> Requirement {
        match self {
            Self::DebugInfo => in_debug_info(kind, field),
            Self::OpenCl100 => in_opencl(kind, field),
            Self::Shader => in_shader(kind, field),
        }
        .unwrap_or_else(|| kind.requirement(field))
    }

    /// Whether a vector may have this many components.
    pub fn takes_components(self, count: u64) -> bool {
        match self {
            Self::DebugInfo => u32::try_from(count).is_ok(),
            Self::OpenCl100 => matches!(count, 1..=4 | 8 | 16),
            Self::Shader => matches!(count, 1..=4),
        }
    }

    /// Whether a field may be a `DebugInfoNone` for all that is known of its consumers.
    ///
    /// `DebugInfo` lets it stand for anything (section 4.1). The texts of its successors
    /// say the same (`DebugInfoNone`), but validators take it only where an instruction's
    /// own text names it, and in instructions that hardly any producer writes.
    pub fn takes_none(self, kind: Kind, field: Field) -> bool {
        let is_named = matches!(
            (kind, field),
            (Kind::TypeEnum, Field::UnderlyingType)
                | (Kind::TypeComposite, Field::Size)
                | (Kind::TypeTemplateParameter, Field::Value)
                | (Kind::GlobalVariable, Field::Variable)
                | (Kind::Function, Field::Function)
                | (Kind::Value, Field::Value)
        );
        let is_rare = matches!(
            kind,
            Kind::TypePtrToMember
                | Kind::TypeTemplateTemplateParameter
                | Kind::TypeTemplateParameterPack
                | Kind::LexicalBlockDiscriminator
                | Kind::InlinedVariable
                | Kind::MacroDef
                | Kind::MacroUndef
                | Kind::ImportedEntity
        );
        self == Self::DebugInfo || is_named || is_rare
    }
}

/// What `DebugInfo` asks for otherwise than its successors. A source is a string here.
fn in_debug_info(kind: Kind, field: Field) -> Option<Requirement> {
    use Requirement::*;
    Some(match (kind, field) {
        (_, Field::Source) => Text,
        (Kind::TypeComposite | Kind::GlobalVariable | Kind::TypeMember, Field::Parent) => {
            return None;
        }
        (_, Field::Parent | Field::Scope) => Debug(Kinds::SCOPES_AND_DISCRIMINATORS),
        (Kind::TypeVector, Field::BaseType) => Debug(Kinds::TYPES),
        (Kind::TypeEnum, Field::Size) => Integer,
        (Kind::TypeTemplate, Field::Parameters) => Debug(PARAMETERS_AND_PACKS),
        (Kind::TypeTemplateParameter, Field::ActualType) => Debug(TYPES_AND_PARAMETERS),
        (Kind::GlobalVariable, Field::Type) => Debug(TYPES_AND_PARAMETERS),
        (_, Field::ComponentCounts) => IntegerOr(Kinds::VARIABLES),
        (_, Field::Indexes) => IntegerValue,
        _ => return None,
    })
}

/// What `OpenCL.DebugInfo.100` asks for otherwise: it knows no specialization constants.
fn in_opencl(kind: Kind, field: Field) -> Option<Requirement> {
    match (kind, field) {
        (Kind::TypeMember, Field::Value) => Some(Requirement::Constant),
        (Kind::TypeTemplateParameter, Field::Value) => Some(Requirement::Integer),
        (_, Field::ComponentCounts) => Some(Requirement::FixedLength),
        _ => None,
    }
}

/// What `NonSemantic.Shader.DebugInfo` asks for otherwise: the layout of composites may be
/// specialized.
fn in_shader(kind: Kind, field: Field) -> Option<Requirement> {
    let is_laid_out = matches!(
        kind,
        Kind::TypeComposite | Kind::TypeMember | Kind::TypeInheritance
    );
    let is_layout = is_laid_out && matches!(field, Field::Size | Field::Offset);
    is_layout.then_some(Requirement::SpecInteger)
}
