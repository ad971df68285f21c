//! Debug information for people: a line for each entry, and the tree of them.

use std::collections::HashSet;
use std::fmt::{self, Write as _};

use spirvkit_grammar::{Category, Quantifier, SourceLanguage};

use crate::files::cut_short;
use crate::places::Position;
use crate::{DebugInfo, Entry, Field, Flags, Kind, Slot, Tag};

/// Scopes inside scopes deeper than this are written no further to the right.
const MAX_DEPTH: usize = 40;

impl Entry<'_> {
    /// What the entry describes, in a line: `function shade: float (float)`.
    pub fn summary(&self) -> String {
        let name = || self.short(Field::Name);
        let mut out = match self.kind() {
            Kind::InfoNone => "nothing".to_owned(),
            Kind::CompilationUnit => self.unit(),
            Kind::Source => format!("source {}", self.file_name()),
            Kind::TypeComposite if self.tag() == Some(Tag::Class) => format!("class {}", name()),
            Kind::TypeMember => format!("member {}", self.declaration_text()),
            Kind::TypeInheritance => {
                let base = self.entry(Field::BaseClass).or_else(|| self.parent());
                format!(
                    "base {}",
                    base.map_or_else(String::new, |base| base.type_text())
                )
            }
            Kind::Typedef => {
                let base = self
                    .base_type()
                    .map_or_else(|| "void".to_owned(), |ty| ty.type_text());
                format!("typedef {} = {base}", name())
            }
            Kind::GlobalVariable => format!("global {}", self.declaration_text()),
            Kind::LocalVariable => match self.number(Field::ArgNumber) {
                Some(number @ 1..) => format!("parameter {number}: {}", self.declaration_text()),
                _ => format!("variable {}", self.declaration_text()),
            },
            Kind::Function | Kind::FunctionDeclaration => {
                let ty = self
                    .type_()
                    .map_or_else(|| "?".to_owned(), |ty| ty.type_text());
                let what = match self.kind() {
                    Kind::Function => "function",
                    _ => "declaration of function",
                };
                format!("{what} {}: {ty}", name())
            }
            Kind::LexicalBlock => match self.short_text(Field::Name) {
                Some(name) if name.is_empty() => "anonymous namespace".to_owned(),
                Some(name) => format!("namespace {name}"),
                None => "block".to_owned(),
            },
            Kind::MacroDef => match self.short_text(Field::Value) {
                Some(value) => format!("macro {} = {value}", name()),
                None => format!("macro {}", name()),
            },
            Kind::MacroUndef => {
                let defined = self
                    .entry(Field::Macro)
                    .map(|defined| defined.short(Field::Name));
                format!("end of macro {}", defined.unwrap_or_default())
            }
            Kind::Operation => match self.operation_text() {
                Some(operation) => operation,
                None => self.plain_fields(),
            },
            Kind::Expression => self.expression_text(),
            Kind::InlinedAt => {
                let function = self.entry(Field::Scope).and_then(|scope| scope.function());
                let function = function
                    .map(|function| function.short(Field::Name))
                    .unwrap_or_default();
                format!(
                    "inlined into {function} at line {}",
                    self.line().unwrap_or_default()
                )
            }
            kind if kind.is_type() => format!("type {}", self.type_text()),
            _ => self.plain_fields(),
        };
        if let Some(offset) = self.offset_in_bits() {
            let _ = write!(out, ", at bit {offset}");
        }
        if let Some(size) = self.size_in_bits() {
            let _ = write!(out, ", {size} bits");
        }
        if self.flags() != Flags(0) {
            let _ = write!(out, " [{}]", self.flags());
        }
        out
    }

    /// What a scope is called: `function shade`, `block`, `namespace lights`.
    pub fn scope_text(&self) -> String {
        let name = self.short(Field::Name);
        match self.kind() {
            Kind::Function => format!("function {name}"),
            Kind::TypeComposite => self.type_text(),
            Kind::LexicalBlockDiscriminator => "discriminated block".to_owned(),
            _ => self.summary(),
        }
    }

    /// The file, line and column that it is declared at, as `shader.comp:12:3`.
    pub fn place_text(&self) -> Option<String> {
        let position = Position {
            file: self.file()?,
            line: self.line()?,
            column: self.column().unwrap_or_default(),
        };
        Some(self.info().position_text(position))
    }

    fn file_name(&self) -> String {
        let file = self.file().or_else(|| self.info().file_of(self.id()));
        let file = file.and_then(|file| self.info().file(file));
        file.map(|file| cut_short(file.name())).unwrap_or_default()
    }

    fn unit(&self) -> String {
        let mut out = format!("compilation unit {}", self.file_name());
        if let Some(language) = self.language() {
            let _ = write!(out, " ({language})");
        }
        if let Some(version) = self.number(Field::DwarfVersion) {
            let _ = write!(out, ", DWARF {version}");
        }
        out
    }

    /// The source language of a compilation unit. The first set doesn't tell it.
    pub fn language(&self) -> Option<SourceLanguage> {
        let number = self.number(Field::Language)?;
        u32::try_from(number).ok().map(SourceLanguage)
    }

    /// The operations of an expression with commas between them. Of very many, only the
    /// first are shown.
    pub fn expression_text(&self) -> String {
        let operations = self.entries(Field::Operations);
        let operations = operations.filter_map(|entry| entry.operation_text());
        let operations: Vec<String> = operations.take(MAX_OPERATIONS).collect();
        match operations.is_empty() {
            true => "as it is".to_owned(),
            false => operations.join(", "),
        }
    }

    /// A `DebugOperation`; of very many operands, only the first are shown.
    pub fn operation_text(&self) -> Option<String> {
        let mut out = self.operation_code()?.to_string();
        for operand in self.operation_operands().take(MAX_OPERANDS) {
            let _ = write!(out, " {operand}");
        }
        Some(out)
    }

    /// The kind, and each field by its name.
    fn plain_fields(&self) -> String {
        let mut out = self.kind().name().to_owned();
        for (field, values) in self.fields_text() {
            let _ = write!(out, " {}:", field.name());
            for value in values {
                let _ = write!(out, " {value}");
                // Nobody sees the rest.
                if out.len() > MAX_PLAIN {
                    return cut_short(&out);
                }
            }
        }
        cut_short(&out)
    }

    /// The fields that it has, with their values as text: numbers, names of enumerants,
    /// strings in quotation marks, ids of anything else.
    pub fn fields_text(
        &self,
    ) -> impl Iterator<Item = (Field, impl ExactSizeIterator<Item = String> + Clone)> {
        let words = self.operand_words();
        self.placed_slots().filter_map(move |(index, slot)| {
            let values = match slot.quantifier() {
                Quantifier::Many => words.get(index..)?,
                _ => words.get(index..index + 1)?,
            };
            let texts = values.iter().map(move |&word| self.value_text(slot, word));
            (!values.is_empty()).then_some((slot.field(), texts))
        })
    }

    fn value_text(&self, slot: &Slot, word: u32) -> String {
        let id = spirvkit_binary::Id(word);
        let number = match slot.is_literal() {
            true => Some(u64::from(word)),
            false => self.info().constant(id),
        };
        match number {
            Some(number) => {
                let small = u32::try_from(number).ok();
                let name = small.and_then(|number| named(slot, number));
                name.unwrap_or_else(|| number.to_string())
            }
            None => match self.info().short_string(id) {
                Some(text) => format!("{text:?}"),
                None => id.to_string(),
            },
        }
    }
}

/// The most operations of an expression that are written, and the most operands of each.
const MAX_OPERATIONS: usize = 100;
const MAX_OPERANDS: usize = 8;

/// The most bytes of fields by their names that are written.
const MAX_PLAIN: usize = 1000;

impl DebugInfo<'_> {
    /// A position as `shader.comp:12:3`; the column is left out if it isn't known.
    pub fn position_text(&self, position: Position) -> String {
        let file = self
            .file(position.file)
            .map(|file| cut_short(file.name()))
            .unwrap_or_default();
        match position.column {
            0 => format!("{file}:{}", position.line),
            column => format!("{file}:{}:{column}", position.line),
        }
    }

    /// What there is outside of bodies of functions, as a tree: compilation units, what
    /// names them as its parent, and so on inwards; then everything else by itself.
    pub fn tree(&self) -> impl Iterator<Item = Branch<'_>> + '_ {
        let of_unit = |entry: &Entry<'_>| entry.kind() == Kind::CompilationUnit;
        let shown = || {
            let entries = self.entries();
            entries.filter(|entry| !entry.kind().is_in_body())
        };
        let units = self.entries().filter(of_unit);
        let roots = shown().filter(|entry| entry.parent().is_none());
        // What is left names something as its parent that isn't above it.
        let mut roots = units.chain(roots).chain(shown());
        let mut seen = HashSet::new();
        let mut open: Vec<Branch<'_>> = Vec::new();
        std::iter::from_fn(move || {
            loop {
                let branch = match open.pop() {
                    Some(branch) => branch,
                    None => Branch {
                        entry: roots.next()?,
                        depth: 0,
                    },
                };
                if seen.insert(branch.entry.offset().0) {
                    branch.open(&mut open);
                    return Some(branch);
                }
            }
        })
    }
}

/// An entry in the tree of them. Shown, it is a line without its end: what it describes,
/// and where that is declared.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Branch<'m> {
    /// The entry.
    pub entry: Entry<'m>,
    /// How many others it is in.
    pub depth: usize,
}

impl<'m> Branch<'m> {
    /// By how many columns its line stands further to the right.
    pub fn indent(&self) -> usize {
        2 * self.depth.min(MAX_DEPTH)
    }

    /// Puts what is in it on top of a stack, the first at last.
    fn open(&self, open: &mut Vec<Self>) {
        // Members of the newer sets don't tell what they are members of.
        let members = self.entry.members();
        let members = members.filter(|member| member.parent().is_none());
        let children = self.entry.info().children(self.entry.id());
        let children = children.filter(|child| !child.kind().is_in_body());
        let start = open.len();
        open.extend(members.chain(children).map(|entry| Self {
            entry,
            depth: self.depth + 1,
        }));
        if let Some(inside) = open.get_mut(start..) {
            inside.reverse();
        }
    }
}

impl fmt::Display for Branch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, indent) = (self.entry.id(), self.indent());
        write!(f, "{:indent$}{id} {}", "", self.entry.summary())?;
        match self.entry.place_text() {
            Some(place) => write!(f, "  {place}"),
            None => Ok(()),
        }
    }
}

/// A value as text, if an enumeration says what it is: a name, or of a mask the names of
/// its bits.
fn named(slot: &Slot, value: u32) -> Option<String> {
    let kind = slot.values()?;
    if let Some(name) = slot.value_name(value) {
        return Some(name.to_owned());
    }
    if kind.category() != Category::BitEnum {
        return None;
    }
    let bits = (0..32).map(|bit| 1 << bit).filter(|bit| value & bit != 0);
    let names = bits.map(|bit| match slot.value_name(bit) {
        Some(name) => name.to_owned(),
        None => format!("{bit:#x}"),
    });
    Some(names.collect::<Vec<_>>().join("|"))
}
