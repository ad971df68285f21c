//! Offsets of texels, which are within limits.

use spirvkit_analysis::index::Inst;
use spirvkit_analysis::{Lookup, ModuleIndex};
use spirvkit_binary::Id;
use spirvkit_grammar::{ImageOperands, Op};

use super::{Need, Wanted};
use crate::tables::Limit;

/// Adds what the constant offsets of an image instruction need.
pub(super) fn add(m: &ModuleIndex<'_>, inst: Inst<'_>, all: &mut Vec<Need>) {
    let Some((is_gather, mask)) = image_operands(inst.op()) else {
        return;
    };
    let (least, most) = match is_gather {
        true => (
            ("minTexelGatherOffset", "VUID-RuntimeSpirv-OpImage-06376"),
            ("maxTexelGatherOffset", "VUID-RuntimeSpirv-OpImage-06377"),
        ),
        false => (
            ("minTexelOffset", "VUID-RuntimeSpirv-OpImageSample-06435"),
            ("maxTexelOffset", "VUID-RuntimeSpirv-OpImageSample-06436"),
        ),
    };
    let Some(offset) = offset_operand(inst, mask) else {
        return;
    };
    let mut numbers = Vec::new();
    constants(m, offset, 2, &mut numbers);
    let ends = [
        (least, numbers.iter().min().filter(|it| **it < 0)),
        (most, numbers.iter().max().filter(|it| **it > 0)),
    ];
    for ((name, vuid), value) in ends {
        let (Some(&value), Some(limit)) = (value, Limit::named(name)) else {
            continue;
        };
        all.push(Need {
            offset: inst.offset(),
            vuid,
            what: format!("an offset of {value} texels"),
            wanted: Wanted::Reach {
                limit,
                dimension: 0,
                value: value as f64,
            },
        });
    }
}

/// Whether an instruction gathers, and which of its arguments is the mask of image operands.
fn image_operands(op: Op) -> Option<(bool, usize)> {
    use Op as O;
    match op {
        O::ImageSampleImplicitLod
        | O::ImageSampleExplicitLod
        | O::ImageSampleProjImplicitLod
        | O::ImageSampleProjExplicitLod
        | O::ImageSparseSampleImplicitLod
        | O::ImageSparseSampleExplicitLod
        | O::ImageFetch
        | O::ImageSparseFetch => Some((false, 2)),
        O::ImageSampleDrefImplicitLod
        | O::ImageSampleDrefExplicitLod
        | O::ImageSampleProjDrefImplicitLod
        | O::ImageSampleProjDrefExplicitLod
        | O::ImageSparseSampleDrefImplicitLod
        | O::ImageSparseSampleDrefExplicitLod => Some((false, 3)),
        O::ImageGather | O::ImageDrefGather | O::ImageSparseGather | O::ImageSparseDrefGather => {
            Some((true, 3))
        }
        _ => None,
    }
}

/// The offset or offsets among the image operands, which are in the order of their bits.
fn offset_operand(inst: Inst<'_>, mask: usize) -> Option<Id> {
    let bits = inst.optional(mask)?;
    let before = [
        (ImageOperands::Bias, 1),
        (ImageOperands::Lod, 1),
        (ImageOperands::Grad, 2),
    ];
    let mut index = mask + 1;
    for (operand, count) in before {
        if bits & operand.0 != 0 {
            index += count;
        }
    }
    let offsets = ImageOperands::ConstOffset | ImageOperands::Offset | ImageOperands::ConstOffsets;
    (bits & offsets.0 != 0).then(|| inst.id(index))
}

/// The numbers that a constant is made of: a scalar, a vector, or four vectors.
fn constants(m: &ModuleIndex<'_>, id: Id, depth: u32, found: &mut Vec<i64>) {
    match m.op_of(id) {
        Op::Constant => found.extend(m.constant_i64(id)),
        Op::ConstantComposite if depth > 0 => {
            let parts = m.def(id).map_or(&[][..], |inst| inst.args());
            for &part in parts.iter().take(4) {
                constants(m, Id(part), depth - 1, found);
            }
        }
        _ => {}
    }
}
