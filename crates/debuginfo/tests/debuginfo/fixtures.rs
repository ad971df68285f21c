//! Modules of real compilers answer as their sources say: see `fixtures/README.md`.

use std::fs;
use std::ops::Range;
use std::path::PathBuf;

use serde::Deserialize;
use spirvkit_binary::{Id, Instruction, LiteralString, WordOffset, words_from_bytes};
use spirvkit_debuginfo::{
    DebugInfo, Entry, Field, FileId, Flags, Frame, ImportedTag, Kind, Location, Tag, Variable,
};
use spirvkit_grammar::Op;

#[test]
fn particles() {
    check("particles");
}

#[test]
fn shapes() {
    check("shapes");
}

#[test]
fn rare() {
    check("rare");
}

#[test]
fn sort() {
    check("sort");
}

#[test]
fn glow() {
    check("glow");
}

#[test]
fn waves() {
    check("waves");
}

#[test]
fn tiles() {
    check("tiles");
}

/// Each module of the folder is expected something of.
#[test]
fn every_module_is_looked_at() {
    let mut expected = Vec::new();
    for name in [
        "particles",
        "shapes",
        "rare",
        "sort",
        "glow",
        "waves",
        "tiles",
    ] {
        let groups = expectations(name).groups;
        expected.extend(groups.into_iter().flat_map(|group| group.modules));
    }
    for entry in fs::read_dir(folder()).expect("the folder is there") {
        let name = entry.expect("it can be read").file_name();
        let name = name.to_string_lossy().into_owned();
        if name.ends_with(".spv") {
            let known = expected.iter().any(|module| module.module == name);
            assert!(known, "nothing is expected of {name}");
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectations {
    source: String,
    /// The source's name in the modules.
    file: String,
    groups: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Group {
    modules: Vec<ModuleName>,
    #[serde(rename = "notes")]
    _notes: Vec<String>,
    sources: Vec<SourceText>,
    lines: Vec<Line>,
    functions: Vec<Declared>,
    types: Vec<Type>,
    enums: Vec<Enum>,
    variables: Vec<Local>,
    globals: Vec<Declared>,
    inlined: Vec<Inlined>,
    imported: Vec<Imported>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModuleName {
    module: String,
    set: String,
    /// Whether the numbers of arguments can't be read.
    #[serde(default)]
    no_arguments: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceText {
    file: String,
    text: bool,
    /// How it was made, and its digits.
    checksum: Option<(String, String)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    line: u32,
    code: bool,
    function: Option<String>,
    #[serde(rename = "what")]
    _what: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    name: String,
    line: Option<u32>,
    #[serde(rename = "type")]
    ty: Option<String>,
    linkage_name: Option<String>,
    #[serde(default)]
    template: Vec<Parameter>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Type {
    name: String,
    kind: String,
    line: Option<u32>,
    size_bits: Option<u64>,
    /// What a typedef stands for.
    #[serde(rename = "type")]
    ty: Option<String>,
    /// Names of the scopes around it, the outermost first.
    #[serde(default)]
    scope: Vec<String>,
    members: Option<Vec<Member>>,
    #[serde(default)]
    bases: Vec<Member>,
    #[serde(default)]
    methods: Vec<Declared>,
    #[serde(default)]
    template: Vec<Parameter>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Member {
    #[serde(default)]
    name: String,
    #[serde(rename = "type")]
    ty: Option<String>,
    line: Option<u32>,
    offset_bits: Option<u64>,
    access: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameter {
    name: String,
    #[serde(rename = "type")]
    ty: Option<String>,
    value: Option<u64>,
    /// The name of the template that it is.
    template: Option<String>,
    /// The types in a pack.
    pack: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Imported {
    what: String,
    /// The name that it gets, which a `using` hasn't.
    name: String,
    entity: String,
    line: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Enum {
    name: String,
    line: u32,
    size_bits: u64,
    values: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Local {
    function: String,
    name: String,
    #[serde(rename = "type")]
    ty: String,
    line: Option<u32>,
    argument: Option<u64>,
    #[serde(default)]
    visible_at: Vec<u32>,
    #[serde(default)]
    hidden_at: Vec<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Inlined {
    line: u32,
    callee: String,
    call_line: u32,
    caller: String,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn expectations(name: &str) -> Expectations {
    let path = folder().join(format!("{name}.expect.json"));
    let text = fs::read_to_string(path).expect("the expectations are there");
    serde_json::from_str(&text).expect("the expectations can be read")
}

/// Compares all modules of a source with what is expected, and tells all differences.
fn check(name: &str) {
    let expected = expectations(name);
    let source = fs::read_to_string(folder().join(&expected.source)).expect("the source is there");
    let mut wrong = Vec::new();
    for group in &expected.groups {
        for module in &group.modules {
            let bytes = fs::read(folder().join(&module.module)).expect("the module is there");
            let (words, _) = words_from_bytes(&bytes).expect("the module has words");
            let info = DebugInfo::read(&words).expect("the module has a header");
            let mut look = Look {
                info: &info,
                file: &expected.file,
                no_arguments: module.no_arguments,
                wrong: Vec::new(),
            };
            look.imports(&module.set);
            look.group(group, &source);
            wrong.extend(
                look.wrong
                    .into_iter()
                    .map(|what| format!("{}: {what}", module.module)),
            );
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

struct Look<'m> {
    info: &'m DebugInfo<'m>,
    file: &'m str,
    no_arguments: bool,
    wrong: Vec<String>,
}

/// Notes a difference between what is and what is expected, if there is one.
macro_rules! same {
    ($look:expr, $is:expr, $expected:expr, $($what:tt)*) => {{
        let (is, expected) = ($is, $expected);
        if is != expected {
            $look.wrong.push(format!("{}: expected {expected:?}, found {is:?}", format!($($what)*)));
        }
    }};
}

impl<'m> Look<'m> {
    fn group(&mut self, group: &Group, source: &str) {
        for expected in &group.sources {
            self.source(expected, source);
        }
        for line in &group.lines {
            self.line(line);
        }
        for function in &group.functions {
            self.declared(Kind::Function, function);
        }
        for global in &group.globals {
            self.declared(Kind::GlobalVariable, global);
        }
        for ty in &group.types {
            self.ty(ty);
        }
        for ty in &group.enums {
            self.enumeration(ty);
        }
        for variable in &group.variables {
            self.variable(variable);
        }
        for inlined in &group.inlined {
            self.inlined(inlined);
        }
        for imported in &group.imported {
            self.imported(imported);
        }
    }

    fn imports(&mut self, set: &str) {
        let imports = self
            .info
            .instructions()
            .filter(|instruction| instruction.op() == Op::ExtInstImport);
        let names = imports.filter_map(|import| LiteralString::at_start_of(&import.words()[2..]));
        let has = names
            .map(LiteralString::to_text_lossy)
            .any(|name| name == set);
        same!(self, has, true, "whether it imports {set}");
        same!(self, self.info.sets().count(), 1, "sets that are known");
    }

    fn file(&self) -> Option<FileId> {
        let mut files = self.info.files();
        let found = files.find(|(_, file)| file.name() == self.file);
        found.map(|(id, _)| id)
    }

    fn source(&mut self, expected: &SourceText, source: &str) {
        let mut files = self.info.files();
        let file = files.find(|(_, file)| file.name() == expected.file);
        let text = file.and_then(|(id, _)| self.info.text_of(id));
        let checksum = file.and_then(|(id, _)| self.info.checksum_of(id));
        same!(
            self,
            checksum,
            expected.checksum.clone(),
            "checksum of {}",
            expected.file
        );
        let lines = |text: &str| text.trim_end().to_owned();
        same!(
            self,
            text.as_deref().map(lines),
            expected.text.then(|| lines(source)),
            "text of {}",
            expected.file
        );
    }

    /// The instructions of a line that do something: without debug information, and
    /// without what every function has.
    fn code(&self, line: u32) -> Vec<WordOffset> {
        let info = self.info;
        let ranges = self.file().into_iter();
        let ranges = ranges.flat_map(|file| info.instructions_of(file, line));
        ranges
            .flat_map(|range: Range<usize>| info.instructions_in(range))
            .filter(|instruction| self.does_something(instruction))
            .map(|instruction| instruction.offset())
            .collect()
    }

    fn does_something(&self, instruction: &Instruction<'_>) -> bool {
        let nothing = [
            Op::Line,
            Op::NoLine,
            Op::Label,
            Op::Variable,
            Op::Function,
            Op::FunctionParameter,
            Op::FunctionEnd,
        ];
        let is_entry = self.info.entry_starting_at(instruction.offset()).is_some();
        !is_entry && !nothing.contains(&instruction.op())
    }

    /// The function in which an instruction is, or into which it has been inlined least.
    fn function_name(&self, offset: WordOffset) -> Option<String> {
        self.info.frames(offset).next().as_ref().and_then(name_of)
    }

    fn line(&mut self, expected: &Line) {
        let number = expected.line;
        let code = self.code(number);
        same!(
            self,
            !code.is_empty(),
            expected.code,
            "whether line {number} has code"
        );
        for offset in code {
            let function = self.function_name(offset);
            same!(
                self,
                function,
                expected.function.clone(),
                "function of line {number}, at word {}",
                offset.0
            );
        }
    }

    /// What has a name, of those things the one at the line if there is one.
    fn find(&self, kind: Kind, name: &str, line: Option<u32>) -> Option<Entry<'m>> {
        let mut named: Vec<_> = self.info.of_kind(kind).collect();
        named.retain(|entry| entry.name().as_deref() == Some(name));
        let at_line = named.iter().find(|entry| entry.line() == line).copied();
        at_line.or_else(|| named.first().copied())
    }

    fn declared(&mut self, kind: Kind, expected: &Declared) {
        let name = &expected.name;
        let Some(entry) = self.find(kind, name, expected.line) else {
            return self.wrong.push(format!("there is no {name}"));
        };
        self.declaration(entry, expected);
    }

    fn declaration(&mut self, entry: Entry<'_>, expected: &Declared) {
        let name = &expected.name;
        if expected.line.is_some() {
            same!(self, entry.line(), expected.line, "line of {name}");
        }
        if let Some(ty) = &expected.ty {
            same!(self, &type_of(entry), ty, "type of {name}");
        }
        if expected.linkage_name.is_some() {
            let linkage = entry.linkage_name();
            same!(
                self,
                &linkage,
                &expected.linkage_name,
                "linkage name of {name}"
            );
        }
        if !expected.template.is_empty() {
            self.template(entry, &expected.template);
        }
    }

    fn imported(&mut self, expected: &Imported) {
        let (line, what) = (expected.line, &expected.what);
        let mut imports = self.info.of_kind(Kind::ImportedEntity);
        let Some(entry) = imports.find(|entry| entry.line() == Some(line)) else {
            return self.wrong.push(format!("line {line} imports nothing"));
        };
        let tag = match what.as_str() {
            "module" => ImportedTag::ImportedModule,
            _ => ImportedTag::ImportedDeclaration,
        };
        let found = entry.number(Field::Tag);
        same!(
            self,
            found,
            Some(u64::from(tag.0)),
            "what line {line} imports"
        );
        let name = entry.name();
        same!(
            self,
            name.as_ref(),
            Some(&expected.name),
            "name that line {line} gives"
        );
        let entity = entry.entry(Field::Entity).and_then(|entity| entity.name());
        same!(
            self,
            entity.as_ref(),
            Some(&expected.entity),
            "what line {line} imports"
        );
    }

    fn ty(&mut self, expected: &Type) {
        let name = &expected.name;
        let (kind, tag) = match expected.kind.as_str() {
            "structure" => (Kind::TypeComposite, Some(Tag::Structure)),
            "class" => (Kind::TypeComposite, Some(Tag::Class)),
            "union" => (Kind::TypeComposite, Some(Tag::Union)),
            "typedef" => (Kind::Typedef, None),
            "basic" => (Kind::TypeBasic, None),
            other => panic!("{other} is no kind of type"),
        };
        let Some(entry) = self.find(kind, name, expected.line) else {
            return self.wrong.push(format!("there is no type {name}"));
        };
        same!(self, entry.tag(), tag, "sort of {name}");
        if expected.line.is_some() {
            same!(self, entry.line(), expected.line, "line of {name}");
        }
        if expected.size_bits.is_some() {
            let size = entry.size_in_bits();
            same!(self, size, expected.size_bits, "size of {name}");
        }
        if let Some(ty) = &expected.ty {
            let base = entry.base_type().map(|base| base.type_text());
            same!(self, base.as_ref(), Some(ty), "what {name} is");
        }
        if !expected.scope.is_empty() {
            let mut scopes: Vec<_> = entry.parents().filter_map(|scope| scope.name()).collect();
            scopes.reverse();
            same!(self, &scopes, &expected.scope, "scopes around {name}");
        }
        if let Some(members) = &expected.members {
            self.members(entry, Kind::TypeMember, members);
        }
        self.members(entry, Kind::TypeInheritance, &expected.bases);
        self.methods(entry, &expected.methods);
        if !expected.template.is_empty() {
            self.template(entry, &expected.template);
        }
    }

    /// Members, or base classes: all of them, or all that are expected of a type of
    /// which some are left out.
    fn members(&mut self, of: Entry<'_>, kind: Kind, expected: &[Member]) {
        let found: Vec<_> = of
            .members()
            .filter(|member| member.kind() == kind)
            .collect();
        for member in expected {
            let what = format!("member {} of {}", member.name, of.type_text());
            let named = |entry: &&Entry<'_>| {
                kind == Kind::TypeInheritance || entry.name().as_ref() == Some(&member.name)
            };
            let Some(entry) = found.iter().find(named) else {
                self.wrong.push(format!("there is no {what}"));
                continue;
            };
            if let Some(ty) = &member.ty {
                let is = match kind {
                    Kind::TypeInheritance => {
                        entry.entry(Field::BaseClass).or_else(|| entry.parent())
                    }
                    _ => entry.type_(),
                };
                let is = is.map(|ty| ty.type_text());
                same!(self, is.as_ref(), Some(ty), "type of {what}");
            }
            if member.line.is_some() {
                same!(self, entry.line(), member.line, "line of {what}");
            }
            if member.offset_bits.is_some() {
                let offset = entry.offset_in_bits();
                same!(self, offset, member.offset_bits, "offset of {what}");
            }
            if let Some(access) = &member.access {
                same!(self, access_of(entry.flags()), access, "access to {what}");
            }
        }
    }

    fn methods(&mut self, of: Entry<'_>, expected: &[Declared]) {
        let is_method =
            |entry: &Entry<'_>| matches!(entry.kind(), Kind::FunctionDeclaration | Kind::Function);
        let found: Vec<_> = of.members().filter(is_method).collect();
        let names: Vec<_> = found.iter().filter_map(|entry| entry.name()).collect();
        let wanted: Vec<_> = expected.iter().map(|method| method.name.clone()).collect();
        if !expected.is_empty() {
            same!(self, &names, &wanted, "methods of {}", of.type_text());
        }
        for (entry, method) in found.iter().zip(expected) {
            self.declaration(*entry, method);
        }
    }

    fn template(&mut self, of: Entry<'_>, expected: &[Parameter]) {
        let mut templates = self.info.of_kind(Kind::TypeTemplate);
        let Some(template) = templates.find(|entry| entry.entry(Field::Target) == Some(of)) else {
            let what = of.type_text();
            return self.wrong.push(format!("{what} is no template"));
        };
        let found: Vec<_> = template.entries(Field::Parameters).collect();
        same!(
            self,
            found.len(),
            expected.len(),
            "parameters of {}",
            of.type_text()
        );
        for (entry, parameter) in found.iter().zip(expected) {
            let name = &parameter.name;
            same!(self, entry.name(), Some(name.clone()), "name of {name}");
            if let Some(ty) = &parameter.ty {
                same!(self, &type_of(*entry), ty, "type of {name}");
            }
            if parameter.value.is_some() {
                let value = entry.number(Field::Value);
                same!(self, value, parameter.value, "value of {name}");
            }
            if parameter.template.is_some() {
                let template = entry.text(Field::TemplateName);
                same!(self, template, parameter.template.clone(), "what {name} is");
            }
            if let Some(pack) = &parameter.pack {
                let is_pack = entry.kind() == Kind::TypeTemplateParameterPack;
                same!(self, is_pack, true, "whether {name} is a pack");
                let types = entry.entries(Field::TemplateParameters).map(type_of);
                same!(self, &types.collect::<Vec<_>>(), pack, "types in {name}");
            }
        }
    }

    fn enumeration(&mut self, expected: &Enum) {
        let name = &expected.name;
        let Some(entry) = self.find(Kind::TypeEnum, name, Some(expected.line)) else {
            return self.wrong.push(format!("there is no enum {name}"));
        };
        same!(self, entry.line(), Some(expected.line), "line of {name}");
        let size = entry.size_in_bits();
        same!(self, size, Some(expected.size_bits), "size of {name}");
        let found: Vec<_> = entry
            .enumerators()
            .map(|(name, value)| (name, value.map(|value| value as i64)))
            .collect();
        let wanted: Vec<_> = expected
            .values
            .iter()
            .map(|(name, value)| (name.clone(), value.as_i64()))
            .collect();
        same!(self, found, wanted, "values of {name}");
    }

    fn variable(&mut self, expected: &Local) {
        let what = format!("{} of {}", expected.name, expected.function);
        let mut variables = self.info.of_kind(Kind::LocalVariable);
        let Some(entry) = variables.find(|entry| is_meant(*entry, expected)) else {
            return self.wrong.push(format!("there is no {what}"));
        };
        same!(self, &type_of(entry), &expected.ty, "type of {what}");
        if expected.argument.is_some() && !self.no_arguments {
            let number = entry.number(Field::ArgNumber);
            same!(self, number, expected.argument, "number of {what}");
        }
        for &line in &expected.visible_at {
            let seen = self.seen(line, expected);
            if seen.is_empty() {
                self.wrong
                    .push(format!("line {line} has no code of {}", expected.function));
            }
            for variable in seen {
                match variable {
                    None => self.wrong.push(format!("{what} is hidden at line {line}")),
                    Some(variable) if self.is_declared(entry) => {
                        let known = variable.location != Location::Unknown;
                        same!(self, known, true, "whether {what} is known at line {line}");
                    }
                    Some(_) => {}
                }
            }
        }
        for &line in &expected.hidden_at {
            let is_it = |variable: &Variable<'_>| variable.variable == entry && variable.frame == 0;
            let visible = |offset| self.info.variables(offset).any(|variable| is_it(&variable));
            let visible = self.code(line).into_iter().any(visible);
            same!(
                self,
                visible,
                false,
                "whether {what} is visible at line {line}"
            );
        }
    }

    /// Whether it has one place for all its life.
    fn is_declared(&self, variable: Entry<'_>) -> bool {
        let mut bindings = self.info.bindings(variable);
        bindings.any(|binding| binding.kind() == Kind::Declare)
    }

    /// The variable, if it is visible, at each instruction of a line of its function.
    fn seen(&self, line: u32, expected: &Local) -> Vec<Option<Variable<'m>>> {
        let in_function =
            |offset: &WordOffset| self.function_name(*offset).as_ref() == Some(&expected.function);
        let code = self.code(line).into_iter().filter(in_function);
        code.map(|offset| {
            let variables = self.info.variables(offset);
            let mut variables = variables.filter(|variable| variable.frame == 0);
            variables.find(|variable| is_meant(variable.variable, expected))
        })
        .collect()
    }

    fn inlined(&mut self, expected: &Inlined) {
        let code = self.code(expected.line);
        let calls = |offset: &WordOffset| {
            let frames: Vec<_> = self.info.frames(*offset).collect();
            let [inner, outer, ..] = frames.as_slice() else {
                return false;
            };
            let call_line = outer.position.map(|position| position.line);
            name_of(inner).as_ref() == Some(&expected.callee)
                && name_of(outer).as_ref() == Some(&expected.caller)
                && call_line == Some(expected.call_line)
        };
        if !code.iter().any(calls) {
            let frames = code
                .first()
                .map(|&offset| self.info.frames(offset).collect::<Vec<_>>());
            self.wrong.push(format!(
                "line {} of {} is not inlined at line {} of {}: {frames:?}",
                expected.line, expected.callee, expected.call_line, expected.caller
            ));
        }
        for offset in code {
            let last = self.info.frames(offset).last();
            let function = self.info.function_at(offset);
            let described = function.and_then(|function| self.info.description(function));
            same!(
                self,
                last.and_then(|frame| frame.function())
                    .map(|entry| entry.id()),
                described.map(|entry| entry.id()).or(Some(Id(0))),
                "outermost function at word {}",
                offset.0
            );
        }
    }
}

fn is_meant(variable: Entry<'_>, expected: &Local) -> bool {
    let function = variable.function().and_then(|function| function.name());
    variable.name().as_ref() == Some(&expected.name)
        && function.as_ref() == Some(&expected.function)
        && (expected.line.is_none() || variable.line() == expected.line)
}

fn name_of(frame: &Frame<'_>) -> Option<String> {
    frame.function().and_then(|function| function.name())
}

fn type_of(entry: Entry<'_>) -> String {
    let ty = entry.type_();
    ty.map_or_else(|| "?".to_owned(), |ty| ty.type_text())
}

/// Public is what is both protected and private.
fn access_of(flags: Flags) -> &'static str {
    match (
        flags.contains(Flags::FlagIsProtected),
        flags.contains(Flags::FlagIsPrivate),
    ) {
        (true, true) => "public",
        (true, false) => "protected",
        (false, true) => "private",
        (false, false) => "default",
    }
}
