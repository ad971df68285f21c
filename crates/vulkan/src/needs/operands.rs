//! Operands that limits bound, as far as they are constants.

use spirvkit_analysis::index::Inst;
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::{Definition, Id, Import};
use spirvkit_grammar::{Capability, ExtInstSet, GlslStd450, LoopControl, Op, Scope, StorageClass};

use super::{Need, Wanted, feature, features, limit, reach};
use crate::tables::Enable;

/// Adds what the operands of an instruction need.
pub(super) fn add(m: &ModuleIndex<'_>, inst: Inst<'_>, all: &mut Vec<Need>) {
    let mut add = |vuid, what: String, wanted: Option<Wanted>| {
        all.extend(wanted.map(|wanted| Need {
            offset: inst.offset(),
            vuid,
            what,
            wanted,
        }));
    };
    match inst.op() {
        Op::LoopMerge => {
            let queues = wait_queues(inst);
            if let Some(queues) = queues {
                add(
                    "VUID-RuntimeSpirv-maxShaderWaitQueues-12426",
                    format!("a loop with {queues} queues"),
                    reach("maxShaderWaitQueues", 0, queues.into()),
                );
            }
        }
        Op::HitObjectSetShaderBindingTableRecordIndexEXT => {
            if let Some(index) = m.constant_u64(inst.id(1)) {
                add(
                    "VUID-RuntimeSpirv-maxShaderBindingTableRecordIndex-11888",
                    format!("the record {index}"),
                    reach("maxShaderBindingTableRecordIndex", 0, index),
                );
            }
        }
        op if block_size(op).is_some() => {
            for (dimension, size) in numbers(m, inst.id(4)).into_iter().enumerate() {
                let Some(vuid) = block_size(op) else { continue };
                add(
                    vuid,
                    format!("a block of {size} texels in {}", ["x", "y"][dimension & 1]),
                    reach_number("maxBlockMatchRegion", dimension, size),
                );
            }
        }
        Op::ImageBoxFilterQCOM => {
            let sizes = numbers(m, inst.id(2));
            if let Some(&height) = sizes.get(1) {
                add(
                    "VUID-RuntimeSpirv-OpImageBoxFilterQCOM-06989",
                    format!("a box of {height} texels in y"),
                    reach_number("maxBoxFilterBlockSize", 1, height),
                );
            }
        }
        Op::ExtInst => interpolation(m, inst, all),
        Op::TensorReadARM => tensor(m, inst.result_type(), add),
        Op::TensorWriteARM => tensor(m, m.type_of(inst.id(2)), add),
        Op::TypeCooperativeMatrixKHR => matrix(m, inst, add),
        Op::CooperativeVectorReduceSumAccumulateNV => {
            let vector = m.type_of(inst.id(2));
            let width = vector.map_or(0, |ty| m.bit_width(m.component_type(ty)));
            training(
                width,
                "VUID-RuntimeSpirv-OpCooperativeVectorReduceSumAccumulateNV-10092",
                add,
            );
        }
        Op::CooperativeVectorOuterProductAccumulateNV => {
            // `VK_COMPONENT_TYPE_FLOAT16_KHR` and `VK_COMPONENT_TYPE_FLOAT32_KHR`.
            let width = match m.constant_u64(inst.id(5)) {
                Some(0) => 16,
                Some(1) => 32,
                _ => return,
            };
            training(
                width,
                "VUID-RuntimeSpirv-OpCooperativeVectorOuterProductAccumulateNV-10093",
                add,
            );
        }
        Op::ImageTexelPointer | Op::UntypedImageTexelPointerEXT => {
            // An untyped one has the type of the image first.
            let first = usize::from(inst.op() == Op::UntypedImageTexelPointerEXT);
            if is_tile_attachment(m, inst.id(first)) {
                add(
                    "VUID-RuntimeSpirv-OpImage-10706",
                    "a pointer to a texel of an attachment of the tile".to_owned(),
                    Some(feature("tileShadingAtomicOps")),
                );
            }
        }
        _ => {}
    }
    processing(m, inst, all);
}

/// A limit that a number reaches.
fn reach_number(name: &str, dimension: usize, value: f64) -> Option<Wanted> {
    Some(Wanted::Reach {
        limit: limit(name)?,
        dimension,
        value,
    })
}

/// The rule for the sizes of blocks that an instruction matches.
fn block_size(op: Op) -> Option<&'static str> {
    use Op as O;
    match op {
        O::ImageBlockMatchSSDQCOM | O::ImageBlockMatchSADQCOM => {
            Some("VUID-RuntimeSpirv-OpImageBlockMatchSSDQCOM-06988")
        }
        O::ImageBlockMatchWindowSSDQCOM
        | O::ImageBlockMatchWindowSADQCOM
        | O::ImageBlockMatchGatherSSDQCOM
        | O::ImageBlockMatchGatherSADQCOM => Some("VUID-RuntimeSpirv-maxBlockMatchRegion-09225"),
        _ => None,
    }
}

/// The components of a constant vector; none if it isn't constant.
fn numbers(m: &ModuleIndex<'_>, id: Id) -> Vec<f64> {
    let Some(inst) = m.def(id).filter(|it| it.op() == Op::ConstantComposite) else {
        return Vec::new();
    };
    // Vectors have four components at most.
    let each = inst.args().iter().take(4).map(|&part| number(m, Id(part)));
    each.collect::<Option<_>>().unwrap_or_default()
}

fn number(m: &ModuleIndex<'_>, id: Id) -> Option<f64> {
    match m.ty_of(id) {
        Type::Int { .. } => m.constant_i64(id).map(|it| it as f64),
        Type::Float { width: 32, .. } => {
            let constant = m.def(id).filter(|it| it.op() == Op::Constant)?;
            Some(f32::from_bits(constant.arg(0)).into())
        }
        _ => None,
    }
}

/// How many queues a loop asks for. Their number is behind those of all masks with lower bits.
fn wait_queues(inst: Inst<'_>) -> Option<u32> {
    let controls = inst.optional(2)?;
    let is_asked = controls & LoopControl::MultipleWaitQueuesQCOM.0 != 0;
    is_asked.then(|| inst.args().last().copied())?
}

/// Fragments that are larger than a pixel, whose offsets may be greater.
const LARGE_FRAGMENTS: &[&str] = &[
    "pipelineFragmentShadingRate",
    "primitiveFragmentShadingRate",
    "attachmentFragmentShadingRate",
    "shadingRateImage",
    "fragmentDensityMap",
];

/// Constant offsets at which inputs are interpolated.
fn interpolation(m: &ModuleIndex<'_>, inst: Inst<'_>, all: &mut Vec<Need>) {
    let set = m.definitions.get(inst.id(0));
    let is_glsl = set == Definition::Import(Import::Known(ExtInstSet::GlslStd450));
    if !is_glsl || inst.arg(1) != GlslStd450::InterpolateAtOffset.0 {
        return;
    }
    let rules = [
        [
            ("minInterpolationOffset", "VUID-RuntimeSpirv-Offset-06344"),
            ("maxInterpolationOffset", "VUID-RuntimeSpirv-Offset-06345"),
        ],
        [
            ("minInterpolationOffset", "VUID-RuntimeSpirv-Offset-06346"),
            ("maxInterpolationOffset", "VUID-RuntimeSpirv-Offset-06347"),
        ],
    ];
    for (value, rules) in numbers(m, inst.id(3)).into_iter().zip(rules) {
        let (name, vuid) = rules[usize::from(value > 0.0)];
        let reached = reach_number(name, 0, value).filter(|_| value != 0.0);
        all.extend(reached.map(|reached| Need {
            offset: inst.offset(),
            vuid,
            what: format!("an offset of {value} pixels"),
            wanted: Wanted::Either(vec![features(LARGE_FRAGMENTS), reached]),
        }));
    }
}

/// What one access to a tensor reads or writes.
fn tensor(
    m: &ModuleIndex<'_>,
    ty: Option<Id>,
    mut add: impl FnMut(&'static str, String, Option<Wanted>),
) {
    let Some(ty) = ty else { return };
    let (length, element) = match m.ty(ty) {
        Type::Array { element, .. } => match m.array_length(ty) {
            Some(length) => (length, element),
            None => return,
        },
        _ => (1, ty),
    };
    if length > 1 {
        add(
            "VUID-RuntimeSpirv-maxTensorShaderAccessArrayLength-09903",
            format!("an access to {length} elements of a tensor"),
            reach("maxTensorShaderAccessArrayLength", 0, length),
        );
    }
    // Booleans have no size of their own.
    let bytes = length.saturating_mul(u64::from(m.bit_width(element)) / 8);
    if bytes > 0 {
        add(
            "VUID-RuntimeSpirv-maxTensorShaderAccessSize-09904",
            format!("an access to {bytes} bytes of a tensor"),
            reach("maxTensorShaderAccessSize", 0, bytes),
        );
    }
}

/// The scope and the dimensions of a cooperative matrix.
fn matrix(
    m: &ModuleIndex<'_>,
    inst: Inst<'_>,
    mut add: impl FnMut(&'static str, String, Option<Wanted>),
) {
    if m.constant_u64(inst.id(1)) == Some(Scope::Workgroup.0.into()) {
        add(
            "VUID-RuntimeSpirv-cooperativeMatrixWorkgroupScope-10164",
            "a matrix of a workgroup".to_owned(),
            Some(feature("cooperativeMatrixWorkgroupScope")),
        );
    }
    let dimensions = [2, 3].map(|index| m.constant_u64(inst.id(index)));
    let Some(most) = dimensions.into_iter().flatten().max() else {
        return;
    };
    // The limit came with the extension, and is about what it brings.
    let without = Wanted::OneOf(vec![Enable::Without("VK_NV_cooperative_matrix2")]);
    let reached = reach("cooperativeMatrixFlexibleDimensionsMaxDimension", 0, most);
    add(
        "VUID-RuntimeSpirv-cooperativeMatrixFlexibleDimensionsMaxDimension-10167",
        format!("a matrix with {most} rows or columns"),
        reached.map(|reached| Wanted::Either(vec![without, reached])),
    );
}

/// Sums in memory of products of cooperative vectors.
fn training(
    width: u32,
    vuid: &'static str,
    mut add: impl FnMut(&'static str, String, Option<Wanted>),
) {
    let name = match width {
        16 => "cooperativeVectorTrainingFloat16Accumulation",
        32 => "cooperativeVectorTrainingFloat32Accumulation",
        _ => return,
    };
    let what = format!("summing up numbers of {width} bits");
    let wanted = limit(name).map(|property| Wanted::Told {
        property,
        values: &["VK_TRUE"],
    });
    add(vuid, what, wanted);
}

/// The most operands that lead to an image.
const MAX_STEPS: usize = 8;

/// Whether an image, or a pointer to it, is of a tile's attachment.
fn is_tile_attachment(m: &ModuleIndex<'_>, mut id: Id) -> bool {
    for _ in 0..MAX_STEPS {
        let Some(inst) = m.def(id) else { return false };
        id = match inst.op() {
            Op::Variable => return inst.arg(0) == StorageClass::TileAttachmentQCOM.0,
            Op::UntypedVariableKHR => return inst.arg(0) == StorageClass::TileAttachmentQCOM.0,
            Op::Load
            | Op::SampledImage
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::CopyObject => inst.id(0),
            Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => inst.id(1),
            _ => return false,
        };
    }
    false
}

/// Images of a tile that image processing reads.
fn processing(m: &ModuleIndex<'_>, inst: Inst<'_>, all: &mut Vec<Need>) {
    let is_matching = block_size(inst.op()).is_some();
    let images: &[usize] = match inst.op() {
        Op::ImageSampleWeightedQCOM => &[0, 2],
        Op::ImageBoxFilterQCOM => &[0],
        _ if is_matching => &[0, 2],
        _ => return,
    };
    if !m.has(Capability::TileShadingQCOM) {
        return;
    }
    if images
        .iter()
        .any(|&index| is_tile_attachment(m, inst.id(index)))
    {
        all.push(Need {
            offset: inst.offset(),
            vuid: "VUID-RuntimeSpirv-tileShadingImageProcessing-10712",
            what: "processing an image of the tile".to_owned(),
            wanted: feature("tileShadingImageProcessing"),
        });
    }
}
