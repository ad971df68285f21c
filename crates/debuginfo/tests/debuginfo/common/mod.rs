//! The samples: in each set a module with every instruction of it, and what they have
//! in common.

pub(crate) mod document;

use spirvkit_binary::{Id, LiteralString, Module};
use spirvkit_debuginfo::{DebugInfo, Set};
use spirvkit_grammar::Op;

/// Each set, with a module that has every instruction of it.
pub(crate) const SAMPLES: [(Set, &str); 3] = [
    (Set::DebugInfo, include_str!("../../samples/first.spvasm")),
    (Set::OpenCl100, include_str!("../../samples/opencl.spvasm")),
    (Set::Shader, include_str!("../../samples/shader.spvasm")),
];

/// A module whose ids can be asked for by the names that its text gives them.
pub(crate) struct Sample {
    pub(crate) words: Vec<u32>,
    names: Vec<(String, Id)>,
}

impl Sample {
    pub(crate) fn new(text: &str) -> Self {
        // The text's own names are lost in the module, so each becomes an OpName first.
        let named = with_names(text);
        let words = spirvkit_testing::words(&named);
        let module = Module::new(&words).expect("a header");
        let instructions = module
            .instructions()
            .map(|instruction| instruction.expect("an instruction"));
        let names = instructions.filter(|instruction| instruction.op() == Op::Name);
        let names = names.map(|name| {
            let words = name.operand_words();
            let text = LiteralString::at_start_of(&words[1..]).expect("a name");
            (text.to_text_lossy(), Id(words[0]))
        });
        Self {
            names: names.collect(),
            words,
        }
    }

    pub(crate) fn info(&self) -> DebugInfo<'_> {
        DebugInfo::read(&self.words).expect("a header")
    }

    /// The id that the text calls `%name`.
    pub(crate) fn id(&self, name: &str) -> Id {
        let found = self.names.iter().find(|(text, _)| text == name);
        found
            .unwrap_or_else(|| panic!("%{name} is not in the text"))
            .1
    }
}

/// The text with an `OpName` for each id that it defines.
fn with_names(text: &str) -> String {
    let defined = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('%')?.split_once(" = "));
    let names: String = defined
        .map(|(name, _)| format!("OpName %{name} \"{name}\"\n"))
        .collect();
    let first = text.find("%void = OpTypeVoid").expect("a type");
    let start = text[..first].rfind('\n').expect("a line before");
    format!("{}\n{names}{}", &text[..start], &text[start..])
}
