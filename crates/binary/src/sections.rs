//! What the specification's text says of opcodes, beyond the grammar: where in a
//! module they stand, and which end a block.

use spirvkit_grammar::{Class, InstructionInfo, Op};

/// The sections of a module, in their order (specification, section 2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// `OpCapability`.
    Capabilities,
    /// `OpExtension`.
    Extensions,
    /// `OpExtInstImport`.
    Imports,
    /// `OpMemoryModel`.
    MemoryModel,
    /// `OpSamplerImageAddressingModeNV`.
    AddressingMode,
    /// `OpEntryPoint`.
    EntryPoints,
    /// `OpExecutionMode` and `OpExecutionModeId`.
    ExecutionModes,
    /// Strings and sources.
    Sources,
    /// `OpName` and `OpMemberName`.
    Names,
    /// `OpModuleProcessed`.
    Processed,
    /// Decorations.
    Annotations,
    /// Types, constants, global variables, and what else stands among them.
    Types,
    /// Functions.
    Functions,
    /// Graphs.
    Graphs,
}

impl Section {
    /// All sections in order.
    pub const ALL: [Self; 14] = [
        Self::Capabilities,
        Self::Extensions,
        Self::Imports,
        Self::MemoryModel,
        Self::AddressingMode,
        Self::EntryPoints,
        Self::ExecutionModes,
        Self::Sources,
        Self::Names,
        Self::Processed,
        Self::Annotations,
        Self::Types,
        Self::Functions,
        Self::Graphs,
    ];

    /// The section of an instruction that stands in one of the first; `None` for
    /// the instructions of functions and graphs. Instructions that may stand in
    /// both are given to the types.
    pub fn of(op: Op, info: &InstructionInfo) -> Option<Self> {
        Some(match op {
            Op::Capability | Op::ConditionalCapabilityINTEL => Self::Capabilities,
            Op::Extension | Op::ConditionalExtensionINTEL => Self::Extensions,
            Op::ExtInstImport => Self::Imports,
            Op::MemoryModel => Self::MemoryModel,
            Op::SamplerImageAddressingModeNV => Self::AddressingMode,
            Op::EntryPoint | Op::ConditionalEntryPointINTEL => Self::EntryPoints,
            Op::ExecutionMode | Op::ExecutionModeId => Self::ExecutionModes,
            Op::String | Op::Source | Op::SourceExtension | Op::SourceContinued => Self::Sources,
            Op::Name | Op::MemberName => Self::Names,
            Op::ModuleProcessed => Self::Processed,
            Op::Line
            | Op::NoLine
            | Op::Undef
            | Op::PoisonKHR
            | Op::Variable
            | Op::UntypedVariableKHR
            | Op::ExtInst
            | Op::ExtInstWithForwardRefsKHR
            | Op::TypeForwardPointer
            | Op::GraphConstantARM
            | Op::ConstantFunctionPointerINTEL
            | Op::ConstantStringAMDX
            | Op::SpecConstantStringAMDX
            | Op::AsmTargetINTEL
            | Op::AsmINTEL => Self::Types,
            Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL => {
                Self::Annotations
            }
            _ => match info.class() {
                Class::Annotation => Self::Annotations,
                Class::TypeDeclaration | Class::ConstantCreation => Self::Types,
                Class::Excluded | Class::Reserved if is_type_declaration(op) => Self::Types,
                _ => return None,
            },
        })
    }
}

/// Whether the opcode ends a block (specification, section 2.2.5).
#[inline]
pub const fn is_terminator(op: Op) -> bool {
    matches!(
        op,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::Unreachable
            | Op::TerminateInvocation
            | Op::IgnoreIntersectionKHR
            | Op::TerminateRayKHR
            | Op::EmitMeshTasksEXT
            | Op::AbortKHR
    )
}

/// Whether the opcode declares a type. `OpTypeForwardPointer` doesn't: it has no
/// result.
pub fn is_type_declaration(op: Op) -> bool {
    op.info().is_some_and(|info| match info.class() {
        Class::TypeDeclaration => info.has_result(),
        Class::Excluded | Class::Reserved => info.has_result() && info.name().starts_with("OpType"),
        _ => false,
    })
}
