//! Built-ins whose value may change while a ray tracing shader runs, because it may continue
//! elsewhere.

use hashbrown::HashSet;
use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Decoration, MemoryAccess, Op};

use super::Seed;
use crate::finding::{CheckResult, Finding};
use crate::module::{Function, Inst, Models, Module};
use crate::rules::generated::builtin;

/// Checks that such built-ins are read again each time.
pub(super) struct Loads<'m, 'a> {
    m: &'m Module<'a>,
    /// The models of the module's entry points.
    models: Models,
    /// Whether loads say so, and not the variables.
    by_loads: bool,
    volatile: HashSet<(Id, Option<u32>)>,
    told: HashSet<(Id, Option<u32>)>,
}

impl<'m, 'a> Loads<'m, 'a> {
    pub(super) fn new(m: &'m Module<'a>) -> Self {
        let entries = m.entry_points.iter().map(|entry| Models::one(entry.model));
        let models = entries.fold(Models::default(), Models::or);
        let volatile = match models.and(Models::RAY_TRACING).is_empty() {
            true => HashSet::new(),
            false => m
                .all_decorated_with(Decoration::Volatile)
                .map(|(id, it)| (id, it.member))
                .collect(),
        };
        Self {
            m,
            models,
            by_loads: m.has(Capability::VulkanMemoryModel),
            volatile,
            told: HashSet::new(),
        }
    }

    /// Whether uses of a built-in are to be looked at.
    pub(super) fn concerns(&self, seed: &Seed) -> bool {
        let may_change = !changes_in(seed).and(self.models).is_empty();
        may_change && (self.by_loads || !self.volatile.contains(&(seed.target, seed.member)))
    }

    /// Checks an instruction that uses a built-in. The first wrong one is told of each.
    pub(super) fn check(
        &mut self,
        seed: &Seed,
        inst: Inst<'a>,
        function: &Function,
    ) -> CheckResult {
        let may_change = !changes_in(seed).and(function.models).is_empty();
        if inst.op() != Op::Load || !may_change {
            return Ok(());
        }
        let variable = self.m.pointer_origin(inst.id(0));
        let is_volatile = match self.by_loads {
            true => has_volatile(inst),
            // A block as a whole may be.
            false => self.volatile.contains(&(variable, None)),
        };
        if is_volatile || !self.told.insert((seed.target, seed.member)) {
            return Ok(());
        }
        Err(finding(self.m, seed, inst, self.by_loads))
    }
}

/// The stages in which a built-in may change.
fn changes_in(seed: &Seed) -> Models {
    Models::of(seed.built_in.changing_models())
}

fn has_volatile(load: Inst<'_>) -> bool {
    let operands = load.optional(1).unwrap_or(0);
    operands & MemoryAccess::Volatile.0 != 0
}

fn finding(m: &Module<'_>, seed: &Seed, load: Inst<'_>, by_loads: bool) -> Finding {
    let rule = &builtin::VOLATILE;
    let name = seed.show(m);
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
