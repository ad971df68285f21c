//! Built-ins for several views and viewports.

use hashbrown::{HashMap, HashSet};
use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Capability, Decoration};

use super::Seed;
use super::table::{GEOMETRY, TESS_EVALUATION, VERTEX};
use crate::finding::{CheckResult, Finding, Reporter, expect};
use crate::module::{EntryPoint, Inst, Lookup, Models, Module, Reach, Step, Type};
use crate::rules::generated::builtin;

/// The stages that write a layer relative to a viewport.
const RELATIVE: Models = VERTEX.or(TESS_EVALUATION).or(GEOMETRY);

pub(super) fn check(m: &Module<'_>, seeds: &[Seed], reporter: &mut Reporter) {
    // The decoration needs it.
    let relative = m.has(Capability::ShaderViewportMaskNV);
    let relative = relative.then(|| m.all_decorated_with(Decoration::ViewportRelativeNV));
    for (target, decorated) in relative.into_iter().flatten().take(MANY) {
        let offset = decorated.inst.offset();
        let is_layer = seeds.iter().any(|seed| {
            let is_it = (seed.target, seed.member) == (target, decorated.member);
            is_it && seed.built_in == BuiltIn::Layer
        });
        reporter.note(check_relative(m, seeds, target, is_layer, offset));
    }
    let masks = seeds.iter();
    let masks = masks.filter(|seed| seed.built_in == BuiltIn::ViewportMaskPerViewNV);
    for seed in masks {
        reporter.note(check_length(m, seed));
    }
}

/// No module has as many that isn't wrong anyway, and to look at each takes its time.
const MANY: usize = 8;

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

/// Finds out which functions use which way to choose viewports, of which an entry point uses only
/// one.
pub(super) struct Viewports {
    is_concerned: bool,
    /// The first seed of either that a function uses, by function.
    masks: HashMap<u32, usize>,
    indices: HashMap<u32, usize>,
}

impl Viewports {
    pub(super) fn new(seeds: &[Seed]) -> Self {
        let has = |built_in: BuiltIn| seeds.iter().any(|seed| seed.built_in == built_in);
        Self {
            is_concerned: has(BuiltIn::ViewportMaskNV) && has(BuiltIn::ViewportIndex),
            masks: HashMap::new(),
            indices: HashMap::new(),
        }
    }

    /// Whether uses of a built-in are to be looked at.
    pub(super) fn concerns(&self, seed: &Seed) -> bool {
        let chooses = [BuiltIn::ViewportMaskNV, BuiltIn::ViewportIndex];
        self.is_concerned && chooses.contains(&seed.built_in)
    }

    /// Notes that a function uses a seed, which has this number.
    pub(super) fn note(&mut self, seed: &Seed, number: usize, function: u32) {
        if self.is_concerned {
            match seed.built_in {
                BuiltIn::ViewportMaskNV => self.masks.entry(function).or_insert(number),
                BuiltIn::ViewportIndex => self.indices.entry(function).or_insert(number),
                _ => return,
            };
        }
    }

    /// Checks that no entry point uses both ways.
    pub(super) fn check(&self, m: &Module<'_>, seeds: &[Seed], reporter: &mut Reporter) {
        if self.masks.is_empty() || self.indices.is_empty() {
            return;
        }
        let mut reach = Reach::new(m);
        for entries in m.entry_points.chunks(Reach::AT_ONCE) {
            reach.follow(m, entries);
            let used = |by: &HashMap<u32, usize>| {
                let reached = by.keys().map(|&function| reach.of(function));
                reached.fold(0, |all, entries| all | entries)
            };
            let both = used(&self.masks) & used(&self.indices);
            let wrong = entries.iter().enumerate();
            let wrong = wrong.filter(|(index, _)| both >> index & 1 != 0);
            for (index, entry) in wrong.take(MANY) {
                let seed = |by: &HashMap<u32, usize>| {
                    let reached = by.iter().filter(|it| reach.of(*it.0) >> index & 1 != 0);
                    reached.min().and_then(|(_, &number)| seeds.get(number))
                };
                if let Some((mask, index)) = seed(&self.masks).zip(seed(&self.indices)) {
                    reporter.add(both_finding(m, entry, mask, index));
                }
            }
            if both != 0 {
                return;
            }
        }
    }
}

fn both_finding(m: &Module<'_>, entry: &EntryPoint<'_>, mask: &Seed, index: &Seed) -> Finding {
    let message = format!(
        "entry point \"{}\" uses both `ViewportMaskNV` and `ViewportIndex`",
        entry.name()
    );
    let finding = Finding::new(&builtin::VIEWPORT_MASK, entry.inst.offset(), message).warning();
    let finding = finding.about(m, mask.target, "the mask is declared here");
    finding.about(m, index.target, "the index is declared here")
}

/// Checks arrays with an element for each view.
pub(super) struct Views<'m, 'a> {
    m: &'m Module<'a>,
    told: HashSet<(Id, Option<u32>)>,
}

impl<'m, 'a> Views<'m, 'a> {
    pub(super) fn new(m: &'m Module<'a>) -> Self {
        Self {
            m,
            told: HashSet::new(),
        }
    }

    /// Whether uses of a built-in are to be looked at.
    pub(super) fn concerns(seed: &Seed) -> bool {
        matches!(
            seed.built_in,
            BuiltIn::PositionPerViewNV | BuiltIn::ViewportMaskPerViewNV
        )
    }

    /// Checks a step into such an array: constants choose a view. The first other index is told of
    /// each built-in.
    pub(super) fn check(&mut self, seed: &Seed, chain: Inst<'a>, step: Step) -> CheckResult {
        let m = self.m;
        let is_constant = m.is_constant(step.index) || step.ty != views(m, seed.ty);
        if is_constant || !self.told.insert((seed.target, seed.member)) {
            return Ok(());
        }
        let message = format!(
            "`{}` is indexed by {}, but only constants choose a view",
            seed.built_in,
            m.name(step.index)
        );
        let rule = &builtin::VIEW_INDEX;
        let is_mask = seed.built_in == BuiltIn::ViewportMaskPerViewNV;
        let finding = Finding::new(rule, chain.offset(), message);
        let finding = finding.vuid(rule.vuids[usize::from(is_mask)]).warning();
        Err(finding.about(m, step.index, "the index is defined here"))
    }
}

/// The innermost array of a type.
fn views(m: &Module<'_>, ty: Id) -> Id {
    let mut views = ty;
    let mut depth = 0;
    while let Type::Array { element, .. } = m.ty(views)
        && matches!(m.ty(element), Type::Array { .. })
        && depth < MANY
    {
        views = element;
        depth += 1;
    }
    views
}

/// Checks the length of an array with an element for each view.
fn check_length(m: &Module<'_>, seed: &Seed) -> CheckResult {
    let length = m.array_length(views(m, seed.ty));
    let length = length.filter(|&length| length > 32);
    expect(length.is_none(), || {
        let message = format!(
            "`ViewportMaskPerViewNV` has at most 32 elements, but {} has {}",
            seed.show(m),
            length.unwrap_or(0)
        );
        let rule = &builtin::VIEW_COUNT;
        Finding::new(rule, m.def_offset(seed.target), message)
            .at(seed.offset, "the built-in is given here")
    })
}
