//! What removes declarations, and what says the same in another way.

use spirvkit_binary::{Id, LiteralString};
use spirvkit_grammar::{Decoration, Op};
use spirvkit_ir::{Inst, Module};
use spirvkit_transform::{Strip, Trim, strip, trim_capabilities};

use super::{built, extensions};
use crate::pass::{Changed, Context, PassError};

/// Extensions that are there only for decorations that describe the source.
const REFLECTION: [&str; 3] = [
    "SPV_GOOGLE_hlsl_functionality1",
    "SPV_GOOGLE_user_type",
    "SPV_GOOGLE_decorate_string",
];

const FORWARD_REFERENCES: &str = "SPV_KHR_relaxed_extended_instruction";

pub(super) fn debug(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    Ok(Changed::if_any(strip(module, &Strip::DEBUG)))
}

pub(super) fn nonsemantic(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let is_import = |&inst: &Inst| module.op(inst) == Op::ExtInstImport;
    let debug_info = module.globals().filter(is_import).any(|inst| {
        let name = text(module, inst);
        name.is_some_and(|name| name.starts_with("NonSemantic.Shader.DebugInfo"))
    });
    let options = Strip::default()
        .non_semantic(true)
        .output(true)
        .reflection(true)
        .debug_info(debug_info);
    let mut count = strip(module, &options);
    let is_reflection = |&inst: &Inst| {
        module.op(inst).is_decoration()
            && module.get(inst).operand_words().iter().any(|&word| {
                matches!(
                    Decoration(word),
                    Decoration::UserSemantic
                        | Decoration::UserTypeGOOGLE
                        | Decoration::CounterBuffer
                )
            })
    };
    if !module.globals().any(|inst| is_reflection(&inst)) {
        for inst in extensions(module, |name| REFLECTION.contains(&name)) {
            count += usize::from(module.remove(inst).is_ok());
        }
    }
    Ok(Changed::if_any(count))
}

pub(super) fn capabilities(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    Ok(Changed::if_any(trim_capabilities(module, &Trim::default())))
}

/// The string that an instruction begins or goes on with behind its result.
fn text(module: &Module, inst: Inst) -> Option<String> {
    let read = module.get(inst);
    let words = &read.operand_words()[usize::from(read.result().is_some())..];
    Some(LiteralString::at_start_of(words)?.to_text_lossy())
}

/// Whether an extended instruction has no effect: only such may say that it looks ahead.
fn is_non_semantic(module: &Module, inst: Inst) -> bool {
    let set = module.operand_id(inst, 0);
    let import = set.and_then(|set| module.definition(set));
    let name = import.and_then(|import| text(module, import));
    name.is_some_and(|name| name.starts_with("NonSemantic."))
}

/// Gives extended instructions the opcode that says whether they name what is defined behind them.
pub(super) fn fix_extended(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let mut defined = module.id_table(false);
    let mut wrong = Vec::new();
    let mut is_relaxed = false;
    for inst in module.instructions() {
        if let Some(id) = module.result(inst) {
            *defined.slot(id) = true;
        }
        let op = module.op(inst);
        if !op.is_ext_inst() || !is_non_semantic(module, inst) {
            continue;
        }
        let mut looks_forward = false;
        module.each_use(inst, |_, id: Id| looks_forward |= !defined.get(id));
        let right = match looks_forward {
            true => Op::ExtInstWithForwardRefsKHR,
            false => Op::ExtInst,
        };
        is_relaxed |= looks_forward;
        if right != op {
            wrong.push((inst, right));
        }
    }
    for &(inst, op) in &wrong {
        let operands = module.get(inst).operand_words().to_vec();
        module.replace(inst, op, &operands)?;
    }
    if wrong.is_empty() {
        return Ok(Changed::No);
    }
    let declared = extensions(module, |name| name == FORWARD_REFERENCES);
    if is_relaxed && declared.is_empty() {
        built(module.edit(|b| b.extension(FORWARD_REFERENCES)))?;
    } else if !is_relaxed {
        for inst in declared {
            module.remove(inst)?;
        }
    }
    Ok(Changed::Yes)
}
