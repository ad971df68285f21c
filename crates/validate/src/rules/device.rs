//! What devices must have for a module: the requirements of `spirvkit-vulkan`, each reported where
//! the module has it.

use std::sync::LazyLock;

use hashbrown::HashMap;
use spirvkit_vulkan::{Device, Need, Wanted, needs};

use super::Family;
use crate::finding::{Finding, Reporter};
use crate::module::Module;
use crate::pipeline::check_alone;
use crate::rule::Rule;
use crate::rules::ALL;
use crate::rules::generated::device;

pub(crate) const FAMILY: Family = Family {
    ops: &[],
    check: |_| Ok(()),
    check_module: Some(check_module),
};

fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    let devices = &m.options.devices;
    if devices.is_empty() || !m.env.is_vulkan() {
        return;
    }
    for need in needs(m) {
        let lacking: Vec<&Device> = devices.iter().filter(|it| !need.is_met_by(it)).collect();
        if !lacking.is_empty() {
            reporter.add(finding(&need, &lacking));
        }
        if reporter.is_full() {
            return;
        }
    }
    // Which of several devices take a module, their needs alone tell.
    if devices.len() == 1 {
        check_alone(m, reporter);
    }
}

fn finding(need: &Need, lacking: &[&Device]) -> Finding {
    Finding::new(rule(need), need.offset, message(need, lacking)).vuid(need.vuid)
}

/// What is said of devices that don't meet a need.
pub(crate) fn message(need: &Need, lacking: &[&Device]) -> String {
    let names: Vec<String> = lacking
        .iter()
        .map(|it| format!("`{}`", it.name()))
        .collect();
    let (names, verb) = match names.split_last() {
        Some((last, [])) => (last.clone(), "doesn't"),
        Some((last, before)) => (format!("{} and {last}", before.join(", ")), "don't"),
        None => return need.what.clone(),
    };
    if matches!(&need.wanted, Wanted::OneOf(all) if all.is_empty()) {
        return format!("{} is not in Vulkan", need.what);
    }
    let bound = match need.wanted {
        Wanted::Reach {
            limit, dimension, ..
        } => Some((limit, dimension)),
        Wanted::Total { limit, .. } | Wanted::Multiple { limit, .. } => Some((limit, 0)),
        _ => None,
    };
    let has = match (bound, lacking) {
        (Some((limit, dimension)), [device]) => {
            let known = device.limit(limit).and_then(|it| it.number(dimension));
            known.map(|known| format!("; {names} has {known}"))
        }
        _ => None,
    };
    let has = has.unwrap_or_else(|| format!(", which {names} {verb} have"));
    format!("{} needs {}{has}", need.what, need.wanted)
}

/// The rule of ours that a need falls under: the one that has its VUID.
fn rule(need: &Need) -> &'static Rule {
    static BY_VUID: LazyLock<HashMap<&str, &Rule>> = LazyLock::new(|| {
        let ours = ALL.iter().filter(|rule| rule.id.starts_with("device."));
        let each = ours.flat_map(|rule| rule.vuids.iter().map(|&vuid| (vuid, *rule)));
        // The first rule with a VUID, as in the documents.
        each.rev().collect()
    });
    let found = BY_VUID.get(need.vuid);
    debug_assert!(found.is_some(), "{}", need.vuid);
    found.copied().unwrap_or(&device::FEATURE)
}
