//! The order of instructions (specification, section 2.4).

use spirvkit_binary::{Definition, Import, Section};
use spirvkit_grammar::{Capability, Class, ExtInstSet, InstructionInfo, Op, StorageClass};

use crate::finding::{CheckResult, Finding, all};
use crate::module::{Inst, Module};
use crate::rule::Rule;
use crate::rules::generated::layout;

/// What a section holds, for messages.
fn describe(section: Section) -> &'static str {
    match section {
        Section::Capabilities => "capabilities",
        Section::Extensions => "extensions",
        Section::Imports => "imports of extended instruction sets",
        Section::MemoryModel => "the memory model",
        Section::AddressingMode => "the addressing mode of samplers and images",
        Section::EntryPoints => "entry points",
        Section::ExecutionModes => "execution modes",
        Section::Sources => "strings and sources",
        Section::Names => "names",
        Section::Processed => "the list of processes",
        Section::Annotations => "annotations",
        Section::Types => "types, constants and global variables",
        Section::Functions => "functions",
        Section::Graphs => "graphs",
    }
}

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
    home: Section,
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
        let home = Section::of(op, info).unwrap_or(Section::Functions);
        let is_plain = match home {
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
        Self { home, role }
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
    told_outside: bool,
    /// Whether a variable of the open function was reported for standing behind
    /// other instructions.
    told_variables: bool,
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
            told_outside: false,
            told_variables: false,
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
            Role::Plain if standing.home == self.section && self.goes_on() => {
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
            _ => return self.any_step(inst, info, standing.home),
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

    fn any_step(&mut self, inst: Inst<'a>, info: &InstructionInfo, home: Section) -> CheckResult {
        let op = inst.op();
        match self.section {
            Section::Functions => {
                let variables = self.variables(inst, op, info);
                all([self.in_functions(inst, op, info), variables])
            }
            Section::Graphs => self.in_graphs(inst, op),
            _ => self.in_declarations(inst, op, info, home),
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

    /// Before the first function.
    fn in_declarations(
        &mut self,
        inst: Inst<'a>,
        op: Op,
        info: &InstructionInfo,
        home: Section,
    ) -> CheckResult {
        if home == Section::Functions {
            return self.end_declarations(inst, op, info);
        }
        if op.is_ext_inst() {
            self.extended_in_declarations(inst)?;
        }
        let previous = std::mem::replace(&mut self.previous, op);
        if op == Op::SourceContinued && !matches!(previous, Op::Source | Op::SourceContinued) {
            let message = "OpSourceContinued must follow an OpSource or another OpSourceContinued";
            return self.finding(&layout::SOURCE_CONTINUED, inst, message);
        }
        if home < self.section {
            return match self.jump.take() {
                Some(jump) if self.is_astray(jump, inst, home) => self.back(jump, home),
                _ => self.misplaced(inst, op, home),
            };
        }
        self.jump = match home > self.section {
            true => Some(Jump {
                offset: inst.offset(),
                from: self.section,
                has_memory_model: self.has_memory_model,
            }),
            false => None,
        };
        // Untyped ones without a data type are wrong wherever they are.
        let is_typed = op == Op::Variable || op == Op::UntypedVariableKHR && inst.args().len() > 1;
        if is_typed && is_local(inst) {
            let message = "a variable of the storage class `Function` is outside of functions";
            return self.finding(&layout::VARIABLE_PLACE, inst, message);
        }
        let skips_memory_model = home > Section::MemoryModel && !self.has_memory_model;
        self.section = home;
        match op {
            Op::MemoryModel if std::mem::replace(&mut self.has_memory_model, true) => {
                return self.finding(
                    &layout::ONCE,
                    inst,
                    "the module already has an OpMemoryModel",
                );
            }
            Op::SamplerImageAddressingModeNV
                if std::mem::replace(&mut self.has_addressing_mode, true) =>
            {
                let message = "the module already has an OpSamplerImageAddressingModeNV";
                return self.finding(&layout::ONCE, inst, message);
            }
            _ => {}
        }
        match skips_memory_model {
            true => self.no_memory_model(inst, op),
            false => Ok(()),
        }
    }

    /// Whether the only instruction of the open section stands too early, rather
    /// than this one too late: then the next one seems to be too late as well.
    #[cold]
    fn is_astray(&self, jump: Jump, inst: Inst<'_>, home: Section) -> bool {
        let next = self.m.inst(inst.offset() + inst.words().len() as u32);
        let next = next.and_then(|next| Section::of(next.op(), next.info()?));
        home >= jump.from && next.is_some_and(|next| next < self.section)
    }

    /// Goes on as if the only instruction of the open section weren't there.
    #[cold]
    fn back(&mut self, jump: Jump, home: Section) -> CheckResult {
        let open = std::mem::replace(&mut self.section, home);
        let bit = 1 << Section::MemoryModel as u16;
        let is_told = self.reported & bit != 0 && !jump.has_memory_model;
        if is_told {
            self.reported &= !bit;
        }
        self.has_memory_model = jump.has_memory_model || home == Section::MemoryModel;
        if is_told {
            return Ok(());
        }
        let op = self.m.inst(jump.offset).map_or(Op::Nop, |inst| inst.op());
        let message = format!(
            "{op} must come after {}, in the section of {}",
            describe(home),
            describe(open)
        );
        Err(Finding::new(&layout::SECTIONS, jump.offset, message))
    }

    #[cold]
    fn no_memory_model(&mut self, inst: Inst<'_>, op: Op) -> CheckResult {
        // Said once; an OpMemoryModel that follows isn't to blame.
        self.has_memory_model = true;
        self.reported |= 1 << Section::MemoryModel as u16;
        let mut all = self.m.all_instructions();
        if all.any(|each| each.op() == Op::MemoryModel) {
            let message = format!("{op} comes before the module's OpMemoryModel");
            return self.finding(&layout::MEMORY_MODEL, inst, message);
        }
        let message = format!("the module has no OpMemoryModel, which must come before this {op}");
        let finding = Finding::new(&layout::MEMORY_MODEL, inst.offset(), message);
        Err(finding.help(self.memory_model_advice()))
    }

    /// What most modules with the same capabilities declare.
    fn memory_model_advice(&self) -> String {
        let addressing = match () {
            () if self.m.has(Capability::PhysicalStorageBufferAddresses) => {
                "PhysicalStorageBuffer64"
            }
            () if self.m.has(Capability::Kernel) => "Physical64",
            () => "Logical",
        };
        let model = match () {
            () if self.m.has(Capability::VulkanMemoryModel) => "Vulkan",
            () if self.m.has(Capability::Kernel) => "OpenCL",
            () => "GLSL450",
        };
        format!(
            "add `OpMemoryModel {addressing} {model}`, or whichever models the module was made for"
        )
    }

    #[cold]
    fn misplaced(&mut self, inst: Inst<'_>, op: Op, home: Section) -> CheckResult {
        let bit = 1 << home as u16;
        if self.reported & bit != 0 {
            return Ok(());
        }
        self.reported |= bit;
        let message = format!(
            "{op} must come before {}, in the section of {}",
            describe(self.section),
            describe(home)
        );
        self.finding(&layout::SECTIONS, inst, message)
    }

    fn extended_in_declarations(&mut self, inst: Inst<'_>) -> CheckResult {
        let op = inst.op();
        match self.extended(inst) {
            Extended::LocalDebug => self.finding(
                &layout::LOCAL_DEBUG_INFO,
                inst,
                format!("this {op} describes a place in a function, but is outside of functions"),
            ),
            Extended::GlobalDebug | Extended::NonSemantic if self.section < Section::Types => self
                .finding(
                    &layout::SECTIONS,
                    inst,
                    format!("{op} comes before the types, constants and global variables"),
                ),
            Extended::GlobalDebug | Extended::NonSemantic => Ok(()),
            Extended::Semantic => self.outside(inst, op),
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

    /// A part of a function outside of functions: told once, because it is most
    /// likely the `OpFunction` that is missing.
    #[cold]
    fn lost(&mut self, rule: &'static Rule, inst: Inst<'_>, message: &str) -> CheckResult {
        match std::mem::replace(&mut self.is_lost, true) {
            true => Ok(()),
            false => self.finding(rule, inst, message),
        }
    }

    #[cold]
    fn outside(&mut self, inst: Inst<'_>, op: Op) -> CheckResult {
        if std::mem::replace(&mut self.told_outside, true) {
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
    fn in_functions(&mut self, inst: Inst<'a>, op: Op, info: &InstructionInfo) -> CheckResult {
        match op {
            Op::Function => {
                let was_open = self.in_function;
                self.in_function = true;
                self.is_lost = false;
                self.in_block = false;
                self.blocks = 0;
                self.told_outside = false;
                self.told_variables = false;
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
            Some(home) => self.misplaced(inst, op, home),
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
        let told_outside = std::mem::replace(&mut self.told_outside, false);
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
        } else if self.blocks == 0 && self.any_definition && !told_outside {
            let message = "a function without a body comes after one with a body";
            self.finding(&layout::DECLARATIONS_FIRST, inst, message)
        } else {
            Ok(())
        }
    }

    /// Begins a block. Returns whether one was open.
    #[inline]
    fn begin_block(&mut self) -> bool {
        self.blocks += 1;
        self.any_definition = true;
        self.told_outside = false;
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
    fn variables(&mut self, inst: Inst<'_>, op: Op, info: &InstructionInfo) -> CheckResult {
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
                if is_late && !std::mem::replace(&mut self.told_variables, true) {
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

    /// Behind the functions.
    fn in_graphs(&mut self, inst: Inst<'_>, op: Op) -> CheckResult {
        // These may stand anywhere.
        if op.is_line() {
            return Ok(());
        }
        if op.is_ext_inst() && self.extended(inst) != Extended::Semantic {
            return Ok(());
        }
        let previous = std::mem::replace(&mut self.previous, op);
        if let Some(offset) = self.output.take()
            && !matches!(op, Op::GraphSetOutputARM | Op::GraphEndARM)
        {
            let message = format!(
                "OpGraphSetOutputARM must be followed by another or by OpGraphEndARM, but {op} \
                                   follows"
            );
            return Err(Finding::new(&layout::GRAPHS, offset, message));
        }
        let message = match op {
            Op::GraphEntryPointARM if self.in_graph => "an entry point is within a graph",
            Op::GraphEntryPointARM => return Ok(()),
            Op::GraphARM if std::mem::replace(&mut self.in_graph, true) => {
                "a graph begins before the previous one has ended"
            }
            Op::GraphARM => return Ok(()),
            Op::GraphInputARM if !matches!(previous, Op::GraphARM | Op::GraphInputARM) => {
                "an input must follow its graph's OpGraphARM or another input"
            }
            Op::GraphSetOutputARM => {
                self.output = Some(inst.offset());
                match self.in_graph {
                    true => return Ok(()),
                    false => "an output is outside of graphs",
                }
            }
            Op::GraphEndARM => {
                let was_open = std::mem::replace(&mut self.in_graph, false);
                match was_open && previous == Op::GraphSetOutputARM {
                    true => return Ok(()),
                    false => "a graph ends without an output",
                }
            }
            Op::GraphInputARM | Op::CompositeExtract if self.in_graph => return Ok(()),
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR if self.in_graph => return Ok(()),
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR => {
                "an extended instruction is outside of graphs"
            }
            Op::CompositeExtract => "an OpCompositeExtract is outside of graphs",
            _ => {
                let message = format!("{op} comes after the first graph, but can't be part of one");
                return self.finding(&layout::GRAPHS, inst, message);
            }
        };
        self.finding(&layout::GRAPHS, inst, message)
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

fn is_local(variable: Inst<'_>) -> bool {
    StorageClass(variable.arg(0)) == StorageClass::Function
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
