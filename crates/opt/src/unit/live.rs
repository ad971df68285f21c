//! What is needed: by the environment, by what is, or to describe the source.

use spirvkit_grammar::debug_info::Kind;
use spirvkit_grammar::{Decoration, Op, StorageClass};
use spirvkit_ir::About;

use super::{Function, Unit, Value, flag};
use crate::{Abilities, Options};

/// What a node is needed for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Need {
    Nothing,
    /// To describe the source.
    Description,
    Code,
}

/// Which nodes are needed.
pub(super) struct Liveness {
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
    pub(super) fn new(unit: &Unit, options: &Options) -> Self {
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
    pub(super) fn describe(&mut self, unit: &Unit) {
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
            // How many parts there are has to be told, whatever decides that.
            let op = unit.op(value);
            let is_sized = matches!(
                unit.debug_kind(value),
                Some(Kind::TypeArray | Kind::TypeVectorIdEXT | Kind::TypeCooperativeMatrixKHR)
            );
            if is_sized || op.is_type() || op.is_spec_constant() {
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

    pub(super) fn need(&self, value: Value) -> Need {
        let need = self.live.get(value as usize).copied();
        need.unwrap_or(Need::Nothing)
    }

    pub(super) fn has(&self, value: Value) -> bool {
        self.need(value) != Need::Nothing
    }
}

/// How many ids an entry point has before its interface.
pub(super) fn named_ids(op: Op) -> usize {
    match op {
        Op::ConditionalEntryPointINTEL => 2,
        _ => 1,
    }
}

/// All nodes of a function but its definition.
pub(super) fn all_nodes(function: &Function) -> impl Iterator<Item = &Value> {
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
pub(super) fn is_within_function(unit: &Unit, value: Value) -> bool {
    let node = unit.node(value);
    node.has(flag::LOCAL) && !node.has(flag::DEBUG) && node.op != Op::Function
}

/// Whether an instruction only says something of the source.
pub(super) fn is_remark(op: Op) -> bool {
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
