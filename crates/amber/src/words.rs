//! The words that scripts choose from.

/// What one of a few words is chosen for.
pub(crate) trait Words: Copy + 'static {
    /// What it is, for messages.
    const NOUN: &'static str;
    /// All words with what they mean; several may mean the same.
    const ALL: &'static [(&'static str, Self)];
}

/// Declares enumerations by their words. The first word of each is its name.
macro_rules! words {
    ($(
        $(#[$meta:meta])*
        $name:ident, $noun:literal {
            $($variant:ident = $word:literal $(| $alias:literal)*),* $(,)?
        }
    )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`", $word, "`.")] $variant,)*
        }

        impl $name {
            /// The word for it in AmberScript.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl Words for $name {
            const NOUN: &'static str = $noun;
            const ALL: &'static [(&'static str, Self)] =
                &[$(($word, Self::$variant), $(($alias, Self::$variant),)*)*];
        }
    )*};
}

words! {
    /// The stages that shaders are for.
    Stage, "shader type" {
        Vertex = "vertex",
        TessellationControl = "tessellation_control",
        TessellationEvaluation = "tessellation_evaluation",
        Geometry = "geometry",
        Fragment = "fragment",
        Compute = "compute",
        RayGeneration = "ray_generation",
        AnyHit = "any_hit",
        ClosestHit = "closest_hit",
        Miss = "miss",
        Intersection = "intersection",
        Callable = "callable",
        Multi = "multi",
    }
    /// The languages of shaders.
    Language, "shader format" {
        Glsl = "GLSL",
        Hlsl = "HLSL",
        SpirvAssembly = "SPIRV-ASM",
        SpirvHexadecimal = "SPIRV-HEX",
        SpirvBinary = "SPIRV-BIN",
        OpenClC = "OPENCL-C",
        Passthrough = "PASSTHROUGH",
    }
    /// The kinds of pipelines.
    PipelineKind, "pipeline type" {
        Compute = "compute",
        Graphics = "graphics",
        RayTracing = "raytracing" | "ray_tracing",
    }
    /// How many dimensions an image has.
    Dimension, "dimensionality" {
        One = "DIM_1D",
        Two = "DIM_2D",
        Three = "DIM_3D",
    }
    /// How texels are chosen or mixed.
    Filter, "filter" {
        Nearest = "nearest",
        Linear = "linear",
    }
    /// What coordinates outside of an image mean.
    AddressMode, "address mode" {
        Repeat = "repeat",
        MirroredRepeat = "mirrored_repeat",
        ClampToEdge = "clamp_to_edge",
        ClampToBorder = "clamp_to_border",
        MirrorClampToEdge = "mirrored_clamp_to_edge" | "mirror_clamp_to_edge",
    }
    /// The colours outside of an image.
    BorderColor, "border color" {
        FloatTransparentBlack = "float_transparent_black",
        IntTransparentBlack = "int_transparent_black",
        FloatOpaqueBlack = "float_opaque_black",
        IntOpaqueBlack = "int_opaque_black",
        FloatOpaqueWhite = "float_opaque_white",
        IntOpaqueWhite = "int_opaque_white",
    }
    /// Comparisons of depth, of stencil values and by samplers.
    CompareOp, "compare operation" {
        Never = "never",
        Less = "less",
        Equal = "equal",
        LessOrEqual = "less_or_equal",
        Greater = "greater",
        NotEqual = "not_equal",
        GreaterOrEqual = "greater_or_equal",
        Always = "always",
    }
    /// What becomes of a stencil value.
    StencilOp, "stencil operation" {
        Keep = "keep",
        Zero = "zero",
        Replace = "replace",
        IncrementAndClamp = "increment_and_clamp",
        DecrementAndClamp = "decrement_and_clamp",
        Invert = "invert",
        IncrementAndWrap = "increment_and_wrap",
        DecrementAndWrap = "decrement_and_wrap",
    }
    /// Which way polygons face, for stencil tests.
    Face, "face" {
        Front = "front",
        Back = "back",
        FrontAndBack = "front_and_back",
    }
    /// What colours are multiplied by before they are blended.
    BlendFactor, "blend factor" {
        Zero = "zero",
        One = "one",
        SrcColor = "src_color",
        OneMinusSrcColor = "one_minus_src_color",
        DstColor = "dst_color",
        OneMinusDstColor = "one_minus_dst_color",
        SrcAlpha = "src_alpha",
        OneMinusSrcAlpha = "one_minus_src_alpha",
        DstAlpha = "dst_alpha",
        OneMinusDstAlpha = "one_minus_dst_alpha",
        ConstantColor = "constant_color",
        OneMinusConstantColor = "one_minus_constant_color",
        ConstantAlpha = "constant_alpha",
        OneMinusConstantAlpha = "one_minus_constant_alpha",
        SrcAlphaSaturate = "src_alpha_saturate",
        Src1Color = "src1_color",
        OneMinusSrc1Color = "one_minus_src1_color",
        Src1Alpha = "src1_alpha",
        OneMinusSrc1Alpha = "one_minus_src1_alpha",
    }
    /// How colours are blended. From `Zero` on, `VK_EXT_blend_operation_advanced` is needed.
    BlendOp, "blend operation" {
        Add = "add",
        // The documentation of AmberScript spells them so.
        Subtract = "substract" | "subtract",
        ReverseSubtract = "reverse_substract" | "reverse_subtract",
        Min = "min",
        Max = "max",
        Zero = "zero",
        Src = "src",
        Dst = "dst",
        SrcOver = "src_over",
        DstOver = "dst_over",
        SrcIn = "src_in",
        DstIn = "dst_in",
        SrcOut = "src_out",
        DstOut = "dst_out",
        SrcAtop = "src_atop",
        DstAtop = "dst_atop",
        Xor = "xor",
        Multiply = "multiply",
        Screen = "screen",
        Overlay = "overlay",
        Darken = "darken",
        Lighten = "lighten",
        ColorDodge = "color_dodge" | "colordodge",
        ColorBurn = "color_burn" | "colorburn",
        HardLight = "hard_light" | "hardlight",
        SoftLight = "soft_light" | "softlight",
        Difference = "difference",
        Exclusion = "exclusion",
        Invert = "invert",
        InvertRgb = "invert_rgb",
        LinearDodge = "linear_dodge" | "lineardodge",
        LinearBurn = "linear_burn" | "linearburn",
        VividLight = "vivid_light" | "vividlight",
        LinearLight = "linear_light" | "linearlight",
        PinLight = "pin_light" | "pinlight",
        HardMix = "hard_mix" | "hardmix",
        HslHue = "hsl_hue",
        HslSaturation = "hsl_saturation",
        HslColor = "hsl_color",
        HslLuminosity = "hsl_luminosity",
        Plus = "plus",
        PlusClamped = "plus_clamped",
        PlusClampedAlpha = "plus_clamped_alpha",
        PlusDarker = "plus_darker",
        Minus = "minus",
        MinusClamped = "minus_clamped",
        Contrast = "contrast",
        InvertOvg = "invert_org" | "invert_ovg",
        Red = "red",
        Green = "green",
        Blue = "blue",
    }
    /// Bitwise operations on colours.
    LogicOp, "logical operation" {
        Clear = "clear",
        And = "and",
        AndReverse = "and_reverse",
        Copy = "copy",
        AndInverted = "and_inverted",
        NoOp = "no_op",
        Xor = "xor",
        Or = "or",
        Nor = "nor",
        Equivalent = "equivalent",
        Invert = "invert",
        OrReverse = "or_reverse",
        CopyInverted = "copy_inverted",
        OrInverted = "or_inverted",
        Nand = "nand",
        Set = "set",
    }
    /// What is drawn of polygons.
    PolygonMode, "polygon mode" {
        Fill = "fill",
        Line = "line",
        Point = "point",
    }
    /// The order of vertices in polygons that face the viewer.
    FrontFace, "front face" {
        CounterClockwise = "counter_clockwise",
        Clockwise = "clockwise",
    }
    /// Which polygons aren't drawn.
    CullMode, "cull mode" {
        None = "none",
        Front = "front",
        Back = "back",
        FrontAndBack = "front_and_back",
    }
    /// What vertices make up.
    Topology, "topology" {
        PointList = "POINT_LIST" | "GL_POINTS",
        LineList = "LINE_LIST" | "GL_LINES",
        LineListWithAdjacency = "LINE_LIST_WITH_ADJACENCY" | "GL_LINES_ADJACENCY",
        LineStrip = "LINE_STRIP" | "GL_LINE_STRIP",
        LineStripWithAdjacency = "LINE_STRIP_WITH_ADJACENCY" | "GL_LINE_STRIP_ADJACENCY",
        TriangleList = "TRIANGLE_LIST" | "GL_TRIANGLES",
        TriangleListWithAdjacency = "TRIANGLE_LIST_WITH_ADJACENCY" | "GL_TRIANGLES_ADJACENCY",
        TriangleStrip = "TRIANGLE_STRIP" | "GL_TRIANGLE_STRIP",
        TriangleStripWithAdjacency =
            "TRIANGLE_STRIP_WITH_ADJACENCY" | "GL_TRIANGLE_STRIP_ADJACENCY",
        TriangleFan = "TRIANGLE_FAN" | "GL_TRIANGLE_FAN",
        PatchList = "PATCH_LIST" | "GL_PATCHES",
    }
    /// How often the next element of vertex data is read.
    Rate, "rate" {
        Vertex = "vertex",
        Instance = "instance",
    }
    /// What shaders see a buffer as.
    DescriptorKind, "buffer type" {
        Uniform = "uniform",
        Storage = "storage",
        UniformDynamic = "uniform_dynamic",
        StorageDynamic = "storage_dynamic",
        UniformTexelBuffer = "uniform_texel_buffer",
        StorageTexelBuffer = "storage_texel_buffer",
        StorageImage = "storage_image",
        SampledImage = "sampled_image",
        CombinedImageSampler = "combined_image_sampler",
    }
    /// What must hold of all values that are expected.
    Comparator, "comparator" {
        Equal = "EQ" | "==",
        NotEqual = "NE" | "!=",
        Less = "LT" | "<",
        LessOrEqual = "LE" | "<=",
        Greater = "GT" | ">",
        GreaterOrEqual = "GE" | ">=",
    }
    /// What is known of a geometry.
    GeometryFlag, "geometry flag" {
        Opaque = "OPAQUE",
        NoDuplicateAnyHit = "NO_DUPLICATE_ANY_HIT",
    }
    /// What holds of an instance of geometries, as one bit.
    InstanceFlag, "instance flag" {
        TriangleFacingCullDisable = "TRIANGLE_FACING_CULL_DISABLE",
        TriangleFlipFacing = "TRIANGLE_FLIP_FACING",
        ForceOpaque = "FORCE_OPAQUE",
        ForceNoOpaque = "FORCE_NO_OPAQUE",
        ForceOpacityMicromap2State = "FORCE_OPACITY_MICROMAP_2_STATE",
        DisableOpacityMicromaps = "DISABLE_OPACITY_MICROMAPS",
    }
}
