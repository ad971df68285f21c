//! Single instructions of a module as text, for messages about them.

use hashbrown::HashMap;
use spirvkit_binary::Module;
use spirvkit_diagnostics::{Quote, ShaderLine};

use super::id_names::IdNames;
use super::names::Names;
use super::options::{DisassembleOptions, Indentation};
use super::printer::Printer;
use super::source::Sources;
use crate::assemble::operand_span;

/// An instruction as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Excerpt {
    /// The instruction; what can't be decoded is written as `!` words. Empty if no
    /// instruction starts at the offset.
    pub text: String,
    /// The place in the shader's own text that the instruction comes from, if the module has
    /// line information.
    pub shader_line: Option<ShaderLine>,
    /// How many words the instruction has.
    words: usize,
}

impl Excerpt {
    /// The text, with a mark on the operand that a word belongs to. Word 0 has the opcode and
    /// belongs to none.
    pub fn quote(&self, word: usize) -> Quote {
        Quote::new(&self.text, operand_span(&self.text, self.words, word))
    }
}

/// Shows the instructions that start at these offsets, in words from the
/// module's start, with the numbers of ids. The result has an element for each
/// offset, in order.
///
/// It takes two passes over the module at most, however many offsets there are.
pub fn excerpts(words: &[u32], offsets: &[usize]) -> Vec<Excerpt> {
    excerpts_with(words, offsets, Names::Raw)
}

/// The same with names for ids, such as those of [`IdNames::new`].
///
/// ```
/// use spirvkit_text::{IdNames, assemble, named_excerpts};
///
/// let text = "%1 = OpTypeFloat 32\n%2 = OpTypeVector %1 3\n";
/// let module = assemble(text, &Default::default()).unwrap();
/// let shown = named_excerpts(&module.words, &[8], &IdNames::new(&module.words));
/// assert_eq!(shown[0].text, "%v3float = OpTypeVector %float 3");
/// ```
pub fn named_excerpts(words: &[u32], offsets: &[usize], names: &IdNames<'_>) -> Vec<Excerpt> {
    excerpts_with(words, offsets, names.names.clone())
}

fn excerpts_with(words: &[u32], offsets: &[usize], names: Names) -> Vec<Excerpt> {
    let Ok(module) = Module::new(words) else {
        return vec![Excerpt::default(); offsets.len()];
    };
    let mut found = vec![Excerpt::default(); offsets.len()];
    let wanted: HashMap<usize, usize> = offsets.iter().copied().zip(0..).collect();
    let options = options();
    let sources = Sources::new(&module);
    let mut printer = Printer::with_names(&module, &options, names);
    let last = offsets.iter().max().copied().unwrap_or_default();
    let instructions = module.instructions().map_while(Result::ok);
    for instruction in instructions.take_while(|it| it.offset().0 <= last) {
        let place = wanted.get(&instruction.offset().0);
        if let Some(excerpt) = place.and_then(|&place| found.get_mut(place)) {
            excerpt.text = printer.excerpt(&instruction);
            excerpt.words = instruction.words().len();
            excerpt.shader_line = sources.shader_place(&instruction);
        }
        printer.definitions.define(&instruction);
    }
    // Those that are wanted more than once.
    for (index, offset) in offsets.iter().enumerate() {
        match wanted.get(offset) {
            Some(&place) if place != index => found[index] = found[place].clone(),
            _ => {}
        }
    }
    found
}

/// Shows instructions one by one, where keeping all of them may take too much memory. `work`
/// gets a function that shows the instruction at an offset; offsets must grow from one call
/// to the next.
///
/// It takes two passes over the module.
///
/// ```
/// use spirvkit_text::{IdNames, assemble, read_excerpts};
///
/// let text = "%1 = OpTypeFloat 32\n%2 = OpTypeVector %1 3\n";
/// let module = assemble(text, &Default::default()).unwrap();
/// let names = IdNames::new(&module.words);
/// let shown = read_excerpts(&module.words, &names, |show| [show(5), show(8), show(9)]);
/// assert_eq!(shown[1], "%v3float = OpTypeVector %float 3");
/// assert_eq!(shown[2], "", "no instruction starts there");
/// ```
pub fn read_excerpts<T>(
    words: &[u32],
    names: &IdNames<'_>,
    work: impl FnOnce(&mut dyn FnMut(usize) -> String) -> T,
) -> T {
    let Ok(module) = Module::new(words) else {
        return work(&mut |_| String::new());
    };
    let options = options();
    let mut printer = Printer::with_names(&module, &options, names.names.clone());
    let instructions = module.instructions().map_while(Result::ok);
    let mut instructions = instructions.peekable();
    let mut show = |offset: usize| {
        while let Some(instruction) = instructions.next_if(|it| it.offset().0 <= offset) {
            let is_it = instruction.offset().0 == offset;
            let text = is_it.then(|| printer.excerpt(&instruction));
            printer.definitions.define(&instruction);
            if let Some(text) = text {
                return text;
            }
        }
        String::new()
    };
    work(&mut show)
}

fn options() -> DisassembleOptions {
    DisassembleOptions::default()
        .header(false)
        .indentation(Indentation::None)
        .lenient(true)
}
