//! What instructions say of the module, besides what they define.

use spirvkit_grammar::Op;

use crate::callbacks::may_call;

/// What an instruction tells the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing, as most.
    Nothing,
    Function,
    FunctionEnd,
    Label,
    Merge,
    Call,
    Terminator,
    Capability,
    ConditionalCapability,
    Extension,
    Import,
    MemoryModel,
    EntryPoint,
    ConditionalEntryPoint,
    ExecutionMode,
    Decoration,
    GroupDecoration,
    GroupMemberDecoration,
    DecorationGroup,
    Variable,
}

/// More than the numbers of the opcodes that are assigned: for tables by opcode.
pub(crate) const OPCODES: usize = 1 << 13;

/// The roles of all opcodes, because to look one up is quicker than to compare.
static ROLES: [Role; OPCODES] = {
    let mut roles = [Role::Nothing; OPCODES];
    let mut op = 0;
    while op < OPCODES {
        roles[op] = role(Op(op as u16));
        op += 1;
    }
    roles
};

impl Role {
    #[inline]
    pub(super) fn of(op: Op) -> Self {
        let role = ROLES.get(usize::from(op.0));
        role.copied().unwrap_or(Self::Nothing)
    }
}

const fn role(op: Op) -> Role {
    match op {
        Op::Function => Role::Function,
        Op::FunctionEnd => Role::FunctionEnd,
        Op::Label => Role::Label,
        _ if op.is_merge() => Role::Merge,
        _ if may_call(op) => Role::Call,
        Op::Capability => Role::Capability,
        Op::ConditionalCapabilityINTEL => Role::ConditionalCapability,
        Op::Extension | Op::ConditionalExtensionINTEL => Role::Extension,
        Op::ExtInstImport => Role::Import,
        Op::MemoryModel => Role::MemoryModel,
        Op::EntryPoint => Role::EntryPoint,
        Op::ConditionalEntryPointINTEL => Role::ConditionalEntryPoint,
        _ if op.is_execution_mode() => Role::ExecutionMode,
        _ if op.is_decorate() || op.is_member_decorate() => Role::Decoration,
        Op::GroupDecorate => Role::GroupDecoration,
        Op::GroupMemberDecorate => Role::GroupMemberDecoration,
        Op::DecorationGroup => Role::DecorationGroup,
        _ if op.is_variable() => Role::Variable,
        _ if op.is_terminator() => Role::Terminator,
        _ => Role::Nothing,
    }
}
