//! The stages of a pipeline, with everything that messages about them need.

use std::cell::OnceCell;

use spirvkit_binary::{Error, Id};
use spirvkit_diagnostics::{Diagnostic, Elsewhere, ErrorClass, Errors, Location, Quote, Source};
use spirvkit_grammar::ExecutionModel;
use spirvkit_text::{AssembleOptions, IdNames, Origins, assemble};
use spirvkit_validate::{Options, Pipeline, PipelineReport, Stage, StageDiagnostic, StageNote};
use spirvkit_vulkan::{Need, PipelineLayout};

#[cfg(all(feature = "analysis", feature = "ir", feature = "transform"))]
use crate::specialized::Specialized;
use crate::validation::{located_within, quoted};

/// A module as a stage of a pipeline, or as several, for [`validate_pipeline`].
#[derive(Clone, Debug)]
pub struct PipelineStage {
    file: String,
    words: Vec<u32>,
    text: Option<(String, Origins)>,
    entry_point: Option<String>,
    model: Option<ExecutionModel>,
    #[cfg(all(feature = "analysis", feature = "ir", feature = "transform"))]
    specialized: Option<Specialized>,
}

impl PipelineStage {
    /// A module in words, in host order; `file` is how messages call it. All of its entry points are
    /// stages, unless one is [named](Self::entry_point).
    pub fn new(file: impl Into<String>, words: Vec<u32>) -> Self {
        Self {
            file: file.into(),
            words,
            text: None,
            entry_point: None,
            model: None,
            #[cfg(all(feature = "analysis", feature = "ir", feature = "transform"))]
            specialized: None,
        }
    }

    /// The same of a module in the form of assembly text.
    ///
    /// # Errors
    ///
    /// If the text can't be assembled.
    pub fn from_text(
        file: impl Into<String>,
        text: impl Into<String>,
        options: &Options,
    ) -> Result<Self, Errors> {
        let text = text.into();
        let assembling = AssembleOptions::default()
            .default_version(options.env.version())
            .undefined_ids(false)
            .origins(true);
        let module = assemble(&text, &assembling)?;
        let mut stage = Self::new(file, module.words);
        stage.text = Some((text, module.origins));
        Ok(stage)
    }

    /// Only its entry points of this name.
    #[must_use]
    pub fn entry_point(mut self, name: impl Into<String>) -> Self {
        self.entry_point = Some(name.into());
        self
    }

    /// Only its entry points of this model.
    #[must_use]
    pub fn model(mut self, model: ExecutionModel) -> Self {
        self.model = Some(model);
        self
    }

    /// Gives specialization constants, by their result ids, the bits of these values; all others
    /// have their defaults. Then [`validate_pipeline`] also says what is wrong with the module once they
    /// have them, and what it needs of the devices. By itself, validate it [without
    /// devices](Options::without_devices): that it fits with other values doesn't matter.
    ///
    /// # Errors
    ///
    /// If the module can't be loaded, or one is no such constant: what is wrong.
    #[cfg(all(feature = "analysis", feature = "ir", feature = "transform"))]
    pub fn specialize(mut self, values: &[(Id, u64)]) -> Result<Self, String> {
        self.specialized = Some(Specialized::of(&self.words, values)?);
        Ok(self)
    }

    /// The same stage of another module, in words, in host order.
    #[must_use]
    pub fn with_words(mut self, words: Vec<u32>) -> Self {
        (self.words, self.text) = (words, None);
        self
    }

    /// What constants are that specialization changes.
    fn constants(&self) -> &[(Id, u64)] {
        #[cfg(all(feature = "analysis", feature = "ir", feature = "transform"))]
        if let Some(specialized) = &self.specialized {
            return &specialized.constants;
        }
        &[]
    }

    /// What is wrong with the module only when it is specialized.
    #[cfg_attr(
        not(all(feature = "analysis", feature = "ir", feature = "transform")),
        expect(unused_variables)
    )]
    fn errors(&self, options: &Options, names: &dyn Fn(Id) -> Option<String>) -> Vec<Diagnostic> {
        #[cfg(all(feature = "analysis", feature = "ir", feature = "transform"))]
        if let Some(specialized) = &self.specialized {
            return specialized.errors(&self.words, options, names);
        }
        Vec::new()
    }

    /// The module's words.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// What the module needs of devices, as [`device_needs`](spirvkit_validate::device_needs), if its
    /// specialization constants have the values that they were [given](Self::specialize). Offsets are of
    /// [`words`](Self::words).
    ///
    /// # Errors
    ///
    /// If the header can't be read.
    pub fn device_needs(&self) -> Result<Vec<Need>, Error> {
        #[cfg(all(feature = "analysis", feature = "ir", feature = "transform"))]
        if let Some(specialized) = &self.specialized {
            return specialized.device_needs(&self.words);
        }
        spirvkit_validate::device_needs(&self.words)
    }

    /// Diagnostics of this module with what their instructions look like, and where they are in the
    /// text; without the last ones, if all are too much for its size.
    fn shown(&self, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        match &self.text {
            Some((text, origins)) => located_within(&self.words, text, origins, diagnostics),
            None if diagnostics.is_empty() => diagnostics,
            None => quoted(&self.words, diagnostics),
        }
    }
}

/// Checks whether stages fit together as one Vulkan pipeline, as [`Pipeline::check`] does. Diagnostics
/// contain the text of instructions, and places in other stages are among their labels, each with its
/// file. What is wrong with a module by itself, [`validate`](fn@crate::validate) says; of one that is
/// specialized, what is wrong only then is among the diagnostics.
pub fn validate_pipeline(
    stages: &[PipelineStage],
    layout: Option<&PipelineLayout>,
    options: &Options,
) -> PipelineReport {
    type Names<'n> = Box<dyn Fn(Id) -> Option<String> + 'n>;
    let names: Vec<Names<'_>> = stages
        .iter()
        .map(|stage| -> Names<'_> {
            match &stage.text {
                Some((_, origins)) => Box::new(|id| origins.name_of(id).map(str::to_owned)),
                None => {
                    // Names take a pass over the module, which one without errors is spared.
                    let names = OnceCell::new();
                    Box::new(move |id| {
                        let names = names.get_or_init(|| IdNames::new(&stage.words));
                        names.get(id).map(str::to_owned)
                    })
                }
            }
        })
        .collect();
    let parts = stages.iter().zip(&names).map(|(stage, names)| {
        let mut part = Stage::new(&stage.words)
            .constants(stage.constants().iter().copied())
            .names(&**names);
        if let Some(name) = &stage.entry_point {
            part = part.entry_point(name);
        }
        if let Some(model) = stage.model {
            part = part.model(model);
        }
        part
    });
    let mut pipeline = Pipeline::new(parts);
    if let Some(layout) = layout {
        pipeline = pipeline.layout(layout);
    }
    let report = pipeline.check(options);
    let mut found = report.diagnostics().to_vec();
    for (number, (stage, names)) in stages.iter().zip(&names).enumerate() {
        let errors = stage.errors(options, &**names).into_iter();
        found.extend(errors.map(|error| StageDiagnostic::new(number, error)));
    }
    found.sort_by_key(|it| it.stage);
    let shown = shown(stages, &found);
    report.with_diagnostics(shown)
}

/// Diagnostics with quotes, and with notes as labels.
fn shown(stages: &[PipelineStage], found: &[StageDiagnostic]) -> Vec<StageDiagnostic> {
    let mut all: Vec<Option<StageDiagnostic>> = found.iter().cloned().map(Some).collect();
    for (number, stage) in stages.iter().enumerate() {
        let own = all
            .iter_mut()
            .filter(|it| it.as_ref().is_some_and(|it| it.stage == number));
        let own: Vec<&mut Option<StageDiagnostic>> = own.collect();
        let bare = own
            .iter()
            .filter_map(|it| Some(it.as_ref()?.diagnostic.clone()));
        // Those that have no room are left out, but they stay in order.
        let mut shown = stage.shown(bare.collect()).into_iter().peekable();
        for it in own {
            let is_it = |shown: &Diagnostic| {
                let before = it.as_ref().map(|it| &it.diagnostic);
                before.is_some_and(|before| {
                    (before.rule(), before.message()) == (shown.rule(), shown.message())
                })
            };
            match (shown.next_if(is_it), it.as_mut()) {
                (Some(shown), Some(it)) => it.diagnostic = shown,
                _ => *it = None,
            }
        }
    }
    let notes = found.iter().flat_map(|it| {
        let notes = it.notes.iter();
        notes.map(|note| (it.diagnostic.rule(), note))
    });
    let there = shown_notes(stages, notes.clone().collect());
    let mut there = notes.map(|it| it.1).zip(there);
    for it in all.iter_mut().zip(found) {
        let (it, before) = it;
        for (note, label) in there.by_ref().take(before.notes.len()) {
            if let (Some(found), Some(label)) = (it.as_mut(), label) {
                found.diagnostic = with_label(found.diagnostic.clone(), note, label);
            }
        }
        if let Some(found) = it {
            found.notes.clear();
        }
    }
    all.into_iter().flatten().collect()
}

/// Where notes about breaking rules are, and what is there; nothing for a note about no stage.
fn shown_notes(
    stages: &[PipelineStage],
    notes: Vec<(&'static str, &StageNote)>,
) -> Vec<Option<(Elsewhere, Option<Quote>)>> {
    let mut all = vec![None; notes.len()];
    for (number, stage) in stages.iter().enumerate() {
        let own = notes.iter().enumerate();
        let own = own.filter(|(_, (_, note))| note.stage == number);
        // As if they were diagnostics there, to see what these look like.
        let own: Vec<(usize, Diagnostic)> = own
            .map(|(index, (rule, note))| {
                let bare = Diagnostic::error(rule, ErrorClass::InvalidData, "");
                let bare = bare.at_word(note.word);
                let operand = note.operand;
                (
                    index,
                    operand.into_iter().fold(bare, Diagnostic::at_operand),
                )
            })
            .collect();
        let (indexes, bare): (Vec<usize>, Vec<Diagnostic>) = own.into_iter().unzip();
        let source = stage
            .text
            .as_ref()
            .filter(|_| !bare.is_empty())
            .map(|(text, _)| Source::new(&stage.file, text));
        for (index, shown) in indexes.into_iter().zip(stage.shown(bare)) {
            let place = match (shown.location(), &source) {
                (Location::Span(span), Some(source)) => Some((span, source.position(span.start))),
                _ => None,
            };
            let elsewhere = Elsewhere {
                file: stage.file.clone(),
                place,
            };
            all[index] = Some((elsewhere, shown.quote().cloned()));
        }
    }
    all
}

/// Adds a note as a label.
fn with_label(
    diagnostic: Diagnostic,
    note: &StageNote,
    (elsewhere, quote): (Elsewhere, Option<Quote>),
) -> Diagnostic {
    let diagnostic = diagnostic.with_label(Location::Word(note.word), note.message.clone());
    let operand = note.operand.into_iter();
    let diagnostic = operand.fold(diagnostic, Diagnostic::with_label_operand);
    diagnostic.with_label_elsewhere(elsewhere, quote)
}
