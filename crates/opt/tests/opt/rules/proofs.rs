//! Both sides of each rule, evaluated.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use spirvkit_binary::FloatFormat;
use spirvkit_eval::{Denormals, Environment, FloatMode, Rounding, Scalar, ScalarType, Specials};

use super::syntax::{Head, Rule, Term, Unless};
use super::terms::{Assignment, Instance, Nothing, classes, needs};
use super::typing::{Sort, TypedRule, typed};
use super::values::{Random, boundary, likely};
use super::{all, rule};

const FORMATS: [FloatFormat; 3] = [FloatFormat::Half, FloatFormat::Single, FloatFormat::Double];
const DENORMALS: [Denormals; 3] = [
    Denormals::Preserve,
    Denormals::Flush,
    Denormals::Unspecified,
];
const ROUNDINGS: [Rounding; 4] = [
    Rounding::NearestEven,
    Rounding::TowardZero,
    Rounding::TowardPositive,
    Rounding::TowardNegative,
];

fn environment(mode: FloatMode) -> Environment {
    Environment::default().half(mode).single(mode).double(mode)
}

/// The environments that a rule says that it holds in.
fn environments(rule: &Rule) -> Vec<Environment> {
    let mut found = Vec::new();
    for denormals in DENORMALS {
        for rounding in ROUNDINGS {
            for specials in [Specials::Preserve, Specials::Unspecified] {
                let is_directed = rounding == ROUNDINGS[2] || rounding == ROUNDINGS[3];
                if denormals == Denormals::Flush && rule.unless.contains(&Unless::Flush)
                    || is_directed && rule.unless.contains(&Unless::Directed)
                {
                    continue;
                }
                let mode = FloatMode::default()
                    .denormals(denormals)
                    .rounding(rounding)
                    .specials(specials);
                found.push(environment(mode));
            }
        }
    }
    found
}

/// How much is tried.
#[derive(Clone, Copy)]
struct Effort {
    /// For how many bits of variables together all values are tried.
    bits: u32,
    /// How many random values are tried for each choice of types.
    random: usize,
}

fn effort() -> Effort {
    match std::env::var_os("SPIRVKIT_THOROUGH") {
        Some(_) => Effort {
            bits: 24,
            random: 1_000_000,
        },
        None => Effort {
            bits: 16,
            random: 1_000,
        },
    }
}

/// Proves a rule or says what refutes it.
fn prove(rule: &Rule, effort: Effort, environments: &[Environment]) -> Result<(), String> {
    let typed = typed(rule)?;
    let mut proof = Proof {
        rule,
        cases: 0,
        random: Random::new(rule.line as u64),
    };
    for (types, is_small) in assignments(&typed, effort) {
        let Some(instance) = Instance::new(&typed, &types) else {
            continue;
        };
        proof.all_of(&instance, effort, is_small, environments)?;
    }
    match proof.cases {
        0 => Err("it never applies".to_owned()),
        _ => Ok(()),
    }
}

/// Types for the classes of a rule; and whether these are such that all values can be tried.
fn assignments(typed: &TypedRule<'_>, effort: Effort) -> Vec<(Assignment, bool)> {
    let classes = classes(typed);
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for node in typed.pattern.all() {
        if let (Some(name), true) = (node.term.name(), node.operands.is_empty()) {
            names.insert(name, typed.classes.find(node.class));
        }
    }
    let wide: Vec<Sort> = names
        .values()
        .map(|&class| typed.classes.sort(class))
        .collect();
    let count = wide.iter().filter(|&&sort| sort != Sort::Boolean).count() as u32;
    let booleans = wide.len() as u32 - count;
    let small = (effort.bits - booleans) / count.max(1);
    let own = classes
        .iter()
        .filter(|(_, sort)| matches!(sort, Sort::Integer | Sort::Any));
    let integers = own.count();
    let mut widths: Vec<(u8, bool)> = vec![(small.clamp(2, 8) as u8, true)];
    for width in [8, 16, 32, 64] {
        if widths[0].0 != width {
            widths.push((width, width <= 16 && count == 1));
        }
    }
    let integer = |width| ScalarType::Integer { width };
    // Types for one class after the other.
    let mut found: Vec<(Assignment, bool)> = vec![(BTreeMap::new(), true)];
    let mut is_first = true;
    for (class, sort) in classes {
        let choices: Vec<(ScalarType, bool)> = match sort {
            Sort::Boolean => vec![(ScalarType::Bool, true)],
            Sort::Float => FORMATS
                .map(|format| {
                    let is_small = format == FloatFormat::Half && count == 1;
                    (ScalarType::Float(format), is_small)
                })
                .to_vec(),
            Sort::Integer | Sort::Any => widths
                .iter()
                .map(|&(width, is_small)| (integer(width), is_small))
                .collect(),
        };
        let is_other = matches!(sort, Sort::Integer | Sort::Any) && integers > 1 && !is_first;
        is_first &= !matches!(sort, Sort::Integer | Sort::Any);
        found = found
            .iter()
            .flat_map(|(types, was_small)| {
                choices.iter().filter_map(move |&(ty, is_small)| {
                    // Different widths are interesting in pairs, but not all of them small.
                    if is_other && !is_small && ty.width() == 64 && types.len() > 3 {
                        return None;
                    }
                    let mut types = types.clone();
                    types.insert(class, ty);
                    Some((types, *was_small && is_small))
                })
            })
            .collect();
    }
    let has = |name| {
        typed
            .pattern
            .all()
            .iter()
            .any(|node| is_core(node.term, name))
    };
    let has_scaling = has("VectorTimesScalar");
    let has_quantization = has("QuantizeToF16");
    found.retain(|(types, _)| {
        let is_float = |ty: &&ScalarType| matches!(ty, ScalarType::Float(_));
        let mut floats = types.values().filter(is_float);
        let first = floats.next();
        // Vectors have components of the type that they are scaled by.
        let is_single = first.is_none_or(|ty| ty.width() == 32);
        !(has_scaling && floats.any(|ty| Some(ty) != first) || has_quantization && !is_single)
    });
    found
}

fn is_core(term: &Term, wanted: &str) -> bool {
    matches!(term, Term::Operation { head: Head::Core(name), .. } if name == wanted)
}

struct Proof<'r> {
    rule: &'r Rule,
    /// How often the rule applied, and its left side was defined.
    cases: usize,
    random: Random,
}

impl Proof<'_> {
    fn all_of(
        &mut self,
        instance: &Instance,
        effort: Effort,
        is_small: bool,
        environments: &[Environment],
    ) -> Result<(), String> {
        let types: Vec<ScalarType> = instance
            .variables
            .iter()
            .map(|variable| variable.1)
            .collect();
        let bits: u32 = types.iter().map(|ty| ty.width()).sum();
        let is_float = |ty: &ScalarType| matches!(ty, ScalarType::Float(_));
        let has_floats = types.iter().any(is_float);
        if is_small && bits <= effort.bits {
            for number in 0..1u64 << bits {
                let mut rest = number;
                let mut values = [0; 8];
                for (slot, ty) in values.iter_mut().zip(&types) {
                    *slot = rest & ty.mask();
                    rest >>= ty.width();
                }
                self.case(instance, &values[..types.len()], &environments[..1])?;
            }
            if !has_floats {
                return Ok(());
            }
        }
        let mut edges: Vec<Vec<u64>> = types.iter().map(|&ty| boundary(ty)).collect();
        if needs(self.rule, "reassoc") {
            for (edges, &ty) in edges.iter_mut().zip(&types) {
                edges.retain(|&bits| is_small_whole(Scalar::new(ty, bits)));
            }
        }
        let environments = if has_floats {
            environments
        } else {
            &environments[..1]
        };
        // All edges of two variables; of more, some.
        let count: usize = edges.iter().map(Vec::len).product();
        if count <= 4_000 {
            for number in 0..count {
                let mut rest = number;
                let mut values = Vec::new();
                for edges in &edges {
                    values.push(edges[rest % edges.len()]);
                    rest /= edges.len();
                }
                // A few environments for each of many pairs.
                let all = environments.len();
                let few = if count > 100 { all.min(5) } else { all };
                for step in 0..few {
                    let environment = (number * few + step) % all;
                    self.case(instance, &values, &environments[environment..=environment])?;
                }
            }
        }
        for _ in 0..effort.random {
            let mut values = Vec::new();
            for (&ty, edges) in types.iter().zip(&edges) {
                let value = likely(&mut self.random, ty, &values, edges);
                values.push(value);
            }
            let environment = self.random.below(environments.len());
            self.case(instance, &values, &environments[environment..=environment])?;
        }
        Ok(())
    }

    fn case(
        &mut self,
        instance: &Instance,
        values: &[u64],
        environments: &[Environment],
    ) -> Result<(), String> {
        let variables = &instance.variables;
        let is_exact = !needs(self.rule, "reassoc");
        for (&value, (_, ty)) in values.iter().zip(variables) {
            let scalar = Scalar::new(*ty, value);
            // What may be rearranged is the same where nothing is rounded.
            if !self.may_be(scalar) || !is_exact && !is_small_whole(scalar) {
                return Ok(());
            }
        }
        for environment in environments {
            if !instance.applies(values, environment) {
                continue;
            }
            let Ok(left) = instance.pattern.value(variables, values, environment) else {
                continue;
            };
            let right = instance.replacement.value(variables, values, environment);
            if right == Err(Nothing::Inapplicable) || !self.may_be(left) {
                continue;
            }
            self.cases += 1;
            if !right.is_ok_and(|right| self.is_same(left, right)) {
                let mut text = String::new();
                for ((name, ty), value) in variables.iter().zip(values) {
                    write!(text, "{name} = {value:#x} ({ty}), ").unwrap();
                }
                let mode = environment.half;
                return Err(format!(
                    "{text}{:?}, {:?}: {left:x?} becomes {right:x?}",
                    mode.denormals, mode.rounding
                ));
            }
        }
        Ok(())
    }

    /// Whether there may be such a number where the rule holds.
    fn may_be(&self, scalar: Scalar) -> bool {
        let Some(number) = scalar.to_f64() else {
            return true;
        };
        !(number.is_nan() && needs(self.rule, "nnan")
            || number.is_infinite() && needs(self.rule, "ninf"))
    }

    fn is_same(&self, left: Scalar, right: Scalar) -> bool {
        let (Some(a), Some(b)) = (left.to_f64(), right.to_f64()) else {
            return left == right;
        };
        left == right || a.is_nan() && b.is_nan() || a == 0.0 && b == 0.0 && needs(self.rule, "nsz")
    }
}

/// Whether it is a whole number of which sums and products have room in all formats.
fn is_small_whole(scalar: Scalar) -> bool {
    let number = scalar.to_f64();
    number.is_none_or(|number| number.abs() <= 8.0 && number.fract() == 0.0)
}

/// Proves the rules of a class, and says which don't hold.
fn prove_all(class: &str) {
    let effort = effort();
    let mut wrong = String::new();
    for rule in all().iter().filter(|rule| rule.class == class) {
        if let Err(error) = prove(rule, effort, &environments(rule)) {
            writeln!(
                wrong,
                "{class}.rules:{}: {}\n    {error}",
                rule.line, rule.text
            )
            .unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn rules_of_integers_hold() {
    prove_all("integer");
}

#[test]
fn rules_of_booleans_hold() {
    prove_all("boolean");
}

#[test]
fn rules_of_floats_hold() {
    prove_all("float");
}

#[test]
fn rules_that_ask_for_permission_hold() {
    prove_all("api");
}

/// A proof that can't fail proves nothing.
#[test]
fn wrong_rules_are_refuted() {
    for text in [
        // The least integer has no negative: -128 / -1 is undefined, 128 is not there.
        "(SDiv (SNegate x) (SNegate y)) => (SDiv x y)",
        "(SNegate (SDiv x C)) => (SDiv x (SNegate C))",
        "(SLessThan (ISub x y) 0) => (SLessThan x y)",
        "(SDiv (IMul x C) C) => x",
        "(UDiv (UDiv x C) D) => (UDiv x (IMul C D))",
        "(ShiftRightLogical (ShiftRightLogical x K) J) => (ShiftRightLogical x (IAdd K J))",
        "(UMod (UMod x C) D) => (UMod x D)",
        "(ULessThan (IAdd x 1) y) => (ULessThan x (ISub y 1))",
        "r:(SConvert y:(UConvert x)) if (wider y x) if (wider r y) => (SConvert x)",
        "r:(UConvert y:(UConvert x)) if (wider x y) => (UConvert x)",
        "(Select c x y) => x",
        // Signs of zeros, NaNs, infinities and rounding.
        "(FAdd x 0.0) => x",
        "(FSub 0.0 x) => (FNegate x)",
        "(FMul x 0.0) => 0.0",
        "(FSub x x) => 0.0",
        "(FNegate (FSub x y)) => (FSub y x)",
        "(FAdd (FAdd x C) D) => (FAdd x (FAdd C D))",
        "(FDiv x C) => (FMul x (FDiv 1.0 C))",
        "(LogicalNot (FOrdLessThan x y)) => (FOrdGreaterThanEqual x y)",
        "(glsl.NMin (glsl.NMax x C) D) if (FOrdLessThan C D) => (glsl.NMax (glsl.NMin x D) C)",
        "r:(FConvert y:(FConvert x)) if (wider x y) if (same-width r x) => x",
    ] {
        let own = rule(text);
        let refuted = prove(&own, effort(), &[Environment::default()]);
        assert!(refuted.is_err(), "{text}");
        assert_ne!(refuted, Err("it never applies".to_owned()), "{text}");
    }
}

/// What is said to hold not everywhere doesn't.
#[test]
fn exceptions_are_needed() {
    let flush = environment(FloatMode::default().denormals(Denormals::Flush));
    let up = environment(FloatMode::default().rounding(Rounding::TowardPositive));
    let down = environment(FloatMode::default().rounding(Rounding::TowardNegative));
    for rule in all() {
        for unless in &rule.unless {
            let environments: &[Environment] = match unless {
                Unless::Flush => &[flush],
                Unless::Directed => &[up, down],
            };
            let refuted = environments
                .iter()
                .any(|environment| prove(&rule, effort(), &[*environment]).is_err());
            assert!(refuted, "{}: {unless:?}", rule.text);
        }
    }
}

/// A rule asks for no more permission than it needs.
#[test]
fn permissions_are_needed() {
    for rule in all() {
        for need in &rule.needs {
            // What is rearranged is only tried with numbers that always are in order.
            if needs(&rule, "reassoc") && (need == "nnan" || need == "ninf") {
                continue;
            }
            let mut less = rule.clone();
            less.needs.retain(|each| each != need);
            let refuted = prove(&less, effort(), &environments(&rule));
            assert!(refuted.is_err(), "{}: {need}", rule.text);
        }
    }
}
