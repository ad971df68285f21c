//! Source files: an `OpString` with its name in the oldest set, a `DebugSource` in the
//! newer ones; and their texts, which `OpSource` has or `DebugSource`.

use std::collections::{HashMap, HashSet};

use spirvkit_binary::{Id, Section};
use spirvkit_grammar::{Enumeration as _, Op, SourceLanguage};
use spirvkit_ir::{EditError, Inst, Module, Place};

use super::extents::Extents;
use super::plan::Disposition;
use super::{Converter, Effect};
use crate::build::{EncodeError, MAX_SOURCE_LENGTH, MAX_STRING_LENGTH, literal, pieces};
use crate::{Entry, Field, FileId, Kind, Set};

/// What is known of the source files.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// By file: what stands for it in the target.
    of_file: HashMap<FileId, Id>,
    /// The languages that `OpSource` tells.
    languages: HashMap<FileId, u32>,
    /// The texts of `DebugSource`s that get another one, or none.
    texts: HashMap<u32, Option<Id>>,
    /// What stands for a file if none is named.
    any: Option<Id>,
    /// How long the texts are, where the target looks at that.
    pub(super) extents: Extents,
}

impl Sources {
    pub(super) fn language(&self, file: Option<FileId>) -> Option<u32> {
        self.languages.get(&file?).copied()
    }

    /// The `OpString` with the text of a `DebugSource`.
    pub(super) fn text(&self, source: Entry<'_>) -> Option<Id> {
        match self.texts.get(&source.id().0) {
            Some(text) => *text,
            None => own_text(source),
        }
    }
}

/// The `OpString` that a `DebugSource` names as its text. Producers name a
/// `DebugInfoNone` where there is none.
fn own_text(source: Entry<'_>) -> Option<Id> {
    let text = source.id_of(Field::Text)?;
    let definition = source.info().definition(text)?;
    (definition.op() == Op::String).then_some(text)
}

/// The words of an `OpSource` that are before its text: opcode, language, version and
/// file.
const BEFORE_TEXT: usize = 4;

impl<'a> Converter<'a, '_> {
    /// Sees to the files that the module has, before anything refers to them.
    pub(super) fn convert_sources(&mut self) -> Result<(), EncodeError> {
        let sources = self.op_sources();
        for &(inst, file) in &sources {
            let language = self.module.get(inst).operand_words().first().copied();
            self.sources
                .languages
                .entry(file)
                .or_insert(language.unwrap_or_default());
        }
        match self.to {
            Set::DebugInfo => self.sources_to_core(&sources),
            _ => self.sources_from_core(&sources),
        }
    }

    /// The `OpSource`s that name a file.
    fn op_sources(&self) -> Vec<(Inst, FileId)> {
        let of_file = |inst: Inst| {
            let file = match self.module.get(inst).words() {
                &[_, _, _, file, ..] => self.info.file_of(Id(file))?,
                _ => return None,
            };
            Some((inst, file))
        };
        let globals = self.module.globals();
        let sources = globals.filter(|&inst| self.module.op(inst) == Op::Source);
        sources.filter_map(of_file).collect()
    }

    /// Each `DebugSource` becomes an `OpSource`, and its `OpString` stands for it.
    fn sources_to_core(&mut self, sources: &[(Inst, FileId)]) -> Result<(), EncodeError> {
        let entries: Vec<Entry<'a>> = self.converted().collect();
        let language = entries
            .iter()
            .filter(|entry| entry.kind() == Kind::CompilationUnit)
            .find_map(|unit| self.value(*unit, Field::Language))
            .and_then(|language| u32::try_from(language).ok())
            .unwrap_or(SourceLanguage::Unknown.0);
        // The language of a file is that of the unit made of it, or else that of some.
        let mut languages: HashMap<FileId, u32> = HashMap::new();
        for unit in entries
            .iter()
            .filter(|entry| entry.kind() == Kind::CompilationUnit)
        {
            let file = unit
                .id_of(Field::Source)
                .and_then(|it| self.info.file_of(it));
            let own = self.value(*unit, Field::Language).map(u32::try_from);
            if let (Some(file), Some(Ok(own))) = (file, own) {
                languages.entry(file).or_insert(own);
            }
        }
        let mut known: HashMap<FileId, Inst> = HashMap::new();
        for &(inst, file) in sources {
            known.entry(file).or_insert(inst);
        }
        // Of several that stand for one file, the first with a text has the file's.
        let mut texts: HashMap<FileId, Entry<'a>> = HashMap::new();
        let is_source = |entry: &&Entry<'a>| entry.kind() == Kind::Source;
        for &entry in entries.iter().filter(is_source) {
            let file = self.info.file_of(entry.id());
            if let (Some(file), Some(_)) = (file, own_text(entry)) {
                texts.entry(file).or_insert(entry);
            }
        }
        for &entry in entries.iter().filter(is_source) {
            let name = entry.id_of(Field::File).unwrap_or(Id(0));
            let Some(file) = self.info.file_of(entry.id()) else {
                let name = self.string("")?;
                *self.dispositions.slot(entry.id()) = Disposition::Alias(name);
                continue;
            };
            *self.dispositions.slot(entry.id()) = Disposition::Alias(name);
            let with_text = texts.get(&file).copied();
            if let (Some(own), Some(with_text)) = (own_text(entry), with_text)
                && own_text(with_text) != Some(own)
                && with_text.text(Field::Text) != entry.text(Field::Text)
            {
                let why = "the module already has another text of the same file";
                self.lose(entry, Some(Field::Text), Effect::Lost, why);
            }
            if self.sources.of_file.insert(file, name).is_some() {
                continue;
            }
            let text = with_text.and_then(|_| self.info.whole_text(file));
            let language = languages.get(&file).copied().unwrap_or(language);
            self.tell_source(file, name, language, known.get(&file).copied(), text)?;
        }
        Ok(())
    }

    /// Says in an `OpSource` which language a file is in, and what its text is.
    fn tell_source(
        &mut self,
        file: FileId,
        name: Id,
        language: u32,
        known: Option<Inst>,
        text: Option<String>,
    ) -> Result<(), EncodeError> {
        let inst = match known {
            Some(inst) => inst,
            None => {
                let language = match SourceLanguage(language).info() {
                    Some(_) => language,
                    None => SourceLanguage::Unknown.0,
                };
                self.sources.languages.insert(file, language);
                let words = [language, 0, name.0];
                let place = Place::Section(Section::Sources);
                self.module.insert(place, Op::Source, &words)?
            }
        };
        let has_text = self.module.get(inst).words().len() > BEFORE_TEXT;
        if let Some(text) = text.filter(|_| !has_text) {
            give_text(self.module, inst, &text)?;
        }
        Ok(())
    }

    /// Each `OpSource` of a file becomes a `DebugSource`, if the set had none, and its
    /// text goes there.
    fn sources_from_core(&mut self, sources: &[(Inst, FileId)]) -> Result<(), EncodeError> {
        for entry in self.converted().collect::<Vec<_>>() {
            if entry.kind() != Kind::Source {
                continue;
            }
            if let Some(file) = self.info.file_of(entry.id()) {
                self.sources.of_file.entry(file).or_insert(entry.id());
            }
            self.join_texts(entry)?;
        }
        if self.to == Set::Shader {
            self.measure_texts(sources)?;
        }
        if !self.from.contains(&Set::DebugInfo) {
            return Ok(());
        }
        for &(inst, file) in sources {
            if self.sources.of_file.contains_key(&file) {
                continue;
            }
            let has_text = self.module.get(inst).words().len() > BEFORE_TEXT;
            let text = self.info.whole_text(file).filter(|_| has_text);
            let fits = |text: &str| match self.to {
                Set::Shader => self.sources.extents.contains_key(&file) || !is_measured(text),
                _ => text.len() <= MAX_STRING_LENGTH,
            };
            let text = text.filter(|text| fits(text));
            self.new_source(file, text.as_deref())?;
            if text.is_some() {
                take_text(self.module, inst)?;
            }
        }
        Ok(())
    }

    /// A text that goes on in `DebugSourceContinued`s becomes one string where the target
    /// hasn't these.
    fn join_texts(&mut self, entry: Entry<'a>) -> Result<(), EncodeError> {
        let is_continued = self
            .module
            .definition(entry.id())
            .and_then(|inst| self.module.next(inst))
            .and_then(|next| self.module.result(next))
            .and_then(|next| self.info.entry(next))
            .is_some_and(|next| next.kind() == Kind::SourceContinued);
        let file = self.info.file_of(entry.id());
        if self.to == Set::Shader || !is_continued {
            return Ok(());
        }
        let Some((file, text)) = file.and_then(|file| Some((file, self.info.whole_text(file)?)))
        else {
            return Ok(());
        };
        if self.sources.of_file.get(&file) != Some(&entry.id()) {
            let why = "the module already has another text of the same file";
            self.lose(entry, Some(Field::Text), Effect::Lost, why);
            return Ok(());
        }
        let joined = match text.len() <= MAX_STRING_LENGTH {
            true => Some(self.string(&text)?),
            false => {
                // Too long for a string; `OpSource` can go on in others.
                let known = self.op_sources().into_iter().find(|(_, own)| *own == file);
                let known = known.map(|(inst, _)| inst);
                self.keep_in_core(entry, file, known, text)?;
                None
            }
        };
        self.sources.texts.insert(entry.id().0, joined);
        Ok(())
    }

    /// Leaves the text of a `DebugSource` to an `OpSource`.
    fn keep_in_core(
        &mut self,
        entry: Entry<'a>,
        file: FileId,
        known: Option<Inst>,
        text: String,
    ) -> Result<(), EncodeError> {
        let name = entry.id_of(Field::File).unwrap_or(Id(0));
        let language = SourceLanguage::Unknown.0;
        self.tell_source(file, name, language, known, Some(text))
    }

    /// Measures the texts that `DebugSource`s will have. One that doesn't have all lines
    /// that are spoken of is left to an `OpSource`, of which nobody asks that.
    fn measure_texts(&mut self, sources: &[(Inst, FileId)]) -> Result<(), EncodeError> {
        let entries: Vec<Entry<'a>> = self.converted().collect();
        let with_text = entries
            .iter()
            .filter(|entry| entry.kind() == Kind::Source && own_text(**entry).is_some());
        let with_text: Vec<(FileId, Entry<'a>)> = with_text
            .filter_map(|entry| Some((self.info.file_of(entry.id())?, *entry)))
            .collect();
        let files = with_text.iter().map(|(file, _)| *file);
        let files = files.chain(sources.iter().map(|(_, file)| *file));
        let mut extents = self.measure(files);
        let shorter = self.shorter_than_referenced(&extents);
        let mut known: HashMap<FileId, Inst> = HashMap::new();
        for &(inst, file) in sources {
            known.entry(file).or_insert(inst);
        }
        // Many sources can be of one file, whose text is written once.
        let mut written: HashSet<FileId> = HashSet::new();
        for &(file, entry) in with_text.iter().filter(|(file, _)| shorter.contains(file)) {
            if written.insert(file)
                && let Some(text) = self.info.whole_text(file)
            {
                self.keep_in_core(entry, file, known.get(&file).copied(), text)?;
            }
            self.sources.texts.insert(entry.id().0, None);
        }
        extents.retain(|file, _| !shorter.contains(file));
        self.sources.extents = extents;
        Ok(())
    }

    /// What stands for the file that an id names: an `OpString` in the oldest set, a
    /// `DebugSource` in the others.
    pub(super) fn source_of(&mut self, id: Id) -> Result<Option<Id>, EncodeError> {
        match self.dispositions.get(id) {
            Disposition::As(Kind::Source) => return Ok(Some(id)),
            Disposition::Alias(string) => return Ok(Some(string)),
            _ => {}
        }
        let Some(file) = self.info.file_of(id) else {
            return Ok(None);
        };
        if let Some(&source) = self.sources.of_file.get(&file) {
            return Ok(Some(source));
        }
        match self.to {
            // An `OpString` already.
            Set::DebugInfo => Ok(Some(id)),
            _ => self.new_source(file, None).map(Some),
        }
    }

    fn new_source(&mut self, file: FileId, text: Option<&str>) -> Result<Id, EncodeError> {
        let name = self.info.file(file).map_or(Id(0), |file| file.id());
        let id = self.write_source(name, text)?;
        self.sources.of_file.insert(file, id);
        Ok(id)
    }

    /// Writes a `DebugSource` with a name and a text.
    fn write_source(&mut self, name: Id, text: Option<&str>) -> Result<Id, EncodeError> {
        let mut texts = Vec::new();
        for piece in text
            .into_iter()
            .flat_map(|text| pieces(text, MAX_STRING_LENGTH))
        {
            texts.push(self.string(piece)?.0);
        }
        let first: Vec<u32> = [name.0].into_iter().chain(texts.first().copied()).collect();
        let place = Place::Section(Section::Types);
        let (id, mut last) = self.insert(place, Kind::Source, &first)?;
        for &piece in texts.get(1..).unwrap_or_default() {
            (_, last) = self.insert(Place::After(last), Kind::SourceContinued, &[piece])?;
        }
        Ok(id)
    }

    /// What stands for a file if none is known.
    pub(super) fn any_source(&mut self) -> Result<Id, EncodeError> {
        if let Some(source) = self.sources.any {
            return Ok(source);
        }
        let first = self.info.of_kind(Kind::CompilationUnit).next();
        let first = first.and_then(|unit| unit.id_of(Field::Source));
        let source = match first.map(|source| self.source_of(source)) {
            Some(Ok(Some(source))) => source,
            _ => {
                let name = self.string("")?;
                match self.to {
                    Set::DebugInfo => name,
                    _ => self.write_source(name, None)?,
                }
            }
        };
        Ok(*self.sources.any.insert(source))
    }
}

/// Whether a text says where its lines end.
fn is_measured(text: &str) -> bool {
    super::extents::Extent::of(text).is_some()
}

/// Gives an `OpSource` without text one.
fn give_text(module: &mut Module, source: Inst, text: &str) -> Result<(), EditError> {
    let mut words = module.get(source).operand_words().to_vec();
    let mut pieces = pieces(text, MAX_SOURCE_LENGTH);
    words.extend(literal(pieces.next().unwrap_or_default()));
    module.replace(source, Op::Source, &words)?;
    let mut last = source;
    for piece in pieces {
        last = module.insert(Place::After(last), Op::SourceContinued, &literal(piece))?;
    }
    Ok(())
}

/// Takes the text of an `OpSource` away.
fn take_text(module: &mut Module, source: Inst) -> Result<(), EditError> {
    let mut words = module.get(source).operand_words().to_vec();
    words.truncate(BEFORE_TEXT - 1);
    module.replace(source, Op::Source, &words)?;
    while let Some(next) = module.next(source) {
        if module.op(next) != Op::SourceContinued {
            break;
        }
        module.remove(next)?;
    }
    Ok(())
}
