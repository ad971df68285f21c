//! The instructions of a module by what is asked of them, so that most are gone through but once.

use std::ops::Range;

use spirvkit_analysis::ModuleIndex;
use spirvkit_analysis::index::Inst;
use spirvkit_grammar::Op;

/// Instructions that matter here, each list in module order.
pub(super) struct Sorted<'a> {
    /// Those of which rules ask something by themselves.
    pub(super) special: Vec<Inst<'a>>,
    /// Others that pointers pass through.
    pub(super) accesses: Vec<Inst<'a>>,
}

impl<'a> Sorted<'a> {
    pub(super) fn of(m: &ModuleIndex<'a>) -> Self {
        let (mut special, mut accesses) = (Vec::new(), Vec::new());
        for inst in m.all_instructions() {
            match kind(inst.op()) {
                Kind::Ordinary => {}
                Kind::Access => accesses.push(inst),
                Kind::Special => special.push(inst),
            }
        }
        Self { special, accesses }
    }
}

/// Those of a list that stand within a range of words.
pub(super) fn within<'l, 'a>(list: &'l [Inst<'a>], range: &Range<u32>) -> &'l [Inst<'a>] {
    let before = |end: u32| list.partition_point(|inst| inst.offset() < end);
    let end = before(range.end);
    &list[before(range.start).min(end)..end]
}

#[derive(Clone, Copy)]
enum Kind {
    /// Nothing is asked of it, and none of its operands is a pointer.
    Ordinary,
    /// Nothing is asked of it by itself, but a pointer passes through it.
    Access,
    /// All else.
    Special,
}

fn kind(op: Op) -> Kind {
    let known = KINDS.get(usize::from(op.0));
    known.copied().unwrap_or(Kind::Special)
}

/// By opcode.
const KINDS: [Kind; 512] = {
    let mut kinds = [Kind::Special; 512];
    let lists = [(ORDINARY, Kind::Ordinary), (ACCESSES, Kind::Access)];
    let mut list = 0;
    while list < lists.len() {
        let (ops, kind) = lists[list];
        let mut index = 0;
        while index < ops.len() {
            kinds[ops[index].0 as usize] = kind;
            index += 1;
        }
        list += 1;
    }
    kinds
};

const ACCESSES: &[Op] = &[
    Op::Load,
    Op::Store,
    Op::AccessChain,
    Op::InBoundsAccessChain,
    Op::CopyObject,
    Op::Phi,
    Op::Select,
    Op::FunctionCall,
    Op::ReturnValue,
];

/// What most other instructions are.
const ORDINARY: &[Op] = &[
    Op::Name,
    Op::MemberName,
    Op::String,
    Op::Line,
    Op::NoLine,
    Op::Source,
    Op::SourceContinued,
    Op::SourceExtension,
    Op::Constant,
    Op::ConstantComposite,
    Op::SpecConstantOp,
    Op::Undef,
    Op::Function,
    Op::FunctionParameter,
    Op::FunctionEnd,
    Op::Label,
    Op::Branch,
    Op::BranchConditional,
    Op::Switch,
    Op::SelectionMerge,
    Op::Return,
    Op::CompositeConstruct,
    Op::CompositeExtract,
    Op::CompositeInsert,
    Op::VectorShuffle,
    Op::ConvertFToU,
    Op::ConvertFToS,
    Op::ConvertSToF,
    Op::ConvertUToF,
    Op::UConvert,
    Op::SConvert,
    Op::FConvert,
    Op::Bitcast,
    Op::SNegate,
    Op::FNegate,
    Op::IAdd,
    Op::ISub,
    Op::IMul,
    Op::UDiv,
    Op::SDiv,
    Op::UMod,
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FDiv,
    Op::VectorTimesScalar,
    Op::Dot,
    Op::LogicalOr,
    Op::LogicalAnd,
    Op::LogicalNot,
    Op::IEqual,
    Op::INotEqual,
    Op::UGreaterThan,
    Op::UGreaterThanEqual,
    Op::ULessThan,
    Op::ULessThanEqual,
    Op::SGreaterThan,
    Op::SGreaterThanEqual,
    Op::SLessThan,
    Op::SLessThanEqual,
    Op::FOrdEqual,
    Op::FOrdLessThan,
    Op::FOrdGreaterThan,
    Op::FOrdLessThanEqual,
    Op::FOrdGreaterThanEqual,
    Op::ShiftRightLogical,
    Op::ShiftRightArithmetic,
    Op::ShiftLeftLogical,
    Op::BitwiseOr,
    Op::BitwiseXor,
    Op::BitwiseAnd,
    Op::Not,
];
