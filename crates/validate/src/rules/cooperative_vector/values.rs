//! Where the operands of cooperative vector instructions are in memory, and what their
//! components, layouts and offsets are. Of what only Vulkan asks of values, there are warnings,
//! because tools accept it.

use spirvkit_grammar::{ComponentType, CooperativeVectorMatrixLayout, Op, StorageClass};

use super::super::operation::Operation;
use crate::finding::{CheckResult, all, expect};
use crate::module::Lookup;
use crate::pattern::{FLOAT, I32, Pattern};
use crate::rules::generated::cooperative_vector as rule;

/// The places of a product's operands.
struct Product {
    /// The offset and the interpretation of the bias.
    bias: Option<usize>,
    layout: usize,
}

impl Product {
    fn of(op: Op) -> Option<Self> {
        match op {
            Op::CooperativeVectorMatrixMulNV => Some(Self {
                bias: None,
                layout: 7,
            }),
            Op::CooperativeVectorMatrixMulAddNV => Some(Self {
                bias: Some(6),
                layout: 10,
            }),
            _ => None,
        }
    }
}

/// Checks an instruction whose operands have the types that they must have.
pub(super) fn check(o: &Operation<'_, '_, '_>) -> CheckResult {
    let by_op = match (o.op, Product::of(o.op)) {
        (_, Some(product)) => all([
            check_class(o, 2),
            match product.bias {
                Some(_) => check_class(o, 5),
                None => Ok(()),
            },
            check_components(o),
            check_layout(o, &product),
        ]),
        (Op::CooperativeVectorOuterProductAccumulateNV, _) => {
            all([check_class(o, 0), check_factors(o)])
        }
        (Op::CooperativeVectorReduceSumAccumulateNV, _) => {
            all([check_class(o, 0), check_summed(o)])
        }
        _ => check_class(o, 0),
    };
    match o.m.env.is_vulkan() {
        true => all([by_op, check_alignment(o)]),
        false => by_op,
    }
}

/// Checks the storage class of a pointer.
fn check_class(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    let class = o.m.pointer_class(o.ty(index));
    let accumulates = matches!(
        o.op,
        Op::CooperativeVectorOuterProductAccumulateNV | Op::CooperativeVectorReduceSumAccumulateNV
    );
    let vulkan = accumulates && o.m.env.is_vulkan();
    let is_fine = match class {
        Some(StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer) => true,
        Some(StorageClass::CrossWorkgroup) => !vulkan,
        Some(StorageClass::Workgroup) => !vulkan && Product::of(o.op).is_none(),
        _ => false,
    };
    expect(is_fine, || {
        let wanted = match (vulkan, Product::of(o.op)) {
            (true, _) => "a pointer to `StorageBuffer` or `PhysicalStorageBuffer` in Vulkan",
            (_, Some(_)) => {
                "a pointer to `CrossWorkgroup`, `StorageBuffer` or `PhysicalStorageBuffer`"
            }
            _ => {
                "a pointer to `CrossWorkgroup`, `Workgroup`, `StorageBuffer` or `PhysicalStorageBuffer`"
            }
        };
        let finding = o.operand_finding(&rule::STORAGE_CLASS, index, wanted);
        match (vulkan, o.op) {
            (true, Op::CooperativeVectorReduceSumAccumulateNV) => {
                finding.vuid(rule::STORAGE_CLASS.vuids[0])
            }
            (true, _) => finding.vuid(rule::STORAGE_CLASS.vuids[1]),
            _ => finding,
        }
    })
}

/// What a product results in.
const MADE: Pattern = Pattern::either(&[I32, FLOAT.widths(&[16, 32])]);

/// Checks the components of the vectors of a product.
fn check_components(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let made = m.component_type(o.result);
    let result = expect(MADE.matches(m, made), || {
        o.result_finding(
            &rule::COMPONENT,
            "a vector of 32-bit integers or of 16-bit or 32-bit floats",
        )
    });
    let interpretation = m.constant_u64(o.id(1)).map(|it| ComponentType(it as u32));
    let is_packed = matches!(
        interpretation,
        Some(ComponentType::SignedInt8PackedNV | ComponentType::UnsignedInt8PackedNV)
    );
    let taken = m.component_type(o.ty(0));
    let input = expect(!is_packed || I32.matches(m, taken), || {
        let wanted = "a vector of 32-bit integers, because it is interpreted as packed";
        o.operand_finding(&rule::COMPONENT, 0, wanted)
    });
    all([result, input])
}

/// Whether the layout is one that only the implementation knows.
fn is_optimal(layout: CooperativeVectorMatrixLayout) -> bool {
    matches!(
        layout,
        CooperativeVectorMatrixLayout::InferencingOptimalNV
            | CooperativeVectorMatrixLayout::TrainingOptimalNV
    )
}

fn layout(o: &Operation<'_, '_, '_>, index: usize) -> Option<CooperativeVectorMatrixLayout> {
    let number = o.m.constant_u64(o.id(index))?;
    Some(CooperativeVectorMatrixLayout(u32::try_from(number).ok()?))
}

/// Checks what a product asks of the layout of its matrix.
fn check_layout(o: &Operation<'_, '_, '_>, product: &Product) -> CheckResult {
    let m = o.m;
    let Some(layout) = layout(o, product.layout).filter(|&layout| !is_optimal(layout)) else {
        return Ok(());
    };
    let wrong = |why: &str| {
        let message = format!("{} can't have the layout `{layout}`: {why}", o.op);
        o.finding(&rule::LAYOUT, message).arg(o.at, product.layout)
    };
    let is_transposed = m.op_of(o.id(product.layout + 1)) == Op::ConstantTrue;
    let transposed = expect(!is_transposed, || {
        wrong("only optimal layouts can be transposed")
    });
    let interpretation = m.constant_u64(o.id(4)).map(|it| ComponentType(it as u32));
    let is_small = matches!(
        interpretation,
        Some(ComponentType::FloatE4M3NV | ComponentType::FloatE5M2NV)
    );
    let small = expect(!is_small || !m.env.is_vulkan(), || {
        wrong("in Vulkan, matrices of 8-bit floats have an optimal layout")
            .vuid(rule::LAYOUT.vuids[0])
            .warning()
    });
    all([transposed, small])
}

/// Checks what Vulkan asks of a vector that is added up.
fn check_summed(o: &Operation<'_, '_, '_>) -> CheckResult {
    let component = o.m.component_type(o.ty(2));
    let is_fine = FLOAT.widths(&[16, 32]).matches(o.m, component) || !o.m.env.is_vulkan();
    expect(is_fine, || {
        let wanted = "a vector of 16-bit or 32-bit floats in Vulkan";
        let finding = o.operand_finding(&rule::COMPONENT, 2, wanted);
        finding.vuid(rule::COMPONENT.vuids[0]).warning()
    })
}

/// Checks the vectors of an outer product, and what Vulkan asks of it.
fn check_factors(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let [one, other] = [2, 3].map(|index| m.component_type(o.ty(index)));
    let same = expect(one == other, || {
        let message = format!(
            "both vectors of {} must have the same components, but one has {} and the other {}",
            o.op,
            m.show_type(one),
            m.show_type(other)
        );
        o.finding(&rule::COMPONENT, message).arg(o.at, 3)
    });
    if !m.env.is_vulkan() {
        return same;
    }
    let halves = expect(FLOAT.widths(&[16]).matches(m, one), || {
        let finding = o.operand_finding(&rule::COMPONENT, 2, "a vector of 16-bit floats in Vulkan");
        finding.vuid(rule::COMPONENT.vuids[1]).warning()
    });
    let interpretation = m.constant_u64(o.id(5)).map(|it| ComponentType(it as u32));
    let is_float = matches!(
        interpretation,
        None | Some(ComponentType::Float16NV | ComponentType::Float32NV)
    );
    let interpreted = expect(is_float, || {
        let wanted = "`Float16NV` or `Float32NV` in Vulkan";
        let finding = o.operand_finding(&rule::COMPONENT, 5, wanted);
        finding.vuid(rule::COMPONENT.vuids[1]).warning()
    });
    let layout = layout(o, 4);
    let is_for_training =
        layout.is_none_or(|it| it == CooperativeVectorMatrixLayout::TrainingOptimalNV);
    let trained = expect(is_for_training, || {
        let wanted = "`TrainingOptimalNV` in Vulkan";
        let finding = o.operand_finding(&rule::LAYOUT, 4, wanted);
        finding.vuid(rule::LAYOUT.vuids[1]).warning()
    });
    all([same, halves, interpreted, trained])
}

/// Checks the offsets and strides that are constants.
fn check_alignment(o: &Operation<'_, '_, '_>) -> CheckResult {
    let aligned = |index: usize, alignment: u64, which: usize| {
        let number = match o.args.len() > index {
            true => o.m.constant_u64(o.id(index)),
            false => None,
        };
        let is_aligned = number.is_none_or(|number| number.is_multiple_of(alignment));
        expect(is_aligned, || {
            let wanted = format!("a multiple of {alignment} in Vulkan");
            let finding = o.operand_finding(&rule::ALIGNMENT, index, &wanted);
            finding.vuid(rule::ALIGNMENT.vuids[which]).warning()
        })
    };
    match (o.op, Product::of(o.op)) {
        (_, Some(product)) => {
            let is_plain = layout(o, product.layout).is_some_and(|layout| !is_optimal(layout));
            let stride = match is_plain {
                true => aligned(product.layout + 2, 16, 0),
                false => Ok(()),
            };
            let bias = product.bias.map_or(Ok(()), |index| aligned(index, 16, 2));
            all([aligned(3, 64, 1), bias, stride])
        }
        (Op::CooperativeVectorReduceSumAccumulateNV, _) => aligned(1, 16, 4),
        (Op::CooperativeVectorOuterProductAccumulateNV, _) => aligned(1, 64, 5),
        _ => aligned(1, 16, 3),
    }
}
