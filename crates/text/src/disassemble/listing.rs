//! A module's instructions one by one, for programs that show them in a form of
//! their own.

use std::cell::OnceCell;

use hashbrown::HashMap;
use spirvkit_analysis::ModuleIndex;
use spirvkit_analysis::index::spelling::{self, Speller};
use spirvkit_binary::{Id, Instruction, Module};
use spirvkit_grammar::Op;

use super::annotate::{NAME, TEXT, own_name, push_id};
use super::id_names::IdNames;
use super::names::Names;
use super::options::{DisassembleOptions, Indentation};
use super::plain::{clip, push_plain};
use super::printer::Printer;
use super::source::Sources;

/// An instruction as text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedLine {
    /// The index of the instruction among the module's instructions, from 0.
    pub place: u32,
    /// The instruction; what can't be decoded stands as `!`
    /// words.
    pub text: String,
    /// The place in the shader's own text that the instruction comes from, and that line,
    /// such as `shader.comp:12: y = a * x;`, if the module has line information; one line,
    /// without control characters. `None` if it is the same as for the previously listed
    /// instruction.
    pub source: Option<String>,
}

/// Lists the instructions that are `wanted`, in their order, with the disassembler's names
/// for ids. Words without a header give no lines, and the list ends at an instruction with an
/// impossible length.
///
/// ```
/// use spirvkit_text::{assemble, listing};
///
/// let text = "%float = OpTypeFloat 32\n%one = OpConstant %float 1\n";
/// let module = assemble(text, &Default::default()).unwrap();
/// let lines = listing(&module.words, |_| true);
/// assert_eq!(lines[1].text, "%float_1 = OpConstant %float 1");
/// assert_eq!((lines[1].place, &lines[1].source), (1, &None));
/// ```
pub fn listing(words: &[u32], wanted: impl FnMut(&Instruction<'_>) -> bool) -> Vec<ListedLine> {
    named_listing(words, &IdNames::new(words), wanted)
}

/// The same with other names for ids.
pub fn named_listing(
    words: &[u32],
    names: &IdNames<'_>,
    mut wanted: impl FnMut(&Instruction<'_>) -> bool,
) -> Vec<ListedLine> {
    let Ok(module) = Module::new(words) else {
        return Vec::new();
    };
    let options = DisassembleOptions::default()
        .header(false)
        .indentation(Indentation::None)
        .lenient(true);
    let sources = Sources::new(&module);
    let mut printer = Printer::with_names(&module, &options, names.names.clone());
    let mut last = None;
    let mut lines = Vec::new();
    for (place, instruction) in (0..).zip(module.instructions().map_while(Result::ok)) {
        if wanted(&instruction) {
            let position = sources.shader_line(instruction.offset().0);
            let is_new = position.is_some() && position != last;
            last = position.or(last);
            lines.push(ListedLine {
                place,
                text: printer.excerpt(&instruction),
                source: is_new
                    .then(|| sources.line_at(instruction.offset().0))
                    .flatten(),
            });
        }
        printer.definitions.define(&instruction);
    }
    lines
}

/// Describes in a few words what ids stand for: a type as GLSL would write it (`vec3`,
/// `float[4]`), a constant's value, a variable's name. The result has an element for each id,
/// in order. Ids without a description are shown as in the text (`%12`).
///
/// ```
/// use spirvkit_binary::Id;
/// use spirvkit_text::{assemble, descriptions};
///
/// let text = "%1 = OpTypeFloat 32\n%2 = OpTypeVector %1 3\n";
/// let module = assemble(text, &Default::default()).unwrap();
/// assert_eq!(descriptions(&module.words, &[Id(2), Id(9)]), ["vec3", "%9"]);
/// ```
pub fn descriptions(words: &[u32], ids: &[Id]) -> Vec<String> {
    // What functions define has no say in what is before them.
    let module = Module::new(words);
    let instructions = module.iter().flat_map(Module::instructions);
    let function = instructions
        .map_while(Result::ok)
        .find(|instruction| instruction.op() == Op::Function);
    let start = function.map_or(words.len(), |function| function.offset().0);
    let is_declared = |index: &ModuleIndex<'_>| ids.iter().all(|&id| index.def(id).is_some());
    let declarations = words.get(..start).and_then(|it| ModuleIndex::new(it).ok());
    let index = declarations
        .filter(is_declared)
        .or_else(|| ModuleIndex::new(words).ok());
    let Some(index) = index else {
        return ids.iter().map(Id::to_string).collect();
    };
    let described = Described {
        index: &index,
        names: OnceCell::new(),
    };
    let speller = Speller::new(&index, &described);
    let mut known: HashMap<Id, String> = HashMap::new();
    let describe = |&id: &Id| {
        let text = known.entry(id).or_insert_with(|| {
            let mut text = speller.spell(id);
            clip(&mut text, 0, TEXT);
            text
        });
        text.clone()
    };
    ids.iter().map(describe).collect()
}

/// What descriptions call ids.
struct Described<'m> {
    index: &'m ModuleIndex<'m>,
    /// The disassembler's names, for what the module itself doesn't name.
    names: OnceCell<Names>,
}

impl spelling::Names for Described<'_> {
    fn id(&self, out: &mut String, id: Id) {
        let text = own_name(self.index, id);
        if !text.is_empty() {
            return out.push_str(&text);
        }
        let names = self.names.get_or_init(|| {
            let module = Module::new(self.index.words);
            module.as_ref().map_or(Names::Raw, Names::friendly)
        });
        push_id(out, id, names);
    }

    fn structure(&self, out: &mut String, id: Id) {
        if own_name(self.index, id).is_empty() {
            out.push_str("struct ");
        }
        self.id(out, id);
    }

    fn string(&self, out: &mut String, text: &str) {
        push_plain(out, text, NAME);
    }
}
