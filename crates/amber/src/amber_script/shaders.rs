//! `SHADER` and `VIRTUAL_FILE`.

use spirvkit_diagnostics::Span;

use crate::kinds;
use crate::reader::{Parsed, Reader, Reported, quoted};
use crate::script::{Handle, Shader, ShaderSource, VirtualFile};
use crate::words::{Language, Stage};

impl Reader<'_> {
    pub(super) fn shader(&mut self, span: Span) -> Parsed<()> {
        let start = self.shader_start();
        let (shader, place) = match start {
            Ok(start) => start,
            Err(reported) => {
                self.skip_shader();
                return Err(reported);
            }
        };
        let shader = match shader.language {
            Language::Passthrough => {
                self.end_of_line()?;
                shader
            }
            _ if shader.source != ShaderSource::None => {
                self.end_of_line()?;
                shader
            }
            _ => {
                if self.end_of_line().is_err() {
                    self.skip_line();
                }
                let source = self.inline_text("SHADER", span)?;
                Shader { source, ..shader }
            }
        };
        self.declare(shader, place).map(|_| ())
    }

    /// The first line up to where the text is.
    fn shader_start(&mut self) -> Parsed<(Shader, Span)> {
        let (stage, name, place) = self.kind_and_name::<Stage>("shader")?;
        let (word, language_place) = self.word("a shader format")?;
        let language: Language = self.choose(word, language_place, word)?;
        if language == Language::Passthrough && stage != Stage::Vertex {
            let message = "only a vertex shader can be `PASSTHROUGH`".to_owned();
            return Err(self.error(&kinds::MISMATCH, language_place, message));
        }
        let is_spirv = matches!(
            language,
            Language::SpirvAssembly | Language::SpirvHexadecimal | Language::SpirvBinary
        );
        if stage == Stage::Multi && !is_spirv {
            let message = format!("a `multi` shader can't be `{}`", language.name());
            return Err(self.error(&kinds::MISMATCH, language_place, message));
        }
        let target_env = match self.accept("TARGET_ENV") {
            true => Some(self.text("a target environment")?),
            false => None,
        };
        let source = if self.accept("VIRTUAL_FILE") {
            self.virtual_source()?
        } else if self.accept("FILE") {
            ShaderSource::File(self.text("the path of a file")?)
        } else if language == Language::SpirvBinary {
            return Err(self.expected("`FILE`"));
        } else {
            ShaderSource::None
        };
        let shader = Shader {
            name,
            stage,
            language,
            target_env,
            source,
        };
        Ok((shader, place))
    }

    /// The text of a file within the script.
    fn virtual_source(&mut self) -> Parsed<ShaderSource> {
        let span = self.peek().span;
        let path = self.text("the path of a virtual file")?;
        match self.virtual_files.get(&path) {
            Some(file) => Ok(ShaderSource::VirtualFile(*file)),
            None => {
                let message = format!("there is no virtual file `{}` here", quoted(&path));
                Err(self.error(&kinds::UNKNOWN_NAME, span, message))
            }
        }
    }

    /// The text up to `END`, and that.
    fn inline_text(&mut self, command: &str, span: Span) -> Parsed<ShaderSource> {
        let lexer = self.lexer();
        let start = lexer.position();
        let Some(text) = lexer.text_until("END") else {
            self.open_block(command, span);
            return Err(Reported);
        };
        let text = text.to_owned();
        let (word, end) = self.word("`END`")?;
        if word != "END" {
            let message = "the text ends here, at the letters `END`".to_owned();
            let reported = self.error(&kinds::UNEXPECTED, end, message);
            // Up to where it was meant to end.
            while self.lexer().text_until("END").is_some() && self.peek_word() != Some("END") {
                self.next();
            }
            return Err(reported);
        }
        self.end_of_line()?;
        Ok(ShaderSource::Text { text, start })
    }

    /// Leaves out the text of a shader whose first line is wrong, if it has one.
    fn skip_shader(&mut self) {
        let has_text = |rest: &str| {
            let is_source = |word| matches!(word, "PASSTHROUGH" | "FILE" | "VIRTUAL_FILE");
            !rest.split_whitespace().any(is_source)
        };
        self.skip_text(has_text, "END");
    }

    pub(super) fn virtual_file(&mut self, span: Span) -> Parsed<()> {
        let place = self.peek().span;
        let path = self.text("the path of the file");
        let path = self.block_start(path);
        let source = self.inline_text("VIRTUAL_FILE", span)?;
        let (Some(path), ShaderSource::Text { text, .. }) = (path, source) else {
            return Ok(());
        };
        let handle = Handle::new(self.script.virtual_files.len());
        if self.virtual_files.insert(path.clone(), handle).is_some() {
            let message = format!("there is already a virtual file `{}`", quoted(&path));
            self.error(&kinds::DUPLICATE, place, message);
        }
        self.script.virtual_files.push(VirtualFile { path, text });
        Ok(())
    }
}
