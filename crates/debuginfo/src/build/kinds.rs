//! A method for each kind of instruction.

use spirvkit_binary::Id;
use spirvkit_grammar::{SourceLanguage, StorageClass};
use spirvkit_ir::builder::Builder;

use super::{
    BasicType, CompilationUnit, CompositeType, CooperativeMatrixType, DebugBuilder, Draft,
    EntryPoint, EnumType, Function, GlobalVariable, ImportedEntity, Inheritance, LocalVariable,
    Member, Note, Operand, Origin, Source, SourceModule, TemplateParameter, TemplateParameterPack,
    TemplateTemplateParameter, Typedef,
};
use crate::{Field, Flags, Kind, OperationCode, Qualifier, Set};

/// The longest text in bytes that goes into an `OpString`, behind two words and before
/// the byte that ends it.
pub(crate) const MAX_STRING_LENGTH: usize = (u16::MAX as usize - 2) * 4 - 1;
/// The same for `OpSource`, which has four words before it.
pub(crate) const MAX_SOURCE_LENGTH: usize = MAX_STRING_LENGTH - 8;

/// The pieces of a text, none of them longer than this, cut between characters.
pub(crate) fn pieces(mut text: &str, longest: usize) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let mut ends = (0..=longest.min(text.len())).rev();
        let end = ends.find(|&end| text.is_char_boundary(end));
        let (piece, rest) = text.split_at(end.unwrap_or_default());
        text = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Sources and compilation units.
impl DebugBuilder {
    /// `DebugInfoNone`, for whatever isn't known.
    pub fn none(&mut self, b: &mut Builder) -> Id {
        self.share(b, Draft::new(Kind::InfoNone))
    }

    /// `DebugSource`, with `DebugSourceContinued` for long texts; in `DebugInfo` an
    /// `OpString`. Where a set can't hold the text, there is an `OpSource` with it.
    pub fn source(&mut self, b: &mut Builder, source: &Source<'_>) -> Id {
        let file = b.string(source.file);
        let text = source.text.unwrap_or_default();
        let mut pieces = pieces(text, MAX_STRING_LENGTH);
        let first = pieces.next();
        let rest: Vec<&str> = pieces.collect();
        let is_held = match self.set() {
            Set::Shader => true,
            Set::OpenCl100 => rest.is_empty(),
            Set::DebugInfo => first.is_none(),
        };
        if !is_held {
            self.op_source(b, file, source);
        }
        if self.set() == Set::DebugInfo {
            self.files.insert(file, file);
            return file;
        }
        let mut draft = Draft::new(Kind::Source).with(Field::File, file);
        if is_held {
            draft.set(Field::Text, first);
        }
        let id = self.add_now(b, &draft);
        self.files.insert(id, file);
        for piece in rest.into_iter().filter(|_| is_held) {
            let draft = Draft::new(Kind::SourceContinued).with(Field::Text, piece);
            self.add_now(b, &draft);
        }
        id
    }

    /// An `OpSource` with a text, and as many `OpSourceContinued` as it takes.
    fn op_source(&mut self, b: &mut Builder, file: Id, source: &Source<'_>) {
        let (language, version) = source.language.unwrap_or((SourceLanguage::Unknown, 0));
        let mut pieces = pieces(source.text.unwrap_or_default(), MAX_SOURCE_LENGTH);
        b.source(language, version, Some(file), pieces.next());
        pieces.for_each(|piece| b.source_continued(piece));
    }

    /// `DebugCompilationUnit`.
    pub fn compilation_unit(&mut self, b: &mut Builder, unit: &CompilationUnit) -> Id {
        self.add(b, unit.into())
    }

    /// `DebugEntryPoint`; [`Set::Shader`] only.
    pub fn entry_point(&mut self, b: &mut Builder, entry_point: &EntryPoint<'_>) -> Id {
        self.add(b, entry_point.into())
    }

    /// `DebugBuildIdentifier`: what the build is known by, and flags; [`Set::Shader`]
    /// only.
    pub fn build_identifier(&mut self, b: &mut Builder, identifier: &str, flags: u32) -> Id {
        let draft = Draft::new(Kind::BuildIdentifier)
            .with(Field::Identifier, identifier)
            .with(Field::IdentifierFlags, flags);
        self.add(b, draft)
    }

    /// `DebugStoragePath`: where the full debug information is; [`Set::Shader`] only.
    pub fn storage_path(&mut self, b: &mut Builder, path: &str) -> Id {
        let draft = Draft::new(Kind::StoragePath).with(Field::Path, path);
        self.add(b, draft)
    }

    /// `DebugMacroDef`: a macro and what it stands for.
    pub fn macro_def(
        &mut self,
        b: &mut Builder,
        source: Id,
        line: u32,
        name: &str,
        value: Option<&str>,
    ) -> Id {
        let draft = Draft::new(Kind::MacroDef)
            .with(Field::Source, source)
            .with(Field::Line, line)
            .with(Field::Name, name)
            .with(Field::Value, value);
        self.add(b, draft)
    }

    /// `DebugMacroUndef`: where a macro ends, which is a [`macro_def`](Self::macro_def).
    pub fn macro_undef(&mut self, b: &mut Builder, source: Id, line: u32, definition: Id) -> Id {
        let draft = Draft::new(Kind::MacroUndef)
            .with(Field::Source, source)
            .with(Field::Line, line)
            .with(Field::Macro, definition);
        self.add(b, draft)
    }

    /// `DebugImportedEntity`; not in `DebugInfo`.
    pub fn imported_entity(&mut self, b: &mut Builder, entity: &ImportedEntity<'_>) -> Id {
        self.add(b, entity.into())
    }

    /// `DebugModuleINTEL`; `OpenCL.DebugInfo.100` only.
    pub fn module_intel(&mut self, b: &mut Builder, module: &SourceModule<'_>) -> Id {
        self.add(b, module.into())
    }
}

/// Types.
impl DebugBuilder {
    /// `DebugTypeBasic`.
    pub fn type_basic(&mut self, b: &mut Builder, ty: &BasicType<'_>) -> Id {
        self.add(b, ty.into())
    }

    /// `DebugTypePointer`: a pointer or reference to a type.
    pub fn type_pointer(
        &mut self,
        b: &mut Builder,
        base: Id,
        storage_class: StorageClass,
        flags: Flags,
    ) -> Id {
        let draft = Draft::new(Kind::TypePointer)
            .with(Field::BaseType, base)
            .with(Field::StorageClass, storage_class.0)
            .with(Field::Flags, flags.0);
        self.add(b, draft)
    }

    /// `DebugTypeQualifier`.
    pub fn type_qualifier(&mut self, b: &mut Builder, base: Id, qualifier: Qualifier) -> Id {
        let draft = Draft::new(Kind::TypeQualifier)
            .with(Field::BaseType, base)
            .with(Field::TypeQualifier, qualifier.0);
        self.add(b, draft)
    }

    /// `DebugTypeArray`: for each dimension the number of elements, or the id of a
    /// constant or variable that has it. 0, for a number that isn't known, is not allowed
    /// in `OpenCL.DebugInfo.100`.
    ///
    /// ```
    /// # use spirvkit_debuginfo::{Set, build::{BasicType, DebugBuilder}};
    /// # let mut b = spirvkit_ir::builder::Builder::new(spirvkit_grammar::Version::V1_3);
    /// # let mut d = DebugBuilder::new(&b, Set::Shader);
    /// # let float = d.type_basic(&mut b, &BasicType::default());
    /// let matrix = d.type_array(&mut b, float, &[4u32, 3]);
    /// ```
    pub fn type_array<T: Into<Operand> + Copy>(
        &mut self,
        b: &mut Builder,
        base: Id,
        counts: &[T],
    ) -> Id {
        let counts = counts.iter().map(|&count| count.into()).collect();
        let draft = Draft::new(Kind::TypeArray)
            .with(Field::BaseType, base)
            .with(Field::ComponentCounts, Operand::List(counts));
        self.add(b, draft)
    }

    /// `DebugTypeVector`: so many components of a basic type.
    pub fn type_vector(&mut self, b: &mut Builder, base: Id, count: u32) -> Id {
        let draft = Draft::new(Kind::TypeVector)
            .with(Field::BaseType, base)
            .with(Field::ComponentCount, count);
        self.add(b, draft)
    }

    /// `DebugTypeMatrix`: so many vectors, which are its columns, or else its rows; where
    /// a set doesn't have it, an array of them.
    pub fn type_matrix(
        &mut self,
        b: &mut Builder,
        vector: Id,
        count: u32,
        column_major: bool,
    ) -> Id {
        let (kind, written) = (Kind::TypeMatrix, Kind::TypeArray);
        if self.set().fields(kind).is_none() {
            let id = self.type_array(b, vector, &[count]);
            self.notes.push(Note::Instead { id, kind, written });
            return id;
        }
        let draft = Draft::new(kind)
            .with(Field::VectorType, vector)
            .with(Field::VectorCount, count)
            .with(Field::ColumnMajor, b.constant_bool(column_major));
        self.add(b, draft)
    }

    /// `DebugTypeVectorIdEXT`: a vector whose number of components is a constant;
    /// [`Set::Shader`] from version 101 on.
    pub fn type_vector_id(&mut self, b: &mut Builder, component: Id, count: Id) -> Id {
        let draft = Draft::new(Kind::TypeVectorIdEXT)
            .with(Field::ComponentType, component)
            .with(Field::ComponentCountId, count);
        self.add(b, draft)
    }

    /// `DebugTypeCooperativeMatrixKHR`; [`Set::Shader`] from version 101 on.
    pub fn type_cooperative_matrix(&mut self, b: &mut Builder, ty: &CooperativeMatrixType) -> Id {
        self.add(b, ty.into())
    }

    /// `DebugTypedef`.
    pub fn typedef(&mut self, b: &mut Builder, ty: &Typedef<'_>) -> Id {
        self.add(b, ty.into())
    }

    /// `DebugTypeFunction`, from what it returns, `None` if nothing, and the types of the
    /// parameters.
    pub fn type_function(
        &mut self,
        b: &mut Builder,
        return_type: Option<Id>,
        parameters: &[Id],
    ) -> Id {
        self.type_function_with_flags(b, return_type, parameters, Flags(0))
    }

    /// The same with flags, which are left out in `DebugInfo`.
    pub fn type_function_with_flags(
        &mut self,
        b: &mut Builder,
        return_type: Option<Id>,
        parameters: &[Id],
        flags: Flags,
    ) -> Id {
        let return_type = return_type.unwrap_or_else(|| b.type_void());
        let draft = Draft::new(Kind::TypeFunction)
            .with(Field::Flags, flags.0)
            .with(Field::ReturnType, return_type)
            .with(Field::ParameterTypes, parameters);
        self.add(b, draft)
    }

    /// `DebugTypeEnum`.
    pub fn type_enum(&mut self, b: &mut Builder, ty: &EnumType<'_>) -> Id {
        self.add(b, ty.into())
    }

    /// `DebugTypeComposite`.
    ///
    /// ```
    /// # use spirvkit_debuginfo::{Set, build::*};
    /// # let mut b = spirvkit_ir::builder::Builder::new(spirvkit_grammar::Version::V1_3);
    /// # let mut d = DebugBuilder::new(&b, Set::OpenCl100);
    /// # let float = d.type_basic(&mut b, &BasicType::default());
    /// // The structure and its member name each other.
    /// let point = d.forward(&mut b);
    /// let x = d.type_member(&mut b, &Member {
    ///     name: "x",
    ///     ty: Some(float),
    ///     size: 32,
    ///     origin: Origin { parent: Some(point), ..Default::default() },
    ///     ..Default::default()
    /// });
    /// d.define(point).type_composite(&mut b, &CompositeType {
    ///     name: "point",
    ///     members: &[x],
    ///     size: Some(32),
    ///     ..Default::default()
    /// });
    /// ```
    pub fn type_composite(&mut self, b: &mut Builder, ty: &CompositeType<'_>) -> Id {
        self.add(b, ty.into())
    }

    /// `DebugTypeMember`.
    pub fn type_member(&mut self, b: &mut Builder, member: &Member<'_>) -> Id {
        let mut draft = Draft::from(member);
        if self.set() == Set::Shader {
            draft.set(Field::Parent, Operand::Absent);
        }
        self.add(b, draft)
    }

    /// `DebugTypeInheritance`.
    pub fn type_inheritance(&mut self, b: &mut Builder, inheritance: &Inheritance) -> Id {
        let mut draft = Draft::from(inheritance);
        if self.set() == Set::Shader {
            draft.set(Field::Child, Operand::Absent);
        }
        self.add(b, draft)
    }

    /// `DebugTypePtrToMember`: a pointer to members of this type of a class.
    pub fn type_ptr_to_member(&mut self, b: &mut Builder, member_type: Id, class: Id) -> Id {
        let draft = Draft::new(Kind::TypePtrToMember)
            .with(Field::MemberType, member_type)
            .with(Field::Class, class);
        self.add(b, draft)
    }

    /// `DebugTypeTemplate`: what the parameters of a composite or function are that a
    /// template was made into.
    pub fn type_template(&mut self, b: &mut Builder, target: Id, parameters: &[Id]) -> Id {
        let draft = Draft::new(Kind::TypeTemplate)
            .with(Field::Target, target)
            .with(Field::Parameters, parameters);
        self.add(b, draft)
    }

    /// `DebugTypeTemplateParameter`.
    pub fn type_template_parameter(
        &mut self,
        b: &mut Builder,
        parameter: &TemplateParameter<'_>,
    ) -> Id {
        self.add(b, parameter.into())
    }

    /// `DebugTypeTemplateTemplateParameter`.
    pub fn type_template_template_parameter(
        &mut self,
        b: &mut Builder,
        parameter: &TemplateTemplateParameter<'_>,
    ) -> Id {
        self.add(b, parameter.into())
    }

    /// `DebugTypeTemplateParameterPack`.
    pub fn type_template_parameter_pack(
        &mut self,
        b: &mut Builder,
        pack: &TemplateParameterPack<'_>,
    ) -> Id {
        self.add(b, pack.into())
    }
}

/// Functions and scopes.
impl DebugBuilder {
    /// `DebugFunctionDeclaration`.
    pub fn function_declaration(&mut self, b: &mut Builder, function: &Function<'_>) -> Id {
        self.add(b, function.declaration())
    }

    /// `DebugFunction`. [`define_function`](Self::define_function) says which `OpFunction`
    /// it is; without, it was optimized away.
    pub fn function(&mut self, b: &mut Builder, function: &Function<'_>) -> Id {
        self.add(b, function.into())
    }

    /// Says which `OpFunction` a [`function`](Self::function) is, which has to be the one
    /// that the builder has begun, in its first block: by a `DebugFunctionDefinition`, or
    /// an operand of the `DebugFunction`. The location is unknown from here on.
    pub fn define_function(&mut self, b: &mut Builder, description: Id, function: Id) {
        self.clear_location(b);
        if self.set() == Set::Shader {
            let draft = Draft::new(Kind::FunctionDefinition)
                .with(Field::DebugFunction, description)
                .with(Field::Definition, function);
            self.emit(b, &draft);
        } else if let Some(draft) = self.draft_mut(description) {
            draft.set(Field::Function, function);
        }
    }

    /// `DebugLexicalBlock`: a block.
    pub fn lexical_block(&mut self, b: &mut Builder, origin: Origin) -> Id {
        self.block(b, origin, None)
    }

    /// `DebugLexicalBlock`: a namespace, which has no name if that is empty.
    pub fn namespace(&mut self, b: &mut Builder, origin: Origin, name: &str) -> Id {
        self.block(b, origin, Some(name))
    }

    fn block(&mut self, b: &mut Builder, origin: Origin, name: Option<&str>) -> Id {
        let draft = Draft::new(Kind::LexicalBlock)
            .with(Field::Source, origin.source)
            .with(Field::Line, origin.line)
            .with(Field::Column, origin.column)
            .with(Field::Parent, origin.parent)
            .with(Field::Name, name);
        self.add(b, draft)
    }

    /// `DebugLexicalBlockDiscriminator`: tells blocks apart that start on the same line.
    pub fn lexical_block_discriminator(
        &mut self,
        b: &mut Builder,
        source: Id,
        discriminator: u32,
        parent: Id,
    ) -> Id {
        let draft = Draft::new(Kind::LexicalBlockDiscriminator)
            .with(Field::Source, source)
            .with(Field::Discriminator, discriminator)
            .with(Field::Parent, parent);
        self.add(b, draft)
    }

    /// `DebugInlinedAt`: a call that was inlined, on a line of a scope, which itself may
    /// be inlined. [`push_inlined`](Self::push_inlined) makes it of the location.
    pub fn inlined_at(
        &mut self,
        b: &mut Builder,
        line: u32,
        scope: Id,
        inlined_at: Option<Id>,
    ) -> Id {
        let draft = Draft::new(Kind::InlinedAt)
            .with(Field::Line, line)
            .with(Field::Scope, scope)
            .with(Field::InlinedAt, inlined_at);
        self.add(b, draft)
    }

    /// `DebugScope`, where the builder is, for the rest of the block.
    /// [`set_location`](Self::set_location) does it where it is needed.
    pub fn scope(&mut self, b: &mut Builder, scope: Id, inlined_at: Option<Id>) -> Id {
        let draft = Draft::new(Kind::Scope)
            .with(Field::Scope, scope)
            .with(Field::InlinedAt, inlined_at);
        self.emit(b, &draft)
    }

    /// `DebugNoScope`, where the builder is, for the rest of the block.
    pub fn no_scope(&mut self, b: &mut Builder) -> Id {
        self.emit(b, &Draft::new(Kind::NoScope))
    }

    /// `DebugLine`, where the builder is, for the rest of the block; [`Set::Shader`]
    /// only. [`set_location`](Self::set_location) does it in all sets where it is needed.
    pub fn line(&mut self, b: &mut Builder, source: Id, lines: [u32; 2], columns: [u32; 2]) -> Id {
        let draft = Draft::new(Kind::Line)
            .with(Field::Source, source)
            .with(Field::LineStart, lines[0])
            .with(Field::LineEnd, lines[1])
            .with(Field::ColumnStart, columns[0])
            .with(Field::ColumnEnd, columns[1]);
        self.emit(b, &draft)
    }

    /// `DebugNoLine`, where the builder is, for the rest of the block; [`Set::Shader`]
    /// only.
    pub fn no_line(&mut self, b: &mut Builder) -> Id {
        self.emit(b, &Draft::new(Kind::NoLine))
    }
}

/// Variables and expressions.
impl DebugBuilder {
    /// `DebugGlobalVariable`.
    pub fn global_variable(&mut self, b: &mut Builder, variable: &GlobalVariable<'_>) -> Id {
        self.add(b, variable.into())
    }

    /// `DebugLocalVariable`.
    pub fn local_variable(&mut self, b: &mut Builder, variable: &LocalVariable<'_>) -> Id {
        self.add(b, variable.into())
    }

    /// `DebugInlinedVariable`: a variable of a function that was inlined.
    pub fn inlined_variable(&mut self, b: &mut Builder, variable: Id, inlined_at: Id) -> Id {
        let draft = Draft::new(Kind::InlinedVariable)
            .with(Field::LocalVariable, variable)
            .with(Field::InlinedAt, inlined_at);
        self.add(b, draft)
    }

    /// `DebugOperation`.
    pub fn operation(&mut self, b: &mut Builder, code: OperationCode, operands: &[u32]) -> Id {
        let draft = Draft::new(Kind::Operation)
            .with(Field::OpCode, code.0)
            .with(Field::Operands, operands);
        self.share(b, draft)
    }

    /// `DebugExpression` of [`operation`](Self::operation)s, of which there is one for
    /// the same list.
    pub fn expression(&mut self, b: &mut Builder, operations: &[Id]) -> Id {
        let draft = Draft::new(Kind::Expression).with(Field::Operations, operations);
        self.share(b, draft)
    }

    /// `DebugDeclare`, where the builder is: a local variable is in an `OpVariable` or
    /// `OpFunctionParameter`, or where the operations lead from its address.
    pub fn declare(
        &mut self,
        b: &mut Builder,
        local_variable: Id,
        variable: Id,
        operations: &[Id],
    ) -> Id {
        self.declare_part(b, local_variable, variable, operations, &[])
    }

    /// The same for a part of the local variable, which indexes lead to; in
    /// [`Set::Shader`] only.
    pub fn declare_part(
        &mut self,
        b: &mut Builder,
        local_variable: Id,
        variable: Id,
        operations: &[Id],
        indexes: &[Id],
    ) -> Id {
        let expression = self.expression(b, operations);
        let draft = Draft::new(Kind::Declare)
            .with(Field::LocalVariable, local_variable)
            .with(Field::Variable, variable)
            .with(Field::Expression, expression)
            .with(Field::Indexes, indexes);
        self.emit(b, &draft)
    }

    /// `DebugValue`, where the builder is: from here on a local variable, or the part of
    /// it that indexes lead to, is what the operations make of a value.
    pub fn value(
        &mut self,
        b: &mut Builder,
        local_variable: Id,
        value: Id,
        operations: &[Id],
        indexes: &[Id],
    ) -> Id {
        let expression = self.expression(b, operations);
        let draft = Draft::new(Kind::Value)
            .with(Field::LocalVariable, local_variable)
            .with(Field::Value, value)
            .with(Field::Expression, expression)
            .with(Field::Indexes, indexes);
        self.emit(b, &draft)
    }
}
