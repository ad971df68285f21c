//! What is reported of a text, as much as there is room for.

use spirvkit_binary::Budget;
use spirvkit_diagnostics::{Diagnostic, Span};

/// The errors or the warnings of a text, in its order. There may be one for every other
/// byte, so those that have no room are only counted.
#[derive(Debug)]
pub(super) struct Reported {
    list: Vec<Diagnostic>,
    budget: Budget,
    /// How many had no room, and where the first of them is.
    left_out: Option<(usize, Span)>,
    last: Option<Diagnostic>,
}

impl Reported {
    /// For a text of so many bytes.
    pub(super) fn new(text_len: usize) -> Self {
        Self {
            list: Vec::new(),
            // Beside the text, its words and what is remembered of its ids.
            budget: Budget::for_input(text_len as u64).part(2),
            left_out: None,
            last: None,
        }
    }

    /// How many there are, reported or not.
    pub(super) fn len(&self) -> usize {
        self.list.len() + self.left_out.map_or(0, |(count, _)| count)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether another one would have no room.
    pub(super) fn is_full(&self) -> bool {
        self.budget.is_spent()
    }

    /// The first is reported in any case: without any, all would be well.
    pub(super) fn push(&mut self, diagnostic: Diagnostic, span: Span) {
        if self.budget.take(weight(&diagnostic)) || self.list.is_empty() {
            self.list.push(diagnostic.at_span(span));
        } else {
            self.leave_out(1, span);
        }
    }

    /// Counts so many more that are not reported, of which the first is here.
    pub(super) fn leave_out(&mut self, count: usize, span: Span) {
        self.left_out.get_or_insert((0, span)).0 += count;
    }

    /// What is reported, and how many had no room, with the place of the first.
    pub(super) fn into_parts(self) -> (Vec<Diagnostic>, Option<(usize, Span)>) {
        (self.list, self.left_out)
    }

    /// Has this reported at the end of all, whether there is room or not.
    pub(super) fn end(&mut self, diagnostic: Diagnostic) {
        self.last = Some(diagnostic);
    }

    /// All of them; `rest` says that so many are left out.
    pub(super) fn into_vec(self, rest: impl Fn(usize) -> Diagnostic) -> Vec<Diagnostic> {
        let rest = self.left_out.map(|(count, span)| rest(count).at_span(span));
        let mut list = self.list;
        list.extend(rest);
        list.extend(self.last);
        list
    }
}

/// About how many bytes it takes to keep one and to show it.
fn weight(diagnostic: &Diagnostic) -> u64 {
    /// What is kept beside the texts, and shown around them: names of files and rules,
    /// places, and some of the line.
    const AROUND: usize = 768;
    let help = diagnostic.help().map_or(0, str::len);
    (AROUND + 2 * (diagnostic.message().len() + help)) as u64
}
