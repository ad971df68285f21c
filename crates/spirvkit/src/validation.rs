//! The validator, with everything that a message needs: the instruction's text, the shader's
//! own line, and places in assembly text.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use spirvkit_binary::{Budget, Id, words_from_bytes};
use spirvkit_diagnostics::{Diagnostic, Quote, Span};
use spirvkit_text::{
    AssembleOptions, Excerpt, IdNames, Origins, assemble, excerpts, named_excerpts,
};
use spirvkit_validate::{Options, Report};

/// Validates a module in binary form, in either byte order.
///
/// Diagnostics contain the text of the instruction and, if the module has line information,
/// the line of the shader that it comes from. Ids have the disassembler's names, unless [the
/// options](Options::raw_ids) ask for numbers.
///
/// ```
/// let options = spirvkit::ValidateOptions::for_env("vulkan1.3".parse().unwrap());
/// let report = spirvkit::validate_bytes(b"not a module", &options);
/// assert!(!report.is_valid());
/// ```
pub fn validate_bytes(bytes: &[u8], options: &Options) -> Report {
    match words_from_bytes(bytes) {
        Ok((words, _)) => validate(&words, options),
        Err(_) => spirvkit_validate::validate_bytes(bytes, options),
    }
}

/// Validates a module, given as words in host order, as [`validate_bytes`] does.
pub fn validate(words: &[u32], options: &Options) -> Report {
    // Names take a pass over the module, which one without errors is spared.
    let names = OnceCell::new();
    let names = || names.get_or_init(|| IdNames::new(words));
    let name = |id: Id| names().get(id).map(str::to_owned);
    let report = spirvkit_validate::validate_named(words, options, &name);
    let excerpts = |offsets: &[usize]| match options.raw_ids {
        true => excerpts(words, offsets),
        false => named_excerpts(words, offsets, names()),
    };
    with_excerpts(report, room(words), excerpts)
}

/// How much may be reported of a module.
fn room(words: &[u32]) -> Budget {
    // Diagnostics are held and printed, and so are the instructions that they quote.
    Budget::for_words(words.len()).part(4)
}

/// Validates a module in the form of assembly text. Locations are
/// [spans](spirvkit_diagnostics::Location::Span) of the text, and messages use the text's
/// names for ids. If the text can't be assembled, the report holds the reasons.
///
/// Unless a header comment in the text says otherwise, the module has the newest version of
/// the language that the environment accepts.
///
/// ```
/// let options = spirvkit::ValidateOptions::for_env("vulkan1.3".parse().unwrap());
/// let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%v = OpTypeVector %nothing 2\n";
/// let report = spirvkit::validate_text(text, &options);
/// assert!(report.diagnostics()[0].message().contains("`%nothing`"));
/// ```
pub fn validate_text(text: &str, options: &Options) -> Report {
    let assembling = AssembleOptions::default()
        .default_version(options.env.version())
        .max_errors(options.max_errors)
        // The validator reports them.
        .undefined_ids(false)
        .origins(true);
    let module = match assemble(text, &assembling) {
        Ok(module) => module,
        Err(errors) => return Report::new(errors.into_vec()),
    };
    let (words, origins) = (&module.words, &module.origins);
    let name = |id: Id| origins.name_of(id).map(str::to_owned);
    let report = spirvkit_validate::validate_named(words, options, &name);
    let mut report = with_excerpts(report, room(words), |offsets| excerpts(words, offsets));
    report.map_within(&mut room(words), |diagnostic| {
        locate(diagnostic, text, origins)
    });
    let warnings = module.warnings.into_iter();
    let warnings = warnings.filter_map(|warning| options.levels.apply(warning));
    report.prepend(warnings.collect());
    report
}

/// Adds the text of instructions, and the lines of the shader that they come from, to
/// diagnostics about a module, given as words in host order.
pub fn quoted(words: &[u32], diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let names = IdNames::new(words);
    let report = Report::new(diagnostics);
    let report = with_excerpts(report, room(words), |offsets| {
        named_excerpts(words, offsets, &names)
    });
    report.into_diagnostics()
}

/// Changes the locations of diagnostics from words to places in the text that the module was
/// assembled from, and quotes their instructions.
pub fn located(text: &str, origins: &Origins, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let diagnostics = diagnostics.into_iter();
    diagnostics
        .map(|diagnostic| locate(diagnostic, text, origins))
        .collect()
}

/// The same of as many of them, the first ones, as are in proportion to the module.
#[cfg(feature = "vulkan")]
pub(crate) fn located_within(
    words: &[u32],
    text: &str,
    origins: &Origins,
    diagnostics: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    let mut report = Report::new(diagnostics);
    report.map_within(&mut room(words), |diagnostic| {
        locate(diagnostic, text, origins)
    });
    report.into_diagnostics()
}

/// Moves a diagnostic into the text that its module was made from, and quotes
/// the instructions as they are there.
fn locate(diagnostic: Diagnostic, text: &str, origins: &Origins) -> Diagnostic {
    let quote = |word: Option<usize>, operand: Option<usize>| {
        let all = origins.span(word?)?;
        let operand = operand.and_then(|operand| origins.operand(text, operand));
        let operand = operand.map(|operand| Span {
            start: operand.start - all.start,
            end: operand.end - all.start,
        });
        Some(Quote::new(text.get(all.start..all.end)?, operand))
    };
    let shown = quote(diagnostic.word_offset(), diagnostic.operand());
    let moved = diagnostic
        .map_locations(|location| origins.locate(text, location))
        .map_labels(|label| label.instruction = quote(label.word_offset, label.operand));
    match shown {
        Some(shown) => moved.with_instruction(shown),
        None => moved,
    }
}

/// Adds what the instructions look like. Only a module with errors pays for it.
fn with_excerpts(
    mut report: Report,
    mut budget: Budget,
    excerpts: impl Fn(&[usize]) -> Vec<Excerpt>,
) -> Report {
    let found = report.diagnostics().iter();
    let offsets = found.flat_map(|diagnostic| {
        let labels = diagnostic.labels().iter().map(|label| label.word_offset);
        std::iter::once(diagnostic.word_offset()).chain(labels)
    });
    let offsets: BTreeSet<usize> = offsets.flatten().collect();
    let offsets: Vec<usize> = offsets.into_iter().collect();
    if offsets.is_empty() {
        return report;
    }
    let excerpts = excerpts(&offsets);
    let excerpt = |word: Option<usize>| excerpts.get(offsets.binary_search(&word?).ok()?);
    let quote = |word: Option<usize>, operand: Option<usize>| {
        let excerpt = excerpt(word).filter(|excerpt| !excerpt.text.is_empty())?;
        let operand = operand
            .zip(word)
            .map(|(operand, word)| operand.saturating_sub(word));
        Some(excerpt.quote(operand.unwrap_or(0)))
    };
    report.map_within(&mut budget, |mut diagnostic| {
        let word = diagnostic.word_offset();
        if let Some(quote) = quote(word, diagnostic.operand()) {
            diagnostic = diagnostic.with_instruction(quote);
        }
        if let Some(line) = excerpt(word).and_then(|excerpt| excerpt.shader_line.clone()) {
            diagnostic = diagnostic.with_shader_line(line);
        }
        diagnostic.map_labels(|label| {
            label.instruction = quote(label.word_offset, label.operand);
        })
    });
    report
}
