//! Built-ins (specification, section 3.21, and "Built-In Variables" of the Vulkan
//! specification).
//!
//! What a built-in asks of the object that it decorates stands in [`table`]. Some
//! of it is checked where the object is defined: [`definitions`]. The rest depends
//! on the stages that use the object: [`references`] finds out which may not, and
//! looks for uses only if the module has such stages. [`entries`] looks at the
//! built-ins of an interface together, and [`mesh`] at what the interfaces of mesh
//! shaders must agree on.

mod definitions;
mod entries;
mod mesh;
mod references;
mod shading_rate;
mod shapes;
mod table;
mod trail;
mod views;
mod volatile;

use hashbrown::HashSet;
use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Decoration, Op};

use super::Family;
use crate::finding::{CheckResult, Reporter};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module, Type};
use shading_rate::Rates;
use table::Row;
use trail::{Trail, Use};
use views::{Viewports, Views};
use volatile::Loads;

pub(crate) const FAMILY: Family = Family {
    ops: &[],
    check,
    check_module: Some(check_module),
};

/// A `BuiltIn` decoration, with what it decorates.
struct Seed {
    /// The variable, the constant or the structure type.
    target: Id,
    /// The member of the structure.
    member: Option<u32>,
    built_in: BuiltIn,
    row: Option<&'static Row>,
    /// The type of the object; id 0 if there is none.
    ty: Id,
    /// Where the decoration is.
    offset: u32,
}

impl Seed {
    /// The decorated object for a message.
    fn show(&self, m: &Module<'_>) -> String {
        match self.member {
            Some(member) => format!("member {member} of {}", m.name(self.target)),
            None => m.name(self.target),
        }
    }
}

fn check(_at: &InstCtx<'_, '_>) -> CheckResult {
    Ok(())
}

fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    let mut seeds = Vec::new();
    let mut seen = HashSet::new();
    for (target, decorated) in m.all_decorated_with(Decoration::BuiltIn) {
        let built_in = BuiltIn(decorated.param(0));
        let is_new = seen.insert((target, decorated.member, built_in));
        if !is_new || matches!(m.op_of(target), Op::DecorationGroup | Op::Nop) {
            continue;
        }
        let seed = Seed {
            target,
            member: decorated.member,
            built_in,
            row: match m.env.is_vulkan() {
                true => table::row(built_in),
                false => None,
            },
            ty: object_type(m, target, decorated.member),
            offset: decorated.inst.offset(),
        };
        match definitions::check(m, &seed) {
            Ok(()) => seeds.push(seed),
            Err(finding) => reporter.add(finding),
        }
    }
    if m.env.is_vulkan() {
        views::check(m, &seeds, reporter);
    }
    if seeds.is_empty() {
        return;
    }
    entries::check(m, &seeds, reporter);
    if !m.env.is_vulkan() {
        return;
    }
    references::check(m, &seeds, reporter);
    mesh::check(m, &seeds, reporter);
    check_uses(m, &seeds, reporter);
}

/// Checks how functions use built-ins of which some rule asks that.
fn check_uses(m: &Module<'_>, seeds: &[Seed], reporter: &mut Reporter) {
    let mut viewports = Viewports::new(seeds);
    let mut views = Views::new(m);
    let mut loads = Loads::new(m);
    let mut rates = Rates::new(m);
    let is_wanted = |seed: &Seed| {
        viewports.concerns(seed)
            || Views::concerns(seed)
            || loads.concerns(seed)
            || Rates::concerns(seed)
    };
    let Some(mut trail) = Trail::new(m, seeds, is_wanted) else {
        return;
    };
    rates.check_initializers(seeds, reporter);
    for (index, function) in m.functions.iter().enumerate() {
        for inst in m.instructions(function.range.clone()) {
            trail.follow(inst, |number, how| {
                let seed = &seeds[number];
                let found = match how {
                    Use::Step(step) if Views::concerns(seed) => views.check(seed, inst, step),
                    Use::Step(_) => Ok(()),
                    Use::Pointer if Rates::concerns(seed) => rates.check(seed, inst),
                    Use::Pointer if viewports.concerns(seed) => {
                        viewports.note(seed, number, index as u32);
                        Ok(())
                    }
                    Use::Pointer => loads.check(seed, inst, function),
                };
                reporter.note(found);
            });
        }
        if reporter.is_full() {
            return;
        }
    }
    viewports.check(m, seeds, reporter);
}

/// The type of what a decoration of this id applies to.
fn object_type(m: &Module<'_>, target: Id, member: Option<u32>) -> Id {
    if let Some(member) = member {
        let members = m.members(target);
        return Id(members.get(member as usize).copied().unwrap_or(0));
    }
    let Some(def) = m.def(target) else {
        return Id(0);
    };
    let ty = def.result_type().unwrap_or(Id(0));
    match (def.op(), m.ty(ty)) {
        (Op::UntypedVariableKHR, _) => def.id(1),
        (_, Type::Pointer { pointee, .. }) => pointee,
        (op, _) if op.is_constant() => ty,
        _ => Id(0),
    }
}
