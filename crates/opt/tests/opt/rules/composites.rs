//! Rules about composites: cases one by one, and graphs at random that must stay the same and
//! not grow.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use spirvkit_binary::{FloatFormat, Id};
use spirvkit_eval::{Environment, ScalarType, Value};
use spirvkit_grammar::Op;
use spirvkit_opt::rules::{Values, simplify_composite};

use super::arena::{Arena, INT, SINGLE, refines, value_of};
use super::values::Random;

/// Types, and parameters of them.
struct Frame {
    arena: Arena,
    float: Id,
    vec3: Id,
    vec4: Id,
    pair: Id,
    v: Id,
    w: Id,
    x: Id,
    y: Id,
    p: Id,
}

impl Frame {
    fn new() -> Self {
        let mut arena = Arena::default();
        let float = arena.numbers(SINGLE, 1, false);
        let vec3 = arena.numbers(SINGLE, 3, false);
        let vec4 = arena.numbers(SINGLE, 4, false);
        let pair = arena.structure(&[vec3, float]);
        Self {
            float,
            vec3,
            vec4,
            pair,
            v: arena.parameter(vec3),
            w: arena.parameter(vec3),
            x: arena.parameter(float),
            y: arena.parameter(float),
            p: arena.parameter(pair),
            arena,
        }
    }

    fn add(&mut self, op: Op, ty: Id, ids: &[Id], literals: &[u32]) -> Id {
        let ids = ids.iter().map(|id| id.0);
        let operands: Vec<u32> = ids.chain(literals.iter().copied()).collect();
        self.arena.add(op, ty, &operands)
    }

    fn simpler(&mut self, value: Id) -> Option<Id> {
        let node = self.arena.node(value).clone();
        simplify_composite(&mut self.arena, node.op, node.ty, &node.operands)
    }

    /// An operation that a value must be, with all its operands.
    fn assert_is(&self, value: Option<Id>, op: Op, operands: &[u32]) {
        let node = value.map(|value| self.arena.node(value));
        let found = node.map(|node| (node.op, &node.operands[..]));
        assert_eq!(found, Some((op, operands)));
    }
}

#[test]
fn parts_are_found() {
    let mut f = Frame::new();
    let (float, vec3, vec4, pair) = (f.float, f.vec3, f.vec4, f.pair);
    let (v, w, x, y, p) = (f.v, f.w, f.x, f.y, f.p);
    // The parts of a vector stand one behind the other.
    let four = f.add(Op::CompositeConstruct, vec4, &[x, v], &[]);
    let first = f.add(Op::CompositeExtract, float, &[four], &[0]);
    assert_eq!(f.simpler(first), Some(x));
    let third = f.add(Op::CompositeExtract, float, &[four], &[2]);
    let found = f.simpler(third);
    f.assert_is(found, Op::CompositeExtract, &[v.0, 1]);
    // Into what was inserted, around it, and at what it is part of.
    let inserted = f.add(Op::CompositeInsert, pair, &[v, p], &[0]);
    let inside = f.add(Op::CompositeExtract, float, &[inserted], &[0, 2]);
    let found = f.simpler(inside);
    f.assert_is(found, Op::CompositeExtract, &[v.0, 2]);
    let beside = f.add(Op::CompositeExtract, float, &[inserted], &[1]);
    let found = f.simpler(beside);
    f.assert_is(found, Op::CompositeExtract, &[p.0, 1]);
    let deep = f.add(Op::CompositeInsert, pair, &[x, p], &[0, 1]);
    let around = f.add(Op::CompositeExtract, vec3, &[deep], &[0]);
    assert_eq!(f.simpler(around), None);
    // Through shuffles of two vectors.
    let mixed = f.add(Op::VectorShuffle, vec3, &[v, w], &[5, 1, u32::MAX]);
    let lane = f.add(Op::CompositeExtract, float, &[mixed], &[0]);
    let found = f.simpler(lane);
    f.assert_is(found, Op::CompositeExtract, &[w.0, 2]);
    let nothing = f.add(Op::CompositeExtract, float, &[mixed], &[2]);
    let found = f.simpler(nothing);
    f.assert_is(found, Op::Undef, &[]);
    // Of constants, null and nothing.
    let constant = f.arena.constant(vec3, 7);
    let part = f.add(Op::CompositeExtract, float, &[constant], &[1]);
    assert_eq!(f.simpler(part), Some(f.arena.constant(float, 7)));
    let null = f.add(Op::ConstantNull, pair, &[], &[]);
    let part = f.add(Op::CompositeExtract, float, &[null], &[0, 1]);
    assert_eq!(f.simpler(part), Some(f.arena.constant(float, 0)));
    let undef = f.add(Op::Undef, pair, &[], &[]);
    let part = f.add(Op::CompositeExtract, vec3, &[undef], &[0]);
    let found = f.simpler(part);
    f.assert_is(found, Op::Undef, &[]);
    // A path in two steps is only made one where the first goes.
    let outer = f.add(Op::CompositeExtract, vec3, &[p], &[0]);
    let inner = f.add(Op::CompositeExtract, float, &[outer], &[1]);
    assert_eq!(f.simpler(inner), None);
    f.arena.used_once = vec![outer];
    let found = f.simpler(inner);
    f.assert_is(found, Op::CompositeExtract, &[p.0, 0, 1]);
    assert_ne!(x, y);
}

#[test]
fn insertions_become_one() {
    let mut f = Frame::new();
    let (float, vec3, pair) = (f.float, f.vec3, f.pair);
    let (v, w, x, y, p) = (f.v, f.w, f.x, f.y, f.p);
    // What is overwritten doesn't matter.
    let once = f.add(Op::CompositeInsert, pair, &[x, p], &[0, 1]);
    let twice = f.add(Op::CompositeInsert, pair, &[v, once], &[0]);
    let found = f.simpler(twice);
    f.assert_is(found, Op::CompositeInsert, &[v.0, p.0, 0]);
    // The other way round, both do.
    let once = f.add(Op::CompositeInsert, pair, &[v, p], &[0]);
    let twice = f.add(Op::CompositeInsert, pair, &[x, once], &[0, 1]);
    assert_eq!(f.simpler(twice), None);
    // All parts are new.
    let all = f.add(Op::CompositeInsert, pair, &[y, once], &[1]);
    let found = f.simpler(all);
    f.assert_is(found, Op::CompositeConstruct, &[v.0, y.0]);
    // One part of what was made of parts.
    let made = f.add(Op::CompositeConstruct, vec3, &[x, y, x], &[]);
    let changed = f.add(Op::CompositeInsert, vec3, &[y, made], &[2]);
    let found = f.simpler(changed);
    f.assert_is(found, Op::CompositeConstruct, &[x.0, y.0, y.0]);
    // What is there already, and nothing.
    let own = f.add(Op::CompositeExtract, float, &[v], &[1]);
    let same = f.add(Op::CompositeInsert, vec3, &[own, v], &[1]);
    assert_eq!(f.simpler(same), Some(v));
    let other = f.add(Op::CompositeInsert, vec3, &[own, w], &[1]);
    assert_eq!(f.simpler(other), None);
    let undef = f.add(Op::Undef, float, &[], &[]);
    let nothing = f.add(Op::CompositeInsert, vec3, &[undef, w], &[1]);
    assert_eq!(f.simpler(nothing), Some(w));
}

/// Four words more for the last insertion, unless what was inserted before goes.
#[test]
fn insertions_that_stay_are_left_alone() {
    let mut f = Frame::new();
    let (vec4, x, y) = (f.vec4, f.x, f.y);
    let mut vector = f.arena.parameter(vec4);
    let mut chain = Vec::new();
    for (index, part) in [x, y, y, x].into_iter().enumerate() {
        vector = f.add(Op::CompositeInsert, vec4, &[part, vector], &[index as u32]);
        chain.push(vector);
    }
    assert_eq!(f.simpler(vector), None);
    f.arena.used_once = chain;
    let found = f.simpler(vector);
    f.assert_is(found, Op::CompositeConstruct, &[x.0, y.0, y.0, x.0]);
}

#[test]
fn what_is_taken_apart_and_put_together_is_the_same() {
    let mut f = Frame::new();
    let (float, vec3, vec4, pair) = (f.float, f.vec3, f.vec4, f.pair);
    let (v, w, x, p) = (f.v, f.w, f.x, f.p);
    let mut lanes = |vector: Id, indexes: [u32; 3]| {
        indexes.map(|index| f.add(Op::CompositeExtract, float, &[vector], &[index]))
    };
    let (in_order, turned) = (lanes(v, [0, 1, 2]), lanes(v, [2, 1, 0]));
    let same = f.add(Op::CompositeConstruct, vec3, &in_order, &[]);
    assert_eq!(f.simpler(same), Some(v));
    // A shuffle has two words more.
    let other = f.add(Op::CompositeConstruct, vec3, &turned, &[]);
    assert_eq!(f.simpler(other), None);
    f.arena.used_once = vec![turned[1]];
    let found = f.simpler(other);
    f.assert_is(found, Op::VectorShuffle, &[v.0, v.0, 2, 1, 0]);
    // Parts of a part.
    let inner = [0, 1, 2].map(|index| f.add(Op::CompositeExtract, float, &[p], &[0, index]));
    let part = f.add(Op::CompositeConstruct, vec3, &inner, &[]);
    let found = f.simpler(part);
    f.assert_is(found, Op::CompositeExtract, &[p.0, 0]);
    let whole =
        [(vec3, 0), (float, 1)].map(|(ty, index)| f.add(Op::CompositeExtract, ty, &[p], &[index]));
    let again = f.add(Op::CompositeConstruct, pair, &whole, &[]);
    assert_eq!(f.simpler(again), Some(p));
    // Vectors of vectors that go.
    let two = f.arena.numbers(SINGLE, 2, false);
    let inner = f.add(Op::CompositeConstruct, two, &[x, x], &[]);
    let outer = f.add(Op::CompositeConstruct, vec4, &[inner, x, x], &[]);
    assert_eq!(f.simpler(outer), None);
    f.arena.used_once = vec![inner];
    let found = f.simpler(outer);
    f.assert_is(found, Op::CompositeConstruct, &[x.0; 4]);
    assert_ne!(v, w);
}

#[test]
fn shuffles_become_one() {
    let mut f = Frame::new();
    let (vec3, v, w, x, y) = (f.vec3, f.v, f.w, f.x, f.y);
    let turned = f.add(Op::VectorShuffle, vec3, &[v, v], &[2, 1, 0]);
    let back = f.add(Op::VectorShuffle, vec3, &[turned, w], &[2, 1, 0]);
    assert_eq!(f.simpler(back), Some(v));
    let half = f.add(Op::VectorShuffle, vec3, &[turned, w], &[0, 4, 5]);
    let found = f.simpler(half);
    f.assert_is(found, Op::VectorShuffle, &[v.0, w.0, 2, 4, 5]);
    // One vector stands there twice, and its components have the lower numbers.
    let second = f.add(Op::VectorShuffle, vec3, &[v, w], &[5, 3, 4]);
    let found = f.simpler(second);
    f.assert_is(found, Op::VectorShuffle, &[w.0, w.0, 2, 0, 1]);
    let found = found.unwrap();
    assert_eq!(f.simpler(found), None);
    let made = f.add(Op::CompositeConstruct, vec3, &[x, y, y], &[]);
    let chosen = f.add(Op::VectorShuffle, vec3, &[made, made], &[1, 0, 0]);
    let found = f.simpler(chosen);
    f.assert_is(found, Op::CompositeConstruct, &[y.0, x.0, x.0]);
    let nothing = f.add(Op::VectorShuffle, vec3, &[v, w], &[u32::MAX; 3]);
    let found = f.simpler(nothing);
    f.assert_is(found, Op::Undef, &[]);
    let inserted = f.add(Op::CompositeInsert, vec3, &[x, v], &[1]);
    let around = f.add(Op::VectorShuffle, vec3, &[inserted, w], &[0, 0, 2]);
    let found = f.simpler(around);
    f.assert_is(found, Op::VectorShuffle, &[v.0, v.0, 0, 0, 2]);
}

#[test]
fn copies_casts_and_constant_indexes() {
    let mut f = Frame::new();
    let (float, vec3, v, x) = (f.float, f.vec3, f.v, f.x);
    let int = f.arena.numbers(INT, 1, false);
    let signed = f.arena.numbers(INT, 1, true);
    let copy = f.add(Op::CopyObject, vec3, &[v], &[]);
    assert_eq!(f.simpler(copy), Some(v));
    let bits = f.add(Op::Bitcast, int, &[x], &[]);
    let back = f.add(Op::Bitcast, float, &[bits], &[]);
    assert_eq!(f.simpler(back), Some(x));
    let other = f.add(Op::Bitcast, signed, &[bits], &[]);
    let found = f.simpler(other);
    f.assert_is(found, Op::Bitcast, &[x.0]);
    // Two halves become one unsigned number, and that a signed one: in two steps.
    let halves = f
        .arena
        .numbers(ScalarType::Float(FloatFormat::Half), 2, false);
    let halves = f.arena.parameter(halves);
    let bits = f.add(Op::Bitcast, int, &[halves], &[]);
    let other = f.add(Op::Bitcast, signed, &[bits], &[]);
    assert_eq!(f.simpler(other), None);
    let index = f.arena.constant(int, 1);
    let part = f.add(Op::VectorExtractDynamic, float, &[v, index], &[]);
    let found = f.simpler(part);
    f.assert_is(found, Op::CompositeExtract, &[v.0, 1]);
    let vector = f.add(Op::VectorInsertDynamic, vec3, &[v, x, index], &[]);
    let found = f.simpler(vector);
    f.assert_is(found, Op::CompositeInsert, &[x.0, v.0, 1]);
    // Out of bounds, it is left to whoever runs it.
    let index = f.arena.constant(int, 3);
    let beyond = f.add(Op::VectorExtractDynamic, float, &[v, index], &[]);
    assert_eq!(f.simpler(beyond), None);
    let splat = f.add(Op::CompositeConstruct, vec3, &[x, x, x], &[]);
    let product = f.add(Op::FMul, vec3, &[splat, v], &[]);
    let found = f.simpler(product);
    f.assert_is(found, Op::VectorTimesScalar, &[v.0, x.0]);
}

/// Members of structures are copied one by one, so their parts may have other types.
#[test]
fn logical_copies_keep_types_apart() {
    let mut f = Frame::new();
    let (float, vec3, pair, p) = (f.float, f.vec3, f.pair, f.p);
    let outer = f.arena.structure(&[pair]);
    let twin = f.arena.structure(&[vec3, float, float]);
    let value = f.arena.parameter(outer);
    let copy = f.add(Op::CopyLogical, twin, &[value], &[]);
    let part = f.add(Op::CompositeExtract, vec3, &[copy], &[0]);
    // The part of the original is a structure.
    assert_eq!(f.simpler(part), None);
    let same = f.add(Op::CopyLogical, pair, &[p], &[]);
    assert_eq!(f.simpler(same), Some(p));
}

/// A graph of operations on vectors and structures, and simpler values for all of them.
#[test]
fn graphs_stay_the_same_and_do_not_grow() {
    let rounds = match std::env::var_os("SPIRVKIT_THOROUGH") {
        Some(_) => 200_000,
        None => 3_000,
    };
    let mut simplified = 0;
    for round in 0..rounds {
        let mut random = Random::new(round);
        let mut f = Frame::new();
        let vec2 = f.arena.numbers(SINGLE, 2, false);
        let types = [f.float, vec2, f.vec3, f.vec4, f.pair];
        let mut parameters = vec![f.v, f.w, f.x, f.y, f.p];
        parameters.push(f.arena.parameter(f.vec4));
        parameters.push(f.arena.parameter(vec2));
        let mut values = parameters.clone();
        for _ in 0..12 {
            let value = operation(&mut f, &mut random, &types, &values);
            values.push(value);
        }
        // The last is simplified, and some others must stay.
        let root = values[values.len() - 1];
        let mut roots = vec![root];
        for _ in 0..random.below(3) {
            roots.push(values[random.below(values.len())]);
        }
        let node = f.arena.node(root).clone();
        f.arena.used_once = used_once(&f.arena, &roots);
        let before = f.arena.words(&roots);
        let simpler = simplify_composite(&mut f.arena, node.op, node.ty, &node.operands);
        let Some(simpler) = simpler else {
            continue;
        };
        simplified += 1;
        let mut text = format!("round {round}\n");
        for (index, node) in f.arena.nodes.iter().enumerate() {
            let (op, ty, operands) = (node.op, node.ty, &node.operands);
            writeln!(text, "%{} = {op} {ty} {operands:?}", 1000 + index).unwrap();
        }
        assert_eq!(f.arena.ty(simpler), node.ty, "{text}");
        let mut inputs: BTreeMap<Id, Value> = BTreeMap::new();
        for &parameter in &parameters {
            let mut bits = |_| random.bits() & 0x3fff_ffff;
            let value = value_of(&f.arena, f.arena.ty(parameter), &mut bits);
            inputs.insert(parameter, value);
        }
        let environment = Environment::default();
        if let Ok(left) = f.arena.evaluate(root, &inputs, &environment) {
            let right = f.arena.evaluate(simpler, &inputs, &environment).unwrap();
            assert!(refines(&left, &right), "{left:?} {right:?} {text}");
        }
        // Undefined values are shared by all, as constants are.
        let is_undef = f.arena.op(simpler) == Op::Undef;
        let mut after = roots.clone();
        after[0] = simpler;
        let words = f.arena.words(&after) - if is_undef { 3 } else { 0 };
        // What another root is or needs stays whether or not the first goes.
        let shared = f.arena.reachable(&roots[1..]).contains(&root);
        assert!(
            shared || words <= before,
            "{words} > {before}: {simpler} {text}"
        );
    }
    assert!(simplified > rounds / 20, "only {simplified}");
}

/// The values that are used once by what roots are made of, which are used themselves.
fn used_once(arena: &Arena, roots: &[Id]) -> Vec<Id> {
    let mut uses: BTreeMap<Id, usize> = BTreeMap::new();
    let all = arena.reachable(roots);
    let operands = all.iter().flat_map(|&value| arena.values_of(value));
    for used in operands.chain(roots.iter().copied()) {
        *uses.entry(used).or_default() += 1;
    }
    let once = uses.into_iter().filter(|&(_, count)| count == 1);
    once.map(|(value, _)| value).collect()
}

fn operation(f: &mut Frame, random: &mut Random, types: &[Id], values: &[Id]) -> Id {
    loop {
        let of = |random: &mut Random, f: &Frame, ty: Id| {
            let own: Vec<Id> = values
                .iter()
                .copied()
                .filter(|&id| f.arena.ty(id) == ty)
                .collect();
            own[random.below(own.len())]
        };
        let ty = types[random.below(types.len())];
        let count = f.arena.count(ty);
        let is_vector = count.is_some() && ty != f.pair;
        return match (random.below(10), count) {
            (0, _) => f.add(Op::Undef, ty, &[], &[]),
            (1, _) if ty != f.pair => f.arena.constant(ty, 5),
            (2 | 3, Some(count)) => {
                let mut parts = Vec::new();
                let mut index = 0;
                while index < count {
                    let part = f.arena.part(ty, index).unwrap();
                    let vec2 = types[1];
                    if is_vector && count - index >= 2 && random.below(3) == 0 {
                        parts.push(of(random, f, vec2));
                        index += 2;
                        continue;
                    }
                    parts.push(of(random, f, part));
                    index += 1;
                }
                if parts.len() < 2 && count != 2 {
                    continue;
                }
                if parts.len() < 2 {
                    continue;
                }
                f.add(Op::CompositeConstruct, ty, &parts, &[])
            }
            (4 | 5, Some(count)) => {
                let index = random.below(count as usize) as u32;
                let part = of(random, f, f.arena.part(ty, index).unwrap());
                let whole = of(random, f, ty);
                f.add(Op::CompositeInsert, ty, &[part, whole], &[index])
            }
            (6 | 7, Some(count)) => {
                let index = random.below(count as usize) as u32;
                let part = f.arena.part(ty, index).unwrap();
                let whole = of(random, f, ty);
                f.add(Op::CompositeExtract, part, &[whole], &[index])
            }
            (8 | 9, Some(count)) if is_vector => {
                let sources = [(); 2].map(|()| types[1 + random.below(3)]);
                let [a, b] = sources.map(|ty| of(random, f, ty));
                let lanes: u32 = sources.iter().map(|&ty| f.arena.count(ty).unwrap()).sum();
                let numbers: Vec<u32> = (0..count)
                    .map(|_| match random.below(8) {
                        0 => u32::MAX,
                        _ => random.below(lanes as usize) as u32,
                    })
                    .collect();
                f.add(Op::VectorShuffle, ty, &[a, b], &numbers)
            }
            _ => continue,
        };
    }
}
