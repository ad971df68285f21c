//! A module's instructions one by one, for programs that show them in a form of
//! their own.

use hashbrown::HashMap;
use spirvkit_binary::{Id, IdMap, Instruction, Module};
use spirvkit_grammar::Op;

use super::annotate::{Annotations, has_value};
use super::id_names::IdNames;
use super::names::Names;
use super::options::{DisassembleOptions, Indentation};
use super::printer::Printer;
use super::source::Sources;

/// An instruction as text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedLine {
    /// Where the instruction stands: its place among the module's instructions,
    /// counted from 0.
    pub place: u32,
    /// The instruction; what can't be decoded stands as `!`
    /// words.
    pub text: String,
    /// Where in the shader's own text the instruction came of, and that line, such
    /// as `shader.comp:12:     y = a * x;`, if the module tells; one line, without
    /// control characters. It is there only where it differs from that of the
    /// listed instruction before.
    pub source: Option<String>,
}

/// Lists the instructions that are `wanted`, in their order, with names for ids as
/// the disassembler gives them. Nothing is listed of words without a header, and
/// nothing behind an instruction whose length can't be.
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

/// The same with ids called otherwise.
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

/// Says in a few words what ids stand for: a type as GLSL would write it (`vec3`,
/// `float[4]`), a constant's value, a variable's name. The result has an element for
/// each id, in order. What says nothing of itself stands as the text has it (`%12`).
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
    let Ok(module) = Module::new(words) else {
        return ids.iter().map(Id::to_string).collect();
    };
    // What functions define has no say in what stands before them.
    let start = module
        .instructions()
        .map_while(Result::ok)
        .find(|instruction| instruction.op() == Op::Function)
        .map_or(words.len(), |function| function.offset().0);
    let declarations = words.get(..start).and_then(|words| Module::new(words).ok());
    declarations
        .and_then(|declarations| describe_declared(&declarations, ids))
        .unwrap_or_else(|| {
            let names = Names::friendly(&module);
            let annotations = Annotations::new(&module, &DisassembleOptions::default(), &names);
            describe(&module, annotations, &names, ids)
        })
}

/// Describes ids by what their descriptions are made of alone, if the module defines all
/// of them.
fn describe_declared(module: &Module<'_>, ids: &[Id]) -> Option<Vec<String>> {
    let parts = Parts::new(module, ids);
    let names = Names::friendly_of(module, |id| parts.nameless.get(id));
    let options = DisassembleOptions::default();
    let annotations = Annotations::of(module, &options, &names, Some(parts.ids));
    let all_declared = ids.iter().all(|&id| annotations.is_declared(id));
    all_declared.then(|| describe(module, annotations, &names, ids))
}

/// What descriptions are made of.
struct Parts {
    ids: IdMap<bool>,
    /// Those that are described by their names alone, and that `OpName` gives none.
    nameless: IdMap<bool>,
}

impl Parts {
    fn new(module: &Module<'_>, ids: &[Id]) -> Self {
        let words = module.words().len();
        let bound = module.header().bound;
        let mut declared = IdMap::with_bound(None, words, bound);
        let mut named = IdMap::with_bound(false, words, bound);
        for instruction in module.instructions().map_while(Result::ok) {
            if let (Op::Name, [_, target, ..]) = (instruction.op(), instruction.words()) {
                *named.slot(Id(*target)) = true;
            } else if let Some(result) = instruction.result() {
                declared.slot(result).get_or_insert(instruction);
            }
        }
        let mut parts = Self {
            ids: IdMap::with_bound(false, words, bound),
            nameless: IdMap::with_bound(false, words, bound),
        };
        let mut todo = ids.to_vec();
        while let Some(id) = todo.pop() {
            if std::mem::replace(parts.ids.slot(id), true) {
                continue;
            }
            let declaration = declared.get(id);
            if !named.get(id) && !declaration.is_some_and(says_itself) {
                *parts.nameless.slot(id) = true;
            }
            todo.extend(declaration.into_iter().flat_map(parts_of).map(|&id| Id(id)));
        }
        parts
    }
}

/// Whether what an instruction defines has a description of its own.
fn says_itself(instruction: Instruction<'_>) -> bool {
    let op = instruction.op();
    op.is_type() && op != Op::TypeStruct || has_value(op)
}

/// The words that are, or may be, the ids that a description of the result is made of.
/// Structures are called by name only.
fn parts_of(instruction: Instruction<'_>) -> &[u32] {
    let words = instruction.words();
    let parts = match instruction.op() {
        Op::TypeStruct | Op::TypeInt | Op::TypeFloat => None,
        Op::TypeVector | Op::TypeMatrix => words.get(2..3),
        Op::TypePointer => words.get(3..),
        Op::Constant | Op::SpecConstant => words.get(1..2),
        _ => words.get(1..),
    };
    parts.unwrap_or_default()
}

/// Describes ids by what was noted of the module.
fn describe<'a>(
    module: &Module<'a>,
    mut annotations: Annotations<'a>,
    names: &Names,
    ids: &[Id],
) -> Vec<String> {
    annotations.spell_again(module, names);
    let mut known: HashMap<Id, String> = HashMap::new();
    let describe = |&id: &Id| {
        let text = known.entry(id).or_insert_with(|| {
            let mut text = String::new();
            annotations.mention(&mut text, id, names);
            text
        });
        text.clone()
    };
    ids.iter().map(describe).collect()
}
