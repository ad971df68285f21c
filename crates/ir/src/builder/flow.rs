//! Structured control flow (specification, section 2.11): what sets merge
//! instructions, labels and branches as they should be.

use std::collections::HashSet;
use std::ops::Range;

use spirvkit_binary::{Id, NumberType};
use spirvkit_grammar::{LoopControl, Op, SelectionControl};

use super::{BuildErrorKind, Builder, Point};

/// A loop that is being built: where [`Builder::break_`] and [`Builder::continue_`] go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loop {
    /// The block behind the loop.
    pub merge: Id,
    /// The block that goes back to the loop's start.
    pub continue_target: Id,
}

/// The cases of a [`Builder::switch_`].
#[derive(Debug)]
pub struct Switch<'b> {
    builder: &'b mut Builder,
    merge: Id,
    cases: Vec<(u64, Id)>,
    literals: HashSet<u64>,
    ty: Option<NumberType>,
    default: Option<Id>,
}

impl Builder {
    /// Runs `then` if the condition holds.
    pub fn if_(&mut self, condition: Id, then: impl FnOnce(&mut Self)) {
        let (yes, merge) = (self.forward(), self.forward());
        self.branch_to_either(condition, yes, merge, merge);
        self.arm(yes, merge, then);
        self.begin_merge(merge);
    }

    /// Runs `then` if the condition holds, and `otherwise` if not.
    pub fn if_else(
        &mut self,
        condition: Id,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let (yes, no, merge) = (self.forward(), self.forward(), self.forward());
        self.branch_to_either(condition, yes, no, merge);
        self.arm(yes, merge, then);
        self.arm(no, merge, otherwise);
        self.begin_merge(merge);
    }

    /// The value that `then` returns if the condition holds, and otherwise that of
    /// `otherwise`, joined by an `OpPhi`.
    ///
    /// ```
    /// # use spirvkit_grammar::{FunctionControl, Version};
    /// # use spirvkit_ir::builder::Builder;
    /// # let mut b = Builder::new(Version::V1_3);
    /// # let (int, bool) = (b.type_int(32, 1), b.type_bool());
    /// # let zero = b.constant_i32(0);
    /// b.function(int, FunctionControl::None, &[int], |b, parameters| {
    ///     let x = parameters[0];
    ///     let negative = b.s_less_than(bool, x, zero);
    ///     let absolute = b.if_value(int, negative, |b| b.s_negate(int, x), |_| x);
    ///     b.return_value(absolute);
    /// });
    /// ```
    pub fn if_value(
        &mut self,
        result_type: Id,
        condition: Id,
        then: impl FnOnce(&mut Self) -> Id,
        otherwise: impl FnOnce(&mut Self) -> Id,
    ) -> Id {
        let result = self.next_id.take();
        let (yes, no, merge) = (self.forward(), self.forward(), self.forward());
        self.branch_to_either(condition, yes, no, merge);
        let mut pairs = Vec::new();
        self.begin_block(yes);
        let value = then(self);
        pairs.extend(self.leave_to(merge).map(|from| (value, from)));
        self.begin_block(no);
        let value = otherwise(self);
        pairs.extend(self.leave_to(merge).map(|from| (value, from)));
        self.begin_merge(merge);
        self.next_id = result;
        match pairs.is_empty() {
            true => self.undef(result_type),
            false => self.phi(result_type, &pairs),
        }
    }

    /// Runs `cases`, which says what is to be done for which literals. There is no way
    /// from one case into the next.
    ///
    /// ```
    /// # use spirvkit_grammar::{FunctionControl, Version};
    /// # use spirvkit_ir::builder::Builder;
    /// # let mut b = Builder::new(Version::V1_3);
    /// # let (void, int) = (b.type_void(), b.type_int(32, 0));
    /// # let zero = b.constant_u32(0);
    /// b.function(void, FunctionControl::None, &[int], |b, parameters| {
    ///     let count = b.local(int);
    ///     b.switch_(parameters[0], |s| {
    ///         s.case(&[1, 2], |b| b.store(count, parameters[0], None));
    ///         s.default(|b| b.store(count, zero, None));
    ///     });
    ///     b.return_();
    /// });
    /// ```
    pub fn switch_(&mut self, selector: Id, cases: impl FnOnce(&mut Switch<'_>)) {
        let merge = self.forward();
        // The header gets its end when all cases are known.
        self.open_header(Op::Switch);
        let (header, places) = (self.point, self.places);
        let control = std::mem::take(&mut self.selection_control);
        self.point = Point::Nowhere;
        let mut switch = Switch {
            ty: self.module.definitions().selector_type(selector),
            builder: self,
            merge,
            cases: Vec::new(),
            literals: HashSet::new(),
            default: None,
        };
        cases(&mut switch);
        let (targets, default) = (switch.cases, switch.default.unwrap_or(merge));
        (self.point, self.places) = (header, places);
        self.unreached = false;
        self.selection_merge(merge, SelectionControl(control));
        self.switch(selector, default, &targets);
        self.begin_merge(merge);
    }

    /// Runs `body` again and again, until it [breaks](Self::break_) or returns.
    pub fn loop_(&mut self, body: impl FnOnce(&mut Self, Loop)) {
        let (header, of_body, this) = self.begin_loop();
        self.branch(of_body);
        self.loop_body(of_body, this, body);
        self.begin_block(this.continue_target);
        self.branch(header);
        self.begin_merge(this.merge);
    }

    /// Runs `body` as long as the value holds that `condition` computes before each
    /// turn.
    pub fn while_(
        &mut self,
        condition: impl FnOnce(&mut Self) -> Id,
        body: impl FnOnce(&mut Self, Loop),
    ) {
        let (header, of_body, this) = self.begin_loop();
        let test = self.forward();
        self.branch(test);
        self.begin_block(test);
        let condition = condition(self);
        self.branch_conditional(condition, of_body, this.merge, &[]);
        self.loop_body(of_body, this, body);
        self.begin_block(this.continue_target);
        self.branch(header);
        self.begin_merge(this.merge);
    }

    /// Runs `body` with a number that goes from the range's start up to, but not
    /// including, its end in steps of `step`. All three are values of the same integer
    /// type, whose signedness says how they are compared.
    ///
    /// ```
    /// # use spirvkit_grammar::{FunctionControl, Version};
    /// # use spirvkit_ir::builder::Builder;
    /// # let mut b = Builder::new(Version::V1_3);
    /// # let (void, int) = (b.type_void(), b.type_int(32, 0));
    /// # let (zero, one) = (b.constant_u32(0), b.constant_u32(1));
    /// b.function(int, FunctionControl::None, &[int], |b, parameters| {
    ///     let sum = b.local(int);
    ///     b.store(sum, zero, None);
    ///     b.for_(zero..parameters[0], one, |b, i, _| {
    ///         let old = b.load(int, sum, None);
    ///         let new = b.i_add(int, old, i);
    ///         b.store(sum, new, None);
    ///     });
    ///     let sum = b.load(int, sum, None);
    ///     b.return_value(sum);
    /// });
    /// ```
    pub fn for_(&mut self, range: Range<Id>, step: Id, body: impl FnOnce(&mut Self, Id, Loop)) {
        let definitions = self.module.definitions();
        let ty = definitions.type_of(range.start);
        let number = ty.and_then(|ty| definitions.number_type(ty));
        let (Some(ty), Some(NumberType::Integer { signed, .. })) = (ty, number) else {
            self.error(Op::LoopMerge, BuildErrorKind::NotANumber(range.start));
            return;
        };
        self.open_header(Op::Phi);
        let before = self.open_label().unwrap_or(Id(0));
        let (i, next) = (self.forward(), self.forward());
        let (header, of_body, this) = self.begin_loop_with(|b, this| {
            let pairs = [(range.start, before), (next, this.continue_target)];
            b.define(i).phi(ty, &pairs);
        });
        let test = self.forward();
        self.branch(test);
        self.begin_block(test);
        let bool = self.type_bool();
        let goes_on = match signed {
            true => self.s_less_than(bool, i, range.end),
            false => self.u_less_than(bool, i, range.end),
        };
        self.branch_conditional(goes_on, of_body, this.merge, &[]);
        self.loop_body(of_body, this, |b, this| body(b, i, this));
        self.begin_block(this.continue_target);
        self.define(next).i_add(ty, i, step);
        self.branch(header);
        self.begin_merge(this.merge);
    }

    /// Leaves a loop, which has to be the innermost one.
    pub fn break_(&mut self, this: Loop) {
        self.check_loop(this);
        self.branch(this.merge);
    }

    /// Goes on with the next turn of a loop, which has to be the innermost one.
    pub fn continue_(&mut self, this: Loop) {
        self.check_loop(this);
        self.branch(this.continue_target);
    }

    fn check_loop(&mut self, this: Loop) {
        if self.loops.last() != Some(&this.merge) {
            self.error(Op::Branch, BuildErrorKind::NotInnermostLoop(this.merge));
        }
    }

    /// Gives the next loop hints for how to compile it.
    pub fn loop_control(&mut self, control: LoopControl, parameters: &[u32]) {
        self.loop_control = Some((control.0, parameters.to_vec()));
    }

    /// Gives the next `if` or switch a hint for how to compile it.
    pub fn selection_control(&mut self, control: SelectionControl) {
        self.selection_control = control.0;
    }

    /// Makes sure that a block is open, into which an instruction with this opcode is to
    /// go.
    fn open_header(&mut self, op: Op) {
        if !matches!(self.point, Point::Open(_)) {
            self.place_at_point(op);
        }
    }

    fn branch_to_either(&mut self, condition: Id, yes: Id, no: Id, merge: Id) {
        let control = std::mem::take(&mut self.selection_control);
        self.open_header(Op::SelectionMerge);
        self.selection_merge(merge, SelectionControl(control));
        self.branch_conditional(condition, yes, no, &[]);
    }

    fn arm(&mut self, label: Id, merge: Id, body: impl FnOnce(&mut Self)) {
        self.begin_block(label);
        body(self);
        self.leave_to(merge);
    }

    /// The header, the label of the body, and the loop.
    fn begin_loop(&mut self) -> (Id, Id, Loop) {
        self.begin_loop_with(|_, _| {})
    }

    fn begin_loop_with(&mut self, phis: impl FnOnce(&mut Self, Loop)) -> (Id, Id, Loop) {
        let (header, body) = (self.forward(), self.forward());
        let this = Loop {
            merge: self.forward(),
            continue_target: self.forward(),
        };
        let (control, parameters) = self.loop_control.take().unwrap_or_default();
        self.branch(header);
        self.begin_block(header);
        phis(self, this);
        let control = LoopControl(control);
        self.loop_merge(this.merge, this.continue_target, control, &parameters);
        (header, body, this)
    }

    fn loop_body(&mut self, label: Id, this: Loop, body: impl FnOnce(&mut Self, Loop)) {
        self.loops.push(this.merge);
        self.begin_block(label);
        body(self, this);
        self.leave_to(this.continue_target);
        self.loops.pop();
    }

    /// Ends the open block, if there is one, with a branch, and returns its label; one
    /// to which nothing goes, with `OpUnreachable`.
    fn leave_to(&mut self, target: Id) -> Option<Id> {
        let from = self.open_label()?;
        if self.unreached {
            self.unreachable();
            return None;
        }
        self.branch(target);
        Some(from)
    }

    fn begin_merge(&mut self, merge: Id) {
        self.begin_block(merge);
        self.unreached = !self.targets.contains(&merge.0);
    }
}

impl Switch<'_> {
    /// What is to be done for these literals. Of each, the low bits count that the
    /// selector's type has.
    pub fn case(&mut self, literals: &[u64], body: impl FnOnce(&mut Builder)) {
        let label = self.builder.forward();
        for &literal in literals {
            let bits = self.ty.map_or(literal, |ty| ty.extend(literal));
            match self.literals.insert(bits) {
                true => self.cases.push((literal, label)),
                false => {
                    let kind = BuildErrorKind::SecondCase(literal);
                    self.builder.error(Op::Switch, kind);
                }
            }
        }
        self.builder.arm(label, self.merge, body);
    }

    /// What is to be done for all other literals; without it, nothing is.
    pub fn default(&mut self, body: impl FnOnce(&mut Builder)) {
        let label = self.builder.forward();
        if self.default.replace(label).is_some() {
            self.builder
                .error(Op::Switch, BuildErrorKind::SecondDefault);
        }
        self.builder.arm(label, self.merge, body);
    }
}
