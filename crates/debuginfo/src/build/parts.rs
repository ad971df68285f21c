//! What instructions with many fields say: one struct each, to be filled with
//! `..Default::default()`.

use spirvkit_binary::Id;
use spirvkit_grammar::SourceLanguage;

use super::{Draft, Operand};
use crate::{Encoding, Field, Flags, ImportedTag, Kind, Tag};

/// Where something is declared: source file, line, column and the scope around it.
/// Lines and columns count from 1; 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The source, from [`DebugBuilder::source`](super::DebugBuilder::source).
    pub source: Option<Id>,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The scope: a compilation unit, composite, function or block.
    pub parent: Option<Id>,
}

impl Origin {
    fn put(self, draft: Draft) -> Draft {
        self.put_place(draft).with(Field::Parent, self.parent)
    }

    /// The same without the parent.
    fn put_place(self, draft: Draft) -> Draft {
        draft
            .with(Field::Source, self.source)
            .with(Field::Line, self.line)
            .with(Field::Column, self.column)
    }
}

/// `DebugSource`: a source file, with its text if it is to be in the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Source<'a> {
    /// The file's name.
    pub file: &'a str,
    /// Its text, of any length.
    pub text: Option<&'a str>,
    /// The language and its version, for the `OpSource` that keeps the text where a set
    /// can't.
    pub language: Option<(SourceLanguage, u32)>,
}

/// `DebugCompilationUnit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompilationUnit {
    /// The source.
    pub source: Option<Id>,
    /// The version of the debugging instructions' specification.
    pub version: u32,
    /// The version of DWARF whose notions are used.
    pub dwarf_version: u32,
    /// The language; left out in `DebugInfo`.
    pub language: SourceLanguage,
}

impl Default for CompilationUnit {
    fn default() -> Self {
        Self {
            source: None,
            version: 100,
            dwarf_version: 4,
            language: SourceLanguage::Unknown,
        }
    }
}

impl From<&CompilationUnit> for Draft {
    fn from(unit: &CompilationUnit) -> Self {
        Self::new(Kind::CompilationUnit)
            .with(Field::Source, unit.source)
            .with(Field::Version, unit.version)
            .with(Field::DwarfVersion, unit.dwarf_version)
            .with(Field::Language, unit.language.0)
    }
}

/// `DebugTypeBasic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BasicType<'a> {
    /// The name in the source.
    pub name: &'a str,
    /// The size in bits.
    pub size: u64,
    /// What its values are.
    pub encoding: Encoding,
    /// Flags; left out in the older sets.
    pub flags: Flags,
    /// The encoding of a floating-point type that isn't IEEE 754's: the enumerant as in
    /// `OpTypeFloat`. Only the versions from 101 on of the newest set have it.
    pub fp_encoding: Option<u32>,
}

impl Default for BasicType<'_> {
    fn default() -> Self {
        Self {
            name: "",
            size: 0,
            encoding: Encoding::Unspecified,
            flags: Flags(0),
            fp_encoding: None,
        }
    }
}

impl From<&BasicType<'_>> for Draft {
    fn from(ty: &BasicType<'_>) -> Self {
        Self::new(Kind::TypeBasic)
            .with(Field::Name, ty.name)
            .with(Field::Size, ty.size)
            .with(Field::Encoding, ty.encoding.0)
            .with(Field::Flags, ty.flags.0)
            .with(Field::FpEncoding, ty.fp_encoding)
    }
}

/// `DebugTypedef`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Typedef<'a> {
    /// The new name.
    pub name: &'a str,
    /// The type that gets it.
    pub base: Option<Id>,
    /// Where it is declared.
    pub origin: Origin,
}

impl From<&Typedef<'_>> for Draft {
    fn from(ty: &Typedef<'_>) -> Self {
        let draft = Self::new(Kind::Typedef)
            .with(Field::Name, ty.name)
            .with(Field::BaseType, ty.base);
        ty.origin.put(draft)
    }
}

/// `DebugTypeEnum`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumType<'a> {
    /// The name.
    pub name: &'a str,
    /// The type that its values are stored as.
    pub underlying: Option<Id>,
    /// Where it is declared.
    pub origin: Origin,
    /// The size in bits.
    pub size: u64,
    /// Flags.
    pub flags: Flags,
    /// The values, `OpConstant`s, and their names.
    pub enumerators: &'a [(Id, &'a str)],
}

impl Default for EnumType<'_> {
    fn default() -> Self {
        Self {
            name: "",
            underlying: None,
            origin: Origin::default(),
            size: 32,
            flags: Flags(0),
            enumerators: &[],
        }
    }
}

impl From<&EnumType<'_>> for Draft {
    fn from(ty: &EnumType<'_>) -> Self {
        let pairs = ty.enumerators.iter();
        let enumerators = pairs.flat_map(|&(value, name)| [value.into(), name.into()]);
        let draft = Self::new(Kind::TypeEnum)
            .with(Field::Name, ty.name)
            .with(Field::UnderlyingType, ty.underlying);
        ty.origin
            .put(draft)
            .with(Field::Size, ty.size)
            .with(Field::Flags, ty.flags.0)
            .with(Field::Enumerators, Operand::List(enumerators.collect()))
    }
}

/// `DebugTypeComposite`: a class, structure or union.
///
/// An opaque type is one without members and size, whose name starts with `@`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompositeType<'a> {
    /// The name.
    pub name: &'a str,
    /// Which of them.
    pub tag: Tag,
    /// Where it is declared.
    pub origin: Origin,
    /// The name for linkers; left out in `DebugInfo`.
    pub linkage_name: &'a str,
    /// The size in bits.
    pub size: Option<u64>,
    /// Flags.
    pub flags: Flags,
    /// Members, methods and base classes.
    pub members: &'a [Id],
}

impl Default for CompositeType<'_> {
    fn default() -> Self {
        Self {
            name: "",
            tag: Tag::Structure,
            origin: Origin::default(),
            linkage_name: "",
            size: None,
            flags: Flags(0),
            members: &[],
        }
    }
}

impl From<&CompositeType<'_>> for Draft {
    fn from(ty: &CompositeType<'_>) -> Self {
        let draft = Self::new(Kind::TypeComposite)
            .with(Field::Name, ty.name)
            .with(Field::Tag, ty.tag.0)
            .with(Field::LinkageName, ty.linkage_name);
        ty.origin
            .put(draft)
            .with(Field::Size, ty.size)
            .with(Field::Flags, ty.flags.0)
            .with(Field::Members, ty.members)
    }
}

/// `DebugTypeMember`: a member of a composite, which is the parent of its origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Member<'a> {
    /// The name.
    pub name: &'a str,
    /// Its type.
    pub ty: Option<Id>,
    /// Where it is declared, with the composite as parent, which
    /// `NonSemantic.Shader.DebugInfo` doesn't write.
    pub origin: Origin,
    /// The offset in bits.
    pub offset: u64,
    /// The size in bits.
    pub size: u64,
    /// Flags.
    pub flags: Flags,
    /// The value of a static member, a constant.
    pub value: Option<Id>,
}

impl From<&Member<'_>> for Draft {
    fn from(member: &Member<'_>) -> Self {
        let draft = Self::new(Kind::TypeMember)
            .with(Field::Name, member.name)
            .with(Field::Type, member.ty);
        member
            .origin
            .put(draft)
            .with(Field::Offset, member.offset)
            .with(Field::Size, member.size)
            .with(Field::Flags, member.flags.0)
            .with(Field::Value, member.value)
    }
}

/// `DebugTypeInheritance`: a base class of a composite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inheritance {
    /// The composite that inherits, which `NonSemantic.Shader.DebugInfo` doesn't write.
    pub child: Option<Id>,
    /// The composite that it inherits from.
    pub base: Option<Id>,
    /// The offset in bits of what is inherited.
    pub offset: u64,
    /// The size in bits.
    pub size: u64,
    /// Flags.
    pub flags: Flags,
}

impl From<&Inheritance> for Draft {
    fn from(inheritance: &Inheritance) -> Self {
        Self::new(Kind::TypeInheritance)
            .with(Field::Child, inheritance.child)
            .with(Field::BaseClass, inheritance.base)
            .with(Field::Offset, inheritance.offset)
            .with(Field::Size, inheritance.size)
            .with(Field::Flags, inheritance.flags.0)
    }
}

/// `DebugTypeTemplateParameter`: what a parameter of a template is. The parent of its
/// origin isn't written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TemplateParameter<'a> {
    /// The name of the parameter.
    pub name: &'a str,
    /// The type that it is, or the type of its value.
    pub ty: Option<Id>,
    /// Its value, a constant.
    pub value: Option<Id>,
    /// Where it is declared.
    pub origin: Origin,
}

impl From<&TemplateParameter<'_>> for Draft {
    fn from(parameter: &TemplateParameter<'_>) -> Self {
        let draft = Self::new(Kind::TypeTemplateParameter)
            .with(Field::Name, parameter.name)
            .with(Field::ActualType, parameter.ty)
            .with(Field::Value, parameter.value);
        parameter.origin.put_place(draft)
    }
}

/// `DebugTypeTemplateTemplateParameter`: a template as a template's parameter. The
/// parent of its origin isn't written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TemplateTemplateParameter<'a> {
    /// The name of the parameter.
    pub name: &'a str,
    /// The name of the template that it is.
    pub template_name: &'a str,
    /// Where it is declared.
    pub origin: Origin,
}

impl From<&TemplateTemplateParameter<'_>> for Draft {
    fn from(parameter: &TemplateTemplateParameter<'_>) -> Self {
        let draft = Self::new(Kind::TypeTemplateTemplateParameter)
            .with(Field::Name, parameter.name)
            .with(Field::TemplateName, parameter.template_name);
        parameter.origin.put_place(draft)
    }
}

/// `DebugTypeTemplateParameterPack`: any number of parameters of a template. The parent
/// of its origin isn't written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TemplateParameterPack<'a> {
    /// The name of the pack.
    pub name: &'a str,
    /// Where it is declared.
    pub origin: Origin,
    /// The parameters in it.
    pub parameters: &'a [Id],
}

impl From<&TemplateParameterPack<'_>> for Draft {
    fn from(pack: &TemplateParameterPack<'_>) -> Self {
        let draft = Self::new(Kind::TypeTemplateParameterPack)
            .with(Field::Name, pack.name)
            .with(Field::TemplateParameters, pack.parameters);
        pack.origin.put_place(draft)
    }
}

/// `DebugGlobalVariable`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GlobalVariable<'a> {
    /// The name.
    pub name: &'a str,
    /// Its type.
    pub ty: Option<Id>,
    /// Where it is declared.
    pub origin: Origin,
    /// The name for linkers.
    pub linkage_name: &'a str,
    /// The `OpVariable`, or the constant that it was replaced by; none if it was
    /// optimized away.
    pub variable: Option<Id>,
    /// Flags.
    pub flags: Flags,
    /// The member of a composite that declares it.
    pub static_member: Option<Id>,
}

impl From<&GlobalVariable<'_>> for Draft {
    fn from(variable: &GlobalVariable<'_>) -> Self {
        let draft = Self::new(Kind::GlobalVariable)
            .with(Field::Name, variable.name)
            .with(Field::Type, variable.ty)
            .with(Field::LinkageName, variable.linkage_name)
            .with(Field::Variable, variable.variable)
            .with(Field::Flags, variable.flags.0)
            .with(Field::StaticMemberDeclaration, variable.static_member);
        variable.origin.put(draft)
    }
}

/// `DebugFunction`, and what it shares with `DebugFunctionDeclaration`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Function<'a> {
    /// The name.
    pub name: &'a str,
    /// Its `DebugTypeFunction`.
    pub ty: Option<Id>,
    /// Where it is declared.
    pub origin: Origin,
    /// The name for linkers.
    pub linkage_name: &'a str,
    /// Flags.
    pub flags: Flags,
    /// The line where its body begins; declarations have none.
    pub scope_line: u32,
    /// Its `DebugFunctionDeclaration`; declarations have none.
    pub declaration: Option<Id>,
}

impl Function<'_> {
    /// The `DebugFunctionDeclaration`.
    pub(super) fn declaration(&self) -> Draft {
        let draft = Draft::new(Kind::FunctionDeclaration);
        self.origin.put(self.put(draft))
    }

    fn put(&self, draft: Draft) -> Draft {
        draft
            .with(Field::Name, self.name)
            .with(Field::Type, self.ty)
            .with(Field::LinkageName, self.linkage_name)
            .with(Field::Flags, self.flags.0)
    }
}

impl From<&Function<'_>> for Draft {
    fn from(function: &Function<'_>) -> Self {
        let draft = function
            .put(Self::new(Kind::Function))
            .with(Field::ScopeLine, function.scope_line)
            .with(Field::Declaration, function.declaration);
        function.origin.put(draft)
    }
}

/// `DebugLocalVariable`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalVariable<'a> {
    /// The name.
    pub name: &'a str,
    /// Its type.
    pub ty: Option<Id>,
    /// Where it is declared.
    pub origin: Origin,
    /// Flags; left out in `DebugInfo`.
    pub flags: Flags,
    /// Which parameter it is, counted from 1, if it is one.
    pub argument: Option<u32>,
}

impl From<&LocalVariable<'_>> for Draft {
    fn from(variable: &LocalVariable<'_>) -> Self {
        let draft = Self::new(Kind::LocalVariable)
            .with(Field::Name, variable.name)
            .with(Field::Type, variable.ty)
            .with(Field::Flags, variable.flags.0)
            .with(Field::ArgNumber, variable.argument);
        variable.origin.put(draft)
    }
}

/// `DebugImportedEntity`: what a using declaration brings into a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportedEntity<'a> {
    /// The name it gets there, or nothing.
    pub name: &'a str,
    /// What it is.
    pub tag: ImportedTag,
    /// What is imported.
    pub entity: Option<Id>,
    /// Where that is said.
    pub origin: Origin,
}

impl Default for ImportedEntity<'_> {
    fn default() -> Self {
        Self {
            name: "",
            tag: ImportedTag::ImportedDeclaration,
            entity: None,
            origin: Origin::default(),
        }
    }
}

impl From<&ImportedEntity<'_>> for Draft {
    fn from(entity: &ImportedEntity<'_>) -> Self {
        let draft = Self::new(Kind::ImportedEntity)
            .with(Field::Name, entity.name)
            .with(Field::Tag, entity.tag.0)
            .with(Field::Entity, entity.entity);
        entity.origin.put(draft)
    }
}

/// `DebugModuleINTEL`: a module of the source language. The column of its origin isn't
/// written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceModule<'a> {
    /// The name.
    pub name: &'a str,
    /// Where it is declared.
    pub origin: Origin,
    /// Macros that it was compiled with.
    pub configuration_macros: &'a str,
    /// Where its map is.
    pub include_path: &'a str,
    /// The file with notes for its users.
    pub api_notes_file: &'a str,
    /// Whether this is not its definition.
    pub is_declaration: bool,
}

impl From<&SourceModule<'_>> for Draft {
    fn from(module: &SourceModule<'_>) -> Self {
        Self::new(Kind::ModuleINTEL)
            .with(Field::Name, module.name)
            .with(Field::Source, module.origin.source)
            .with(Field::Line, module.origin.line)
            .with(Field::Parent, module.origin.parent)
            .with(Field::ConfigurationMacros, module.configuration_macros)
            .with(Field::IncludePath, module.include_path)
            .with(Field::ApiNotesFile, module.api_notes_file)
            .with(Field::IsDeclaration, u32::from(module.is_declaration))
    }
}

/// `DebugTypeCooperativeMatrixKHR`: what `OpTypeCooperativeMatrixKHR` says, with the same
/// operands, constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CooperativeMatrixType {
    /// The debugging type of a component.
    pub component: Option<Id>,
    /// The scope.
    pub scope: Option<Id>,
    /// The number of rows.
    pub rows: Option<Id>,
    /// The number of columns.
    pub columns: Option<Id>,
    /// What it is used for.
    pub usage: Option<Id>,
}

impl From<&CooperativeMatrixType> for Draft {
    fn from(ty: &CooperativeMatrixType) -> Self {
        Self::new(Kind::TypeCooperativeMatrixKHR)
            .with(Field::ComponentType, ty.component)
            .with(Field::Scope, ty.scope)
            .with(Field::Rows, ty.rows)
            .with(Field::Columns, ty.columns)
            .with(Field::Use, ty.usage)
    }
}

/// `DebugEntryPoint`: how an entry point was compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntryPoint<'a> {
    /// The `DebugFunction` of the entry point.
    pub function: Option<Id>,
    /// Its compilation unit.
    pub unit: Option<Id>,
    /// The compiler, with its version.
    pub compiler: &'a str,
    /// The arguments that the compiler was called with.
    pub arguments: &'a str,
}

impl From<&EntryPoint<'_>> for Draft {
    fn from(entry_point: &EntryPoint<'_>) -> Self {
        Self::new(Kind::EntryPoint)
            .with(Field::EntryPoint, entry_point.function)
            .with(Field::CompilationUnit, entry_point.unit)
            .with(Field::CompilerSignature, entry_point.compiler)
            .with(Field::CommandLineArguments, entry_point.arguments)
    }
}
