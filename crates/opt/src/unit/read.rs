//! Takes a module apart.

use hashbrown::{HashMap, HashSet};
use spirvkit_binary::{Definition, Definitions, Error, Header, Id, Import, Instruction, Module};
use spirvkit_eval::{Denormals, Rounding, Small};
use spirvkit_grammar::debug_info::Kind;
use spirvkit_grammar::{
    Capability, Decoration, ExecutionMode, ExtInstSet, Op, OperandKind, Quantifier,
};

use crate::Options;
use crate::rules::Modes;

use super::decorations::Entry;
use super::{Block, Constants, Decorations, FLOATING, Function, Node, Unit, Value, flag};

/// Why a module stays as it is.
pub(crate) enum Unread {
    /// It can't be decoded.
    Error(Error),
    /// It is not valid, in a way that leaves nothing to work on, or its ids are too far apart.
    Broken,
}

/// Ids beyond this many times the words of the module have tables of their own elsewhere; here,
/// they are renumbered first.
const MAX_IDS_PER_WORD: usize = 2;

/// So many ids are never too many.
const FEW_IDS: usize = 1 << 10;

/// There is place for one more node for so many words.
const WORDS_PER_NODE: usize = 9;

/// A position while instructions are read.
#[derive(Default)]
struct Reader {
    function: Option<Function>,
    block: Option<Block>,
    line: Value,
    scope: Value,
}

impl Unit {
    pub(crate) fn read(words: &[u32], options: &Options) -> Result<Self, Unread> {
        let module = Module::new(words).map_err(Unread::Error)?;
        let header = Header::from_words(words).map_err(Unread::Error)?;
        if header.bound as usize > words.len() * MAX_IDS_PER_WORD + FEW_IDS {
            return Err(Unread::Broken);
        }
        let empty = Node {
            op: Op::Nop,
            flags: 0,
            ty: 0,
            start: 0,
            count: 0,
            ids: 0,
            decorations: 0,
            position: 0,
            home: FLOATING,
        };
        let bound = header.bound.max(1);
        // Some instructions have no ids, and some will be added.
        let capacity = bound as usize + words.len() / WORDS_PER_NODE;
        let mut nodes = Vec::with_capacity(capacity);
        nodes.resize(bound as usize, empty);
        let mut replaced = Vec::with_capacity(capacity);
        replaced.extend(0..bound);
        let mut pool = Vec::with_capacity(words.len() + words.len() / 4);
        pool.extend_from_slice(words);
        let mut unit = Self {
            nodes,
            replaced,
            pool,
            globals: Vec::new(),
            functions: Vec::new(),
            behind: Vec::new(),
            definitions: Definitions::for_module(&module),
            positions: vec![(0, 0)],
            decorations: Decorations::default(),
            constants: Constants::with_word_limit(words.len()),
            block_of_label: Vec::new(),
            descriptions: HashMap::new(),
            following: HashMap::new(),
            decorated: HashSet::new(),
            built_ins: HashSet::new(),
            index_constants: HashMap::new(),
            modes: Modes::default(),
            is_shader: false,
            has_fixed_inputs: false,
            has_patches: false,
            volatile_types: HashSet::new(),
            has_volatile: false,
            has_opaque: false,
            small: Small::default(),
            some_integer: None,
            wanted_types: HashMap::new(),
            owners: HashMap::new(),
            permissions: Default::default(),
            remarks: Vec::new(),
            tables: Default::default(),
            fuel: options.fuel.unwrap_or(u64::MAX),
            options: options.clone(),
            header,
        };
        let mut reader = Reader::default();
        for instruction in module.instructions() {
            let instruction = instruction.map_err(Unread::Error)?;
            unit.definitions.define(&instruction);
            unit.constants.define(&instruction);
            reader.add(&mut unit, &instruction)?;
        }
        if reader.function.is_some() || reader.block.is_some() {
            return Err(Unread::Broken);
        }
        unit.settle();
        unit.permissions = super::permissions::Permissions::of(&unit);
        Ok(unit)
    }

    /// Leaves functions alone that name what is in others.
    fn check_functions(&mut self) {
        let mut owner = vec![0; self.nodes.len()];
        for (number, function) in (1..).zip(&self.functions) {
            let blocks = function.blocks.iter();
            let blocks = blocks.flat_map(|block| std::iter::once(&block.label).chain(&block.insts));
            for &value in function.parameters.iter().chain(blocks) {
                owner[value as usize] = number;
            }
        }
        for index in 0..self.functions.len() {
            let function = &self.functions[index];
            if !is_well_formed(self, function, index as u32 + 1, &owner) {
                self.functions[index].is_opaque = true;
            }
        }
    }

    /// Moves the decorations of values in functions to these, and finds equal constants.
    fn settle(&mut self) {
        self.check_functions();
        self.find_descriptions();
        let mut grouped = Vec::new();
        let mut groups: HashMap<Value, Vec<Value>> = HashMap::new();
        let mut local: HashMap<Value, Vec<Value>> = HashMap::new();
        let globals = std::mem::take(&mut self.globals);
        let mut kept = Vec::with_capacity(globals.len());
        for &value in &globals {
            let op = self.op(value);
            if op.is_decorate() {
                let target = self.operand(value, 0);
                let is_local = self.nodes.get(target as usize).is_some_and(|node| {
                    node.has(flag::LOCAL)
                        && node.op != Op::Function
                        && node.op != Op::FunctionParameter
                });
                if is_local {
                    local.entry(target).or_default().push(value);
                    continue;
                }
                groups.entry(target).or_default().push(value);
            } else if op == Op::GroupDecorate {
                let targets = self.operands(value).to_vec();
                if let Some((group, targets)) = targets.split_first() {
                    for &target in targets {
                        for &decoration in groups.get(group).into_iter().flatten() {
                            self.note_decoration(target, decoration);
                        }
                    }
                    grouped.extend_from_slice(targets);
                }
            } else if op == Op::MemberDecorate {
                if Decoration(self.operand(value, 2)) == Decoration::Volatile {
                    self.volatile_types.insert(self.operand(value, 0));
                }
            } else if op == Op::GroupMemberDecorate {
                let operands = self.operands(value).to_vec();
                if let Some((group, members)) = operands.split_first() {
                    let is_volatile = groups.get(group).into_iter().flatten().any(|&decoration| {
                        Decoration(self.operand(decoration, 1)) == Decoration::Volatile
                    });
                    let types = members.iter().step_by(2).filter(|_| is_volatile);
                    self.volatile_types.extend(types);
                }
            } else if op == Op::ExecutionMode {
                self.note_mode(
                    ExecutionMode(self.operand(value, 1)),
                    self.operand(value, 2),
                );
            }
            if op == Op::Decorate {
                self.note_decoration(self.operand(value, 0), value);
            }
            if op.is_type() && !self.volatile_types.is_empty() {
                let has_volatile = |&(_, id): &(usize, Value)| self.volatile_types.contains(&id);
                if op != Op::TypePointer && self.ids(value).any(|id| has_volatile(&id)) {
                    self.volatile_types.insert(value);
                }
            }
            kept.push(value);
        }
        for (target, decorations) in local {
            let set = self.set_of(&decorations);
            self.nodes[target as usize].decorations = set;
        }
        self.has_volatile = !self.volatile_types.is_empty()
            || (self.decorated.iter()).any(|pair| pair.1 == Decoration::Volatile.0);
        for target in grouped {
            if let Some(node) = self.nodes.get_mut(target as usize) {
                node.flags |= flag::FIXED;
            }
        }
        self.globals = kept;
        let has = |capability: Capability| {
            self.globals.iter().any(|&value| {
                self.op(value) == Op::Capability && self.operand(value, 0) == capability.0
            })
        };
        let small = Small {
            int8: has(Capability::Int8),
            int16: has(Capability::Int16),
            float: has(Capability::Float16),
        };
        let has_rays = has(Capability::RayTracingKHR) || has(Capability::RayTracingNV);
        let has_patches = has(Capability::Tessellation);
        self.is_shader = !has(Capability::Kernel);
        self.has_fixed_inputs = self.is_shader && !has_rays;
        self.has_patches = has_patches;
        self.small = small;
        for index in 0..self.globals.len() {
            let value = self.globals[index];
            let op = self.op(value);
            let is_mergeable = op == Op::Undef || op.is_constant() && !op.is_spec_constant();
            // What is decorated, as the size of workgroups is, is more than a value.
            let is_more = self.node(value).has(flag::FIXED) || groups.contains_key(&value);
            if !is_mergeable || self.has_opaque || is_more {
                continue;
            }
            // The parts of a composite may have been found equal to others.
            if op.is_composite_constant() {
                let parts: Vec<u32> = self.operands(value).to_vec();
                let found: Vec<u32> = parts.iter().map(|&part| self.find(part)).collect();
                if parts != found {
                    self.operands_mut(value).copy_from_slice(&found);
                }
            }
            if let Some(other) = self.intern_existing(value) {
                self.replace(value, other);
            }
        }
    }

    /// Takes note of what an instruction or its group decorates something with.
    fn note_decoration(&mut self, target: Value, instruction: Value) {
        let decoration = self.operand(instruction, 1);
        self.decorated.insert((target, decoration));
        if decoration == Decoration::BuiltIn.0 {
            self.built_ins
                .insert((target, self.operand(instruction, 2)));
        }
    }

    /// The set of what instructions decorate one value with.
    fn set_of(&mut self, instructions: &[Value]) -> u32 {
        let entries = instructions.iter().map(|&instruction| Entry {
            op: self.op(instruction).0,
            words: self
                .operands(instruction)
                .get(1..)
                .unwrap_or_default()
                .to_vec(),
        });
        let entries = entries.collect();
        self.decorations.number(entries)
    }

    /// Takes note of an execution mode that says how to compute.
    fn note_mode(&mut self, mode: ExecutionMode, width: u32) {
        let environment = &mut self.modes.environment;
        let float = match width {
            16 => &mut environment.half,
            32 => &mut environment.single,
            64 => &mut environment.double,
            _ => return,
        };
        match mode {
            ExecutionMode::DenormFlushToZero => float.denormals = Denormals::Flush,
            ExecutionMode::RoundingModeRTZ => {
                float.rounding = Rounding::TowardZero;
                self.constants.keeps_float_operations = true;
            }
            ExecutionMode::RoundingModeRTPINTEL => {
                float.rounding = Rounding::TowardPositive;
                self.constants.keeps_float_operations = true;
            }
            ExecutionMode::RoundingModeRTNINTEL => {
                float.rounding = Rounding::TowardNegative;
                self.constants.keeps_float_operations = true;
            }
            _ => {}
        }
    }

    /// Which operands of an instruction behind its result are ids; `None` if that isn't known, or
    /// can't be told by the bits that there are.
    fn read_ids(&self, instruction: &Instruction<'_>, first: usize) -> Option<u64> {
        let info = instruction.info()?;
        let words = instruction.words().len();
        let leading = 1 + instruction.leading_ids().len();
        let mut ids = (1u64 << leading.saturating_sub(first)) - 1;
        let rest = info
            .operands()
            .get(info.leading_ids()..)
            .unwrap_or_default();
        let only_literals_follow = matches!(rest, [rest] if rest.kind() == OperandKind::LiteralInteger
            && rest.quantifier() == Quantifier::Many);
        let is_all = leading == words && info.rest_is_optional();
        if leading > info.leading_ids() && (is_all || only_literals_follow) {
            return Some(ids);
        }
        let mut operands = instruction.operands(&self.definitions);
        operands.skip_leading_ids();
        // Those without bits of their own.
        let mut far = 0;
        for operand in operands {
            let operand = operand.ok()?;
            let index = operand.word.checked_sub(first);
            match index.filter(|_| matches!(operand.value, spirvkit_binary::Value::Id(_))) {
                Some(index) if index < Self::BITS => ids |= 1 << index,
                Some(index) if !Self::is_id(ids, index) => return None,
                Some(_) => far += 1,
                None => {}
            }
        }
        // What the bits say of these must be so.
        let said = (Self::BITS..words.max(first) - first).filter(|&index| Self::is_id(ids, index));
        (said.count() == far).then_some(ids)
    }

    /// Makes a node of an instruction.
    fn read_node(&mut self, instruction: &Instruction<'_>) -> Result<Value, Unread> {
        let result = instruction.result();
        let ty = instruction.result_type();
        let words = instruction.words().len();
        let first = 1 + usize::from(result.is_some()) + usize::from(ty.is_some());
        let mut flags = 0;
        let mut ids = u64::MAX;
        match instruction.info() {
            None => flags |= flag::OPAQUE,
            Some(_) if instruction.op().is_access_chain() && words <= first => {
                flags |= flag::OPAQUE;
            }
            Some(info) if info.only_ids_follow() => {}
            Some(_) => match self.read_ids(instruction, first) {
                Some(read) => ids = read,
                None => flags |= flag::OPAQUE,
            },
        }
        if result.is_some() {
            flags |= flag::RESULT;
        }
        if flags & flag::OPAQUE == 0 && self.is_debug_instruction(instruction) {
            flags |= flag::DEBUG;
        }
        self.has_opaque |= flags & flag::OPAQUE != 0;
        // What nothing can define is no id.
        let bound = self.header.bound;
        let operands = instruction.words().get(first..).unwrap_or_default();
        let is_defined = match ids {
            _ if flags & flag::OPAQUE != 0 => true,
            u64::MAX => operands.iter().all(|&id| id < bound),
            _ => (operands.iter().enumerate())
                .all(|(index, &id)| !Self::is_id(ids, index) || id < bound),
        };
        if !is_defined || ty.is_some_and(|ty| ty.0 >= bound) {
            return Err(Unread::Broken);
        }
        let node = Node {
            op: instruction.op(),
            flags,
            ty: ty.map_or(0, |ty| ty.0),
            start: (instruction.offset().0 + first) as u32,
            count: words.saturating_sub(first) as u32,
            ids,
            decorations: 0,
            position: 0,
            home: FLOATING,
        };
        match result {
            Some(Id(id)) => {
                let slot = self.nodes.get_mut(id as usize).ok_or(Unread::Broken)?;
                if id == 0 || slot.op != Op::Nop {
                    return Err(Unread::Broken);
                }
                *slot = node;
                Ok(id)
            }
            None => {
                self.nodes.push(node);
                let value = self.nodes.len() as Value - 1;
                self.replaced.push(value);
                Ok(value)
            }
        }
    }

    /// The set that an extended instruction is from.
    pub(crate) fn instruction_set(&self, import: Value) -> Option<ExtInstSet> {
        match self.definitions.get(Id(import)) {
            Definition::Import(Import::Known(set)) => Some(set),
            _ => None,
        }
    }

    /// Whether an id imports `GLSL.std.450`.
    pub(crate) fn is_glsl(&self, import: Value) -> bool {
        self.instruction_set(import) == Some(ExtInstSet::GlslStd450)
    }
}

impl Reader {
    fn add(&mut self, unit: &mut Unit, instruction: &Instruction<'_>) -> Result<(), Unread> {
        let value = unit.read_node(instruction)?;
        let op = instruction.op();
        let Some(function) = &mut self.function else {
            if op == Op::Function {
                unit.nodes[value as usize].flags |= flag::LOCAL;
                self.function = Some(Function {
                    definition: value,
                    ..Function::default()
                });
                return Ok(());
            }
            // What describes functions from outside may stand behind them.
            match !unit.functions.is_empty() || op.is_in_graphs() {
                true => unit.behind.push(value),
                false => unit.globals.push(value),
            }
            return Ok(());
        };
        function.is_opaque |= unit.node(value).has(flag::OPAQUE);
        unit.nodes[value as usize].flags |= flag::LOCAL;
        match op {
            Op::FunctionParameter => function.parameters.push(value),
            Op::FunctionEnd => {
                if self.block.is_some() {
                    return Err(Unread::Broken);
                }
                unit.functions.extend(self.function.take());
                (self.line, self.scope) = (0, 0);
            }
            Op::Label => {
                if self.block.is_some() {
                    return Err(Unread::Broken);
                }
                self.block = Some(Block {
                    label: value,
                    insts: Vec::new(),
                });
            }
            _ => self.add_in_block(unit, value, op)?,
        }
        Ok(())
    }

    fn add_in_block(&mut self, unit: &mut Unit, value: Value, op: Op) -> Result<(), Unread> {
        let Some(block) = &mut self.block else {
            let is_place = matches!(
                unit.debug_kind(value),
                Some(Kind::Line | Kind::NoLine | Kind::Scope | Kind::NoScope)
            );
            if !op.is_line() && !is_place {
                return Err(Unread::Broken);
            }
            // Between blocks, it is of nothing but a label.
            if let Some(function) = &mut self.function
                && function.blocks.is_empty()
                && op.is_line()
            {
                function.before.push(value);
            }
            return Ok(());
        };
        match (op, unit.debug_kind(value)) {
            (Op::Line, _) | (_, Some(Kind::Line)) => self.line = value,
            (Op::NoLine, _) | (_, Some(Kind::NoLine)) => self.line = 0,
            (_, Some(Kind::Scope)) => self.scope = value,
            (_, Some(Kind::NoScope)) => self.scope = 0,
            _ => {
                let here = (self.line, self.scope);
                if unit.positions.last() != Some(&here) {
                    unit.positions.push(here);
                }
                let position = unit.positions.len() as u32 - 1;
                unit.nodes[value as usize].position = if here == (0, 0) { 0 } else { position };
                block.insts.push(value);
            }
        }
        if op.is_terminator() {
            if let (Some(function), Some(block)) = (&mut self.function, self.block.take()) {
                function.blocks.push(block);
            }
            (self.line, self.scope) = (0, 0);
        }
        Ok(())
    }
}

/// Whether all that a function's instructions name is its own or before the functions, and labels
/// are where labels belong.
fn is_well_formed(unit: &Unit, function: &Function, number: u32, owner: &[u32]) -> bool {
    let is_label =
        |&label: &Value| owner.get(label as usize) == Some(&number) && unit.op(label) == Op::Label;
    let is_known = |(_, id): (usize, Value)| {
        unit.op(id) == Op::Function
            || matches!(owner.get(id as usize), Some(&of) if of == 0 || of == number)
    };
    function.blocks.iter().all(|block| {
        block.insts.iter().all(|&inst| {
            let operands = unit.operands(inst);
            let mut leads_to_labels = true;
            unit.each_target(inst, |_, label| leads_to_labels &= is_label(&label));
            let named: &[u32] = match unit.op(inst) {
                Op::SelectionMerge => operands.get(..1).unwrap_or(&[0]),
                Op::LoopMerge => operands.get(..2).unwrap_or(&[0]),
                _ => &[],
            };
            let from = match unit.op(inst) {
                Op::Phi => operands,
                _ => &[],
            };
            leads_to_labels
                && named.iter().all(is_label)
                && from.len().is_multiple_of(2)
                && from.iter().skip(1).step_by(2).all(is_label)
                && unit.ids(inst).all(is_known)
        })
    })
}
