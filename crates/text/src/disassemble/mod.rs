//! From words to text.

mod annotate;
mod blocks;
mod comments;
mod excerpts;
mod id_names;
mod listing;
mod names;
mod operands;
mod options;
mod plain;
mod printer;
mod quick;
mod raw;
mod source;
mod writer;

use spirvkit_binary::{Error, ErrorKind, Module, WordOffset, words_from_bytes};
use spirvkit_diagnostics::{Diagnostic, Errors, Kind, counted};

pub use excerpts::{Excerpt, excerpts, named_excerpts, read_excerpts};
pub use id_names::{IdNames, Meant};
pub use listing::{ListedLine, descriptions, listing, named_listing};
pub use options::{DisassembleOptions, Indentation};
use printer::Printer;

use crate::kinds;

/// A disassembled module.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Disassembled {
    /// The text.
    pub text: String,
    /// Warnings: what the text can't show, such as padding that is not zero, so that
    /// assembling it gives a module that differs there; and names that were replaced by
    /// numbers, because they are long and used very often.
    pub warnings: Vec<Diagnostic>,
}

/// Disassembles a module, given as words in host order.
///
/// # Errors
///
/// If the header can't be read; and, unless the options ask for lenience, if
/// the version's major number is not 1 or an instruction can't be decoded: then
/// there is an error for each such instruction, up to the options' limit. Locations are [word offsets](spirvkit_diagnostics::Location::Word).
pub fn disassemble(words: &[u32], options: &DisassembleOptions) -> Result<Disassembled, Errors> {
    let module = Module::new(words).map_err(|error| binary_error(&error))?;
    let header = module.header();
    if header.version.major != 1 && !options.lenient {
        let kind = ErrorKind::UnknownVersion {
            version: header.version,
        };
        return Err(binary_error(&Error::at(kind, WordOffset(1))).into());
    }
    let mut printer = Printer::new(&module, options);
    printer.module();
    // A name gets a number of the assembler's choice, so names do not go together
    // with ids that stand as bare words.
    if options.friendly_names && printer.has_raw_words {
        let options = options.clone().friendly_names(false);
        let mut printer = Printer::new(&module, &options);
        printer.module();
        return printer.finish();
    }
    printer.finish()
}

/// Disassembles a module, given as the bytes of a file in either byte order.
///
/// # Errors
///
/// If the bytes are not a whole number of words that starts with the magic number, or as for
/// [`disassemble`].
pub fn disassemble_bytes(
    bytes: &[u8],
    options: &DisassembleOptions,
) -> Result<Disassembled, Errors> {
    let (words, _) = words_from_bytes(bytes).map_err(|error| binary_error(&error))?;
    disassemble(&words, options)
}

/// A decoding error as a diagnostic, with its stable rule and its place, as all parts of this
/// toolkit report it.
pub fn binary_error(error: &Error) -> Diagnostic {
    let error_at = kind(error.kind()).error(message(error));
    error_at.at_word(error.offset().0)
}

/// Something that the text doesn't show as a diagnostic.
fn warning(error: &Error) -> Diagnostic {
    let warning = kind(error.kind()).warning(message(error));
    warning.at_word(error.offset().0)
}

/// Says that ids have numbers although the module names them.
fn left_out_names(ids: usize) -> Diagnostic {
    let ids = counted(ids, "id");
    let message =
        format!("the names of {ids} would make the text too long; their numbers are used instead");
    kinds::LONG_NAMES.warning(message)
}

/// Says that the module is not looked at from `next` on.
fn too_many_errors(errors: usize, next: WordOffset) -> Diagnostic {
    let message = format!(
        "gave up after {}; the rest of the module was not checked",
        counted(errors, "error")
    );
    kinds::TOO_MANY_BINARY_ERRORS.error(message).at_word(next.0)
}

/// What an error says, behind the name of the instruction if it has one.
fn message(error: &Error) -> String {
    match error.op() {
        Some(op) if op.info().is_some() => format!("{op}: {}", error.kind()),
        _ => error.kind().to_string(),
    }
}

/// What kind of diagnostic an error is.
fn kind(error: ErrorKind) -> &'static Kind {
    match error {
        ErrorKind::TooShort { .. } | ErrorKind::OddSize { .. } | ErrorKind::PastEnd { .. } => {
            &kinds::TRUNCATED
        }
        ErrorKind::WrongMagic { .. } => &kinds::WRONG_MAGIC,
        ErrorKind::MalformedVersion { .. } => &kinds::MALFORMED_VERSION,
        ErrorKind::BadBound { .. } => &kinds::BAD_BOUND,
        ErrorKind::LowBound { .. } => &kinds::LOW_BOUND,
        ErrorKind::UnknownVersion { .. } => &kinds::UNKNOWN_VERSION,
        ErrorKind::ZeroWordCount => &kinds::ZERO_WORD_COUNT,
        ErrorKind::UnknownOpcode { .. } => &kinds::UNKNOWN_BINARY_OPCODE,
        ErrorKind::MissingOperand { .. } => &kinds::MISSING_BINARY_OPERAND,
        ErrorKind::SurplusWords { .. } => &kinds::SURPLUS_WORDS,
        ErrorKind::ZeroId { .. } => &kinds::ZERO_ID,
        ErrorKind::Redefined { .. } => &kinds::REDEFINED,
        ErrorKind::UnknownEnumerant { .. } => &kinds::UNKNOWN_VALUE,
        ErrorKind::UnknownBit { .. } => &kinds::UNKNOWN_BIT,
        ErrorKind::UnknownExtInst { .. } => &kinds::UNKNOWN_EXT_INST_NUMBER,
        ErrorKind::NotAnImport { .. } => &kinds::NOT_AN_IMPORTED_SET,
        ErrorKind::UnknownSpecConstantOp { .. } => &kinds::UNKNOWN_SPEC_CONSTANT_OPCODE,
        ErrorKind::UndefinedType { .. } => &kinds::UNDEFINED_TYPE,
        ErrorKind::NotANumberType { .. } => &kinds::NOT_A_NUMBER_TYPE,
        ErrorKind::BadSelector { .. } => &kinds::BAD_BINARY_SELECTOR,
        ErrorKind::UnterminatedString => &kinds::UNTERMINATED_STRING,
        ErrorKind::BadUtf8 { .. } => &kinds::BAD_UTF8,
        ErrorKind::StringPadding => &kinds::STRING_PADDING,
        ErrorKind::NumberPadding => &kinds::NUMBER_PADDING,
        _ => &kinds::MALFORMED,
    }
}
