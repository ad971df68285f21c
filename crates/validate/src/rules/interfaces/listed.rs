//! The variables that entry points list.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Decoration, ExecutionModel, Op, StorageClass, Version};

use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::module::{Contents, EntryPoint, Inst, Lookup, Module};
use crate::pattern::{FLOAT, INT, Pattern};
use crate::rule::Rule;
use crate::rules::generated::interface;

/// A variable of an interface.
#[derive(Clone, Copy)]
pub(crate) struct Listed<'a> {
    pub(crate) id: Id,
    pub(crate) inst: Inst<'a>,
    pub(crate) class: StorageClass,
    /// What it holds, if that is known.
    pub(crate) ty: Option<Id>,
}

/// An id as a variable.
pub(crate) fn variable<'a>(m: &Module<'a>, id: Id) -> Option<Listed<'a>> {
    let inst = m.def(id).filter(|inst| inst.op().is_variable())?;
    Some(Listed {
        id,
        inst,
        class: StorageClass(inst.arg(0)),
        ty: match inst.op() {
            Op::UntypedVariableKHR => inst.optional(1).map(Id),
            _ => inst.result_type().and_then(|ty| m.pointee(ty)),
        },
    })
}

/// The variables that an entry point lists; what is none is left out.
pub(crate) fn variables<'m, 'a>(
    m: &'m Module<'a>,
    entry: &EntryPoint<'a>,
) -> impl Iterator<Item = Listed<'a>> + use<'m, 'a> {
    let ids = entry.interface.iter();
    ids.filter_map(move |&id| variable(m, Id(id)))
}

/// Checks the list of an entry point.
pub(super) fn check(m: &Module<'_>, entry: &EntryPoint<'_>) -> CheckResult {
    let offset = entry.inst.offset();
    let is_new = m.version >= Version::new(1, 4);
    let listed = all(entry.interface.iter().map(|&id| {
        let id = Id(id);
        let Some(listed) = variable(m, id) else {
            if m.def_offset(id) == 0 {
                return Ok(());
            }
            let message = format!(
                "entry point \"{}\" lists {}, which is not a variable",
                entry.name(),
                m.show_value(id)
            );
            return Err(Finding::new(&interface::VARIABLE, offset, message).about(
                m,
                id,
                "it is defined here",
            ));
        };
        let class = listed.class;
        let is_fine = match is_new {
            true => class != StorageClass::Function,
            false => matches!(class, StorageClass::Input | StorageClass::Output),
        };
        if !is_fine {
            let wanted = match is_new {
                true => "an interface can list only variables outside of functions",
                false => "before SPIR-V 1.4, an interface can list only input and output variables",
            };
            let message = format!("{wanted}, but {} is in `{class}`", m.name(id));
            return Err(
                Finding::new(&interface::STORAGE_CLASS, offset, message).about(
                    m,
                    id,
                    "the variable is declared here",
                ),
            );
        }
        Ok(())
    }));
    all([listed, check_repeated(m, entry, is_new)])
}

/// Checks that no variable is listed twice.
fn check_repeated(m: &Module<'_>, entry: &EntryPoint<'_>, is_new: bool) -> CheckResult {
    if !is_new || entry.interface.len() < 2 {
        return Ok(());
    }
    let mut sorted = entry.interface.to_vec();
    sorted.sort_unstable();
    let groups = sorted.chunk_by(|a, b| a == b);
    all(groups.filter(|group| group.len() > 1).map(|group| {
        let id = Id(group[0]);
        let message = format!(
            "entry point \"{}\" lists {} twice",
            entry.name(),
            m.name(id)
        );
        let finding = Finding::new(&interface::REPEATED, entry.inst.offset(), message);
        Err(finding.about(m, id, "this variable"))
    }))
}

/// Checks what Vulkan asks of the variables that an entry point lists.
pub(super) fn check_vulkan(m: &Module<'_>, entry: &EntryPoint<'_>) -> CheckResult {
    let each = all(variables(m, entry).map(|listed| {
        match matches!(listed.class, StorageClass::Input | StorageClass::Output) {
            true => all([
                check_stage_variable(m, entry, &listed),
                super::arrays::check(m, entry, &listed),
            ]),
            false => Ok(()),
        }
    }));
    all([each, check_push_constants(m, entry)])
}

/// Checks that at most one listed variable is a push constant block.
fn check_push_constants(m: &Module<'_>, entry: &EntryPoint<'_>) -> CheckResult {
    if m.has(Capability::PushConstantBanksNV) {
        return Ok(());
    }
    let mut blocks = variables(m, entry).filter(|it| it.class == StorageClass::PushConstant);
    let Some(one) = blocks.next() else {
        return Ok(());
    };
    let Some(other) = blocks.find(|other| other.id != one.id) else {
        return Ok(());
    };
    let message = format!(
        "entry point \"{}\" lists two push constant blocks, {} and {}",
        entry.name(),
        m.name(one.id),
        m.name(other.id)
    );
    let rule = &interface::VULKAN_PUSH_CONSTANTS;
    let finding = Finding::new(rule, entry.inst.offset(), message).vuid(rule.vuids[1]);
    let finding = finding.about(m, one.id, "one is declared here");
    Err(finding.about(m, other.id, "the other is declared here"))
}

/// What is not interpolated between vertices.
const NOT_INTERPOLATED: Pattern = Pattern::either(&[INT.scalar_or_vector(), FLOAT.widths(&[64])]);

fn check_stage_variable(
    m: &Module<'_>,
    entry: &EntryPoint<'_>,
    listed: &Listed<'_>,
) -> CheckResult {
    let offset = entry.inst.offset();
    let is_input = listed.class == StorageClass::Input;
    let mut interpolation = None;
    let mut is_flat = false;
    for decorated in m.own_decorations(listed.id) {
        match decorated.decoration {
            Decoration::Flat => {
                is_flat = true;
                interpolation = interpolation.or(Some(decorated));
            }
            Decoration::NoPerspective | Decoration::Sample | Decoration::Centroid => {
                interpolation = interpolation.or(Some(decorated));
            }
            _ => {}
        }
    }
    let vuid = match entry.model {
        ExecutionModel::Fragment if !is_input => Some(interface::VULKAN_INTERPOLATION.vuids[0]),
        ExecutionModel::Vertex if is_input => Some(interface::VULKAN_INTERPOLATION.vuids[1]),
        _ => None,
    };
    if let (Some(vuid), Some(found)) = (vuid, interpolation) {
        let message = format!(
            "{} is not interpolated, so it can't be decorated with `{}`",
            m.name(listed.id),
            found.decoration
        );
        let finding = Finding::new(
            &interface::VULKAN_INTERPOLATION,
            listed.inst.offset(),
            message,
        )
        .vuid(vuid);
        return Err(finding.at(found.inst.offset(), "it is decorated here"));
    }
    let needs_flat = is_input
        && entry.model == ExecutionModel::Fragment
        && !is_flat
        && listed.ty.is_some_and(|ty| NOT_INTERPOLATED.matches(m, ty));
    if needs_flat {
        let message = format!(
            "{} can't be interpolated, so it must be decorated with `Flat`",
            m.name(listed.id)
        );
        return Err(
            Finding::new(&interface::VULKAN_FLAT, listed.inst.offset(), message)
                .at(offset, "it is an input of this fragment shader"),
        );
    }
    Ok(())
}

/// What inputs and outputs can't hold.
struct Unfit {
    contents: u32,
    what: &'static str,
    rule: &'static Rule,
    /// The place in the rule's list of the VUID that says so.
    vuid: usize,
}

/// The first of them that a variable holds is told.
static UNFIT: [Unfit; 4] = [
    Unfit {
        contents: Contents::ADDRESS,
        what: "a physical pointer",
        rule: &interface::VULKAN_ADDRESS,
        vuid: 0,
    },
    Unfit {
        contents: Contents::SMALL_ENCODED_FLOAT,
        what: "a float of 8 bits or less",
        rule: &interface::VULKAN_SMALL_FLOAT,
        vuid: 0,
    },
    Unfit {
        contents: Contents::BFLOAT16,
        what: "a bfloat16",
        rule: &interface::VULKAN_SMALL_FLOAT,
        vuid: 1,
    },
    Unfit {
        contents: Contents::INT8,
        what: "an 8-bit integer",
        rule: &interface::VULKAN_SMALL_INTEGER,
        vuid: 0,
    },
];

/// Checks input and output, listed or not.
pub(super) fn check_variables(m: &Module<'_>, reporter: &mut Reporter) {
    if !m.env.is_vulkan() {
        return;
    }
    let locals = m.locals.iter().filter_map(|&offset| m.inst(offset));
    for local in locals.filter_map(|inst| variable(m, inst.result()?)) {
        reporter.note(check_invariant(m, &local));
    }
    let globals = m.globals.iter().filter_map(|&offset| m.inst(offset));
    for inst in globals {
        let Some(listed) = inst.result().and_then(|id| variable(m, id)) else {
            continue;
        };
        let is_stage = matches!(listed.class, StorageClass::Input | StorageClass::Output);
        if !is_stage {
            reporter.note(check_invariant(m, &listed));
        }
        let Some(ty) = listed.ty.filter(|_| is_stage) else {
            continue;
        };
        let contents = m.contents(ty);
        let unfit = UNFIT.iter().find(|unfit| contents.has(unfit.contents));
        let Some(Unfit {
            what, rule, vuid, ..
        }) = unfit
        else {
            continue;
        };
        let message = format!(
            "{} is in `{}`, so it can't hold {what}",
            m.name(listed.id),
            listed.class
        );
        let finding = Finding::new(rule, inst.offset(), message).vuid(rule.vuids[*vuid]);
        // Compilers let 8-bit integers pass.
        reporter.add(
            match std::ptr::eq(*rule, &interface::VULKAN_SMALL_INTEGER) {
                true => finding.warning(),
                false => finding,
            },
        );
    }
}

/// Checks that nothing of a variable that is neither input nor output is
/// invariant.
fn check_invariant(m: &Module<'_>, listed: &Listed<'_>) -> CheckResult {
    let is_invariant = |decoration: Decoration| decoration == Decoration::Invariant;
    let mut own = m.own_decorations(listed.id);
    let found = own.find(|decorated| is_invariant(decorated.decoration));
    let found = found.or_else(|| {
        let ty = listed
            .ty
            .filter(|&ty| m.structure_facts(ty).has_invariants)?;
        let mut members = m.decorations(ty);
        members.find(|decorated| is_invariant(decorated.decoration))
    });
    let Some(found) = found else {
        return Ok(());
    };
    let message = format!(
        "{} is in `{}`, but only inputs and outputs can be `Invariant`",
        m.name(listed.id),
        listed.class
    );
    Err(
        Finding::new(&interface::VULKAN_INVARIANT, listed.inst.offset(), message)
            .at(found.inst.offset(), "it is decorated here"),
    )
}
