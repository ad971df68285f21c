//! Puts a module together again, without what nothing needs.

use spirvkit_grammar::Op;
use spirvkit_grammar::debug_info::Kind;
use spirvkit_ir::About;

use super::live::{Liveness, Need, all_nodes, is_remark, is_within_function, named_ids};
use super::{Function, Unit, Value, flag};
use crate::Options;

/// A module as words.
pub(crate) struct Written {
    pub(crate) words: Vec<u32>,
    /// How many of them don't just describe the source.
    pub(crate) code: usize,
}

impl Unit {
    /// The words of the module.
    /// `None` if an instruction would be too long.
    pub(crate) fn write(&self, options: &Options) -> Option<Written> {
        let mut live = Liveness::new(self, options);
        live.describe(self);
        let (new_ids, next) = self.number_new(&live);
        let mut writer = Writer {
            words: Vec::with_capacity(self.pool.len()),
            new_ids,
            next,
            position: (0, 0),
            is_too_long: false,
            described: 0,
            absent: Vec::new(),
            live,
            unit: self,
        };
        writer.write();
        if writer.is_too_long {
            return None;
        }
        let next = writer.next;
        let code = writer.words.len() - writer.described;
        let mut words = writer.words;
        let header = spirvkit_binary::Header {
            bound: next,
            ..self.header
        };
        words[..5].copy_from_slice(&header.to_words());
        words.shrink_to_fit();
        Some(Written { words, code })
    }

    /// Numbers new values that code needs in their order, by which operands are put in order: so there
    /// is nothing to put in order any more. Returns the next number, too.
    fn number_new(&self, live: &Liveness) -> (Vec<u32>, u32) {
        let mut next = self.header.bound.max(1);
        let new = self.first_new()..self.nodes.len() as Value;
        let ids = new.map(|value| {
            let is_code = live.need(value) == Need::Code && self.node(value).has(flag::RESULT);
            if !is_code || self.find(value) != value {
                return 0;
            }
            next += 1;
            next - 1
        });
        (ids.collect(), next)
    }

    /// The words of all that was added before the functions.
    pub(crate) fn added_words(&self) -> usize {
        let is_new =
            |&&value: &&Value| value >= self.first_new() && self.node(value).has(flag::RESULT);
        let new = self.globals.iter().filter(is_new);
        new.map(|&value| self.length(value) as usize).sum()
    }

    /// The first value that is no id of the module that was read.
    fn first_new(&self) -> Value {
        self.header.bound.max(1)
    }
}

struct Writer<'u> {
    unit: &'u Unit,
    live: Liveness,
    words: Vec<u32>,
    /// The ids of new nodes, by their distance from the first.
    new_ids: Vec<u32>,
    next: u32,
    /// The line and scope in effect.
    position: (Value, Value),
    /// Whether an instruction has more words than it can.
    is_too_long: bool,
    /// How many words only describe the source.
    described: usize,
    /// By import, what stands for what isn't there any more.
    absent: Vec<(Value, Value)>,
}

impl Writer<'_> {
    fn write(&mut self) {
        self.words.extend_from_slice(&[0; 5]);
        let unit = self.unit;
        let mut written_decorations = false;
        let mut line = 0;
        for &value in &unit.globals {
            let op = unit.op(value);
            if !written_decorations && (op.is_type() || op.is_constant() || op.is_variable()) {
                self.write_decorations();
                written_decorations = true;
            }
            if op.is_line() {
                line = value;
                continue;
            }
            if matches!(About::of(op), Some(About::Group(_))) {
                self.write_group(value);
                continue;
            }
            if !self.live.has(value) || unit.find(value) != value {
                continue;
            }
            if line != 0 {
                let start = self.words.len();
                self.write_node(line);
                self.described += self.words.len() - start;
            }
            line = 0;
            let start = self.words.len();
            match op.is_entry_point() {
                true => self.write_entry_point(value),
                false if unit.is_debug(value) => self.write_debug(value),
                false => self.write_node(value),
            }
            if self.live.need(value) == Need::Description || is_remark(op) {
                self.described += self.words.len() - start;
            }
        }
        if !written_decorations {
            self.write_decorations();
        }
        for function in &unit.functions {
            if self.live.has(function.definition) {
                self.write_function(function);
            }
        }
        for &value in &unit.behind {
            self.write_node(value);
        }
    }

    /// The decorations of what functions still have.
    fn write_decorations(&mut self) {
        let unit = self.unit;
        for function in &unit.functions {
            if !self.live.has(function.definition) {
                continue;
            }
            for &value in all_nodes(function) {
                let set = unit.node(value).decorations;
                if set == 0 || unit.find(value) != value {
                    continue;
                }
                let target = self.id(value);
                for entry in unit.decorations.get(set) {
                    self.words
                        .push((entry.words.len() as u32 + 2) << 16 | u32::from(entry.op));
                    self.words.push(target);
                    let names_ids = Op(entry.op) == Op::DecorateId;
                    for (index, &word) in entry.words.iter().enumerate() {
                        let word = match names_ids && index > 0 {
                            true => self.id(word),
                            false => word,
                        };
                        self.words.push(word);
                    }
                }
            }
        }
    }

    /// What gives a group's decorations to others, as far as these are there.
    fn write_group(&mut self, value: Value) {
        let unit = self.unit;
        let Some(About::Group(size)) = About::of(unit.op(value)) else {
            return;
        };
        let Some((&group, targets)) = unit.operands(value).split_first() else {
            return;
        };
        let kept: Vec<u32> = targets
            .chunks(size)
            .filter(|target| self.live.has(target[0]) && unit.find(target[0]) == target[0])
            .flatten()
            .copied()
            .collect();
        if !kept.is_empty() {
            let op = u32::from(unit.op(value).0);
            self.words.push((kept.len() as u32 + 2) << 16 | op);
            self.words.push(group);
            self.words.extend(kept);
        }
    }

    fn write_entry_point(&mut self, value: Value) {
        let unit = self.unit;
        let node = unit.node(value);
        let start = self.words.len();
        self.words.push(0);
        let mut count = 0usize;
        for (index, &word) in unit.operands(value).iter().enumerate() {
            if Unit::is_id(node.ids, index) {
                count += 1;
                if count > named_ids(node.op) && !self.live.has(unit.find(word)) {
                    continue;
                }
            }
            self.words.push(word);
        }
        let length = (self.words.len() - start) as u32;
        self.words[start] = length << 16 | u32::from(node.op.0);
    }

    fn write_function(&mut self, function: &Function) {
        self.write_node(function.definition);
        for &value in &function.parameters {
            self.write_node(value);
        }
        let start = self.words.len();
        for &value in &function.before {
            self.write_node(value);
        }
        self.described += self.words.len() - start;
        for block in &function.blocks {
            self.write_node(block.label);
            self.position = (0, 0);
            for (index, &value) in block.insts.iter().enumerate() {
                let start = self.words.len();
                let is_debug = self.unit.is_debug(value);
                if is_debug && !self.speaks_of_what_is_there(value) {
                    continue;
                }
                // Nothing may be between a merge instruction and the branch.
                let is_behind = |index: usize| {
                    let before = index.checked_sub(1).and_then(|it| block.insts.get(it));
                    before.is_some_and(|&before| self.unit.op(before).is_merge())
                };
                if !is_behind(index) {
                    let place = match (is_behind(index + 1), block.insts.get(index + 1)) {
                        (true, Some(&end)) => end,
                        _ => value,
                    };
                    self.write_position(place);
                }
                if is_debug {
                    self.write_node(value);
                }
                self.described += self.words.len() - start;
                if !is_debug {
                    self.write_node(value);
                }
            }
        }
        self.words.push(1 << 16 | u32::from(Op::FunctionEnd.0));
    }

    /// Whether all of a function that an instruction names has been written or will be.
    fn speaks_of_what_is_there(&self, value: Value) -> bool {
        self.unit
            .ids(value)
            .all(|(_, id)| self.live.has(self.unit.find(id)))
    }

    /// Writes a description outside of functions: what isn't there any more is none.
    fn write_debug(&mut self, value: Value) {
        let unit = self.unit;
        let ids = unit.ids(value).map(|(index, id)| (index, unit.find(id)));
        let gone: Vec<usize> = ids
            .filter(|&(_, id)| !self.live.has(id) || is_within_function(unit, id))
            .map(|(index, _)| index)
            .collect();
        if gone.is_empty() {
            self.write_node(value);
        } else {
            let none = self.none(value);
            self.write_node(value);
            let first = self.words.len() - unit.operands(value).len();
            for index in gone {
                self.words[first + index] = none;
            }
        }
        if unit.debug_kind(value) == Some(Kind::InfoNone) {
            self.absent.push((unit.operand(value, 0), value));
        }
    }

    /// What stands for what isn't there any more, for an instruction of the same set.
    fn none(&mut self, of: Value) -> u32 {
        let import = self.unit.operand(of, 0);
        if let Some(&(_, none)) = self.absent.iter().find(|it| it.0 == import) {
            return none;
        }
        let none = self.next;
        self.write_counterpart(of, Kind::InfoNone);
        self.absent.push((import, none));
        none
    }

    /// Says where an instruction comes from, if that isn't what was said last.
    fn write_position(&mut self, value: Value) {
        let unit = self.unit;
        let node = unit.node(value);
        let (line, scope) = unit.positions[node.position as usize];
        let is_early = matches!(node.op, Op::Phi | Op::Variable | Op::UntypedVariableKHR);
        if scope != self.position.1 && !is_early {
            if scope == 0 {
                self.end_scope();
            } else {
                self.write_remark(scope);
            }
            self.position.1 = scope;
        }
        // Which line says of which variable something doesn't matter.
        let is_described = unit.is_debug(value);
        if line == self.position.0 || is_described || is_early && unit.op(line).is_ext_inst() {
            return;
        }
        if line == 0 {
            if is_early && unit.op(self.position.0).is_ext_inst() {
                return;
            }
            self.end_line();
        } else {
            self.write_remark(line);
        }
        self.position.0 = line;
    }

    /// Says that no line is in effect any more.
    fn end_line(&mut self) {
        if self.unit.op(self.position.0) == Op::Line {
            self.words.push(1 << 16 | u32::from(Op::NoLine.0));
        } else {
            self.write_counterpart(self.position.0, Kind::NoLine);
        }
    }

    fn end_scope(&mut self) {
        self.write_counterpart(self.position.1, Kind::NoScope);
    }

    /// An instruction without operands of the set that another is from.
    fn write_counterpart(&mut self, of: Value, kind: Kind) {
        let unit = self.unit;
        let import = unit.operand(of, 0);
        let id = self.fresh();
        let ty = unit.node(of).ty;
        self.words.extend([
            5 << 16 | u32::from(Op::ExtInst.0),
            ty,
            id,
            import,
            kind.number(),
        ]);
    }

    /// A line or scope once more: with an id of its own, if it has one.
    fn write_remark(&mut self, value: Value) {
        let unit = self.unit;
        let start = self.words.len();
        self.write_node(value);
        if unit.node(value).has(flag::RESULT) {
            let id = self.fresh();
            self.words[start + 2] = id;
        }
    }

    fn fresh(&mut self) -> u32 {
        let id = self.next;
        self.next += 1;
        id
    }

    fn id(&mut self, value: Value) -> u32 {
        let unit = self.unit;
        let value = unit.find(value);
        let Some(index) = value.checked_sub(unit.first_new()) else {
            return value;
        };
        let slot = &mut self.new_ids[index as usize];
        if *slot == 0 {
            *slot = self.next;
            self.next += 1;
        }
        *slot
    }

    fn write_node(&mut self, value: Value) {
        let unit = self.unit;
        let node = unit.node(value);
        let operands = unit.operands(value);
        let has_result = node.has(flag::RESULT);
        let count = 1 + usize::from(node.ty != 0) + usize::from(has_result) + operands.len();
        self.is_too_long |= count > usize::from(u16::MAX);
        self.words.push((count as u32) << 16 | u32::from(node.op.0));
        if node.ty != 0 {
            let ty = self.id(node.ty);
            self.words.push(ty);
        }
        if has_result {
            let id = match node.has(flag::OPAQUE) {
                true => value,
                false => self.id(value),
            };
            self.words.push(id);
        }
        if node.has(flag::OPAQUE) || node.ids == 0 {
            self.words.extend_from_slice(operands);
            return;
        }
        for (index, &word) in operands.iter().enumerate() {
            let word = match Unit::is_id(node.ids, index) {
                true => self.id(word),
                false => word,
            };
            self.words.push(word);
        }
    }
}
