//! Telling what a change has removed.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use serde_json::{Value, json};
use spirvkit::binary::Module;
use spirvkit::diagnostics::visible;
use spirvkit::text::excerpts;

use crate::arguments::Telling;
use crate::report::{Format, Messages};

/// So many instructions of an opcode are listed each; of more, only the number is given.
const MAX: usize = 8;

/// The most characters of an instruction that are shown.
const WIDTH: usize = 100;

impl Telling {
    /// Whether there is anything to tell.
    pub(crate) fn is_wanted(&self) -> bool {
        self.verbose || self.dry_run
    }

    /// Tells what became of a module, given as words before and after.
    pub(crate) fn tell(&self, name: &str, before: &[u32], after: &[u32], messages: &mut Messages) {
        let (Ok(old), Ok(new)) = (Module::new(before), Module::new(after)) else {
            return;
        };
        let removed = removed(&old, &new);
        let count = |module: &Module<'_>| module.instructions().count();
        let (bounds, counts) = (
            (old.header().bound, new.header().bound),
            (count(&old), count(&new)),
        );
        let bytes = (before.len() * 4, after.len() * 4);
        let note = match messages.reporter().format {
            Format::Human => {
                let mut note = format!(
                    "{name}: {} → {} instructions, {} → {} bytes, id bound {} → {}",
                    counts.0, counts.1, bytes.0, bytes.1, bounds.0, bounds.1
                );
                for (op, gone) in &removed {
                    if gone.texts.is_empty() {
                        let _ = write!(note, "\n  {op}: {} of them", gone.offsets.len());
                    }
                    for text in &gone.texts {
                        let _ = write!(note, "\n  {text}");
                    }
                }
                note
            }
            Format::Json => {
                let removed: BTreeMap<&String, usize> = removed
                    .iter()
                    .map(|(op, gone)| (op, gone.offsets.len()))
                    .collect();
                let pair =
                    |(before, after): (usize, usize)| json!({"before": before, "after": after});
                let object: Value = json!({
                    "file": name,
                    "instructions": pair(counts),
                    "bytes": pair(bytes),
                    "id_bound": pair((bounds.0 as usize, bounds.1 as usize)),
                    "removed": removed,
                });
                object.to_string()
            }
        };
        messages.add_line(&note);
    }
}

/// Instructions of an opcode that are no longer there.
#[derive(Default)]
struct Gone {
    offsets: Vec<usize>,
    /// Their texts, if they are few.
    texts: Vec<String>,
}

/// What is no longer there, by the names of opcodes. Where there are as many
/// instructions as before, they have only changed.
fn removed(old: &Module<'_>, new: &Module<'_>) -> BTreeMap<String, Gone> {
    let mut removed: BTreeMap<String, Gone> = BTreeMap::new();
    if old.instructions().count() == new.instructions().count() {
        return removed;
    }
    let mut left: HashMap<&[u32], usize> = HashMap::new();
    for instruction in new.instructions().map_while(Result::ok) {
        *left.entry(instruction.words()).or_default() += 1;
    }
    for instruction in old.instructions().map_while(Result::ok) {
        match left.get_mut(instruction.words()) {
            Some(count) if *count > 0 => *count -= 1,
            _ => {
                let gone = removed.entry(instruction.op().to_string()).or_default();
                gone.offsets.push(instruction.offset().0);
            }
        }
    }
    for gone in removed
        .values_mut()
        .filter(|gone| gone.offsets.len() <= MAX)
    {
        let excerpts = excerpts(old.words(), &gone.offsets).into_iter();
        gone.texts = excerpts.map(|excerpt| shortened(&excerpt.text)).collect();
    }
    removed
}

/// The start of an instruction, fit for a terminal.
fn shortened(text: &str) -> String {
    let start: String = text.chars().take(WIDTH).collect();
    let mut short = visible(&start).into_owned();
    if text.chars().nth(WIDTH).is_some() {
        short.push('…');
    }
    short
}
