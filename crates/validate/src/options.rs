//! What a module is checked against.

use spirvkit_grammar::{TargetEnv, Version};
use spirvkit_vulkan::Device;

use crate::levels::Levels;

spirvkit_binary::options! {
    /// What a module is checked against: its environment, the extensions of the client API
    /// that relax rules, and the universal limits.
    ///
    /// ```
    /// use spirvkit_validate::Options;
    ///
    /// let options = Options::for_env("vulkan1.3".parse().unwrap());
    /// assert_eq!(options.limits.struct_members, 16_383);
    /// ```
    #[derive(Clone, Debug)]
    pub struct Options {
        /// The environment.
        pub env: TargetEnv = TargetEnv::default(),
        /// The limits of section 2.17 of the specification.
        pub limits: Limits = Limits::default(),
        /// Lets logical addressing allocate and return pointers.
        pub relax_logical_pointer: bool = false,
        /// Lets a store's value have another structure type with the same layout.
        pub relax_struct_store: bool = false,
        /// `VK_KHR_relaxed_block_layout`; part of Vulkan 1.1.
        pub relax_block_layout: bool = false,
        /// `VK_KHR_uniform_buffer_standard_layout`.
        pub uniform_buffer_standard_layout: bool = false,
        /// `VK_EXT_scalar_block_layout`.
        pub scalar_block_layout: bool = false,
        /// The scalar layout for `Workgroup` blocks.
        pub workgroup_scalar_block_layout: bool = false,
        /// Doesn't check the layout of blocks.
        pub skip_block_layout: bool = false,
        /// Accepts the `LocalSizeId` execution mode where the environment doesn't.
        pub allow_local_size_id: bool = false,
        /// Accepts the image operand `Offset` where the environment doesn't.
        pub allow_offset_texture_operand: bool = false,
        /// Accepts bit instructions on bases that are not 32 bits wide where the
        /// environment doesn't.
        pub allow_vulkan_32_bit_bitwise: bool = false,
        /// Accepts what front ends for HLSL leave to legalization.
        pub before_hlsl_legalization: bool = false,
        /// Size and alignment, in bytes, of a sampler's descriptor in a heap.
        pub sampler_descriptor: DescriptorLayout = DescriptorLayout::default(),
        /// Size and alignment, in bytes, of an image's descriptor in a heap.
        pub image_descriptor: DescriptorLayout = DescriptorLayout::default(),
        /// Size and alignment, in bytes, of a buffer's descriptor in a heap.
        pub buffer_descriptor: DescriptorLayout = DescriptorLayout::default(),
        /// Size and alignment, in bytes, of a tensor's descriptor in a heap.
        pub tensor_descriptor: DescriptorLayout = DescriptorLayout::default(),
        /// Checks only the places of instructions of the set `DebugInfo`, not their operands.
        pub skip_debug_info: bool = false,
        /// The greatest number of errors to report; 0 means no limit, except that the report
        /// stays in proportion to the module. Errors that [`levels`](Self::levels) turn into
        /// warnings don't count.
        pub max_errors: usize = 50,
        /// The rules that are reported at another level than their own. A rule that is
        /// allowed, or only warns, hides nothing: consequences of breaking it are reported
        /// under the rules that they break.
        pub levels: Levels = Levels::default(),
        /// The devices that a Vulkan module is meant for. What one of them lacks is an error. What the
        /// features of all of them relax, such as `scalarBlockLayout`, is relaxed.
        pub devices: Vec<Device> = Vec::new(),
        /// Uses the numbers of ids in messages, even where the caller has names for them.
        pub raw_ids: bool = false,
    }
}

/// Size and alignment of a descriptor in a heap (`SPV_EXT_descriptor_heap`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DescriptorLayout {
    /// The size in bytes; 0 when it isn't known.
    pub size: u32,
    /// The alignment in bytes; 0 when it isn't known.
    pub alignment: u32,
}

spirvkit_binary::options! {
    /// The universal limits (specification, section 2.17).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Limits {
        /// Members of a structure.
        pub struct_members: u32 = 16_383,
        /// Depth of structures within structures.
        pub struct_depth: u32 = 255,
        /// Variables of a function.
        pub local_variables: u32 = 524_287,
        /// Variables outside of functions.
        pub global_variables: u32 = 65_535,
        /// Cases of a switch.
        pub switch_branches: u32 = 16_383,
        /// Parameters of a function.
        pub function_args: u32 = 255,
        /// Depth of structured control flow.
        pub control_flow_nesting_depth: u32 = 1_023,
        /// Indexes of an access chain, of `OpCompositeExtract` and of
        /// `OpCompositeInsert`.
        pub access_chain_indexes: u32 = 255,
        /// The header's id bound.
        pub id_bound: u32 = 0x3f_ffff,
    }
}

impl Options {
    /// The rules of an environment, without any relaxation.
    pub fn for_env(env: TargetEnv) -> Self {
        Self::default().env(env)
    }
}

/// The API whose rules an environment adds to the specification's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    /// None: the specification alone.
    Universal,
    Vulkan,
    OpenCl,
    OpenGl,
}

/// What the rules need to know of an environment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Env {
    pub(crate) target: TargetEnv,
    pub(crate) api: Api,
    /// The client API's version: 1.3 for Vulkan 1.3. For `Universal`, the
    /// version of the language.
    pub(crate) api_version: Version,
    /// The newest version of the language that the environment accepts.
    pub(crate) version: Version,
    /// An OpenCL embedded profile.
    pub(crate) embedded: bool,
}

impl Env {
    pub(crate) fn new(target: TargetEnv) -> Self {
        let name = target.name();
        let prefixes = [
            ("vulkan", Api::Vulkan),
            ("opencl", Api::OpenCl),
            ("opengl", Api::OpenGl),
            ("spv", Api::Universal),
        ];
        let (rest, api) = prefixes
            .iter()
            .find_map(|(prefix, api)| Some((name.strip_prefix(prefix)?, *api)))
            .unwrap_or((name, Api::Universal));
        let digit = |index: usize| {
            rest.as_bytes()
                .get(index)
                .map_or(0, |c| c.wrapping_sub(b'0'))
        };
        Self {
            target,
            api,
            api_version: Version::new(digit(0), digit(2)),
            version: target.version(),
            embedded: name.ends_with("embedded"),
        }
    }

    #[inline]
    pub(crate) fn is_vulkan(&self) -> bool {
        self.api == Api::Vulkan
    }

    #[inline]
    pub(crate) fn is_opencl(&self) -> bool {
        self.api == Api::OpenCl
    }

    /// Whether this is Vulkan of at least this minor version.
    #[inline]
    pub(crate) fn is_vulkan_since(&self, minor: u8) -> bool {
        self.is_vulkan() && self.api_version >= Version::new(1, minor)
    }
}
