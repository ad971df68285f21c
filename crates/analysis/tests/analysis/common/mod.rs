//! What tests on programs have in common.

pub(crate) mod structured;
use spirvkit_analysis::{ControlFlow, ModuleIndex, control_flow};
use spirvkit_binary::{Definitions, Instruction, Module};

/// Declarations before the functions of most tests.
pub(crate) const TYPES: &str = "
    %void = OpTypeVoid
    %function = OpTypeFunction %void
    %bool = OpTypeBool
    %true = OpConstantTrue %bool
    %uint = OpTypeInt 32 0
    %u0 = OpConstant %uint 0
    %ulong = OpTypeInt 64 0
    %ul0 = OpConstant %ulong 0
";

/// A module's words.
#[derive(Debug)]
pub(crate) struct Program(Vec<u32>);

impl Program {
    /// Assembles a module.
    pub(crate) fn new(text: &str) -> Program {
        Program(spirvkit_testing::words(text))
    }

    /// A module whose functions come after [`TYPES`].
    pub(crate) fn with_functions(text: &str) -> Program {
        Program::new(&format!("{TYPES}{text}"))
    }

    /// A module of one function with this body.
    pub(crate) fn with_body(text: &str) -> Program {
        Program::with_functions(&format!(
            "%main = OpFunction %void None %function\n{text}\nOpFunctionEnd"
        ))
    }

    /// A module of these instructions, whatever they are.
    pub(crate) fn of_words(instructions: &[&[u32]]) -> Program {
        let mut words = vec![0x0723_0203, 0x0001_0600, 0, 1, 0];
        for instruction in instructions {
            words.push((instruction.len() as u32) << 16 | instruction[0]);
            words.extend_from_slice(&instruction[1..]);
        }
        Program(words)
    }

    pub(crate) fn module(&self) -> Module<'_> {
        Module::new(&self.0).expect("the header is right")
    }

    pub(crate) fn index(&self) -> ModuleIndex<'_> {
        ModuleIndex::new(&self.0).expect("the header is right")
    }

    pub(crate) fn instructions(&self) -> impl Iterator<Item = Instruction<'_>> + Clone {
        self.module().instructions().map_while(Result::ok)
    }

    pub(crate) fn definitions(&self) -> Definitions {
        let mut definitions = Definitions::for_module(&self.module());
        for instruction in self.instructions() {
            definitions.define(&instruction);
        }
        definitions
    }

    pub(crate) fn functions(&self) -> Vec<ControlFlow> {
        control_flow::functions(self.instructions(), &self.definitions()).collect()
    }

    pub(crate) fn first_function(&self) -> ControlFlow {
        self.functions().swap_remove(0)
    }
}
