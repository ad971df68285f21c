//! Removing what nothing uses.

use spirvkit_binary::{Id, Section};
use spirvkit_grammar::{BuiltIn, Decoration, LinkageType, Op};
use spirvkit_ir::{About, Function, Inst, Module};

use crate::remarks::{Remarks, extended_name};
use crate::split::entry_points;

spirvkit_binary::options! {
    /// What [`prune`] may remove besides types, constants, imports and strings.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Prune {
        /// Variables of the module that no function uses and no entry point lists.
        pub variables: bool = false,
        /// Functions that are not reached from an entry point.
        pub functions: bool = false,
        /// Exported functions and variables, too, unless something in the module uses them.
        pub exports: bool = false,
    }
}

/// Removes the global instructions that nothing uses, with their names, decorations and debug
/// information: types, constants (specialization constants, too), decoration groups, imported
/// instruction sets, strings, and what the options select. Returns the number of removed
/// instructions.
///
/// An instruction is used if one that stays has its id as an operand, other than to name or
/// decorate it. Entry points with workgroups use a `WorkgroupSize` constant. An instruction
/// that can't be decoded uses every id that its words might be.
///
/// This takes time in proportion to the module.
///
/// ```
/// use spirvkit_ir::Module;
/// use spirvkit_transform::{Prune, prune};
///
/// # let words = spirvkit_text::assemble(
/// #     "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpName %v \"v\"\n%f = OpTypeFloat 32\n%v = OpTypeVector %f 4\n",
/// #     &Default::default()).unwrap().words;
/// let mut module = Module::load(&words)?; // whose types nothing uses
/// assert_eq!(prune(&mut module, &Prune::default()), 3);
/// # Ok::<(), spirvkit_binary::Error>(())
/// ```
pub fn prune(module: &mut Module, options: &Prune) -> usize {
    let live = Marker::run(module, options);
    sweep(module, &live)
}

/// What becomes of an instruction outside functions if nothing marks it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It stays.
    Root,
    /// It stays if something uses its result.
    Definition,
    /// It stays if what it is about stays.
    Attached,
    /// It stays if something has it as its line.
    Line,
    /// Debug information or the like.
    Remark,
}

/// Finds what stays.
struct Marker<'m> {
    module: &'m Module,
    options: &'m Prune,
    remarks: Remarks,
    /// By instruction: whether it stays.
    live: Vec<bool>,
    /// What was marked, but not looked into.
    todo: Vec<Inst>,
}

impl<'m> Marker<'m> {
    fn run(module: &'m Module, options: &'m Prune) -> Vec<bool> {
        let mut marker = Self {
            module,
            options,
            remarks: Remarks::of(module),
            live: vec![false; module.inst_count()],
            todo: Vec::new(),
        };
        for inst in module.instructions() {
            let is_root = match module.function_of(inst) {
                Some(_) => !options.functions,
                None => marker.role(inst) == Role::Root,
            };
            if is_root {
                marker.mark(inst);
            }
        }
        marker.mark_effects();
        marker.spread();
        marker.mark_remarks();
        marker.live
    }

    fn role(&self, inst: Inst) -> Role {
        let op = self.module.op(inst);
        if op.is_line() {
            return Role::Line;
        }
        if About::of(op).is_some() {
            return Role::Attached;
        }
        let Some(info) = op.info().filter(|info| info.has_result()) else {
            return Role::Root;
        };
        match Section::of(op, info) {
            Some(Section::Types) if op.is_ext_inst() => match self.remarks.get(self.module, inst) {
                Some(_) => Role::Remark,
                None => Role::Definition,
            },
            Some(Section::Types) if op.is_variable() && !self.options.variables => Role::Root,
            Some(Section::Types | Section::Annotations | Section::Imports | Section::Sources) => {
                Role::Definition
            }
            _ => Role::Root,
        }
    }

    /// Marks what has an effect by its decorations alone.
    fn mark_effects(&mut self) {
        let has_groups = has_work_groups(self.module);
        for inst in self.module.globals() {
            let operands = self.module.get(inst).operand_words();
            let (Op::Decorate, &[target, decoration, ref rest @ ..]) =
                (self.module.op(inst), operands)
            else {
                continue;
            };
            let counts = match Decoration(decoration) {
                Decoration::BuiltIn => {
                    has_groups && rest == [BuiltIn::WorkgroupSize.0] && self.is_constant(Id(target))
                }
                Decoration::LinkageAttributes => {
                    !self.options.exports && rest.last() == Some(&LinkageType::Export.0)
                }
                _ => false,
            };
            if counts {
                self.mark_id(Id(target));
            }
        }
    }

    fn is_constant(&self, id: Id) -> bool {
        let definition = self.module.definition(id);
        definition.is_some_and(|inst| !self.module.op(inst).is_variable())
    }

    fn mark(&mut self, inst: Inst) {
        if let Some(live) = self.live.get_mut(inst.index())
            && !std::mem::replace(live, true)
        {
            self.todo.push(inst);
        }
    }

    fn is_live(&self, inst: Inst) -> bool {
        self.live.get(inst.index()).copied().unwrap_or_default()
    }

    fn mark_id(&mut self, id: Id) {
        if let Some(inst) = self.module.definition(id) {
            self.mark(inst);
        }
    }

    /// Marks everything that what is marked needs.
    fn spread(&mut self) {
        while let Some(inst) = self.todo.pop() {
            self.look_into(inst);
        }
    }

    fn look_into(&mut self, inst: Inst) {
        let module = self.module;
        let about = About::of(module.op(inst));
        match module.is_opaque(inst) {
            true => {
                for &word in module.get(inst).operand_words() {
                    self.mark_id(Id(word));
                }
            }
            false => module.each_use(inst, |word, id| {
                // What is about something needs its other operands alone.
                if !about.is_some_and(|about| about.has_target_at(word)) {
                    self.mark_id(id);
                }
            }),
        }
        if let Some(line) = module.line(inst) {
            self.mark(line);
        }
        for found in module.uses_of(inst).filter(|&found| module.is_about(found)) {
            self.mark(found.inst);
        }
        // Functions stay or go as a whole.
        if let Some(function) = module.function_of(inst)
            && let Some(definition) = module.function_definition(function)
            && (inst == definition || !self.is_live(definition))
        {
            for inst in module.function_instructions(function) {
                self.mark(inst);
            }
        }
    }

    /// Marks debug information: what is used already is marked; of the rest, that
    /// which nothing ever used, if it is not about something that goes.
    fn mark_remarks(&mut self) {
        let module = self.module;
        let remarks: Vec<Inst> = module
            .instructions()
            .filter(|&inst| module.function_of(inst).is_none() && self.role(inst) == Role::Remark)
            .collect();
        let mut goes = vec![false; module.inst_count()];
        let mut todo: Vec<Inst> = Vec::new();
        for &inst in &remarks {
            if !self.is_live(inst) && self.is_about_something_dead(inst) {
                goes[inst.index()] = true;
                todo.push(inst);
            }
        }
        while let Some(inst) = todo.pop() {
            for user in module.uses_of(inst).map(|found| found.inst) {
                if !self.is_live(user)
                    && module.function_of(user).is_none()
                    && self.role(user) == Role::Remark
                    && !std::mem::replace(&mut goes[user.index()], true)
                {
                    todo.push(user);
                }
            }
        }
        let mut before = None;
        for inst in remarks {
            let is_top = || module.uses_of(inst).all(|found| module.is_about(found));
            let stays = match is_continuation(module, inst) {
                // A further piece of the text before it.
                true => before.is_none_or(|before| self.is_live(before)),
                false => !goes[inst.index()] && is_top(),
            };
            if stays {
                self.mark(inst);
                self.spread();
            }
            before = Some(inst);
        }
    }

    /// Whether a remark is about a function or a variable that goes, or is used in
    /// such a function alone.
    fn is_about_something_dead(&self, inst: Inst) -> bool {
        let module = self.module;
        let mut found = false;
        module.each_use(inst, |_, id| {
            found |= module.definition(id).is_some_and(|definition| {
                let op = module.op(definition);
                let is_subject = op == Op::Function || op.is_variable();
                is_subject && !self.is_live(definition)
            });
        });
        let in_dead_function =
            |inst: Inst| module.function_of(inst).is_some() && !self.is_live(inst);
        let mut users = module.uses_of(inst);
        found || users.any(|found| in_dead_function(found.inst))
    }
}

/// Whether a remark continues the one right before it.
fn is_continuation(module: &Module, inst: Inst) -> bool {
    extended_name(module, inst) == Some("DebugSourceContinued")
}

/// Whether a `WorkgroupSize` constant has an effect: an entry point has work groups,
/// or may get them, as there is none yet.
fn has_work_groups(module: &Module) -> bool {
    let entry_points = entry_points(module);
    let mut models = entry_points.iter().map(|it| it.model);
    entry_points.is_empty() || models.any(|model| model.has_workgroups())
}

/// Removes what isn't marked.
fn sweep(module: &mut Module, live: &[bool]) -> usize {
    let is_live = |inst: Inst| live.get(inst.index()).copied().unwrap_or_default();
    let before = module.instructions().count();
    let functions: Vec<Function> = module
        .functions()
        .filter(|&function| {
            module
                .function_definition(function)
                .is_some_and(|it| !is_live(it))
        })
        .collect();
    let mut dead = Vec::new();
    let mut lines = Vec::new();
    let mut has_lines = false;
    let mut groups = Vec::new();
    for inst in module.instructions() {
        if module.function_of(inst).is_some() {
            continue;
        }
        match module.op(inst) {
            // Where a line ends is marked by the instructions that have none.
            Op::NoLine => lines.push(inst),
            _ if !is_live(inst) => dead.push(inst),
            Op::Line => has_lines = true,
            op if op.is_group_decorate() => groups.push(inst),
            _ => {}
        }
    }
    for inst in groups {
        module.retain_targets(inst, |module, id| {
            module.definition(id).is_some_and(is_live)
        });
    }
    for function in functions {
        // It is there, as it was found in the list.
        let _ = module.remove_function(function);
    }
    for inst in dead {
        let _ = module.remove(inst);
    }
    if !has_lines {
        for inst in lines {
            let _ = module.remove(inst);
        }
    }
    before - module.instructions().count()
}
