//! Text from a module, made fit to stand in a comment: on one line, without
//! anything that a terminal would act upon, and of limited length.

use spirvkit_diagnostics::is_disruptive;

/// What is put where text was cut off.
const CUT: char = '…';
/// Source text uses tabs for indentation, and a comment has no tab stops.
const TAB: &str = "    ";

/// Appends at most `limit` characters of a text.
pub(super) fn push_plain(out: &mut String, text: &str, limit: usize) {
    for (index, character) in text.chars().enumerate() {
        if index >= limit {
            out.push(CUT);
            return;
        }
        match character {
            '\t' => out.push_str(TAB),
            _ if is_disruptive(character) => out.push(char::REPLACEMENT_CHARACTER),
            _ => out.push(character),
        }
    }
}

/// Cuts what follows `start` to `limit` characters.
pub(super) fn clip(out: &mut String, start: usize, limit: usize) {
    let Some(text) = out.get(start..) else { return };
    // No character takes less than a byte.
    if text.len() <= limit {
        return;
    }
    let mut positions = text.char_indices().map(|(position, _)| position);
    let Some(last) = positions.nth(limit.saturating_sub(1)) else {
        return;
    };
    if positions.next().is_some() {
        out.truncate(start + last);
        out.push(CUT);
    }
}

/// Starts another item of the list that starts at `start`.
pub(super) fn separate(out: &mut String, start: usize) {
    if out.len() > start {
        out.push_str(", ");
    }
}
