//! AMD's extensions, put together from what the core has.

use std::collections::BTreeSet;

use spirvkit_analysis::Type;
use spirvkit_binary::{Definition, Id, Import};
use spirvkit_grammar::{
    AmdGcnShader as Gcn, AmdShaderBallot as Ballot, BuiltIn, Capability, Decoration,
    ExecutionModel, ExtInstSet, GlslStd450, Op, Scope, StorageClass, Version,
};
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{Inst, Lookup, Module, Place};

use super::interface::{entry_points, list_everywhere};
use super::{built, decorated, extensions, in_functions, of_op, remove_extension};
use crate::pass::{Changed, Context, PassError};

/// The sets of instructions that are replaced, and their extensions.
const SETS: [(ExtInstSet, &str); 3] = [
    (ExtInstSet::AmdShaderBallot, "SPV_AMD_shader_ballot"),
    (ExtInstSet::AmdGcnShader, "SPV_AMD_gcn_shader"),
    (
        ExtInstSet::AmdShaderTrinaryMinMax,
        "SPV_AMD_shader_trinary_minmax",
    ),
];

/// The operation of a subgroup that does the same as one of `SPV_AMD_shader_ballot`, or as one that
/// shaders have by it.
fn group_operation(module: &Module, inst: Inst) -> Option<Op> {
    let op = module.op(inst);
    let operation = op.non_uniform_arithmetic().filter(|_| needs_groups(op))?;
    let scope = module.constant_u64(module.operand_id(inst, 0)?);
    (scope == Some(Scope::Subgroup.0.into())).then_some(operation)
}

/// The set that an extended instruction is of, if it is replaced.
fn set_of(module: &Module, inst: Inst) -> Option<ExtInstSet> {
    if module.op(inst) != Op::ExtInst {
        return None;
    }
    let Definition::Import(Import::Known(set)) =
        module.definitions().get(module.operand_id(inst, 0)?)
    else {
        return None;
    };
    SETS.iter().map(|it| it.0).find(|&known| known == set)
}

/// Replaces the instructions of `SPV_AMD_shader_ballot`, `SPV_AMD_gcn_shader` and
/// `SPV_AMD_shader_trinary_minmax`.
pub(super) fn replace(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let extended = in_functions(module, |inst| set_of(module, inst).is_some());
    let has_groups = !extensions(module, |name| name == SETS[0].1).is_empty();
    let groups = in_functions(module, |inst| {
        has_groups && group_operation(module, inst).is_some()
    });
    let count = extended.len() + groups.len();
    // The operations of subgroups came with this version.
    if count > 0 && module.header().version < Version::V1_3 {
        module.set_version(Version::V1_3);
    }
    let built_ins = decorated(module, Decoration::BuiltIn);
    let mut making = Making {
        built_ins: built_ins
            .into_iter()
            .map(|(id, built_in)| (built_in, id))
            .collect(),
        used: BTreeSet::new(),
    };
    making.built_ins.sort_unstable();
    built(module.edit(|b| {
        for &inst in &groups {
            if let Some(op) = group_operation(b.module(), inst) {
                let words = b.module().get(inst).operand_words().to_vec();
                b.module_mut().replace(inst, op, &words)?;
                b.capability(Capability::GroupNonUniformArithmetic);
            }
        }
        for &inst in &extended {
            b.insert_at(Place::Before(inst));
            if let Some(value) = making.value(b, inst) {
                b.replace_with(inst, value);
            }
        }
        Ok::<(), PassError>(())
    }))??;
    // One that was there already may be that of another entry point.
    for variable in making.used {
        list_everywhere(module, variable)?;
    }
    let mut removed = 0;
    for import in of_op(module, Op::ExtInstImport) {
        let is_replaced = module.result(import).is_some_and(|id| {
            let definition = module.definitions().get(id);
            SETS.iter()
                .any(|(set, _)| definition == Definition::Import(Import::Known(*set)))
        });
        if is_replaced && module.uses_of(import).all(|found| module.is_about(found)) {
            module.erase(import)?;
            removed += 1;
        }
    }
    let left = in_functions(module, |inst| {
        set_of(module, inst).is_some() || module.op(inst).is_amd_group()
    });
    if left.is_empty() {
        for (_, extension) in SETS {
            removed += remove_extension(module, extension)?;
        }
        removed += forget_groups(module)?;
    }
    Ok(Changed::if_any(count + removed))
}

fn needs_groups(op: Op) -> bool {
    let capabilities = op.info().map(|info| info.availability().capabilities());
    capabilities.is_some_and(|all| all.contains(&Capability::Groups))
}

/// Takes the capability of groups back, if nothing needs it any more.
fn forget_groups(module: &mut Module) -> Result<usize, PassError> {
    if module
        .instructions()
        .any(|inst| needs_groups(module.op(inst)))
    {
        return Ok(0);
    }
    let is_it = |inst: &Inst| module.operand_word(*inst, 0) == Some(Capability::Groups.0);
    let all: Vec<Inst> = of_op(module, Op::Capability)
        .into_iter()
        .filter(is_it)
        .collect();
    for &inst in &all {
        module.remove(inst)?;
    }
    Ok(all.len())
}

struct Making {
    /// The variables with built-ins.
    built_ins: Vec<(u32, Id)>,
    /// Those of them that are read.
    used: BTreeSet<Id>,
}

impl Making {
    /// What an instruction gives, put together before it.
    fn value(&mut self, b: &mut Builder, inst: Inst) -> Option<Id> {
        let module = b.module();
        let set = set_of(module, inst)?;
        let words = module.get(inst).operand_words().to_vec();
        let (&[ty, _, _, number], operands) = words.split_first_chunk::<4>()?;
        let operands: Vec<Id> = operands.iter().map(|&id| Id(id)).collect();
        let ty = Id(ty);
        match (set, &operands[..]) {
            (ExtInstSet::AmdShaderTrinaryMinMax, &[x, y, z]) => of_three(b, ty, number, [x, y, z]),
            (ExtInstSet::AmdShaderBallot, _) => self.ballot(b, ty, Ballot(number), &operands),
            (_, &[direction]) => {
                let (face, place) = face_of_cube(b, direction);
                match Gcn(number) {
                    Gcn::CubeFaceIndexAMD => Some(face),
                    Gcn::CubeFaceCoordAMD => Some(b.composite_construct(ty, &place)),
                    _ => None,
                }
            }
            (_, &[]) if Gcn(number) == Gcn::TimeAMD => {
                let scope = b.constant_u32(Scope::Subgroup.0);
                Some(b.read_clock_khr(ty, scope))
            }
            _ => None,
        }
    }

    fn ballot(
        &mut self,
        b: &mut Builder,
        ty: Id,
        instruction: Ballot,
        operands: &[Id],
    ) -> Option<Id> {
        let uint = b.type_int(32, 0);
        match (instruction, operands) {
            (Ballot::SwizzleInvocationsAMD, &[data, offsets]) => {
                let lane = self.lane(b);
                let (low, high) = (b.constant_u32(3), b.constant_u32(!3));
                let own = b.bitwise_and(uint, lane, low);
                let four = b.bitwise_and(uint, lane, high);
                let offset = b.vector_extract_dynamic(uint, offsets, own);
                let source = b.bitwise_or(uint, four, offset);
                Some(self.of_lane(b, ty, data, source))
            }
            (Ballot::SwizzleInvocationsMaskedAMD, &[data, masks]) => {
                let lane = self.lane(b);
                let [and, or, xor] =
                    [0, 1, 2].map(|part| b.composite_extract(uint, masks, &[part]));
                let (low, high) = (b.constant_u32(0x1f), b.constant_u32(0x20));
                let group = b.bitwise_and(uint, lane, high);
                let lane = b.bitwise_and(uint, lane, low);
                let lane = b.bitwise_and(uint, lane, and);
                let lane = b.bitwise_or(uint, lane, or);
                let lane = b.bitwise_xor(uint, lane, xor);
                let source = b.bitwise_or(uint, lane, group);
                Some(self.of_lane(b, ty, data, source))
            }
            (Ballot::WriteInvocationAMD, &[value, written, index]) => {
                let (lane, bool) = (self.lane(b), b.type_bool());
                let is_it = b.i_equal(bool, lane, index);
                Some(choose(b, ty, is_it, written, value))
            }
            (Ballot::MbcntAMD, &[mask]) => {
                b.capability(Capability::GroupNonUniformBallot);
                let uvec4 = b.type_vector(uint, 4);
                let below = self.built_in(b, BuiltIn::SubgroupLtMask, uvec4);
                let uvec2 = b.type_vector(uint, 2);
                let mask = b.bitcast(uvec2, mask);
                let below = b.vector_shuffle(uvec2, below, below, &[0, 1]);
                let bits = b.bitwise_and(uvec2, mask, below);
                let counts = b.bit_count(uvec2, bits);
                let [first, second] = [0, 1].map(|part| b.composite_extract(uint, counts, &[part]));
                let count = b.i_add(uint, first, second);
                match b.module().ty(ty) {
                    Type::Int { width: 32, signed } if !signed => Some(count),
                    Type::Int { width: 32, .. } => Some(b.bitcast(ty, count)),
                    _ => Some(b.u_convert(ty, count)),
                }
            }
            _ => None,
        }
    }

    /// The position of an invocation in its subgroup.
    fn lane(&mut self, b: &mut Builder) -> Id {
        b.capability(Capability::GroupNonUniform);
        let uint = b.type_int(32, 0);
        self.built_in(b, BuiltIn::SubgroupLocalInvocationId, uint)
    }

    /// The value of a built-in that is an input.
    fn built_in(&mut self, b: &mut Builder, built_in: BuiltIn, ty: Id) -> Id {
        let pointer = b.type_pointer(StorageClass::Input, ty);
        let known = self
            .built_ins
            .iter()
            .find(|&&(known, id)| known == built_in.0 && b.module().type_of(id) == Some(pointer));
        let variable = match known {
            Some(&(_, id)) => id,
            None => {
                let variable = b.variable(pointer, StorageClass::Input, None);
                b.decorate(variable, Decoration::BuiltIn, &[built_in.0]);
                let is_fragment = |model: u32| ExecutionModel(model) == ExecutionModel::Fragment;
                if entry_points(b.module())
                    .iter()
                    .any(|entry| is_fragment(entry.model))
                {
                    b.decorate(variable, Decoration::Flat, &[]);
                }
                self.built_ins.push((built_in.0, variable));
                variable
            }
        };
        self.used.insert(variable);
        b.load(ty, variable, None)
    }

    /// What another invocation has, or zero, if that one isn't active.
    fn of_lane(&mut self, b: &mut Builder, ty: Id, data: Id, source: Id) -> Id {
        let (uint, bool) = (b.type_int(32, 0), b.type_bool());
        let uvec4 = b.type_vector(uint, 4);
        let scope = b.constant_u32(Scope::Subgroup.0);
        let fetched = b.group_non_uniform_shuffle(ty, scope, data, source);
        let yes = b.constant_true(bool);
        let active = b.group_non_uniform_ballot(uvec4, scope, yes);
        let is_active = b.group_non_uniform_ballot_bit_extract(bool, scope, active, source);
        let zero = b.constant_null(ty);
        choose(b, ty, is_active, fetched, zero)
    }
}

/// One of two numbers or vectors.
fn choose(b: &mut Builder, ty: Id, condition: Id, yes: Id, no: Id) -> Id {
    let Type::Vector { count, .. } = b.module().ty(ty) else {
        return b.select(ty, condition, yes, no);
    };
    let bool = b.type_bool();
    let bools = b.type_vector(bool, count);
    let conditions = b.composite_construct(bools, &vec![condition; count as usize]);
    b.select(ty, conditions, yes, no)
}

/// The least, the greatest or the middle of three.
fn of_three(b: &mut Builder, ty: Id, number: u32, [x, y, z]: [Id; 3]) -> Option<Id> {
    // The numbers of each come in threes: for floating-point numbers, without and with signs.
    let (least, greatest) = match number % 3 {
        1 => (GlslStd450::FMin, GlslStd450::FMax),
        2 => (GlslStd450::UMin, GlslStd450::UMax),
        _ => (GlslStd450::SMin, GlslStd450::SMax),
    };
    match number {
        1..=3 => {
            let low = b.glsl(ty, least, &[x, y]);
            Some(b.glsl(ty, least, &[low, z]))
        }
        4..=6 => {
            let high = b.glsl(ty, greatest, &[x, y]);
            Some(b.glsl(ty, greatest, &[high, z]))
        }
        7..=9 => {
            let low = b.glsl(ty, least, &[x, y]);
            let high = b.glsl(ty, greatest, &[x, y]);
            let below = b.glsl(ty, least, &[high, z]);
            Some(b.glsl(ty, greatest, &[low, below]))
        }
        _ => None,
    }
}

/// The number of the face of a cube, and the place on it, that a direction leads to (Vulkan, "Cube
/// Map Face Selection").
fn face_of_cube(b: &mut Builder, direction: Id) -> (Id, [Id; 2]) {
    let (float, bool) = (b.type_float(32, None), b.type_bool());
    let [x, y, z] = [0, 1, 2].map(|part| b.composite_extract(float, direction, &[part]));
    let sizes = [x, y, z].map(|it| b.glsl(float, GlslStd450::FAbs, &[it]));
    let [minus_x, minus_y, minus_z] = [x, y, z].map(|it| b.f_negate(float, it));
    // Where several are the greatest, z goes before y, and y before x.
    let beyond_x = b.f_ord_less_than_equal(bool, sizes[0], sizes[2]);
    let beyond_y = b.f_ord_less_than_equal(bool, sizes[1], sizes[2]);
    let is_z = b.logical_and(bool, beyond_x, beyond_y);
    let is_y = b.f_ord_less_than_equal(bool, sizes[0], sizes[1]);
    let by_axis = |b: &mut Builder, [x, y, z]: [Id; 3]| {
        let other = b.select(float, is_y, y, x);
        b.select(float, is_z, z, other)
    };
    let along = by_axis(b, [x, y, z]);
    let zero = b.constant_f32(0.0);
    let is_negative = b.f_ord_less_than(bool, along, zero);
    let [positive, negative] = [0.0, 1.0].map(|sign: f32| {
        let faces = [0.0, 2.0, 4.0].map(|first| b.constant_f32(first + sign));
        by_axis(b, faces)
    });
    let face = b.select(float, is_negative, negative, positive);
    let s = [
        b.select(float, is_negative, z, minus_z),
        x,
        b.select(float, is_negative, minus_x, x),
    ];
    let t = [minus_y, b.select(float, is_negative, minus_z, z), minus_y];
    let size = b.glsl(float, GlslStd450::FAbs, &[along]);
    let half = b.constant_f32(0.5);
    let place = [s, t].map(|axes| {
        let coordinate = by_axis(b, axes);
        let part = b.f_div(float, coordinate, size);
        let scaled = b.f_mul(float, part, half);
        b.f_add(float, scaled, half)
    });
    (face, place)
}
