//! How images are sampled (Vulkan, "Samplers").

use spirvkit_eval::Texel;

/// How the texels near a place give a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Filter {
    /// The nearest one is it.
    Nearest,
    /// They are weighted by how near they are.
    Linear,
}

/// What is taken for texels beyond the edges of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AddressMode {
    /// The image again.
    Repeat,
    /// The image again, every other time mirrored.
    MirroredRepeat,
    /// The texel at the edge.
    ClampToEdge,
    /// The colour of the border.
    ClampToBorder,
    /// The image mirrored once, and behind it the texel at the edge.
    MirrorClampToEdge,
}

/// The colour of the border. Components that the format doesn't have are as anywhere in the
/// image.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum BorderColor {
    /// All components are 0.
    TransparentBlack,
    /// All components are 0, and alpha is 1.
    OpaqueBlack,
    /// All components are 1.
    OpaqueWhite,
    /// Any colour, for images of floating-point numbers.
    Float([f32; 4]),
    /// Any colour, for images of integers.
    Integer([i32; 4]),
}

/// How a reference is compared with a depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CompareOp {
    /// False.
    Never,
    /// The reference is less.
    Less,
    /// They are equal.
    Equal,
    /// The reference is less, or equal.
    LessOrEqual,
    /// The reference is greater.
    Greater,
    /// They are not equal.
    NotEqual,
    /// The reference is greater, or equal.
    GreaterOrEqual,
    /// True.
    Always,
}

/// What becomes of the texels that a filter chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reduction {
    /// Their weighted average.
    WeightedAverage,
    /// The least of those whose weight is not zero.
    Min,
    /// The greatest of those whose weight is not zero.
    Max,
}

spirvkit_binary::options! {
    /// How an image is sampled.
    ///
    /// ```
    /// use spirvkit_interp::{AddressMode, Filter, Sampler};
    ///
    /// let sampler = Sampler::default()
    ///     .mag_filter(Filter::Linear)
    ///     .address_modes([AddressMode::ClampToEdge; 3]);
    /// assert_eq!(sampler.min_filter, Filter::Nearest);
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct Sampler {
        /// The filter where texels are larger than what is sampled.
        pub mag_filter: Filter = Filter::Nearest,
        /// The filter where they are smaller.
        pub min_filter: Filter = Filter::Nearest,
        /// The filter between mip levels.
        pub mip_filter: Filter = Filter::Nearest,
        /// What is beyond the edges, for each dimension. Cubes have none.
        pub address_modes: [AddressMode; 3] = [AddressMode::Repeat; 3],
        /// The colour of the border.
        pub border_color: BorderColor = BorderColor::TransparentBlack,
        /// What is added to the level of detail.
        pub lod_bias: f32 = 0.0,
        /// The least level of detail.
        pub min_lod: f32 = 0.0,
        /// The greatest level of detail; 1000 stands for no limit.
        pub max_lod: f32 = 1000.0,
        /// How instructions with a reference compare.
        pub compare: Option<CompareOp> = None,
        /// Whether coordinates count texels, instead of going from 0 to 1.
        pub unnormalized: bool = false,
        /// How many samples are taken along a line at most, where what is sampled is longer
        /// than wide.
        pub max_anisotropy: f32 = 1.0,
        /// What becomes of the texels that a filter chooses.
        pub reduction: Reduction = Reduction::WeightedAverage,
    }
}

impl BorderColor {
    /// The colour for texels of the same kind as another.
    pub(super) fn like(self, texel: &Texel) -> Texel {
        let integers = match self {
            Self::TransparentBlack => [0, 0, 0, 0],
            Self::OpaqueBlack => [0, 0, 0, 1],
            Self::OpaqueWhite => [1, 1, 1, 1],
            Self::Integer(color) => color,
            // Which of the two is used where is undefined if they don't match.
            Self::Float(color) => color.map(|value| value as i32),
        };
        match (texel, self) {
            (Texel::Float(_), Self::Float(color)) => Texel::Float(color.map(f64::from)),
            (Texel::Float(_), _) => Texel::Float(integers.map(f64::from)),
            (Texel::Signed(_), _) => Texel::Signed(integers.map(i64::from)),
            (Texel::Unsigned(_), _) => {
                Texel::Unsigned(integers.map(|value| u64::from(value as u32)))
            }
        }
    }
}

impl CompareOp {
    /// The result for a reference and a depth.
    pub(super) fn is_true(self, reference: f64, depth: f64) -> bool {
        match self {
            Self::Never => false,
            Self::Less => reference < depth,
            Self::Equal => reference == depth,
            Self::LessOrEqual => reference <= depth,
            Self::Greater => reference > depth,
            Self::NotEqual => reference != depth,
            Self::GreaterOrEqual => reference >= depth,
            Self::Always => true,
        }
    }
}
