//! How debugging types are connected: members, opaque types, cycles.

use spirvkit_binary::Id;
use spirvkit_grammar::{ExtInstSet, Op, ShaderDebugInfoDebugInfoFlags as Flags};

use super::index::{Entry, Index};
use super::number::*;
use super::sccs;
use crate::finding::{CheckResult, Reporter};
use crate::rules::generated::debug_info;
use spirvkit_grammar::debug_info::{Field, Kind, Kinds};

/// Checks what the types of all sets are made of.
pub(super) fn check(index: &Index<'_, '_>, reporter: &mut Reporter) {
    for entry in &index.entries {
        match entry.number {
            TYPE_COMPOSITE => {
                reporter.note(opaque(index, entry));
                members(index, entry, reporter);
            }
            TYPE_ARRAY if entry.inst.args().len() < 4 => {
                let message = "the array needs at least one dimension";
                reporter.add(index.finding(entry, &debug_info::DIMENSIONS, message));
            }
            _ => {}
        }
        if reporter.is_full() {
            return;
        }
    }
    listed_once(index, reporter);
    if !type_cycles(index, reporter) {
        size_cycles(index, reporter);
    }
    base_cycles(index, reporter);
}

fn is_none(index: &Index<'_, '_>, entry: &Entry<'_>, id: Id) -> bool {
    let kin = index.kin(entry, id).and_then(|kin| index.entries.get(kin));
    kin.is_some_and(|kin| kin.number == INFO_NONE)
}

fn opaque(index: &Index<'_, '_>, entry: &Entry<'_>) -> CheckResult {
    let m = index.m;
    let Some(size) = index.id(entry, Field::Size) else {
        return Ok(());
    };
    let has_size = !is_none(index, entry, size);
    let members = index.words_from(entry, Field::Members);
    let wrong = |message: &str| Err(index.finding(entry, &debug_info::OPAQUE_TYPE, message));
    if !has_size && !members.is_empty() {
        return wrong("the composite has no size, so it is opaque, but it has members");
    }
    // The successors leave it to producers how they tell names apart.
    if entry.set != ExtInstSet::DebugInfo {
        return Ok(());
    }
    let name = index.id(entry, Field::Name).and_then(|name| m.def(name));
    let name = name.filter(|def| def.op() == Op::String);
    let Some(name) = name else {
        return Ok(());
    };
    // Its first word is enough: many composites can have one long name.
    let [first, ..] = name.arg(0).to_le_bytes();
    match (first == b'@', has_size) {
        (true, true) => {
            wrong("the name starts with `@`, so the composite is opaque, but it has a size")
        }
        (false, false) => {
            wrong("the composite has no size, so it is opaque, but its name doesn't start with `@`")
        }
        _ => Ok(()),
    }
}

/// The members of a composite are in that composite.
fn members(index: &Index<'_, '_>, composite: &Entry<'_>, reporter: &mut Reporter) {
    // Without forward references a method can't name what lists it.
    if composite.set.is_non_semantic() {
        return;
    }
    let own = composite.inst.result().and_then(|id| index.find(id));
    for &word in index.words_from(composite, Field::Members) {
        let Some(at) = index.kin(composite, Id(word)) else {
            continue;
        };
        let member = &index.entries[at];
        let holder = match member.number {
            TYPE_MEMBER | FUNCTION => index.target(member, Field::Parent),
            TYPE_INHERITANCE => index.target(member, Field::Child),
            _ => None,
        };
        let Some(holder) = holder.map(|holder| index.instantiated(holder)) else {
            continue;
        };
        if Some(holder) == own || index.entries[holder].number == INFO_NONE {
            continue;
        }
        let message = format!(
            "{} is listed among the members, but names {} as its parent",
            index.name(at),
            index.name(holder)
        );
        let finding = index.finding(composite, &debug_info::MEMBER, message);
        reporter.add(index.pointing(finding, at, "the member is here"));
    }
}

/// Every data member and base class is in the list of one composite.
fn listed_once(index: &Index<'_, '_>, reporter: &mut Reporter) {
    let is_part = |entry: &Entry<'_>| matches!(entry.number, TYPE_MEMBER | TYPE_INHERITANCE);
    // By entries, the composite and 1 that lists one.
    let mut holders = vec![0; index.entries.len()];
    for (at, composite) in index.of_number(TYPE_COMPOSITE) {
        for &word in index.words_from(composite, Field::Members) {
            let part = index.kin(composite, Id(word));
            let Some(part) = part.filter(|&part| is_part(&index.entries[part])) else {
                continue;
            };
            if holders[part] == 0 {
                holders[part] = at + 1;
                continue;
            }
            let earlier = holders[part] - 1;
            let name = index.name(part);
            let message = match earlier == at {
                true => format!("{name} is listed among the members twice"),
                false => {
                    let other = index.name(earlier);
                    format!("{name} is listed among the members, but {other} lists it, too")
                }
            };
            let finding = index
                .error(composite, &debug_info::LISTED_ONCE, message)
                .warning();
            reporter.add(index.pointing(finding, part, "the member is here"));
        }
    }
    for (part, entry) in index.entries.iter().enumerate() {
        let holder = match entry.number {
            TYPE_MEMBER => index.id(entry, Field::Parent),
            TYPE_INHERITANCE => index.id(entry, Field::Child),
            _ => continue,
        };
        // Where it names none, or no longer one, that may have been removed.
        if holders[part] != 0 || holder.is_none_or(|holder| is_none(index, entry, holder)) {
            continue;
        }
        let message = "the parent of this doesn't list it among its members";
        reporter.add(
            index
                .error(entry, &debug_info::LISTED_ONCE, message)
                .warning(),
        );
    }
}

/// Composites that contain themselves.
fn size_cycles(index: &Index<'_, '_>, reporter: &mut Reporter) {
    let sccs = sccs::find(index, |entry, operand| {
        let id = Id(entry.inst.arg(2 + operand));
        let field = match entry.number {
            TYPE_COMPOSITE => {
                let is_member = index.place(entry, Field::Members)? <= operand;
                let member = &index.entries[index.kin(entry, id).filter(|_| is_member)?];
                let flags = index.value(member, Field::Flags).unwrap_or(0);
                let is_static = flags & u64::from(Flags::FlagStaticMember.0) != 0;
                return (member.number == TYPE_MEMBER && !is_static).then_some(id);
            }
            TYPE_MEMBER => Field::Type,
            TYPE_QUALIFIER | TYPE_ARRAY | TYPEDEF => Field::BaseType,
            TYPE_TEMPLATE => Field::Target,
            _ => return None,
        };
        (index.place(entry, field)? == operand).then_some(id)
    });
    for (from, to) in sccs {
        let message = format!("this contains {}, which contains it", index.name(to));
        let finding = index.finding(&index.entries[from], &debug_info::SIZE_CIRCLE, message);
        reporter.add(index.pointing(finding, to, "the cycle ends here"));
    }
}

/// Types that lead back to themselves without a composite in between. Tells whether
/// there are any.
fn type_cycles(index: &Index<'_, '_>, reporter: &mut Reporter) -> bool {
    let is_derived = |number: u32| {
        Kind::from_number(number).is_some_and(|kind| Kinds::TYPES.contains(kind))
            && !matches!(
                number,
                TYPE_COMPOSITE | TYPE_MEMBER | TYPE_INHERITANCE | TYPE_TEMPLATE
            )
    };
    let sccs = sccs::find(index, |entry, operand| {
        if !is_derived(entry.number) {
            return None;
        }
        let infos = entry.set.instruction(entry.number)?.operands();
        let info = infos.get(operand).or(infos.last())?;
        let id = Id(entry.inst.arg(2 + operand));
        let target = info.is_id().then(|| index.kin(entry, id)).flatten()?;
        is_derived(index.entries[target].number).then_some(id)
    });
    let has_some = !sccs.is_empty();
    for (from, to) in sccs {
        let message = format!(
            "the type is made of {}, which is made of it, without a composite in between",
            index.name(to)
        );
        let finding = index.finding(&index.entries[from], &debug_info::TYPE_CIRCLE, message);
        reporter.add(index.pointing(finding, to, "the cycle ends here"));
    }
    has_some
}

/// Classes that are derived from themselves.
fn base_cycles(index: &Index<'_, '_>, reporter: &mut Reporter) {
    let sccs = sccs::find(index, |entry, operand| {
        let id = Id(entry.inst.arg(2 + operand));
        match entry.number {
            TYPE_COMPOSITE if index.place(entry, Field::Members)? <= operand => {
                let member = index.kin(entry, id)?;
                (index.entries[member].number == TYPE_INHERITANCE).then_some(id)
            }
            TYPE_INHERITANCE if index.place(entry, Field::BaseClass)? == operand => Some(id),
            _ => None,
        }
    });
    for (from, to) in sccs {
        let message = format!("{} is a base class of itself", index.name(to));
        let finding = index.finding(&index.entries[from], &debug_info::BASE_CIRCLE, message);
        reporter.add(index.pointing(finding, to, "the cycle ends here"));
    }
}
