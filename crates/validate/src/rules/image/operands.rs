//! Image operands (specification, section 3.14).

use super::shape::{self, Lod, NUMBERS, place_float, traits};
use crate::finding::{CheckResult, Finding, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Image, Lookup, Type};
use crate::pattern::{I32, Pattern};
use crate::rule::Rule;
use crate::rules::generated::image;
use crate::rules::scopes;
use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{Capability, Dim, ImageOperands, Op};

/// The operands with their bits and how many ids each has, in order.
const OPERANDS: [(ImageOperands, usize); 11] = [
    (ImageOperands::Bias, 1),
    (ImageOperands::Lod, 1),
    (ImageOperands::Grad, 2),
    (ImageOperands::ConstOffset, 1),
    (ImageOperands::Offset, 1),
    (ImageOperands::ConstOffsets, 1),
    (ImageOperands::Sample, 1),
    (ImageOperands::MinLod, 1),
    (ImageOperands::MakeTexelAvailable, 1),
    (ImageOperands::MakeTexelVisible, 1),
    (ImageOperands::Offsets, 1),
];

const ANY_OFFSET: u32 = ImageOperands::ConstOffset.0
    | ImageOperands::Offset.0
    | ImageOperands::ConstOffsets.0
    | ImageOperands::Offsets.0;

/// Reads or writes single texels, without a filter.
fn is_access(op: Op) -> bool {
    matches!(
        op,
        Op::ImageFetch
            | Op::ImageSparseFetch
            | Op::ImageRead
            | Op::ImageSparseRead
            | Op::ImageWrite
    )
}

/// Checks the image operands, whose mask is the word at `first`, if it is there.
pub(super) fn check(at: &InstCtx<'_, '_>, image: &Image, first: usize) -> CheckResult {
    let mask = ImageOperands(at.inst.optional(first).unwrap_or(0));
    let lacks_sample =
        image.multisampled && !mask.contains(ImageOperands::Sample) && is_access(at.inst.op());
    let sample = expect(!lacks_sample, || {
        let what = "needs the image operand `Sample` for a multisampled image";
        super::wrong_image(at, &image::OPERAND_IMAGE, at.id(0), what)
    });
    let given = match mask.0 {
        0 => Ok(()),
        _ => check_given(at, image, mask, first),
    };
    all([check_sign(at, image, mask), sample, given])
}

/// Checks the operands that there are.
fn check_given(
    at: &InstCtx<'_, '_>,
    image: &Image,
    mask: ImageOperands,
    first: usize,
) -> CheckResult {
    let offsets = expect((mask.0 & ANY_OFFSET).count_ones() <= 1, || {
        let message = format!(
            "{} has more than one kind of offset: `{mask}`",
            at.inst.op()
        );
        at.finding(&image::OPERAND_EXCLUSIVE, message)
    });
    let has_both = mask.contains(ImageOperands::Lod | ImageOperands::Grad);
    let levels = expect(!has_both, || {
        let message = format!("{} has both `Lod` and `Grad`", at.inst.op());
        at.finding(&image::OPERAND_EXCLUSIVE, message)
    });
    let is_for_sampling = image.sampled == 1 || !at.m.env.is_vulkan();
    let unsampled = expect(mask.0 & ANY_OFFSET == 0 || is_for_sampling, || {
        let message = format!(
            "in Vulkan, {} can have an offset only if the image's type has `Sampled` 1",
            at.inst.op()
        );
        at.finding(&image::VULKAN_OFFSET_SAMPLED, message)
            .arg(at, first)
    });
    // Which of them is meant, nobody knows.
    let (has_odd_offsets, has_odd_levels) = (offsets.is_err(), levels.is_err());
    let mut next = first + 1;
    let each = OPERANDS.into_iter().map(|(operand, ids)| {
        if !mask.contains(operand) {
            return Ok(());
        }
        let index = next;
        next += ids;
        if has_odd_offsets && operand.0 & ANY_OFFSET != 0
            || has_odd_levels && matches!(operand, ImageOperands::Lod | ImageOperands::Grad)
        {
            return Ok(());
        }
        let given = Given {
            image,
            mask,
            operand,
            index,
        };
        given.check(at)
    });
    let each = all(each);
    all([offsets, levels, unsampled, each, check_extension(at, mask)])
}

/// An image operand of an instruction.
struct Given<'i> {
    image: &'i Image,
    /// All operands of the instruction.
    mask: ImageOperands,
    operand: ImageOperands,
    /// Where its first id is.
    index: usize,
}

impl Given<'_> {
    fn check(&self, at: &InstCtx<'_, '_>) -> CheckResult {
        self.check_opcode(at)?;
        match self.operand {
            ImageOperands::Bias | ImageOperands::MinLod => all([
                self.expect(at, 0, place_float(at.m)),
                self.expect_levels(at),
            ]),
            ImageOperands::Lod => {
                let takes_float = match traits(at.inst.op()) {
                    traits if traits.gathers => true,
                    traits => traits.lod == Lod::Explicit,
                };
                let level = match takes_float {
                    true => self.expect(at, 0, place_float(at.m)),
                    false => self.expect(at, 0, I32),
                };
                all([level, self.expect_levels(at)])
            }
            ImageOperands::Grad => {
                let gradients = all((0..2).map(|index| {
                    let ty = self.expect(at, index, place_float(at.m).scalar_or_vector());
                    all([ty, self.expect_plane(at, index)])
                }));
                all([gradients, self.expect_single_sampled(at)])
            }
            ImageOperands::ConstOffset | ImageOperands::Offset => self.check_offset(at),
            ImageOperands::ConstOffsets | ImageOperands::Offsets => self.check_offsets(at),
            ImageOperands::Sample => {
                let image = expect(self.image.multisampled, || {
                    self.wrong_image(at, "a multisampled image")
                });
                all([image, self.expect(at, 0, I32)])
            }
            ImageOperands::MakeTexelAvailable | ImageOperands::MakeTexelVisible => {
                let is_shared = self.mask.contains(ImageOperands::NonPrivateTexel);
                let shared = expect(is_shared, || {
                    let message = format!(
                        "`{}` of {} also needs `NonPrivateTexel`",
                        self.operand,
                        at.inst.op()
                    );
                    at.finding(&image::OPERAND_NON_PRIVATE, message)
                });
                all([shared, scopes::check_memory(at, at.id(self.index))])
            }
            _ => Ok(()),
        }
    }

    /// Checks that the instruction takes the operand.
    fn check_opcode(&self, at: &InstCtx<'_, '_>) -> CheckResult {
        let m = at.m;
        let op = at.inst.op();
        let traits = traits(op);
        // SPV_AMD_texture_gather_bias_lod.
        let gathers_levels = || {
            matches!(op, Op::ImageGather | Op::ImageSparseGather)
                && m.has(Capability::ImageGatherBiasLodAMD)
        };
        // SPV_AMD_shader_image_load_store_lod, cl_khr_mipmap_image.
        let accesses_levels = || match op {
            _ if m.has(Capability::ImageReadWriteLodAMD) => {
                matches!(op, Op::ImageRead | Op::ImageWrite | Op::ImageSparseRead)
            }
            Op::ImageRead => m.has(Capability::Kernel),
            Op::ImageWrite => m.has(Capability::ImageMipmap),
            _ => false,
        };
        let is_right = match self.operand {
            ImageOperands::Bias => traits.lod == Lod::Implicit || gathers_levels(),
            ImageOperands::Lod => {
                traits.lod == Lod::Explicit
                    || matches!(op, Op::ImageFetch | Op::ImageSparseFetch)
                    || gathers_levels()
                    || accesses_levels()
            }
            ImageOperands::Grad => traits.lod == Lod::Explicit,
            ImageOperands::ConstOffsets | ImageOperands::Offsets => traits.gathers,
            ImageOperands::Sample => is_access(op),
            ImageOperands::MinLod => {
                traits.lod == Lod::Implicit || self.mask.contains(ImageOperands::Grad)
            }
            ImageOperands::MakeTexelAvailable => op == Op::ImageWrite,
            ImageOperands::MakeTexelVisible => {
                matches!(op, Op::ImageRead | Op::ImageSparseRead)
            }
            _ => true,
        };
        if is_right {
            return Ok(());
        }
        let message = format!("{op} can't have the image operand `{}`", self.operand);
        Err(at.finding(&image::OPERAND_OPCODE, message))
    }

    fn expect(&self, at: &InstCtx<'_, '_>, id: usize, wanted: Pattern) -> CheckResult {
        let id = at.id(self.index + id);
        match at.m.type_of(id) {
            Some(ty) if !wanted.matches(at.m, ty) => {
                Err(self.wrong(at, &image::OPERAND_TYPE, id, &wanted.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Checks that an operand has a component for each dimension. What has no components
    /// is of another type than is expected, too.
    fn expect_plane(&self, at: &InstCtx<'_, '_>, id: usize) -> CheckResult {
        let id = at.id(self.index + id);
        let size = shape::plane_size(self.image.dim);
        match at.m.type_of(id) {
            Some(ty) if !NUMBERS.matches(at.m, ty) => Ok(()),
            Some(ty) if at.m.dimension(ty) != size => {
                let expected = format!("of {}", counted(size as usize, "component"));
                Err(self.wrong(at, &image::OPERAND_SIZE, id, &expected))
            }
            _ => Ok(()),
        }
    }

    fn expect_levels(&self, at: &InstCtx<'_, '_>) -> CheckResult {
        let levels = expect(shape::has_levels(self.image.dim), || {
            self.wrong_image(at, "an image with levels: `1D`, `2D`, `3D` or `Cube`")
        });
        all([levels, self.expect_single_sampled(at)])
    }

    fn expect_single_sampled(&self, at: &InstCtx<'_, '_>) -> CheckResult {
        match self.image.multisampled {
            true => Err(self.wrong_image(at, "an image that is not multisampled")),
            false => Ok(()),
        }
    }

    fn check_offset(&self, at: &InstCtx<'_, '_>) -> CheckResult {
        let ty = self.expect(at, 0, I32.scalar_or_vector());
        let constant = match self.operand {
            ImageOperands::ConstOffset => self.expect_constant(at),
            _ => Ok(()),
        };
        // Of a cube, nobody knows what it should be.
        let size = match self.image.dim {
            Dim::Cube => Ok(()),
            _ => self.expect_plane(at, 0),
        };
        let is_for_gathers = self.operand == ImageOperands::Offset
            && at.m.env.is_vulkan()
            && !at.m.options.allow_offset_texture_operand;
        let gathers = expect(!is_for_gathers || traits(at.inst.op()).gathers, || {
            let message = format!(
                "{} does not gather, so it can't have an `Offset` in Vulkan",
                at.inst.op()
            );
            at.finding(&image::VULKAN_OFFSET, message)
        });
        all([self.expect_no_cube(at), ty, constant, size, gathers])
    }

    fn check_offsets(&self, at: &InstCtx<'_, '_>) -> CheckResult {
        let id = at.id(self.index);
        let m = at.m;
        let Some(ty) = m.type_of(id) else {
            return self.expect_no_cube(at);
        };
        let four = || Err(self.wrong(at, &image::OPERAND_SIZE, id, "an array of four offsets"));
        let (length, element) = match m.ty(ty) {
            Type::Array { element, length } => (
                match m.default_u64(length) == Some(4) {
                    true => Ok(()),
                    false => four(),
                },
                expect(I32.vector_of(&[2]).matches(m, element), || {
                    let expected = "an array of vectors of two 32-bit integers";
                    self.wrong(at, &image::OPERAND_TYPE, id, expected)
                }),
            ),
            _ => (four(), Ok(())),
        };
        let constant = match self.operand {
            ImageOperands::ConstOffsets => self.expect_constant(at),
            _ => Ok(()),
        };
        all([self.expect_no_cube(at), length, element, constant])
    }

    fn expect_no_cube(&self, at: &InstCtx<'_, '_>) -> CheckResult {
        expect(self.image.dim != Dim::Cube, || {
            self.wrong_image(at, "an image that is not a cube")
        })
    }

    fn expect_constant(&self, at: &InstCtx<'_, '_>) -> CheckResult {
        let id = at.id(self.index);
        match at.m.type_of(id).is_none() || at.m.is_constant(id) {
            true => Ok(()),
            false => Err(self.wrong(at, &image::OPERAND_CONSTANT, id, "a constant")),
        }
    }

    #[cold]
    fn wrong(&self, at: &InstCtx<'_, '_>, rule: &'static Rule, id: Id, expected: &str) -> Finding {
        let message = format!(
            "image operand `{}` of {} must be {expected}, but is {}",
            self.operand,
            at.inst.op(),
            at.m.show_value(id)
        );
        let finding = at.finding(rule, message);
        finding.about(at.m, id, "the operand is defined here")
    }

    #[cold]
    fn wrong_image(&self, at: &InstCtx<'_, '_>, expected: &str) -> Finding {
        let what = format!(
            "has the image operand `{}`, which needs {expected}",
            self.operand
        );
        super::wrong_image(at, &image::OPERAND_IMAGE, at.id(0), &what)
    }
}

/// In Vulkan, an access has the sign of the image's format.
fn check_sign(at: &InstCtx<'_, '_>, image: &Image, mask: ImageOperands) -> CheckResult {
    if !at.m.env.is_vulkan() {
        return Ok(());
    }
    let Some(format_is_signed) = shape::format_sign(image.format) else {
        return Ok(());
    };
    let is_signed = match at.m.ty(image.sampled_type) {
        _ if mask.contains(ImageOperands::SignExtend) => true,
        _ if mask.contains(ImageOperands::ZeroExtend) => false,
        Type::Int { signed, .. } => signed,
        _ => return Ok(()),
    };
    if is_signed == format_is_signed {
        return Ok(());
    }
    let sign = |is_signed| if is_signed { "signed" } else { "unsigned" };
    let what = format!(
        "accesses texels of the {} format {} as {}",
        sign(format_is_signed),
        image.format,
        sign(is_signed)
    );
    Err(super::wrong_image(at, &image::FORMAT_SIGN, at.id(0), &what))
}

/// Only integers are extended, and by zeros only those without a sign.
fn check_extension(at: &InstCtx<'_, '_>, mask: ImageOperands) -> CheckResult {
    let has_zero = mask.contains(ImageOperands::ZeroExtend);
    if !has_zero && !mask.contains(ImageOperands::SignExtend) {
        return Ok(());
    }
    let texel = match at.inst.op() {
        Op::ImageWrite => at.m.type_of(at.id(2)),
        // What is no texel is reported as such.
        _ => super::texel_of(at).ok(),
    };
    let what = match texel.map(|texel| at.m.ty(at.m.component_type(texel))) {
        Some(Type::Float { .. }) => "floats",
        Some(Type::Int { signed: true, .. }) if has_zero => "signed integers",
        _ => return Ok(()),
    };
    let operand = if has_zero { "ZeroExtend" } else { "SignExtend" };
    let message = format!(
        "{} has `{operand}`, but its texels are {what}",
        at.inst.op()
    );
    Err(at.finding(&image::OPERAND_ZERO_EXTEND, message))
}
