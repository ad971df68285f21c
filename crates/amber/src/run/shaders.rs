//! From the shaders of a script to modules.

use std::rc::Rc;

use hashbrown::HashMap;
use spirvkit_analysis::ModuleIndex;
use spirvkit_binary::words_from_bytes;
use spirvkit_diagnostics::{Diagnostic, Errors, Location, Span};
use spirvkit_grammar::{Decoration, TargetEnv, Version};
use spirvkit_text::{AssembleOptions, Origins, assemble};

use super::{CompileError, Host, Source, Stop, arguments};
use crate::kinds;
use crate::number::Number;
use crate::pipeline::Attachment;
use crate::reader::quoted;
use crate::script::{FileFormat, Script, Shader, ShaderSource};
use crate::words::Language;

/// What assembly text without a target environment is assembled for. What this version
/// lacks, a later one may have.
const DEFAULT_VERSION: Version = Version::V1_3;

/// A module, what runs ask of it, and where its instructions stand in the script.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) words: Vec<u32>,
    pub(super) facts: Facts,
    text: Option<AssemblyText>,
}

/// What each run asks of a module, found once.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Which parameters take a descriptor, if the entry point is a kernel.
    pub(super) described: Option<Vec<u32>>,
    /// Its `SpecId`s.
    pub(super) constants: Vec<u32>,
    /// Whether writes to one part of a buffer may be seen in another that overlaps: only
    /// variables with `Aliased` may access the same memory if one writes to it (section 2.18.2).
    pub(super) is_aliased: bool,
}

impl Facts {
    /// Nothing of what is no module, which the run refuses.
    fn of(words: &[u32], entry_point: &str) -> Self {
        let Ok(m) = ModuleIndex::new(words) else {
            return Self::default();
        };
        let ids = m.all_decorated_with(Decoration::SpecId);
        Self {
            described: arguments::described(&m, entry_point),
            constants: ids.map(|(_, decorated)| decorated.param(0)).collect(),
            is_aliased: m.all_decorated_with(Decoration::Aliased).next().is_some(),
        }
    }
}

/// Assembly text within the script.
#[derive(Debug)]
struct AssemblyText {
    text: String,
    start: usize,
    origins: Origins,
}

impl Module {
    /// Moves what is said of the module to where it stands in the script, or to the command
    /// that ran it.
    pub(super) fn locate(&self, diagnostic: Diagnostic, command: Span) -> Diagnostic {
        let moved = diagnostic.map_locations(|location| {
            let Some(text) = &self.text else {
                return Location::None;
            };
            match text.origins.locate(&text.text, location) {
                Location::Span(span) => Location::Span(shifted(span, text.start)),
                _ => Location::None,
            }
        });
        match moved.location() {
            Location::Span(_) => moved,
            _ => moved.at_span(command),
        }
    }
}

fn shifted(span: Span, by: usize) -> Span {
    Span {
        start: span.start + by,
        end: span.end + by,
    }
}

/// The modules that were made already, by shader and entry point.
#[derive(Debug, Default)]
pub(super) struct Shaders {
    made: HashMap<(usize, String), Rc<Module>>,
}

impl Shaders {
    /// The module of a shader as it is attached to a pipeline.
    pub(super) fn module(
        &mut self,
        script: &Script,
        host: &dyn Host,
        attachment: &Attachment,
        command: Span,
    ) -> Result<Rc<Module>, Stop> {
        let key = (attachment.shader.index(), attachment.entry_point.clone());
        if let Some(module) = self.made.get(&key) {
            return Ok(Rc::clone(module));
        }
        let mut module = make(script, host, attachment, command)?;
        if let Some(words) = host.replacement(&module.words) {
            (module.words, module.text) = (words, None);
        }
        module.facts = Facts::of(&module.words, &attachment.entry_point);
        let module = Rc::new(module);
        self.made.insert(key, Rc::clone(&module));
        Ok(module)
    }
}

/// The module of a shader as a pipeline has it: compiled, assembled or read by the host. Values of
/// specialization constants are not in it.
///
/// # Errors
///
/// Why there is none; a passthrough shader has none.
pub fn shader_words(
    script: &Script,
    attachment: &Attachment,
    host: &dyn Host,
) -> Result<Vec<u32>, Vec<Diagnostic>> {
    let made = make(script, host, attachment, Span { start: 0, end: 0 });
    made.map(|module| module.words).map_err(|stop| match stop {
        Stop::Skip(reason) => vec![*reason],
        Stop::Fail(reasons) => reasons,
    })
}

fn make(
    script: &Script,
    host: &dyn Host,
    attachment: &Attachment,
    command: Span,
) -> Result<Module, Stop> {
    let shader = &script[attachment.shader];
    let wrong = |message: &str| {
        let message = format!("the shader `{}` {message}", quoted(&shader.name));
        kinds::SHADER.error(message).at_span(command)
    };
    let read = |path: &str, format: FileFormat| {
        let bytes = host.read_file(format, path);
        bytes.map_err(|error| {
            let message = format!(
                "the shader `{}` can't be read: {error}",
                quoted(&shader.name)
            );
            Stop::skip(Some(command), message)
        })
    };
    let of_words = |words| Module {
        words,
        facts: Facts::default(),
        text: None,
    };
    if let (Language::SpirvBinary, ShaderSource::File(path)) = (shader.language, &shader.source) {
        let bytes = read(path, FileFormat::Binary)?;
        let words = words_from_bytes(&bytes);
        return match words {
            Ok((words, _)) => Ok(of_words(words)),
            Err(error) => Err(Stop::fail(wrong(&format!("is no module: {error}")))),
        };
    }
    let (text, start) = match &shader.source {
        ShaderSource::None => (String::new(), None),
        ShaderSource::Text { text, start } => (text.clone(), Some(*start)),
        ShaderSource::VirtualFile(file) => (script[*file].text.clone(), None),
        ShaderSource::File(path) => {
            let bytes = read(path, FileFormat::Binary)?;
            (String::from_utf8_lossy(&bytes).into_owned(), None)
        }
    };
    match shader.language {
        Language::SpirvAssembly => assembled(shader, text, start, &wrong),
        Language::SpirvHexadecimal => match words(&text) {
            Some(words) => Ok(of_words(words)),
            None => Err(Stop::fail(wrong("is not made of hexadecimal words"))),
        },
        _ => {
            let source = Source {
                language: shader.language,
                stage: attachment.stage,
                text: &text,
                entry_point: &attachment.entry_point,
                target_env: shader.target_env.as_deref(),
                virtual_files: &script.virtual_files,
            };
            let name = quoted(&shader.name);
            host.compile(&source)
                .map(of_words)
                .map_err(|error| match error {
                    CompileError::NoCompiler(why) => {
                        let message = format!("the shader `{name}` can't be compiled: {why}");
                        Stop::skip(Some(command), message)
                    }
                    CompileError::Refused(why) => {
                        Stop::fail(wrong(&format!("is refused by its compiler: {why}")))
                    }
                })
        }
    }
}

/// Assembles a text. Errors in a text of the script stand at their places, others at the
/// command.
fn assembled(
    shader: &Shader,
    text: String,
    start: Option<usize>,
    wrong: &dyn Fn(&str) -> Diagnostic,
) -> Result<Module, Stop> {
    let options = AssembleOptions::default()
        .origins(true)
        .undefined_ids(false);
    let target = shader.target_env.as_deref();
    let target = target
        .and_then(|name| name.parse().ok())
        .map(TargetEnv::version);
    let made = assemble(
        &text,
        &options
            .clone()
            .target(target.unwrap_or(DEFAULT_VERSION).into()),
    );
    let made = match (made, target) {
        (Err(errors), None) => assemble(&text, &options).map_err(|_| errors),
        (made, _) => made,
    };
    let located = |errors: Errors| {
        let Some(start) = start else {
            let message = format!("is wrong: {}", errors[0]);
            return vec![wrong(&message)];
        };
        let errors = errors.into_vec().into_iter();
        let moved = errors.map(|error| {
            error.map_locations(|location| match location {
                Location::Span(span) => Location::Span(shifted(span, start)),
                other => other,
            })
        });
        moved.collect()
    };
    let made = made.map_err(|errors| Stop::Fail(located(errors)))?;
    let origins = made.origins;
    Ok(Module {
        words: made.words,
        facts: Facts::default(),
        text: start.map(|start| AssemblyText {
            text,
            start,
            origins,
        }),
    })
}

/// Words as numbers in hexadecimal, with or without a prefix.
fn words(text: &str) -> Option<Vec<u32>> {
    let pieces = text.split(|c: char| c.is_whitespace() || c == ',');
    let pieces = pieces.filter(|piece| !piece.is_empty());
    let words = pieces.map(|piece| {
        let number = match piece.starts_with("0x") || piece.starts_with("0X") {
            true => Number::parse(piece)?,
            false => Number::parse(&format!("0x{piece}"))?,
        };
        number
            .to_integer()
            .and_then(|word| u32::try_from(word).ok())
    });
    words.collect()
}
