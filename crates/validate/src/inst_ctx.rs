//! An instruction and its surroundings: what a rule is given.

use std::fmt;

use spirvkit_binary::Id;
use spirvkit_diagnostics::alternatives;
use spirvkit_grammar::{ExecutionMode, StorageClass};

use crate::finding::{CheckResult, Finding};
use crate::module::{EntryPoint, Function, Inst, Lookup, Models, Module};
use crate::pattern::Pattern;
use crate::phases::refuses;
use crate::rule::Rule;

/// An instruction in its module.
#[derive(Clone, Copy)]
pub(crate) struct InstCtx<'m, 'a> {
    pub(crate) m: &'m Module<'a>,
    pub(crate) inst: Inst<'a>,
    /// The index of the function that it stands in.
    pub(crate) function: Option<u32>,
    /// The index of the block that it stands in.
    pub(crate) block: Option<u32>,
}

impl<'m, 'a> InstCtx<'m, 'a> {
    /// A finding of this instruction. It is taken to speak of the result type.
    #[cold]
    pub(crate) fn finding(&self, rule: &'static Rule, message: impl Into<String>) -> Finding {
        if let Some(ty) = self.inst.result_type() {
            self.m.mention(ty);
        }
        Finding::new(rule, self.inst.offset(), message).mentioning(&self.m.mentions)
    }

    /// The index, in the instruction of the module, of a word after result type and
    /// result, counted from 0. What `OpSpecConstantOp` does stands one word further
    /// on than in an instruction of its own.
    pub(crate) fn word_of_arg(&self, index: usize) -> usize {
        let whole = Inst::at(self.m.words, self.inst.offset());
        let is_part = whole.is_some_and(|whole| whole.op() != self.inst.op());
        self.inst.first_argument() + index + usize::from(is_part)
    }

    /// A word after result type and result, counted from 0, as an id.
    #[inline]
    pub(crate) fn id(&self, index: usize) -> Id {
        self.inst.id(index)
    }

    /// The result type; id 0 if the instruction has none.
    #[inline]
    pub(crate) fn result_type(&self) -> Id {
        self.inst.result_type().unwrap_or(Id(0))
    }

    /// The type of the value that is this operand; id 0 if it is no value.
    #[inline]
    pub(crate) fn type_of_arg(&self, index: usize) -> Id {
        self.m.type_of(self.id(index)).unwrap_or(Id(0))
    }

    /// The function that it stands in.
    pub(crate) fn function(&self) -> Option<&'m Function> {
        self.m.functions.get(self.function? as usize)
    }

    /// The execution models of the entry points that reach the function; empty
    /// outside of functions and in functions that nothing calls.
    pub(crate) fn models(&self) -> Models {
        self.function()
            .map(|function| function.models)
            .unwrap_or_default()
    }

    /// The execution models by which the instruction is reached although they
    /// are not among these, if there are any.
    #[inline]
    pub(crate) fn models_outside(&self, allowed: Models) -> Option<Models> {
        let outside = self.models().without(allowed);
        (!outside.is_empty()).then_some(outside)
    }

    /// An entry point of one of these models from which the instruction is
    /// reached and that has none of these modes.
    pub(crate) fn entry_without_mode(
        &self,
        models: Models,
        modes: &'static [ExecutionMode],
    ) -> Option<EntryPoint<'a>> {
        if self.models().and(models).is_empty() {
            return None;
        }
        self.m.entry_without_mode(self.function?, models, modes)
    }

    /// A finding about the result type.
    #[cold]
    pub(crate) fn result_finding(&self, rule: &'static Rule, wanted: &str) -> Finding {
        let result = self.result_type();
        let message = format!(
            "the result type of {} must be {wanted}, but is {}",
            self.m.title_of(&self.inst),
            self.m.show_type(result)
        );
        let finding = self.finding(rule, message);
        finding.about(self.m, result, "the result type is declared here")
    }

    /// A finding about an operand, counted from 0 behind the result, whatever it is.
    #[cold]
    pub(crate) fn operand_finding(
        &self,
        rule: &'static Rule,
        index: usize,
        wanted: &str,
    ) -> Finding {
        self.shown_finding(rule, index, wanted, &self.m.show_operand(self.id(index)))
    }

    #[cold]
    fn shown_finding(
        &self,
        rule: &'static Rule,
        index: usize,
        wanted: &str,
        shown: &str,
    ) -> Finding {
        let message = format!(
            "{} of {} must be {wanted}, but is {shown}",
            self.m.operand_name(&self.inst, index),
            self.m.title_of(&self.inst),
        );
        // The id may be in an earlier operand, too.
        let finding = self.finding(rule, message).arg(self, index);
        finding.about(self.m, self.id(index), "the operand is defined here")
    }

    /// A finding about an operand that isn't the type that it must be.
    #[cold]
    fn check_type(&self, rule: &'static Rule, index: usize, wanted: Pattern) -> CheckResult {
        let shown = self.m.show_type(self.id(index));
        Err(self.shown_finding(rule, index, &wanted.to_string(), &shown))
    }

    /// The same, unless it is reported elsewhere that the operand is no value.
    #[cold]
    fn check_value(
        &self,
        rule: &'static Rule,
        index: usize,
        wanted: &dyn fmt::Display,
    ) -> CheckResult {
        let (m, operand) = (self.m, self.id(index));
        let is_reported = match self.inst.op() {
            _ if m.def(operand).is_none() => true,
            // What sets of instructions take need not be values, but then it is no type.
            op if op.is_ext_inst() => m.op_of(operand).is_type(),
            op => m.type_of(operand).is_none() && refuses(op, m.op_of(operand)),
        };
        match is_reported {
            true => Ok(()),
            false => Err(self.operand_finding(rule, index, &wanted.to_string())),
        }
    }

    /// A finding about a result type that isn't so.
    #[cold]
    fn check_result(&self, rule: &'static Rule, wanted: Pattern) -> CheckResult {
        Err(self.result_finding(rule, &wanted.to_string()))
    }

    /// Checks that the result type is so.
    #[inline(always)]
    pub(crate) fn expect_result(&self, rule: &'static Rule, wanted: Pattern) -> CheckResult {
        match wanted.matches(self.m, self.result_type()) {
            true => Ok(()),
            false => self.check_result(rule, wanted),
        }
    }

    /// Checks what no pattern says of the result type, and says what it must be.
    #[inline]
    pub(crate) fn expect_result_that(
        &self,
        rule: &'static Rule,
        is_fine: bool,
        wanted: &str,
    ) -> CheckResult {
        match is_fine {
            true => Ok(()),
            false => Err(self.result_finding(rule, wanted)),
        }
    }

    /// Checks that an operand, counted from 0 behind the result, is a value that matches.
    /// That what is no value should be one is reported elsewhere.
    #[inline(always)]
    pub(crate) fn expect_operand(
        &self,
        rule: &'static Rule,
        index: usize,
        wanted: Pattern,
    ) -> CheckResult {
        match wanted.matches_value(self.m, self.id(index)) {
            true => Ok(()),
            false => self.check_value(rule, index, &wanted),
        }
    }

    /// Checks that an operand, counted from 0 behind the result, is a type that matches.
    #[inline]
    pub(crate) fn expect_type(
        &self,
        rule: &'static Rule,
        index: usize,
        wanted: Pattern,
    ) -> CheckResult {
        match wanted.matches(self.m, self.id(index)) {
            true => Ok(()),
            false => self.check_type(rule, index, wanted),
        }
    }

    /// Checks what no pattern says of an operand, and says what it must be.
    #[inline]
    pub(crate) fn expect_operand_that(
        &self,
        rule: &'static Rule,
        index: usize,
        is_fine: bool,
        wanted: &str,
    ) -> CheckResult {
        match is_fine {
            true => Ok(()),
            false => self.check_value(rule, index, &wanted),
        }
    }

    /// Checks that an operand is a variable in one of these storage classes.
    pub(crate) fn expect_variable_in(
        &self,
        rule: &'static Rule,
        index: usize,
        classes: &[StorageClass],
    ) -> CheckResult {
        let variable = self
            .m
            .def(self.id(index))
            .filter(|def| def.op().is_variable());
        match variable.is_some_and(|def| classes.contains(&StorageClass(def.arg(0)))) {
            true => Ok(()),
            false => {
                let classes = alternatives(classes.iter().map(|class| format!("`{class}`")));
                Err(self.operand_finding(rule, index, &format!("a variable in {classes}")))
            }
        }
    }

    /// Checks that an operand that is a value has the result type.
    #[inline]
    pub(crate) fn expect_result_type(&self, rule: &'static Rule, index: usize) -> CheckResult {
        let result = self.result_type();
        match self.m.type_of(self.id(index)) == Some(result) {
            true => Ok(()),
            false => {
                let wanted = format!("of the result type, {}", self.m.show_type(result));
                self.check_value(rule, index, &wanted)
            }
        }
    }

    /// Checks that the instruction is reached by these execution models only.
    #[inline]
    pub(crate) fn expect_models(&self, rule: &'static Rule, allowed: Models) -> CheckResult {
        match self.models_outside(allowed) {
            None => Ok(()),
            Some(outside) => {
                let message = format!(
                    "{} can be used only in {allowed}, but is reached from {outside}",
                    self.inst.op()
                );
                Err(self.finding(rule, message))
            }
        }
    }

    /// Checks that every entry point of these models by which the instruction is
    /// reached has one of these modes. `lacking` says what it lacks.
    #[inline]
    pub(crate) fn expect_mode(
        &self,
        rule: &'static Rule,
        models: Models,
        modes: &'static [ExecutionMode],
        lacking: &str,
    ) -> CheckResult {
        match self.entry_without_mode(models, modes) {
            None => Ok(()),
            Some(entry) => {
                let message = format!(
                    "{} is reached from the `{}` entry point \"{}\", which has {lacking}",
                    self.inst.op(),
                    entry.model,
                    entry.name()
                );
                let finding = self.finding(rule, message);
                Err(finding.at(entry.inst.offset(), "the entry point is declared here"))
            }
        }
    }
}
