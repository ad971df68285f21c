//! Cooperative matrices and vectors that devices list (`VK_KHR_cooperative_matrix`,
//! `VK_EXT_cooperative_matrix_maintenance1`, `VK_NV_cooperative_matrix`, `VK_NV_cooperative_matrix2`,
//! `VK_NV_cooperative_vector`).

use spirvkit_analysis::index::Inst;
use spirvkit_analysis::layout::Types;
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{
    Capability, CooperativeMatrixOperands as Operands, CooperativeMatrixUse as Use, FPEncoding, Op,
    Scope,
};

use super::{Is, Listed, Need, Sorted, Wanted, workgroup};
use crate::tables::{Enable, Feature, enumerant};

const KHR: &str = "VkCooperativeMatrixPropertiesKHR";
const NV: &str = "VkCooperativeMatrixPropertiesNV";
const VECTORS: &str = "VkCooperativeVectorPropertiesNV";

/// The features with which other lists count, too.
const FLEXIBLE_FEATURE: &str = "cooperativeMatrixFlexibleDimensions";
const PROPERTIES_FEATURE: &str = "cooperativeMatrixProperties2";

type Members = Vec<(&'static str, Is)>;

/// A list of the types that devices multiply.
struct List {
    structure: &'static str,
    /// How it speaks of a dimension.
    dimension: fn(char, u64) -> (&'static str, Is),
    /// How it says whether sums are saturated.
    saturates: fn(bool) -> (&'static str, Is),
    /// The members for the number of invocations and for the size of subgroups.
    invocations: Option<&'static str>,
    subgroup_size: Option<&'static str>,
}

const PLAIN: List = List {
    structure: KHR,
    dimension: size,
    saturates: |it| ("saturatingAccumulation", Is::Bool(it)),
    invocations: None,
    subgroup_size: None,
};

const FLEXIBLE: List = List {
    structure: "VkCooperativeMatrixFlexibleDimensionsPropertiesNV",
    dimension: granularity,
    invocations: Some("workgroupInvocations"),
    ..PLAIN
};

/// What an entry tells of the question to which it is an answer, of
/// `VkPhysicalDeviceCooperativeMatrixInfo2EXT`, is among its members.
const PROPERTIES: List = List {
    structure: "VkCooperativeMatrixProperties2EXT",
    dimension: granularity,
    saturates: |it| ("flags", Is::Flag(SATURATING, it)),
    invocations: Some("invocations"),
    subgroup_size: Some("subgroupSize"),
};

const SATURATING: &str = "VK_COOPERATIVE_MATRIX_SATURATING_ACCUMULATION_BIT_EXT";

/// The same without flexible dimensions.
const EXACT_PROPERTIES: List = List {
    dimension: exact_granularity,
    ..PROPERTIES
};

/// What is known of the shader that has matrices.
#[derive(Clone, Copy, Debug, Default)]
pub struct MatrixShader {
    /// The size of subgroups for which the device must list matrices; 0 for all sizes.
    pub subgroup_size: Option<u64>,
    /// The number of invocations of a workgroup.
    pub invocations: Option<u64>,
}

/// What the cooperative matrices of a shader need of a device, if more is known of it than its module
/// says.
pub fn matrix_needs(m: &ModuleIndex<'_>, shader: MatrixShader) -> Vec<Need> {
    let mut all = Vec::new();
    if m.has(Capability::CooperativeMatrixKHR) {
        let special = Sorted::of(m).special.into_iter();
        special.for_each(|inst| add_khr(m, inst, shader, &mut all));
    }
    all
}

/// Adds what a matrix of `VK_KHR_cooperative_matrix` or a product of them needs.
fn add_khr(m: &ModuleIndex<'_>, inst: Inst<'_>, shader: MatrixShader, all: &mut Vec<Need>) {
    let (what, vuids) = match inst.op() {
        Op::TypeCooperativeMatrixKHR => (
            "a cooperative matrix",
            [
                "VUID-RuntimeSpirv-OpTypeCooperativeMatrixKHR-10163",
                "VUID-RuntimeSpirv-cooperativeMatrixFlexibleDimensions-10165",
                "VUID-RuntimeSpirv-cooperativeMatrixProperties2-13382",
            ],
        ),
        Op::CooperativeMatrixMulAddKHR => (
            "a product of cooperative matrices",
            [
                "VUID-RuntimeSpirv-OpCooperativeMatrixMulAddKHR-10060",
                "VUID-RuntimeSpirv-cooperativeMatrixFlexibleDimensions-10166",
                "VUID-RuntimeSpirv-cooperativeMatrixProperties2-13383",
            ],
        ),
        _ => return,
    };
    let entries = |list: &List| match inst.op() {
        Op::TypeCooperativeMatrixKHR => of_type(m, inst, list, shader),
        _ => product(m, inst, list, shader),
    };
    let features = [FLEXIBLE_FEATURE, PROPERTIES_FEATURE].map(Feature::named);
    let (Some(own), [Some(flexible), Some(properties)]) = (entries(&PLAIN), features) else {
        return;
    };
    let lacking = |feature: Feature| Enable::Lacking { feature: feature.0 };
    // By which features another rule holds, and the list that counts beside the plain one.
    let rules = [
        (vuids[0], [flexible.into(), properties.into()], None),
        (vuids[1], [lacking(flexible); 2], Some(&FLEXIBLE)),
        (
            vuids[2],
            [lacking(properties), flexible.into()],
            Some(&EXACT_PROPERTIES),
        ),
        (
            vuids[2],
            [lacking(properties), lacking(flexible)],
            Some(&PROPERTIES),
        ),
    ];
    for (vuid, mut others, list) in rules.map(|(vuid, others, list)| (vuid, others.to_vec(), list))
    {
        others.dedup();
        let mut listed = own.clone();
        listed.extend(list.and_then(entries).into_iter().flatten());
        all.push(Need {
            offset: inst.offset(),
            vuid,
            what: what.to_owned(),
            wanted: Wanted::Either(vec![Wanted::OneOf(others), Wanted::Listed(listed)]),
        });
    }
}

pub(super) fn add(
    m: &ModuleIndex<'_>,
    types: &Types<'_>,
    sorted: &Sorted<'_>,
    all: &mut Vec<Need>,
) {
    let cooperative = [
        Capability::CooperativeMatrixKHR,
        Capability::CooperativeMatrixNV,
        Capability::CooperativeVectorNV,
        Capability::CooperativeMatrixConversionQCOM,
    ];
    if !cooperative.iter().any(|it| m.has(*it)) {
        return;
    }
    let shader = MatrixShader {
        invocations: workgroup::invocations(m, types),
        ..MatrixShader::default()
    };
    for &inst in &sorted.special {
        add_khr(m, inst, shader, all);
        let mut add = |vuid, what: &str, wanted: Option<Wanted>| {
            all.extend(wanted.map(|wanted| Need {
                offset: inst.offset(),
                vuid,
                what: what.to_owned(),
                wanted,
            }));
        };
        match inst.op() {
            Op::TypeCooperativeMatrixNV => add(
                "VUID-RuntimeSpirv-OpTypeCooperativeMatrixNV-06316",
                "a cooperative matrix",
                of_nv_type(m, inst),
            ),
            Op::CooperativeMatrixMulAddNV => add(
                "VUID-RuntimeSpirv-OpTypeCooperativeMatrixMulAddNV-10059",
                "a product of cooperative matrices",
                nv_product(m, inst),
            ),
            Op::ExtractSubArrayQCOM => {
                let length = |ty: Option<Id>| m.array_length(ty?);
                let source = length(m.type_of(inst.id(0)));
                let rules = [
                    ("NSize", source, "VUID-RuntimeSpirv-NSize-12352"),
                    (
                        "KSize",
                        length(inst.result_type()),
                        "VUID-RuntimeSpirv-KSize-12353",
                    ),
                ];
                for (member, length, vuid) in rules {
                    let members = length.map(|length| vec![(member, Is::Number(length))]);
                    let wanted = members.map(|members| listed(KHR, vec![members]));
                    add(vuid, "a part of an array", wanted);
                }
            }
            Op::CooperativeVectorMatrixMulNV | Op::CooperativeVectorMatrixMulAddNV => add(
                "VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulNV-10089",
                "a product with a cooperative vector",
                vector_product(m, inst).map(|members| listed(VECTORS, vec![members])),
            ),
            Op::TypeVectorIdEXT if is_cooperative(m) => {
                let types = components(m, inst.id(0));
                let of = |member| vec![(member, Is::Component(types.clone()))];
                let wanted = listed(VECTORS, vec![of("inputType"), of("resultType")]);
                add(
                    "VUID-RuntimeSpirv-OpTypeCooperativeVector-10095",
                    "a cooperative vector",
                    Some(wanted).filter(|_| !types.is_empty()),
                );
            }
            _ => {}
        }
    }
}

/// Whether long vectors are cooperative ones, which are the same instruction.
pub(super) fn is_cooperative(m: &ModuleIndex<'_>) -> bool {
    m.has(Capability::CooperativeVectorNV) && !m.has(Capability::LongVectorEXT)
}

fn listed(structure: &'static str, all: Vec<Members>) -> Wanted {
    let all = all.into_iter().map(|members| Listed { structure, members });
    Wanted::Listed(all.collect())
}

fn size(dimension: char, value: u64) -> (&'static str, Is) {
    let name = match dimension {
        'M' => "MSize",
        'N' => "NSize",
        _ => "KSize",
    };
    (name, Is::Number(value))
}

fn granularity(dimension: char, value: u64) -> (&'static str, Is) {
    let name = match dimension {
        'M' => "MGranularity",
        'N' => "NGranularity",
        _ => "KGranularity",
    };
    (name, Is::Divisor(value))
}

fn exact_granularity(dimension: char, value: u64) -> (&'static str, Is) {
    (granularity(dimension, value).0, Is::Number(value))
}

/// What a list says of the shader that has a matrix of this scope.
fn of_shader(list: &List, scope: u32, shader: MatrixShader) -> Members {
    let is_shared = scope == Scope::Workgroup.0;
    let invocations = list.invocations.zip(shader.invocations);
    let invocations = invocations.filter(|_| is_shared);
    let sizes = list.subgroup_size.zip(shader.subgroup_size);
    let told = |(member, number)| (member, Is::Told(number));
    invocations.into_iter().chain(sizes).map(told).collect()
}

/// The numbers of the types of components that a type may stand for: integers of both signs. The
/// first is the one that has its own sign.
fn components(m: &ModuleIndex<'_>, ty: Id) -> Vec<u32> {
    let names = match m.ty(ty) {
        Type::Int { width, signed } => {
            let mut both = ["UINT", "SINT"].map(|kind| format!("{kind}{width}_KHR"));
            if signed {
                both.reverse();
            }
            both.to_vec()
        }
        Type::Float { width, encoding } => vec![match encoding {
            None => format!("FLOAT{width}_KHR"),
            Some(FPEncoding::BFloat16KHR) => "BFLOAT16_KHR".to_owned(),
            Some(FPEncoding::Float8E4M3EXT) => "FLOAT8_E4M3_EXT".to_owned(),
            Some(FPEncoding::Float8E5M2EXT) => "FLOAT8_E5M2_EXT".to_owned(),
            Some(_) => return Vec::new(),
        }],
        _ => return Vec::new(),
    };
    let number = |name: &String| enumerant(&format!("VK_COMPONENT_TYPE_{name}"));
    names.iter().filter_map(number).collect()
}

/// What is said of a matrix: its components, scope, rows and columns.
struct Matrix {
    components: Vec<u32>,
    scope: u32,
    rows: u64,
    columns: u64,
    matrix_use: Option<Use>,
}

fn matrix(m: &ModuleIndex<'_>, ty: Id) -> Option<Matrix> {
    let inst = m.def(ty)?;
    let has_use = match inst.op() {
        Op::TypeCooperativeMatrixKHR => true,
        Op::TypeCooperativeMatrixNV => false,
        _ => return None,
    };
    let components = components(m, inst.id(0));
    let number = |index| m.constant_u64(inst.id(index));
    let as_u32 = |number: u64| u32::try_from(number).ok();
    (!components.is_empty()).then_some(Matrix {
        components,
        scope: as_u32(number(1)?)?,
        rows: number(2)?,
        columns: number(3)?,
        matrix_use: match has_use {
            true => Some(Use(as_u32(number(4)?)?)),
            false => None,
        },
    })
}

/// What a list must have for a type.
fn of_type(
    m: &ModuleIndex<'_>,
    inst: Inst<'_>,
    list: &List,
    shader: MatrixShader,
) -> Option<Vec<Listed>> {
    let own = matrix(m, inst.result()?)?;
    let (rows, columns, types): (_, _, &[&str]) = match own.matrix_use? {
        Use::MatrixAKHR => ('M', 'K', &["AType"]),
        Use::MatrixBKHR => ('K', 'N', &["BType"]),
        Use::MatrixAccumulatorKHR => ('M', 'N', &["CType", "ResultType"]),
        _ => return None,
    };
    let entries = types.iter().map(|&member| {
        let mut members = vec![
            (list.dimension)(rows, own.rows),
            (list.dimension)(columns, own.columns),
            (member, Is::Component(own.components.clone())),
            ("scope", Is::Scope(own.scope)),
        ];
        members.extend(of_shader(list, own.scope, shader));
        Listed {
            structure: list.structure,
            members,
        }
    });
    Some(entries.collect())
}

/// The types of the matrices that are multiplied and added, and of the result.
fn factors(m: &ModuleIndex<'_>, inst: Inst<'_>) -> Option<[Matrix; 4]> {
    let of = |index| matrix(m, m.type_of(inst.id(index))?);
    Some([of(0)?, of(1)?, of(2)?, matrix(m, inst.result_type()?)?])
}

/// What a list must have for a product.
fn product(
    m: &ModuleIndex<'_>,
    inst: Inst<'_>,
    list: &List,
    shader: MatrixShader,
) -> Option<Vec<Listed>> {
    let factors = factors(m, inst)?;
    let operands = inst.optional(3).unwrap_or_default();
    let has = |operand: Operands| operands & operand.0 != 0;
    let signs = [
        ("AType", Operands::MatrixASignedComponentsKHR),
        ("BType", Operands::MatrixBSignedComponentsKHR),
        ("CType", Operands::MatrixCSignedComponentsKHR),
        ("ResultType", Operands::MatrixResultSignedComponentsKHR),
    ];
    let [a, b, ..] = &factors;
    let mut members = vec![
        (list.dimension)('M', a.rows),
        (list.dimension)('N', b.columns),
        (list.dimension)('K', a.columns),
        ("scope", Is::Scope(a.scope)),
        (list.saturates)(has(Operands::SaturatingAccumulationKHR)),
    ];
    members.extend(of_shader(list, a.scope, shader));
    for (factor, (member, sign)) in factors.iter().zip(signs) {
        // Of two, which are integers, the operand says which.
        let types = match factor.components.as_slice() {
            [one, other] => {
                let signed = is_signed(*one);
                vec![if signed == has(sign) { *one } else { *other }]
            }
            one => one.to_vec(),
        };
        members.push((member, Is::Component(types)));
    }
    Some(vec![Listed {
        structure: list.structure,
        members,
    }])
}

/// Whether a type of components is a signed integer.
fn is_signed(number: u32) -> bool {
    let name = crate::tables::enumerant_name("VK_COMPONENT_TYPE_", number);
    name.is_some_and(|name| name.starts_with("VK_COMPONENT_TYPE_SINT"))
}

/// What must be listed for a type of the older extension, which may be any of a product's.
fn of_nv_type(m: &ModuleIndex<'_>, inst: Inst<'_>) -> Option<Wanted> {
    let own = matrix(m, inst.result()?)?;
    let places = [
        ("MSize", "KSize", "AType"),
        ("KSize", "NSize", "BType"),
        ("MSize", "NSize", "CType"),
        ("MSize", "NSize", "DType"),
    ];
    let entries = places.map(|(rows, columns, ty)| {
        vec![
            (rows, Is::Number(own.rows)),
            (columns, Is::Number(own.columns)),
            (ty, Is::Component(own.components[..1].to_vec())),
            ("scope", Is::Scope(own.scope)),
        ]
    });
    Some(listed(NV, entries.to_vec()))
}

fn nv_product(m: &ModuleIndex<'_>, inst: Inst<'_>) -> Option<Wanted> {
    let factors = factors(m, inst)?;
    let [a, b, ..] = &factors;
    let mut members = vec![
        ("MSize", Is::Number(a.rows)),
        ("NSize", Is::Number(b.columns)),
        ("KSize", Is::Number(a.columns)),
        ("scope", Is::Scope(a.scope)),
    ];
    for (factor, member) in factors.iter().zip(["AType", "BType", "CType", "DType"]) {
        members.push((member, Is::Component(factor.components[..1].to_vec())));
    }
    Some(listed(NV, vec![members]))
}

/// What must be listed for a product of a matrix and a vector.
fn vector_product(m: &ModuleIndex<'_>, inst: Inst<'_>) -> Option<Members> {
    let interpretation = |index| {
        let number = m.constant_u64(inst.id(index))?;
        Some(Is::Component(vec![u32::try_from(number).ok()?]))
    };
    let of_vector = |ty: Id| {
        let types = components(m, m.component_type(ty));
        // Integers have a sign of their own.
        Some(Is::Component(types.get(..1)?.to_vec()))
    };
    let adds = inst.op() == Op::CooperativeVectorMatrixMulAddNV;
    let mut members = vec![
        ("inputType", of_vector(m.type_of(inst.id(0))?)?),
        ("inputInterpretation", interpretation(1)?),
        ("matrixInterpretation", interpretation(4)?),
        ("resultType", of_vector(inst.result_type()?)?),
    ];
    if adds {
        members.push(("biasInterpretation", interpretation(7)?));
    }
    let transpose = inst.id(if adds { 11 } else { 8 });
    if m.op_of(transpose) == Op::ConstantTrue {
        members.push(("transpose", Is::Bool(true)));
    }
    Some(members)
}
