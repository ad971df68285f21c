//! What devices must have for a module: what `spirvkit-vulkan` says, and what single stages take of their
//! interfaces, each reported where the module has it.

use std::sync::LazyLock;

use hashbrown::HashMap;
use spirvkit_binary::{Error, Header};
use spirvkit_vulkan::{Device, Need, Wanted, needs};

use super::Family;
use crate::finding::{Finding, Reporter};
use crate::module::Module;
use crate::options::Options;
use crate::pipeline::alone;
use crate::rule::Rule;
use crate::rules::ALL;
use crate::rules::generated::{device, pipeline};

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
    for need in all_needs(m) {
        let lacking: Vec<&Device> = devices.iter().filter(|it| !need.is_met_by(it)).collect();
        if !lacking.is_empty() {
            reporter.add(finding(&need, &lacking));
        }
        if reporter.is_full() {
            return;
        }
    }
}

/// All that a module needs of a device, in the order of its instructions: [`spirvkit_vulkan::needs`], and what
/// single entry points need for as many locations, distances, vertices and the like as they have. The
/// module need not be valid.
///
/// # Errors
///
/// If the header can't be read.
pub fn device_needs(words: &[u32]) -> Result<Vec<Need>, Error> {
    let options = Options::default();
    let m = Module::index(words, Header::from_words(words)?, &options, None);
    let mut all = all_needs(&m);
    all.sort_by_key(|need| need.offset);
    Ok(all)
}

fn all_needs(m: &Module<'_>) -> Vec<Need> {
    let mut all = needs(m);
    all.extend(alone::needs(m));
    all
}

fn finding(need: &Need, lacking: &[&Device]) -> Finding {
    let finding = Finding::new(rule(need), need.offset, message(need, lacking));
    match need.vuid {
        "" => finding.vuid_if(false),
        vuid => finding.vuid(vuid),
    }
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

/// The rule of ours that a need falls under: the one that has its VUID. What stages need has its rule
/// among those for pipelines.
fn rule(need: &Need) -> &'static Rule {
    static BY_VUID: LazyLock<HashMap<&str, &Rule>> = LazyLock::new(|| {
        let is_of_stages = |rule: &Rule| rule.id == pipeline::LIMIT.id;
        let ours = ALL
            .iter()
            .filter(|it| it.id.starts_with("device.") || is_of_stages(it));
        let each = ours.flat_map(|rule| rule.vuids.iter().map(|&vuid| (vuid, *rule)));
        // The first rule with a VUID, as in the documents.
        each.rev().collect()
    });
    if need.vuid.is_empty() {
        return &pipeline::LIMIT;
    }
    let found = BY_VUID.get(need.vuid);
    debug_assert!(found.is_some(), "{}", need.vuid);
    found.copied().unwrap_or(&device::FEATURE)
}
