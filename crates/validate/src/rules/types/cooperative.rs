//! Cooperative matrices.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, FPEncoding, Op, Scope};

use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module, Type};
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

fn is_constant_int(m: &Module<'_>, id: Id) -> bool {
    m.is_constant(id) && m.type_of(id).is_some_and(|ty| m.is_int_scalar(ty))
}

/// `OpTypeCooperativeMatrixKHR` and `OpTypeCooperativeMatrixNV`.
pub(super) fn matrix(at: &InstCtx<'_, '_>) -> CheckResult {
    all([check_component(at), check_shape(at)])
}

fn check_component(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let component = at.id(0);
    let ty = m.ty(component);
    if !matches!(ty, Type::Int { .. } | Type::Float { .. }) {
        let message = format!(
            "the components of a cooperative matrix must be integers or floats, but are {}",
            m.show_type(component)
        );
        let finding = at.finding(&type_::COOPERATIVE_MATRIX_COMPONENT, message);
        return Err(finding.about(m, component, "the component type is declared here"));
    }
    let is_khr = at.inst.op() == Op::TypeCooperativeMatrixKHR;
    if let Type::Float { encoding, .. } = ty
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
    let names = ["scope", "number of rows", "number of columns", "use"];
    all(names
        .into_iter()
        .enumerate()
        .take(at.inst.args().len().saturating_sub(1))
        .map(|(index, name)| {
            let value = at.id(1 + index);
            if !is_constant_int(m, value) {
                let message = format!(
                    "the {name} of a cooperative matrix must be a constant integer, but is {}",
                    m.show_value(value)
                );
                let finding = at.finding(&type_::COOPERATIVE_MATRIX_SHAPE, message);
                return Err(finding.about(m, value, "it is defined here"));
            }
            Ok(())
        }))?;
    let scope = m.constant_u64(at.id(1)).map(|scope| Scope(scope as u32));
    if let Some(scope) = scope
        && is_khr
        && m.env.is_vulkan()
        && scope != Scope::Workgroup
        && scope != Scope::Subgroup
    {
        let message = format!(
            "in Vulkan, the scope of a cooperative matrix must be Workgroup or Subgroup, but is `{scope}`"
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
