//! Which extended instructions say something about a module without being part of
//! what it does.

use spirvkit_binary::{Definition, Id, IdMap, Import, LiteralString};
use spirvkit_grammar::debug_info::Set;
use spirvkit_grammar::{ExtInstSet, Op};
use spirvkit_ir::{Inst, Module};

/// What an extended instruction set without an effect on results is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remark {
    /// Debug information, non-semantic or not.
    DebugInfo,
    /// What shows something to whoever runs the program in a debugger: it has no
    /// effect on results, but one that its author sees.
    Output,
    /// Any other non-semantic set.
    Other,
}

/// The sets of remarks that a module imports, by the id of the import.
pub(crate) struct Remarks(IdMap<Option<Remark>>);

impl Remarks {
    pub(crate) fn of(module: &Module) -> Self {
        let mut sets = IdMap::new(None, module.inst_count());
        let imports = module.globals();
        for inst in imports.filter(|&inst| module.op(inst) == Op::ExtInstImport) {
            if let Some(id) = module.result(inst) {
                *sets.slot(id) = imported(module, inst, id);
            }
        }
        Self(sets)
    }

    /// What an import or an extended instruction is, if it is of such a set.
    pub(crate) fn get(&self, module: &Module, inst: Inst) -> Option<Remark> {
        let set = match module.op(inst) {
            Op::ExtInstImport => module.result(inst)?,
            op if op.is_ext_inst() => Id(*module.get(inst).operand_words().get(2)?),
            _ => return None,
        };
        self.0.get(set)
    }
}

fn imported(module: &Module, import: Inst, id: Id) -> Option<Remark> {
    if let Definition::Import(Import::Known(set)) = module.definitions().get(id) {
        return known(set);
    }
    let words = module.get(import).operand_words();
    let name = LiteralString::at_start_of(words.get(1..)?)?.to_text_lossy();
    if Set::from_import_name(&name).is_some() {
        return Some(Remark::DebugInfo);
    }
    ExtInstSet::is_non_semantic_name(&name).then_some(Remark::Other)
}

fn known(set: ExtInstSet) -> Option<Remark> {
    match set {
        ExtInstSet::GraphDebugInfo => Some(Remark::DebugInfo),
        set if set.is_debug_info() => Some(Remark::DebugInfo),
        ExtInstSet::DebugPrintf | ExtInstSet::DebugBreak => Some(Remark::Output),
        _ => set.is_non_semantic().then_some(Remark::Other),
    }
}

/// The name of an extended instruction of a known set.
pub(crate) fn extended_name(module: &Module, inst: Inst) -> Option<&'static str> {
    let &[_, _, set, number, ..] = module.get(inst).operand_words() else {
        return None;
    };
    match module.definitions().get(Id(set)) {
        Definition::Import(Import::Known(set)) => Some(set.instruction(number)?.name()),
        _ => None,
    }
}
