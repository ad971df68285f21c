//! Which part of lowering each opcode belongs to. There is no other list of what runs:
//! lowering goes by it, and so does the table in `docs/execution.md`.

use spirvkit_eval::{
    Environment, NotComputable, ScalarType, evaluate_glsl_pair, evaluate_glsl_scalar,
    evaluate_glsl_vector, evaluate_scalar,
};
use spirvkit_grammar::{Capability, Class, ExtInstSet, GlslStd450, InstructionInfo, Op, OpenClStd};

/// What is done with an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// It stands before all functions and is read where it is needed, or it says where
    /// functions and blocks begin and end.
    Declaration,
    /// It is a constant, which gets columns where it is used.
    Constant,
    /// It has no effect of its own.
    Nothing,
    /// It ends a block.
    Terminator,
    Load,
    Store,
    /// A load or store by those lanes only for which a Boolean is true.
    Predicated,
    CopyMemory,
    /// Bytes, as many as an operand says.
    CopyBytes,
    /// A copy by the whole workgroup.
    AsyncCopy,
    /// Waits for copies.
    Events,
    ArrayLength,
    AccessChain,
    PointersEqual,
    /// Conversions and differences of pointers.
    Pointers,
    Call,
    Barrier,
    Fence,
    /// A barrier that is a value is made.
    NamedBarrier,
    /// It is waited at.
    NamedWait,
    Pipe,
    /// Queues, events, and what is enqueued.
    Enqueue,
    Extended,
    Undef,
    /// The result is the operand.
    Copy,
    Atomic,
    AtomicFlag,
    Group,
    Assume,
    Clock,
    Image,
    Derivative,
    Construct,
    Extract,
    Insert,
    Shuffle,
    ExtractDynamic,
    InsertDynamic,
    Transpose,
    Bitcast,
    Select,
    AnyAll,
    Halves,
    Products,
    IntegerDot,
    Matrices,
    MatrixCoordinate,
    MatrixLength,
    MatrixLoad,
    MatrixStore,
    MatrixProduct,
    MatrixTranspose,
    MatrixConvert,
    /// Conversions from and to numbers that integers or wider numbers stand for.
    StandIn,
    /// Dot products of narrow numbers with an accumulator.
    MixedDot,
    MatrixReduce,
    MatrixPerElement,
    /// Layouts and views of tensors.
    Tensor,
    TensorLoad,
    TensorStore,
    /// One scalar operation for each component.
    Components,
}

/// The part of lowering that an opcode belongs to; `None` if it can't be run.
pub(super) fn owner(op: Op) -> Option<Owner> {
    Some(match op {
        Op::Label
        | Op::Function
        | Op::FunctionParameter
        | Op::FunctionEnd
        | Op::Variable
        | Op::UntypedVariableKHR => Owner::Declaration,
        Op::Line
        | Op::NoLine
        | Op::Nop
        | Op::Phi
        | Op::SelectionMerge
        | Op::LoopMerge
        | Op::LifetimeStart
        | Op::LifetimeStop
        | Op::LoopControlINTEL
        | Op::UntypedPrefetchKHR => Owner::Nothing,
        Op::MemoryBarrier | Op::ControlBarrierArriveEXT => Owner::Fence,
        Op::Branch
        | Op::BranchConditional
        | Op::Switch
        | Op::Return
        | Op::ReturnValue
        | Op::Kill
        | Op::TerminateInvocation
        | Op::AbortKHR
        | Op::Unreachable => Owner::Terminator,
        Op::Load => Owner::Load,
        Op::Store => Owner::Store,
        Op::PredicatedLoadINTEL | Op::PredicatedStoreINTEL => Owner::Predicated,
        Op::CopyMemory => Owner::CopyMemory,
        Op::CopyMemorySized => Owner::CopyBytes,
        Op::GroupAsyncCopy => Owner::AsyncCopy,
        Op::GroupWaitEvents => Owner::Events,
        Op::ArrayLength | Op::UntypedArrayLengthKHR => Owner::ArrayLength,
        Op::UntypedAccessChainKHR
        | Op::UntypedInBoundsAccessChainKHR
        | Op::UntypedPtrAccessChainKHR
        | Op::UntypedInBoundsPtrAccessChainKHR
        | Op::AccessChain
        | Op::InBoundsAccessChain
        | Op::PtrAccessChain
        | Op::InBoundsPtrAccessChain => Owner::AccessChain,
        Op::PtrEqual | Op::PtrNotEqual => Owner::PointersEqual,
        Op::ConvertPtrToU
        | Op::ConvertUToPtr
        | Op::PtrDiff
        | Op::PtrCastToGeneric
        | Op::GenericCastToPtr
        | Op::GenericCastToPtrExplicit
        | Op::GenericPtrMemSemantics
        | Op::SizeOf => Owner::Pointers,
        Op::FunctionCall => Owner::Call,
        Op::AssumeTrueKHR => Owner::Assume,
        Op::ReadClockKHR => Owner::Clock,
        Op::ControlBarrier | Op::ControlBarrierWaitEXT => Owner::Barrier,
        Op::NamedBarrierInitialize => Owner::NamedBarrier,
        Op::MemoryNamedBarrier => Owner::NamedWait,
        Op::ReadPipe
        | Op::WritePipe
        | Op::ReservedReadPipe
        | Op::ReservedWritePipe
        | Op::ReserveReadPipePackets
        | Op::ReserveWritePipePackets
        | Op::CommitReadPipe
        | Op::CommitWritePipe
        | Op::IsValidReserveId
        | Op::GetNumPipePackets
        | Op::GetMaxPipePackets
        | Op::GroupReserveReadPipePackets
        | Op::GroupReserveWritePipePackets
        | Op::GroupCommitReadPipe
        | Op::GroupCommitWritePipe => Owner::Pipe,
        Op::EnqueueKernel
        | Op::EnqueueMarker
        | Op::GetKernelNDrangeSubGroupCount
        | Op::GetKernelNDrangeMaxSubGroupSize
        | Op::GetKernelWorkGroupSize
        | Op::GetKernelPreferredWorkGroupSizeMultiple
        | Op::GetKernelLocalSizeForSubgroupCount
        | Op::GetKernelMaxNumSubgroups
        | Op::RetainEvent
        | Op::ReleaseEvent
        | Op::CreateUserEvent
        | Op::IsValidEvent
        | Op::SetUserEventStatus
        | Op::CaptureEventProfilingInfo
        | Op::GetDefaultQueue
        | Op::BuildNDRange => Owner::Enqueue,
        Op::ExtInst => Owner::Extended,
        Op::Undef | Op::PoisonKHR => Owner::Undef,
        Op::CopyObject
        | Op::CopyLogical
        | Op::CreatePipeFromPipeStorage
        | Op::ExpectKHR
        | Op::FreezeKHR
        | Op::ArithmeticFenceEXT => Owner::Copy,
        Op::CompositeConstruct | Op::CompositeConstructReplicateEXT => Owner::Construct,
        Op::CompositeExtract => Owner::Extract,
        Op::CompositeInsert => Owner::Insert,
        Op::VectorShuffle => Owner::Shuffle,
        Op::VectorExtractDynamic => Owner::ExtractDynamic,
        Op::VectorInsertDynamic => Owner::InsertDynamic,
        Op::Transpose => Owner::Transpose,
        Op::Bitcast => Owner::Bitcast,
        Op::Select => Owner::Select,
        Op::Any | Op::All => Owner::AnyAll,
        Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => Owner::Halves,
        Op::Dot | Op::VectorTimesScalar | Op::MatrixTimesScalar => Owner::Products,
        Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
            Owner::IntegerDot
        }
        Op::FDot2MixAcc32VALVE | Op::FDot2MixAcc16VALVE | Op::FDot4MixAcc32VALVE => Owner::MixedDot,
        Op::ConvertFToBF16INTEL | Op::ConvertBF16ToFINTEL | Op::RoundFToTF32INTEL => Owner::StandIn,
        Op::VectorTimesMatrix
        | Op::MatrixTimesVector
        | Op::MatrixTimesMatrix
        | Op::OuterProduct => Owner::Matrices,
        Op::CooperativeMatrixGetCoordinateEXT => Owner::MatrixCoordinate,
        Op::CooperativeMatrixLengthKHR => Owner::MatrixLength,
        Op::CooperativeMatrixLoadKHR => Owner::MatrixLoad,
        Op::CooperativeMatrixStoreKHR => Owner::MatrixStore,
        Op::CooperativeMatrixMulAddKHR => Owner::MatrixProduct,
        Op::CooperativeMatrixTransposeNV => Owner::MatrixTranspose,
        Op::CooperativeMatrixConvertUseEXT => Owner::MatrixConvert,
        Op::CooperativeMatrixReduceEXT => Owner::MatrixReduce,
        Op::CooperativeMatrixPerElementOpEXT => Owner::MatrixPerElement,
        Op::CooperativeMatrixLoadTensorNV => Owner::TensorLoad,
        Op::CooperativeMatrixStoreTensorNV => Owner::TensorStore,
        Op::CreateTensorLayoutNV
        | Op::TensorLayoutSetDimensionNV
        | Op::TensorLayoutSetStrideNV
        | Op::TensorLayoutSliceNV
        | Op::TensorLayoutSetClampValueNV
        | Op::TensorLayoutSetBlockSizeNV
        | Op::CreateTensorViewNV
        | Op::TensorViewSetDimensionNV
        | Op::TensorViewSetStrideNV
        | Op::TensorViewSetClipNV => Owner::Tensor,
        Op::AtomicFlagTestAndSet | Op::AtomicFlagClear => Owner::AtomicFlag,
        op if op.is_atomic() => Owner::Atomic,
        op if super::groups::is_group(op) => Owner::Group,
        op if super::images::is_image(op) => Owner::Image,
        op if super::derivatives::is_derivative(op) => Owner::Derivative,
        op if super::constants::is_constant(op) => Owner::Constant,
        op if is_declaration(op) => Owner::Declaration,
        op if is_computed(op) => Owner::Components,
        _ => return None,
    })
}

/// Whether something stands before all functions and can be part of a module that runs. What
/// is named or decorated, and of which type it is, decides elsewhere whether it runs.
fn is_declaration(op: Op) -> bool {
    use Class::{Annotation, Debug, Extension, ModeSetting};
    let declares = |class| matches!(class, Annotation | Debug | Extension | ModeSetting);
    super::types::is_type(op) || op.info().is_some_and(|info| declares(info.class()))
}

/// Whether `eval` computes it, scalar by scalar.
fn is_computed(op: Op) -> bool {
    let result = evaluate_scalar(op, ScalarType::Bool, &[], &Environment::default());
    !matches!(result, Err(NotComputable::Opcode(_)))
}

/// Whether an instruction runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It does. Some of its types or operands may still be refused.
    Runs,
    /// A module that uses it is refused, by its name.
    Refused,
    /// Compute shaders and kernels can't have it: it belongs to other stages.
    Meaningless,
}

/// Whether instructions with this opcode run.
///
/// ```
/// use spirvkit_grammar::Op;
/// use spirvkit_interp::{Support, support};
///
/// assert_eq!(support(Op::IAdd), Support::Runs);
/// assert_eq!(support(Op::EmitVertex), Support::Meaningless);
/// ```
pub fn support(op: Op) -> Support {
    match (owner(op), op.info()) {
        (_, Some(info)) if is_of_other_stages(info) => Support::Meaningless,
        (Some(_), _) => Support::Runs,
        (None, _) => Support::Refused,
    }
}

/// Whether instructions of an extended set run, by their number.
pub fn support_of(set: ExtInstSet, instruction: u32) -> Support {
    let info = set.instruction(instruction);
    let runs = match set {
        ExtInstSet::GlslStd450 => is_glsl(GlslStd450(instruction)),
        ExtInstSet::OpenClStd => super::opencl::runs(OpenClStd(instruction)),
        set if super::vendors::runs(set, instruction) => true,
        // They are remarks.
        _ => set.is_non_semantic() || set.is_debug_info(),
    };
    match info {
        Some(info) if is_of_other_stages(info) => Support::Meaningless,
        _ if runs => Support::Runs,
        _ => Support::Refused,
    }
}

/// Whether only stages have an instruction that are no compute shaders.
fn is_of_other_stages(info: &InstructionInfo) -> bool {
    let capabilities = info.availability().capabilities();
    let is_other = |capability: &Capability| {
        matches!(
            *capability,
            Capability::Geometry
                | Capability::GeometryStreams
                | Capability::Tessellation
                | Capability::InterpolationFunction
                | Capability::MeshShadingEXT
                | Capability::MeshShadingNV
                | Capability::RayTracingKHR
                | Capability::RayTracingNV
                | Capability::RayTracingMotionBlurNV
                | Capability::ShaderInvocationReorderNV
                | Capability::ShaderInvocationReorderEXT
                | Capability::FragmentShaderSampleInterlockEXT
                | Capability::FragmentShaderPixelInterlockEXT
                | Capability::FragmentShaderShadingRateInterlockEXT
                | Capability::TileImageColorReadAccessEXT
                | Capability::TileImageDepthReadAccessEXT
                | Capability::TileImageStencilReadAccessEXT
                | Capability::DemoteToHelperInvocation
                | Capability::FragmentMaskAMD
        )
    };
    !capabilities.is_empty() && capabilities.iter().all(is_other)
}

/// Whether `eval` computes an instruction of `GLSL.std.450`.
fn is_glsl(instruction: GlslStd450) -> bool {
    let environment = Environment::default();
    let ty = ScalarType::Bool;
    let is_other = |why: NotComputable| !matches!(why, NotComputable::Glsl(_));
    let scalar = evaluate_glsl_scalar(instruction, ty, &[], &environment);
    let pair = evaluate_glsl_pair(instruction, &[], &environment);
    let vector = evaluate_glsl_vector(instruction, ty, &[], &environment, &mut []);
    scalar.map_or_else(is_other, |_| true)
        || pair.map_or_else(is_other, |_| true)
        || vector.map_or_else(is_other, |_| true)
}
