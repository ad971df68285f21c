//! The size of workgroups: `LocalSize`, `LocalSizeId` and the constant that is
//! decorated `WorkgroupSize`.

use spirvkit_binary::Id;
use spirvkit_grammar::{ExecutionMode, ExecutionModel, Op};

use super::Modes;
use crate::finding::{CheckResult, Finding, all};
use crate::inst_ctx::InstCtx;
use crate::module::{EntryPoint, Inst, Lookup, Module};
use crate::rules::generated::mode_setting;

/// The constant that is decorated `WorkgroupSize`.
#[derive(Clone, Copy)]
pub(crate) struct WorkgroupSize {
    id: Id,
    /// Its value, if no specialization changes it.
    size: Option<[u64; 3]>,
}

/// Looks for an object decorated `WorkgroupSize`.
pub(crate) fn find_workgroup_size(m: &Module<'_>) -> Option<WorkgroupSize> {
    let id = m.workgroup_size()?;
    let def = m.def(id)?;
    let size = match def.op() {
        Op::ConstantComposite => constants(m, def.args()),
        _ => None,
    };
    Some(WorkgroupSize { id, size })
}

/// The values of three constants.
fn constants(m: &Module<'_>, ids: &[u32]) -> Option<[u64; 3]> {
    let &[x, y, z] = ids else {
        return None;
    };
    let value = |id| m.constant_u64(Id(id));
    Some([value(x)?, value(y)?, value(z)?])
}

/// What a `LocalSize` or `LocalSizeId` says.
fn size_of_mode(m: &Module<'_>, inst: Inst<'_>) -> Option<[u64; 3]> {
    let operands = inst.args().get(2..)?;
    match (ExecutionMode(inst.arg(1)), operands) {
        (ExecutionMode::LocalSize, &[x, y, z]) => Some([x.into(), y.into(), z.into()]),
        (ExecutionMode::LocalSizeId, ids) => constants(m, ids),
        _ => None,
    }
}

fn show(size: [u64; 3]) -> String {
    format!("{} × {} × {}", size[0], size[1], size[2])
}

#[cold]
fn empty(offset: u32, size: [u64; 3]) -> Finding {
    let message = format!("a workgroup of size {} has no invocations", show(size));
    let side = size.iter().position(|&side| side == 0).unwrap_or(0);
    Finding::new(&mode_setting::WORKGROUP_EMPTY, offset, message).word(FIRST_SIDE + side)
}

/// The word with the first side of a workgroup: behind entry point and mode, or behind
/// type and result of the constant.
const FIRST_SIDE: usize = 3;

/// Checks a `LocalSize` or `LocalSizeId`.
pub(super) fn check_mode(at: &InstCtx<'_, '_>) -> CheckResult {
    let Some(size) = size_of_mode(at.m, at.inst) else {
        return Ok(());
    };
    // The constant takes precedence.
    if size.contains(&0) && at.m.workgroup_size().is_none() {
        return Err(empty(at.inst.offset(), size));
    }
    Ok(())
}

/// Whether workgroups of this size can be cut into groups of four as the modes
/// of the entry point ask for.
fn check_groups(
    m: &Module<'_>,
    modes: &Modes,
    function: Id,
    offset: u32,
    size: [u64; 3],
) -> CheckResult {
    let rule = &mode_setting::DERIVATIVE_GROUPS;
    // Those of the extension's first version come last.
    let is_old = m.has_extension("SPV_NV_compute_shader_derivatives");
    let vuid = |which: usize| rule.vuids[which + 2 * usize::from(is_old)];
    let finding = |message: String| Finding::new(rule, offset, message);
    let mut quads = Ok(());
    if modes.has(function, ExecutionMode::DerivativeGroupQuadsKHR)
        && (!size[0].is_multiple_of(2) || !size[1].is_multiple_of(2))
    {
        let message = format!(
            "with `DerivativeGroupQuadsKHR`, the first two dimensions of the workgroup must be even, but its size is {}",
            show(size)
        );
        let side = usize::from(size[0].is_multiple_of(2));
        let finding = finding(message).word(FIRST_SIDE + side);
        quads = Err(finding.vuid(vuid(0)));
    }
    let product = size.iter().fold(1u64, |all, &side| all.wrapping_mul(side));
    if modes.has(function, ExecutionMode::DerivativeGroupLinearKHR) && !product.is_multiple_of(4) {
        let message = format!(
            "with `DerivativeGroupLinearKHR`, the total size of the workgroup must be a multiple of 4, but is {} = \
             {product}",
            show(size)
        );
        return all([quads, Err(finding(message).vuid(vuid(1)))]);
    }
    quads
}

/// Checks the size of an entry point's workgroups.
pub(crate) fn check_entry(
    m: &Module<'_>,
    modes: &Modes,
    entry: &EntryPoint<'_>,
    declared: Option<WorkgroupSize>,
) -> CheckResult {
    let needs_size = matches!(
        entry.model,
        ExecutionModel::GLCompute
            | ExecutionModel::TaskEXT
            | ExecutionModel::MeshEXT
            | ExecutionModel::TaskNV
            | ExecutionModel::MeshNV
    );
    if !needs_size {
        return Ok(());
    }
    let function = entry.function;
    let local = modes
        .find(function, ExecutionMode::LocalSize)
        .or_else(|| modes.find(function, ExecutionMode::LocalSizeId));
    // The constant takes precedence, even if specialization says what it is.
    let (offset, size) = match declared {
        Some(WorkgroupSize { id, size }) => (m.def_offset(id), size),
        None => {
            let inst = local.and_then(|offset| m.inst(offset));
            let size = inst.and_then(|inst| size_of_mode(m, inst));
            (local.unwrap_or(0), size)
        }
    };
    if let Some(size) = size {
        if size.contains(&0) {
            // For modes it is reported where they are set.
            return match declared {
                Some(_) => Err(empty(offset, size)),
                None => Ok(()),
            };
        }
        check_groups(m, modes, function, offset, size)?;
    }
    if !m.env.is_vulkan() {
        return Ok(());
    }
    let tiles = modes.find(function, ExecutionMode::TileShadingRateQCOM);
    if let (Some(tiles), Some(local)) = (tiles, local) {
        let message = "with `TileShadingRateQCOM`, the tile determines the size of workgroups";
        return Err(
            Finding::new(&mode_setting::TILE_SHADING_RATE, local, message)
                .at(tiles, "it is declared here"),
        );
    }
    if local.is_none() && tiles.is_none() && declared.is_none() {
        let message = format!(
            "entry point \"{}\" does not declare the size of its workgroups",
            entry.name()
        );
        return Err(Finding::new(
            &mode_setting::VULKAN_WORKGROUP_SIZE,
            entry.inst.offset(),
            message,
        )
        .help("add the execution mode `LocalSize`"));
    }
    Ok(())
}
