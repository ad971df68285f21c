//! What a module declares: read from instructions, because those who ask change their
//! modules, which have no index.

use alloc::string::String;
use alloc::vec::Vec;

use spirvkit_binary::{Instruction, LiteralString};
use spirvkit_grammar::{Capability, Op, Version};

use crate::Capabilities;

/// What a module declares, or what there is to be declared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Declared {
    /// The version of the language.
    pub version: Version,
    /// The capabilities that `OpCapability` declares, in their order.
    pub capabilities: Vec<Capability>,
    /// The names of the extensions.
    pub extensions: Vec<String>,
    /// Capabilities that are declared under a condition (`SPV_INTEL_function_variants`):
    /// they count as declared, but are no candidates for being left out.
    pub conditional: Vec<Capability>,
}

impl Declared {
    /// What a module of this version with these instructions declares. What stands
    /// behind the memory model is not looked at.
    pub fn of<'a>(
        version: Version,
        instructions: impl IntoIterator<Item = Instruction<'a>>,
    ) -> Self {
        let mut declared = Self {
            version,
            capabilities: Vec::new(),
            extensions: Vec::new(),
            conditional: Vec::new(),
        };
        for instruction in instructions {
            let operands = instruction.operand_words();
            match (instruction.op(), operands) {
                (Op::Capability, &[capability, ..]) => {
                    declared.capabilities.push(Capability(capability));
                }
                (Op::ConditionalCapabilityINTEL, &[_, capability, ..]) => {
                    declared.conditional.push(Capability(capability));
                }
                (Op::Extension, name) | (Op::ConditionalExtensionINTEL, [_, name @ ..]) => {
                    let name = LiteralString::at_start_of(name);
                    declared
                        .extensions
                        .extend(name.map(LiteralString::to_text_lossy));
                }
                (Op::MemoryModel, _) => break,
                _ => {}
            }
        }
        declared
    }

    /// Whether an extension is declared.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|declared| declared == name)
    }

    /// The capabilities with those that they imply.
    pub fn all_capabilities(&self) -> Capabilities {
        let all = self.capabilities.iter().chain(&self.conditional);
        all.copied().collect()
    }
}
