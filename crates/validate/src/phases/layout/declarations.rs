//! What comes before the first function, section by section.

use spirvkit_binary::Section;
use spirvkit_grammar::{Capability, InstructionInfo, Op};

use super::{Extended, Jump, Layout, is_local};
use crate::finding::{CheckResult, Finding};
use crate::module::Inst;
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

impl<'a> Layout<'_, 'a> {
    /// Before the first function.
    pub(super) fn in_declarations(
        &mut self,
        inst: Inst<'a>,
        op: Op,
        info: &InstructionInfo,
        own_section: Section,
    ) -> CheckResult {
        if own_section == Section::Functions {
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
        if own_section < self.section {
            return match self.jump.take() {
                Some(jump) if self.is_astray(jump, inst, own_section) => {
                    self.back(jump, own_section)
                }
                _ => self.misplaced(inst, op, own_section),
            };
        }
        self.jump = match own_section > self.section {
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
        let skips_memory_model = own_section > Section::MemoryModel && !self.has_memory_model;
        self.section = own_section;
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
    fn is_astray(&self, jump: Jump, inst: Inst<'_>, own_section: Section) -> bool {
        let next = self.m.inst(inst.offset() + inst.words().len() as u32);
        let next = next.and_then(|next| Section::of(next.op(), next.info()?));
        own_section >= jump.from && next.is_some_and(|next| next < self.section)
    }

    /// Goes on as if the only instruction of the open section weren't there.
    #[cold]
    fn back(&mut self, jump: Jump, own_section: Section) -> CheckResult {
        let open = std::mem::replace(&mut self.section, own_section);
        let bit = 1 << Section::MemoryModel as u16;
        let is_reported = self.reported & bit != 0 && !jump.has_memory_model;
        if is_reported {
            self.reported &= !bit;
        }
        self.has_memory_model = jump.has_memory_model || own_section == Section::MemoryModel;
        if is_reported {
            return Ok(());
        }
        let op = self.m.inst(jump.offset).map_or(Op::Nop, |inst| inst.op());
        let message = format!(
            "{op} must come after {}, in the section of {}",
            describe(own_section),
            describe(open)
        );
        Err(Finding::new(&layout::SECTIONS, jump.offset, message))
    }

    #[cold]
    pub(super) fn no_memory_model(&mut self, inst: Inst<'_>, op: Op) -> CheckResult {
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
    pub(super) fn memory_model_advice(&self) -> String {
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
    pub(super) fn misplaced(
        &mut self,
        inst: Inst<'_>,
        op: Op,
        own_section: Section,
    ) -> CheckResult {
        let bit = 1 << own_section as u16;
        if self.reported & bit != 0 {
            return Ok(());
        }
        self.reported |= bit;
        let message = format!(
            "{op} must come before {}, in the section of {}",
            describe(self.section),
            describe(own_section)
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
}
