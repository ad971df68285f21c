//! A minimal form of debug information, from what the core can tell: `OpSource`,
//! `OpLine`, `OpName` and the types of the module itself.

use std::collections::HashMap;

use spirvkit_binary::{Id, LiteralString, WordOffset};
use spirvkit_grammar::{Op, SourceLanguage, StorageClass};
use spirvkit_ir::{Block, Function, Inst, Module, Place};

use super::types::{Types, pointee};
use super::{Converter, DWARF_VERSION, FORMAT_VERSION, Options};
use crate::build::{Draft, EncodeError};
use crate::{DebugInfo, Field, FileId, Flags, Kind, Position, Set};

/// Writes debug information of a set into a module that has none: as much as is known
/// from its `OpSource`, `OpLine` and names, and from its own types.
///
/// There will be a compilation unit, the files with their texts, a description of each
/// function that has a body, of the types of functions and variables, and of each
/// variable and parameter that has a name; each block is in the scope of its function. In
/// [`Set::Shader`] each `OpLine` of a block becomes a `DebugLine`.
///
/// Returns whether it has done so: a module that imports a set of debug information stays
/// as it is.
///
/// # Errors
///
/// If the module can't take an instruction. It is what it was then.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use spirvkit_debuginfo::{DebugInfo, Kind, Set};
/// use spirvkit_debuginfo::convert::describe;
/// use spirvkit_ir::Module;
///
/// let text = r#"
///            OpCapability Shader
///            OpMemoryModel Logical GLSL450
///            OpEntryPoint GLCompute %main "main" %mass
///            OpExecutionMode %main LocalSize 1 1 1
///    %file = OpString "bodies.comp"
///            OpSource GLSL 450 %file
///            OpName %mass "mass"
///    %void = OpTypeVoid
///   %float = OpTypeFloat 32
/// %private = OpTypePointer Private %float
///    %type = OpTypeFunction %void
///    %mass = OpVariable %private Private
///    %main = OpFunction %void None %type
///   %start = OpLabel
///            OpReturn
///            OpFunctionEnd
/// "#;
/// let words = spirvkit_text::assemble(text, &Default::default()).map_err(|_| "")?.words;
/// let mut module = Module::load(&words)?;
/// assert!(describe(&mut module, Set::Shader)?);
///
/// let words = module.store();
/// let info = DebugInfo::read(&words)?;
/// let mass = info.of_kind(Kind::GlobalVariable).next().ok_or("no variable")?;
/// assert_eq!(mass.declaration_text(), "float mass");
/// # Ok(())
/// # }
/// ```
pub fn describe(module: &mut Module, to: Set) -> Result<bool, EncodeError> {
    let words = module.store();
    // What was stored can be read again.
    let Ok(info) = DebugInfo::read(&words) else {
        return Ok(false);
    };
    if info.sets().next().is_some() {
        return Ok(false);
    }
    let described = Converter::describe(&info, module, to);
    if described.is_err()
        && let Ok(before) = Module::load(&words)
    {
        *module = before;
    }
    described.map(|()| true)
}

/// What a function or variable is called, and where it is declared.
struct Declared {
    source: Id,
    line: u32,
    column: u32,
}

/// What is described of the module as a whole.
struct Frame {
    names: Names,
    types: Types,
    unit: Id,
    file: Option<FileId>,
    /// The expression that does nothing.
    expression: Id,
}

impl Converter<'_, '_> {
    fn describe(info: &DebugInfo<'_>, module: &mut Module, to: Set) -> Result<(), EncodeError> {
        let options = Options::default();
        // As if the module were of the first set, whose files are those of the core.
        let from = vec![Set::DebugInfo];
        let mut converter = Converter::new(info, module, to, from, &options)?;
        converter.convert_sources()?;
        let file = converter.main_file();
        let source = converter.source_or_any(file)?;
        let unit = converter.main_unit(source)?;
        let names = Names::of(converter.module);
        let types = converter.describe_types(&names, source, unit)?;
        let expression = converter.add(&Draft::new(Kind::Expression))?;
        let frame = Frame {
            names,
            types,
            unit,
            file,
            expression,
        };
        converter.describe_globals(&frame)?;
        let functions: Vec<Function> = converter.module.functions().collect();
        for function in functions {
            converter.describe_function(&frame, function)?;
        }
        converter.sort()?;
        converter.declare_extensions()
    }

    /// The file that the module is made of: that of the first `OpSource` with one, or
    /// else the first of all.
    fn main_file(&self) -> Option<FileId> {
        let sources = self.module.globals();
        let files = sources.filter_map(|inst| match *self.module.get(inst).words() {
            [_, _, _, file, ..] if self.module.op(inst) == Op::Source => {
                self.info.file_of(Id(file))
            }
            _ => None,
        });
        let first = self.info.files().next().map(|(file, _)| file);
        { files }.next().or(first)
    }

    fn source_or_any(&mut self, file: Option<FileId>) -> Result<Id, EncodeError> {
        let string = file.and_then(|file| self.info.file(file)).map(|it| it.id());
        match string {
            Some(string) => match self.source_of(string)? {
                Some(source) => Ok(source),
                None => self.any_source(),
            },
            None => self.any_source(),
        }
    }

    fn main_unit(&mut self, source: Id) -> Result<Id, EncodeError> {
        let language = self.module.globals().find_map(|inst| {
            let language = self.module.get(inst).operand_words().first().copied();
            language.filter(|_| self.module.op(inst) == Op::Source)
        });
        let unit = Draft::new(Kind::CompilationUnit)
            .with(Field::Version, FORMAT_VERSION)
            .with(Field::DwarfVersion, DWARF_VERSION)
            .with(Field::Source, source);
        let language = language.unwrap_or(SourceLanguage::Unknown.0);
        self.add(&match self.to {
            Set::DebugInfo => unit,
            _ => unit.with(Field::Language, language),
        })
    }

    fn describe_globals(&mut self, frame: &Frame) -> Result<(), EncodeError> {
        let globals: Vec<Inst> = self.module.globals().collect();
        let source = self.source_or_any(frame.file)?;
        for inst in globals {
            let [_, pointer, id, ..] = *self.module.get(inst).words() else {
                continue;
            };
            let name = frame.names.get(Id(id));
            if self.module.op(inst) != Op::Variable || name.is_empty() {
                continue;
            }
            let variable = Draft::new(Kind::GlobalVariable)
                .with(Field::Name, name)
                .with(Field::Type, self.pointee(frame, Id(pointer))?)
                .with(Field::Source, source)
                .with(Field::Parent, frame.unit)
                .with(Field::LinkageName, name)
                .with(Field::Variable, Id(id))
                .with(Field::Flags, Flags::FlagIsDefinition.0);
            self.add(&variable)?;
        }
        Ok(())
    }

    /// The description of what a pointer type points to; of another type its own.
    fn pointee(&mut self, frame: &Frame, pointer: Id) -> Result<Id, EncodeError> {
        match frame.types.get(pointee(self.module, pointer)) {
            Some(ty) => Ok(ty),
            None => self.void_type(),
        }
    }

    fn describe_function(&mut self, frame: &Frame, function: Function) -> Result<(), EncodeError> {
        let Some(definition) = self.module.function_definition(function) else {
            return Ok(());
        };
        let [_, _, id, _, ty] = *self.module.get(definition).words() else {
            return Ok(());
        };
        let Some(entry) = self.module.entry_block(function) else {
            return Ok(());
        };
        let place = self.declared(frame, self.first_position(Id(id)))?;
        let linkage = frame.names.get(Id(id));
        // glslang puts the parameters' types behind the name.
        let name = linkage.split('(').next().unwrap_or_default();
        let description = Draft::new(Kind::Function)
            .with(Field::Name, name)
            .with(Field::Type, self.function_type_of(frame, Id(ty))?)
            .with(Field::Source, place.source)
            .with(Field::Line, place.line)
            .with(Field::Column, place.column)
            .with(Field::Parent, frame.unit)
            .with(Field::LinkageName, linkage)
            .with(Field::Flags, Flags::FlagIsDefinition.0)
            .with(Field::ScopeLine, place.line);
        let description = self.add(&match self.to {
            Set::Shader => description,
            _ => description.with(Field::Function, Id(id)),
        })?;
        let bindings = self.describe_locals(frame, function, entry, description, &place)?;
        let blocks: Vec<Block> = self.module.blocks(function).collect();
        for block in blocks {
            let Some(mut last) = self.sort_head(block)? else {
                continue;
            };
            if block == entry && self.to == Set::Shader {
                let words = [description.0, id];
                let place = Place::After(last);
                (_, last) = self.insert(place, Kind::FunctionDefinition, &words)?;
            }
            let (_, scope) = self.insert(Place::After(last), Kind::Scope, &[description.0])?;
            self.enter(block, scope);
            last = scope;
            if block == entry {
                for (kind, words) in &bindings {
                    (_, last) = self.insert(Place::After(last), *kind, words)?;
                    self.module.set_scope(last, Some(scope));
                }
            }
            if self.to == Set::Shader {
                self.lines_to_shader(block, last)?;
            }
        }
        Ok(())
    }

    /// Lets everything in a block behind a `DebugScope` be in that scope.
    fn enter(&mut self, block: Block, scope: Inst) {
        let mut next = Some(scope);
        while let Some(inst) = next.filter(|&inst| self.module.block_of(inst) == Some(block)) {
            self.module.set_scope(inst, Some(scope));
            next = self.module.next(inst);
        }
    }

    fn function_type_of(&mut self, frame: &Frame, ty: Id) -> Result<Id, EncodeError> {
        match frame.types.get(ty) {
            Some(ty) => Ok(ty),
            None => self.plain_function_type(),
        }
    }

    /// Describes the parameters and variables of a function that have a name. Returns the
    /// instructions that say where they are.
    fn describe_locals(
        &mut self,
        frame: &Frame,
        function: Function,
        entry: Block,
        description: Id,
        place: &Declared,
    ) -> Result<Vec<(Kind, Vec<u32>)>, EncodeError> {
        let parameters: Vec<Inst> = self.module.parameters(function).collect();
        let body: Vec<Inst> = self.module.block_instructions(entry).collect();
        let variables = body.into_iter().filter(|&inst| {
            let class = self.module.get(inst).words().get(3).copied();
            self.module.op(inst) == Op::Variable && class == Some(StorageClass::Function.0)
        });
        let numbered = parameters.into_iter().zip(1u32..);
        let numbered = numbered.map(|(inst, number)| (inst, Some(number)));
        let all: Vec<(Inst, Option<u32>)> =
            numbered.chain(variables.map(|inst| (inst, None))).collect();
        let mut bindings = Vec::new();
        for (inst, number) in all {
            let (Some(id), Some(ty)) = (self.module.result(inst), self.module.result_type(inst))
            else {
                continue;
            };
            let name = frame.names.get(id);
            if name.is_empty() {
                continue;
            }
            let is_in_memory = number.is_none() || self.is_pointer_to_local(ty);
            let ty = match is_in_memory {
                true => self.pointee(frame, ty)?,
                false => match frame.types.get(ty) {
                    Some(ty) => ty,
                    None => self.void_type()?,
                },
            };
            let offset = self.info.definition(id).map(|it| it.offset());
            let own = offset.and_then(|offset| self.info.position(offset));
            let own = match own {
                Some(own) => self.declared(frame, Some(own))?,
                None => Declared { ..*place },
            };
            let variable = Draft::new(Kind::LocalVariable)
                .with(Field::Name, name)
                .with(Field::Type, ty)
                .with(Field::Source, own.source)
                .with(Field::Line, own.line)
                .with(Field::Column, own.column)
                .with(Field::Parent, description)
                .with(Field::ArgNumber, number);
            let variable = self.add(&variable)?;
            let kind = match is_in_memory {
                true => Kind::Declare,
                false => Kind::Value,
            };
            bindings.push((kind, vec![variable.0, id.0, frame.expression.0]));
        }
        Ok(bindings)
    }

    fn is_pointer_to_local(&self, ty: Id) -> bool {
        let inst = self.module.definition(ty);
        inst.is_some_and(|inst| {
            let words = self.module.get(inst).words();
            matches!(words, &[_, _, class, _] if class == StorageClass::Function.0)
                && self.module.op(inst) == Op::TypePointer
        })
    }

    /// Where a function begins: its own line, or the first one that it has.
    fn first_position(&self, function: Id) -> Option<Position> {
        let start = self.info.definition(function)?.offset();
        if let Some(position) = self.info.position(start) {
            return Some(position);
        }
        let words = self.info.function_at(start)?.words.clone();
        let (mut at, end) = (words.start, words.end);
        while at < end {
            if let Some(position) = self.info.position(WordOffset(at)) {
                return Some(position);
            }
            at += self.info.instruction(at as u32)?.words().len().max(1);
        }
        None
    }

    fn declared(
        &mut self,
        frame: &Frame,
        position: Option<Position>,
    ) -> Result<Declared, EncodeError> {
        let file = position.map(|it| it.file).or(frame.file);
        let source = self.source_or_any(file)?;
        let (line, column) = position.map_or((0, 0), |it| (it.line, it.column));
        let has_column = self.has_column(file, u64::from(line), column);
        Ok(Declared {
            source,
            line,
            column: if has_column { column } else { 0 },
        })
    }
}

/// What ids and members of structures are called.
#[derive(Debug, Default)]
pub(super) struct Names {
    ids: HashMap<u32, String>,
    members: HashMap<(u32, u32), String>,
}

impl Names {
    fn of(module: &Module) -> Self {
        let mut names = Self::default();
        let text = |words: &[u32]| {
            let text = LiteralString::at_start_of(words);
            text.map_or(String::new(), LiteralString::to_text_lossy)
        };
        let mut entry_points = Vec::new();
        for inst in module.globals() {
            match (module.op(inst), module.get(inst).words()) {
                (Op::Name, [_, id, name @ ..]) => {
                    names.ids.entry(*id).or_insert_with(|| text(name));
                }
                (Op::MemberName, [_, id, member, name @ ..]) => {
                    let key = (*id, *member);
                    names.members.entry(key).or_insert_with(|| text(name));
                }
                (Op::EntryPoint, [_, _, id, name @ ..]) => entry_points.push((*id, text(name))),
                _ => {}
            }
        }
        for (id, name) in entry_points {
            names.ids.entry(id).or_insert(name);
        }
        names
    }

    pub(super) fn get(&self, id: Id) -> &str {
        self.ids.get(&id.0).map_or("", String::as_str)
    }

    pub(super) fn member(&self, id: Id, member: u32) -> &str {
        let name = self.members.get(&(id.0, member));
        name.map_or("", String::as_str)
    }
}
