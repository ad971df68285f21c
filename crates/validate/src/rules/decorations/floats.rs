//! How floating-point operations round, and how exact they are.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, FPFastMathMode, FPRoundingMode, Op, StorageClass};

use crate::finding::{CheckResult, Finding, all, expect};
use crate::module::{Decorated, Inst, Lookup, Module};
use crate::pattern::{FLOAT, Pattern};
use crate::rules::generated::decoration;

/// Checks an `FPFastMathMode`.
pub(super) fn check_fast_math(decorated: &Decorated<'_>) -> CheckResult {
    let flags = decorated.param(0);
    let needed = FPFastMathMode::AllowContract.0 | FPFastMathMode::AllowReassoc.0;
    if flags & FPFastMathMode::AllowTransform.0 == 0 || flags & needed == needed {
        return Ok(());
    }
    let message = "`AllowTransform` needs both `AllowContract` and `AllowReassoc`";
    Err(Finding::new(
        &decoration::FAST_MATH_TRANSFORM,
        decorated.inst.offset(),
        message,
    ))
}

/// Checks an `FPRoundingMode`.
pub(super) fn check_rounding(m: &Module<'_>, target: Id, decorated: &Decorated<'_>) -> CheckResult {
    let Some(def) = m.def(target) else {
        return Ok(());
    };
    if m.has(Capability::Shader) {
        check_shader_rounding(m, target, decorated, def)?;
    } else if m.has(Capability::Kernel) {
        check_kernel_rounding(m, target, decorated, def)?;
    }
    Ok(())
}

/// What values are rounded to.
const HALVES: Pattern = FLOAT.scalar_or_vector().widths(&[16]);

fn check_shader_rounding(
    m: &Module<'_>,
    target: Id,
    decorated: &Decorated<'_>,
    def: Inst<'_>,
) -> CheckResult {
    let offset = decorated.inst.offset();
    let wrong = |message: String| {
        let finding = Finding::new(&decoration::ROUNDING, offset, message);
        Err(finding.about(m, target, "the target is defined here"))
    };
    let mode = FPRoundingMode(decorated.param(0));
    let is_known = !m.env.is_vulkan() || matches!(mode, FPRoundingMode::RTE | FPRoundingMode::RTZ);
    let mode = expect(is_known, || {
        let message = format!("the rounding mode `{mode}` is not allowed in Vulkan");
        Finding::new(&decoration::VULKAN_ROUNDING, offset, message)
    });
    let is_exact = is_division_or_root(m, def.op());
    if def.op() != Op::FConvert && !is_exact {
        let target = wrong(format!(
            "`FPRoundingMode` must decorate an OpFConvert, but {} is an {}",
            m.name(target),
            def.op()
        ));
        return all([target, mode]);
    }
    if is_exact {
        return mode;
    }
    let uses = all(m.uses(target).iter().filter_map(|&offset| m.inst(offset)).map(|user| {
        if is_no_use(user.op()) {
            return Ok(());
        }
        if user.op() != Op::Store {
            return wrong(format!(
                "a value with FPRoundingMode must only be stored, but {} is used by {}",
                m.name(target),
                user.op()
            ));
        }
        let Some(pointer) = m.type_of(user.id(0)) else {
            return Ok(());
        };
        let Some(class) = m.pointer_class(pointer) else {
            return Ok(());
        };
        let pointee = m.pointee(pointer).or_else(|| m.type_of(target));
        let is_half =
            pointee.is_some_and(|ty| HALVES.matches(m, ty));
        let half = match is_half {
            true => Ok(()),
            false => wrong(format!(
                "a value with FPRoundingMode must be stored as {HALVES}, but {} is stored as {}",
                m.name(target),
                m.show_type(pointee.unwrap_or(Id(0)))
            )),
        };
        let place = match class {
            StorageClass::StorageBuffer
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::Uniform
            | StorageClass::PushConstant
            | StorageClass::Input
            | StorageClass::Output => Ok(()),
            _ => wrong(format!(
                "a value with FPRoundingMode must be stored to a buffer, an input or an output, but {} is stored to \
                 {class}",
                m.name(target)
            )),
        };
        all([half, place])
    }));
    all([mode, uses])
}

/// Whether `SPV_INTEL_rounded_divide_sqrt` lets a division or, as extended
/// instruction, a square root round as a decoration says.
fn is_division_or_root(m: &Module<'_>, op: Op) -> bool {
    matches!(op, Op::FDiv | Op::ExtInst) && m.has(Capability::RoundedDivideSqrtINTEL)
}

/// Whether an instruction that names a value doesn't use it.
fn is_no_use(op: Op) -> bool {
    use spirvkit_grammar::Class;
    matches!(op, Op::FConvert | Op::ExtInst)
        || op
            .info()
            .is_some_and(|info| matches!(info.class(), Class::Debug | Class::Annotation))
}

fn check_kernel_rounding(
    m: &Module<'_>,
    target: Id,
    decorated: &Decorated<'_>,
    def: Inst<'_>,
) -> CheckResult {
    let fits = match def.op() {
        Op::FConvert
        | Op::ConvertFToS
        | Op::ConvertFToU
        | Op::ConvertSToF
        | Op::ConvertUToF
        | Op::SpecConstantOp => true,
        op => is_division_or_root(m, op),
    };
    if fits {
        return Ok(());
    }
    let message = format!(
        "`FPRoundingMode` must decorate a conversion to or from floats, but {} is an {}",
        m.name(target),
        def.op()
    );
    let finding = Finding::new(
        &decoration::KERNEL_ROUNDING,
        decorated.inst.offset(),
        message,
    );
    let finding = finding.about(m, target, "the target is defined here");
    Err(match def.op() {
        Op::FDiv | Op::ExtInst => finding.help("declare the capability `RoundedDivideSqrtINTEL`"),
        _ => finding,
    })
}
