//! The numbers of the instructions that checks speak of; the sets agree on them.

use spirvkit_grammar::debug_info::Kind;

pub(super) const INFO_NONE: u32 = Kind::InfoNone.number();
pub(super) const TYPE_BASIC: u32 = Kind::TypeBasic.number();
pub(super) const TYPE_QUALIFIER: u32 = Kind::TypeQualifier.number();
pub(super) const TYPE_ARRAY: u32 = Kind::TypeArray.number();
pub(super) const TYPEDEF: u32 = Kind::Typedef.number();
pub(super) const TYPE_FUNCTION: u32 = Kind::TypeFunction.number();
pub(super) const TYPE_ENUM: u32 = Kind::TypeEnum.number();
pub(super) const TYPE_COMPOSITE: u32 = Kind::TypeComposite.number();
pub(super) const TYPE_MEMBER: u32 = Kind::TypeMember.number();
pub(super) const TYPE_INHERITANCE: u32 = Kind::TypeInheritance.number();
pub(super) const TYPE_PTR_TO_MEMBER: u32 = Kind::TypePtrToMember.number();
pub(super) const TYPE_TEMPLATE: u32 = Kind::TypeTemplate.number();
pub(super) const FUNCTION_DECLARATION: u32 = Kind::FunctionDeclaration.number();
pub(super) const FUNCTION: u32 = Kind::Function.number();
pub(super) const SCOPE: u32 = Kind::Scope.number();
pub(super) const NO_SCOPE: u32 = Kind::NoScope.number();
pub(super) const INLINED_AT: u32 = Kind::InlinedAt.number();
pub(super) const LOCAL_VARIABLE: u32 = Kind::LocalVariable.number();
pub(super) const DECLARE: u32 = Kind::Declare.number();
pub(super) const VALUE: u32 = Kind::Value.number();
pub(super) const OPERATION: u32 = Kind::Operation.number();
pub(super) const SOURCE: u32 = Kind::Source.number();
pub(super) const FUNCTION_DEFINITION: u32 = Kind::FunctionDefinition.number();
pub(super) const SOURCE_CONTINUED: u32 = Kind::SourceContinued.number();
pub(super) const LINE: u32 = Kind::Line.number();
pub(super) const NO_LINE: u32 = Kind::NoLine.number();
pub(super) const BUILD_IDENTIFIER: u32 = Kind::BuildIdentifier.number();
