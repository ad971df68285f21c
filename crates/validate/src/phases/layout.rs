//! The order of instructions (specification, section 2.4).

mod declarations;
mod functions;
mod graphs;

use spirvkit_binary::{Definition, Import, Section};
use spirvkit_grammar::{Capability, Class, ExtInstSet, InstructionInfo, Op, StorageClass};

use crate::finding::{CheckResult, Finding, all};
use crate::module::{Inst, Module};
use crate::rule::Rule;
use crate::rules::generated::layout;

/// A step from one section to another.
#[derive(Clone, Copy, Debug)]
struct Jump {
    /// Where the instruction stands that made it.
    offset: u32,
    from: Section,
    /// Whether there was a memory model before it.
    has_memory_model: bool,
}

/// Where in a function the next instruction stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// Behind `OpFunction` or a parameter.
    Function,
    /// Among the first instructions of a function's first block.
    EntryBlock,
    Elsewhere,
}

/// What sort of set an extended instruction is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extended {
    /// Describes source code where it stands, within functions.
    LocalDebug,
    /// Describes source code anywhere.
    GlobalDebug,
    /// Has no meaning for the module.
    NonSemantic,
    /// Does something.
    Semantic,
}

/// Where an opcode's instructions stand, worked out once.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    /// Their section; [`Section::Functions`] stands for graphs, too.
    own_section: Section,
    role: Role,
}

/// What instructions do to what may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Nothing: they stand anywhere among types, or anywhere in a block.
    Plain,
    /// They begin a block.
    Label,
    /// They end a block.
    Terminator,
    /// It takes a closer look.
    Other,
}

impl Standing {
    pub(super) fn of(op: Op, info: &InstructionInfo) -> Self {
        let in_block = may_be_in_block(op, info);
        let own_section = Section::of(op, info).unwrap_or(Section::Functions);
        let is_plain = match own_section {
            Section::Types => !in_block && !op.is_ext_inst(),
            Section::Functions => in_block && !shapes_functions(op),
            _ => false,
        };
        let role = match op {
            Op::Label => Role::Label,
            _ if in_block && op.is_terminator() => Role::Terminator,
            _ if is_plain => Role::Plain,
            _ => Role::Other,
        };
        Self { own_section, role }
    }
}

/// Whether functions and blocks begin or end with the opcode.
fn shapes_functions(op: Op) -> bool {
    op.is_terminator()
        || matches!(
            op,
            Op::Function | Op::FunctionParameter | Op::FunctionEnd | Op::Label
        )
}

/// Follows the order of a module's instructions. After a finding it goes on as if
/// the instruction were where it belongs.
pub(super) struct Layout<'m, 'a> {
    m: &'m Module<'a>,
    section: Section,
    /// How the open section was come to, while it has one instruction only.
    jump: Option<Jump>,
    has_memory_model: bool,
    has_addressing_mode: bool,
    /// A bit for each section of which a misplaced instruction was reported.
    reported: u16,
    in_function: bool,
    /// Whether an instruction outside of functions was reported since the last
    /// function's end.
    is_lost: bool,
    /// How many blocks the open function has so far.
    blocks: u32,
    in_block: bool,
    /// Whether any function had a body.
    any_definition: bool,
    /// Whether an instruction outside of a block was reported since the last
    /// block's end.
    reported_outside: bool,
    /// Whether a variable of the open function was reported for standing behind
    /// other instructions.
    reported_variables: bool,
    in_graph: bool,
    start: Start,
    /// The output of a graph that was just passed.
    output: Option<u32>,
    previous: Op,
    /// Where the last instruction starts.
    last: u32,
}

impl<'m, 'a> Layout<'m, 'a> {
    pub(super) fn new(m: &'m Module<'a>) -> Self {
        Self {
            m,
            section: Section::Capabilities,
            jump: None,
            has_memory_model: false,
            has_addressing_mode: false,
            reported: 0,
            in_function: false,
            is_lost: false,
            blocks: 0,
            in_block: false,
            any_definition: false,
            reported_outside: false,
            reported_variables: false,
            in_graph: false,
            start: Start::Elsewhere,
            output: None,
            previous: Op::Nop,
            last: 0,
        }
    }

    /// Takes the next instruction.
    #[inline]
    pub(super) fn step(
        &mut self,
        inst: Inst<'a>,
        info: &InstructionInfo,
        standing: Standing,
    ) -> CheckResult {
        self.last = inst.offset();
        // Most stand among others of their sort, and begin and end blocks in turn.
        match standing.role {
            Role::Plain if standing.own_section == self.section && self.goes_on() => {
                self.previous = inst.op();
            }
            Role::Terminator if self.section == Section::Functions && self.in_block => {
                self.start = Start::Elsewhere;
                self.in_block = false;
            }
            Role::Label
                if self.section == Section::Functions
                    && self.in_function
                    && !self.in_block
                    && self.start == Start::Elsewhere =>
            {
                self.begin_block();
            }
            _ => return self.any_step(inst, info, standing.own_section),
        }
        Ok(())
    }

    /// Whether any plain instruction of the open section may come next.
    #[inline]
    fn goes_on(&self) -> bool {
        match self.section {
            Section::Functions => self.in_block && self.start == Start::Elsewhere,
            Section::Types => self.has_memory_model && self.jump.is_none(),
            _ => false,
        }
    }

    fn any_step(
        &mut self,
        inst: Inst<'a>,
        info: &InstructionInfo,
        own_section: Section,
    ) -> CheckResult {
        let op = inst.op();
        match self.section {
            Section::Functions => {
                let variables = self.variables(inst, op, info);
                all([self.in_functions(inst, op, info), variables])
            }
            Section::Graphs => self.in_graphs(inst, op),
            _ => self.in_declarations(inst, op, info, own_section),
        }
    }

    fn finding(
        &self,
        rule: &'static Rule,
        inst: Inst<'_>,
        message: impl Into<String>,
    ) -> CheckResult {
        Err(Finding::new(rule, inst.offset(), message))
    }

    fn extended(&self, inst: Inst<'_>) -> Extended {
        let set = match self.m.definitions.get(inst.id(0)) {
            Definition::Import(Import::Known(set)) => set,
            _ => return Extended::NonSemantic,
        };
        // With other sets it can't be used at all.
        if inst.op() == Op::ExtInstWithForwardRefsKHR && !set.is_debug_info() {
            return Extended::NonSemantic;
        }
        if set.is_debug_info() {
            return match is_local_debug(set, inst.arg(1)) {
                true => Extended::LocalDebug,
                false => Extended::GlobalDebug,
            };
        }
        match set.is_non_semantic() {
            true => Extended::NonSemantic,
            false => Extended::Semantic,
        }
    }

    /// Whether an extended instruction is one of a known set that has no effect.
    fn is_non_semantic(&self, inst: Inst<'_>) -> bool {
        match self.m.definitions.get(inst.id(0)) {
            Definition::Import(Import::Known(set)) => set.is_non_semantic(),
            _ => false,
        }
    }

    /// The first instruction behind the declarations.
    fn end_declarations(&mut self, inst: Inst<'a>, op: Op, info: &InstructionInfo) -> CheckResult {
        let is_graph = op.is_in_graphs();
        self.section = match is_graph {
            true => Section::Graphs,
            false => Section::Functions,
        };
        if !self.has_memory_model {
            let result = self.no_memory_model(inst, op);
            let _ = self.behind_declarations(inst, op, info);
            return result;
        }
        self.behind_declarations(inst, op, info)
    }

    fn behind_declarations(
        &mut self,
        inst: Inst<'a>,
        op: Op,
        info: &InstructionInfo,
    ) -> CheckResult {
        match self.section {
            Section::Graphs => self.in_graphs(inst, op),
            _ => {
                let variables = self.variables(inst, op, info);
                all([self.in_functions(inst, op, info), variables])
            }
        }
    }

    /// The end of the module.
    pub(super) fn finish(&mut self) -> CheckResult {
        let finding = |is_wrong: bool, rule, message: &str| match is_wrong {
            true => Err(Finding::new(rule, self.last, message)),
            false => Ok(()),
        };
        let memory_model = finding(
            !self.has_memory_model,
            &layout::MEMORY_MODEL,
            "the module has no OpMemoryModel",
        );
        all([
            finding(
                self.in_function,
                &layout::FUNCTION_END,
                "the module ends within a function, without OpFunctionEnd",
            ),
            finding(
                self.in_graph,
                &layout::GRAPHS,
                "the module ends within a graph, without OpGraphEndARM",
            ),
            memory_model.map_err(|finding| finding.help(self.memory_model_advice())),
            finding(
                self.m.has(Capability::BindlessTextureNV) && !self.has_addressing_mode,
                &layout::ADDRESSING_MODE,
                "the module declares the capability `BindlessTextureNV`, but has no OpSamplerImageAddressingModeNV",
            ),
        ])
    }
}

/// Whether the rule is of those without which functions and blocks are not what
/// they seem.
pub(super) fn is_disorder(rule: &'static Rule) -> bool {
    let rules = [
        &layout::NESTED_FUNCTION,
        &layout::PARAMETERS,
        &layout::FUNCTION_END,
        &layout::LABEL,
        &layout::BLOCK_END,
        &layout::OUTSIDE_BLOCK,
    ];
    rules.iter().any(|each| std::ptr::eq(*each, rule))
}

/// Whether an instruction may stand in a block.
#[inline]
pub(super) fn may_be_in_block(op: Op, info: &InstructionInfo) -> bool {
    match info.class() {
        // All of these come before the functions.
        Class::Debug | Class::Annotation | Class::ModeSetting | Class::Extension => false,
        Class::TypeDeclaration | Class::ConstantCreation | Class::Graph => false,
        Class::Excluded | Class::Reserved => Section::of(op, info).is_none(),
        _ => true,
    }
}

/// Whether an instruction of a debug information set describes the place where
/// it stands.
fn is_local_debug(set: ExtInstSet, number: u32) -> bool {
    const SCOPE: u32 = 23;
    const NO_SCOPE: u32 = 24;
    const DECLARE: u32 = 28;
    const VALUE: u32 = 29;
    const FUNCTION_DEFINITION: u32 = 101;
    const LINE: u32 = 103;
    const NO_LINE: u32 = 104;
    match number {
        SCOPE | NO_SCOPE | DECLARE | VALUE => true,
        FUNCTION_DEFINITION | LINE | NO_LINE => {
            !matches!(set, ExtInstSet::DebugInfo | ExtInstSet::OpenClDebugInfo100)
        }
        _ => false,
    }
}

fn is_local(variable: Inst<'_>) -> bool {
    StorageClass(variable.arg(0)) == StorageClass::Function
}
