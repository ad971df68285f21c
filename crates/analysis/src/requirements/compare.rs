//! What is needed against what is declared.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use spirvkit_grammar::{
    Capability, Category, Enumeration, ExtInstSet, InstructionInfo, Op, OperandInfo, OperandKind,
    Version,
};

use super::{Declared, Need, Requirements, tables};
use crate::Capabilities;

/// The versions of the language that the tables know.
const VERSIONS: [Version; 7] = [
    Version::V1_0,
    Version::V1_1,
    Version::V1_2,
    Version::V1_3,
    Version::V1_4,
    Version::V1_5,
    Version::V1_6,
];

impl Requirements {
    /// The needs that what is declared doesn't meet, in the order of first use.
    pub fn missing<'r>(&'r self, declared: &'r Declared) -> impl Iterator<Item = &'r Need> {
        let capabilities = declared.all_capabilities();
        let has_extension = |name: &str| declared.has_extension(name);
        self.needs.iter().filter(move |need| {
            !need.is_enabled(&capabilities, has_extension)
                || !need.is_released(declared.version, has_extension)
        })
    }

    /// The declared capabilities that can all be left out, in the order of their
    /// declarations: what is needed stays enabled by the others. Where two would
    /// do, the one that is declared first stays.
    ///
    /// A capability stays if what it allows can't be seen in a module, or if this
    /// crate doesn't know how.
    pub fn unneeded(&self, declared: &Declared) -> Vec<Capability> {
        // Of what the grammar doesn't know nothing can be said, and it enables
        // nothing.
        let is_known = |capability: &Capability| capability.info().is_some();
        let conditional = declared.conditional.iter().copied().filter(is_known);
        let conditional: BTreeSet<Capability> = conditional.collect();
        let mut seen = BTreeSet::new();
        let mut kept = declared.capabilities.clone();
        kept.retain(|capability| is_known(capability) && seen.insert(*capability));

        let visible = visible();
        let is_held = |capability: &Capability| {
            self.held.contains(capability)
                || tables::ALWAYS_HELD.contains(capability)
                || !visible.contains(capability) && !tables::is_recognized(*capability)
        };
        let before: Capabilities = kept.iter().chain(&conditional).copied().collect();
        let held: Vec<Capability> = before.iter().filter(is_held).collect();
        // What an extension frees, or what is missing anyway, keeps nothing.
        let has_extension = |name: &str| declared.has_extension(name);
        let none = Capabilities::default();
        let rests_on_capabilities = |need: &&Need| {
            need.is_enabled(&before, |_| false) && !need.is_enabled(&none, has_extension)
        };
        let needs: Vec<&Need> = self.needs.iter().filter(rests_on_capabilities).collect();

        let mut unneeded = Vec::new();
        for index in (0..kept.len()).rev() {
            let candidate = kept.remove(index);
            let rest: Capabilities = kept.iter().chain(&conditional).copied().collect();
            let suffices = held.iter().all(|&each| rest.contains(each))
                && needs.iter().all(|need| need.is_enabled(&rest, |_| false));
            match suffices {
                true => unneeded.push(candidate),
                false => kept.insert(index, candidate),
            }
        }
        unneeded.reverse();
        unneeded
    }

    /// The least version of the language that has all that the module uses, if it
    /// may declare these extensions; `None` if no version has.
    pub fn least_version(&self, extensions: &[&str]) -> Option<Version> {
        VERSIONS.into_iter().find(|&version| {
            let mut needs = self.needs.iter();
            needs.all(|need| need.is_released(version, |name| extensions.contains(&name)))
        })
    }
}

/// The capabilities whose use can be seen in a module by the tables alone: those
/// that enable an instruction, or an enumerant of an enumeration that stands in
/// instructions as a literal. (Others, such as memory semantics, are the values of
/// constants.)
fn visible() -> BTreeSet<Capability> {
    let core = Op::all().iter();
    let extended = ExtInstSet::all().flat_map(ExtInstSet::instructions);
    let mut visible = BTreeSet::new();
    let mut kinds = BTreeSet::new();
    let mut note = |operands: &[OperandInfo], todo: &mut Vec<OperandKind>| {
        for kind in operands.iter().map(OperandInfo::kind) {
            let parts = kind.bases().iter().copied();
            let literals = parts
                .chain([kind])
                .filter(|kind| matches!(kind.category(), Category::ValueEnum | Category::BitEnum));
            todo.extend(literals.filter(|&kind| kinds.insert(kind)));
        }
    };
    let mut todo = Vec::new();
    for info in core.chain(extended) {
        visible.extend(InstructionInfo::availability(info).capabilities());
        note(info.operands(), &mut todo);
    }
    while let Some(kind) = todo.pop() {
        for enumerant in kind.enumerants() {
            // What a capability implies is no use of that.
            if kind != OperandKind::Capability {
                visible.extend(enumerant.availability().capabilities());
            }
            note(enumerant.parameters(), &mut todo);
        }
    }
    visible
}
