//! The generated matcher: it rewrites what is written like a rule's pattern, in every order of
//! operands, for scalars and vectors, to something valid that is the same.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use spirvkit_binary::{FloatFormat, Id};
use spirvkit_eval::{Environment, Scalar, ScalarType};
use spirvkit_grammar::{FPFastMathMode, Op};
use spirvkit_opt::rules::{Modes, RULES, Values, canonicalize, simplify};

use super::all;
use super::arena::{Arena, GLSL, refines, value_of};
use super::syntax::{Head, Literal, Rule, Term, signature};
use super::terms::{Operation, classes};
use super::typing::{Sort, Typed, TypedRule, typed};
use super::values::{Random, boundary, likely};

const ALL_PERMISSIONS: FPFastMathMode = FPFastMathMode(0x7_ffff);

/// A pattern that has become values.
struct Built<'r> {
    arena: Arena,
    typed: &'r TypedRule<'r>,
    scalars: BTreeMap<usize, ScalarType>,
    count: u32,
    constants: BTreeMap<String, u64>,
    names: BTreeMap<String, Id>,
    /// Variables of which the type may be signed where those of operations are not.
    may_differ: Vec<String>,
    parameters: Vec<Id>,
    /// Whether commutative operations get their operands in the other order.
    is_swapped: bool,
}

impl Built<'_> {
    fn ty(&mut self, class: usize, is_signed: bool) -> Id {
        let scalar = self.scalars[&self.typed.classes.find(class)];
        let is_integer = matches!(scalar, ScalarType::Integer { .. });
        self.arena
            .numbers(scalar, self.count, is_signed && is_integer)
    }

    fn build(&mut self, term: &Typed<'_>) -> Id {
        let built = match term.term {
            Term::Variable(name) => {
                if let Some(&known) = self.names.get(name) {
                    return known;
                }
                let is_signed = self.may_differ.contains(name);
                let ty = self.ty(term.class, is_signed);
                let value = self.arena.parameter(ty);
                self.parameters.push(value);
                value
            }
            Term::Constant(name) => {
                let (ty, bits) = (self.ty(term.class, false), self.constants[name]);
                return self.arena.constant(ty, bits);
            }
            Term::Literal(literal) => {
                let ty = self.ty(term.class, false);
                let (scalar, _) = self.arena.shape(ty).unwrap();
                return self.arena.constant(ty, bits_of(scalar, *literal));
            }
            Term::Operation { head, .. } => {
                let ty = self.ty(term.class, false);
                let mut operands: Vec<u32> = term
                    .operands
                    .iter()
                    .map(|each| self.build(each).0)
                    .collect();
                let (op, prefix) = match Operation::new(head) {
                    Operation::Core(op) => (op, vec![]),
                    Operation::Glsl(number) => (Op::ExtInst, vec![GLSL.0, number.0]),
                };
                let is_commutative =
                    super::syntax::COMMUTATIVE.contains(&head.to_string().as_str());
                if self.is_swapped && is_commutative {
                    operands.swap(0, 1);
                }
                let mut operands = [prefix, operands].concat();
                let mut op = op;
                // Swapped ones show that patterns match in both orders, but constants are
                // always on the right.
                let has_constant = operands
                    .iter()
                    .any(|&id| id >= 1000 && self.arena.op(Id(id)).is_constant());
                if has_constant || !self.is_swapped {
                    canonicalize(&self.arena, &mut op, &mut operands);
                }
                self.arena.add(op, ty, &operands)
            }
        };
        if let Some(name) = term.term.name() {
            self.names.insert(name.to_owned(), built);
        }
        built
    }
}

fn bits_of(ty: ScalarType, literal: Literal) -> u64 {
    let sign = 1u64 << (ty.width() - 1);
    match literal {
        Literal::Integer(value) => value as u64,
        Literal::Least => sign,
        Literal::Greatest => sign - 1,
        Literal::Float(value) => match ty {
            ScalarType::Float(FloatFormat::Double) => value.to_bits(),
            _ => (value as f32).to_bits().into(),
        },
    }
}

/// Variables that no operation of the pattern wants to be of its own very type.
fn may_differ(typed: &TypedRule<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut strict: Vec<&str> = Vec::new();
    for node in typed.pattern.all() {
        let Term::Operation { head, .. } = node.term else {
            continue;
        };
        let signature = signature(head).unwrap();
        for (operand, letter) in node.operands.iter().zip(signature.operands.chars()) {
            if let Term::Variable(name) = operand.term {
                match signature.is_strict && letter == signature.result {
                    true => strict.push(name),
                    false => found.push(name.clone()),
                }
            }
        }
    }
    found.retain(|name| !strict.contains(&name.as_str()));
    found
}

/// What is wrong with what is made of a rule's pattern.
fn rewrite(rule: &Rule, count: u32, is_swapped: bool, differs: bool) -> Result<(), String> {
    let typed = typed(rule)?;
    let mut random = Random::new(u64::from(count));
    let scalars = choose_types(&typed, &mut random);
    let environment = Environment::default();
    let modes = Modes::default().permissions(ALL_PERMISSIONS);
    let has_constants = typed
        .pattern
        .all()
        .iter()
        .any(|node| matches!(node.term, Term::Constant(_)));
    let mut applied = 0usize;
    for _ in 0..if has_constants { 3_000 } else { 1 } {
        let mut constants = BTreeMap::new();
        let mut before = Vec::new();
        for node in typed.pattern.all() {
            if let Term::Constant(name) = node.term {
                let ty = scalars[&typed.classes.find(node.class)];
                let edges = boundary(ty);
                let bits = likely(&mut random, ty, &before, &edges);
                before.push(bits);
                constants.entry(name.clone()).or_insert(bits);
            }
        }
        let mut built = Built {
            arena: Arena::default(),
            typed: &typed,
            scalars: scalars.clone(),
            count,
            constants,
            names: BTreeMap::new(),
            may_differ: if differs {
                may_differ(&typed)
            } else {
                Vec::new()
            },
            parameters: Vec::new(),
            is_swapped,
        };
        let root = built.build(&typed.pattern);
        let Built {
            mut arena,
            parameters,
            ..
        } = built;
        let node = arena.node(root).clone();
        let used_once: Vec<Id> = arena.reachable(&[root]);
        arena.used_once = used_once;
        let before = arena.words(&[root]);
        let simpler = simplify(&mut arena, &modes, node.op, node.ty, &node.operands);
        let Some(simpler) = simpler else {
            continue;
        };
        if arena.ty(simpler) != node.ty {
            return Err("the type is another".to_owned());
        }
        valid(&arena, simpler)?;
        if arena.words(&[simpler]) > before {
            return Err("there are more words".to_owned());
        }
        applied += 1;
        for _ in 0..10 {
            let mut values = BTreeMap::new();
            for &parameter in &parameters {
                let mut bits = |ty: ScalarType| match rule.needs.is_empty() {
                    true => likely(&mut random, ty, &[], &boundary(ty)),
                    false => ((random.below(7) + 1) as f32).to_bits().into(),
                };
                values.insert(parameter, value_of(&arena, arena.ty(parameter), &mut bits));
            }
            let Ok(left) = arena.evaluate(root, &values, &environment) else {
                continue;
            };
            let right = arena.evaluate(simpler, &values, &environment);
            let is_same = right.as_ref().is_ok_and(|right| refines(&left, right));
            if !is_same && rule.needs.is_empty() {
                return Err(format!("{left:?} became {right:?}: {:?}", arena.nodes));
            }
        }
        if applied == 3 {
            break;
        }
    }
    match applied {
        1.. => Ok(()),
        0 => Err("nothing was made of its pattern".to_owned()),
    }
}

/// A type for each class: 32 bits wide, unless conditions ask for others.
fn choose_types(typed: &TypedRule<'_>, random: &mut Random) -> BTreeMap<usize, ScalarType> {
    const FORMATS: [FloatFormat; 3] = [FloatFormat::Half, FloatFormat::Single, FloatFormat::Double];
    let has_widths = typed.conditions.iter().any(|condition| {
        matches!(condition.term, Term::Operation { head: Head::Core(name), .. }
            if name == "wider" || name == "same-width")
    });
    loop {
        let mut found = BTreeMap::new();
        for (class, sort) in classes(typed) {
            let choice = if has_widths { random.below(3) } else { 1 };
            found.insert(
                class,
                match sort {
                    Sort::Boolean => ScalarType::Bool,
                    Sort::Float => ScalarType::Float(FORMATS[choice]),
                    Sort::Integer | Sort::Any => ScalarType::Integer {
                        width: [16, 32, 64][choice],
                    },
                },
            );
        }
        let Some(instance) = super::terms::Instance::new(typed, &found) else {
            continue;
        };
        let only_widths = has_widths && instance.applies(&[0; 8], &Environment::default());
        if !has_widths || only_widths {
            return found;
        }
    }
}

/// Checks the types of what was made, as far as operations want very particular ones.
fn valid(arena: &Arena, value: Id) -> Result<(), String> {
    for value in arena.reachable(&[value]) {
        let node = arena.node(value);
        let operands = arena.values_of(value);
        let same = match node.op {
            Op::Select => &operands[1..],
            Op::UDiv | Op::UMod | Op::BitReverse => &operands[..],
            Op::UConvert | Op::SConvert | Op::FConvert => {
                let width = |ty| arena.shape(ty).unwrap().0.width();
                if width(node.ty) == width(arena.ty(operands[0])) {
                    return Err(format!("{} to the same width", node.op));
                }
                &[]
            }
            _ => &[],
        };
        if same.iter().any(|&operand| arena.ty(operand) != node.ty) {
            return Err(format!("{} of other types", node.op));
        }
        for operand in operands {
            let (_, count) = arena.shape(arena.ty(operand)).unwrap();
            let (_, own) = arena.shape(node.ty).unwrap();
            if count != own && node.op != Op::VectorTimesScalar {
                return Err(format!("{} of {count} components has {own}", node.op));
            }
        }
    }
    Ok(())
}

/// Rules about vectors and scalars at once, which the patterns here are not made of.
fn is_mixed(rule: &Rule) -> bool {
    rule.text.contains("VectorTimesScalar")
}

#[test]
fn patterns_are_rewritten() {
    let mut wrong = String::new();
    let rules = all();
    assert_eq!(rules.len(), RULES, "run `cargo xtask codegen`");
    for rule in rules.iter().filter(|rule| !is_mixed(rule)) {
        for (count, is_swapped, differs) in [(1, false, false), (3, true, false), (1, false, true)]
        {
            if let Err(error) = rewrite(rule, count, is_swapped, differs)
                // Where types differ, nothing simpler may be valid.
                && !(differs && error.starts_with("nothing"))
            {
                let (class, line) = (&rule.class, rule.line);
                writeln!(
                    wrong,
                    "{class}.rules:{line}, {count}: {}\n    {error}",
                    rule.text
                )
                .unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Modes that rules name keep them from being used.
#[test]
fn modes_are_heeded() {
    use spirvkit_eval::{Denormals, FloatMode};
    let mut arena = Arena::default();
    let single = arena.numbers(super::arena::SINGLE, 1, false);
    let x = arena.parameter(single);
    let one = arena.constant(single, 1f32.to_bits().into());
    let zero = arena.constant(single, 0);
    let times = |arena: &mut Arena, modes: &Modes, by: Id| {
        simplify(arena, modes, Op::FMul, single, &[x.0, by.0])
    };
    let exact = Modes::default();
    assert_eq!(times(&mut arena, &exact, one), Some(x));
    let mode = FloatMode::default().denormals(Denormals::Flush);
    let flush = Modes::default().environment(Environment::default().single(mode));
    assert_eq!(times(&mut arena, &flush, one), None);
    // The mode of another width says nothing.
    let other = Modes::default().environment(Environment::default().half(mode));
    assert_eq!(times(&mut arena, &other, one), Some(x));
    // A product with zero is zero only where nobody asks for NaN and signs.
    assert_eq!(times(&mut arena, &exact, zero), None);
    let some = FPFastMathMode::NotNaN;
    let all = FPFastMathMode(some.0 | FPFastMathMode::NSZ.0);
    assert_eq!(
        times(&mut arena, &Modes::default().permissions(some), zero),
        None
    );
    assert_eq!(
        times(&mut arena, &Modes::default().permissions(all), zero),
        Some(zero)
    );
}

/// What makes several operations of several asks whether the old ones go.
#[test]
fn nothing_grows_for_what_is_used_elsewhere() {
    let mut arena = Arena::default();
    let boolean = arena.numbers(ScalarType::Bool, 1, false);
    let [x, y] = [(); 2].map(|()| arena.parameter(boolean));
    let [a, b] = [x, y].map(|each| arena.add(Op::LogicalNot, boolean, &[each.0]));
    let modes = Modes::default();
    let both = |arena: &mut Arena| simplify(arena, &modes, Op::LogicalAnd, boolean, &[a.0, b.0]);
    assert_eq!(both(&mut arena), None);
    arena.used_once = vec![a];
    assert_eq!(both(&mut arena), None);
    arena.used_once = vec![a, b];
    let not = both(&mut arena).unwrap();
    assert_eq!(arena.op(not), Op::LogicalNot);
    assert_eq!(arena.op(arena.values_of(not)[0]), Op::LogicalOr);
}

#[test]
fn constants_are_on_the_right() {
    let mut arena = Arena::default();
    let int = arena.numbers(super::arena::INT, 1, false);
    let [x, y] = [(); 2].map(|()| arena.parameter(int));
    let five = arena.constant(int, 5);
    let canonical = |op: Op, operands: &[Id]| {
        let mut op = op;
        let mut operands: Vec<u32> = operands.iter().map(|id| id.0).collect();
        canonicalize(&arena, &mut op, &mut operands);
        (op, operands.into_iter().map(Id).collect::<Vec<Id>>())
    };
    assert_eq!(canonical(Op::IAdd, &[five, x]), (Op::IAdd, vec![x, five]));
    assert_eq!(canonical(Op::IAdd, &[y, x]), (Op::IAdd, vec![x, y]));
    assert_eq!(canonical(Op::ISub, &[y, x]), (Op::ISub, vec![y, x]));
    let less = canonical(Op::SLessThan, &[five, x]);
    assert_eq!(less, (Op::SGreaterThan, vec![x, five]));
    let instruction = [GLSL, Id(spirvkit_grammar::GlslStd450::UMin.0), five, x];
    let minimum = canonical(Op::ExtInst, &instruction);
    assert_eq!(minimum.1[2..], [x, five]);
    let scalar = Scalar::new(super::arena::INT, 5);
    assert_eq!(arena.bits(five), Some(scalar.bits()));
}

/// Expressions at random, of which every operation is simplified when it is made: that ends, and
/// they stay the same.
#[test]
fn expressions_stay_the_same() {
    const INTEGERS: [Op; 14] = [
        Op::IAdd,
        Op::ISub,
        Op::IMul,
        Op::UDiv,
        Op::UMod,
        Op::SDiv,
        Op::BitwiseAnd,
        Op::BitwiseOr,
        Op::BitwiseXor,
        Op::ShiftLeftLogical,
        Op::ShiftRightLogical,
        Op::ShiftRightArithmetic,
        Op::Not,
        Op::SNegate,
    ];
    const TESTS: [Op; 6] = [
        Op::IEqual,
        Op::INotEqual,
        Op::ULessThan,
        Op::SLessThan,
        Op::UGreaterThanEqual,
        Op::SGreaterThan,
    ];
    const LOGIC: [Op; 5] = [
        Op::LogicalAnd,
        Op::LogicalOr,
        Op::LogicalEqual,
        Op::LogicalNotEqual,
        Op::LogicalNot,
    ];
    let rounds = match std::env::var_os("SPIRVKIT_THOROUGH") {
        Some(_) => 100_000,
        None => 1_500,
    };
    let mut simplified = 0;
    for round in 0..rounds {
        let mut random = Random::new(round);
        let mut arena = Arena::default();
        arena.is_all_used_once = round % 2 == 0;
        let int = arena.numbers(super::arena::INT, 1, false);
        let boolean = arena.numbers(ScalarType::Bool, 1, false);
        let parameters = [int, int, int, boolean, boolean].map(|ty| arena.parameter(ty));
        // Each value as it is written, and as it is made.
        let mut numbers: Vec<(Id, Id)> = parameters[..3].iter().map(|&id| (id, id)).collect();
        let mut truths: Vec<(Id, Id)> = parameters[3..].iter().map(|&id| (id, id)).collect();
        for constant in [0, 1, 2, 8, u64::MAX, random.bits() & 31] {
            let id = arena.constant(int, constant);
            numbers.push((id, id));
        }
        for _ in 0..14 {
            let pick = |random: &mut Random, from: &[(Id, Id)]| from[random.below(from.len())];
            let (op, ty, operands) = match random.below(8) {
                0 | 1 => {
                    let op = TESTS[random.below(TESTS.len())];
                    (
                        op,
                        boolean,
                        [(); 2].map(|()| pick(&mut random, &numbers)).to_vec(),
                    )
                }
                2 | 3 => {
                    let op = LOGIC[random.below(LOGIC.len())];
                    let count = if op == Op::LogicalNot { 1 } else { 2 };
                    let operands = [(); 2].map(|()| pick(&mut random, &truths));
                    (op, boolean, operands[..count].to_vec())
                }
                4 => {
                    let condition = pick(&mut random, &truths);
                    let [a, b] = [(); 2].map(|()| pick(&mut random, &numbers));
                    (Op::Select, int, vec![condition, a, b])
                }
                _ => {
                    let op = INTEGERS[random.below(INTEGERS.len())];
                    let count = if matches!(op, Op::Not | Op::SNegate) {
                        1
                    } else {
                        2
                    };
                    let operands = [(); 2].map(|()| pick(&mut random, &numbers));
                    (op, int, operands[..count].to_vec())
                }
            };
            let written: Vec<u32> = operands.iter().map(|pair| pair.0.0).collect();
            let own: Vec<u32> = operands.iter().map(|pair| pair.1.0).collect();
            let plain = arena.add(op, ty, &written);
            arena.is_eager = true;
            let made = arena.make(op, ty, &own);
            arena.is_eager = false;
            simplified += usize::from(plain != made);
            let list = if ty == int { &mut numbers } else { &mut truths };
            list.push((plain, made));
        }
        for _ in 0..8 {
            let mut values = BTreeMap::new();
            for &parameter in &parameters {
                let mut bits = |ty: ScalarType| likely(&mut random, ty, &[], &boundary(ty));
                values.insert(parameter, value_of(&arena, arena.ty(parameter), &mut bits));
            }
            let environment = Environment::default();
            for &(plain, made) in numbers.iter().chain(&truths) {
                let Ok(left) = arena.evaluate(plain, &values, &environment) else {
                    continue;
                };
                let right = arena.evaluate(made, &values, &environment);
                let is_same = right.as_ref().is_ok_and(|right| refines(&left, right));
                assert!(is_same, "{round}: {plain} {made} {left:?} {right:?}");
            }
        }
    }
    assert!(simplified > rounds as usize, "only {simplified}");
}
