//! The validator with everything a message needs: the instruction's text, the
//! shader's own line, and places in assembly text.

use std::collections::BTreeMap;

use spirvkit_binary::words_from_bytes;
use spirvkit_diagnostics::{Diagnostic, Location};
use spirvkit_text::{AssembleOptions, Origins, assemble, excerpts};
use spirvkit_validate::{Options, Report};

/// Judges a module in binary form, of either byte order.
///
/// Diagnostics hold the text of the instruction that they are about and, if the
/// module tells, the line of the shader that it came of.
///
/// ```
/// let options = spirvkit::ValidateOptions::for_env("vulkan1.3".parse().unwrap());
/// let report = spirvkit::validate(b"not a module", &options);
/// assert!(!report.is_valid());
/// ```
pub fn validate(bytes: &[u8], options: &Options) -> Report {
    match words_from_bytes(bytes) {
        Ok((words, _)) => validate_words(&words, options),
        Err(_) => spirvkit_validate::validate_bytes(bytes, options),
    }
}

/// Judges a module, given as words in host order, as [`validate`] does.
pub fn validate_words(words: &[u32], options: &Options) -> Report {
    with_excerpts(words, spirvkit_validate::validate(words, options))
}

/// Judges a module in the form of assembly text. Locations are
/// [spans](Location::Span) of the text, and messages call ids what the text
/// calls them. If the text can't be assembled, the report holds the reasons.
///
/// Unless the text says it in a header comment, the module is of the newest
/// version of the language that the environment takes.
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
        .origins(true);
    let module = match assemble(text, &assembling) {
        Ok(module) => module,
        Err(errors) => return Report::new(errors),
    };
    let names = module.origins.names();
    let names: BTreeMap<u32, String> = names.map(|(id, name)| (id.0, name.to_owned())).collect();
    let report = spirvkit_validate::validate_named(&module.words, options, &names);
    let mut report = with_excerpts(&module.words, report);
    let origins = &module.origins;
    report.map(|diagnostic| locate(diagnostic, text, origins));
    let mut diagnostics = module.warnings;
    if !diagnostics.is_empty() {
        diagnostics.append(&mut report.into_diagnostics());
        return Report::new(diagnostics);
    }
    report
}

/// Moves a diagnostic into the text that its module was made from, and quotes
/// the instruction as it stands there.
fn locate(diagnostic: Diagnostic, text: &str, origins: &Origins) -> Diagnostic {
    let moved = diagnostic.map_locations(|location| origins.locate(location));
    match moved.location() {
        Location::Span(span) => match text.get(span.start..span.end) {
            Some(line) => moved.with_instruction(line),
            None => moved,
        },
        _ => moved,
    }
}

/// Adds what the instructions look like. Only a module with errors pays for it.
fn with_excerpts(words: &[u32], mut report: Report) -> Report {
    let offsets = report.diagnostics().iter();
    let offsets: Vec<usize> = offsets.filter_map(Diagnostic::word_offset).collect();
    if offsets.is_empty() {
        return report;
    }
    let mut excerpts = excerpts(words, &offsets).into_iter();
    report.map(|mut diagnostic| {
        if diagnostic.word_offset().is_none() {
            return diagnostic;
        }
        let Some(excerpt) = excerpts.next() else {
            return diagnostic;
        };
        if !excerpt.text.is_empty() {
            diagnostic = diagnostic.with_instruction(excerpt.text);
        }
        match excerpt.shader_line {
            Some(line) => diagnostic.with_shader_line(line),
            None => diagnostic,
        }
    });
    report
}
