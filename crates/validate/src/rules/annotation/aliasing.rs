//! Which memory accesses don't alias (`SPV_INTEL_memory_access_aliasing`): domains,
//! scopes in them, lists of these, and what names lists.

use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, Op};

use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Decorated, Lookup};
use crate::rules::generated::annotation;

/// Checks that an id is what one of these instructions makes.
fn expect(at: &InstCtx<'_, '_>, id: Id, op: Op) -> CheckResult {
    let m = at.m;
    let found = m.op_of(id);
    // That nothing defines it is reported elsewhere.
    if found == op || found == Op::Nop {
        return Ok(());
    }
    let message = format!(
        "{} needs the result of an {op}, but {} is that of an {found}",
        at.inst.op(),
        m.name(id)
    );
    let finding = at.finding(&annotation::ALIAS_SCOPES, message);
    Err(finding.about(m, id, "it is defined here"))
}

/// Checks `OpAliasScopeDeclINTEL` and `OpAliasScopeListDeclINTEL`.
pub(super) fn check_declaration(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::AliasScopeDeclINTEL => expect(at, at.id(0), Op::AliasDomainDeclINTEL),
        Op::AliasScopeListDeclINTEL => {
            let scopes = at.inst.args().iter().map(|&scope| Id(scope));
            all(scopes.map(|scope| expect(at, scope, Op::AliasScopeDeclINTEL)))
        }
        _ => Ok(()),
    }
}

/// Checks what a decoration about aliases names.
pub(super) fn check_decoration(at: &InstCtx<'_, '_>, decorated: &Decorated<'_>) -> CheckResult {
    match decorated.decoration {
        Decoration::AliasScopeINTEL | Decoration::NoAliasINTEL => {
            check_list(at, Id(decorated.param(0)))
        }
        _ => Ok(()),
    }
}

/// Checks what names a list of scopes.
pub(in crate::rules) fn check_list(at: &InstCtx<'_, '_>, list: Id) -> CheckResult {
    expect(at, list, Op::AliasScopeListDeclINTEL)
}
