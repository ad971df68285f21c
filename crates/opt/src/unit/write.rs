//! Puts a module together again, without what nothing needs.

use spirvkit_grammar::debug_info::Kind;
use spirvkit_grammar::{Decoration, Op, StorageClass};
use spirvkit_ir::About;

use super::{Function, Unit, Value, flag};
use crate::{Abilities, Options};

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

/// What a node is needed for.
#[derive(Clone, Copy, PartialEq)]
enum Need {
    Nothing,
    /// To describe the source.
    Description,
    Code,
}

/// Which nodes are needed.
struct Liveness {
    live: Vec<Need>,
    about: Sayings,
}

/// What is said about something, behind what it is about.
#[derive(Default)]
struct Sayings {
    /// In order.
    pairs: Vec<(Value, Value)>,
    /// One more than where those about each value begin, if there are any.
    starts: Vec<u32>,
}

impl Sayings {
    fn new(mut pairs: Vec<(Value, Value)>, values: usize) -> Self {
        pairs.sort_unstable();
        let mut starts = vec![0; values];
        for (index, &(target, _)) in (1..).zip(&pairs) {
            if let Some(start) = starts.get_mut(target as usize)
                && *start == 0
            {
                *start = index;
            }
        }
        Self { pairs, starts }
    }

    /// The pairs about a value.
    fn of(&self, value: Value) -> &[(Value, Value)] {
        let start = self.starts.get(value as usize).copied().unwrap_or(0);
        let Some(start) = start.checked_sub(1) else {
            return &[];
        };
        let from = &self.pairs[start as usize..];
        let count = from.iter().take_while(|pair| pair.0 == value).count();
        &from[..count]
    }
}

impl Liveness {
    fn new(unit: &Unit, options: &Options) -> Self {
        let mut this = Self {
            live: vec![Need::Nothing; unit.nodes.len()],
            about: Sayings::default(),
        };
        let mut work = Vec::with_capacity(unit.nodes.len() / 4);
        let mut marked = Vec::new();
        // What is about something, by that: kept if it is.
        let mut about: Vec<(Value, Value)> = Vec::new();
        for &value in &unit.globals {
            let op = unit.op(value);
            if let Some(About::One) = About::of(op) {
                let target = unit.operand(value, 0);
                // What is said of a value that another stands for is not said of that.
                if (target as usize) < unit.nodes.len() && unit.find(target) == target {
                    about.push((target, value));
                }
                let is_root = op == Op::Decorate && {
                    let decoration = Decoration(unit.operand(value, 1));
                    match decoration {
                        Decoration::LinkageAttributes => true,
                        // The size of workgroups, which nothing needs to use.
                        Decoration::BuiltIn => unit.op(unit.operand(value, 0)).is_constant(),
                        Decoration::Binding | Decoration::DescriptorSet => {
                            options.preserve_bindings
                        }
                        Decoration::SpecId => options.preserve_spec_constants,
                        _ => false,
                    }
                };
                if is_root {
                    marked.push(unit.operand(value, 0));
                }
            } else if is_root(unit, value) || !may_go(unit, value, options.abilities) {
                marked.push(value);
            } else if op.is_entry_point() {
                this.live[value as usize] = Need::Code;
                marked.extend(this.interface(unit, value, options));
            }
        }
        for &value in &unit.behind {
            marked.push(value);
        }
        // Groups of decorations stay if anything has them.
        for &value in &unit.globals {
            if let Some(About::Group(size)) = About::of(unit.op(value))
                && let Some((&group, targets)) = unit.operands(value).split_first()
            {
                about.extend(targets.chunks(size).map(|target| (target[0], group)));
            }
        }
        if !options.abilities.contains(Abilities::DEAD_FUNCTIONS) {
            marked.extend(unit.functions.iter().map(|function| function.definition));
        }
        let about = Sayings::new(about, unit.nodes.len());
        let functions: hashbrown::HashMap<Value, usize> = unit
            .functions
            .iter()
            .enumerate()
            .map(|(index, function)| (function.definition, index))
            .collect();
        let has_linkage = unit.globals.iter().any(|&value| {
            unit.op(value) == Op::Capability
                && unit.operand(value, 0) == spirvkit_grammar::Capability::Linkage.0
        });
        let has_entry = unit.globals.iter().any(|&v| unit.op(v).is_entry_point());
        if has_linkage && !has_entry {
            // Whoever links with it may want anything that it exports, and only that; without
            // exports it is a module to look at.
            let exports = about
                .pairs
                .iter()
                .any(|&(_, value)| unit.operand(value, 1) == Decoration::LinkageAttributes.0);
            if !exports {
                marked.extend(unit.functions.iter().map(|function| function.definition));
            }
        }
        for value in marked {
            this.mark(unit, value, &mut work);
        }
        while let Some(value) = work.pop() {
            let node = unit.node(value);
            if node.ty != 0 {
                this.mark(unit, node.ty, &mut work);
            }
            for (_, id) in unit.ids(value) {
                this.mark(unit, id, &mut work);
            }
            for entry in unit.decorations.get(node.decorations) {
                if Op(entry.op) == Op::DecorateId {
                    for &id in entry.words.iter().skip(1) {
                        this.mark(unit, id, &mut work);
                    }
                }
            }
            for &(_, what) in about.of(value) {
                this.mark(unit, what, &mut work);
            }
            if node.op == Op::Function
                && let Some(&index) = functions.get(&value)
            {
                let function = &unit.functions[index];
                for &inst in all_nodes(function) {
                    if !unit.is_debug(inst) {
                        this.mark(unit, inst, &mut work);
                    }
                }
            }
        }
        this.about = about;
        this
    }

    /// Marks what describes the source, and what that needs besides code.
    fn describe(&mut self, unit: &Unit) {
        let mut work = Vec::new();
        for &value in &unit.globals {
            // Calls that have been replaced are described where something comes from them.
            if unit.is_debug(value) && unit.debug_kind(value) != Some(Kind::InlinedAt) {
                self.mark_described(unit, value, &mut work);
            }
        }
        for function in &unit.functions {
            if !self.has(function.definition) {
                continue;
            }
            for &inst in all_nodes(function) {
                if unit.is_debug(inst) {
                    self.mark_described(unit, inst, &mut work);
                }
                let (line, scope) = unit.positions[unit.node(inst).position as usize];
                for place in [line, scope] {
                    self.mark_described(unit, place, &mut work);
                }
            }
        }
        while let Some(value) = work.pop() {
            for (_, id) in unit.ids(value).chain([(0, unit.node(value).ty)]) {
                self.mark_described(unit, id, &mut work);
            }
            let own = self.about.of(value).iter();
            let own: Vec<Value> = own.map(|it| it.1).collect();
            for what in own {
                self.mark_for_description(what, &mut work);
            }
            // How many elements there are has to be told, whatever decides that.
            let is_array = unit.debug_kind(value) == Some(Kind::TypeArray);
            if is_array || unit.op(value).is_spec_constant() {
                for (_, id) in unit.ids(value) {
                    let id = unit.find(id);
                    if unit.op(id).is_spec_constant() {
                        self.mark_for_description(id, &mut work);
                    }
                }
            }
        }
    }

    fn mark_described(&mut self, unit: &Unit, value: Value, work: &mut Vec<Value>) {
        let value = unit.find(value);
        let op = unit.op(value);
        let is_code = is_within_function(unit, value)
            || matches!(op, Op::Function | Op::Label)
            || op.is_variable()
            || op.is_spec_constant();
        if !is_code || op.is_line() {
            self.mark_for_description(value, work);
        }
    }

    fn mark_for_description(&mut self, value: Value, work: &mut Vec<Value>) {
        if let Some(slot) = self.live.get_mut(value as usize)
            && *slot == Need::Nothing
        {
            *slot = Need::Description;
            work.push(value);
        }
    }

    /// The function of an entry point and the part of its interface that stays.
    fn interface(&self, unit: &Unit, entry: Value, options: &Options) -> Vec<Value> {
        let ids: Vec<Value> = unit.ids(entry).map(|(_, id)| id).collect();
        let named = named_ids(unit.op(entry));
        if !options.abilities.contains(Abilities::DEAD_VARIABLES) {
            return ids;
        }
        let mut kept: Vec<Value> = ids.iter().take(named).copied().collect();
        for &id in ids.iter().skip(named) {
            let class = unit.storage_class(id).map(StorageClass);
            let stays = match class {
                Some(StorageClass::Input) => options.preserve_interface,
                Some(StorageClass::Output) => true,
                _ => options.preserve_interface,
            };
            if stays {
                kept.push(id);
            }
        }
        kept
    }

    fn mark(&mut self, unit: &Unit, value: Value, work: &mut Vec<Value>) {
        if value as usize >= unit.nodes.len() {
            return;
        }
        let value = unit.find(value);
        let Some(slot) = self.live.get_mut(value as usize) else {
            return;
        };
        if std::mem::replace(slot, Need::Code) == Need::Nothing {
            work.push(value);
        }
    }

    fn need(&self, value: Value) -> Need {
        let need = self.live.get(value as usize).copied();
        need.unwrap_or(Need::Nothing)
    }

    fn has(&self, value: Value) -> bool {
        self.need(value) != Need::Nothing
    }
}

/// How many ids an entry point has before its interface.
fn named_ids(op: Op) -> usize {
    match op {
        Op::ConditionalEntryPointINTEL => 2,
        _ => 1,
    }
}

/// All nodes of a function but its definition.
fn all_nodes(function: &Function) -> impl Iterator<Item = &Value> {
    let blocks = function.blocks.iter();
    let blocks = blocks.flat_map(|block| std::iter::once(&block.label).chain(&block.insts));
    let parameters = function.parameters.iter();
    parameters.chain(&function.before).chain(blocks)
}

/// Whether an instruction before the functions may go if nothing needs it.
fn may_go(unit: &Unit, value: Value, abilities: Abilities) -> bool {
    let op = unit.op(value);
    // What describes the source needs nothing.
    if unit.is_debug(value) {
        return true;
    }
    let ability = if op.is_variable() {
        Abilities::DEAD_VARIABLES
    } else if op.is_constant() || op == Op::Undef {
        Abilities::DEAD_CONSTANTS
    } else {
        Abilities::DEAD_DECLARATIONS
    };
    abilities.contains(ability)
        || !unit.node(value).has(flag::RESULT)
        || unit.find(value) != value
        // What belongs to decorations goes with these.
        || op == Op::DecorationGroup
}

/// Whether a value is in a function, and no part of what is described itself.
fn is_within_function(unit: &Unit, value: Value) -> bool {
    let node = unit.node(value);
    node.has(flag::LOCAL) && !node.has(flag::DEBUG) && node.op != Op::Function
}

/// Whether an instruction only says something of the source.
fn is_remark(op: Op) -> bool {
    let is_source = matches!(
        op,
        Op::String | Op::Source | Op::SourceContinued | Op::SourceExtension | Op::ModuleProcessed
    );
    op.is_name() || is_source
}

/// Whether an instruction before the functions is needed by itself.
fn is_root(unit: &Unit, value: Value) -> bool {
    let op = unit.op(value);
    let node = unit.node(value);
    if node.has(flag::OPAQUE) {
        return true;
    }
    if op.is_entry_point() || op.is_line() || matches!(About::of(op), Some(About::Group(_))) {
        return false;
    }
    if op.is_ext_inst() {
        return !node.has(flag::DEBUG);
    }
    // What kernels' arguments are called and how they are declared is said by strings alone.
    if op == Op::String {
        return !unit.is_shader;
    }
    // An output with an initial value is written.
    if op == Op::Variable {
        return unit.operand(value, 0) == StorageClass::Output.0 && unit.operands(value).len() > 1;
    }
    !node.has(flag::RESULT)
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

impl Unit {
    /// Which functions something needs, by their numbers.
    pub(crate) fn live_functions(&self, options: &Options) -> Vec<bool> {
        let is_usual = self.is_shader && !self.has_opaque && self.behind.is_empty();
        if !is_usual || !options.abilities.contains(Abilities::DEAD_FUNCTIONS) {
            let live = Liveness::new(self, options);
            let functions = self.functions.iter();
            return functions
                .map(|function| live.has(function.definition))
                .collect();
        }
        self.called_functions()
    }

    /// Which functions entry points need, and others if there are exports.
    fn called_functions(&self) -> Vec<bool> {
        let is_entry = |&value: &Value| self.op(value).is_entry_point();
        if self.functions.len() == 1 && self.globals.iter().any(is_entry) {
            return vec![true];
        }
        let numbers = (0..).zip(&self.functions);
        let numbers: hashbrown::HashMap<Value, usize> = numbers
            .map(|(number, function)| (function.definition, number))
            .collect();
        let mut live = vec![false; self.functions.len()];
        let mut work = Vec::new();
        let mut reach = |id: Value, work: &mut Vec<usize>| {
            if self.op(id) == Op::Function
                && let Some(&number) = numbers.get(&id)
                && !std::mem::replace(&mut live[number], true)
            {
                work.push(number);
            }
        };
        let (mut has_entry, mut has_exports) = (false, false);
        for &value in &self.globals {
            let op = self.op(value);
            if op.is_type() {
                continue;
            }
            has_entry |= op.is_entry_point();
            let is_export =
                op == Op::Decorate && self.operand(value, 1) == Decoration::LinkageAttributes.0;
            has_exports |= is_export;
            let is_described = || self.debug_instruction(value).is_some();
            if is_export || About::of(op).is_none() && !is_described() {
                for (_, id) in self.ids(value) {
                    reach(id, &mut work);
                }
            }
        }
        if !has_entry && !has_exports {
            return vec![true; self.functions.len()];
        }
        if work.len() == self.functions.len() {
            return live;
        }
        while let Some(number) = work.pop() {
            let blocks = self.functions[number].blocks.iter();
            for &inst in blocks.flat_map(|block| &block.insts) {
                if self.debug_instruction(inst).is_none() {
                    for (_, id) in self.ids(inst) {
                        reach(id, &mut work);
                    }
                }
            }
        }
        live
    }
}
