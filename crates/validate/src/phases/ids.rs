//! What ids may stand where: defined, and of the right sort. Whether definitions
//! dominate uses is for the shape of the control flow to say.

use hashbrown::HashSet;

use spirvkit_binary::Id;
use spirvkit_grammar::{Class, ExtInstSet, InstructionInfo, Op};

use super::layout::may_be_in_block;
use crate::finding::{CheckResult, Finding, Reported};
use crate::module::{Block, Inst, InterestingUses, Lookup, Module, NONE, Whereabouts};
use crate::rule::Rule;
use crate::rules::generated::id;
use crate::rules::may_handle_pointers;

/// What an instruction takes as operands besides values that are defined
/// before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Takes {
    /// Types.
    pub(super) types: bool,
    /// Labels, strings and whatever else has an id, but no type.
    pub(super) untyped: bool,
    /// Ids that are defined later.
    pub(super) later: Later,
}

/// Which operands may be defined later. Operands are counted from 0, result type
/// and result included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Later {
    Never,
    Always,
    /// The operands from this one on.
    From(u8),
    /// This operand.
    At(u8),
    /// What an `OpTypeForwardPointer` announces.
    Announced,
}

impl Later {
    /// Whether this operand may, whatever its id.
    #[inline]
    fn includes(self, ordinal: usize) -> bool {
        match self {
            Self::Always => true,
            Self::From(first) => ordinal >= usize::from(first),
            Self::At(only) => ordinal == usize::from(only),
            Self::Never | Self::Announced => false,
        }
    }
}

impl Takes {
    const EVERYTHING: Self = Self {
        types: true,
        untyped: true,
        later: Later::Always,
    };

    /// The same with the operation of an `OpSpecConstantOp`.
    #[inline]
    pub(super) fn with_operation(self, operation: Op) -> Self {
        let types = takes_types(operation);
        Self {
            types,
            untyped: types,
            ..self
        }
    }

    /// What a core instruction takes.
    pub(super) fn of(op: Op, info: &InstructionInfo) -> Self {
        match info.class() {
            Class::Debug | Class::Annotation => {
                let later = match op {
                    Op::GroupDecorate | Op::GroupMemberDecorate => Later::From(1),
                    Op::Line | Op::Source => Later::Never,
                    _ => Later::Always,
                };
                return Self {
                    later,
                    ..Self::EVERYTHING
                };
            }
            _ => {}
        }
        if op == Op::TypeForwardPointer {
            return Self::EVERYTHING;
        }
        if op.is_type() {
            return Self {
                types: true,
                untyped: false,
                later: Later::Announced,
            };
        }
        Self {
            types: takes_types(op),
            untyped: takes_untyped(op),
            later: later(op),
        }
    }

    /// Whether what an opcode defines is neither a value nor anything that is taken.
    fn refuses(self, def: Op) -> bool {
        match def.is_type() {
            true => !self.types,
            false => !self.untyped && never_a_value(def),
        }
    }

    /// What an extended instruction takes after its number.
    pub(super) fn of_extended(op: Op, set: Option<ExtInstSet>, number: u32) -> Self {
        let forward_refs = match op {
            Op::ExtInstWithForwardRefsKHR => Later::Always,
            _ => Later::Never,
        };
        let describes = set.is_none_or(|set| set.is_non_semantic() || set.is_debug_info());
        let later = match set {
            Some(ExtInstSet::OpenClDebugInfo100) => match number {
                DEBUG_FUNCTION => Later::At(13),
                DEBUG_TYPE_COMPOSITE => Later::From(13),
                _ => forward_refs,
            },
            Some(ExtInstSet::DebugInfo) => match number {
                DEBUG_FUNCTION => Later::At(13),
                DEBUG_TYPE_COMPOSITE => Later::From(12),
                _ => forward_refs,
            },
            _ => forward_refs,
        };
        Self {
            types: describes,
            untyped: true,
            later,
        }
    }
}

const DEBUG_TYPE_COMPOSITE: u32 = 10;
const DEBUG_FUNCTION: u32 = 20;

/// Whether it is reported here that a core instruction has what an opcode defines, which
/// is no value, for an operand.
pub(crate) fn refuses(op: Op, def: Op) -> bool {
    op.info()
        .is_some_and(|info| Takes::of(op, info).refuses(def))
}

/// Instructions outside of declarations that are about types.
fn takes_types(op: Op) -> bool {
    matches!(
        op,
        Op::Function
            | Op::SizeOf
            | Op::CooperativeMatrixLengthKHR
            | Op::CooperativeMatrixLengthNV
            | Op::UntypedVariableKHR
            | Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR
            | Op::UntypedArrayLengthKHR
            | Op::UntypedPrefetchKHR
            | Op::UntypedImageTexelPointerEXT
            | Op::UntypedVariableLengthArrayINTEL
            | Op::ConstantSizeOfEXT
            | Op::AbortKHR
            | Op::IsNodePayloadValidAMDX
            | Op::AsmINTEL
    )
}

/// Instructions that take labels, imports and the like.
fn takes_untyped(op: Op) -> bool {
    matches!(
        op,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Phi
            | Op::ExtInst
            | Op::ExtInstWithForwardRefsKHR
            | Op::SelectionMerge
            | Op::LoopMerge
            | Op::Function
            | Op::SizeOf
            | Op::CooperativeMatrixLengthKHR
            | Op::CooperativeMatrixLengthNV
            | Op::AsmINTEL
            | Op::AliasScopeDeclINTEL
            | Op::AliasScopeListDeclINTEL
            | Op::EnqueueNodePayloadsAMDX
            | Op::AllocateNodePayloadsAMDX
    )
}

fn later(op: Op) -> Later {
    match op {
        Op::EntryPoint
        | Op::ExecutionMode
        | Op::ExecutionModeId
        | Op::ConditionalEntryPointINTEL
        | Op::ConditionalCapabilityINTEL
        | Op::ConditionalExtensionINTEL
        | Op::GraphEntryPointARM
        | Op::SelectionMerge
        | Op::LoopMerge
        | Op::Branch => Later::Always,
        Op::BranchConditional | Op::Switch => Later::From(1),
        Op::Phi => Later::From(2),
        Op::FunctionCall
        | Op::GetKernelWorkGroupSize
        | Op::GetKernelPreferredWorkGroupSizeMultiple
        | Op::GetKernelMaxNumSubgroups
        | Op::ConstantFunctionPointerINTEL
        | Op::TaskSequenceCreateALTERA => Later::At(2),
        Op::GetKernelNDrangeSubGroupCount
        | Op::GetKernelNDrangeMaxSubGroupSize
        | Op::GetKernelLocalSizeForSubgroupCount
        | Op::CooperativeMatrixPerElementOpNV => Later::At(3),
        Op::CooperativeMatrixReduceNV => Later::At(4),
        // The decoding function is one of the operands that a mask adds.
        Op::CooperativeMatrixLoadTensorNV => Later::From(5),
        Op::EnqueueKernel => Later::At(8),
        _ => Later::Never,
    }
}

/// How many result types that were looked at are remembered.
const REMEMBERED: usize = 64;

/// For how many undefined ids another name is looked for: that takes a look at all.
const WORTH_A_LOOK: usize = 20;

/// How many references to nothing are kept.
const MAX_DANGLING: usize = 100;

/// Follows the ids of a module.
pub(super) struct Ids<'m, 'a> {
    m: &'m Module<'a>,
    /// Where the first function starts.
    first_function: u32,
    /// How many blocks have begun, and which was the last.
    blocks: u32,
    block: u32,
    /// For each block the last one that was seen to use its values.
    used_by: Vec<u32>,
    /// What `OpTypeForwardPointer` has announced.
    announced: HashSet<u32>,
    /// Ids that were found to be types, by their low bits.
    types: [u32; REMEMBERED],
    /// Ids that may be defined later, but are nowhere.
    dangling: Vec<(Id, Finding)>,
    /// Undefined ids that were used where neither a label nor a function could be
    /// meant.
    values: HashSet<u32>,
    /// Undefined ids and ids that are used too early, as far as they were reported.
    reported: Reported<u32>,
    /// Where instructions are of which nothing is reported, because it was reported
    /// before.
    quiet: Vec<u32>,
    interesting: InterestingUses,
}

impl<'m, 'a> Ids<'m, 'a> {
    pub(super) fn new(m: &'m Module<'a>) -> Self {
        Self {
            m,
            first_function: m
                .functions
                .first()
                .map_or(u32::MAX, |each| each.range.start),
            blocks: 0,
            block: NONE,
            used_by: vec![NONE; m.blocks.len()],
            announced: HashSet::new(),
            types: [0; REMEMBERED],
            dangling: Vec::new(),
            values: HashSet::new(),
            reported: Reported::default(),
            quiet: Vec::new(),
            interesting: InterestingUses::for_words(m.words.len()),
        }
    }

    /// Whether what is defined there can be used by an instruction without further
    /// questions: a value of the same block, or a constant.
    #[inline(always)]
    pub(super) fn is_at_hand(&self, inst: Inst<'_>, def: Whereabouts) -> bool {
        def.is_value_before(inst.offset()) && def.is_at_hand_in(self.block)
    }

    /// Checks an id that is an operand, but neither result nor result type, and isn't
    /// [at hand](Self::is_at_hand). `ordinal` is its place among all of them.
    #[inline]
    pub(super) fn operand(
        &mut self,
        inst: Inst<'_>,
        takes: Takes,
        ordinal: usize,
        id: Id,
        def: Whereabouts,
    ) -> CheckResult {
        let here = inst.offset();
        if def.is_value_before(here) && (def.is_in_block() || def.is_global()) {
            if def.is_in_block() {
                self.note_crossing(inst, def);
            } else if here > self.first_function {
                note(&mut self.interesting.globals, here);
            }
            return Ok(());
        }
        // What names and decorations are about comes later.
        if def.offset() >= here
            && here < self.first_function
            && !def.is_function()
            && takes.later.includes(ordinal)
        {
            return Ok(());
        }
        // Labels, where they belong.
        if !def.has_type()
            && def.is_in_block()
            && takes.untyped
            && takes.later.includes(ordinal)
            && self.m.op_of(id) == Op::Label
        {
            return Ok(());
        }
        self.special(inst, takes, ordinal, id, def)
    }

    /// Anything but a value of this or another block, a constant, a global variable, or
    /// a label where one may be.
    #[inline(never)]
    fn special(
        &mut self,
        inst: Inst<'_>,
        takes: Takes,
        ordinal: usize,
        id: Id,
        def: Whereabouts,
    ) -> CheckResult {
        let m = self.m;
        self.note_use(inst, id, def);
        let offset = def.offset();
        if def.has_type() && offset < inst.offset() {
            return Ok(());
        }
        if offset == 0 || offset >= inst.offset() {
            let may_be_later = takes.later.includes(ordinal)
                || takes.later == Later::Announced && self.announced.contains(&id.0);
            if offset != 0 && may_be_later {
                return Ok(());
            }
            // Whatever stands in a function but belongs before all is reported for
            // that.
            if offset >= self.first_function && is_declared_first(m.op_of(id)) {
                self.quiet.push(inst.offset());
                return Ok(());
            }
            if offset == 0 && !may_be_later {
                self.values.insert(id.0);
            }
            if !self.reported.insert(id.0, m.is_remark(inst)) {
                // What speaks of undefined ids is left out anyway.
                if offset != 0 {
                    self.quiet.push(inst.offset());
                }
                return Ok(());
            }
            return match (offset, may_be_later) {
                (0, true) if id.0 != 0 => {
                    self.dangles(inst, id);
                    Ok(())
                }
                (0, _) => Err(self.undefined(inst, id)),
                _ => Err(self.too_early(inst, id)),
            };
        }
        let def = m.op_of(id);
        if !takes.refuses(def) {
            return Ok(());
        }
        if def.is_type() {
            let message = format!("{} needs values, but {} is a type", inst.op(), m.name(id));
            let finding = self.finding(&id::TYPE_AS_VALUE, inst, message);
            return Err(finding.about(m, id, "the type is declared here"));
        }
        let message = format!("{} needs values, but {} is an {def}", inst.op(), m.name(id));
        let finding = self.finding(&id::NO_VALUE, inst, message);
        Err(finding.about(m, id, "it is defined here"))
    }

    /// Notes that a value of another block is used.
    #[inline]
    fn note_crossing(&mut self, inst: Inst<'_>, def: Whereabouts) {
        match self.used_by.get_mut(def.block() as usize) {
            Some(last) if inst.op() != Op::Phi && self.block != NONE => {
                if *last != self.block {
                    *last = self.block;
                    self.interesting.block_uses.push((self.block, def.block()));
                }
            }
            _ => note(&mut self.interesting.crossing, inst.offset()),
        }
    }

    /// Notes where things are used that rules ask for.
    fn note_use(&mut self, inst: Inst<'_>, id: Id, def: Whereabouts) {
        let here = inst.offset();
        let offset = def.offset();
        let is_crossing = offset > self.first_function && def.block() != self.block;
        let list = match def.has_type() {
            _ if def.is_function() => &mut self.interesting.functions,
            true if def.is_global() && here > self.first_function => &mut self.interesting.globals,
            true if is_crossing => &mut self.interesting.crossing,
            true => return,
            // Of labels, types and the like, not much is asked.
            false if offset == 0 || offset >= here => return,
            false => match self.m.op_of(id) {
                Op::TypeFunction => &mut self.interesting.functions,
                Op::Label => return,
                _ if is_crossing => &mut self.interesting.crossing,
                _ => return,
            },
        };
        note(list, here);
    }

    /// Takes note of an instruction that some rule looks for.
    pub(super) fn note(&mut self, inst: Inst<'_>) {
        let offset = inst.offset();
        match inst.op() {
            Op::TypeForwardPointer => drop(self.announced.insert(inst.word(1))),
            Op::Label => {
                let is_block = |block: &Block| block.start == offset;
                if self
                    .m
                    .blocks
                    .get(self.blocks as usize)
                    .is_some_and(is_block)
                {
                    self.block = self.blocks;
                    self.blocks += 1;
                }
            }
            Op::SampledImage => self.interesting.sampled_images.push(offset),
            Op::Phi => {
                self.interesting.phis.push(offset);
                note(&mut self.interesting.crossing, offset);
            }
            _ => {}
        }
        if may_handle_pointers(self.m, inst.op()) {
            self.interesting.pointers.push(offset);
        }
    }

    #[cold]
    fn dangles(&mut self, inst: Inst<'_>, id: Id) {
        if self.dangling.len() < MAX_DANGLING {
            let finding = self.undefined(inst, id);
            self.dangling.push((id, finding));
        }
    }

    /// References to what should have come later, but didn't. Where functions are
    /// in disorder, what is missing may be a label or a function, of which enough
    /// is reported.
    pub(super) fn take_dangling(&mut self, is_disorder: bool) -> impl Iterator<Item = Finding> {
        let dangling = std::mem::take(&mut self.dangling).into_iter();
        dangling.filter_map(move |(id, finding)| {
            let is_news = !is_disorder || self.values.contains(&id.0);
            is_news.then_some(finding)
        })
    }

    /// Where instructions are whose ids are wrong in a way that was reported before,
    /// and the uses that others look at.
    pub(super) fn finish(self) -> (Vec<u32>, InterestingUses) {
        (self.quiet, self.interesting)
    }

    #[cold]
    fn finding(&self, rule: &'static Rule, inst: Inst<'_>, message: String) -> Finding {
        Finding::new(rule, inst.offset(), message).mentioning(&self.m.mentions)
    }

    #[cold]
    fn undefined(&self, inst: Inst<'_>, id: Id) -> Finding {
        let op = inst.op();
        if id.0 == 0 {
            let message = format!("an operand of {op} is id 0");
            return Finding::new(&id::ZERO, inst.offset(), message).operand(self.m, id);
        }
        let message = format!("{op} uses {}, which nothing defines", self.m.name(id));
        let finding = self
            .finding(&id::UNDEFINED, inst, message)
            .operand(self.m, id);
        // Each was reported once.
        let is_worth_it = self.reported.len() <= WORTH_A_LOOK;
        match is_worth_it.then(|| self.m.most_like(id)).flatten() {
            Some(like) => finding.help(format!("did you mean {}?", self.m.shown(like))),
            None => finding,
        }
    }

    #[cold]
    fn too_early(&self, inst: Inst<'_>, id: Id) -> Finding {
        let name = self.m.name(id);
        let message = match inst.result() == Some(id) {
            true => format!("{} uses its own result, {name}", inst.op()),
            false => format!("{} uses {name} before it is defined", inst.op()),
        };
        let finding = self.finding(&id::FORWARD_REFERENCE, inst, message);
        finding.about(self.m, id, "the definition is here")
    }

    /// Checks a result type.
    #[inline]
    pub(super) fn result_type(&mut self, inst: Inst<'_>, ty: Id) -> CheckResult {
        let slot = ty.0 as usize % REMEMBERED;
        if self.types[slot] == ty.0 && ty.0 != 0 {
            return Ok(());
        }
        let offset = self.m.def_offset(ty);
        if offset == 0 || offset >= inst.offset() {
            if !self.reported.insert(ty.0, self.m.is_remark(inst)) {
                self.quiet.push(inst.offset());
                return Ok(());
            }
            return match offset {
                0 => Err(self.undefined(inst, ty)),
                _ => Err(self.too_early(inst, ty)),
            };
        }
        self.note_use(inst, ty, self.m.whereabouts(ty));
        let op = self.m.op_of(ty);
        if !op.is_type() {
            let message = format!(
                "the result type of {} is {}, which is not a type",
                inst.op(),
                self.m.name(ty)
            );
            let finding = self.finding(&id::RESULT_TYPE, inst, message);
            return Err(finding.about(self.m, ty, "it is defined here"));
        }
        // Where those are used is recorded every time.
        if op != Op::TypeFunction {
            self.types[slot] = ty.0;
        }
        Ok(())
    }

    /// Checks that a result is new.
    #[inline]
    pub(super) fn result(&self, inst: Inst<'_>, id: Id) -> CheckResult {
        match self.m.def_offset(id) == inst.offset() && id.0 != 0 {
            true => Ok(()),
            false => Err(self.no_result(inst, id)),
        }
    }

    #[cold]
    fn no_result(&self, inst: Inst<'_>, id: Id) -> Finding {
        let op = inst.op();
        if id.0 == 0 {
            let message = format!("the result of {op} is id 0");
            return Finding::new(&id::ZERO, inst.offset(), message).result(inst);
        }
        let message = format!("{op} defines {}, which is already defined", self.m.name(id));
        let finding = self.finding(&id::REDEFINED, inst, message).result(inst);
        finding.about(self.m, id, "the first definition is here")
    }

    /// Checks a result against the header's bound.
    #[inline]
    pub(super) fn bound(&self, inst: Inst<'_>, id: Id) -> CheckResult {
        let bound = self.m.header.bound;
        if id.0 < bound {
            return Ok(());
        }
        let message = format!(
            "{} defines {}, but the id bound is {bound}",
            inst.op(),
            self.m.name(id)
        );
        Err(self.finding(&id::BOUND, inst, message).result(inst))
    }
}

/// Puts an offset on a list once.
#[inline]
fn note(list: &mut Vec<u32>, offset: u32) {
    if list.last() != Some(&offset) {
        list.push(offset);
    }
}

/// Whether an opcode's instructions stand before the functions only, and are
/// reported where they don't.
fn is_declared_first(op: Op) -> bool {
    (op.is_type() || op.is_constant()) && op.info().is_some_and(|info| !may_be_in_block(op, info))
}

/// Whether instructions with the opcode are to be [interesting](Ids::note).
pub(super) fn is_noted(m: &Module<'_>, op: Op) -> bool {
    matches!(
        op,
        Op::TypeForwardPointer | Op::Label | Op::SampledImage | Op::Phi
    ) || may_handle_pointers(m, op)
}

/// Results without a type that no instruction takes for a value. (How decoration
/// groups are used is for the family of annotations to say.)
fn never_a_value(op: Op) -> bool {
    matches!(op, Op::Label | Op::String | Op::ExtInstImport)
}
