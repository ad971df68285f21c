//! What each built-in asks of the object that it decorates, as a table (Vulkan
//! specification, "Built-In Variables").

use spirvkit_grammar::{BuiltIn, ExecutionModel, StorageClass};

use super::shapes::Shape;
use crate::module::Models;
use crate::pattern::{BOOL, F32, F32_MAT4X3, F32_VEC2, F32_VEC3, F32_VEC4, I32, INT, Pattern};

/// A built-in: its type, its storage classes and its execution models, each with
/// the Vulkan rule that asks for it.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) built_in: BuiltIn,
    pub(super) shape: Shape,
    pub(super) shape_vuid: &'static str,
    pub(super) classes: Classes,
    pub(super) class_vuid: &'static str,
    pub(super) models: Models,
    pub(super) model_vuid: &'static str,
}

/// The storage classes that a built-in may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Classes {
    Any,
    Input,
    Output,
    InputOrOutput,
}

impl Classes {
    pub(super) fn allow(self, class: StorageClass) -> bool {
        match self {
            Self::Any => true,
            Self::Input => class == StorageClass::Input,
            Self::Output => class == StorageClass::Output,
            Self::InputOrOutput => class == StorageClass::Input || class == StorageClass::Output,
        }
    }

    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::Any => "any storage class",
            Self::Input => "`Input`",
            Self::Output => "`Output`",
            Self::InputOrOutput => "`Input` or `Output`",
        }
    }
}

/// A combination of built-in, storage class and execution model that is not
/// allowed although each of them by itself is.
#[derive(Debug)]
pub(super) struct Exclusion {
    pub(super) built_in: BuiltIn,
    pub(super) class: StorageClass,
    pub(super) models: Models,
    pub(super) vuid: &'static str,
}

pub(super) const ALL: Models = NOT_COMPUTE.or(COMPUTE);
pub(super) const VERTEX: Models = Models::of(&[ExecutionModel::Vertex]);
pub(super) const FRAGMENT: Models = Models::of(&[ExecutionModel::Fragment]);
pub(super) const MESH_EXT: Models = Models::of(&[ExecutionModel::MeshEXT]);
const TESS_CONTROL: Models = Models::of(&[ExecutionModel::TessellationControl]);
pub(super) const TESS_EVALUATION: Models = Models::of(&[ExecutionModel::TessellationEvaluation]);
const TESSELLATION: Models = TESS_CONTROL.or(TESS_EVALUATION);
pub(super) const GEOMETRY: Models = Models::of(&[ExecutionModel::Geometry]);
pub(super) const MESH_NV: Models = Models::of(&[ExecutionModel::MeshNV]);
const MESH: Models = MESH_NV.or(MESH_EXT);
const TASK_NV: Models = Models::of(&[ExecutionModel::TaskNV]);
const TASK: Models = TASK_NV.or(Models::of(&[ExecutionModel::TaskEXT]));
const COMPUTE: Models = Models::of(&[ExecutionModel::GLCompute]);
const NOT_COMPUTE: Models = PRE_RASTER
    .or(FRAGMENT)
    .or(TASK)
    .or(RAY)
    .or(Models::of(&[ExecutionModel::Kernel]));
/// All that have workgroups.
const WORKGROUPS: Models = COMPUTE.or(MESH).or(TASK);
const PRE_RASTER: Models = VERTEX.or(TESSELLATION).or(GEOMETRY).or(MESH);
const LAYERED: Models = VERTEX
    .or(TESS_EVALUATION)
    .or(GEOMETRY)
    .or(FRAGMENT)
    .or(MESH);
pub(super) const RAY: Models = Models::RAY_TRACING;
const HIT: Models = Models::of(&[ExecutionModel::AnyHitKHR, ExecutionModel::ClosestHitKHR]);
/// The stages of one primitive's test.
const PRIMITIVE: Models = HIT.or(Models::of(&[ExecutionModel::IntersectionKHR]));
/// The stages that know the ray.
const TRACED: Models = PRIMITIVE.or(Models::of(&[ExecutionModel::MissKHR]));
/// Those that vary the built-ins of vertices, so that outside of blocks these are
/// arrays.
pub(super) const PER_VERTEX: Models = TESSELLATION.or(GEOMETRY).or(MESH);

macro_rules! vuid {
    ($name:ident -) => {
        ""
    };
    ($name:ident ($other:ident $number:literal)) => {
        vuid!($other $number)
    };
    ($name:ident $number:literal) => {
        concat!(
            "VUID-",
            stringify!($name),
            "-",
            stringify!($name),
            "-",
            stringify!($number)
        )
    };
}

macro_rules! rows {
    ($($name:ident: $shape:expr => $shape_vuid:tt, $class:ident => $class_vuid:tt,
       $models:expr => $model_vuid:tt;)*) => {
        &[$(Row {
            built_in: BuiltIn::$name,
            shape: $shape,
            shape_vuid: vuid!($name $shape_vuid),
            classes: Classes::$class,
            class_vuid: vuid!($name $class_vuid),
            models: $models,
            model_vuid: vuid!($name $model_vuid),
        }),*]
    };
}

use Shape::{EachPrimitive, EachPrimitiveStrict, EachVertex, Is};

const F32_VEC2_OR_3: Pattern = Pattern::either(&[F32_VEC2, F32_VEC3]);
const I32_VEC2: Pattern = I32.vector_of(&[2]);
const I32_VEC3: Pattern = I32.vector_of(&[3]);
const I32_VEC4: Pattern = I32.vector_of(&[4]);
const I32_ARRAY: Pattern = Pattern::array_of(&I32);
/// In mesh shaders, there is an array for each view.
const I32_ARRAYS: Pattern = Pattern::either(&[I32_ARRAY, Pattern::array_of(&I32_ARRAY)]);

/// The built-ins, in no particular order.
pub(super) const ROWS: &[Row] = rows! {
    // Vertices and primitives.
    Position: EachVertex(F32_VEC4) => 04321, InputOrOutput => 04320, PRE_RASTER => 04318;
    PointSize: EachVertex(F32) => 04317, InputOrOutput => 04316, PRE_RASTER => 04314;
    ClipDistance: EachVertex(Pattern::array_of(&F32)) => 04191, InputOrOutput => 04190, PRE_RASTER.or(FRAGMENT) => 04187;
    CullDistance: EachVertex(Pattern::array_of(&F32)) => 04200, InputOrOutput => 04199, PRE_RASTER.or(FRAGMENT) => 04196;
    VertexIndex: Is(I32) => 04400, Input => 04399, VERTEX => 04398;
    InstanceIndex: Is(I32) => 04265, Input => 04264, VERTEX => 04263;
    BaseVertex: Is(I32) => 04186, Input => 04185, VERTEX => 04184;
    BaseInstance: Is(I32) => 04183, Input => 04182, VERTEX => 04181;
    DrawIndex: Is(I32) => 04209, Input => 04208, VERTEX.or(MESH).or(TASK) => 04207;
    PrimitiveId: EachPrimitive(I32) => 04337, InputOrOutput => 04335,
        TESSELLATION.or(GEOMETRY).or(FRAGMENT).or(MESH).or(PRIMITIVE) => 04330;
    Layer: EachPrimitive(I32) => 04276, InputOrOutput => 04274, LAYERED => 04272;
    ViewportIndex: EachPrimitive(I32) => 04408, InputOrOutput => 04406, LAYERED => 04404;
    PrimitiveShadingRateKHR: EachPrimitiveStrict(I32) => 04486, Output => 04485,
        VERTEX.or(GEOMETRY).or(MESH) => 04484;
    InvocationId: Is(I32) => 04259, Input => 04258, TESS_CONTROL.or(GEOMETRY) => 04257;
    PatchVertices: Is(I32) => 04310, Input => 04309, TESSELLATION => 04308;
    TessCoord: Is(F32_VEC3) => 04389, Input => 04388, TESS_EVALUATION => 04387;
    TessLevelOuter: Is(Pattern::array_of_length(4, &F32)) => 04393, InputOrOutput => -, TESSELLATION => 04390;
    TessLevelInner: Is(Pattern::array_of_length(2, &F32)) => 04397, InputOrOutput => -, TESSELLATION => 04394;

    // Fragments.
    FragCoord: Is(F32_VEC4) => 04212, Input => 04211, FRAGMENT => 04210;
    FragDepth: Is(F32) => 04215, Output => 04214, FRAGMENT => 04213;
    FragStencilRefEXT: Is(INT) => 04225, Output => 04224, FRAGMENT => 04223;
    FrontFacing: Is(BOOL) => 04231, Input => 04230, FRAGMENT => 04229;
    HelperInvocation: Is(BOOL) => 04241, Input => 04240, FRAGMENT => 04239;
    FullyCoveredEXT: Is(BOOL) => 04234, Input => 04233, FRAGMENT => 04232;
    PointCoord: Is(F32_VEC2) => 04313, Input => 04312, FRAGMENT => 04311;
    SampleId: Is(I32) => 04356, Input => 04355, FRAGMENT => 04354;
    SampleMask: Is(I32_ARRAY) => 04359, InputOrOutput => 04358, FRAGMENT => 04357;
    SamplePosition: Is(F32_VEC2) => 04362, Input => 04361, FRAGMENT => 04360;
    BaryCoordKHR: Is(F32_VEC3) => 04156, Input => 04155, FRAGMENT => 04154;
    BaryCoordNoPerspKHR: Is(F32_VEC3) => 04162, Input => 04161, FRAGMENT => 04160;
    BaryCoordNoPerspAMD: Is(F32_VEC2) => 04159, Input => 04158, FRAGMENT => 04157;
    // Vulkan says three components, the extension two.
    BaryCoordNoPerspCentroidAMD: Is(F32_VEC2_OR_3) => 04165, Input => 04164, FRAGMENT => 04163;
    BaryCoordNoPerspSampleAMD: Is(F32_VEC2) => 04168, Input => 04167, FRAGMENT => 04166;
    BaryCoordPullModelAMD: Is(F32_VEC3) => 04171, Input => 04170, FRAGMENT => 04169;
    BaryCoordSmoothAMD: Is(F32_VEC2) => 04174, Input => 04173, FRAGMENT => 04172;
    BaryCoordSmoothCentroidAMD: Is(F32_VEC2) => 04177, Input => 04176, FRAGMENT => 04175;
    BaryCoordSmoothSampleAMD: Is(F32_VEC2) => 04180, Input => 04179, FRAGMENT => 04178;
    FragSizeEXT: Is(I32_VEC2) => 04222, Input => 04221, FRAGMENT => 04220;
    FragInvocationCountEXT: Is(I32) => 04219, Input => 04218, FRAGMENT => 04217;
    ShadingRateKHR: Is(I32) => 04492, Input => 04491, FRAGMENT => 04490;

    // Workgroups, subgroups, devices.
    GlobalInvocationId: Is(I32_VEC3) => 04238, Input => 04237, WORKGROUPS => 04236;
    LocalInvocationId: Is(I32_VEC3) => 04283, Input => 04282, WORKGROUPS => 04281;
    LocalInvocationIndex: Is(I32) => 04286, Input => 04285, WORKGROUPS => 04284;
    NumWorkgroups: Is(I32_VEC3) => 04298, Input => 04297, WORKGROUPS => 04296;
    WorkgroupId: Is(I32_VEC3) => 04424, Input => 04423, WORKGROUPS => 04422;
    WorkgroupSize: Is(I32_VEC3) => 04427, Any => -, WORKGROUPS => 04425;
    NumSubgroups: Is(I32) => 04295, Input => 04294, WORKGROUPS => 04293;
    SubgroupId: Is(I32) => 04369, Input => 04368, WORKGROUPS => 04367;
    SubgroupLocalInvocationId: Is(I32) => 04381, Input => 04380, ALL => -;
    SubgroupSize: Is(I32) => 04383, Input => 04382, ALL => -;
    SubgroupEqMask: Is(I32_VEC4) => 04371, Input => 04370, ALL => -;
    SubgroupGeMask: Is(I32_VEC4) => 04373, Input => 04372, ALL => -;
    SubgroupGtMask: Is(I32_VEC4) => 04375, Input => 04374, ALL => -;
    SubgroupLeMask: Is(I32_VEC4) => 04377, Input => 04376, ALL => -;
    SubgroupLtMask: Is(I32_VEC4) => 04379, Input => 04378, ALL => -;
    DeviceIndex: Is(I32) => 04206, Input => 04205, ALL => -;
    ViewIndex: Is(I32) => 04403, Input => 04402, NOT_COMPUTE => 04401;
    CoreIDARM: Is(I32) => 07600, Input => 07599, ALL => -;
    CoreCountARM: Is(I32) => 07596, Input => 07595, ALL => -;
    CoreMaxIDARM: Is(I32) => 07598, Input => 07597, ALL => -;
    WarpIDARM: Is(I32) => 07604, Input => 07603, ALL => -;
    WarpMaxIDARM: Is(I32) => 07602, Input => 07601, ALL => -;
    WarpsPerSMNV: Is(I32) => 04419, Input => 04418, ALL => -;
    SMCountNV: Is(I32) => 04364, Input => 04363, ALL => -;
    WarpIDNV: Is(I32) => 04421, Input => 04420, ALL => -;
    SMIDNV: Is(I32) => 04366, Input => 04365, ALL => -;
    TileOffsetQCOM: Is(I32_VEC2) => 10628, Input => 10627, FRAGMENT.or(COMPUTE) => 10626;
    TileDimensionQCOM: Is(I32_VEC3) => 10631, Input => 10630, FRAGMENT.or(COMPUTE) => 10629;
    TileApronSizeQCOM: Is(I32_VEC2) => 10634, Input => 10633, FRAGMENT.or(COMPUTE) => 10632;

    // Meshes.
    PrimitivePointIndicesEXT: Is(I32_ARRAY) => 07044, Output => 07043, MESH_EXT => 07041;
    PrimitiveLineIndicesEXT: Is(Pattern::array_of(&I32_VEC2)) => 07050, Output => 07049, MESH_EXT => 07047;
    PrimitiveTriangleIndicesEXT: Is(Pattern::array_of(&I32_VEC3)) => 07056, Output => 07055, MESH_EXT => 07053;
    CullPrimitiveEXT: EachPrimitiveStrict(BOOL) => 07036, Output => 07035, MESH_EXT => 07034;

    PrimitiveCountNV: Is(I32) => 04329, Output => 04328, MESH_NV => 04327;
    PrimitiveIndicesNV: Is(I32_ARRAY) => 04340, Output => 04339, MESH_NV => 04338;
    TaskCountNV: Is(I32) => 04386, Output => 04385, TASK_NV => 04384;
    MeshViewCountNV: Is(I32) => 04289, Input => 04288, MESH_NV.or(TASK_NV) => 04287;
    MeshViewIndicesNV: Is(I32_ARRAY) => 04292, Input => 04291, MESH_NV.or(TASK_NV) => 04290;

    // Views.
    ClipDistancePerViewNV: Is(Pattern::array_of(&Pattern::array_of(&F32))) => 04195, Output => 04193, MESH_NV => 04192;
    CullDistancePerViewNV: Is(Pattern::array_of(&Pattern::array_of(&F32))) => 04204, Output => 04202, MESH_NV => 04201;
    LayerPerViewNV: Is(I32_ARRAY) => 04280, Output => 04278, MESH_NV => 04277;
    PositionPerViewNV: EachVertex(Pattern::array_of(&F32_VEC4)) => 04325, InputOrOutput => 04324,
        VERTEX.or(TESSELLATION).or(GEOMETRY).or(MESH_NV) => 04322;
    // Vulkan leaves tessellation control out, compilers don't.
    ViewportMaskNV: EachVertex(I32_ARRAY) => 04411, Output => 04410,
        VERTEX.or(TESSELLATION).or(GEOMETRY).or(MESH_NV) => 04409;
    ViewportMaskPerViewNV: EachVertex(I32_ARRAYS) => 04414, Output => 04413,
        VERTEX.or(TESSELLATION).or(GEOMETRY).or(MESH_NV) => 04412;

    // Execution graphs.
    ShaderIndexAMDX: Is(I32) => 09176, Input => 09175, ALL => -;
    // What was `CoalescedInputCountAMDX`, and still is in Vulkan.
    RemainingRecursionLevelsAMDX: Is(I32) => (CoalescedInputCountAMDX 09174),
        Input => (CoalescedInputCountAMDX 09172), ALL => -;

    // Rays.
    LaunchIdKHR: Is(I32_VEC3) => 04268, Input => 04267, RAY => 04266;
    LaunchSizeKHR: Is(I32_VEC3) => 04271, Input => 04270, RAY => 04269;
    WorldRayOriginKHR: Is(F32_VEC3) => 04433, Input => 04432, TRACED => 04431;
    WorldRayDirectionKHR: Is(F32_VEC3) => 04430, Input => 04429, TRACED => 04428;
    ObjectRayOriginKHR: Is(F32_VEC3) => 04304, Input => 04303, PRIMITIVE => 04302;
    ObjectRayDirectionKHR: Is(F32_VEC3) => 04301, Input => 04300, PRIMITIVE => 04299;
    RayTminKHR: Is(F32) => 04353, Input => 04352, TRACED => 04351;
    RayTmaxKHR: Is(F32) => 04350, Input => 04349, TRACED => 04348;
    InstanceCustomIndexKHR: Is(I32) => 04253, Input => 04252, PRIMITIVE => 04251;
    InstanceId: Is(I32) => 04256, Input => 04255, PRIMITIVE => 04254;
    RayGeometryIndexKHR: Is(I32) => 04347, Input => 04346, PRIMITIVE => 04345;
    ObjectToWorldKHR: Is(F32_MAT4X3) => 04307, Input => 04306, PRIMITIVE => 04305;
    WorldToObjectKHR: Is(F32_MAT4X3) => 04436, Input => 04435, PRIMITIVE => 04434;
    HitTNV: Is(F32) => 04247, Input => 04246, HIT => 04245;
    HitKindKHR: Is(I32) => 04244, Input => 04243, HIT => 04242;
    IncomingRayFlagsKHR: Is(I32) => 04250, Input => 04249, TRACED => 04248;
    CullMaskKHR: Is(I32) => 06737, Input => 06736, TRACED => 06735;
    HitTriangleVertexPositionsKHR: Is(Pattern::array_of_length(3, &F32_VEC3)) => 08749, Input => 08748, HIT => 08747;
    CurrentRayTimeNV: Is(F32) => 04944, Input => 04943, TRACED => 04942;
    HitIsSphereNV: Is(BOOL) => 10515, Input => 10514, HIT => 10513;
    HitIsLSSNV: Is(BOOL) => 10518, Input => 10517, HIT => 10516;
    HitSpherePositionNV: Is(F32_VEC3) => 10521, Input => 10520, HIT => 10519;
    HitSphereRadiusNV: Is(F32) => 10524, Input => 10523, HIT => 10522;
    HitLSSPositionsNV: Is(Pattern::array_of_length(2, &F32_VEC3)) => 10527, Input => 10526, HIT => 10525;
    HitLSSRadiiNV: Is(Pattern::array_of_length(2, &F32)) => 10530, Input => 10529, HIT => 10528;
    ClusterIDNV: Is(I32) => 10533, Input => 10532, HIT => 10531;
};

macro_rules! exclusions {
    ($($name:ident $class:ident $models:expr => $number:tt;)*) => {
        &[$(Exclusion {
            built_in: BuiltIn::$name,
            class: StorageClass::$class,
            models: $models,
            vuid: vuid!($name $number),
        }),*]
    };
}

/// Storage classes that some stages don't take.
pub(super) static EXCLUSIONS: &[Exclusion] = exclusions! {
    Position Input VERTEX.or(MESH) => 04319;
    PointSize Input VERTEX.or(MESH) => 04315;
    ClipDistance Input VERTEX.or(MESH) => 04188;
    ClipDistance Output FRAGMENT => 04189;
    CullDistance Input VERTEX.or(MESH) => 04197;
    CullDistance Output FRAGMENT => 04198;
    TessLevelOuter Input TESS_CONTROL => 04391;
    TessLevelOuter Output TESS_EVALUATION => 04392;
    TessLevelInner Input TESS_CONTROL => 04395;
    TessLevelInner Output TESS_EVALUATION => 04396;
    PositionPerViewNV Input VERTEX.or(MESH_NV) => 04323;
    PrimitiveId Output TESSELLATION.or(FRAGMENT).or(PRIMITIVE) => 04334;
    PrimitiveId Input MESH => 04336;
    Layer Input PRE_RASTER => 04274;
    Layer Output FRAGMENT => 04275;
    ViewportIndex Input PRE_RASTER => 04406;
    ViewportIndex Output FRAGMENT => 04407;
};

/// The row of a built-in; `None` for one that nothing is known of.
pub(super) fn row(built_in: BuiltIn) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.built_in == built_in)
}
