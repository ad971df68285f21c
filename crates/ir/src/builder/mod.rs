//! Building modules.
//!
//! See [`Builder`].

mod blocks;
mod check;
mod constants;
mod edit;
mod enable;
mod error;
mod extended;
mod flow;
#[rustfmt::skip]
mod generated;
mod intern;
mod operand;

use std::collections::HashSet;

use spirvkit_binary::{Id, Section};
use spirvkit_diagnostics::Errors;
use spirvkit_grammar::{Op, StorageClass, Version};

pub use enable::Enabling;
pub use error::{BuildError, BuildErrorKind};
pub use extended::ExtInst;
pub use flow::{Loop, Switch};

use crate::edit::{EditError, Place};
use crate::handles::{Block, Function, Inst, NONE};
use crate::interned::{Key, is_interned};
use crate::lines::Places;
use crate::module::Module;
use operand::Arg;

/// Where the next instruction of a function goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    Nowhere,
    /// At the end of a block that has no terminator yet.
    Open(Block),
    /// Before an instruction of a block that has one.
    Before(Inst),
}

/// Makes modules, instruction by instruction.
///
/// **Instructions.** There is a method for each opcode, named like it, whose parameters
/// follow the grammar's operands: the result type first, ids as [`Id`], values of
/// enumerations as the types of `spirvkit_grammar`, literals as `u32` and `&str`, optional
/// operands as `Option`, lists as slices. The parameters of an enumerant are words that
/// follow it: literals, and the numbers of ids. Methods for instructions with a result return
/// its id. Each instruction goes where its kind belongs: to its section before the functions,
/// to the start of the function for its variables, to the head of the block for phis, and
/// otherwise to the end of the open block.
///
/// **Types and constants** are shared: asking for one that the module has gives its id.
/// Structures are the exception, because two of them that look the same may be decorated
/// differently: each call of [`type_struct`](Self::type_struct) makes a new one, while
/// [`type_struct_shared`](Self::type_struct_shared) shares them. Arrays and pointers are
/// shared as long as they are not decorated;
/// [`type_array_with_stride`](Self::type_array_with_stride) shares those of one stride.
/// Specialization constants are always new.
///
/// **Ids before their definition** come from [`forward`](Self::forward), and
/// [`define`](Self::define) gives one to the next instruction with a result.
///
/// **Blocks** begin with [`label`](Self::label) or [`begin_block`](Self::begin_block), and
/// end with their terminator. [`if_`](Self::if_), [`if_else`](Self::if_else),
/// [`if_value`](Self::if_value), [`loop_`](Self::loop_), [`while_`](Self::while_),
/// [`for_`](Self::for_) and [`switch_`](Self::switch_) do that, and set the merge
/// instructions.
///
/// **Capabilities and extensions** are declared as they are used (see [`Enabling`]).
///
/// **Entry points** name their interface, which [`interface_of`](Self::interface_of)
/// collects.
///
/// **Errors** don't stop anything: methods return an id in any case, and
/// [`finish`](Self::finish) reports all errors at once. It checks the structure of the
/// module: ids, blocks, functions, capabilities, and operands against the grammar.
/// `spirvkit-validate` checks the types of operands.
///
/// ```
/// use spirvkit_grammar::{
///     AddressingModel, ExecutionMode, ExecutionModel, FunctionControl, MemoryModel, Version,
/// };
/// use spirvkit_ir::builder::Builder;
///
/// let mut b = Builder::new(Version::V1_3);
/// b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
/// let void = b.type_void();
/// let main = b.function(void, FunctionControl::None, &[], |b, _| b.return_());
/// b.entry_point(ExecutionModel::GLCompute, main, "main", &[]);
/// b.execution_mode(main, ExecutionMode::LocalSize, &[64, 1, 1]);
/// let module = b.finish().unwrap();
/// # let text = spirvkit_text::disassemble(&module.store(), &Default::default()).unwrap().text;
/// # assert!(text.contains("OpCapability Shader"), "{text}");
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    module: Module,
    /// What is checked in the end and has its needs declared: instructions with handles from
    /// this number on.
    since: usize,
    errors: Vec<BuildError>,
    /// Results of instructions that could not be made, so that their uses are no
    /// further errors. It is never walked, so its order doesn't matter.
    lost: HashSet<u32>,
    /// Labels that some branch names.
    targets: HashSet<u32>,
    /// The result of the next instruction that has one.
    next_id: Option<Id>,
    function: Option<Function>,
    /// Whether the open function is a new one, which is to be ended.
    is_new: bool,
    point: Point,
    /// The first function with a body: declarations go before it.
    first_body: Option<Function>,
    /// The last phi that was made, and its block.
    last_phi: Option<(Block, Inst)>,
    /// The last variable of the open function, once it has been looked for.
    last_variable: Option<Inst>,
    /// Whether nothing goes to the open block: it is what is left behind an `if` both
    /// of whose sides have returned.
    unreached: bool,
    /// The line in effect for all that follows, and its operands if it is an `OpLine`.
    line: Option<(Inst, Option<[u32; 3]>)>,
    /// The scope in effect for all that follows.
    scope: Option<Inst>,
    /// The line and scope in effect in the open block.
    places: Places,
    /// The merge blocks of the loops around the open block.
    loops: Vec<Id>,
    loop_control: Option<(u32, Vec<u32>)>,
    selection_control: u32,
    enabling: Enabling,
    /// Memory for operands.
    words: Vec<u32>,
}

impl Builder {
    /// Begins a module of this version.
    pub fn new(version: Version) -> Self {
        Self::on(Module::new(version))
    }

    /// Continues a module: its types and constants are shared, and
    /// [`insert_at`](Self::insert_at) and [`continue_function`](Self::continue_function) lead
    /// into its functions.
    pub fn on(module: Module) -> Self {
        Self {
            first_body: module.first_body(),
            last_phi: None,
            module,
            since: 0,
            errors: Vec::new(),
            lost: HashSet::new(),
            targets: HashSet::new(),
            next_id: None,
            function: None,
            is_new: false,
            point: Point::Nowhere,
            last_variable: None,
            unreached: false,
            line: None,
            scope: None,
            places: Places::default(),
            loops: Vec::new(),
            loop_control: None,
            selection_control: 0,
            enabling: Enabling::default(),
            words: Vec::new(),
        }
    }

    /// The module as it is so far.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The module, for changes that its own methods make: removing and moving instructions,
    /// replacing uses, splitting blocks. If that removes the current place of insertion, call
    /// [`insert_at`](Self::insert_at) next.
    pub fn module_mut(&mut self) -> &mut Module {
        &mut self.module
    }

    /// Ends the module: checks its structure, and declares what it uses.
    ///
    /// # Errors
    ///
    /// All that is wrong with it, in the order in which it was made, and after that
    /// what was found in the end.
    pub fn finish(mut self) -> Result<Module, Errors<BuildError>> {
        match self.conclude() {
            Some(errors) => Err(errors),
            None => Ok(self.module),
        }
    }

    /// Looks at what was made, and declares what it uses.
    fn conclude(&mut self) -> Option<Errors<BuildError>> {
        if let Some(function) = self.function.filter(|_| self.is_new) {
            let id = self.function_id(function);
            self.error(Op::FunctionEnd, BuildErrorKind::NotEnded(id));
        }
        if let Some(id) = self.next_id.take() {
            self.error(Op::Nop, BuildErrorKind::NeverGiven(id));
        }
        self.function = None;
        self.check();
        self.enable();
        if !self.errors.is_empty() {
            let names = self.debug_names();
            for error in &mut self.errors {
                error.take_names(&names);
            }
        }
        Errors::new(std::mem::take(&mut self.errors))
    }

    /// An id for something that is defined later: a block, a function, or a value that
    /// a phi takes from further down.
    pub fn forward(&mut self) -> Id {
        self.module.fresh_id()
    }

    /// Makes this id, which is from [`forward`](Self::forward), the result of the next
    /// instruction with a result. That instruction is new even if it is a type or a
    /// constant that the module has.
    ///
    /// ```
    /// # use spirvkit_grammar::{StorageClass, Version};
    /// # use spirvkit_ir::builder::Builder;
    /// # let mut b = Builder::new(Version::V1_5);
    /// // A list: struct Node { Node* next; }
    /// let pointer = b.forward();
    /// b.type_forward_pointer(pointer, StorageClass::PhysicalStorageBuffer);
    /// let node = b.type_struct(&[pointer]);
    /// b.define(pointer).type_pointer(StorageClass::PhysicalStorageBuffer, node);
    /// ```
    pub fn define(&mut self, id: Id) -> &mut Self {
        if let Some(id) = self.next_id.replace(id) {
            self.error(Op::Nop, BuildErrorKind::NeverGiven(id));
        }
        self
    }

    /// Gives the instructions that follow, up to the next call or
    /// [`no_line`](Self::no_line), a line of source. It is for instructions in blocks;
    /// types, constants and the like have none. `file` is an
    /// [`OpString`](Self::string); lines and columns count from 1, and 0 says that they
    /// aren't known.
    pub fn set_line(&mut self, file: Id, line: u32, column: u32) {
        let words = [file.0, line, column];
        let inst = match self.line {
            Some((inst, Some(known))) if known == words => inst,
            _ => self.module.new_line(file, line, column),
        };
        self.line = Some((inst, Some(words)));
        self.places.line = inst.0;
    }

    /// The same with a line that the module has or had, or one from
    /// [`Module::new_place`].
    pub fn set_line_to(&mut self, line: Inst) {
        self.line = Some((line, None));
        self.places.line = line.0;
    }

    /// Lets the instructions that follow belong to a scope of source, a `DebugScope`
    /// that the module has or had, or one from [`Module::new_place`]; or to none. It
    /// holds up to the next call, over the ends of blocks.
    pub fn set_scope_to(&mut self, scope: Option<Inst>) {
        self.scope = scope;
        self.places.scope = scope.map_or(NONE, |scope| scope.0);
    }

    /// What makes lines and scopes for [`set_line_to`](Self::set_line_to) and
    /// [`set_scope_to`](Self::set_scope_to): see [`Module::new_place`].
    ///
    /// # Errors
    ///
    /// If the instruction is too long.
    pub fn new_place(&mut self, op: Op, operands: &[u32]) -> Result<Inst, EditError> {
        self.module.new_place(op, operands)
    }

    /// Makes an instruction before the functions, in the section of its opcode, even if
    /// a function is open. It is for opcodes that can be in both, as `OpExtInst` can
    /// with debug information. The operands are words, those behind the result.
    pub fn declare(&mut self, op: Op, result_type: Option<Id>, operands: &[u32]) -> Id {
        let point = std::mem::replace(&mut self.point, Point::Nowhere);
        let id = self.emit_words(op, result_type, operands);
        self.point = point;
        id
    }

    /// Gives the instructions that follow no line of source.
    pub fn no_line(&mut self) {
        self.line = None;
        self.places.line = NONE;
    }

    /// Puts what follows into a function of the module, at this place, in the order in
    /// which it is made. Places in sections before the functions are chosen by the
    /// builder itself.
    pub fn insert_at(&mut self, place: Place) {
        let point = match place {
            Place::Before(inst) => Some(Point::Before(inst)),
            Place::After(inst) => self.point_after(inst),
            Place::Head(block) => self.point_at_head(block),
            Place::Tail(block) => self.point_at_tail(block),
            Place::Section(_) => None,
        };
        let function = point.and_then(|point| match point {
            Point::Before(inst) => {
                self.module.block_of(inst)?;
                self.module.function_of(inst)
            }
            Point::Open(block) => self.module.function_of_block(block),
            Point::Nowhere => None,
        });
        match (point, function) {
            (Some(point), Some(function)) => {
                if self.function != Some(function) {
                    self.leave_function();
                    self.enter(function);
                }
                self.point = point;
                self.unreached = false;
                self.start_places();
            }
            _ => self.error(Op::Nop, BuildErrorKind::NoSuchPlace),
        }
    }

    fn point_after(&self, inst: Inst) -> Option<Point> {
        let block = self.module.block_of(inst)?;
        match self.module.last_of(block) == Some(inst) {
            true => self.point_at_tail(block),
            false => self.module.next(inst).map(Point::Before),
        }
    }

    fn point_at_head(&self, block: Block) -> Option<Point> {
        let stays = |inst: &Inst| {
            matches!(
                self.module.op(*inst),
                Op::Label | Op::Phi | Op::Variable | Op::UntypedVariableKHR | Op::Line | Op::NoLine
            )
        };
        let mut insts = self.module.block_instructions(block);
        match insts.find(|inst| !stays(inst)) {
            Some(inst) => Some(Point::Before(inst)),
            None => self.point_at_tail(block),
        }
    }

    fn point_at_tail(&self, block: Block) -> Option<Point> {
        self.module.function_of_block(block)?;
        let end = self.module.merge(block).or(self.module.terminator(block));
        Some(end.map_or(Point::Open(block), Point::Before))
    }

    /// Makes a function the open one.
    fn enter(&mut self, function: Function) {
        self.function = Some(function);
        self.unreached = false;
        self.start_places();
        self.last_variable = None;
    }

    /// At the start of a block, no line or scope holds but what was set to hold for all
    /// that follows.
    fn start_places(&mut self) {
        self.places = Places {
            line: self.line.map_or(NONE, |(line, _)| line.0),
            scope: self.scope.map_or(NONE, |scope| scope.0),
        };
    }

    fn function_id(&self, function: Function) -> Id {
        self.module.function_id(function).unwrap_or(Id(0))
    }

    fn error(&mut self, op: Op, kind: BuildErrorKind) {
        let function = self.function.map(|function| self.function_id(function));
        self.errors.push(BuildError::new(op, function, kind));
    }

    /// Records an error, and that the result of the instruction can't be had.
    fn lose(&mut self, op: Op, id: Option<Id>, kind: BuildErrorKind) {
        if let Some(id) = id {
            self.lost.insert(id.0);
        }
        self.error(op, kind);
    }

    /// The id for the next result.
    fn take_id(&mut self, op: Op) -> Id {
        match self.next_id.take() {
            None => self.module.fresh_id(),
            Some(id) if self.module.definition(id).is_none() => id,
            Some(id) => {
                self.error(op, BuildErrorKind::DefinedTwice(id));
                self.module.fresh_id()
            }
        }
    }

    /// Makes an instruction; returns its result, or 0.
    fn emit(&mut self, op: Op, result_type: Option<Id>, args: &[Arg<'_>]) -> Id {
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        for arg in args {
            arg.append_to(&mut words);
        }
        if args.iter().any(Arg::has_nul) {
            self.error(op, BuildErrorKind::Nul);
        }
        let id = self.emit_words(op, result_type, &words);
        self.words = words;
        id
    }

    /// The same from words.
    fn emit_words(&mut self, op: Op, result_type: Option<Id>, operands: &[u32]) -> Id {
        if !op.info().is_some_and(|info| info.has_result()) {
            self.insert(op, None, None, operands);
            return Id(0);
        }
        if !is_interned(op) {
            return self.emit_new(op, result_type, operands);
        }
        match self.find(&Key::new(op, result_type, operands)) {
            Some(id) => id,
            None => self.emit_new(op, result_type, operands),
        }
    }

    /// Makes an instruction with a result even if the module has its like.
    fn emit_new(&mut self, op: Op, result_type: Option<Id>, operands: &[u32]) -> Id {
        let id = self.take_id(op);
        self.insert(op, result_type, Some(id), operands);
        id
    }

    fn insert(&mut self, op: Op, result_type: Option<Id>, id: Option<Id>, operands: &[u32]) {
        let Some(place) = self.place_for(op, operands) else {
            if let Some(id) = id {
                self.lost.insert(id.0);
            }
            return;
        };
        let ids = result_type.into_iter().chain(id).map(|id| id.0);
        let words: Vec<u32> = ids.chain(operands.iter().copied()).collect();
        match self.module.insert(place, op, &words) {
            Ok(inst) => self.note(op, inst),
            Err(EditError::TooLong(error)) => {
                let words = error.words;
                self.lose(op, id, BuildErrorKind::TooLong { words });
            }
            Err(_) => self.lose(op, id, BuildErrorKind::NoSuchPlace),
        }
    }

    /// Where an instruction goes; `None`, after an error, if it can't go anywhere.
    fn place_for(&mut self, op: Op, operands: &[u32]) -> Option<Place> {
        match op {
            Op::Variable | Op::UntypedVariableKHR
                if operands.first() == Some(&StorageClass::Function.0) =>
            {
                return self.place_of_variable(op);
            }
            Op::Undef | Op::PoisonKHR | Op::ExtInst | Op::ExtInstWithForwardRefsKHR
                if self.point != Point::Nowhere =>
            {
                return self.place_at_point(op);
            }
            _ if op.is_in_graphs() => {
                let last = self.module.last().map(Place::After);
                return Some(last.unwrap_or(Place::Section(Section::Types)));
            }
            _ => {}
        }
        match op.info().and_then(|info| Section::of(op, info)) {
            Some(section) => Some(Place::Section(section)),
            None => self.place_at_point(op),
        }
    }

    fn place_at_point(&mut self, op: Op) -> Option<Place> {
        match self.point {
            Point::Before(inst) => match op.is_terminator() || op.is_merge() {
                true => self.place_in_lost_block(op, BuildErrorKind::MidBlock),
                false => Some(Place::Before(inst)),
            },
            Point::Open(block) if op == Op::Phi && !self.takes_phi(block) => match self.last_phi {
                Some((of, phi)) if of == block => Some(Place::After(phi)),
                _ => Some(Place::Head(block)),
            },
            Point::Open(block) => Some(Place::Tail(block)),
            Point::Nowhere if self.function.is_none() => {
                self.error(op, BuildErrorKind::NoFunction);
                None
            }
            Point::Nowhere => self.place_in_lost_block(op, BuildErrorKind::NoBlock),
        }
    }

    /// Records an error, and opens a block for what follows, so that it is the only one up
    /// to the next block.
    fn place_in_lost_block(&mut self, op: Op, kind: BuildErrorKind) -> Option<Place> {
        self.error(op, kind);
        let label = self.module.fresh_id();
        self.lost.insert(label.0);
        self.open_block(label);
        match self.point {
            Point::Open(block) => Some(Place::Tail(block)),
            _ => None,
        }
    }

    /// Whether there is nothing but phis at the end of a block.
    fn takes_phi(&self, block: Block) -> bool {
        let last = self.module.last_of(block);
        last.is_some_and(|last| matches!(self.module.op(last), Op::Label | Op::Phi))
    }

    /// Behind the variables at the start of the open function.
    fn place_of_variable(&mut self, op: Op) -> Option<Place> {
        let is_there = |inst: &Inst| self.module.is_attached(*inst);
        let known = self.last_variable.filter(is_there);
        let behind = known.or_else(|| self.last_of_variables());
        if behind.is_none() {
            let kind = match self.function {
                None => BuildErrorKind::NoFunction,
                Some(_) => BuildErrorKind::NoBlock,
            };
            self.error(op, kind);
        }
        behind.map(Place::After)
    }

    /// The last variable of the open function; its first label, if it has none.
    fn last_of_variables(&self) -> Option<Inst> {
        let entry = self.module.entry_block(self.function?)?;
        let insts = self.module.block_instructions(entry);
        let variables = insts.filter(|&inst| self.module.op(inst).is_variable());
        variables.last().or(self.module.label(entry))
    }

    /// Takes note of what was made.
    fn note(&mut self, op: Op, inst: Inst) {
        if self.module.block_of(inst).is_some() {
            self.note_place(inst);
        }
        match op {
            Op::Variable | Op::UntypedVariableKHR if self.module.block_of(inst).is_some() => {
                self.last_variable = Some(inst);
            }
            Op::Phi => self.last_phi = self.module.block_of(inst).map(|block| (block, inst)),
            _ if op.is_terminator() => {
                self.point = Point::Nowhere;
                self.unreached = false;
                let Self {
                    module, targets, ..
                } = self;
                module.each_use(inst, |_, id| {
                    targets.insert(id.0);
                });
            }
            _ => {}
        }
    }

    /// Gives an instruction of a block its line and scope.
    fn note_place(&mut self, inst: Inst) {
        match self.point {
            Point::Before(_) => {
                if let Some((line, _)) = self.line {
                    self.module.set_line(inst, Some(line));
                }
                if self.scope.is_some() {
                    self.module.set_scope(inst, self.scope);
                }
            }
            _ => {
                let read = self.module.get(inst);
                self.places.read(self.module.definitions(), &read, inst);
                self.module.set_line(inst, Inst::some(self.places.line));
                self.module.set_scope(inst, Inst::some(self.places.scope));
            }
        }
    }
}
