//! Where variables are in the course of a function: from what `DebugDeclare` and
//! `DebugValue` say, and what the code map says of the ids that they name.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use gimli::constants::*;
use gimli::write::{Address, AttributeValue, Expression, Location as Entry_, LocationList};
use spirvkit_binary::Id;

use super::Place;
use super::functions::argument_number;
use super::nodes::DieNodeId;
use super::scopes::Tree;
use super::types::Constant;
use super::units::{Die, OPERATION, Writer};
use crate::{Entry, Field, Function, Kind, Operation, OperationCode};

/// What holds a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Held {
    /// A constant of the module.
    Constant(Constant),
    /// The value of an id is in a place.
    Place(Id, Place),
}

/// Bits of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fragment {
    offset: u64,
    size: u64,
}

/// What a `DebugDeclare` or `DebugValue` says.
#[derive(Debug)]
struct Binding {
    /// Where it is, in words.
    offset: u32,
    id: Id,
    operations: Vec<Operation>,
    in_memory: bool,
    /// The part of the variable that it is about; none for all of it.
    fragment: Option<Fragment>,
    /// Whether that part is not known, so that nothing is.
    is_unknown: bool,
}

/// All that is said of a variable in one instance of its function.
struct Group {
    variable: DieNodeId,
    node: usize,
    bindings: Vec<Binding>,
}

/// The bindings that hold together, by their numbers: of parts that don't overlap, in the
/// order of the parts.
type State = Vec<usize>;

/// Runs of words, and the number of the state that holds in each.
type Runs = Vec<(Range<usize>, usize)>;

/// Where a value is in parts of a range of addresses.
type Places = Vec<(Range<u64>, Held)>;

/// The most parts of a variable that are distinguished.
const MAX_PARTS: usize = 64;

impl<'w> Writer<'w> {
    /// Tells where the variables of a function are.
    pub(super) fn add_locations(
        &mut self,
        function: &'w Function,
        bindings: &[Entry<'w>],
        tree: &Tree,
    ) {
        let mut groups: Vec<Group> = Vec::new();
        let mut numbers: HashMap<(DieNodeId, usize), usize> = HashMap::new();
        for &entry in bindings {
            let Some((variable, node)) = self.instance(entry, tree) else {
                continue;
            };
            let binding = self.binding(entry, variable);
            let number = *numbers.entry((variable, node)).or_insert_with(|| {
                groups.push(Group {
                    variable,
                    node,
                    bindings: Vec::new(),
                });
                groups.len() - 1
            });
            groups[number].bindings.push(binding);
        }
        groups.sort_by_key(|group| {
            let number = argument_number(self.nodes[group.variable].entry);
            number.unwrap_or(u64::MAX)
        });
        for group in groups {
            self.add_location(function, &group, tree);
        }
    }

    /// Which variable a binding is about, and in which scope of the function.
    fn instance(&self, binding: Entry<'w>, tree: &Tree) -> Option<(DieNodeId, usize)> {
        let named = binding.entry(Field::LocalVariable)?;
        let variable = self.node_at(self.resolve(named).id())?;
        let node = &self.nodes[variable];
        if node.entry.kind() != Kind::LocalVariable {
            return None;
        }
        // An inlined variable says itself where it was inlined.
        let inlined_at = match named.kind() {
            Kind::InlinedVariable => named.entry(Field::InlinedAt),
            _ => self
                .info
                .scope(binding.offset())
                .and_then(|scope| scope.inlined_at),
        };
        let inlined_at = inlined_at.map_or(0, |at| at.id().0);
        let scope = node.parent.and_then(|parent| self.own(parent))?;
        let node = tree.node(scope, inlined_at)?;
        Some((variable, node))
    }

    fn binding(&mut self, entry: Entry<'w>, variable: DieNodeId) -> Binding {
        let in_memory = entry.kind() == Kind::Declare;
        let field = match in_memory {
            true => Field::Variable,
            false => Field::Value,
        };
        let mut is_unknown = false;
        let mut operations = match entry.entry(Field::Expression) {
            Some(expression) => self.operations(expression).unwrap_or_else(|| {
                is_unknown = true;
                Vec::new()
            }),
            None => Vec::new(),
        };
        let mut fragment = None;
        if let Some(last) = operations.last()
            && last.code == OperationCode::Fragment
        {
            match *last.operands.as_slice() {
                [offset, size, ..] if size > 0 => fragment = Some(Fragment { offset, size }),
                _ => is_unknown = true,
            }
            operations.pop();
        }
        let indexes = entry.list(Field::Indexes);
        if !indexes.is_empty() && fragment.is_none() {
            let ty = self.nodes[variable].entry.type_();
            match ty.and_then(|ty| self.part(ty, indexes)) {
                Some(part) => fragment = Some(part),
                None => is_unknown = true,
            }
        }
        Binding {
            offset: entry.offset().0 as u32,
            id: entry.id_of(field).unwrap_or(Id(0)),
            operations,
            in_memory,
            fragment,
            is_unknown,
        }
    }

    /// The bits of a variable that constant indexes lead to.
    fn part(&self, ty: Entry<'w>, indexes: &[u32]) -> Option<Fragment> {
        let mut ty = self.strip(ty);
        let mut offset = 0_u64;
        // More than that is not nested in any program.
        for &index in indexes.iter().take(MAX_PARTS) {
            let index = self.info.constant(Id(index))?;
            let (step, inner) = match ty.kind() {
                Kind::TypeComposite => {
                    let place = usize::try_from(index).ok()?;
                    let &member = ty.list(Field::Members).get(place)?;
                    let member = self.info.entry(Id(member))?;
                    (self.offset_of(member)?, member.type_()?)
                }
                Kind::TypeArray | Kind::TypeVector | Kind::TypeMatrix => {
                    let mut inner = self.size_of(ty.base_type()?)?;
                    // Each further dimension is in the elements of the first, so an index
                    // into one of several can't be followed step by step.
                    if ty.kind() == Kind::TypeArray && ty.dimensions().nth(1).is_some() {
                        return None;
                    }
                    inner = inner.checked_mul(index)?;
                    (inner, ty.base_type()?)
                }
                _ => return None,
            };
            offset = offset.checked_add(step)?;
            ty = self.strip(inner);
        }
        let size = self.size_of(ty)?;
        Some(Fragment { offset, size })
    }

    fn add_location(&mut self, function: &'w Function, group: &Group, tree: &Tree) {
        let (states, runs) = self.runs(function, group);
        let size = self.nodes[group.variable].entry.type_();
        let size = size.and_then(|ty| self.size_of(ty));
        let mut locations: Vec<(Range<u64>, Expression)> = Vec::new();
        for (words, state) in runs {
            // Many parts, of which each binding changes one, are described many times.
            let repeated = states[state].len().saturating_sub(1) as u64;
            if !self.room.take(OPERATION * repeated) {
                continue;
            }
            for range in self.map.ranges(words) {
                if range.start < range.end {
                    self.add_range(group, &states[state], range, size, &mut locations);
                }
            }
        }
        locations.sort_by_key(|(range, _)| (range.start, range.end));
        let mut locations = united(locations);
        // Nobody looks for the variable outside of its scope.
        if let Some(extent) = tree.extent(group.node) {
            for (range, _) in &mut locations {
                *range = range.start.max(extent.start)..range.end.min(extent.end);
            }
            locations.retain(|(range, _)| range.start < range.end);
        }
        let Some(die) = self.variable_die(group, tree, !locations.is_empty()) else {
            return;
        };
        match locations.as_slice() {
            [] => {}
            [(range, expression)] if tree.is_within(group.node, range) => {
                let expression = AttributeValue::Exprloc(expression.clone());
                self.set(die, DW_AT_location, expression);
            }
            _ => {
                let entries = locations.into_iter().map(|(range, data)| Entry_::StartEnd {
                    begin: Address::Constant(range.start),
                    end: Address::Constant(range.end),
                    data,
                });
                let list = LocationList(entries.collect());
                let list = self.unit(die.unit).locations.add(list);
                self.set(die, DW_AT_location, AttributeValue::LocationListRef(list));
            }
        }
    }

    /// The DIE of a variable in a scope: what is declared of it, or what refers there.
    fn variable_die(&mut self, group: &Group, tree: &Tree, is_known: bool) -> Option<Die> {
        let variable = self.nodes[group.variable];
        if tree.is_declared(group.node) {
            return Some(variable.die);
        }
        let tag = self.variable_tag(group.variable);
        // A parameter is described even if it is nowhere, so that calls show it.
        if !is_known && tag != DW_TAG_formal_parameter {
            return None;
        }
        let die = self.add(tree.die(group.node), tag);
        self.refer(die, DW_AT_abstract_origin, variable.die);
        Some(die)
    }

    /// Cuts the function into runs of words in which the same bindings hold. Tells
    /// these sets of bindings, and for each run which of them it is.
    fn runs(&mut self, function: &'w Function, group: &Group) -> (Vec<State>, Runs) {
        let bindings = &group.bindings;
        // What is declared is there wherever the variable is visible.
        if let Some(declared) = bindings.iter().position(|binding| binding.in_memory) {
            let mut state = State::new();
            for (number, binding) in bindings.iter().enumerate().skip(declared) {
                if binding.in_memory {
                    bind(&mut state, bindings, number);
                }
            }
            return (vec![state], vec![(function.words.clone(), 0)]);
        }
        let (labels, tree) = self.info.blocks(function);
        let mut course = Course::new(bindings, labels);
        // Looking at all blocks for each variable is dear, so that is done as long as there
        // are not too many.
        match (tree, self.steps.checked_sub(labels.len())) {
            (Some(tree), Some(rest)) => {
                self.steps = rest;
                for &block in tree.pre_order() {
                    let above = tree.immediate(block).map(|above| above as usize);
                    course.enter(block as usize, above);
                }
            }
            _ => {
                let blocks: Vec<usize> = course.of_block.keys().copied().collect();
                blocks
                    .into_iter()
                    .for_each(|block| course.enter(block, None));
            }
        }
        let runs = course.runs(labels, function.words.end);
        (course.states, runs)
    }

    /// Adds what the code map says of bindings in a range of addresses.
    fn add_range(
        &self,
        group: &Group,
        state: &State,
        range: Range<u64>,
        size: Option<u64>,
        out: &mut Vec<(Range<u64>, Expression)>,
    ) {
        let mut held: Vec<(&Binding, Places)> = Vec::new();
        let mut cuts = vec![range.start, range.end];
        for &number in state {
            let Some(binding) = group.bindings.get(number) else {
                continue;
            };
            let places = match self.constant(binding.id) {
                Some(constant) => vec![(range.clone(), Held::Constant(constant))],
                None => {
                    let places = self.map.places(binding.id, range.clone());
                    let held = |(range, place)| (range, Held::Place(binding.id, place));
                    places.into_iter().map(held).collect()
                }
            };
            for (part, _) in &places {
                cuts.extend([part.start, part.end].map(|cut| cut.clamp(range.start, range.end)));
            }
            held.push((binding, places));
        }
        cuts.sort_unstable();
        cuts.dedup();
        for cut in cuts.windows(2) {
            let &[start, end] = cut else {
                continue;
            };
            let at = |places: &Places| {
                let mut places = places.iter().filter(|(range, _)| range.contains(&start));
                places.next().map(|(_, held)| *held)
            };
            let parts = held.iter().map(|(binding, places)| (*binding, at(places)));
            if let Some(expression) = self.compose(parts, size) {
                out.push((start..end, expression));
            }
        }
    }

    /// Where a variable is that is in several parts, or in one.
    fn compose<'b>(
        &self,
        parts: impl Iterator<Item = (&'b Binding, Option<Held>)>,
        size: Option<u64>,
    ) -> Option<Expression> {
        let mut out = Expression::new();
        let mut end = 0;
        let mut is_known = false;
        for (binding, held) in parts {
            let held = held.filter(|_| !binding.is_unknown);
            let write = |out: &mut Expression, size: Option<u64>| {
                self.write_location(out, held?, &binding.operations, binding.in_memory, size)
            };
            let Some(fragment) = binding.fragment else {
                let mut whole = Expression::new();
                write(&mut whole, size)?;
                return Some(whole);
            };
            // What no binding tells of is nowhere.
            if fragment.offset > end {
                write_piece(&mut out, fragment.offset - end);
            }
            let mut part = Expression::new();
            let is_noted = matches!(held, Some(Held::Place(_, Place::Noted)));
            if write(&mut part, Some(fragment.size)).is_some() {
                is_known = true;
                write(&mut out, Some(fragment.size))?;
                if !is_noted {
                    write_piece(&mut out, fragment.size);
                }
            } else {
                write_piece(&mut out, fragment.size);
            }
            end = fragment.offset.saturating_add(fragment.size);
        }
        is_known.then_some(out)
    }
}

/// The bindings of a variable in the course of a function.
struct Course<'b> {
    bindings: &'b [Binding],
    /// The bindings of each block that has some, in their order.
    of_block: BTreeMap<usize, Range<usize>>,
    /// The sets of bindings that hold somewhere; at first none.
    states: Vec<State>,
    /// Which state is behind each binding.
    behind: Vec<usize>,
    /// Which state each block that was entered begins and ends with.
    ends: BTreeMap<usize, (usize, usize)>,
}

impl<'b> Course<'b> {
    /// Nothing is known yet of the blocks, which begin at `labels`.
    fn new(bindings: &'b [Binding], labels: &[u32]) -> Self {
        let mut of_block: BTreeMap<usize, Range<usize>> = BTreeMap::new();
        for (number, binding) in bindings.iter().enumerate() {
            let block = labels.partition_point(|&label| label <= binding.offset);
            if let Some(block) = block.checked_sub(1) {
                of_block.entry(block).or_insert(number..number).end = number + 1;
            }
        }
        Self {
            bindings,
            of_block,
            states: vec![State::new()],
            behind: vec![0; bindings.len()],
            ends: BTreeMap::new(),
        }
    }

    /// Goes through a block, which begins with what the block above it ends with.
    fn enter(&mut self, block: usize, above: Option<usize>) {
        let above = above.and_then(|above| self.ends.get(&above));
        let before = above.map_or(0, |&(_, end)| end);
        let mut state = before;
        for number in self.of_block.get(&block).cloned().unwrap_or_default() {
            let mut next = self.states[state].clone();
            bind(&mut next, self.bindings, number);
            self.states.push(next);
            state = self.states.len() - 1;
            self.behind[number] = state;
        }
        self.ends.insert(block, (before, state));
    }

    /// The words of the blocks, cut where another state begins.
    fn runs(&self, labels: &[u32], end: usize) -> Runs {
        let mut runs = Runs::new();
        let mut add = |words: Range<usize>, state: usize| match runs.last_mut() {
            _ if words.is_empty() || state == 0 => {}
            Some((last, same)) if *same == state && last.end == words.start => last.end = words.end,
            _ => runs.push((words, state)),
        };
        for (&block, &(mut state, _)) in &self.ends {
            let Some(&label) = labels.get(block) else {
                continue;
            };
            let mut start = label as usize;
            for number in self.of_block.get(&block).cloned().unwrap_or_default() {
                let offset = self.bindings[number].offset as usize;
                add(start..offset, state);
                (start, state) = (offset, self.behind[number]);
            }
            let end = labels.get(block + 1).map_or(end, |&next| next as usize);
            add(start..end, state);
        }
        runs
    }
}

fn write_piece(out: &mut Expression, bits: u64) {
    match bits % 8 {
        0 => out.op_piece(bits / 8),
        _ => out.op_bit_piece(bits, 0),
    }
}

/// A binding takes the place of those of the same bits.
fn bind(state: &mut State, bindings: &[Binding], number: usize) {
    let Some(fragment) = bindings[number].fragment else {
        *state = vec![number];
        return;
    };
    let end = |fragment: &Fragment| fragment.offset.saturating_add(fragment.size);
    state.retain(|&other| {
        let other = bindings[other].fragment.as_ref();
        other.is_some_and(|other| end(other) <= fragment.offset || end(&fragment) <= other.offset)
    });
    if state.len() < MAX_PARTS {
        let before = |&other: &usize| {
            let other = bindings[other].fragment.as_ref();
            other.is_some_and(|other| other.offset < fragment.offset)
        };
        state.insert(state.partition_point(before), number);
    }
}

/// Ranges in order, with those made one that touch and have the same location; where two
/// overlap, the first counts.
fn united(locations: Vec<(Range<u64>, Expression)>) -> Vec<(Range<u64>, Expression)> {
    let mut out: Vec<(Range<u64>, Expression)> = Vec::with_capacity(locations.len());
    for (mut range, expression) in locations {
        let end = out.last().map_or(0, |(last, _)| last.end);
        range.start = range.start.max(end);
        if range.start >= range.end {
            continue;
        }
        match out.last_mut() {
            Some((last, same)) if last.end == range.start && *same == expression => {
                last.end = range.end;
            }
            _ => out.push((range, expression)),
        }
    }
    out
}
