//! Ids that are used, but that nothing defines.

use hashbrown::HashSet;
use spirvkit_binary::{Definition, Id};
use spirvkit_diagnostics::{Diagnostic, closest};

use super::reported::Reported;
use super::{Assembler, errors};
use crate::lexer::TokenKind;

/// Of how many ids it's worth to look for names like theirs, and among how many.
const WORTH_A_LOOK: usize = 20;
const MAX_NAMES: usize = 10_000;

impl Assembler<'_> {
    /// Warns of each id that nothing defines, where it is used first.
    pub(super) fn warn_of_undefined_ids(&self, warnings: &mut Vec<Diagnostic>) {
        let is_undefined = |id: &u32| self.definitions.get(Id(*id)) == Definition::Undefined;
        if !self.has_raw_instructions && self.ids.numbers().any(|id| is_undefined(&id)) {
            self.find_undefined_ids(is_undefined, warnings);
        }
    }

    #[cold]
    fn find_undefined_ids(
        &self,
        is_undefined: impl Fn(&u32) -> bool,
        warnings: &mut Vec<Diagnostic>,
    ) {
        let mut seen = HashSet::new();
        let mut reported = Reported::new(self.lexer.text_len());
        let mut lexer = self.lexer.restarted();
        loop {
            let token = lexer.next();
            match token.kind {
                TokenKind::End => break,
                TokenKind::Id => {}
                _ => continue,
            }
            let name = lexer.id_name(token);
            let Some(id) = self.ids.number(token, name).filter(&is_undefined) else {
                continue;
            };
            if !seen.insert(id) {
                continue;
            }
            let (most, span) = (self.options.max_errors, token.span());
            if most > 0 && seen.len() > most {
                reported.end(errors::too_many_undefined_ids(most).at_span(span));
                break;
            }
            if reported.is_full() {
                reported.leave_out(1, span);
                continue;
            }
            let similar = (token.number == 0 && seen.len() <= WORTH_A_LOOK)
                .then(|| self.defined_name_like(name))
                .flatten();
            reported.push(errors::undefined_id(lexer.text(token), similar), span);
        }
        warnings.extend(reported.into_vec(errors::more_undefined_ids));
    }

    /// The name of a defined id that is most like another name.
    fn defined_name_like(&self, name: &str) -> Option<&str> {
        let is_defined = |id: u32| self.definitions.get(Id(id)) != Definition::Undefined;
        let defined = self.ids.named().filter(|&(id, _)| is_defined(id));
        let mut names: Vec<&str> = defined.map(|(_, name)| name).take(MAX_NAMES + 1).collect();
        if names.len() > MAX_NAMES {
            return None;
        }
        // The table has no order of its own, but ties need one.
        names.sort_unstable();
        closest(name, names.into_iter())
    }
}
