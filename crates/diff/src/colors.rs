//! What each id is by itself, as a hash: two modules' ids of the same colour are alike,
//! as far as what they are made of tells.
//!
//! Colours only propose; what is the same is decided by comparing words. So a collision
//! costs a longer diff at most.

use spirvkit_binary::Section;
use spirvkit_grammar::{Decoration, Op};

use crate::side::{ANNOTATIONS, GROUPS, NAMES, Side};

/// How often declarations are looked at if some come before what they are made of.
const FORWARD_ROUNDS: usize = 12;

/// The colours of a module's nodes.
pub(crate) struct Colors {
    /// By node: what it is made of.
    pub(crate) structure: Vec<u64>,
    /// The same, with the names and decorations of all that it is made of.
    pub(crate) full: Vec<u64>,
    /// By node: its names and those of its members; 0 without any.
    pub(crate) names: Vec<u64>,
    /// By node: its decorations, and what entry points it is; 0 without any.
    pub(crate) traits: Vec<u64>,
    /// By node: where the API finds it, by set and binding, location or built-in; 0 if
    /// it doesn't.
    pub(crate) places: Vec<u64>,
    /// By function: what is in it.
    pub(crate) contents: Vec<u64>,
}

/// Mixes a number into a hash.
pub(crate) fn mix(hash: u64, value: u64) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let product = u128::from(hash ^ 0xa076_1d64_78bd_642f) * u128::from(value ^ FACTOR);
    ((product as u64) ^ (product >> 64) as u64).wrapping_add(hash.rotate_left(23))
}

/// The hash of a list of numbers.
pub(crate) fn hash(values: &[u64]) -> u64 {
    values
        .iter()
        .fold(values.len() as u64, |hash, &value| mix(hash, value))
}

impl Colors {
    pub(crate) fn new(side: &Side, match_bindings: bool, match_locations: bool) -> Self {
        let zeros = || vec![0; side.ids.len()];
        let mut colors = Self {
            structure: zeros(),
            full: zeros(),
            names: zeros(),
            traits: zeros(),
            places: zeros(),
            contents: Vec::new(),
        };
        let mut structure = zeros();
        color_declarations(side, &mut structure, |_, hash| hash);
        colors.structure = structure;
        colors.read_traits(side, match_bindings, match_locations);
        let mut full: Vec<u64> = zeros();
        for (node, color) in full.iter_mut().enumerate() {
            *color = colors.with_traits(node, 0);
        }
        color_declarations(side, &mut full, |node, hash| colors.with_traits(node, hash));
        colors.full = full;
        colors.read_functions(side);
        colors
    }

    fn with_traits(&self, node: usize, hash: u64) -> u64 {
        mix(mix(hash, self.names[node]), self.traits[node])
    }

    /// Reads what is said about nodes: each line adds to what its target has, in
    /// whatever order they come. Groups come last, when it is known what is in them.
    fn read_traits(&mut self, side: &Side, match_bindings: bool, match_locations: bool) {
        let mut out = Vec::new();
        let mut groups = Vec::new();
        for (group, (section, _)) in GROUPS.iter().enumerate() {
            let about = matches!(
                section,
                Section::EntryPoints
                    | Section::ExecutionModes
                    | Section::Names
                    | Section::Annotations
            );
            if !about {
                continue;
            }
            for index in side.groups[group].clone() {
                let item = side.item(index);
                let operands = side.operands(index);
                let Some(target) = operands.first().map(|operand| operand.node as usize) else {
                    continue;
                };
                let color = |node: u32| match node as usize == target {
                    true => 1,
                    false => self.structure[node as usize],
                };
                side.canonical(index, false, color, &mut out);
                if item.op == Op::EntryPoint
                    && let Some(interface) = operands.get(1)
                {
                    out.truncate(interface.word as usize);
                }
                let hash = hash(&out);
                if group == NAMES {
                    self.names[target] = self.names[target].wrapping_add(hash);
                    continue;
                }
                if group == ANNOTATIONS && item.op == Op::Decorate {
                    let decoration = side.words(index).get(2).map(|&it| Decoration(it));
                    match decoration {
                        Some(Decoration::DescriptorSet | Decoration::Binding)
                            if !match_bindings =>
                        {
                            continue;
                        }
                        Some(Decoration::Location) if !match_locations => continue,
                        Some(
                            Decoration::DescriptorSet
                            | Decoration::Binding
                            | Decoration::Location
                            | Decoration::BuiltIn
                            | Decoration::SpecId,
                        ) => self.places[target] = self.places[target].wrapping_add(hash),
                        _ => {}
                    }
                }
                if item.op.is_group_decorate() {
                    groups.push((index, hash));
                    continue;
                }
                self.traits[target] = self.traits[target].wrapping_add(hash);
            }
        }
        self.read_groups(side, &groups);
    }

    /// Gives the targets of groups what the groups have, and those what they are for.
    fn read_groups(&mut self, side: &Side, groups: &[(u32, u64)]) {
        let of_groups = self.traits.clone();
        for &(index, hash) in groups {
            let Some((group, targets)) = side.operands(index).split_first() else {
                continue;
            };
            for target in targets {
                // Of members, the member's number follows.
                let member = match side.item(index).op {
                    Op::GroupMemberDecorate => side.words(index).get(target.word as usize + 1),
                    _ => None,
                };
                let member = member.map_or(0, |&member| u64::from(member) + 1);
                let hash = mix(of_groups[group.node as usize], member);
                let slot = &mut self.traits[target.node as usize];
                *slot = slot.wrapping_add(hash);
            }
            let slot = &mut self.traits[group.node as usize];
            *slot = slot.wrapping_add(hash);
        }
    }

    /// Colours what is defined in functions, and the functions by what is in them.
    fn read_functions(&mut self, side: &Side) {
        let mut out = Vec::new();
        for (function, labels) in side.functions.iter().map(|it| (it, &side.labels)) {
            for block in function.blocks.clone() {
                if let Some(label) = self.full.get_mut(labels[block as usize] as usize) {
                    *label = 1;
                }
            }
        }
        for function in &side.functions {
            let all = side.function_items(function, function.blocks.clone());
            for &index in &all {
                let result = side.item(index).result as usize;
                if matches!(side.item(index).op, Op::Label | Op::Function) {
                    continue;
                }
                if result < self.full.len() {
                    self.full[result] = color_local(side, index, &self.full, &mut out);
                }
            }
            let mut run = |items: crate::side::Items| {
                items.fold(0, |run, index| {
                    if side.item(index).op.is_line() {
                        return run;
                    }
                    side.canonical(index, false, |node| self.full[node as usize], &mut out);
                    mix(run, hash(&out))
                })
            };
            let mut content = run(function.head.clone());
            for block in function.blocks.clone() {
                let block = run(side.blocks[block as usize].clone());
                content = u64::wrapping_add(content, mix(block, 1));
            }
            self.contents.push(content);
        }
    }
}

/// The colour of what an item in a function defines. A phi may come before what it
/// chooses from, depending on the order of blocks, so it has that of its type.
pub(crate) fn color_local(side: &Side, index: u32, colors: &[u64], out: &mut Vec<u64>) -> u64 {
    if side.item(index).op == Op::Phi {
        let type_ = side.operands(index).first();
        return mix(type_.map_or(0, |type_| colors[type_.node as usize]), 2);
    }
    side.canonical(index, false, |node| colors[node as usize], out);
    hash(out)
}

/// Colours declarations by their words and the colours of what they are made of.
/// Functions have the colour of their type.
///
/// What may come late, forward pointers above all, counts with the colour that it had
/// the round before, wherever it stands, so that the order of declarations has no effect.
fn color_declarations(side: &Side, colors: &mut [u64], finish: impl Fn(usize, u64) -> u64) {
    let functions = side.functions.iter().map(|function| function.definition);
    let all = side.groups.iter().cloned().flatten().chain(functions);
    let all: Vec<u32> = all
        .filter(|&index| (side.item(index).result as usize) < colors.len())
        .collect();
    let mut is_late = vec![false; colors.len()];
    for group in side.groups.iter().cloned().flatten() {
        if side.item(group).op == Op::TypeForwardPointer {
            let pointer = side.operands(group).first();
            pointer
                .into_iter()
                .for_each(|it| is_late[it.node as usize] = true);
        }
    }
    for &index in &all {
        for operand in side.operands(index) {
            let definition = side.definition(operand.node);
            is_late[operand.node as usize] |= definition.is_some_and(|it| it >= index);
        }
    }
    let rounds = match is_late.contains(&true) {
        true => FORWARD_ROUNDS,
        false => 1,
    };
    // What nothing late leads to keeps its colour after the first round.
    let mut changes = is_late.clone();
    let mut again = Vec::new();
    if rounds > 1 {
        for &index in &all {
            let mut operands = side.operands(index).iter();
            let changes_too = operands.any(|it| changes[it.node as usize]);
            if changes_too || side.item(index).is_opaque {
                changes[side.item(index).result as usize] = true;
                again.push(index);
            }
        }
    }
    let mut before = colors.to_vec();
    let mut out = Vec::new();
    for round in 0..rounds {
        for &index in if round == 0 { &all } else { &again } {
            let result = side.item(index).result as usize;
            let color = |node: u32| match is_late[node as usize] {
                true => before[node as usize],
                false => colors[node as usize],
            };
            side.canonical(index, false, color, &mut out);
            colors[result] = finish(result, hash(&out));
        }
        if rounds > 1 {
            before.copy_from_slice(colors);
        }
    }
}
