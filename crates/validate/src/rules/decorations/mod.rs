//! Decorations of whole objects (specification, section 3.20): what they ask of
//! the object's type and uses, which exclude each other, and linkage.

mod access;
mod combinations;
mod floats;
mod linkage;
mod structures;
mod values;

use spirvkit_grammar::{Decoration, MemoryModel};

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
    let mut entries = Vec::with_capacity(16);
    for target in m.decorated_ids() {
        if m.def_offset(target) == 0 {
            continue;
        }
        let mut count = 0;
        entries.clear();
        for decorated in m.decorations(target) {
            count += 1;
            combinations::note(&decorated, &mut entries);
            let result = match decorated.decoration {
                Decoration::Component => access::check_component(m, target, &decorated),
                Decoration::NonWritable | Decoration::NonReadable => {
                    access::check_non_writable(m, target, &decorated)
                }
                Decoration::Coherent | Decoration::Volatile
                    if m.memory_model == MemoryModel::Vulkan =>
                {
                    access::check_memory_model(m, target, &decorated)
                }
                Decoration::FPRoundingMode => floats::check_rounding(m, target, &decorated),
                Decoration::FPFastMathMode => floats::check_fast_math(&decorated),
                Decoration::NoSignedWrap | Decoration::NoUnsignedWrap => {
                    values::check_wrap(m, target, &decorated)
                }
                Decoration::Uniform | Decoration::UniformId => {
                    values::check_uniform(m, target, &decorated)
                }
                Decoration::RelaxedPrecision => {
                    values::check_relaxed_precision(m, target, &decorated)
                }
                Decoration::ArrayStride | Decoration::ArrayStrideIdEXT => {
                    structures::check_stride(m, target, &decorated)
                }
                Decoration::LinkageAttributes => linkage::check(m, target, &decorated),
                _ => Ok(()),
            };
            reporter.note(result);
        }
        if count > 1 {
            reporter.note(combinations::check(m, target, &mut entries));
        }
        if reporter.is_full() {
            return;
        }
    }
    linkage::check_functions(m, reporter);
}
