//! Debug information for people: a line for each entry, and the tree of them.

use std::collections::HashSet;
use std::fmt::Write as _;

use spirvkit_grammar::{Category, Quantifier, SourceLanguage};

use crate::files::cut_short;
use crate::places::Position;
use crate::{DebugInfo, Entry, Field, Flags, Kind, Operation, Slot, Tag};

/// Scopes inside scopes deeper than this are written no further to the right.
const DEEPEST: usize = 40;

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
            Kind::LexicalBlock => match self.text(Field::Name).map(cut_short) {
                Some(name) if name.is_empty() => "anonymous namespace".to_owned(),
                Some(name) => format!("namespace {name}"),
                None => "block".to_owned(),
            },
            Kind::MacroDef => match self.text(Field::Value).map(cut_short) {
                Some(value) => format!("macro {} = {value}", name()),
                None => format!("macro {}", name()),
            },
            Kind::MacroUndef => {
                let defined = self
                    .entry(Field::Macro)
                    .map(|defined| defined.short(Field::Name));
                format!("end of macro {}", defined.unwrap_or_default())
            }
            Kind::Operation => match self.operation() {
                Some(operation) => operation_text(&operation),
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
        file.map(|file| cut_short(file.name().to_owned()))
            .unwrap_or_default()
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
    /// first are told.
    pub fn expression_text(&self) -> String {
        let operations = self.operations().take(MOST_OPERATIONS);
        let operations: Vec<String> = operations
            .map(|operation| operation_text(&operation))
            .collect();
        match operations.is_empty() {
            true => "as it is".to_owned(),
            false => operations.join(", "),
        }
    }

    /// The kind, and each field by its name.
    fn plain_fields(&self) -> String {
        let mut out = self.kind().name().to_owned();
        for (field, values) in self.fields_text() {
            let _ = write!(out, " {}: {}", field.name(), values.join(" "));
        }
        cut_short(out)
    }

    /// The fields that it has, with their values as text: numbers, names of enumerants,
    /// strings in quotation marks, ids of anything else.
    pub fn fields_text(&self) -> Vec<(Field, Vec<String>)> {
        let mut fields = Vec::new();
        let words = self.operand_words();
        for (index, slot) in self.placed_slots() {
            let values = match slot.quantifier() {
                Quantifier::Many => words.get(index..),
                _ => words.get(index..index + 1),
            };
            let values = values.unwrap_or_default().iter();
            let values: Vec<String> = values.map(|&word| self.value_text(slot, word)).collect();
            if !values.is_empty() {
                fields.push((slot.field(), values));
            }
        }
        fields
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
const MOST_OPERATIONS: usize = 100;
const MOST_OPERANDS: usize = 8;

fn operation_text(operation: &Operation) -> String {
    let mut out = operation.code.to_string();
    for operand in operation.operands.iter().take(MOST_OPERANDS) {
        let _ = write!(out, " {operand}");
    }
    out
}

impl DebugInfo<'_> {
    /// A position as `shader.comp:12:3`; the column is left out if it isn't known.
    pub fn position_text(&self, position: Position) -> String {
        let file = self
            .file(position.file)
            .map(|file| cut_short(file.name().to_owned()))
            .unwrap_or_default();
        match position.column {
            0 => format!("{file}:{}", position.line),
            column => format!("{file}:{}:{column}", position.line),
        }
    }

    /// What there is outside of bodies of functions, as a tree: compilation units, what
    /// names them as its parent, and so on inwards; then everything else by itself.
    pub fn tree(&self) -> String {
        self.tree_of(|entry| format!("{} {}", entry.id(), entry.summary()))
    }

    /// The same with lines of a program's own choice; where each is declared stands
    /// behind them.
    pub fn tree_of(&self, line: impl Fn(Entry<'_>) -> String) -> String {
        let mut out = String::new();
        let mut seen = HashSet::new();
        let shown = |entry: &Entry<'_>| !entry.kind().is_in_body();
        let is_root = |entry: &Entry<'_>| entry.parent().is_none();
        let of_unit = |entry: &Entry<'_>| entry.kind() == Kind::CompilationUnit;
        for unit in self.entries().filter(of_unit) {
            self.branch(unit, &line, &mut seen, &mut out);
        }
        for root in self.entries().filter(shown).filter(is_root) {
            self.branch(root, &line, &mut seen, &mut out);
        }
        // What is left names something as its parent that isn't above it.
        for rest in self.entries().filter(shown) {
            self.branch(rest, &line, &mut seen, &mut out);
        }
        out
    }

    fn branch(
        &self,
        root: Entry<'_>,
        line: &impl Fn(Entry<'_>) -> String,
        seen: &mut HashSet<usize>,
        out: &mut String,
    ) {
        let mut open = vec![(root, 0)];
        while let Some((entry, depth)) = open.pop() {
            if !seen.insert(entry.offset().0) {
                continue;
            }
            let indent = 2 * depth.min(DEEPEST);
            let _ = write!(out, "{:indent$}{}", "", line(entry));
            if let Some(place) = entry.place_text() {
                let _ = write!(out, "  {place}");
            }
            out.push('\n');
            // Members of the newer sets don't tell what they are members of.
            let members = entry.members().filter(|member| member.parent().is_none());
            let children = self
                .children(entry.id())
                .filter(|child| !child.kind().is_in_body());
            let inside: Vec<_> = members.chain(children).collect();
            open.extend(inside.into_iter().rev().map(|child| (child, depth + 1)));
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
