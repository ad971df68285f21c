//! What a module is checked by.

use spirvkit_grammar::{TargetEnv, Version};

use crate::levels::Levels;

/// What a module is checked by: the environment it is for, the extensions of the
/// client API that relax rules, and the universal limits.
///
/// ```
/// use spirvkit_validate::Options;
///
/// let options = Options::for_env("vulkan1.3".parse().unwrap());
/// assert_eq!(options.limits.struct_members, 16_383);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The environment.
    pub env: TargetEnv,
    /// The limits of section 2.17 of the specification.
    pub limits: Limits,
    /// Lets logical addressing allocate and return pointers.
    pub relax_logical_pointer: bool,
    /// Lets a store's value be of another structure type with the same layout.
    pub relax_struct_store: bool,
    /// `VK_KHR_relaxed_block_layout`; part of Vulkan 1.1.
    pub relax_block_layout: bool,
    /// `VK_KHR_uniform_buffer_standard_layout`.
    pub uniform_buffer_standard_layout: bool,
    /// `VK_EXT_scalar_block_layout`.
    pub scalar_block_layout: bool,
    /// The scalar layout for `Workgroup` blocks.
    pub workgroup_scalar_block_layout: bool,
    /// Leaves the layout of blocks unchecked.
    pub skip_block_layout: bool,
    /// Accepts the `LocalSizeId` execution mode where the environment doesn't.
    pub allow_local_size_id: bool,
    /// Accepts the image operand `Offset` where the environment doesn't.
    pub allow_offset_texture_operand: bool,
    /// Accepts bit instructions on bases that are not 32 bits wide where the
    /// environment doesn't.
    pub allow_vulkan_32_bit_bitwise: bool,
    /// Accepts what front ends for HLSL leave to be legalized.
    pub before_hlsl_legalization: bool,
    /// Size and alignment, in bytes, of a sampler's descriptor in a heap.
    pub sampler_descriptor: DescriptorLayout,
    /// Size and alignment, in bytes, of an image's descriptor in a heap.
    pub image_descriptor: DescriptorLayout,
    /// Size and alignment, in bytes, of a buffer's descriptor in a heap.
    pub buffer_descriptor: DescriptorLayout,
    /// Leaves the operands of the `DebugInfo` instruction set unchecked, but not
    /// where its instructions stand.
    pub skip_debug_info: bool,
    /// Stops after so many errors; 0 is no limit but that what is told of a module is in
    /// proportion to it. What [`levels`](Self::levels) make
    /// warnings of are none.
    pub max_errors: usize,
    /// Which rules are told at another level than their own. A rule that is allowed, or
    /// only warns, hides nothing: the module is checked as if it were kept, so what
    /// follows from breaking it is told by the rules that it breaks.
    pub levels: Levels,
    /// Calls ids by their numbers in messages, even where the caller has names for
    /// them.
    pub raw_ids: bool,
}

spirvkit_diagnostics::with!(Options);

/// Size and alignment of a descriptor in a heap (`SPV_EXT_descriptor_heap`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DescriptorLayout {
    /// The size in bytes; 0 when it isn't known.
    pub size: u32,
    /// The alignment in bytes; 0 when it isn't known.
    pub alignment: u32,
}

/// The universal limits (specification, section 2.17).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Members of a structure.
    pub struct_members: u32,
    /// Depth of structures within structures.
    pub struct_depth: u32,
    /// Variables of a function.
    pub local_variables: u32,
    /// Variables outside of functions.
    pub global_variables: u32,
    /// Cases of a switch.
    pub switch_branches: u32,
    /// Parameters of a function.
    pub function_args: u32,
    /// Depth of structured control flow.
    pub control_flow_nesting_depth: u32,
    /// Indexes of an access chain, of `OpCompositeExtract` and of
    /// `OpCompositeInsert`.
    pub access_chain_indexes: u32,
    /// The header's id bound.
    pub id_bound: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            struct_members: 16_383,
            struct_depth: 255,
            local_variables: 524_287,
            global_variables: 65_535,
            switch_branches: 16_383,
            function_args: 255,
            control_flow_nesting_depth: 1_023,
            access_chain_indexes: 255,
            id_bound: 0x3f_ffff,
        }
    }
}

impl Options {
    /// The rules of an environment, without any relaxation, and at most 50
    /// errors.
    pub fn for_env(env: TargetEnv) -> Self {
        let unknown = DescriptorLayout {
            size: 0,
            alignment: 0,
        };
        Self {
            env,
            limits: Limits::default(),
            relax_logical_pointer: false,
            relax_struct_store: false,
            relax_block_layout: false,
            uniform_buffer_standard_layout: false,
            scalar_block_layout: false,
            workgroup_scalar_block_layout: false,
            skip_block_layout: false,
            allow_local_size_id: false,
            allow_offset_texture_operand: false,
            allow_vulkan_32_bit_bitwise: false,
            before_hlsl_legalization: false,
            sampler_descriptor: unknown,
            image_descriptor: unknown,
            buffer_descriptor: unknown,
            skip_debug_info: false,
            max_errors: 50,
            levels: Levels::default(),
            raw_ids: false,
        }
    }
}

impl Default for Options {
    /// The newest version of the language, for no client API in particular.
    fn default() -> Self {
        let newest = TargetEnv::all().find(|env| env.name() == "spv1.6");
        match newest.or_else(|| TargetEnv::all().next()) {
            Some(env) => Self::for_env(env),
            None => unreachable!("there are environments"),
        }
    }
}

/// Whose rules an environment adds to the specification's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    /// None: the specification alone.
    Universal,
    Vulkan,
    OpenCl,
    OpenGl,
}

/// What the rules ask of an environment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Env {
    pub(crate) target: TargetEnv,
    pub(crate) api: Api,
    /// The client API's version: 1.3 for Vulkan 1.3. For `Universal`, the
    /// version of the language.
    pub(crate) api_version: Version,
    /// The newest version of the language that the environment takes.
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
