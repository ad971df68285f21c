//! Comments in the text: headings of sections, offsets, and what ids are
//! decorated with.

use hashbrown::HashMap;
use spirvkit_binary::Instruction;
use spirvkit_grammar::{Class, Op};

use super::printer::Printer;
use super::writer::{Hue, Place};

/// The column in which comments stand unless the line is longer.
const COLUMN: usize = 50;
/// A comment further right than this does not drag the next one along.
const FURTHEST: usize = 256;
/// The same of annotated text.
const ANNOTATED: usize = 64;

/// A section that gets a heading the first time it comes up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Debug,
    Annotations,
    Types,
}

impl Section {
    fn of(op: Op) -> Option<Self> {
        if matches!(op, Op::Variable | Op::Undef) || op.is_type() || op.is_constant() {
            return Some(Self::Types);
        }
        match op.info()?.class() {
            Class::Debug => Some(Self::Debug),
            Class::Annotation => Some(Self::Annotations),
            _ => None,
        }
    }

    fn heading(self) -> &'static str {
        match self {
            Self::Debug => "; Debug Information",
            Self::Annotations => "; Annotations",
            Self::Types => "; Types, variables and constants",
        }
    }
}

pub(super) struct Comments {
    /// The sections that have had their heading.
    seen: Vec<Section>,
    /// The text of the decorations of each id that is still to be defined, in
    /// the module's order. They pass by before what they decorate, so there is no need
    /// of an index.
    decorations: HashMap<u32, String>,
    /// Where the last comment stood; 0 after a line without.
    column: usize,
}

/// What to take back if a line is not written after all.
pub(super) struct Heading(Option<Section>);

impl Comments {
    pub(super) fn new() -> Self {
        Self {
            seen: Vec::new(),
            decorations: HashMap::new(),
            column: 0,
        }
    }
}

impl Printer<'_> {
    /// Writes what comes before an instruction's line.
    #[inline]
    pub(super) fn section_heading(
        &mut self,
        instruction: &Instruction<'_>,
        place: Place,
    ) -> Heading {
        let mut heading = Heading(None);
        if self.options.comments {
            heading = self.heading(instruction);
        }
        if place.starts_block {
            self.writer.out.push('\n');
        }
        heading
    }

    fn heading(&mut self, instruction: &Instruction<'_>) -> Heading {
        let op = instruction.op();
        if op == Op::Function {
            self.writer.out.push('\n');
            if self.options.nested_indentation {
                self.writer.out.push('\n');
            }
            self.writer.margin(None, Place::default());
            self.writer.out.push_str("; Function ");
            if let Some(id) = instruction.result() {
                self.writer.names.write(&mut self.writer.out, id);
            }
            self.writer.out.push('\n');
            return Heading(None);
        }
        let Some(section) = Section::of(op) else {
            return Heading(None);
        };
        let Some(comments) = self.comments.as_mut() else {
            return Heading(None);
        };
        if comments.seen.contains(&section) {
            return Heading(None);
        }
        comments.seen.push(section);
        self.writer.out.push('\n');
        self.writer.margin(None, Place::default());
        self.writer.out.push_str(section.heading());
        self.writer.out.push('\n');
        Heading(Some(section))
    }

    /// Forgets a heading whose line could not be written.
    pub(super) fn undo_heading(&mut self, heading: Heading) {
        if let (Some(section), Some(comments)) = (heading.0, self.comments.as_mut()) {
            comments.seen.retain(|seen| *seen != section);
        }
    }

    /// Writes the comment behind the instruction whose line starts at `start`.
    #[inline]
    pub(super) fn trailing_comment(&mut self, instruction: &Instruction<'_>, start: usize) {
        if let Some(mut comments) = self.comments.take() {
            self.comment(&mut comments, instruction, start);
            self.comments = Some(comments);
        }
    }

    fn comment(&mut self, comments: &mut Comments, instruction: &Instruction<'_>, start: usize) {
        if self.options.comments && instruction.op() == Op::Decorate {
            self.collect_decoration(comments, instruction);
        }
        let mut parts: Vec<(Option<Hue>, String)> = Vec::new();
        if self.options.offsets {
            let offset = format!("0x{:08x}", instruction.offset().bytes());
            parts.push((Some(Hue::Comment), offset));
        }
        if self.options.comments {
            if let (Op::Name, Some(target)) = (instruction.op(), instruction.words().get(1)) {
                parts.push((None, format!("id %{target}")));
            }
            let decorations = instruction
                .result()
                .and_then(|id| comments.decorations.remove(&id.0));
            parts.extend(decorations.map(|text| (None, text)));
        }
        if let Some(annotations) = &self.annotations {
            let text = annotations.comment(instruction, &self.writer.names);
            parts.extend((!text.is_empty()).then_some((Some(Hue::Comment), text)));
        }
        if parts.is_empty() {
            comments.column = 0;
            return;
        }
        let column = (self.writer.visible(start) + 2)
            .max(comments.column)
            .max(COLUMN)
            .next_multiple_of(4);
        // Nearly every line is annotated, so one long line would drag many along.
        comments.column = column.min(if self.options.annotate {
            ANNOTATED
        } else {
            FURTHEST
        });
        self.writer.pad_to(start, column);
        self.writer.out.push_str("; ");
        for (index, (hue, text)) in parts.into_iter().enumerate() {
            if index > 0 {
                self.writer.out.push_str(", ");
            }
            if let Some(hue) = hue {
                self.writer.begin(hue);
            }
            self.writer.out.push_str(&text);
            if hue.is_some() {
                self.writer.end_hue();
            }
        }
    }

    /// Remembers what a decoration says of its target: the operands after it.
    fn collect_decoration(&mut self, comments: &mut Comments, instruction: &Instruction<'_>) {
        let Some(&target) = instruction.words().get(1) else {
            return;
        };
        let (start, escapes) = (self.writer.out.len(), self.writer.escapes);
        let writer = &mut self.writer;
        let operands = instruction.operands(&self.definitions);
        for operand in operands.skip(1).map_while(Result::ok) {
            if writer.out.len() > start {
                writer.out.push(' ');
            }
            if writer.operand(&operand).is_err() {
                writer.out.push('?');
            }
        }
        // A string may hold a line break, which would end the comment.
        let text = self.writer.out.split_off(start).replace(['\n', '\r'], " ");
        self.writer.escapes = escapes;
        let all = comments.decorations.entry(target).or_default();
        if !all.is_empty() {
            all.push_str(", ");
        }
        all.push_str(&text);
    }
}
