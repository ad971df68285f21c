//! What is found, with places in several modules.

use spirvkit_binary::{Budget, Id};

use super::part::Part;
use super::{PipelineReport, StageDiagnostic, StageNote};
use crate::finding::Finding;
use crate::levels::Level;
use crate::module::Module;
use crate::options::Options;

/// Collects what is found, as much as is to be reported.
pub(super) struct Problems<'o> {
    pub(super) options: &'o Options,
    found: Vec<Problem>,
    errors: usize,
    warnings: usize,
    is_cut: bool,
    budget: Budget,
}

struct Problem {
    stage: usize,
    finding: Finding,
    notes: Vec<StageNote>,
}

/// A note about an instruction of a stage.
pub(super) fn note(part: &Part<'_, '_>, offset: u32, message: impl Into<String>) -> StageNote {
    StageNote {
        stage: part.stage,
        word: offset as usize,
        operand: None,
        message: message.into(),
    }
}

/// A note about what defines an id.
pub(super) fn note_about(part: &Part<'_, '_>, id: Id, message: impl Into<String>) -> StageNote {
    let mut note = note(part, part.m.def_offset(id), message);
    let def = part.m.def(id);
    note.operand = def
        .and_then(|def| def.result_word())
        .map(|word| note.word + word);
    note
}

/// A note that the entry point of a stage is declared there.
pub(super) fn note_entry(part: &Part<'_, '_>) -> StageNote {
    let message = format!("the {} is declared here", part.title());
    note(part, part.entry.inst.offset(), message)
}

impl<'o> Problems<'o> {
    pub(super) fn new(options: &'o Options, words: impl Iterator<Item = usize>) -> Self {
        Self {
            options,
            found: Vec::new(),
            errors: 0,
            warnings: 0,
            is_cut: false,
            budget: Budget::for_words(words.fold(0, usize::saturating_add)).part(4),
        }
    }

    /// Notes what is wrong in a stage. Notes about the same module become part of it.
    #[cold]
    pub(super) fn add(&mut self, part: &Part<'_, '_>, finding: Finding, notes: Vec<StageNote>) {
        self.add_in(part.stage, part.m, finding, notes);
    }

    /// The same for the module of a stage.
    pub(super) fn add_in(
        &mut self,
        stage: usize,
        m: &Module<'_>,
        finding: Finding,
        notes: Vec<StageNote>,
    ) {
        let mut finding = finding.mentioning(&m.mentions);
        finding.find_operand(m);
        self.push(stage, finding, notes);
    }

    /// Notes that a module can't be read.
    pub(super) fn add_unread(&mut self, stage: usize, finding: Finding) {
        self.push(stage, finding, Vec::new());
    }

    fn push(&mut self, stage: usize, mut finding: Finding, notes: Vec<StageNote>) {
        match self.options.levels.of(finding.rule().id) {
            None if finding.rule().is_warning() => finding = finding.warning(),
            None | Some(Level::Deny) => {}
            Some(Level::Allow) => return,
            Some(Level::Warn) => finding = finding.warning(),
        }
        let count = match finding.is_warning() {
            true => &mut self.warnings,
            false => &mut self.errors,
        };
        let most = match self.options.max_errors {
            0 => usize::MAX,
            most => most,
        };
        let is_first_error = !finding.is_warning() && *count == 0;
        let notes_weight = notes
            .iter()
            .map(|it| size_of::<StageNote>() + it.message.len());
        let weight = finding.weight() + notes_weight.sum::<usize>() as u64;
        let is_room = *count < most && self.budget.take(weight);
        if !is_room && !is_first_error {
            self.is_cut = true;
            return;
        }
        *count += 1;
        self.found.push(Problem {
            stage,
            finding,
            notes,
        });
    }

    pub(super) fn into_report(self, is_vulkan: bool) -> PipelineReport {
        let diagnostics = self.found.into_iter().map(|problem| StageDiagnostic {
            stage: problem.stage,
            diagnostic: problem.finding.into_diagnostic(is_vulkan),
            notes: problem.notes,
        });
        PipelineReport {
            diagnostics: diagnostics.collect(),
            is_cut: self.is_cut,
        }
    }
}
