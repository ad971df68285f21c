//! Every instruction in one pass over the words: can it be decoded, are its ids
//! what they should be, does it stand where it may, is what it uses available.
//!
//! This touches every operand of the module. What is known of an opcode is
//! worked out once; most instructions then are a handful of look-ups.

use std::ops::Range;

use spirvkit_binary::{
    Error, ErrorKind, Id, Instruction, LiteralString, NumberType, Value, WordOffset,
};
use spirvkit_grammar::{
    Capability, EnumerantInfo, InstructionInfo, Op, OperandInfo, OperandKind, Quantifier,
};

use super::Sites;
use super::gating::Gate;
use super::ids::{Ids, Takes, is_noted};
use super::layout::{Layout, Standing, is_disorder};
use crate::finding::{CheckResult, Finding, Reported, Reporter, all};
use crate::module::{Inst, InterestingUses, Lookup, Module, Type, Whereabouts};
use crate::rules::generated::{binary, id, literal};
use crate::rules::{self as families, environment_knows, limits};

/// What became of looking at all instructions.
pub(super) struct Passed {
    /// The offsets of those that stand where they cannot be part of a sound
    /// function, sorted.
    pub(super) disorder: Vec<u32>,
    pub(super) interesting: InterestingUses,
    /// Whether the rules of all instructions were asked, too, and found nothing.
    pub(super) is_checked: bool,
}

/// Looks at all instructions.
pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) -> Passed {
    let mut plans = Plans::new();
    let mut pass = Pass {
        m,
        gate: Gate::new(m),
        ids: Ids::new(m),
        layout: Layout::new(m),
        limits: limits::Counter::new(m),
        missing: Reported::default(),
        classes: 0,
        decorations: [None; DECORATIONS],
        operations: [None; OPERATIONS],
        loop_controls: 0,
        found: Found::NOTHING,
        odd_results: 0,
        is_partial: false,
        disorder: Vec::new(),
        reporter,
    };
    // The rules are asked along the way. If one of them finds something, it may only
    // follow from what is found here later, so that all are asked again.
    let mut sites = Sites::new(m);
    let mut is_checked = true;
    for inst in m.all_instructions() {
        if pass.reporter.is_full() {
            is_checked = false;
            break;
        }
        let op = inst.op();
        let plan = match plans.of(op) {
            Some(plan) => plan,
            None => match plans.add(m, op) {
                Some(plan) => {
                    pass.opcode(inst.offset(), plan);
                    plan
                }
                None => {
                    pass.unknown(inst.offset());
                    continue;
                }
            },
        };
        pass.instruction(inst, plan);
        if is_checked {
            is_checked = families::check(&sites.of(inst)).is_ok();
        }
    }
    Passed {
        is_checked,
        ..pass.finish()
    }
}

/// More than the numbers of the decorations that most modules have.
const DECORATIONS: usize = 64;

/// More than the numbers of the operations that most constants are made with.
const OPERATIONS: usize = 256;

/// What is known of an opcode in this module.
struct Plan {
    info: &'static InstructionInfo,
    takes: Takes,
    /// The least number of words of an instruction that its [`Shape`] says all of; none
    /// has so many if it takes more to read one.
    min: u16,
    /// The greatest.
    max: u16,
    /// Where the ids begin behind result type and result, and how far they go.
    ids: Range<u16>,
    has_result_type: bool,
    has_result: bool,
    /// Whether what follows the ids need not be there.
    rest_is_optional: bool,
    standing: Standing,
    /// Whether there is a [limit](limits) to something about it.
    is_limited: bool,
    /// Whether the rules look for it.
    is_noted: bool,
}

/// The plans of the opcodes that the module uses.
struct Plans {
    /// The number of each opcode's plan, from 1 up; 0 while it has none. In place,
    /// because to allocate so much costs a small module dear.
    numbers: [u16; Op::COUNT],
    plans: Vec<Plan>,
}

impl Plans {
    fn new() -> Self {
        Self {
            numbers: [0; Op::COUNT],
            plans: Vec::with_capacity(64),
        }
    }

    #[inline]
    fn of(&self, op: Op) -> Option<&Plan> {
        let number = *self.numbers.get(op.index()?)?;
        self.plans.get(usize::from(number).wrapping_sub(1))
    }

    /// Makes a plan for an opcode, if it is assigned.
    fn add(&mut self, m: &Module<'_>, op: Op) -> Option<&Plan> {
        let info = op.info()?;
        let number = self.numbers.get_mut(op.index()?)?;
        self.plans.push(Plan::new(m, op, info));
        *number = self.plans.len() as u16;
        self.plans.last()
    }
}

/// What follows the ids that an instruction begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Nothing but ids.
    Ids,
    /// Nothing but integers that may have any value.
    Integers,
    /// Something that takes the grammar to read.
    Other,
}

impl Plan {
    fn new(m: &Module<'_>, op: Op, info: &'static InstructionInfo) -> Self {
        let leading = info.leading_ids();
        let rest = info.operands().get(leading..).unwrap_or_default();
        let shape = if info.only_ids_follow() || rest.is_empty() {
            Shape::Ids
        } else if op != Op::Switch
            && rest
                .iter()
                .all(|operand| operand.kind() == OperandKind::LiteralInteger)
        {
            Shape::Integers
        } else {
            Shape::Other
        };
        let is = |operand: &&OperandInfo, quantifier| operand.quantifier() == quantifier;
        let required = rest.iter().filter(|each| is(each, Quantifier::One)).count();
        let max = match rest.iter().any(|each| is(&each, Quantifier::Many)) {
            true => u16::MAX,
            false => (1 + leading + rest.len()) as u16,
        };
        let results = u16::from(info.has_result_type()) + u16::from(info.has_result());
        let leading = 1 + leading as u16;
        // Whether a phi's operands are pairs is a question for its own rules.
        let (min, max, ids) = match (op, shape) {
            (Op::Phi, _) => (3, u16::MAX, u16::MAX),
            (_, Shape::Ids) if !rest.is_empty() => (leading, u16::MAX, u16::MAX),
            (_, Shape::Ids | Shape::Integers) => (leading + required as u16, max, leading),
            // No instruction is that short.
            (_, Shape::Other) => (u16::MAX, 0, leading),
        };
        Self {
            info,
            takes: Takes::of(op, info),
            min,
            max,
            ids: 1 + results..ids,
            has_result_type: info.has_result_type(),
            has_result: info.has_result(),
            rest_is_optional: info.rest_is_optional(),
            standing: Standing::of(op, info),
            is_limited: limits::is_limited(op),
            is_noted: is_noted(m, op),
        }
    }

    /// Whether an instruction of so many words is decoded by its shape alone.
    #[inline]
    fn fits(&self, words: usize) -> bool {
        (usize::from(self.min)..=usize::from(self.max)).contains(&words)
    }

    /// Whether an instruction of so many words is one of nothing but ids.
    #[inline]
    fn is_of_leading_ids(&self, words: usize) -> bool {
        self.rest_is_optional && words == usize::from(self.ids.end)
    }
}

/// What is wrong with one instruction.
struct Found {
    malformed: Option<Finding>,
    ids: CheckResult,
    availability: CheckResult,
}

impl Found {
    const NOTHING: Self = Self {
        malformed: None,
        ids: Ok(()),
        availability: Ok(()),
    };
}

/// Adds what was found to what was found before.
#[inline]
fn keep(slot: &mut CheckResult, result: CheckResult) {
    if result.is_err() {
        *slot = all([std::mem::replace(slot, Ok(())), result]);
    }
}

struct Pass<'m, 'a, 'f> {
    m: &'m Module<'a>,
    gate: Gate<'m, 'a>,
    ids: Ids<'m, 'a>,
    layout: Layout<'m, 'a>,
    limits: limits::Counter<'m, 'a>,
    /// Enumerants that are not available, as far as they were reported.
    missing: Reported<(OperandKind, u32)>,
    /// The storage classes known to be available, as bits.
    classes: u32,
    /// For the frequent decorations that are known to be available and take nothing but
    /// integers, how many.
    decorations: [Option<u8>; DECORATIONS],
    /// For the frequent operations of constants that take nothing but ids, how many.
    operations: [Option<u8>; OPERATIONS],
    /// The loop controls that are known to be available and take nothing.
    loop_controls: u32,
    found: Found,
    /// How many of the module's odd results were passed.
    odd_results: usize,
    /// Whether there may be definitions that can't be read.
    is_partial: bool,
    /// Where instructions stand that belong elsewhere in functions.
    disorder: Vec<u32>,
    reporter: &'f mut Reporter,
}

impl<'a> Pass<'_, 'a, '_> {
    /// Notes what can't be decoded; `word` is where, if it is an operand.
    #[cold]
    fn broken(&mut self, inst: Inst<'_>, kind: ErrorKind, word: Option<usize>) {
        let message = format!("{}: {kind}", inst.op());
        let finding = Finding::new(&binary::MALFORMED, inst.offset(), message);
        self.found.malformed = Some(match word {
            Some(word) => finding.word(word),
            None => finding,
        });
    }

    /// What is left to say behind the last instruction.
    fn finish(mut self) -> Passed {
        if let Some(error) = &self.m.broken_tail {
            self.reporter.add(super::binary_finding(error));
        } else {
            let result = self.layout.finish();
            self.note_layout(result);
        }
        if !self.is_partial && self.m.broken_tail.is_none() {
            let dangling = self.ids.take_dangling(!self.disorder.is_empty());
            for finding in dangling.collect::<Vec<_>>() {
                self.add(finding);
            }
        }
        let (quiet, interesting) = self.ids.finish();
        for offset in quiet {
            self.reporter.suppress(offset, self.m.is_remark_at(offset));
        }
        let mut disorder = self.disorder;
        disorder.sort_unstable();
        Passed {
            disorder,
            interesting,
            is_checked: false,
        }
    }

    fn note_layout(&mut self, result: CheckResult) {
        let reporter = result.err().into_iter().flat_map(Finding::apart);
        for finding in reporter {
            if is_disorder(finding.rule()) && !self.m.is_remark_at(finding.offset()) {
                self.disorder.push(finding.offset());
            }
            self.add(finding);
        }
    }

    #[cold]
    fn add(&mut self, finding: Finding) {
        let is_aside = self.m.is_remark_at(finding.offset());
        self.reporter.add(finding.aside(is_aside));
    }

    fn note(&mut self, result: CheckResult) {
        if let Err(finding) = result {
            self.add(finding);
        }
    }

    // By its offset, like the next, so that the instruction at hand can be kept in registers.
    #[cold]
    fn unknown(&mut self, offset: u32) {
        let Some(inst) = self.m.inst(offset) else {
            return;
        };
        let opcode = inst.op().0;
        self.is_partial = true;
        self.broken(inst, ErrorKind::UnknownOpcode { opcode }, None);
        self.report(inst.op(), Ok(()));
    }

    /// An opcode that is not available is reported once, here.
    #[cold]
    fn opcode(&mut self, offset: u32, plan: &Plan) {
        if let Some(inst) = self.m.inst(offset) {
            self.found.availability = self.gate.opcode(inst, plan.info);
        }
    }

    fn instruction(&mut self, inst: Inst<'a>, plan: &Plan) {
        let words = inst.words();
        if plan.has_result_type {
            let result = self.ids.result_type(inst, Id(inst.word(1)));
            keep(&mut self.found.ids, result);
        }
        let first = usize::from(plan.ids.start);
        let end = usize::from(plan.ids.end).min(words.len());
        for (index, &id) in words.get(first..end).unwrap_or_default().iter().enumerate() {
            self.id(inst, plan.takes, first + index - 1, id);
        }
        if !plan.fits(words.len())
            && !plan.is_of_leading_ids(words.len())
            && !self.is_plain(inst, plan.takes)
        {
            self.other_operands(inst, plan);
        }
        let mut bound = Ok(());
        if plan.has_result && self.m.odd_results.get(self.odd_results) == Some(&inst.offset()) {
            self.odd_results += 1;
            let result = Id(inst.word(first - 1));
            let checked = self.ids.result(inst, result);
            keep(&mut self.found.ids, checked);
            bound = self.ids.bound(inst, result);
        }
        let layout = self.layout.step(inst, plan.info, plan.standing);
        let mut limits = Ok(());
        if plan.is_noted {
            self.ids.note(inst);
        }
        if plan.is_limited {
            limits = self.limits.count(inst);
        }
        // Nothing at all is by far the most frequent.
        let Found {
            malformed: None,
            ids: Ok(()),
            availability: Ok(()),
        } = self.found
        else {
            self.report(inst.op(), layout);
            return self.note(all([bound, limits]));
        };
        if layout.is_err() || bound.is_err() || limits.is_err() {
            self.note_layout(layout);
            self.note(all([bound, limits]));
        }
    }

    /// Whether an instruction is one of the frequent ones whose further operands
    /// are right at a glance, but for ids, which this checks.
    #[inline]
    fn is_plain(&mut self, inst: Inst<'_>, takes: Takes) -> bool {
        match (inst.op(), inst.words()) {
            (Op::Constant | Op::SpecConstant, [_, ty, _, _]) => {
                let number = self.m.definitions.number_type(Id(*ty));
                number.is_some_and(|number| number.words() == 1)
            }
            (Op::SelectionMerge, [_, _, 0]) => true,
            (Op::LoopMerge, [_, _, _, controls]) => controls & !self.loop_controls == 0,
            (Op::Variable, [_, _, _, class]) => self.has_class(*class),
            (Op::TypePointer, [_, _, class, pointee]) => {
                let is_known = self.has_class(*class);
                if is_known {
                    self.id(inst, takes, 2, *pointee);
                }
                is_known
            }
            (Op::Decorate, [_, _, decoration, integers @ ..])
            | (Op::MemberDecorate, [_, _, _, decoration, integers @ ..]) => {
                let known = self.decorations.get(*decoration as usize);
                known.is_some_and(|&count| count.map(usize::from) == Some(integers.len()))
            }
            (Op::SpecConstantOp, [_, _, _, operation, ids @ ..]) => {
                let known = self.operations.get(*operation as usize);
                let is_known =
                    known.is_some_and(|&count| count.map(usize::from) == Some(ids.len()));
                if is_known {
                    let takes = takes.with_operation(Op(*operation as u16));
                    for (index, id) in ids.iter().enumerate() {
                        self.id(inst, takes, 3 + index, *id);
                    }
                }
                is_known
            }
            _ => false,
        }
    }

    /// Whether a storage class is known to be available.
    #[inline]
    fn has_class(&self, class: u32) -> bool {
        class < u32::BITS && self.classes >> class & 1 != 0
    }

    /// Checks an id. `ordinal` is its place among the operands.
    #[inline(always)]
    fn id(&mut self, inst: Inst<'_>, takes: Takes, ordinal: usize, id: u32) {
        let def = self.m.whereabouts(Id(id));
        if !self.ids.is_at_hand(inst, def) {
            self.id_from_elsewhere(inst, takes, ordinal, Id(id), def);
        }
    }

    #[inline(never)]
    fn id_from_elsewhere(
        &mut self,
        inst: Inst<'_>,
        takes: Takes,
        ordinal: usize,
        id: Id,
        def: Whereabouts,
    ) {
        let result = self.ids.operand(inst, takes, ordinal, id, def);
        keep(&mut self.found.ids, result);
    }

    /// Notes a decoration that is available.
    fn note_decoration(&mut self, info: &EnumerantInfo) {
        let parameters = info.parameters();
        let is_integer = |parameter: &OperandInfo| {
            parameter.kind() == OperandKind::LiteralInteger
                && parameter.quantifier() == Quantifier::One
        };
        if let Some(slot) = self.decorations.get_mut(info.value() as usize)
            && parameters.iter().all(is_integer)
        {
            *slot = u8::try_from(parameters.len()).ok();
        }
    }

    /// Notes an operation of an `OpSpecConstantOp` that takes nothing but ids.
    fn note_operation(&mut self, inst: Inst<'_>, operation: Op) {
        let Some(info) = operation.info() else {
            return;
        };
        // They have their results from the OpSpecConstantOp.
        let results = usize::from(info.has_result_type()) + usize::from(info.has_result());
        let ids = info.leading_ids().saturating_sub(results);
        if let Some(slot) = self.operations.get_mut(usize::from(operation.0))
            && info.operands().len() == info.leading_ids()
            && inst.args().len() == 1 + ids
        {
            *slot = u8::try_from(ids).ok();
        }
    }

    #[cold]
    fn report(&mut self, op: Op, layout: CheckResult) {
        let Found {
            malformed,
            mut ids,
            availability,
        } = std::mem::replace(&mut self.found, Found::NOTHING);
        if let Some(finding) = &malformed {
            let may_define = op.info().is_some_and(|info| info.has_result());
            self.is_partial |= may_define && !self.m.is_remark_at(finding.offset());
        }
        if op == Op::Label {
            let finding = ids.as_ref().err();
            self.disorder.extend(finding.map(Finding::offset));
        }
        if self.is_partial
            && let Err(reporter) = ids
        {
            // What is missing may be what can't be read.
            let is_undefined = |finding: &Finding| std::ptr::eq(finding.rule(), &id::UNDEFINED);
            ids = all(reporter
                .apart()
                .filter(|finding| !is_undefined(finding))
                .map(Err));
        }
        self.note(malformed.map_or(Ok(()), Err));
        // Out of place, a call's operands are, too.
        if op != Op::FunctionCall || layout.is_ok() {
            self.note(ids);
        }
        self.note_layout(layout);
        self.note(availability);
    }

    /// Checks the operands behind the leading ids by the grammar.
    fn other_operands(&mut self, inst: Inst<'a>, plan: &Plan) {
        let mut takes = plan.takes;
        // Result type and result are counted, the opcode's word is not.
        let leading = plan.info.leading_ids();
        let offset = WordOffset(inst.offset() as usize);
        let Some(instruction) = Instruction::from_words(inst.words(), offset) else {
            return;
        };
        let m = self.m;
        let mut operands = instruction.operands(&m.definitions);
        operands.skip_leading_ids();
        for (index, operand) in operands.enumerate() {
            let ordinal = leading + index;
            let (kind, word, value) = match operand {
                Ok(operand) => (operand.kind, operand.word, operand.value),
                Err(error) => return self.undecodable(inst, &error),
            };
            match value {
                Value::Id(id) => self.id(inst, takes, ordinal, id.0),
                Value::Enumerant {
                    info: Some(info), ..
                } => {
                    let result = self.gate.enumerant(inst, word, kind, info);
                    // What the environment doesn't know is reported as such.
                    if result.is_err()
                        && kind == OperandKind::Capability
                        && !environment_knows(m, Capability(info.value()))
                    {
                        continue;
                    }
                    match kind {
                        OperandKind::StorageClass if result.is_ok() && info.value() < u32::BITS => {
                            self.classes |= 1 << info.value();
                        }
                        OperandKind::Decoration if result.is_ok() => self.note_decoration(info),
                        _ => {}
                    }
                    self.keep_missing(kind, info.value(), result);
                }
                Value::Enumerant { value, info: None } => {
                    let kind = ErrorKind::UnknownEnumerant { kind, value };
                    return self.broken(inst, kind, Some(word));
                }
                Value::Mask(bits) => {
                    if let Err(bit) = self.mask(inst, word, kind, bits) {
                        return self.broken(inst, ErrorKind::UnknownBit { kind, bit }, Some(word));
                    }
                }
                Value::ExtInst { set, number, .. } => {
                    takes = Takes::of_extended(inst.op(), set, number);
                }
                Value::SpecConstantOp(op) => {
                    takes = takes.with_operation(op);
                    self.note_operation(inst, op);
                }
                // The family of constants sees to the others.
                Value::Number { ty, bits } if inst.op() == Op::Switch => {
                    let result = number(inst, word, ty, bits);
                    keep(&mut self.found.availability, result);
                }
                Value::String(text) => self.string(inst, word, text),
                Value::Opaque(opcode) => {
                    if kind == OperandKind::LiteralSpecConstantOpInteger {
                        let kind = ErrorKind::UnknownSpecConstantOp { opcode };
                        self.broken(inst, kind, Some(word));
                    }
                    return;
                }
                _ => {}
            }
        }
    }

    #[cold]
    fn undecodable(&mut self, inst: Inst<'_>, error: &Error) {
        let kind = match error.kind() {
            // The decoder knows no values but those that switches select by.
            ErrorKind::UndefinedType { id } if self.m.def_offset(id) != 0 => {
                ErrorKind::NotANumberType { id }
            }
            kind => kind,
        };
        if self.is_wide_integer(inst, kind) {
            return;
        }
        let rule = match kind {
            ErrorKind::NotAnImport { .. } => &id::NO_SET,
            _ => &binary::MALFORMED,
        };
        let message = match kind {
            ErrorKind::NotAnImport { id } => format!(
                "{}: {} is not the result of an earlier OpExtInstImport",
                inst.op(),
                self.m.shown(id)
            ),
            kind => format!("{}: {kind}", inst.op()),
        };
        let finding = Finding::new(rule, inst.offset(), message);
        let word = error.offset().0.saturating_sub(inst.offset() as usize);
        self.found.malformed = Some(match word < inst.words().len() {
            true => finding.word(word),
            false => finding,
        });
    }

    /// Whether the instruction is a constant of an integer type that is too wide
    /// to read, and has as many words as the type takes.
    fn is_wide_integer(&self, inst: Inst<'_>, kind: ErrorKind) -> bool {
        let ErrorKind::NotANumberType { id } = kind else {
            return false;
        };
        match self.m.ty(id) {
            Type::Int { width, .. } => inst.args().len() == width.div_ceil(32) as usize,
            _ => false,
        }
    }

    /// Keeps what is wrong with an enumerant, unless it was reported before.
    #[inline]
    fn keep_missing(&mut self, kind: OperandKind, value: u32, result: CheckResult) {
        if let Err(finding) = result
            && let is_aside = self.m.is_remark_at(finding.offset())
            && self.missing.insert((kind, value), is_aside)
        {
            keep(&mut self.found.availability, Err(finding));
        }
    }

    /// Checks the bits of a mask from the highest down. Fails with those that are
    /// not known.
    fn mask(
        &mut self,
        inst: Inst<'_>,
        word: usize,
        kind: OperandKind,
        bits: u32,
    ) -> Result<(), u32> {
        let mut rest = bits;
        let mut unknown = 0;
        while rest != 0 {
            let bit = 1 << (31 - rest.leading_zeros());
            rest &= !bit;
            let Some(info) = kind.enumerant(bit) else {
                unknown |= bit;
                continue;
            };
            let result = self.gate.enumerant(inst, word, kind, info);
            if kind == OperandKind::LoopControl && result.is_ok() && info.parameters().is_empty() {
                self.loop_controls |= bit;
            }
            self.keep_missing(kind, bit, result);
        }
        match unknown {
            0 => Ok(()),
            bits => Err(bits),
        }
    }

    #[inline]
    fn string(&mut self, inst: Inst<'_>, word: usize, text: LiteralString<'_>) {
        let is_ascii = text.words().iter().all(|word| word & 0x8080_8080 == 0);
        if !is_ascii || !text.is_padded_with_zeros() {
            self.odd_string(inst, word, text);
        }
    }

    #[cold]
    fn odd_string(&mut self, inst: Inst<'_>, word: usize, text: LiteralString<'_>) {
        let kind = match text.to_text() {
            Err(kind) => kind,
            Ok(_) if !text.is_padded_with_zeros() => ErrorKind::StringPadding,
            Ok(_) => return,
        };
        let message = format!("{}: {kind}", inst.op());
        let finding = Finding::new(&literal::STRING, inst.offset(), message);
        self.add(finding.word(word).warning());
    }
}

fn number(inst: Inst<'_>, word: usize, ty: NumberType, bits: u64) -> CheckResult {
    if ty.extend(bits) == bits {
        return Ok(());
    }
    let message = format!("{}: {}", inst.op(), ErrorKind::NumberPadding);
    Err(Finding::new(&literal::SWITCH_EXTENSION, inst.offset(), message).word(word))
}
