//! Differences as text for people: a unified diff of assembly text.

use std::fmt::Write as _;

use hashbrown::HashMap;
use spirvkit_binary::{Id, Section};
use spirvkit_diagnostics::visible_lines;
use spirvkit_text::{IdNames, excerpts, named_excerpts};

use crate::result::{Change, Diff, Line, Named, PartKind};

/// How wide results are set, as by the disassembler.
const COLUMN: usize = 15;

spirvkit_binary::options! {
    /// How to show a [`Diff`] as text.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TextOptions {
        /// How many lines without a change to show around each change; `None` for all.
        pub context: Option<usize> = Some(3),
        /// Whether to colour the text with ANSI escapes.
        pub color: bool = false,
        /// Whether to set instructions in one column.
        pub indent: bool = true,
        /// Whether to say which id of the second module is which of the first.
        pub id_map: bool = false,
        /// What to call the modules, in two lines at the top.
        pub names: Option<[String; 2]> = None,
        /// Whether to call ids as the disassembler does (`%main`) rather than by their
        /// numbers.
        pub friendly_names: bool = false,
        /// Whether to show the places of changes, in lines that start with `@@`.
        pub places: bool = true,
    }
}

/// A line to show.
struct Shown {
    change: Change,
    text: String,
    part: usize,
}

impl Diff {
    /// The differences as a unified diff, in the assembly language: every instruction
    /// with the ids of the first module, and those that only the second has with
    /// numbers of their own. Empty if there are none and the options ask for no more.
    pub fn to_text(&self, options: &TextOptions) -> String {
        let mut out = String::new();
        if !self.is_empty() || options.context.is_none() {
            self.write_lines(options, &mut out);
        }
        if options.id_map {
            self.write_id_map(options, &mut out);
        }
        out
    }

    fn write_lines(&self, options: &TextOptions, out: &mut String) {
        let all = self.numbered_lines();
        let wanted = shown_lines(&all, options.context);
        let lines: Vec<Line> = wanted.iter().map(|&(_, line, _)| line).collect();
        let names = options.friendly_names.then(|| self.shown_names());
        let texts = self.texts(&lines, names.as_ref());
        let paint = Paint(options.color);
        if let Some([a, b]) = &options.names {
            paint.line(out, "1", &format!("--- {a}"));
            paint.line(out, "1", &format!("+++ {b}"));
        }
        for (what, a, b) in self.header_changes() {
            paint.line(out, "31", &format!("-; {what}: {a}"));
            paint.line(out, "32", &format!("+; {what}: {b}"));
        }
        let mut number = [1, 1];
        let mut next = 0;
        let mut texts = texts.into_iter();
        for run in wanted.chunk_by(|a, b| a.0 + 1 == b.0) {
            for (_, line, _) in &all[next..run[0].0] {
                advance(&mut number, line.change());
            }
            next = run[0].0 + run.len();
            let shown: Vec<Shown> = run
                .iter()
                .zip(&mut texts)
                .map(|(&(_, line, part), text)| Shown {
                    change: line.change(),
                    text,
                    part,
                })
                .collect();
            let start = number;
            for line in &shown {
                advance(&mut number, line.change);
            }
            if options.places {
                let first = shown.iter().find(|line| line.change != Change::Same);
                let part = first.or(shown.first()).map_or(0, |line| line.part);
                let place = format!(
                    "@@ -{},{} +{},{} @@ {}",
                    start[0],
                    number[0] - start[0],
                    start[1],
                    number[1] - start[1],
                    self.part_name(part, names.as_ref())
                );
                paint.line(out, "36", &place);
            }
            for line in &shown {
                let (marker, color) = match line.change {
                    Change::Same => (' ', ""),
                    Change::Removed => ('-', "31"),
                    Change::Added => ('+', "32"),
                };
                let margin = margin(&line.text, options.indent);
                // Strings may have ends of lines in them.
                for (index, text) in line.text.split('\n').enumerate() {
                    let margin = if index == 0 { margin } else { 0 };
                    paint.line(out, color, &format!("{marker}{:margin$}{text}", ""));
                }
            }
        }
    }

    /// All lines with the numbers of their parts.
    fn numbered_lines(&self) -> Vec<(usize, Line, usize)> {
        let parts = self.parts().iter().enumerate();
        let lines = parts.flat_map(|(part, it)| it.lines.iter().map(move |&line| (line, part)));
        let numbered = lines.enumerate();
        numbered
            .map(|(index, (line, part))| (index, line, part))
            .collect()
    }

    /// The texts of lines, with names for the ids of both modules or with their numbers.
    pub(crate) fn texts(&self, lines: &[Line], names: Option<&Named>) -> Vec<String> {
        let of_a = lines.iter().filter_map(|line| line.a);
        let of_b = lines.iter().filter(|line| line.a.is_none());
        let of_b = of_b.filter_map(|line| line.b);
        let offsets_a: Vec<usize> = of_a.map(|item| self.a.offset(item)).collect();
        let offsets_b: Vec<usize> = of_b.map(|item| self.b.offset(item)).collect();
        let show = |words: &[u32], offsets: &[usize], names: Option<&HashMap<Id, String>>| {
            let Some(names) = names else {
                return excerpts(words, offsets).into_iter();
            };
            let names = names.iter().map(|(id, name)| (*id, &**name));
            named_excerpts(words, offsets, &IdNames::given(words, names)).into_iter()
        };
        let mut texts_a = show(&self.a.words, &offsets_a, names.map(|[a, _]| a));
        let mut texts_b = match offsets_b.is_empty() {
            true => Vec::new().into_iter(),
            false => show(&self.shown_words(), &offsets_b, names.map(|[_, b]| b)),
        };
        let text = |line: &Line| {
            let text = match line.a {
                Some(_) => texts_a.next(),
                None => texts_b.next(),
            };
            text.map(|excerpt| excerpt.text).unwrap_or_default()
        };
        lines.iter().map(text).collect()
    }

    fn part_name(&self, part: usize, names: Option<&Named>) -> String {
        match self.parts().get(part).map(|part| part.kind) {
            Some(PartKind::Section(section)) => section_name(section).to_owned(),
            Some(PartKind::Function { a, b, moved }) => {
                let side = usize::from(a.is_none());
                let id = a.or_else(|| self.shown_id(b?));
                let names = names.and_then(|names| names.get(side));
                let id = id.map_or_else(String::new, |id| format!(" {}", called(id, names)));
                let moved = if moved { ", moved" } else { "" };
                format!("function{id}{moved}")
            }
            None => String::new(),
        }
    }

    fn write_id_map(&self, options: &TextOptions, out: &mut String) {
        let names = options.friendly_names.then(|| self.own_names());
        let names = names.as_ref();
        out.push_str("; ids of the first and the second module\n");
        for &(a, b) in self.id_pairs() {
            let a = called(a, names.map(|[a, _]| a));
            let b = called(b, names.map(|[_, b]| b));
            let _ = writeln!(out, "; {a} = {b}");
        }
    }
}

/// What an id is called.
fn called(id: Id, names: Option<&HashMap<Id, String>>) -> String {
    match names.and_then(|names| names.get(&id)) {
        Some(name) => format!("%{name}"),
        None => id.to_string(),
    }
}

fn advance(number: &mut [usize; 2], change: Change) {
    number[0] += usize::from(change != Change::Added);
    number[1] += usize::from(change != Change::Removed);
}

/// The lines that are changes or near one.
fn shown_lines(
    changes: &[(usize, Line, usize)],
    context: Option<usize>,
) -> Vec<(usize, Line, usize)> {
    let Some(context) = context else {
        return changes.to_vec();
    };
    let mut shown: Vec<(usize, Line, usize)> = Vec::new();
    let mut next = 0;
    for (index, line, _) in changes {
        if line.change() == Change::Same {
            continue;
        }
        let start = index.saturating_sub(context).max(next);
        let end = index.saturating_add(context).saturating_add(1);
        let end = end.min(changes.len());
        if end > next {
            shown.extend_from_slice(&changes[start..end]);
            next = end;
        }
    }
    shown
}

/// By how much an instruction is indented.
fn margin(text: &str, indent: bool) -> usize {
    if !indent {
        return 0;
    }
    let result = text.starts_with('%').then(|| text.find(" = ")).flatten();
    COLUMN.saturating_sub(result.map_or(0, |end| end + 3))
}

/// Writes lines, in colour or not.
struct Paint(bool);

impl Paint {
    fn line(&self, out: &mut String, color: &str, text: &str) {
        if !self.0 {
            let _ = writeln!(out, "{text}");
            return;
        }
        // A text in colour is for a terminal, which is to show strings rather than do
        // what they say.
        let text = visible_lines(text);
        let _ = match color {
            "" => writeln!(out, "{text}"),
            _ => writeln!(out, "\x1b[{color}m{text}\x1b[0m"),
        };
    }
}

/// What a section is called.
pub(crate) fn section_name(section: Section) -> &'static str {
    match section {
        Section::Capabilities => "capabilities",
        Section::Extensions => "extensions",
        Section::Imports => "imports",
        Section::MemoryModel => "memory model",
        Section::AddressingMode => "addressing mode",
        Section::EntryPoints => "entry points",
        Section::ExecutionModes => "execution modes",
        Section::Sources => "sources",
        Section::Names => "names",
        Section::Processed => "processes",
        Section::Annotations => "annotations",
        Section::Types => "types",
        Section::Functions => "functions",
        Section::Graphs => "graphs",
    }
}
