//! What stands in a field of a debugging instruction.

use super::{Field, Kind};

/// What stands in a field, in every set that has it. [`Set::takes_none`] says where
/// `DebugInfoNone` may stand for it.
///
/// [`Set::takes_none`]: super::Set::takes_none
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

impl Kind {
    /// What stands in a field of the instruction.
    ///
    /// ```
    /// use spirvkit_grammar::debug_info::{Field, Kind, Role};
    ///
    /// assert_eq!(Kind::TypeFunction.role(Field::ReturnType), Role::Result);
    /// assert_eq!(Kind::LocalVariable.role(Field::Line), Role::Number);
    /// ```
    pub fn role(self, field: Field) -> Role {
        match (self, field) {
            (Self::MacroDef, Field::Value) => Role::Text,
            (Self::TypeMember | Self::TypeTemplateParameter, Field::Value) => Role::Constant,
            (Self::TypeMember, Field::Parent) | (Self::TypeInheritance, Field::Child) => {
                Role::Composite
            }
            (Self::Function | Self::FunctionDeclaration, Field::Type) => Role::FunctionType,
            (Self::TypeMember | Self::LocalVariable, Field::Type) => Role::TypeOrParameter,
            (Self::TypeFunction, Field::ReturnType) => Role::Result,
            (Self::TypeFunction, Field::ParameterTypes) => Role::TypeOrParameter,
            (Self::Function, Field::Function) => Role::Function,
            (_, Field::Source) => Role::Source,
            (_, Field::Parent | Field::Scope) => Role::Scope,
            (_, Field::Size | Field::Offset) => Role::Bits,
            (_, Field::BaseType | Field::Type | Field::MemberType | Field::ActualType) => {
                Role::Type
            }
            (_, Field::UnderlyingType) => Role::Type,
            (_, field) if field.is_text() => Role::Text,
            (_, field) if field.is_number() => Role::Number,
            _ => Role::Any,
        }
    }
}
