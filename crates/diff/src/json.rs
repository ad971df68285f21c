//! Differences for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};
use spirvkit_binary::Id;

use crate::result::{Change, Diff, Line, Part, PartKind, Side};
use crate::text::section_name;

/// The version of the form; it grows when something is removed or changes its meaning.
const VERSION: u32 = 1;

impl Diff {
    /// The differences as one JSON object on one line; `docs/diff-json.md` says what is
    /// in it. `names` is what to call the modules; `friendly_names` says whether to call
    /// ids in texts as the disassembler does rather than by their numbers.
    pub fn to_json(&self, names: [&str; 2], friendly_names: bool) -> String {
        let [removed, added] = self.counts();
        let header: Vec<Value> = self
            .header_changes()
            .into_iter()
            .map(|(what, a, b)| json!({"field": what.to_lowercase(), "a": a, "b": b}))
            .collect();
        let lines = self.parts().iter().flat_map(|part| &part.lines);
        let changed = lines.filter(|line| line.change() != Change::Same);
        let changed: Vec<Line> = changed.copied().collect();
        // All at once: each time takes a walk over the modules.
        let named = friendly_names.then(|| self.shown_names());
        let texts = self.texts(&changed, named.as_ref());
        let mut texts = texts.into_iter();
        let start = json!({
            "version": VERSION,
            "a": names[0],
            "b": names[1],
            "equal": self.is_empty(),
            "removed": removed,
            "added": added,
            "header": header,
        });
        let mut out = start.to_string();
        out.truncate(out.len() - 1);
        out.push_str(",\"parts\":[");
        let mut comma = "";
        for part in self.parts() {
            let lines = part.lines.iter().copied();
            let changed = lines.filter(|line| line.change() != Change::Same);
            let mut changed = changed.zip(&mut texts).peekable();
            let Some(start) = part_start(part, changed.peek().is_some()) else {
                continue;
            };
            out.push_str(comma);
            comma = ",";
            out.push_str(&start);
            out.push_str(",\"changes\":[");
            let mut comma = "";
            for (line, text) in changed {
                let _ = write!(out, "{comma}{}", self.change(line, &text));
                comma = ",";
            }
            out.push_str("]}");
        }
        let ids: Vec<[u32; 2]> = self.id_pairs().iter().map(|(a, b)| [a.0, b.0]).collect();
        let _ = write!(out, "],\"ids\":{}}}", json!(ids));
        out
    }

    fn change(&self, line: Line, text: &str) -> Value {
        let (change, side) = match line.change() {
            Change::Added => ("added", Side::B),
            _ => ("removed", Side::A),
        };
        let instruction = self.instruction(line, side);
        let own = instruction.and_then(|it| it.result());
        let id: Option<Id> = match side {
            Side::A => own,
            Side::B => own.and_then(|id| self.shown_id(id)),
        };
        json!({
            "change": change,
            "opcode": instruction.map(|it| it.op().to_string()),
            "id": id.map(|id| id.0),
            "own_id": own.map(|id| id.0),
            "text": text,
        })
    }
}

/// A part up to its changes, if there is something to tell about it.
fn part_start(part: &Part, has_changes: bool) -> Option<String> {
    let start = match part.kind {
        PartKind::Section(_) if !has_changes => return None,
        PartKind::Section(section) => json!({
            "kind": "section",
            "section": section_name(section),
        }),
        PartKind::Function { moved, .. } if !has_changes && !moved => return None,
        PartKind::Function { a, b, moved } => json!({
            "kind": "function",
            "a": a.map(|id| id.0),
            "b": b.map(|id| id.0),
            "moved": moved,
        }),
    };
    let mut start = start.to_string();
    start.truncate(start.len() - 1);
    Some(start)
}
