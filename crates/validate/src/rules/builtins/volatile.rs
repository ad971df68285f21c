//! Built-ins whose value may change while a ray tracing shader runs, because it may continue
//! elsewhere.

use hashbrown::HashSet;
use spirvkit_grammar::{Capability, Decoration, MemoryAccess, Op};

use super::Seed;
use crate::finding::{Finding, Reporter};
use crate::module::{Inst, Models, Module};
use crate::rules::generated::builtin;

/// Checks that such built-ins are read again each time.
pub(super) fn check(m: &Module<'_>, seeds: &[Seed], reporter: &mut Reporter) {
    let by_loads = m.has(Capability::VulkanMemoryModel);
    let mut seen = HashSet::new();
    for seed in seeds.iter().filter(|seed| seed.member.is_none()) {
        let models = Models::of(seed.built_in.changing_models());
        let is_volatile = m
            .own_decorations(seed.target)
            .any(|it| it.decoration == Decoration::Volatile);
        if models.is_empty() || !by_loads && is_volatile || !seen.insert(seed.target) {
            continue;
        }
        let loads = m
            .uses(seed.target)
            .iter()
            .filter_map(|&offset| m.inst(offset));
        let wrong = loads.filter(|inst| is_in(m, inst, models)).find(|inst| {
            inst.op() == Op::Load && inst.id(0) == seed.target && !(by_loads && has_volatile(inst))
        });
        if let Some(inst) = wrong {
            reporter.add(finding(m, seed, inst, by_loads));
        }
    }
}

/// Whether an instruction is in a function that one of these models reaches.
fn is_in(m: &Module<'_>, inst: &Inst<'_>, models: Models) -> bool {
    let function = m.function_at(inst.offset());
    let function = function.and_then(|index| m.functions.get(index as usize));
    function.is_some_and(|function| !function.models.and(models).is_empty())
}

fn has_volatile(load: &Inst<'_>) -> bool {
    let operands = load.optional(1).unwrap_or(0);
    operands & MemoryAccess::Volatile.0 != 0
}

fn finding(m: &Module<'_>, seed: &Seed, load: Inst<'_>, by_loads: bool) -> Finding {
    let rule = &builtin::VOLATILE;
    let name = m.name(seed.target);
    let message = match by_loads {
        true => format!(
            "`{}` may change in this stage, so this load of {name} must be `Volatile`",
            seed.built_in
        ),
        false => format!(
            "`{}` may change in this stage, so {name} must be decorated with `Volatile`",
            seed.built_in
        ),
    };
    Finding::new(rule, load.offset(), message)
        .vuid(rule.vuids[usize::from(by_loads)])
        .warning()
        .about(m, seed.target, "the built-in is declared here")
}
