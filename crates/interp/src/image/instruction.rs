//! What instructions on images are lowered to.

use spirvkit_eval::ScalarType;

use crate::program::{NO_REG, Operand, Reg};

/// An instruction on an image.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) op: ImageOp,
    /// The column of the image's object.
    pub(crate) image: Reg,
    /// The column of the sampler's object, or [`NO_REG`].
    pub(crate) sampler: Reg,
    /// The columns of the result, without the residency code.
    pub(crate) to: Vec<Reg>,
    /// The type of the result's components.
    pub(crate) result: ScalarType,
    /// The column of the residency code, or [`NO_REG`].
    pub(crate) residency: Reg,
    pub(crate) at: Coordinates,
    pub(crate) reference: Option<Operand>,
    /// What is written.
    pub(crate) texel: Vec<Operand>,
    pub(crate) lod: LodOperand,
    pub(crate) bias: Option<Operand>,
    pub(crate) min_lod: Option<Operand>,
    /// One for each dimension, or two for each of four texels.
    pub(crate) offsets: Vec<Operand>,
    pub(crate) sample: Option<Operand>,
    /// Whether it is in a kernel, where samplers may be used more freely.
    pub(crate) is_kernel: bool,
    /// Whether it takes integers as signed, if something says so.
    pub(crate) is_signed: Option<bool>,
}

/// The coordinates of an instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coordinates {
    /// One for each dimension.
    pub(crate) axes: Vec<Operand>,
    pub(crate) layer: Option<Operand>,
    /// What the others are divided by.
    pub(crate) divisor: Option<Operand>,
}

#[derive(Clone, Debug)]
pub(crate) enum LodOperand {
    /// There is none.
    None,
    /// From the other invocations of the quad.
    Implicit,
    Explicit(Operand),
    Gradients([Vec<Operand>; 2]),
}

#[derive(Clone, Debug)]
pub(crate) enum ImageOp {
    Sample,
    /// The component that is gathered; none if a reference is compared.
    Gather(Option<Operand>),
    Read,
    Write,
    TexelPointer,
    /// The size of the level that the LOD says, with the layers if they count.
    Size {
        layers: bool,
    },
    Levels,
    Samples,
    Lod,
    Format,
    Order,
}

impl Access {
    /// An instruction that takes nothing but an image.
    pub(crate) fn new(op: ImageOp, image: Reg, result: ScalarType) -> Self {
        Self {
            op,
            image,
            sampler: NO_REG,
            to: Vec::new(),
            result,
            residency: NO_REG,
            at: Coordinates::default(),
            reference: None,
            texel: Vec::new(),
            lod: LodOperand::None,
            bias: None,
            min_lod: None,
            offsets: Vec::new(),
            sample: None,
            is_kernel: false,
            is_signed: None,
        }
    }

    /// All scalars that it takes.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &Operand> {
        let Coordinates {
            axes,
            layer,
            divisor,
        } = &self.at;
        let lod: Vec<&Operand> = match &self.lod {
            LodOperand::None | LodOperand::Implicit => Vec::new(),
            LodOperand::Explicit(lod) => vec![lod],
            LodOperand::Gradients(gradients) => gradients.iter().flatten().collect(),
        };
        let component = match &self.op {
            ImageOp::Gather(component) => component.as_ref(),
            _ => None,
        };
        let single = [
            layer,
            divisor,
            &self.reference,
            &self.bias,
            &self.min_lod,
            &self.sample,
        ];
        let lists = axes.iter().chain(&self.texel).chain(&self.offsets);
        lists
            .chain(single.into_iter().flatten())
            .chain(lod)
            .chain(component)
    }

    /// Whether all columns that it reads and writes are there.
    pub(crate) fn is_complete(
        &self,
        is: impl Fn(&Reg) -> bool,
        of: impl Fn(&Operand) -> bool,
    ) -> bool {
        let optional = |column: &Reg| *column == NO_REG || is(column);
        is(&self.image)
            && optional(&self.sampler)
            && optional(&self.residency)
            && self.to.iter().all(is)
            && self.operands().all(of)
    }
}
