//! Interfaces of entry points: which variables they list, and what these may be
//! (specification, sections 2.16.1 and 3.32.5; Vulkan, "Shader Interfaces").

mod arrays;
pub(crate) mod listed;
mod locations;
pub(crate) mod places;
mod used;

use super::Family;
use crate::finding::{CheckResult, Reporter};
use crate::inst_ctx::InstCtx;
use crate::module::Module;

pub(crate) const FAMILY: Family = Family {
    ops: &[],
    check,
    check_module: Some(check_module),
};

fn check(_at: &InstCtx<'_, '_>) -> CheckResult {
    Ok(())
}

fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    let mut budget = places::Budget::of(m);
    for entry in &m.entry_points {
        reporter.note(listed::check(m, entry));
        if m.env.is_vulkan() {
            reporter.note(listed::check_vulkan(m, entry));
            reporter.note(locations::check(m, entry, &mut budget));
        }
        if reporter.is_full() {
            return;
        }
    }
    listed::check_variables(m, reporter);
    if m.env.is_vulkan() {
        locations::check_tile_images(m, reporter);
    }
    used::check(m, reporter);
}
