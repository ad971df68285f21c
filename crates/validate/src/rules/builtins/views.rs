//! Built-ins for several views and viewports.

use hashbrown::HashSet;
use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Decoration, Op};

use super::Seed;
use super::table::{GEOMETRY, TESS_EVALUATION, VERTEX};
use crate::finding::{CheckResult, Finding, Reporter, all, expect};
use crate::module::{EntryPoint, Inst, Lookup, Models, Module, Type};
use crate::rules::generated::builtin;

/// The stages that write a layer relative to a viewport.
const RELATIVE: Models = VERTEX.or(TESS_EVALUATION).or(GEOMETRY);

pub(super) fn check(m: &Module<'_>, seeds: &[Seed], reporter: &mut Reporter) {
    let has = |built_in: BuiltIn| seeds.iter().any(|seed| seed.built_in == built_in);
    for (target, decorated) in m
        .all_decorated_with(Decoration::ViewportRelativeNV)
        .take(MANY)
    {
        let offset = decorated.inst.offset();
        let is_layer = seeds.iter().any(|seed| {
            let is_it = (seed.target, seed.member) == (target, decorated.member);
            is_it && seed.built_in == BuiltIn::Layer
        });
        reporter.note(check_relative(m, seeds, target, is_layer, offset));
    }
    if has(BuiltIn::ViewportMaskNV) && has(BuiltIn::ViewportIndex) {
        let masks = used(m, seeds, BuiltIn::ViewportMaskNV);
        let indices = used(m, seeds, BuiltIn::ViewportIndex);
        for entry in &m.entry_points {
            reporter.note(check_viewports(m, &masks, &indices, entry));
        }
    }
    let per_view = [BuiltIn::PositionPerViewNV, BuiltIn::ViewportMaskPerViewNV];
    let views = seeds
        .iter()
        .filter(|seed| per_view.contains(&seed.built_in));
    for seed in views.take(MANY) {
        reporter.note(check_views(m, seed));
    }
}

/// No module has as many that isn't wrong anyway, and to look at each takes its time.
const MANY: usize = 8;

/// The variables with a built-in that functions use.
fn used(m: &Module<'_>, seeds: &[Seed], built_in: BuiltIn) -> HashSet<u32> {
    let own = seeds
        .iter()
        .filter(|seed| seed.built_in == built_in && seed.member.is_none());
    let is_used = |seed: &&Seed| {
        let mut uses = m.uses(seed.target).iter();
        uses.any(|&offset| m.function_at(offset).is_some())
    };
    own.filter(is_used).map(|seed| seed.target.0).collect()
}

/// The variables that are a built-in, or blocks with it.
fn holders<'s>(
    m: &'s Module<'_>,
    seeds: &'s [Seed],
    built_in: BuiltIn,
) -> impl Fn(Id) -> bool + 's {
    let targets: HashSet<Id> = seeds
        .iter()
        .filter(|seed| seed.built_in == built_in)
        .map(|seed| seed.target)
        .collect();
    move |variable: Id| {
        let pointee = m.type_of(variable).and_then(|ty| m.pointee(ty));
        targets.contains(&variable)
            || pointee.is_some_and(|ty| targets.contains(&m.without_arrays(ty)))
    }
}

/// Checks what is decorated with `ViewportRelativeNV`.
fn check_relative(
    m: &Module<'_>,
    seeds: &[Seed],
    target: Id,
    is_layer: bool,
    offset: u32,
) -> CheckResult {
    let rule = &builtin::VIEWPORT_RELATIVE;
    if !is_layer {
        let message = format!(
            "{} is decorated with `ViewportRelativeNV`, but is no `Layer`",
            m.name(target)
        );
        let finding = Finding::new(rule, offset, message).vuid(rule.vuids[0]);
        return Err(finding.warning());
    }
    let layers = |variable: Id| {
        let pointee = m.type_of(variable).and_then(|ty| m.pointee(ty));
        variable == target || pointee.is_some_and(|ty| m.without_arrays(ty) == target)
    };
    let of_index = holders(m, seeds, BuiltIn::ViewportIndex);
    let of_mask = holders(m, seeds, BuiltIn::ViewportMaskNV);
    let mut entries = m.entry_points.iter();
    let wrong = entries.find_map(|entry| {
        let mut listed = entry.interface.iter().map(|&id| Id(id));
        if !listed.any(layers) {
            return None;
        }
        if !RELATIVE.contains(entry.model) {
            return Some((entry, 0, "this stage writes no layer of a viewport"));
        }
        let mut listed = entry.interface.iter().map(|&id| Id(id));
        let has_viewport = listed.any(|id| of_index(id) || of_mask(id));
        let lack = "the entry point has neither `ViewportIndex` nor `ViewportMaskNV`";
        (!has_viewport).then_some((entry, 1, lack))
    });
    let Some((entry, which, because)) = wrong else {
        return Ok(());
    };
    let message = format!(
        "{} can't be decorated with `ViewportRelativeNV` in \"{}\": {because}",
        m.name(target),
        entry.name()
    );
    let finding = Finding::new(rule, offset, message)
        .vuid(rule.vuids[which])
        .warning();
    Err(finding.at(entry.inst.offset(), "the entry point is declared here"))
}

/// Checks that an entry point doesn't use both ways to choose viewports.
fn check_viewports(
    m: &Module<'_>,
    masks: &HashSet<u32>,
    indices: &HashSet<u32>,
    entry: &EntryPoint<'_>,
) -> CheckResult {
    let listed = |among: &HashSet<u32>| {
        let mut listed = entry.interface.iter();
        listed.find(|id| among.contains(*id)).map(|&id| Id(id))
    };
    let Some((mask, index)) = listed(masks).zip(listed(indices)) else {
        return Ok(());
    };
    let message = format!(
        "entry point \"{}\" uses both `ViewportMaskNV` and `ViewportIndex`",
        entry.name()
    );
    let finding = Finding::new(&builtin::VIEWPORT_MASK, entry.inst.offset(), message).warning();
    let finding = finding.about(m, mask, "the mask is declared here");
    Err(finding.about(m, index, "the index is declared here"))
}

/// Checks the length of an array with an element for each view, and that views are chosen by
/// constants.
fn check_views(m: &Module<'_>, seed: &Seed) -> CheckResult {
    let is_mask = seed.built_in == BuiltIn::ViewportMaskPerViewNV;
    let mut views = seed.ty;
    while let Type::Array { element, .. } = m.ty(views)
        && matches!(m.ty(element), Type::Array { .. })
    {
        views = element;
    }
    let length = m
        .array_length(views)
        .filter(|&length| is_mask && length > 32);
    let length = expect(length.is_none(), || {
        let message = format!(
            "`ViewportMaskPerViewNV` has at most 32 elements, but {} has {}",
            seed.show(m),
            length.unwrap_or(0)
        );
        let rule = &builtin::VIEW_COUNT;
        Finding::new(rule, m.def_offset(seed.target), message)
            .at(seed.offset, "the built-in is given here")
    });
    let chains = m.instructions(m.functions_start..m.words.len() as u32);
    let chains =
        chains.filter(|inst| matches!(inst.op(), Op::AccessChain | Op::InBoundsAccessChain));
    let wrong = chains.filter_map(|inst| Some((inst, view_index(m, seed, views, inst)?)));
    let wrong = wrong
        .filter(|(_, index)| !m.is_constant(*index))
        .map(|(inst, index)| {
            let message = format!(
                "`{}` is indexed by {}, but only constants choose a view",
                seed.built_in,
                m.name(index)
            );
            let rule = &builtin::VIEW_INDEX;
            let finding = Finding::new(rule, inst.offset(), message);
            let finding = finding.vuid(rule.vuids[usize::from(is_mask)]).warning();
            Err(finding.about(m, index, "the index is defined here"))
        });
    all([length, all(wrong.take(1))])
}

/// The index by which an access chain chooses a view of a built-in, if it does.
fn view_index(m: &Module<'_>, seed: &Seed, views: Id, chain: Inst<'_>) -> Option<Id> {
    let mut ty = m.pointee(m.type_of(chain.id(0))?)?;
    let mut is_built_in = chain.id(0) == seed.target;
    for &index in chain.args().get(1..)? {
        if is_built_in && ty == views {
            return Some(Id(index));
        }
        ty = match m.ty(ty) {
            Type::Struct { members } => {
                let number = u32::try_from(m.constant_u64(Id(index))?).ok()?;
                is_built_in |= (ty, Some(number)) == (seed.target, seed.member);
                Id(*members.get(number as usize)?)
            }
            Type::Array { element, .. } | Type::RuntimeArray { element } => element,
            _ => return None,
        };
    }
    None
}
