//! What the toolkit promises for any input.

use std::collections::BTreeSet;

use spirvkit::binary::{Definition, Definitions, FloatFormat, HEADER_WORDS, Module, Value};
use spirvkit::diagnostics::{Location, Source, render};
use spirvkit::grammar::{FPEncoding, Op};
use spirvkit::{
    AssembleOptions, Diagnostic, DisassembleOptions, IdNumbering, Indentation, bytes_from_words,
    disassemble, words_from_bytes,
};

/// The most diagnostics of one input that are rendered: that takes time in
/// proportion to the text for each.
const RENDERED: usize = 16;

/// A file of any bytes is read or refused, and its words are written back as the
/// same bytes. See [`decode_words`] for the rest.
pub fn decode(bytes: &[u8]) {
    let Ok((words, endianness)) = words_from_bytes(bytes) else {
        return;
    };
    assert_eq!(
        bytes_from_words(&words, endianness),
        bytes,
        "the words give other bytes"
    );
    decode_words(&words);
}

/// The instructions of any words follow one another without a gap, and so do the
/// operands within each; an error is the last item, and its place is inside of
/// what it is about.
pub fn decode_words(words: &[u32]) {
    let Ok(module) = Module::new(words) else {
        return;
    };
    assert_eq!(
        module.header().to_words()[..],
        words[..HEADER_WORDS],
        "the header changed"
    );
    let mut definitions = Definitions::for_module(&module);
    let mut next_instruction = HEADER_WORDS;
    let mut instructions = module.instructions();
    while let Some(instruction) = instructions.next() {
        let instruction = match instruction {
            Ok(instruction) => instruction,
            Err(error) => {
                assert_eq!(
                    error.offset().0,
                    next_instruction,
                    "{error}: not where the tail starts"
                );
                assert_eq!(
                    instructions.next().map(|_| ()),
                    None,
                    "{error}: not the last item"
                );
                return;
            }
        };
        assert_eq!(
            instruction.offset().0,
            next_instruction,
            "a gap between instructions"
        );
        let end = next_instruction + instruction.words().len();
        let mut next_operand = 1;
        let mut failed = false;
        for operand in instruction.operands(&definitions) {
            assert!(!failed, "{}: an operand after an error", instruction.op());
            match operand {
                Ok(operand) => {
                    assert_eq!(
                        operand.word,
                        next_operand,
                        "{}: a gap between operands",
                        instruction.op()
                    );
                    next_operand += operand.word_count();
                }
                Err(error) => {
                    failed = true;
                    let at = error.offset().0;
                    assert!(
                        (next_instruction..=end).contains(&at),
                        "{error}: outside of its instruction"
                    );
                }
            }
        }
        assert!(
            failed || next_operand == instruction.words().len(),
            "{}: words left over",
            instruction.op()
        );
        definitions.define(&instruction);
        next_instruction = end;
    }
    assert_eq!(next_instruction, words.len(), "words left over");
}

/// Any bytes, taken as text, are assembled or refused. See [`assemble_text`].
pub fn assemble(bytes: &[u8]) {
    assemble_text(&String::from_utf8_lossy(bytes));
}

/// Any text is assembled or refused, with either numbering. If it is refused,
/// there are errors, each has a place in the text, and each can be shown. If it
/// is assembled, the words are a module that keeps what is promised for any
/// module, and that can be decoded unless the text has words that say nothing of
/// their meaning or defines an id twice.
pub fn assemble_text(text: &str) {
    for numbering in [IdNumbering::Preserve, IdNumbering::Renumber] {
        let options = AssembleOptions::default().numbering(numbering);
        match spirvkit::assemble(text, &options) {
            Ok(module) => {
                if let Err(error) = Module::new(&module.words) {
                    panic!("the assembled module can't be read: {error}");
                }
                decode_words(&module.words);
                disassemble_words_then_assemble(&module.words);
                lenient_round_trip_words(&module.words);
                if !may_have_raw_words(text) {
                    check_only_redefined(&module.words);
                }
            }
            Err(errors) => {
                assert!(!errors.is_empty(), "refused without a reason");
                let source = Source::new("text", text);
                for error in &errors {
                    check_place_in_text(error, text);
                }
                for error in errors.iter().take(RENDERED) {
                    render(error, Some(&source));
                }
            }
        }
    }
}

/// A file that disassembles, without lenience and without a warning, assembles
/// to the same words. See [`disassemble_words_then_assemble`].
pub fn disassemble_then_assemble(bytes: &[u8]) {
    if let Ok((words, _)) = words_from_bytes(bytes) {
        disassemble_words_then_assemble(&words);
    }
}

/// If words disassemble with raw ids and nothing is warned of, the text
/// assembles to the same words, but for a bound that is not above all ids: that
/// one is raised. Friendly names change nothing but the ids' numbers, if all ids
/// are defined: one that isn't has a number for a name, and another id may be
/// named like that.
///
/// One instruction is left out, because assembling refuses it and strict text
/// has no other form for it: a floating-point type whose encoding doesn't go
/// with its width.
pub fn disassemble_words_then_assemble(words: &[u32]) {
    run_all_options(words);
    let raw = DisassembleOptions::default().friendly_names(false);
    let Ok(strict) = disassemble(words, &raw) else {
        return;
    };
    for warning in strict.warnings.iter().take(RENDERED) {
        render(warning, None);
    }
    if !strict.warnings.is_empty() || has_contradictory_float_type(words) {
        return;
    }
    let again = assembled(&strict.text, IdNumbering::Preserve, "strict text");
    assert_eq!(
        without_bound(&again),
        without_bound(words),
        "strict text gives other words:\n{}",
        strict.text
    );
    assert!(again[3] >= words[3], "the bound was lowered");

    if mentions_undefined_ids(words) {
        return;
    }
    let renumbered = assembled(&strict.text, IdNumbering::Renumber, "strict text");
    let friendly = disassemble(words, &DisassembleOptions::default())
        .unwrap_or_else(|errors| panic!("friendly names change the outcome: {errors:?}"));
    let named = assembled(&friendly.text, IdNumbering::Renumber, "friendly text");
    assert_eq!(
        named, renumbered,
        "friendly names change more than numbers:\n{}",
        friendly.text
    );
}

/// A file with a valid header disassembles leniently to text that assembles to
/// the same words. See [`lenient_round_trip_words`].
pub fn lenient_round_trip(bytes: &[u8]) {
    if let Ok((words, _)) = words_from_bytes(bytes) {
        lenient_round_trip_words(&words);
    }
}

/// Any words with a valid header disassemble leniently. With raw ids the text
/// assembles to exactly the same words, whatever its layout and comments; with
/// friendly names it assembles.
pub fn lenient_round_trip_words(words: &[u32]) {
    if Module::new(words).is_err() {
        return;
    }
    let lenient = DisassembleOptions::default().lenient(true);
    let raw = lenient.clone().friendly_names(false);
    let layouts = [
        ("plain", raw.clone()),
        ("unindented", raw.clone().indentation(Indentation::None)),
        ("nested", raw.clone().nested_indentation(true)),
        ("commented", raw.clone().comments(true).offsets(true)),
        ("annotated", raw.clone().annotate(true).source(true)),
    ];
    for (name, options) in layouts {
        let text = disassembled(words, &options, name);
        let again = assembled(&text, IdNumbering::Preserve, name);
        assert_eq!(again, words, "{name} text gives other words:\n{text}");
    }
    let friendly = [
        ("friendly", lenient.clone()),
        (
            "friendly nested",
            lenient
                .clone()
                .nested_indentation(true)
                .comments(true)
                .annotate(true)
                .source(true),
        ),
    ];
    for (name, options) in friendly {
        let text = disassembled(words, &options, name);
        assembled(&text, IdNumbering::Preserve, name);
    }
}

/// Runs the options that promise nothing but to come to an end.
fn run_all_options(words: &[u32]) {
    let all = DisassembleOptions::default()
        .reorder_blocks(true)
        .offsets(true)
        .comments(true)
        .annotate(true)
        .source(true)
        .color(true);
    for lenient in [false, true] {
        for nested in [false, true] {
            let options = all
                .clone()
                .lenient(lenient)
                .nested_indentation(nested)
                .handle_unknown_opcodes(!nested);
            match disassemble(words, &options) {
                Ok(_) => {}
                Err(errors) => {
                    assert!(!errors.is_empty(), "refused without a reason");
                    for error in errors.iter().take(RENDERED) {
                        render(error, None);
                    }
                }
            }
        }
    }
}

fn disassembled(words: &[u32], options: &DisassembleOptions, what: &str) -> String {
    match disassemble(words, options) {
        Ok(module) => module.text,
        Err(errors) => panic!("{what} text can't be written: {errors:?}"),
    }
}

fn assembled(text: &str, numbering: IdNumbering, what: &str) -> Vec<u32> {
    let options = AssembleOptions::default().numbering(numbering);
    match spirvkit::assemble(text, &options) {
        Ok(module) => module.words,
        Err(errors) => {
            let source = Source::new(what, text);
            let messages: String = errors
                .iter()
                .take(RENDERED)
                .map(|error| render::terminal(error, Some(&source), false))
                .collect();
            panic!("{what} text doesn't assemble:\n{messages}\n{text}");
        }
    }
}

/// The words with nothing in the place of the bound.
fn without_bound(words: &[u32]) -> Vec<u32> {
    let mut words = words.to_vec();
    words[3] = 0;
    words
}

/// Whether an operand of a module that can be decoded is an id that no
/// instruction defines.
fn mentions_undefined_ids(words: &[u32]) -> bool {
    let Ok(module) = Module::new(words) else {
        return true;
    };
    let mut definitions = Definitions::for_module(&module);
    let mut mentioned = BTreeSet::new();
    for instruction in module.instructions().flatten() {
        for operand in instruction.operands(&definitions).flatten() {
            if let Value::Id(id) = operand.value {
                mentioned.insert(id);
            }
        }
        definitions.define(&instruction);
    }
    mentioned
        .iter()
        .any(|id| definitions.get(*id) == Definition::Undefined)
}

fn has_contradictory_float_type(words: &[u32]) -> bool {
    let Ok(module) = Module::new(words) else {
        return false;
    };
    module.instructions().flatten().any(|instruction| {
        instruction.op() == Op::TypeFloat
            && matches!(instruction.operand_words(), &[_, width, encoding]
                if FloatFormat::new(width, Some(FPEncoding(encoding))).is_none())
    })
}

/// Checks that words can be decoded, but for ids that are defined twice and
/// versions of no language, which the assembler lets pass because they make no
/// difference to it.
fn check_only_redefined(words: &[u32]) {
    if let Err(errors) = disassemble(words, &DisassembleOptions::default()) {
        for error in errors {
            assert!(
                matches!(error.rule(), "binary.redefined" | "binary.unknown-version"),
                "assembled words can't be decoded: {error:?}"
            );
        }
    }
}

/// Whether a text may have `!` words or `OpUnknown`. (It may also just have a
/// string with one of them.)
fn may_have_raw_words(text: &str) -> bool {
    text.contains('!') || text.contains("OpUnknown")
}

fn check_place_in_text(error: &Diagnostic, text: &str) {
    let Location::Span(span) = error.location() else {
        panic!("an error without a place in the text: {error:?}");
    };
    assert!(
        text.get(span.start..span.end).is_some(),
        "a place outside of the text: {error:?}"
    );
}

fn render(diagnostic: &Diagnostic, source: Option<&Source<'_>>) {
    for color in [false, true] {
        assert!(!render::terminal(diagnostic, source, color).is_empty());
    }
    assert!(render::json(diagnostic, source).starts_with('{'));
}

/// Validates bytes as a file: see [`validate_words`].
pub fn validate(bytes: &[u8]) {
    match spirvkit::words_from_bytes(bytes) {
        Ok((words, _)) => validate_words(&words),
        Err(_) => {
            let options = spirvkit::ValidateOptions::default();
            assert!(!spirvkit::validate_bytes(bytes, &options).is_valid());
        }
    }
}

/// Validates a module for some environments. Nothing panics; what is found has its
/// place in the module, comes in the order of places, is no more than asked for,
/// names a rule that can be explained, and is the same again.
pub fn validate_words(words: &[u32]) {
    for env in ["spv1.6", "vulkan1.3", "opencl2.2"] {
        let env = env.parse().expect("the environment is known");
        let mut options = spirvkit::ValidateOptions::for_env(env);
        let report = spirvkit::validate(words, &options);
        let found = report.diagnostics();
        let offsets: Vec<usize> = found
            .iter()
            .map(|diagnostic| diagnostic.word_offset().expect("it has a place"))
            .collect();
        assert!(offsets.is_sorted(), "{offsets:?}");
        assert!(offsets.iter().all(|&offset| offset <= words.len()));
        let errors = |diagnostic: &&spirvkit::Diagnostic| {
            diagnostic.severity() == spirvkit::diagnostics::Severity::Error
        };
        let count = found.iter().filter(errors).count();
        assert!(count <= options.max_errors);
        assert_eq!(report.is_valid(), count == 0);
        for diagnostic in found {
            let rule = diagnostic.rule();
            assert!(spirvkit::find_rule(rule).is_some(), "{rule} is not listed");
        }
        let again = spirvkit::validate(words, &options);
        assert_eq!(again.diagnostics(), found);
        // Less to say doesn't change the verdict.
        options.max_errors = 1;
        assert_eq!(
            spirvkit::validate(words, &options).is_valid(),
            report.is_valid()
        );
    }
}
