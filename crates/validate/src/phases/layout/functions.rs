//! Functions and their blocks.

use spirvkit_binary::Section;
use spirvkit_grammar::{InstructionInfo, Op, StorageClass};

use super::{Extended, Layout, Start, is_local, may_be_in_block};
use crate::finding::CheckResult;
use crate::module::Inst;
use crate::rule::Rule;
use crate::rules::generated::layout;

impl<'a> Layout<'_, 'a> {
    /// A part of a function outside of functions: reported once, because it is most
    /// likely the `OpFunction` that is missing.
    #[cold]
    fn lost(&mut self, rule: &'static Rule, inst: Inst<'_>, message: &str) -> CheckResult {
        match std::mem::replace(&mut self.is_lost, true) {
            true => Ok(()),
            false => self.finding(rule, inst, message),
        }
    }

    #[cold]
    pub(super) fn outside(&mut self, inst: Inst<'_>, op: Op) -> CheckResult {
        if std::mem::replace(&mut self.reported_outside, true) {
            return Ok(());
        }
        if !self.in_function && std::mem::replace(&mut self.is_lost, true) {
            return Ok(());
        }
        let place = match (self.in_function, self.blocks) {
            (false, _) => "outside of functions",
            (true, 0) => "before the function's first OpLabel",
            (true, _) => "after the end of a block",
        };
        let message = format!("{op} is {place}, but belongs in a block");
        self.finding(&layout::OUTSIDE_BLOCK, inst, message)
    }

    /// In a function or behind the first.
    #[inline]
    pub(super) fn in_functions(
        &mut self,
        inst: Inst<'a>,
        op: Op,
        info: &InstructionInfo,
    ) -> CheckResult {
        match op {
            Op::Function => {
                let was_open = self.in_function;
                self.in_function = true;
                self.is_lost = false;
                self.in_block = false;
                self.blocks = 0;
                self.reported_outside = false;
                self.reported_variables = false;
                match was_open {
                    true => self.finding(
                        &layout::NESTED_FUNCTION,
                        inst,
                        "a function begins before the previous one has ended",
                    ),
                    false => Ok(()),
                }
            }
            Op::FunctionParameter => {
                if !self.in_function {
                    self.lost(
                        &layout::PARAMETERS,
                        inst,
                        "a parameter is outside of functions",
                    )
                } else if self.blocks > 0 {
                    self.finding(&layout::PARAMETERS, inst, "a parameter comes after a label")
                } else {
                    Ok(())
                }
            }
            Op::FunctionEnd => self.function_end(inst),
            Op::Label => self.label(inst),
            Op::Line | Op::NoLine => Ok(()),
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR => self.extended_in_functions(inst, op),
            _ => {
                if self.in_block {
                    if op.is_terminator() {
                        self.in_block = false;
                    }
                    return match may_be_in_block(op, info) {
                        true => Ok(()),
                        false => self.no_instruction_of_functions(inst, op, info),
                    };
                }
                if !self.in_function && op.is_in_graphs() {
                    self.section = Section::Graphs;
                    return self.in_graphs(inst, op);
                }
                match may_be_in_block(op, info) {
                    true => self.outside(inst, op),
                    false => self.no_instruction_of_functions(inst, op, info),
                }
            }
        }
    }

    #[cold]
    fn no_instruction_of_functions(
        &mut self,
        inst: Inst<'a>,
        op: Op,
        info: &InstructionInfo,
    ) -> CheckResult {
        match Section::of(op, info) {
            Some(own_section) => self.misplaced(inst, op, own_section),
            None => self.finding(
                &layout::GRAPHS,
                inst,
                format!("{op} belongs in a graph, but is in a function"),
            ),
        }
    }

    fn function_end(&mut self, inst: Inst<'_>) -> CheckResult {
        let was_open = std::mem::replace(&mut self.in_function, false);
        let was_in_block = std::mem::replace(&mut self.in_block, false);
        // If so, the function has a body, but lacks its label.
        let reported_outside = std::mem::replace(&mut self.reported_outside, false);
        if !was_open {
            let result = self.lost(
                &layout::FUNCTION_END,
                inst,
                "OpFunctionEnd ends no function",
            );
            self.is_lost = false;
            result
        } else if was_in_block {
            let message = "the function ends within a block that has no terminator";
            self.finding(&layout::BLOCK_END, inst, message)
        } else if self.blocks == 0 && self.any_definition && !reported_outside {
            let message = "a function without a body comes after one with a body";
            self.finding(&layout::DECLARATIONS_FIRST, inst, message)
        } else {
            Ok(())
        }
    }

    /// Begins a block. Returns whether one was open.
    #[inline]
    pub(super) fn begin_block(&mut self) -> bool {
        self.blocks += 1;
        self.any_definition = true;
        self.reported_outside = false;
        std::mem::replace(&mut self.in_block, true)
    }

    fn label(&mut self, inst: Inst<'_>) -> CheckResult {
        if !self.in_function {
            return self.lost(&layout::LABEL, inst, "a block begins outside of functions");
        }
        match self.begin_block() {
            true => {
                let message = "a block begins before the previous one has a terminator";
                self.finding(&layout::BLOCK_END, inst, message)
            }
            false => Ok(()),
        }
    }

    fn extended_in_functions(&mut self, inst: Inst<'_>, op: Op) -> CheckResult {
        let extended = self.extended(inst);
        match extended {
            Extended::GlobalDebug => {
                let message = format!(
                    "this {op} describes no place in a function, but comes after the first function"
                );
                self.finding(&layout::GLOBAL_DEBUG_INFO, inst, message)
            }
            Extended::LocalDebug if !self.in_function => {
                let message = format!(
                    "this {op} describes a place in a function, but is outside of functions"
                );
                self.finding(&layout::LOCAL_DEBUG_INFO, inst, message)
            }
            Extended::NonSemantic if !self.in_function => Ok(()),
            Extended::NonSemantic | Extended::Semantic if !self.in_block => self.outside(inst, op),
            _ => Ok(()),
        }
    }

    /// Checks that variables stand first; follows what decides that.
    #[inline]
    pub(super) fn variables(
        &mut self,
        inst: Inst<'_>,
        op: Op,
        info: &InstructionInfo,
    ) -> CheckResult {
        match op {
            Op::Function | Op::FunctionParameter => self.start = Start::Function,
            Op::Label if self.start == Start::Function => self.start = Start::EntryBlock,
            Op::Line | Op::NoLine => {}
            Op::Variable | Op::UntypedVariableKHR => {
                let is_local = is_local(inst);
                // `Generic` ones are wrong wherever they are.
                let is_generic = StorageClass(inst.arg(0)) == StorageClass::Generic;
                if self.in_function && !is_local && !is_generic {
                    let message = format!(
                        "the storage class of a variable in a function must be `Function`, but is `{}`",
                        StorageClass(inst.arg(0))
                    );
                    return self.finding(&layout::VARIABLE_PLACE, inst, message);
                }
                let is_late = self.start != Start::EntryBlock && is_local && self.in_block;
                if is_late && !std::mem::replace(&mut self.reported_variables, true) {
                    let message =
                        format!("{op} must be at the start of its function's first block");
                    return self.finding(&layout::VARIABLES_FIRST, inst, message);
                }
            }
            _ if self.start == Start::Elsewhere => {}
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR => {
                let stays = match self.extended(inst) {
                    // Only sets that are older than `NonSemantic.` may come before
                    // variables.
                    Extended::LocalDebug => !self.is_non_semantic(inst),
                    Extended::GlobalDebug => true,
                    Extended::NonSemantic | Extended::Semantic => false,
                };
                if !stays {
                    self.start = Start::Elsewhere;
                }
            }
            // What doesn't belong here at all is reported as such.
            _ if !may_be_in_block(op, info) => {}
            _ => self.start = Start::Elsewhere,
        }
        Ok(())
    }
}
