//! What devices must have for a module: the requirements of `spirvkit-vulkan`, each reported where
//! the module has it.

use spirvkit_grammar::Op;
use spirvkit_vulkan::{Device, Need, Wanted, needs};

use super::Family;
use crate::finding::{Finding, Reporter};
use crate::module::Module;
use crate::rule::Rule;
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
            reporter.add(finding(m, &need, &lacking));
        }
        if reporter.is_full() {
            return;
        }
    }
}

fn finding(m: &Module<'_>, need: &Need, lacking: &[&Device]) -> Finding {
    let names: Vec<String> = lacking
        .iter()
        .map(|it| format!("`{}`", it.name()))
        .collect();
    let (names, verb) = match names.split_last() {
        Some((last, [])) => (last.clone(), "doesn't"),
        Some((last, before)) => (format!("{} and {last}", before.join(", ")), "don't"),
        None => return Finding::new(rule(m, need), need.offset, need.what.clone()),
    };
    if matches!(&need.wanted, Wanted::OneOf(all) if all.is_empty()) {
        let message = format!("{} is not in Vulkan", need.what);
        return Finding::new(rule(m, need), need.offset, message).vuid(need.vuid);
    }
    let has = match (&need.wanted, lacking) {
        (
            Wanted::Reach {
                limit, dimension, ..
            },
            [device],
        ) => {
            let known = device.limit(*limit).and_then(|it| it.number(*dimension));
            known.map(|known| format!("; {names} has {known}"))
        }
        _ => None,
    };
    let has = has.unwrap_or_else(|| format!(", which {names} {verb} have"));
    let message = format!("{} needs {}{has}", need.what, need.wanted);
    Finding::new(rule(m, need), need.offset, message).vuid(need.vuid)
}

/// The rule that a need falls under, by what has it.
fn rule(m: &Module<'_>, need: &Need) -> &'static Rule {
    match m.inst(need.offset).map(|inst| inst.op()) {
        _ if need.offset == 0 => &device::VERSION,
        Some(Op::Capability) => &device::CAPABILITY,
        Some(Op::Extension) => &device::EXTENSION,
        _ => match need.wanted {
            Wanted::Reach { .. } => &device::LIMIT,
            _ => &device::FEATURE,
        },
    }
}
