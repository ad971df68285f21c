//! Decorations that an object has at most once, or not together.

use spirvkit_binary::Id;
use spirvkit_grammar::Decoration;

use crate::finding::{CheckResult, Finding, all};
use crate::module::{Decorated, Module};
use crate::rules::generated::decoration;

/// Stands for the object itself among its members.
const WHOLE: u32 = u32::MAX;

/// A decoration that may not be repeated or joined: member, decoration, the level of a cache that
/// it is about, offset.
pub(super) type Entry = (u32, u32, u32, u32);

/// Which decorations a decoration excludes; of each pair one names the other.
const fn excluded(decoration: Decoration) -> &'static [Decoration] {
    match decoration {
        Decoration::Block => &[Decoration::BufferBlock],
        Decoration::Restrict => &[Decoration::Aliased],
        Decoration::RestrictPointer => &[Decoration::AliasedPointer],
        Decoration::RowMajor => &[Decoration::ColMajor],
        Decoration::Offset => &[Decoration::OffsetIdEXT],
        Decoration::NoContraction => &[Decoration::FPFastMathMode],
        Decoration::ArrayStride => &[Decoration::ArrayStrideIdEXT],
        Decoration::Flat => &[Decoration::NoPerspective],
        Decoration::Patch => &[Decoration::Centroid, Decoration::Sample],
        Decoration::Centroid => &[Decoration::Sample],
        _ => &[],
    }
}

/// The frequent decorations that exclude no other that names them, as bits.
const NOT_EXCLUDED: u64 = {
    let mut bits = u64::MAX;
    let mut first = 0;
    while first < u64::BITS {
        let others = excluded(Decoration(first));
        let mut index = 0;
        while index < others.len() {
            if others[index].0 < u64::BITS {
                bits &= !(1 << others[index].0);
            }
            index += 1;
        }
        first += 1;
    }
    bits
};

/// Whether it is plain to see that no decoration is there twice or excludes another.
fn are_compatible(entries: &[Entry]) -> bool {
    let is_not_excluded = |entry: &Entry| entry.1 < u64::BITS && NOT_EXCLUDED >> entry.1 & 1 != 0;
    let what = |entry: &Entry| (entry.0, entry.1, entry.2);
    let differ = match entries {
        [a, b] => what(a) != what(b),
        _ => entries.is_sorted_by(|a, b| what(a) < what(b)),
    };
    differ && entries.iter().all(is_not_excluded)
}

/// Keeps a decoration in mind if it could be in the way of another.
pub(super) fn note(decorated: &Decorated<'_>, entries: &mut Vec<Entry>) {
    let level = match decorated.decoration {
        Decoration::CacheControlLoadINTEL | Decoration::CacheControlStoreINTEL => {
            decorated.param(0)
        }
        other if other.may_repeat() => return,
        _ => 0,
    };
    entries.push((
        decorated.member.unwrap_or(WHOLE),
        decorated.decoration.0,
        level,
        decorated.inst.offset(),
    ));
}

/// Checks all decorations of one object.
pub(super) fn check(m: &Module<'_>, target: Id, entries: &mut [Entry]) -> CheckResult {
    if are_compatible(entries) {
        return Ok(());
    }
    entries.sort_unstable();
    let whose = |member: u32| match member {
        WHOLE => m.name(target),
        _ => format!("member {member} of {}", m.name(target)),
    };
    let repeated = all(entries.windows(2).map(|pair| {
        let &[a, b] = pair else { return Ok(()) };
        let decoration = Decoration(b.1);
        // What groups add may be there already, and two targets of one group share
        // its decorations.
        let is_direct = |offset| m.inst(offset).is_some_and(|inst| inst.id(0) == target);
        let is_same = (a.0, a.1, a.2) == (b.0, b.1, b.2);
        if is_same && a.3 != b.3 && is_direct(a.3) && is_direct(b.3) {
            let message = format!("{} already has the decoration `{decoration}`", whose(b.0));
            return Err(Finding::new(&decoration::REPEATED, b.3, message)
                .at(a.3, "the other decoration is here")
                .about(m, target, "the target is defined here"));
        }
        Ok(())
    }));
    let groups = entries.chunk_by(|a, b| a.0 == b.0);
    let pairs = groups.flat_map(|group| {
        group.iter().flat_map(move |entry| {
            let excluded = excluded(Decoration(entry.1)).iter();
            excluded.map(move |other| (group, entry, other))
        })
    });
    let exclusive = all(pairs.map(|(group, entry, other)| {
        let key = (entry.0, other.0, 0, 0);
        let start = group.partition_point(|entry| *entry < key);
        let Some(found) = group.get(start).filter(|found| found.1 == other.0) else {
            return Ok(());
        };
        let message = format!(
            "{} has the decorations `{}` and `{other}`, which exclude each other",
            whose(entry.0),
            Decoration(entry.1)
        );
        Err(
            Finding::new(&decoration::EXCLUSIVE, entry.3.max(found.3), message)
                .at(entry.3.min(found.3), "the other decoration is here")
                .about(m, target, "the target is defined here"),
        )
    }));
    all([repeated, exclusive])
}
