//! Cooperative matrices.

use spirvkit_grammar::{Capability, CooperativeMatrixUse, FPEncoding, Op, Scope};

use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::{INT, NUMBER};
use crate::rules::generated::type_;

/// The capability that a float's encoding needs in a matrix.
fn encoding_capability(encoding: Option<FPEncoding>) -> Option<Capability> {
    match encoding? {
        FPEncoding::BFloat16KHR => Some(Capability::BFloat16CooperativeMatrixKHR),
        FPEncoding::Float8E4M3EXT | FPEncoding::Float8E5M2EXT => {
            Some(Capability::Float8CooperativeMatrixEXT)
        }
        _ => None,
    }
}

/// `OpTypeCooperativeMatrixKHR` and `OpTypeCooperativeMatrixNV`.
pub(super) fn matrix(at: &InstCtx<'_, '_>) -> CheckResult {
    all([check_component(at), check_shape(at)])
}

fn check_component(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let component = at.id(0);
    at.expect_type(&type_::COOPERATIVE_MATRIX_COMPONENT, 0, NUMBER)?;
    let is_khr = at.inst.op() == Op::TypeCooperativeMatrixKHR;
    if let Type::Float { encoding, .. } = m.ty(component)
        && let Some(needed) = encoding_capability(encoding)
        && is_khr
        && !m.has(needed)
    {
        let message = format!(
            "a cooperative matrix of {} needs the capability `{needed}`",
            m.show_type(component)
        );
        return Err(at.finding(&type_::COOPERATIVE_MATRIX_COMPONENT, message));
    }
    Ok(())
}

fn check_shape(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let is_khr = at.inst.op() == Op::TypeCooperativeMatrixKHR;
    // Scope, rows, columns and, of the later extension, use.
    all((1..at.inst.args().len().min(5))
        .map(|index| at.expect_operand(&type_::COOPERATIVE_MATRIX_SHAPE, index, INT.constant())))?;
    if let Some(found) = m.constant_u64(at.id(4)).filter(|_| is_khr)
        && found > u64::from(CooperativeMatrixUse::MatrixAccumulatorKHR.0)
    {
        let message = format!(
            "the use of a cooperative matrix must be `MatrixAKHR`, `MatrixBKHR` or `MatrixAccumulatorKHR`, which are 0 to \
             2, but is {found}"
        );
        let finding = at.finding(&type_::COOPERATIVE_MATRIX_SHAPE, message);
        return Err(finding.arg(at, 4));
    }
    let scope = m.constant_u64(at.id(1)).map(|scope| Scope(scope as u32));
    if let Some(scope) = scope
        && is_khr
        && m.env.is_vulkan()
        && scope != Scope::Workgroup
        && scope != Scope::Subgroup
    {
        let message = format!(
            "in Vulkan, the scope of a cooperative matrix must be `Workgroup` or `Subgroup`, but is `{scope}`"
        );
        return Err(at
            .finding(&type_::COOPERATIVE_MATRIX_SCOPE_VULKAN, message)
            .arg(at, 1));
    }
    if scope == Some(Scope::Workgroup) && is_khr {
        return local_sizes(at);
    }
    Ok(())
}

/// The size of the workgroup is part of such a type, so it must be known here.
fn local_sizes(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let Some(size) = m.last_local_size() else {
        return Ok(());
    };
    if m.def_offset(size) <= at.inst.offset() {
        return Ok(());
    }
    let message = format!(
        "{}, an operand of `LocalSizeId`, must be declared before any cooperative matrix type with the scope \
         `Workgroup`",
        m.name(size)
    );
    let finding = at.finding(&type_::COOPERATIVE_MATRIX_LOCAL_SIZE, message);
    Err(finding.about(m, size, "the constant is declared here"))
}
