//! Values of 8 and 16 bits that may only be stored (specification, section
//! 3.31, the storage capabilities).

use spirvkit_binary::{Id, IdMap, Instruction, Value, WordOffset};
use spirvkit_grammar::{Capability, Op};

use super::Family;
use crate::finding::{CheckResult, Finding, Reporter};
use crate::inst_ctx::InstCtx;
use crate::module::{Contents, Inst, Lookup, Module, Type};
use crate::rules::generated::small_type;

pub(crate) const FAMILY: Family = Family {
    ops: &[],
    check,
    check_module: Some(check_module),
};

fn check(_at: &InstCtx<'_, '_>) -> CheckResult {
    Ok(())
}

/// Whether a type is or holds numbers that the module may only store, because it
/// doesn't declare the capability to calculate with them.
pub(super) fn is_limited(m: &Module<'_>, ty: Id) -> bool {
    let limits = Limits::new(m);
    if !limits.any() {
        return false;
    }
    m.contents(ty).has(limits.kinds())
}

/// Which numbers may only be stored.
#[derive(Clone, Copy)]
struct Limits {
    int8: bool,
    int16: bool,
    float16: bool,
}

impl Limits {
    fn new(m: &Module<'_>) -> Self {
        Self {
            int8: !m.has(Capability::Int8),
            int16: !m.has(Capability::Int16),
            float16: !m.has(Capability::Float16),
        }
    }

    fn any(self) -> bool {
        self.int8 || self.int16 || self.float16
    }

    fn kinds(self) -> u32 {
        let kind = |is_limited: bool, kind: u32| if is_limited { kind } else { 0 };
        kind(self.int8, Contents::INT8)
            | kind(self.int16, Contents::INT16)
            | kind(self.float16, Contents::FLOAT16)
    }

    fn cover(self, ty: Type<'_>) -> bool {
        match ty {
            Type::Int { width: 8, .. } => self.int8,
            Type::Int { width: 16, .. } => self.int16,
            Type::Float {
                width: 16,
                encoding: None,
            } => self.float16,
            _ => false,
        }
    }
}

/// The capabilities that free 8- and 16-bit values of these limits.
pub(super) const CALCULATION: &[Capability] =
    &[Capability::Int8, Capability::Int16, Capability::Float16];

/// What an opcode may do with such values.
enum Role {
    /// Takes them.
    Fine,
    Composite,
    Conversion,
    /// Isn't for them.
    Other,
}

fn role(op: Op) -> Role {
    match op {
        Op::Load
        | Op::Store
        | Op::CopyObject
        | Op::FConvert
        | Op::SConvert
        | Op::UConvert
        | Op::Decorate
        | Op::DecorateId
        | Op::DecorateString
        | Op::GroupDecorate
        | Op::Name
        | Op::FunctionParameter
        | Op::Undef
        | Op::Variable => Role::Fine,
        Op::CompositeExtract
        | Op::CompositeInsert
        | Op::CompositeConstruct
        | Op::CompositeConstructReplicateEXT
        | Op::VectorShuffle
        | Op::VectorExtractDynamic
        | Op::VectorInsertDynamic
        | Op::CopyLogical
        | Op::Transpose => Role::Composite,
        Op::ConvertFToU
        | Op::ConvertFToS
        | Op::ConvertSToF
        | Op::ConvertUToF
        | Op::QuantizeToF16
        | Op::ConvertPtrToU
        | Op::ConvertUToPtr
        | Op::SatConvertSToU
        | Op::SatConvertUToS
        | Op::Bitcast => Role::Conversion,
        _ => Role::Other,
    }
}

/// Looks at functions only in the rare modules that declare types which they may
/// only store.
fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    if !m.has(Capability::Shader) {
        return;
    }
    let limits = Limits::new(m);
    if !limits.any() {
        return;
    }
    // The types that are or hold such numbers, and the values of these types.
    let mut limited = IdMap::with_bound(false, m.words.len(), m.header.bound);
    let mut any = false;
    for inst in m.declared.iter().filter_map(|&offset| m.inst(offset)) {
        let Some(result) = inst.result() else {
            continue;
        };
        let is_limited = match m.ty(result) {
            Type::Vector {
                component: part, ..
            }
            | Type::LongVector {
                component: part, ..
            }
            | Type::Matrix { column: part, .. }
            | Type::Array { element: part, .. }
            | Type::RuntimeArray { element: part } => limited.get(part),
            Type::CooperativeMatrix(matrix) | Type::CooperativeMatrixNv(matrix) => {
                limited.get(matrix.component)
            }
            Type::Struct { members } => members.iter().any(|&member| limited.get(Id(member))),
            number => limits.cover(number),
        };
        if is_limited {
            limited.replace(result, true);
            any = true;
        }
    }
    if !any {
        return;
    }
    let mut any_constant = false;
    let start = m.declared.first().copied().unwrap_or(0);
    let end = m.functions.first().map_or(0, |first| first.range.start);
    for inst in m.instructions(start..end) {
        if let Some(result) = inst.result()
            && inst.result_type().is_some_and(|ty| limited.get(ty))
        {
            limited.replace(result, true);
            any_constant = true;
        }
    }
    for function in &m.functions {
        // Until one of them makes such a value, or may make one, none can take one.
        let is_of_such_a_type = |inst: &Inst<'_>| limited.get(Id(inst.word(1)));
        let first = match any_constant {
            true => Some(function.range.start),
            false => m
                .instructions(function.range.clone())
                .find(is_of_such_a_type)
                .map(|inst| inst.offset()),
        };
        let Some(first) = first else {
            continue;
        };
        for inst in m.instructions(first..function.range.end) {
            // Types of results are among the words. A literal may look like an id:
            // what follows is more careful.
            let mut words = inst.words().iter().skip(1);
            if !words.any(|&word| limited.get(Id(word))) {
                continue;
            }
            let makes = inst.result_type().is_some_and(|ty| limited.get(ty));
            if makes && let Some(result) = inst.result() {
                limited.replace(result, true);
            }
            if let Some(finding) = check_instruction(m, inst, &limited) {
                reporter.add(finding);
                if reporter.is_full() {
                    return;
                }
            }
        }
    }
}

fn check_instruction(m: &Module<'_>, inst: Inst<'_>, limited: &IdMap<bool>) -> Option<Finding> {
    let op = inst.op();
    let role = role(op);
    if matches!(role, Role::Fine) || m.is_remark(inst) {
        return None;
    }
    // What an instruction makes counts for composites and conversions; others
    // make such values of such values.
    let makes =
        !matches!(role, Role::Other) && inst.result_type().is_some_and(|ty| limited.get(ty));
    let used = match makes {
        true => None,
        false => Some(limited_operand(m, inst, limited)?),
    };
    let (rule, what) = match role {
        Role::Composite => (&small_type::COMPOSITE, "composites of 8- and 16-bit values"),
        Role::Conversion => (&small_type::CONVERSION, "8- and 16-bit values"),
        _ => (&small_type::USE, "8- and 16-bit values"),
    };
    let message = format!(
        "{op} can't be used on {what} in this module, which may only load, store and convert them"
    );
    let finding = Finding::new(rule, inst.offset(), message);
    let finding = finding.needs(CALCULATION);
    Some(match used {
        Some(id) => finding.about(m, id, "the value is defined here"),
        None => finding,
    })
}

/// The first operand that is or holds a value of limited use.
fn limited_operand(m: &Module<'_>, inst: Inst<'_>, limited: &IdMap<bool>) -> Option<Id> {
    let offset = WordOffset(inst.offset() as usize);
    let instruction = Instruction::from_words(inst.words(), offset)?;
    instruction
        .operands(&m.definitions)
        .filter_map(|operand| match operand.ok()?.value {
            Value::Id(id) if Some(id) != inst.result() => Some(id),
            _ => None,
        })
        .find(|&id| m.type_of(id).is_some_and(|ty| limited.get(ty)))
}
