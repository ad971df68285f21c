//! The values that shaders write to `PrimitiveShadingRateKHR`, as far as they are constants.

use hashbrown::{HashMap, HashSet};
use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Op};

use super::Seed;
use crate::finding::{CheckResult, Finding, Reporter};
use crate::module::{Inst, Lookup, Module, Type};
use crate::rules::generated::builtin;

/// Bits of which a rate has at most one, and all that it may have.
const VERTICAL: u64 = 0b0011;
const HORIZONTAL: u64 = 0b1100;

/// Checks what is written to rates, and what they are initialized with.
pub(super) struct Rates<'m, 'a> {
    m: &'m Module<'a>,
    told: HashSet<(Id, Option<u32>)>,
    /// The constants that were looked at.
    seen: HashSet<Id>,
}

impl<'m, 'a> Rates<'m, 'a> {
    pub(super) fn new(m: &'m Module<'a>) -> Self {
        Self {
            m,
            told: HashSet::new(),
            seen: HashSet::new(),
        }
    }

    /// Whether uses of a built-in are to be looked at.
    pub(super) fn concerns(seed: &Seed) -> bool {
        seed.built_in == BuiltIn::PrimitiveShadingRateKHR
    }

    /// Checks an instruction that uses a rate. The first wrong one is told of each.
    pub(super) fn check(&mut self, seed: &Seed, inst: Inst<'a>) -> CheckResult {
        match inst.op() {
            Op::Store if !self.told.contains(&(seed.target, seed.member)) => {
                self.check_value(seed, inst, inst.id(1))
            }
            _ => Ok(()),
        }
    }

    /// Checks what variables are initialized with.
    pub(super) fn check_initializers(&mut self, seeds: &[Seed], reporter: &mut Reporter) {
        let rates = seeds.iter().filter(|seed| Self::concerns(seed));
        let rates: HashMap<Id, &Seed> = rates.map(|seed| (seed.target, seed)).collect();
        if rates.is_empty() {
            return;
        }
        let m = self.m;
        for variable in m.globals.iter().filter_map(|&offset| m.inst(offset)) {
            let (Some(result), Some(value)) = (variable.result(), variable.optional(1)) else {
                continue;
            };
            if variable.op() != Op::Variable {
                continue;
            }
            if let Some(seed) = rates.get(&result) {
                reporter.note(self.check_value(seed, variable, Id(value)));
                continue;
            }
            let ty = m.type_of(Id(value)).map(|ty| m.without_arrays(ty));
            if let Some(seed) = ty.and_then(|ty| rates.get(&ty)) {
                reporter.note(self.check_value(seed, variable, Id(value)));
            }
        }
    }

    /// Checks a value that an instruction writes: a rate, or what holds such.
    fn check_value(&mut self, seed: &Seed, writer: Inst<'a>, value: Id) -> CheckResult {
        let m = self.m;
        let mut todo = vec![value];
        while let Some(value) = todo.pop() {
            // Anything else was calculated, and numbers are written again and again.
            let is_composite = m.op_of(value).is_composite_constant();
            if is_composite && !self.seen.insert(value) {
                continue;
            }
            let parts = match is_composite {
                true => m.def(value).map_or(&[][..], |def| def.args()),
                false => &[],
            };
            let is_block = m.type_of(value) == Some(seed.target);
            match seed.member.filter(|_| is_block) {
                Some(member) => {
                    let rate = parts.get(member as usize).or(parts.last());
                    todo.extend(rate.map(|&rate| Id(rate)));
                }
                None => todo.extend(parts.iter().rev().map(|&part| Id(part))),
            }
            if let Some(finding) = self.wrong(value, writer) {
                self.told.insert((seed.target, seed.member));
                return Err(finding);
            }
        }
        Ok(())
    }

    /// What is wrong with a rate.
    fn wrong(&self, value: Id, writer: Inst<'a>) -> Option<Finding> {
        let m = self.m;
        let is_int = matches!(m.ty_of(value), Type::Int { .. });
        let rate = m.constant_u64(value).filter(|_| is_int)?;
        let (which, what) = match rate {
            _ if rate & VERTICAL == VERTICAL => (0, "both `Vertical2Pixels` and `Vertical4Pixels`"),
            _ if rate & HORIZONTAL == HORIZONTAL => {
                (1, "both `Horizontal2Pixels` and `Horizontal4Pixels`")
            }
            _ if rate & !(VERTICAL | HORIZONTAL) != 0 => (2, "bits that stand for nothing"),
            _ => return None,
        };
        let rule = &builtin::SHADING_RATE;
        let message = format!("a shading rate can't have {what}, but this one is {rate}");
        let finding = Finding::new(rule, writer.offset(), message).vuid(rule.vuids[which]);
        let finding = finding.operand(m, value).warning();
        Some(finding.about(m, value, "the rate is defined here"))
    }
}
