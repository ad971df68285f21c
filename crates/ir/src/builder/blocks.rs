//! Functions and blocks.

use std::collections::{BTreeSet, HashSet};

use spirvkit_binary::{Id, NumberType};
use spirvkit_grammar::{FunctionControl, Op, StorageClass, Version};

use super::constants::words_of;
use super::{BuildErrorKind, Builder, Point};
use crate::edit::Place;
use crate::handles::{Function, Inst};

impl Builder {
    /// A whole function: `OpFunction`, its parameters and its first block, then what
    /// `body` makes of the parameters, then `OpFunctionEnd`. Returns its id.
    ///
    /// ```
    /// # use spirvkit_grammar::{FunctionControl, Version};
    /// # use spirvkit_ir::builder::Builder;
    /// # let mut b = Builder::new(Version::V1_3);
    /// let int = b.type_int(32, 0);
    /// let square = b.function(int, FunctionControl::None, &[int], |b, parameters| {
    ///     let product = b.i_mul(int, parameters[0], parameters[0]);
    ///     b.return_value(product);
    /// });
    /// ```
    pub fn function(
        &mut self,
        result_type: Id,
        control: FunctionControl,
        parameter_types: &[Id],
        body: impl FnOnce(&mut Self, &[Id]),
    ) -> Id {
        let (function, parameters) = self.begin_function(result_type, control, parameter_types);
        body(self, &parameters);
        self.end_function();
        function
    }

    /// Begins a function: `OpFunction`, its parameters and its first block. Returns its
    /// id and those of the parameters. [`end_function`](Self::end_function) ends it.
    pub fn begin_function(
        &mut self,
        result_type: Id,
        control: FunctionControl,
        parameter_types: &[Id],
    ) -> (Id, Vec<Id>) {
        let ty = self.type_of_function(result_type, parameter_types);
        let function = self.open_function(result_type, control, ty);
        let parameters = self.add_parameters(parameter_types);
        self.label();
        (function, parameters)
    }

    /// A function without a body, which is [imported](Self::import). Returns its id and
    /// those of the parameters.
    pub fn declare_function(
        &mut self,
        result_type: Id,
        control: FunctionControl,
        parameter_types: &[Id],
    ) -> (Id, Vec<Id>) {
        let ty = self.type_of_function(result_type, parameter_types);
        let function = self.open_declaration(result_type, control, ty);
        let parameters = self.add_parameters(parameter_types);
        self.end_declaration();
        (function, parameters)
    }

    fn type_of_function(&mut self, result_type: Id, parameter_types: &[Id]) -> Id {
        let id = self.next_id.take();
        let ty = self.type_function(result_type, parameter_types);
        self.next_id = id;
        ty
    }

    fn add_parameters(&mut self, types: &[Id]) -> Vec<Id> {
        types
            .iter()
            .map(|&ty| self.function_parameter(ty))
            .collect()
    }

    /// `OpFunction` (Function Instructions), for a type made by oneself. Parameters and
    /// a block are to follow.
    pub fn open_function(
        &mut self,
        result_type: Id,
        control: FunctionControl,
        function_type: Id,
    ) -> Id {
        self.leave_function();
        let id = self.take_id(Op::Function);
        let function = self
            .module
            .add_function(result_type, id, control, function_type);
        self.first_body = self.first_body.or(Some(function));
        self.enter(function);
        self.is_new = true;
        id
    }

    /// `OpFunction` of a function that has no body, for a type made by oneself, before
    /// those that have one. Parameters are to follow, then
    /// [`end_declaration`](Self::end_declaration).
    pub fn open_declaration(
        &mut self,
        result_type: Id,
        control: FunctionControl,
        function_type: Id,
    ) -> Id {
        self.leave_function();
        let id = self.take_id(Op::Function);
        let definition = self
            .first_body
            .and_then(|function| self.module.function_definition(function));
        if definition.is_some_and(|inst| !self.module.is_attached(inst)) {
            self.first_body = self.module.first_body();
        }
        let operands = [result_type.0, id.0, control.0, function_type.0];
        let function = self
            .module
            .add_declaration_before(self.first_body, operands);
        self.enter(function);
        self.is_new = true;
        id
    }

    /// Leaves the open function; a new one should have been ended.
    pub(super) fn leave_function(&mut self) {
        if let Some(open) = self.function.filter(|_| self.is_new) {
            let id = self.function_id(open);
            self.error(Op::Function, BuildErrorKind::FunctionOpen(id));
        }
        self.close_function();
    }

    /// `OpFunctionParameter` (Function Instructions) of the open function.
    pub fn function_parameter(&mut self, ty: Id) -> Id {
        let op = Op::FunctionParameter;
        let id = self.take_id(op);
        let Some(function) = self.function else {
            self.lose(op, Some(id), BuildErrorKind::NoFunction);
            return id;
        };
        if self.module.entry_block(function).is_some() {
            self.lose(op, Some(id), BuildErrorKind::LateParameter);
            return id;
        }
        let place = self.last_of_header(function);
        let made = place.map(|place| self.module.insert(place, op, &[ty.0, id.0]));
        if let Some(Ok(inst)) = made {
            self.module.set_line(inst, None);
            self.module.set_scope(inst, None);
        }
        id
    }

    /// Behind the parameters of a function that has no blocks: before its end.
    fn last_of_header(&self, function: Function) -> Option<Place> {
        let node = self.module.functions.get(function.index())?;
        Some(Place::Before(Inst::some(node.last)?))
    }

    /// `OpFunctionEnd` (Function Instructions). An open block to which nothing goes,
    /// because it comes after an `if` both of whose sides have returned or the like,
    /// gets an `OpUnreachable`.
    pub fn end_function(&mut self) {
        let Some(function) = self.function else {
            self.error(Op::FunctionEnd, BuildErrorKind::NoFunction);
            return;
        };
        if self.unreached {
            self.unreachable();
        }
        if self.module.entry_block(function).is_none() {
            let id = self.function_id(function);
            self.error(Op::FunctionEnd, BuildErrorKind::NoBlocks(id));
        }
        self.close_function();
    }

    /// Ends what [`open_declaration`](Self::open_declaration) began.
    pub fn end_declaration(&mut self) {
        match self.function {
            Some(_) => self.close_function(),
            None => self.error(Op::FunctionEnd, BuildErrorKind::NoFunction),
        }
    }

    fn close_function(&mut self) {
        self.function = None;
        self.is_new = false;
        self.point = Point::Nowhere;
        self.last_variable = None;
        self.unreached = false;
        self.loops.clear();
        self.start_places();
    }

    /// Makes a function that the module has the open one, so that blocks can be added
    /// to it. None of its blocks is open, and it need not be ended again.
    pub fn continue_function(&mut self, function: Id) {
        self.leave_function();
        match self.module.function_by_id(function) {
            Some(function) => self.enter(function),
            None => self.error(Op::Function, BuildErrorKind::NoSuchPlace),
        }
    }

    /// The variables outside of functions that a function uses, itself or by the
    /// functions that it calls, by their ids: what the interface of its entry point has
    /// to name. Before version 1.4 those are the inputs and outputs only.
    pub fn interface_of(&self, function: Id) -> Vec<Id> {
        let mut interface = BTreeSet::new();
        let mut seen = HashSet::from([function]);
        let mut todo = vec![function];
        while let Some(function) = todo.pop().and_then(|id| self.module.function_by_id(id)) {
            for inst in self.module.function_instructions(function) {
                self.module.each_use(inst, |_, id| {
                    let definition = self.module.definition(id);
                    let op = definition.map(|inst| self.module.op(inst));
                    if op == Some(Op::Function) && seen.insert(id) {
                        todo.push(id);
                    }
                    if definition.is_some_and(|inst| self.is_in_interfaces(inst)) {
                        interface.insert(id);
                    }
                });
            }
        }
        interface.into_iter().collect()
    }

    /// Whether an instruction is a variable that interfaces name.
    fn is_in_interfaces(&self, inst: Inst) -> bool {
        let read = self.module.get(inst);
        let is_variable = read.op().is_variable();
        let class = read.words().get(3).map(|&word| StorageClass(word));
        let is_io = matches!(class, Some(StorageClass::Input | StorageClass::Output));
        is_variable
            && self.module.function_of(inst).is_none()
            && (is_io || self.module.header().version >= Version::V1_4)
    }

    /// `OpLabel` (Control-Flow Instructions): begins a block behind all others of the
    /// open function, and returns its id.
    pub fn label(&mut self) -> Id {
        let id = self.take_id(Op::Label);
        match self.function {
            Some(_) => self.open_block(id),
            None => self.lose(Op::Label, Some(id), BuildErrorKind::NoFunction),
        }
        id
    }

    /// Begins the block with this id, which is from [`forward`](Self::forward).
    pub fn begin_block(&mut self, label: Id) {
        self.define(label).label();
    }

    pub(super) fn open_block(&mut self, label: Id) {
        let Some(function) = self.function else {
            return;
        };
        self.unreached = false;
        self.start_places();
        match self.module.add_block(function, None, label) {
            Ok(block) => self.point = Point::Open(block),
            Err(_) => self.error(Op::Label, BuildErrorKind::NoSuchPlace),
        }
    }

    /// Goes on with a block of the open function: at its end, or before its merge
    /// instruction and its terminator.
    pub fn select_block(&mut self, label: Id) {
        let block = self.module.block_by_id(label);
        let block = block.filter(|&block| self.module.function_of_block(block) == self.function);
        match block.and_then(|block| self.point_at_tail(block)) {
            Some(point) => {
                self.point = point;
                self.unreached = false;
                self.start_places();
            }
            None => self.error(Op::Label, BuildErrorKind::NotABlock(label)),
        }
    }

    /// The id of the open block, if there is one: what phis name.
    pub fn open_label(&self) -> Option<Id> {
        match self.point {
            Point::Open(block) => self.module.block_id(block),
            _ => None,
        }
    }

    /// `OpSwitch` (Control-Flow Instructions): where to go for which literal, and
    /// otherwise. Of the literals, the low bits count that the selector's type has.
    pub fn switch(&mut self, selector: Id, default: Id, targets: &[(u64, Id)]) {
        let Some(ty) = self.module.definitions().selector_type(selector) else {
            self.error(Op::Switch, BuildErrorKind::NotANumber(selector));
            self.unreachable();
            return;
        };
        let mut words = vec![selector.0, default.0];
        for &(literal, target) in targets {
            push_literal(ty, literal, &mut words);
            words.push(target.0);
        }
        self.emit_words(Op::Switch, None, &words);
    }
}

fn push_literal(ty: NumberType, bits: u64, out: &mut Vec<u32>) {
    let (words, count) = words_of(ty, bits);
    out.extend(words.iter().take(count));
}
