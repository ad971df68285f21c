//! Debug instructions (specification, section 3.32.2).

use spirvkit_diagnostics::counted;
use spirvkit_grammar::Op;

use super::Family;
use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::rules::generated::debug;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::Source,
        Op::SourceContinued,
        Op::SourceExtension,
        Op::String,
        Op::Name,
        Op::MemberName,
        Op::Line,
        Op::NoLine,
        Op::ModuleProcessed,
    ],
    check,
    check_module: None,
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::MemberName => member_name(at),
        Op::Line => file(at, 0),
        Op::Source if at.inst.args().len() > 2 => file(at, 2),
        _ => Ok(()),
    }
}

fn member_name(at: &InstCtx<'_, '_>) -> CheckResult {
    let (m, ty, member) = (at.m, at.id(0), at.inst.arg(1));
    let message = match m.ty(ty) {
        Type::Struct { members } if (member as usize) < members.len() => return Ok(()),
        Type::Struct { members } => format!(
            "OpMemberName names member {member} of {}, which has {}",
            m.name(ty),
            counted(members.len(), "member")
        ),
        _ => format!(
            "OpMemberName must name a member of a structure type, but {} is not one",
            m.name(ty)
        ),
    };
    let finding = at.finding(&debug::MEMBER_NAME, message);
    Err(finding.about(m, ty, "it is declared here"))
}

fn file(at: &InstCtx<'_, '_>, index: usize) -> CheckResult {
    let (m, file) = (at.m, at.id(index));
    if m.op_of(file) == Op::String {
        return Ok(());
    }
    let message = format!(
        "the file of {} must be an OpString, but is {}",
        at.inst.op(),
        m.show_value(file)
    );
    let finding = at.finding(&debug::FILE, message);
    Err(finding.about(m, file, "it is defined here"))
}
