//! Computing with 16 bits what may be.

use hashbrown::HashMap;
use spirvkit_analysis::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Class, Decoration, GlslStd450, Op};
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{Inst, Lookup, Module, Place, Use};

use super::{built, decorated, glsl, in_functions, of_op};
use crate::pass::{Changed, Context, PassError};

/// Functions of `GLSL.std.450` that take and give numbers of one type.
const FUNCTIONS: &[GlslStd450] = &[
    GlslStd450::Round,
    GlslStd450::RoundEven,
    GlslStd450::Trunc,
    GlslStd450::FAbs,
    GlslStd450::FSign,
    GlslStd450::Floor,
    GlslStd450::Ceil,
    GlslStd450::Fract,
    GlslStd450::Radians,
    GlslStd450::Degrees,
    GlslStd450::Sin,
    GlslStd450::Cos,
    GlslStd450::Tan,
    GlslStd450::Asin,
    GlslStd450::Acos,
    GlslStd450::Atan,
    GlslStd450::Sinh,
    GlslStd450::Cosh,
    GlslStd450::Tanh,
    GlslStd450::Asinh,
    GlslStd450::Acosh,
    GlslStd450::Atanh,
    GlslStd450::Atan2,
    GlslStd450::Pow,
    GlslStd450::Exp,
    GlslStd450::Log,
    GlslStd450::Exp2,
    GlslStd450::Log2,
    GlslStd450::Sqrt,
    GlslStd450::InverseSqrt,
    GlslStd450::FMin,
    GlslStd450::FMax,
    GlslStd450::FClamp,
    GlslStd450::FMix,
    GlslStd450::Step,
    GlslStd450::SmoothStep,
    GlslStd450::Fma,
    GlslStd450::Length,
    GlslStd450::Distance,
    GlslStd450::Cross,
    GlslStd450::Normalize,
    GlslStd450::FaceForward,
    GlslStd450::Reflect,
    GlslStd450::NMin,
    GlslStd450::NMax,
    GlslStd450::NClamp,
];

/// Lets operations that are decorated with `RelaxedPrecision` take and give numbers of 16 bits, with
/// conversions before and behind, and removes the decorations.
pub(super) fn convert(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let relaxed = decorated(module, Decoration::RelaxedPrecision);
    let found = in_functions(module, |inst| {
        module
            .result(inst)
            .is_some_and(|id| relaxed.contains_key(&id))
            && is_convertible(module, inst)
    });
    let count = found.len();
    built(module.edit(|b| {
        if found.is_empty() {
            return;
        }
        b.capability(Capability::Float16);
        let half = b.type_float(16, None);
        // What was converted already, by the value, in the same block.
        let mut narrowed: HashMap<(Id, usize), Id> = HashMap::new();
        for inst in found {
            let module = b.module();
            let words = module.get(inst).operand_words().to_vec();
            let (op, ty) = (module.op(inst), Id(words[0]));
            let first = if op == Op::ExtInst { 4 } else { 2 };
            let block = module.block_of(inst).map_or(0, |block| block.index());
            let half_of = |b: &mut Builder, ty: Id| match b.module().ty(ty) {
                Type::Vector { count, .. } => b.type_vector(half, count),
                _ => half,
            };
            let mut operands = words.clone();
            for operand in &mut operands[first..] {
                let id = Id(*operand);
                let Some(own) = b
                    .module()
                    .type_of(id)
                    .filter(|&ty| is_single(b.module(), ty))
                else {
                    continue;
                };
                let narrow = half_of(b, own);
                b.insert_at(Place::Before(inst));
                let converted = match narrowed.get(&(id, block)) {
                    Some(&converted) => converted,
                    None => b.f_convert(narrow, id),
                };
                narrowed.insert((id, block), converted);
                *operand = converted.0;
            }
            let narrow = half_of(b, ty);
            operands[0] = narrow.0;
            b.insert_at(Place::Before(inst));
            let small = b.module_mut().fresh_id();
            operands[1] = small.0;
            // It has as many words as what was there.
            let _ = b.module_mut().insert(Place::Before(inst), op, &operands);
            let large = b.f_convert(ty, small);
            carry(b, inst, small);
            narrowed.insert((large, block), small);
            b.replace_with(inst, large);
        }
    }))?;
    let mut removed = 0;
    for inst in of_op(module, Op::Decorate) {
        let words = module.get(inst).operand_words();
        if words.get(1) == Some(&Decoration::RelaxedPrecision.0) {
            module.remove(inst)?;
            removed += 1;
        }
    }
    Ok(Changed::if_any(count + removed))
}

/// Says of what takes the place of an instruction what is said of that, but that it is relaxed.
fn carry(b: &mut Builder, inst: Inst, id: Id) {
    let module = b.module_mut();
    let said: Vec<Use> = module
        .uses_of(inst)
        .filter(|&found| module.is_about(found) && module.op(found.inst).is_decoration())
        .collect();
    for found in said {
        let is_relaxed = module.op(found.inst) == Op::Decorate
            && module.operand_word(found.inst, 1) == Some(Decoration::RelaxedPrecision.0);
        if !is_relaxed {
            // A word that is there.
            let _ = module.set_word(found.inst, found.word, id.0);
        }
    }
}

/// Whether a type is made of floating-point numbers of 32 bits.
fn is_single(module: &Module, ty: Id) -> bool {
    let is_plain = matches!(module.ty(ty), Type::Float { .. } | Type::Vector { .. });
    let component = module.ty(module.component_type(ty));
    is_plain
        && matches!(
            component,
            Type::Float {
                width: 32,
                encoding: None
            }
        )
}

/// Whether an operation can be done with 16 bits.
fn is_convertible(module: &Module, inst: Inst) -> bool {
    if !module
        .result_type(inst)
        .is_some_and(|ty| is_single(module, ty))
    {
        return false;
    }
    let op = module.op(inst);
    if let Some(function) = glsl(module, inst) {
        return FUNCTIONS.contains(&function);
    }
    let is_arithmetic = op.info().map(|info| info.class()) == Some(Class::Arithmetic);
    is_arithmetic
        && matches!(
            op,
            Op::FNegate
                | Op::FAdd
                | Op::FSub
                | Op::FMul
                | Op::FDiv
                | Op::FRem
                | Op::FMod
                | Op::VectorTimesScalar
                | Op::Dot
        )
}
