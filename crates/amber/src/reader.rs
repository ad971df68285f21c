//! What reading both languages takes: words, numbers and names, and errors where they are not
//! as they must be.

use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use spirvkit_diagnostics::{Diagnostic, Errors, Kind, Location, Span, closest, with_article};

use crate::command::{Action, Command};
use crate::kinds;
use crate::lex::{Lexer, Token, TokenKind};
use crate::number::{Fit, Number};
use crate::pipeline::Pipeline;
use crate::script::{BottomLevel, Buffer, Handle, Sampler, Script, Shader, TopLevel, VirtualFile};
use crate::types::{DataType, Layout, Scalar, ScalarKind, Shape, Struct};
use crate::words::Words;

/// How many errors of a script are reported, and how many warnings.
pub const MAX_ERRORS: usize = 100;

/// How much pipelines that are derived from others may have of them in all.
pub const MAX_DERIVED: usize = 1 << 16;

/// The longest piece of a script that a message quotes, in bytes.
const MAX_QUOTED: usize = 40;

/// An error has been reported.
#[derive(Debug)]
pub(crate) struct Reported;

pub(crate) type Parsed<T> = Result<T, Reported>;

/// Reads a script.
pub(crate) struct Reader<'t> {
    lexer: Lexer<'t>,
    peeked: Option<Token<'t>>,
    /// Where the word that was read last ends.
    end: usize,
    /// Whether no word of the line has been read.
    is_at_line_start: bool,
    pub(crate) script: Script,
    names: Names,
    /// The name of what is being declared, until it is.
    declaring: Option<&'t str>,
    /// Names whose declarations had errors, so that their uses have none.
    failed: HashSet<&'t str>,
    /// Files within the script, by their paths.
    pub(crate) virtual_files: HashMap<String, Handle<VirtualFile>>,
    /// Pipelines with errors, so that nothing is missing in them.
    pub(crate) not_whole: HashSet<Handle<Pipeline>>,
    /// The names of each pipeline's groups of shaders.
    pub(crate) groups: HashMap<Handle<Pipeline>, HashSet<String>>,
    /// The places of each pipeline's tables of groups, by their names.
    pub(crate) tables: HashMap<Handle<Pipeline>, HashMap<String, usize>>,
    /// Blocks of commands that are to be repeated, the innermost last.
    pub(crate) repeats: Vec<OpenRepeat>,
    /// The type that was asked for last, and the numbers of its elements: many commands in a
    /// row may be about one buffer.
    scalars: Option<(DataType, Rc<[Scalar]>)>,
    /// How much derived pipelines have got.
    derived: usize,
    errors: Vec<Diagnostic>,
}

/// A block of commands that isn't closed yet.
pub(crate) struct OpenRepeat {
    pub(crate) span: Span,
    pub(crate) count: u32,
    pub(crate) commands: Vec<Command>,
}

/// What has been declared by which names, and where.
#[derive(Default)]
pub(crate) struct Names {
    shaders: HashMap<String, (Handle<Shader>, Span)>,
    structs: HashMap<String, (Handle<Struct>, Span)>,
    buffers: HashMap<String, (Handle<Buffer>, Span)>,
    samplers: HashMap<String, (Handle<Sampler>, Span)>,
    bottom_levels: HashMap<String, (Handle<BottomLevel>, Span)>,
    top_levels: HashMap<String, (Handle<TopLevel>, Span)>,
    pipelines: HashMap<String, (Handle<Pipeline>, Span)>,
}

/// What scripts declare by a name.
pub(crate) trait Named: Sized {
    /// What it is, for messages.
    const NOUN: &'static str;
    fn name(&self) -> &str;
    fn list(script: &Script) -> &[Self];
    fn list_mut(script: &mut Script) -> &mut Vec<Self>;
    fn names(names: &mut Names) -> &mut HashMap<String, (Handle<Self>, Span)>;
}

macro_rules! named {
    ($($thing:ty, $list:ident, $noun:literal;)*) => {$(
        impl Named for $thing {
            const NOUN: &'static str = $noun;

            fn name(&self) -> &str {
                &self.name
            }

            fn list(script: &Script) -> &[Self] {
                &script.$list
            }

            fn list_mut(script: &mut Script) -> &mut Vec<Self> {
                &mut script.$list
            }

            fn names(names: &mut Names) -> &mut HashMap<String, (Handle<Self>, Span)> {
                &mut names.$list
            }
        }
    )*};
}

named! {
    Shader, shaders, "shader";
    Struct, structs, "structure";
    Buffer, buffers, "buffer";
    Sampler, samplers, "sampler";
    BottomLevel, bottom_levels, "bottom-level acceleration structure";
    TopLevel, top_levels, "top-level acceleration structure";
    Pipeline, pipelines, "pipeline";
}

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str, start: usize) -> Self {
        Self {
            lexer: Lexer::new(text, start),
            peeked: None,
            end: start,
            is_at_line_start: true,
            script: Script::default(),
            names: Names::default(),
            declaring: None,
            failed: HashSet::new(),
            virtual_files: HashMap::new(),
            not_whole: HashSet::new(),
            groups: HashMap::new(),
            tables: HashMap::new(),
            repeats: Vec::new(),
            scalars: None,
            derived: 0,
            errors: Vec::new(),
        }
    }

    /// Goes on with another piece of the text, unless there have been too many errors.
    pub(crate) fn restart(&mut self, lexer: Lexer<'t>) {
        self.lexer = lexer;
        self.peeked = None;
        self.is_at_line_start = true;
        if self.errors.len() == MAX_ERRORS {
            self.lexer.skip_all();
        }
    }

    /// What was read, or all that is wrong with it, in the order of the text.
    pub(crate) fn finish(mut self) -> Result<Script, Errors> {
        self.errors.sort_by_key(|error| match error.location() {
            Location::Span(span) => span.start,
            _ => 0,
        });
        match Errors::new(self.errors) {
            Some(errors) => Err(errors),
            None => Ok(self.script),
        }
    }

    /// Reports an error. After too many the rest isn't read.
    pub(crate) fn error(&mut self, kind: &Kind, span: Span, message: String) -> Reported {
        self.report(kind.error(message).at_span(span))
    }

    pub(crate) fn report(&mut self, error: Diagnostic) -> Reported {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
        if self.errors.len() == MAX_ERRORS {
            self.lexer.skip_all();
            self.peeked = None;
        }
        Reported
    }

    pub(crate) fn peek(&mut self) -> &Token<'t> {
        self.peeked.get_or_insert_with(|| self.lexer.next())
    }

    /// The next word, if that's what comes next.
    pub(crate) fn peek_word(&mut self) -> Option<&'t str> {
        match self.peek().kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(crate) fn next(&mut self) -> Token<'t> {
        let token = match self.peeked.take() {
            Some(token) => token,
            None => self.lexer.next(),
        };
        self.is_at_line_start = matches!(token.kind, TokenKind::EndOfLine | TokenKind::EndOfText);
        if !self.is_at_line_start {
            self.end = token.span.end;
        }
        token
    }

    /// Whether nothing is left of the line.
    pub(crate) fn is_end_of_line(&mut self) -> bool {
        matches!(
            self.peek().kind,
            TokenKind::EndOfLine | TokenKind::EndOfText
        )
    }

    pub(crate) fn is_end_of_text(&mut self) -> bool {
        self.peek().kind == TokenKind::EndOfText
    }

    /// Leaves out the rest of the line, after an error in it.
    pub(crate) fn skip_line(&mut self) {
        if let Some(name) = self.declaring.take() {
            self.failed.insert(name);
        }
        while !self.is_at_line_start {
            self.next();
        }
    }

    /// The same, but with the values of a buffer if they start in the line.
    pub(crate) fn skip_data(&mut self) {
        let mut has_data = false;
        while !self.is_at_line_start {
            match self.next().kind {
                TokenKind::Word("DATA") => has_data = true,
                TokenKind::Word("END") => has_data = false,
                _ => {}
            }
        }
        while has_data
            && !matches!(
                self.next().kind,
                TokenKind::Word("END") | TokenKind::EndOfText
            )
        {}
    }

    /// Leaves out what has no words: the rest of the line, and then the text before a word.
    pub(crate) fn skip_text(&mut self, is_before: impl Fn(&str) -> bool, word: &str) {
        if self.is_at_line_start {
            return;
        }
        let lexer = self.lexer();
        let rest = lexer.rest_of_line();
        let has_text = is_before(rest);
        if has_text {
            lexer.text_until(word);
        }
        self.is_at_line_start = !has_text;
    }

    /// The word that starts the next line that isn't empty; `None` at the end of the script.
    pub(crate) fn line_start(&mut self) -> Option<(&'t str, Span)> {
        loop {
            let Token { kind, span } = self.next();
            match kind {
                TokenKind::Word(word) => return Some((word, span)),
                TokenKind::EndOfLine => {}
                TokenKind::EndOfText => return None,
                TokenKind::String(_) => {
                    self.error(
                        &kinds::UNEXPECTED,
                        span,
                        "expected a command, found a string".to_owned(),
                    );
                    self.skip_line();
                }
            }
        }
    }

    /// Says that something else was expected than what is next.
    pub(crate) fn expected(&mut self, what: &str) -> Reported {
        let token = self.peek().clone();
        let found = match &token.kind {
            TokenKind::Word(word) => format!("`{}`", quoted(word)),
            TokenKind::String(text) => format!("the string \"{}\"", quoted(text)),
            TokenKind::EndOfLine => "the end of the line".to_owned(),
            TokenKind::EndOfText => "the end of the script".to_owned(),
        };
        let message = format!("expected {what}, found {found}");
        self.error(&kinds::UNEXPECTED, token.span, message)
    }

    /// Ends a command.
    pub(crate) fn end_of_line(&mut self) -> Parsed<()> {
        if !self.is_end_of_line() {
            return Err(self.expected("the end of the line"));
        }
        self.next();
        Ok(())
    }

    /// A word, whatever it is.
    pub(crate) fn word(&mut self, what: &str) -> Parsed<(&'t str, Span)> {
        let TokenKind::Word(word) = self.peek().kind else {
            return Err(self.expected(what));
        };
        Ok((word, self.next().span))
    }

    /// A word or a string.
    pub(crate) fn text(&mut self, what: &str) -> Parsed<String> {
        match &self.peek().kind {
            TokenKind::Word(word) => {
                let word = (*word).to_owned();
                self.next();
                Ok(word)
            }
            TokenKind::String(text) => {
                let text = text.clone().into_owned();
                self.next();
                Ok(text)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Whether this word is next; if so, it is read.
    pub(crate) fn accept(&mut self, word: &str) -> bool {
        let is_next = self.peek().kind == TokenKind::Word(word);
        if is_next {
            self.next();
        }
        is_next
    }

    /// This word.
    pub(crate) fn expect(&mut self, word: &str) -> Parsed<()> {
        match self.accept(word) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{word}`"))),
        }
    }

    /// One of a few words.
    pub(crate) fn choice<T: Words>(&mut self) -> Parsed<T> {
        let (word, span) = self.word(&with_article(T::NOUN))?;
        self.choose(word, span, word)
    }

    /// What `key` is chosen for, which is made of a word of the script.
    pub(crate) fn choose<T: Words>(&mut self, word: &str, span: Span, key: &str) -> Parsed<T> {
        match T::ALL.iter().find(|(name, _)| *name == key) {
            Some((_, value)) => Ok(*value),
            None => Err(self.unknown_word(word, span, T::NOUN, T::ALL.iter().map(|it| it.0))),
        }
    }

    pub(crate) fn unknown_word<'c>(
        &mut self,
        word: &str,
        span: Span,
        noun: &str,
        known: impl Iterator<Item = &'c str>,
    ) -> Reported {
        let message = format!("`{}` is not {}", quoted(word), with_article(noun));
        let error = kinds::UNKNOWN_WORD.error(message).at_span(span);
        self.report(suggesting(error, closest(word, known)))
    }

    /// A line that starts with no command that there is here.
    pub(crate) fn unknown_command(
        &mut self,
        word: &str,
        span: Span,
        place: &str,
        known: &[&str],
    ) -> Reported {
        let message = format!("`{}` is not a command {place}", quoted(word));
        let error = kinds::UNKNOWN_COMMAND.error(message).at_span(span);
        self.report(suggesting(error, closest(word, known.iter().copied())))
    }

    /// Either `on` or `off`.
    pub(crate) fn switch(&mut self) -> Parsed<bool> {
        if self.accept("on") {
            return Ok(true);
        }
        match self.accept("off") {
            true => Ok(false),
            false => Err(self.expected("`on` or `off`")),
        }
    }

    /// A number of any kind.
    pub(crate) fn number(&mut self, what: &str) -> Parsed<(Number, Span)> {
        let (word, span) = self.word(what)?;
        match Number::parse(word) {
            Some(number) => Ok((number, span)),
            None => {
                let message = format!("expected {what}, found `{}`", quoted(word));
                Err(self.error(&kinds::BAD_NUMBER, span, message))
            }
        }
    }

    /// Whether a number comes next.
    pub(crate) fn is_number(&mut self) -> bool {
        matches!(self.peek().kind, TokenKind::Word(word) if Number::parse(word).is_some())
    }

    /// A whole number from 0 to `largest`.
    pub(crate) fn up_to(&mut self, largest: u64, what: &str) -> Parsed<u64> {
        let (number, span) = self.number(what)?;
        let Some(value) = number.to_integer() else {
            let message = format!("expected {what}, found `{number}`, which is not an integer");
            return Err(self.error(&kinds::BAD_NUMBER, span, message));
        };
        match u64::try_from(value) {
            Ok(value) if value <= largest => Ok(value),
            _ => {
                let message = format!("expected {what} from 0 to {largest}, found {value}");
                Err(self.error(&kinds::OUT_OF_RANGE, span, message))
            }
        }
    }

    /// A whole number of 32 bits.
    pub(crate) fn u32(&mut self, what: &str) -> Parsed<u32> {
        Ok(self.up_to(u32::MAX.into(), what)? as u32)
    }

    /// Several of them.
    pub(crate) fn u32s<const N: usize>(&mut self, what: &str) -> Parsed<[u32; N]> {
        let mut all = [0; N];
        for one in &mut all {
            *one = self.u32(what)?;
        }
        Ok(all)
    }

    pub(crate) fn f32(&mut self, what: &str) -> Parsed<f32> {
        Ok(self.number(what)?.0.to_f64() as f32)
    }

    pub(crate) fn f32s<const N: usize>(&mut self, what: &str) -> Parsed<[f32; N]> {
        let mut all = [0.0; N];
        for one in &mut all {
            *one = self.f32(what)?;
        }
        Ok(all)
    }

    /// A number that a type can hold.
    pub(crate) fn number_of(&mut self, ty: Scalar) -> Parsed<Number> {
        let (word, span) = self.word(&with_article(&ty.to_string()))?;
        self.read_number(ty, word, span)
    }

    /// The same of a word that has been read.
    pub(crate) fn read_number(&mut self, ty: Scalar, word: &str, span: Span) -> Parsed<Number> {
        let Some(number) = Number::parse(word) else {
            let what = with_article(&ty.to_string());
            let message = format!("expected {what}, found `{}`", quoted(word));
            return Err(self.error(&kinds::BAD_NUMBER, span, message));
        };
        self.check_fit(number, ty, span)?;
        Ok(number)
    }

    pub(crate) fn check_fit(&mut self, number: Number, ty: Scalar, span: Span) -> Parsed<()> {
        match number.to_bits(ty).1 {
            Fit::Exact => Ok(()),
            Fit::NotWhole => {
                let message = format!("expected {}, found {number}", with_article(&ty.to_string()));
                Err(self.error(&kinds::BAD_NUMBER, span, message))
            }
            Fit::TooLarge => {
                let message = format!("{number} is not a number of type {ty}");
                let warning = kinds::OUT_OF_RANGE.warning(message).at_span(span);
                if self.script.warnings.len() < MAX_ERRORS {
                    let help = format!("its lowest {} bits are taken", ty.bits);
                    self.script.warnings.push(warning.with_help(help));
                }
                Ok(())
            }
        }
    }

    /// The numbers of elements, up to the end of the line or, over lines, to a word, of which
    /// an empty one is the end of the text. What is wrong with one keeps none of the others from being read.
    pub(crate) fn numbers(&mut self, ty: DataType, end: Option<&str>) -> Parsed<Vec<Number>> {
        let scalars = self.scalars(ty);
        let mut numbers = Vec::new();
        let mut result = Ok(());
        loop {
            match (&self.peek().kind, end) {
                (TokenKind::EndOfText, Some("")) => break,
                (TokenKind::EndOfText, Some(end)) => {
                    let message = format!("the values have no `{end}`");
                    let span = self.peek().span;
                    return Err(self.error(&kinds::OPEN_BLOCK, span, message));
                }
                (TokenKind::EndOfLine | TokenKind::EndOfText, None) => break,
                (TokenKind::EndOfLine, Some(_)) => {
                    self.next();
                    continue;
                }
                (TokenKind::Word(word), Some(end)) if *word == end => {
                    self.next();
                    break;
                }
                _ => {}
            }
            let place = numbers.len().checked_rem(scalars.len()).unwrap_or(0);
            let ty = scalars.get(place).copied().unwrap_or(BYTE);
            match self.number_of(ty) {
                Ok(number) => numbers.push(number),
                Err(reported) => {
                    result = Err(reported);
                    numbers.push(ZERO);
                    // What was no word at all hasn't been read.
                    if matches!(self.peek().kind, TokenKind::String(_)) {
                        self.next();
                    }
                }
            }
        }
        result.map(|()| numbers)
    }

    /// What the numbers of an element are.
    pub(crate) fn scalars(&mut self, ty: DataType) -> Rc<[Scalar]> {
        if let Some((of, scalars)) = &self.scalars
            && *of == ty
        {
            return Rc::clone(scalars);
        }
        let slots = ty.element_layout(&self.script, Layout::Std430).slots;
        let scalars: Rc<[Scalar]> = slots.iter().map(|slot| slot.scalar).collect();
        self.scalars = Some((ty, Rc::clone(&scalars)));
        scalars
    }

    /// The type of elements: of numbers, of texels or a structure.
    pub(crate) fn data_type(&mut self) -> Parsed<DataType> {
        let (word, span) = self.word("a data type")?;
        let element = word.strip_suffix("[]");
        let shape = match (element, self.shape(element.unwrap_or(word), span)?) {
            // Texels have no other distance in an array.
            (Some(_), Shape::Format(_)) => self.shape(word, span)?,
            (_, shape) => shape,
        };
        Ok(DataType {
            shape,
            is_array: element.is_some(),
        })
    }

    /// What a word says that something is made of.
    pub(crate) fn shape(&mut self, word: &str, span: Span) -> Parsed<Shape> {
        if let Some(shape) = shape(word) {
            return Ok(shape);
        }
        if let Some((handle, _)) = self.names.structs.get(word) {
            return Ok(Shape::Struct(*handle));
        }
        if self.failed.contains(word) {
            return Err(Reported);
        }
        let structs: Vec<String> = Struct::list(&self.script)
            .iter()
            .map(|it| it.name.clone())
            .collect();
        let known = structs.iter().map(String::as_str).chain(TYPES);
        Err(self.unknown_word(word, span, "data type", known))
    }

    /// A format of texels.
    pub(crate) fn format(&mut self) -> Parsed<crate::Format> {
        let (word, span) = self.word("an image format")?;
        match crate::Format::named(word) {
            Some(format) => Ok(format),
            None => Err(self.unknown_word(word, span, "image format", crate::Format::names())),
        }
    }

    /// The name of what is being declared.
    pub(crate) fn declared_name(&mut self, noun: &str) -> Parsed<(String, Span)> {
        let (word, span) = self.word(&format!("the name of the {noun}"))?;
        self.declaring = Some(word);
        Ok((word.to_owned(), span))
    }

    /// Declares something by its name.
    pub(crate) fn declare<T: Named>(&mut self, thing: T, span: Span) -> Parsed<Handle<T>> {
        self.declaring = None;
        let name = thing.name().to_owned();
        let list = T::list_mut(&mut self.script);
        let handle = Handle::new(list.len());
        let names = T::names(&mut self.names);
        if let Some(&(_, first)) = names.get(&name) {
            let message = format!(
                "there is already {} `{}`",
                with_article(T::NOUN),
                quoted(&name)
            );
            let error = kinds::DUPLICATE.error(message).at_span(span);
            return Err(self.report(error.with_label(Location::Span(first), "the other one")));
        }
        names.insert(name, (handle, span));
        list.push(thing);
        Ok(handle)
    }

    /// The name of something that has been declared.
    pub(crate) fn find<T: Named>(&mut self) -> Parsed<Handle<T>> {
        let (name, span) = self.word(&format!("the name of {}", with_article(T::NOUN)))?;
        if let Some((handle, _)) = T::names(&mut self.names).get(name) {
            return Ok(*handle);
        }
        if self.failed.contains(name) {
            return Err(Reported);
        }
        let known = T::list(&self.script).iter().map(T::name);
        let similar = closest(name, known).map(str::to_owned);
        let message = format!("there is no {} `{}` here", T::NOUN, quoted(name));
        let error = kinds::UNKNOWN_NAME.error(message).at_span(span);
        Err(self.report(suggesting(error, similar.as_deref())))
    }

    /// Whether something is declared by this name.
    pub(crate) fn is_declared<T: Named>(&mut self, name: &str) -> bool {
        T::names(&mut self.names).contains_key(name)
    }

    /// Takes room for what pipelines get from elsewhere.
    pub(crate) fn take_room(&mut self, parts: usize, span: Span) -> Parsed<()> {
        if self.derived > MAX_DERIVED {
            return Err(Reported);
        }
        self.derived = self.derived.saturating_add(parts);
        if self.derived > MAX_DERIVED {
            let message = format!("pipelines take over more than {MAX_DERIVED} things from others");
            return Err(self.error(&kinds::LIMIT, span, message));
        }
        Ok(())
    }

    /// Adds a command to the innermost block that is open.
    pub(crate) fn push(&mut self, span: Span, action: Action) {
        let commands = match self.repeats.last_mut() {
            Some(open) => &mut open.commands,
            None => &mut self.script.commands,
        };
        commands.push(Command { span, action });
    }

    /// From the start of a command to the end of the word that was read last.
    pub(crate) fn span_from(&self, start: Span) -> Span {
        Span {
            start: start.start,
            end: self.end.max(start.end),
        }
    }

    /// Goes on behind text that isn't read word by word.
    pub(crate) fn lexer(&mut self) -> &mut Lexer<'t> {
        if let Some(token) = self.peeked.take() {
            self.lexer = self.lexer.at(token.span.start);
        }
        &mut self.lexer
    }
}

const ZERO: Number = Number::Integer {
    is_negative: false,
    magnitude: 0,
};

pub(crate) const BYTE: Scalar = Scalar {
    kind: ScalarKind::Unsigned,
    bits: 8,
};

/// The scalar types of AmberScript, by their names.
const SCALARS: [(&str, Scalar); 11] = {
    const fn scalar(kind: ScalarKind, bits: u8) -> Scalar {
        Scalar { kind, bits }
    }
    use ScalarKind::{Float, Signed, Unsigned};
    [
        ("int8", scalar(Signed, 8)),
        ("int16", scalar(Signed, 16)),
        ("int32", scalar(Signed, 32)),
        ("int64", scalar(Signed, 64)),
        ("uint8", scalar(Unsigned, 8)),
        ("uint16", scalar(Unsigned, 16)),
        ("uint32", scalar(Unsigned, 32)),
        ("uint64", scalar(Unsigned, 64)),
        ("float16", scalar(Float, 16)),
        ("float", scalar(Float, 32)),
        ("double", scalar(Float, 64)),
    ]
};

/// What a data type may be meant to be.
const TYPES: [&str; 14] = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float",
    "double",
    "vec2<float>",
    "vec3<float>",
    "vec4<float>",
];

pub(crate) fn scalar(word: &str) -> Option<Scalar> {
    let found = SCALARS.iter().find(|(name, _)| *name == word)?;
    Some(found.1)
}

/// A scalar, a vector such as `vec2<int8>`, a matrix such as `mat2x3<float>`, or a format.
fn shape(word: &str) -> Option<Shape> {
    if let Some(scalar) = scalar(word) {
        return Some(Shape::Scalar(scalar));
    }
    let Some((name, inner)) = word.strip_suffix('>').and_then(|it| it.split_once('<')) else {
        return crate::Format::named(word).map(Shape::Format);
    };
    let scalar = scalar(inner)?;
    let size = |digit: u8| matches!(digit, b'2'..=b'4').then(|| digit - b'0');
    match *name.as_bytes() {
        [b'v', b'e', b'c', digit] => Some(Shape::Vector {
            scalar,
            size: size(digit)?,
        }),
        [b'm', b'a', b't', columns, b'x', rows] => Some(Shape::Matrix {
            scalar,
            columns: size(columns)?,
            rows: size(rows)?,
        }),
        _ => None,
    }
}

/// A piece of the script, cut if it is long.
pub(crate) fn quoted(text: &str) -> String {
    if text.len() <= MAX_QUOTED {
        return text.to_owned();
    }
    let mut end = MAX_QUOTED;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

fn suggesting(error: Diagnostic, similar: Option<&str>) -> Diagnostic {
    match similar {
        Some(similar) => error.with_help(format!("did you mean `{similar}`?")),
        None => error,
    }
}
