//! Tensors (`SPV_ARM_tensors`), and tensor layouts and views
//! (`SPV_NV_tensor_addressing`).

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Op, TensorOperands};

use super::operation::{Operation, check_values};
use super::{Family, scopes};
use crate::finding::{CheckResult, Finding, Reporter, all, both, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Inst, Lookup, Module, Type};
use crate::pattern::{DATA, I32, INT, Pattern};
use crate::rules::generated::tensor;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::TensorReadARM,
        Op::TensorWriteARM,
        Op::TensorQuerySizeARM,
        Op::CreateTensorLayoutNV,
        Op::TensorLayoutSetDimensionNV,
        Op::TensorLayoutSetStrideNV,
        Op::TensorLayoutSliceNV,
        Op::TensorLayoutSetClampValueNV,
        Op::TensorLayoutSetBlockSizeNV,
        Op::CreateTensorViewNV,
        Op::TensorViewSetDimensionNV,
        Op::TensorViewSetStrideNV,
        Op::TensorViewSetClipNV,
    ],
    check,
    check_module: Some(check_loads),
};

pub(super) const TENSOR_VIEW: Pattern = Pattern::declared_by(Op::TypeTensorViewNV, "a tensor view");
pub(super) const TENSOR_LAYOUT: Pattern =
    Pattern::declared_by(Op::TypeTensorLayoutNV, "a tensor layout");

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let by_types = match at.inst.op() {
        Op::TensorReadARM => check_values(at, check_read),
        Op::TensorWriteARM => check_values(at, check_write),
        Op::TensorQuerySizeARM => check_values(at, check_query),
        _ => return check_values(at, check_addressing),
    };
    by_types.and_then(|()| check_shape(at))
}

/// Checks that a tensor that a stage of Vulkan accesses has no shape: that is given with the
/// descriptor. That it has a rank is asked of all.
fn check_shape(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let has_shape = m
        .def(at.type_of_arg(0))
        .is_some_and(|ty| ty.args().len() > 2);
    let is_fine = !has_shape || at.models().is_empty() || !m.env.is_vulkan();
    let wanted = "a tensor whose type has no shape in a stage of Vulkan";
    at.expect_operand_that(&tensor::VULKAN_SHAPE, 0, is_fine, wanted)
}

/// Checks that stages of Vulkan load no tensor that they couldn't access. What they do access, the
/// instruction that does so says.
fn check_loads(m: &Module<'_>, reporter: &mut Reporter) {
    if !m.env.is_vulkan() || !m.has(Capability::TensorsARM) {
        return;
    }
    let declared = m.declared.iter().filter_map(|&at| m.inst(at));
    for ty in declared.filter(|it| it.op() == Op::TypeTensorARM) {
        let (rule, wanted) = match ty.args().len() {
            2 => continue,
            0 | 1 => (&tensor::RANKED, "has no rank"),
            _ => (&tensor::VULKAN_SHAPE, "has a shape"),
        };
        let id = ty.result().unwrap_or(Id(0));
        let loads = m.uses(id).iter().filter_map(|&at| m.inst(at));
        let mut loads = loads.filter(|it| it.op() == Op::Load && it.result_type() == Some(id));
        let Some(load) = loads.find(|it| is_in_stage(m, *it) && !is_accessed(m, *it)) else {
            continue;
        };
        let message = format!(
            "OpLoad gives a stage of Vulkan {}, which {wanted}",
            m.show_type(id)
        );
        let finding = Finding::new(rule, load.offset(), message);
        reporter.add(finding.about(m, id, "the type is declared here"));
    }
}

fn is_in_stage(m: &Module<'_>, inst: Inst<'_>) -> bool {
    let function = m.function_at(inst.offset());
    let function = function.and_then(|index| m.functions.get(index as usize));
    function.is_some_and(|function| !function.models.is_empty())
}

fn is_accessed(m: &Module<'_>, load: Inst<'_>) -> bool {
    let uses = m.uses(load.result().unwrap_or(Id(0)));
    let mut uses = uses.iter().filter_map(|&at| m.inst(at));
    uses.any(|it| {
        matches!(
            it.op(),
            Op::TensorReadARM | Op::TensorWriteARM | Op::TensorQuerySizeARM
        )
    })
}

/// A tensor type with a rank.
struct Tensor {
    element: Id,
    rank: Id,
}

impl Tensor {
    /// The tensor that is this operand.
    fn of(o: &Operation<'_, '_, '_>, index: usize) -> Result<Self, Finding> {
        let ty = o.ty(index);
        let def = match o.m.ty(ty) {
            Type::Other(Op::TypeTensorARM) => o.m.def(ty),
            _ => None,
        };
        match def.map(|def| (def.id(0), def.optional(1))) {
            Some((element, Some(rank))) => Ok(Self {
                element,
                rank: Id(rank),
            }),
            _ => Err(o.operand_finding(&tensor::RANKED, index, "a tensor whose type has a rank")),
        }
    }

    fn check_coordinates(&self, o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
        let m = o.m;
        let ty = o.ty(index);
        let is_fine = match m.ty(ty) {
            Type::Array { element, .. } => {
                let (length, rank) = (m.array_length(ty), m.constant_u64(self.rank));
                m.is_int_scalar(element) && (length.is_none() || rank.is_none() || length == rank)
            }
            _ => false,
        };
        let wanted = "an array of integers, one for each dimension of the tensor";
        o.expect_operand_that(&tensor::COORDINATES, index, is_fine, wanted)
    }
}

/// A scalar type, or that of the elements of an array.
fn element(m: &Module<'_>, ty: Id) -> Id {
    match m.ty(ty) {
        Type::Array { element, .. } => element,
        _ => ty,
    }
}

fn check_read(o: &Operation<'_, '_, '_>) -> CheckResult {
    let value = element(o.m, o.result);
    let is_made = DATA.matches(o.m, value);
    let wanted = "a scalar or an array of scalars";
    let made = o.expect_result_that(&tensor::ELEMENT, is_made, wanted);
    let tensor = match Tensor::of(o, 0) {
        Ok(tensor) => tensor,
        Err(finding) => return all([made, Err(finding)]),
    };
    let same = expect(!is_made || value == tensor.element, || {
        o.mismatch(&tensor::ELEMENT, 0, "elements of the result type")
    });
    all([
        made,
        same,
        tensor.check_coordinates(o, 1),
        check_operands(o, 2, &tensor),
    ])
}

fn check_write(o: &Operation<'_, '_, '_>) -> CheckResult {
    let tensor = Tensor::of(o, 0)?;
    let is_element = element(o.m, o.ty(2)) == tensor.element;
    let wanted = "an element of the tensor or an array of them";
    let element = o.expect_operand_that(&tensor::ELEMENT, 2, is_element, wanted);
    all([
        tensor.check_coordinates(o, 1),
        element,
        check_operands(o, 3, &tensor),
    ])
}

fn check_operands(o: &Operation<'_, '_, '_>, index: usize, tensor: &Tensor) -> CheckResult {
    let Some(&mask) = o.args.get(index) else {
        return Ok(());
    };
    let mask = TensorOperands(mask);
    let has = |bit: TensorOperands| mask.contains(bit);
    let foreign = match o.op {
        Op::TensorReadARM => &[TensorOperands::MakeElementAvailableARM][..],
        _ => &[
            TensorOperands::OutOfBoundsValueARM,
            TensorOperands::MakeElementVisibleARM,
        ],
    };
    let own = all(foreign.iter().map(|&bit| {
        expect(!has(bit), || {
            let message = format!("{} can't have the tensor operand {bit}", o.op);
            o.finding(&tensor::OPERANDS, message)
        })
    }));
    let makes =
        has(TensorOperands::MakeElementAvailableARM) || has(TensorOperands::MakeElementVisibleARM);
    let private = expect(!makes || has(TensorOperands::NonPrivateElementARM), || {
        let message = format!(
            "{} makes elements available or visible, so it also needs NonPrivateElementARM",
            o.op
        );
        o.finding(&tensor::OPERANDS, message)
    });
    // What belongs to the bits follows in their order.
    let mut next = index;
    let mut take = |bit: TensorOperands| {
        next += usize::from(has(bit));
        has(bit).then(|| o.id(next))
    };
    let value = take(TensorOperands::OutOfBoundsValueARM);
    let scopes = [
        take(TensorOperands::MakeElementAvailableARM),
        take(TensorOperands::MakeElementVisibleARM),
    ];
    let value = match value.filter(|_| o.op == Op::TensorReadARM) {
        Some(value) => check_out_of_bounds(o, value, tensor),
        None => Ok(()),
    };
    let scopes = scopes.into_iter().flatten();
    let scopes = all(scopes.map(|scope| scopes::check(o.at, scope).map(drop)));
    all([own, private, value, scopes])
}

/// Checks the value that a read gives for elements outside of the tensor.
fn check_out_of_bounds(o: &Operation<'_, '_, '_>, value: Id, tensor: &Tensor) -> CheckResult {
    let m = o.m;
    let is_fine = m.type_of(value) == Some(tensor.element) && m.is_constant(value);
    expect(is_fine, || {
        let message = format!(
            "the out-of-bounds value of {} must be a constant of the tensor's element type, but is {}",
            o.op,
            m.show_value(value)
        );
        let finding = o.finding(&tensor::OUT_OF_BOUNDS, message);
        finding.about(m, value, "the value is defined here")
    })
}

fn check_query(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let made = o.expect_result(&tensor::QUERY_RESULT, INT);
    let dimension = o.expect_operand(&tensor::DIMENSION, 1, INT.constant());
    let ((), (tensor, ())) = both(made, both(Tensor::of(o, 0), dimension))?;
    if let (Some(dimension), Some(rank)) = (m.constant_u64(o.id(1)), m.constant_u64(tensor.rank))
        && dimension >= rank
    {
        let message = format!(
            "{} queries dimension {dimension} of a tensor with {rank}",
            o.op
        );
        return Err(o.finding(&tensor::DIMENSION, message));
    }
    Ok(())
}

fn check_addressing(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let is_view = matches!(
        o.op,
        Op::CreateTensorViewNV
            | Op::TensorViewSetDimensionNV
            | Op::TensorViewSetStrideNV
            | Op::TensorViewSetClipNV
    );
    let wanted = if is_view { TENSOR_VIEW } else { TENSOR_LAYOUT };
    o.expect_result(&tensor::ADDRESSING_TYPE, wanted)?;
    if matches!(o.op, Op::CreateTensorLayoutNV | Op::CreateTensorViewNV) {
        return Ok(());
    }
    let base = o.expect_result_type(&tensor::ADDRESSING_TYPE, 0);
    let given = o.args.len().saturating_sub(1) as u64;
    let dimension = m.def(o.result).and_then(|def| m.constant_u64(def.id(0)));
    let count = match o.op {
        Op::TensorLayoutSetClampValueNV => Some(1),
        Op::TensorViewSetClipNV => Some(4),
        Op::TensorLayoutSliceNV => dimension.and_then(|dimension| dimension.checked_mul(2)),
        _ => dimension,
    };
    let wanted = count.unwrap_or(given);
    let count = expect(wanted == given, || {
        let message = format!(
            "{} needs {wanted} operands for {} dimensions, but has {given}",
            o.op,
            dimension.unwrap_or(0)
        );
        let finding = o.finding(&tensor::ADDRESSING_COUNT, message);
        finding.about(m, o.result, "the type is declared here")
    });
    let integer = I32;
    let operands = (1..o.args.len())
        .map(|index| o.expect_operand(&tensor::ADDRESSING_OPERAND, index, integer));
    all([base, count, all(operands)])
}
