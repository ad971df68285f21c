//! What sort of instruction an opcode is.
//!
//! Where the grammar's names, classes and results tell, the answer is worked out from
//! its tables, so that what a new extension adds is in it; where only the text of a
//! specification does, the opcodes are listed here, and nowhere else.
//!
//! An opcode that is not assigned is of no sort.

use crate::generated::tables::{INSTRUCTIONS, OPCODE_ROWS};
use crate::{BuiltIn, Class, Decoration, ExecutionModel, InstructionInfo, Op};

const TYPE: u8 = 1;
const CONSTANT: u8 = 1 << 1;
const SPEC_CONSTANT: u8 = 1 << 2;
const DECORATION: u8 = 1 << 3;
const ATOMIC: u8 = 1 << 4;
const NON_UNIFORM: u8 = 1 << 5;

/// By opcode, the bits of what the grammar tells.
static SORTS: [u8; OPCODE_ROWS.len()] = {
    let mut sorts = [0; OPCODE_ROWS.len()];
    let mut row = 0;
    while row < INSTRUCTIONS.len() {
        let info = &INSTRUCTIONS[row];
        sorts[info.number as usize] = sorts_of(info);
        row += 1;
    }
    sorts
};

const fn sorts_of(info: &InstructionInfo) -> u8 {
    let name = info.name.as_bytes();
    match info.class {
        Class::Annotation if !info.has_result => DECORATION,
        Class::Atomic => ATOMIC,
        Class::NonUniform => NON_UNIFORM,
        _ if !info.has_result => 0,
        _ if starts_with(name, b"OpType") => TYPE,
        _ if starts_with(name, b"OpConstant") => CONSTANT,
        _ if starts_with(name, b"OpSpecConstant") => CONSTANT | SPEC_CONSTANT,
        _ => 0,
    }
}

const fn starts_with(name: &[u8], prefix: &[u8]) -> bool {
    let mut at = 0;
    while at < prefix.len() {
        if at == name.len() || name[at] != prefix[at] {
            return false;
        }
        at += 1;
    }
    true
}

impl Op {
    #[inline]
    fn is_of(self, sort: u8) -> bool {
        SORTS
            .get(usize::from(self.0))
            .is_some_and(|sorts| sorts & sort != 0)
    }

    /// Whether it declares a type: `OpType…` with a result. `OpTypeForwardPointer` only
    /// says that a type will be declared (section 3.32.6, "Type-Declaration
    /// Instructions").
    #[inline]
    pub fn is_type(self) -> bool {
        self.is_of(TYPE)
    }

    /// Whether it is a constant instruction, that is, starts with `OpConstant` or
    /// `OpSpec` (section 2.2.1), specialization constants among them. What only continues
    /// another instruction's operands has no result and is none.
    #[inline]
    pub fn is_constant(self) -> bool {
        self.is_of(CONSTANT)
    }

    /// Whether it is a constant instruction that specialization may change, itself or
    /// through its operands (section 2.12).
    #[inline]
    pub fn is_spec_constant(self) -> bool {
        self.is_of(SPEC_CONSTANT)
    }

    /// Whether it decorates something: all annotation instructions (section 3.32.3) but
    /// `OpDecorationGroup`, which makes what is decorated.
    #[inline]
    pub fn is_decoration(self) -> bool {
        self.is_of(DECORATION)
    }

    /// Whether it accesses memory atomically (section 3.32.18, "Atomic Instructions").
    #[inline]
    pub fn is_atomic(self) -> bool {
        self.is_of(ATOMIC)
    }

    /// Whether it works on the invocations of a group that are there (section 3.32.24,
    /// "Non-Uniform Instructions").
    #[inline]
    pub fn is_non_uniform(self) -> bool {
        self.is_of(NON_UNIFORM)
    }
}

/// Declares predicates by the opcodes that they hold for.
macro_rules! predicates {
    ($($(#[$doc:meta])* $name:ident: $($op:ident)|+;)*) => {
        impl Op {
            $(
                $(#[$doc])*
                #[inline]
                pub const fn $name(self) -> bool {
                    matches!(self, $(Self::$op)|+)
                }
            )*
        }
    };
}

predicates! {
    /// Whether it is a name for people: `OpName` or `OpMemberName` (section
    /// 3.32.2).
    is_name: Name | MemberName;

    /// Whether it says where the instructions behind it come from, or that nothing does
    /// any more: `OpLine` or `OpNoLine` (section 3.32.2).
    is_line: Line | NoLine;

    /// Whether it decorates its first operand (section 3.32.3).
    is_decorate: Decorate | DecorateId | DecorateString;

    /// Whether it decorates a member of the structure that is its first operand (section
    /// 3.32.3).
    is_member_decorate: MemberDecorate | MemberDecorateIdEXT | MemberDecorateString;

    /// Whether it gives a group's decorations to others (section 3.32.3).
    is_group_decorate: GroupDecorate | GroupMemberDecorate;

    /// Whether it executes an instruction of an extended set (section 3.32.4;
    /// `SPV_KHR_relaxed_extended_instruction`).
    is_ext_inst: ExtInst | ExtInstWithForwardRefsKHR;

    /// Whether it declares an entry point (section 3.32.5;
    /// `SPV_INTEL_function_variants`).
    is_entry_point: EntryPoint | ConditionalEntryPointINTEL;

    /// Whether it declares an execution mode (section 3.32.5).
    is_execution_mode: ExecutionMode | ExecutionModeId;

    /// Whether it declares an array, with or without a length (section 3.32.6).
    is_array_type: TypeArray | TypeRuntimeArray;

    /// Whether it declares a pointer's type, with or without what is pointed to (section
    /// 3.32.6; `SPV_KHR_untyped_pointers`).
    is_pointer_type: TypePointer | TypeUntypedPointerKHR;

    /// Whether it is a constant whose value stands in the instruction itself: a number or
    /// a boolean (section 3.32.7).
    is_scalar_constant: ConstantTrue
        | ConstantFalse
        | Constant
        | SpecConstantTrue
        | SpecConstantFalse
        | SpecConstant;

    /// Whether it is a number or a boolean for which specialization can give another value
    /// (section 2.12).
    is_scalar_spec_constant: SpecConstantTrue | SpecConstantFalse | SpecConstant;

    /// Whether it is a constant of constituents: as many as there are parts, or one for
    /// all (section 3.32.7; `SPV_EXT_replicated_composites`).
    is_composite_constant: ConstantComposite
        | SpecConstantComposite
        | ConstantCompositeReplicateEXT
        | SpecConstantCompositeReplicateEXT;

    /// Whether it makes a variable, with a type or without (section 3.32.8;
    /// `SPV_KHR_untyped_pointers`).
    is_variable: Variable | UntypedVariableKHR;

    /// Whether it copies from memory to memory (section 3.32.8).
    is_copy_memory: CopyMemory | CopyMemorySized;

    /// Whether it makes a pointer from a base and indices (section 3.32.8;
    /// `SPV_KHR_untyped_pointers`). `OpRawAccessChainNV` has none.
    is_access_chain: AccessChain
        | InBoundsAccessChain
        | PtrAccessChain
        | InBoundsPtrAccessChain
        | UntypedAccessChainKHR
        | UntypedInBoundsAccessChainKHR
        | UntypedPtrAccessChainKHR
        | UntypedInBoundsPtrAccessChainKHR;

    /// Whether it is an access chain that names the type of what its base points to
    /// (`SPV_KHR_untyped_pointers`).
    is_untyped_access_chain: UntypedAccessChainKHR
        | UntypedInBoundsAccessChainKHR
        | UntypedPtrAccessChainKHR
        | UntypedInBoundsPtrAccessChainKHR;

    /// Whether it is an access chain with an *Element* operand before its indices, which
    /// treats its base as a pointer into an array (section 3.32.8).
    is_ptr_access_chain: PtrAccessChain
        | InBoundsPtrAccessChain
        | UntypedPtrAccessChainKHR
        | UntypedInBoundsPtrAccessChainKHR;

    /// Whether it says of what sort floating-point numbers are (section 3.32.15).
    is_float_classification: IsNan | IsInf | IsFinite | IsNormal | SignBitSet;

    /// Whether it compares floating-point numbers, or says whether they can be compared
    /// (section 3.32.15).
    is_float_comparison: LessOrGreater
        | Ordered
        | Unordered
        | FOrdEqual
        | FUnordEqual
        | FOrdNotEqual
        | FUnordNotEqual
        | FOrdLessThan
        | FUnordLessThan
        | FOrdGreaterThan
        | FUnordGreaterThan
        | FOrdLessThanEqual
        | FUnordLessThanEqual
        | FOrdGreaterThanEqual
        | FUnordGreaterThanEqual;

    /// Whether it compares integers (section 3.32.15).
    is_integer_comparison: IEqual
        | INotEqual
        | UGreaterThan
        | SGreaterThan
        | UGreaterThanEqual
        | SGreaterThanEqual
        | ULessThan
        | SLessThan
        | ULessThanEqual
        | SLessThanEqual;

    /// Whether it is a merge instruction, which declares structured control flow (section
    /// 2.2.5).
    is_merge: SelectionMerge | LoopMerge;

    /// Whether it is a termination instruction, which ends a block (section 2.2.5;
    /// `SPV_KHR_terminate_invocation`, `SPV_KHR_ray_tracing`, `SPV_EXT_mesh_shader`,
    /// `SPV_KHR_abort`).
    is_terminator: Branch
        | BranchConditional
        | Switch
        | Return
        | ReturnValue
        | Kill
        | Unreachable
        | TerminateInvocation
        | IgnoreIntersectionKHR
        | TerminateRayKHR
        | EmitMeshTasksEXT
        | AbortKHR;

    /// Whether it combines a value over a group by an instruction of
    /// `SPV_AMD_shader_ballot`.
    is_amd_group: GroupIAddNonUniformAMD
        | GroupFAddNonUniformAMD
        | GroupFMinNonUniformAMD
        | GroupUMinNonUniformAMD
        | GroupSMinNonUniformAMD
        | GroupFMaxNonUniformAMD
        | GroupUMaxNonUniformAMD
        | GroupSMaxNonUniformAMD;

    /// Whether invocations may be in other subgroups after it than before (Vulkan, "Ray Tracing": an
    /// invocation repack instruction).
    is_invocation_repack: TraceRayKHR
        | TraceRayMotionNV
        | ReorderThreadWithHintNV
        | ReorderThreadWithHitObjectNV
        | ReorderThreadWithHintEXT
        | ReorderThreadWithHitObjectEXT
        | HitObjectTraceRayEXT
        | HitObjectReorderExecuteShaderEXT
        | HitObjectTraceReorderExecuteEXT
        | HitObjectTraceRayMotionEXT
        | HitObjectTraceMotionReorderExecuteEXT
        | ReportIntersectionKHR
        | ExecuteCallableKHR;

    /// Whether it stands in the section of graphs, behind the functions (`SPV_ARM_graph`).
    is_in_graphs: GraphEntryPointARM
        | GraphARM
        | GraphInputARM
        | GraphSetOutputARM
        | GraphEndARM;
}

impl Op {
    /// For arithmetic of a group that all its invocations must execute, or that AMD's extension
    /// had before: the opcode that does the same for those that do (specification,
    /// "Non-Uniform Instructions").
    pub const fn non_uniform_arithmetic(self) -> Option<Self> {
        Some(match self {
            Self::GroupIAdd | Self::GroupIAddNonUniformAMD => Self::GroupNonUniformIAdd,
            Self::GroupFAdd | Self::GroupFAddNonUniformAMD => Self::GroupNonUniformFAdd,
            Self::GroupFMin | Self::GroupFMinNonUniformAMD => Self::GroupNonUniformFMin,
            Self::GroupUMin | Self::GroupUMinNonUniformAMD => Self::GroupNonUniformUMin,
            Self::GroupSMin | Self::GroupSMinNonUniformAMD => Self::GroupNonUniformSMin,
            Self::GroupFMax | Self::GroupFMaxNonUniformAMD => Self::GroupNonUniformFMax,
            Self::GroupUMax | Self::GroupUMaxNonUniformAMD => Self::GroupNonUniformUMax,
            Self::GroupSMax | Self::GroupSMaxNonUniformAMD => Self::GroupNonUniformSMax,
            Self::GroupIMulKHR => Self::GroupNonUniformIMul,
            Self::GroupFMulKHR => Self::GroupNonUniformFMul,
            Self::GroupBitwiseAndKHR => Self::GroupNonUniformBitwiseAnd,
            Self::GroupBitwiseOrKHR => Self::GroupNonUniformBitwiseOr,
            Self::GroupBitwiseXorKHR => Self::GroupNonUniformBitwiseXor,
            Self::GroupLogicalAndKHR => Self::GroupNonUniformLogicalAnd,
            Self::GroupLogicalOrKHR => Self::GroupNonUniformLogicalOr,
            Self::GroupLogicalXorKHR => Self::GroupNonUniformLogicalXor,
            _ => return None,
        })
    }
}

impl ExecutionModel {
    /// Whether its invocations come in workgroups, so that `LocalSize` can be given for them
    /// (specification, section 3.6).
    pub const fn has_workgroups(self) -> bool {
        matches!(
            self,
            Self::GLCompute
                | Self::Kernel
                | Self::TaskNV
                | Self::MeshNV
                | Self::TaskEXT
                | Self::MeshEXT
        )
    }
}

impl BuiltIn {
    /// The stages in which its value may change while an invocation runs, because that may go on
    /// elsewhere: there it must be volatile (Vulkan, "Standalone SPIR-V Validation", 04678 and 04679).
    pub const fn changing_models(self) -> &'static [ExecutionModel] {
        /// All stages of ray tracing but that for any hit.
        const RAY: &[ExecutionModel] = &[
            ExecutionModel::RayGenerationKHR,
            ExecutionModel::ClosestHitKHR,
            ExecutionModel::MissKHR,
            ExecutionModel::IntersectionKHR,
            ExecutionModel::CallableKHR,
        ];
        match self {
            Self::SMIDNV
            | Self::WarpIDNV
            | Self::SubgroupSize
            | Self::SubgroupLocalInvocationId
            | Self::SubgroupEqMask
            | Self::SubgroupGeMask
            | Self::SubgroupGtMask
            | Self::SubgroupLeMask
            | Self::SubgroupLtMask => RAY,
            Self::RayTmaxKHR => &[ExecutionModel::IntersectionKHR],
            _ => &[],
        }
    }
}

impl Decoration {
    /// Whether it may stand on the same object several times, with other operands
    /// (specification, section 2.16.1).
    pub const fn may_repeat(self) -> bool {
        matches!(
            self,
            Self::FuncParamAttr
                | Self::UserSemantic
                | Self::CounterBuffer
                | Self::UniformId
                | Self::AlignmentId
                | Self::MaxByteOffsetId
                | Self::CacheControlLoadINTEL
                | Self::CacheControlStoreINTEL
        )
    }
}
