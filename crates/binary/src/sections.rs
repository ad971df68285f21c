//! What the specification's text says of opcodes, beyond the grammar: where in a
//! module they stand.

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
    /// Types, constants, global variables, and what else is among them.
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

    /// The section of an instruction that is in one of the first; `None` for
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
            | Op::GraphConstantARM
            | Op::AsmTargetINTEL
            | Op::AsmINTEL => Self::Types,
            Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL => {
                Self::Annotations
            }
            _ if op.is_type() || op.is_constant() => Self::Types,
            _ => match info.class() {
                Class::Annotation => Self::Annotations,
                // Without a result: more operands of the one before, or a pointer's
                // declaration to come.
                Class::TypeDeclaration | Class::ConstantCreation => Self::Types,
                _ => return None,
            },
        })
    }
}
