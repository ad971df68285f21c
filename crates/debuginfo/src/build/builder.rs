//! The builder: what it keeps, and where the source is.

use std::collections::HashMap;
use std::fmt;

use spirvkit_binary::Id;
use spirvkit_grammar::Op;
use spirvkit_ir::builder::Builder;

use super::{Draft, EncodeError, Encoder, LeftOut, Operand};
use crate::{Field, Kind, Set};

/// Makes debug information together with a [`Builder`], the same way for each of the
/// sets.
///
/// **Instructions.** There is a method for each kind of instruction. Those with many
/// fields take a struct, of which only what is known has to be filled in. All take the
/// builder of the module and return an id.
///
/// **Order** doesn't matter for what is before the functions: it is kept until
/// [`finish`](Self::finish), and written then in an order in which each instruction
/// comes after those it refers to. Where they form a cycle, as a structure and its
/// members do, take an id for one of them from [`forward`](Self::forward) and give it to
/// that one with [`define`](Self::define).
///
/// **Lines and scopes**: [`set_location`](Self::set_location) says where the instructions
/// come from that the builder makes next, over the ends of blocks, and
/// [`push_inlined`](Self::push_inlined) that they were inlined where the last ones are.
/// The sets that have no `DebugLine` get `OpLine`.
///
/// **What a set can't express** is left out, and what it has no instruction for becomes a
/// `DebugInfoNone`; [`finish`](Self::finish) tells both. Only what goes without saying is
/// no loss: members don't name their composite in [`Set::Shader`], because it names them,
/// and in the other sets a function's description names the `OpFunction` itself. `DebugInfo`
/// has no sources: a source is the `OpString` with its name there, and the text is in an
/// `OpSource`.
///
/// ```
/// use spirvkit_debuginfo::build::{
///     BasicType, CompilationUnit, DebugBuilder, Function, LocalVariable, Origin, Source,
/// };
/// use spirvkit_debuginfo::{DebugInfo, Encoding, Set};
/// use spirvkit_grammar::{
///     AddressingModel, ExecutionMode, ExecutionModel, FunctionControl, MemoryModel,
///     SourceLanguage, StorageClass, Version,
/// };
/// use spirvkit_ir::builder::Builder;
///
/// let mut b = Builder::new(Version::V1_3);
/// b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
/// let mut d = DebugBuilder::new(&b, Set::Shader);
///
/// let text = "void main() {\n  float x = 1.0;\n}\n";
/// let source = d.source(&mut b, &Source { file: "one.comp", text: Some(text), ..Default::default() });
/// let unit = d.compilation_unit(&mut b, &CompilationUnit {
///     source: Some(source),
///     language: SourceLanguage::GLSL,
///     ..Default::default()
/// });
/// let float = d.type_basic(&mut b, &BasicType {
///     name: "float",
///     size: 32,
///     encoding: Encoding::Float,
///     ..Default::default()
/// });
/// let ty = d.type_function(&mut b, None, &[]);
/// let main = d.function(&mut b, &Function {
///     name: "main",
///     ty: Some(ty),
///     origin: Origin { source: Some(source), line: 1, column: 6, parent: Some(unit) },
///     scope_line: 1,
///     ..Default::default()
/// });
/// let x = d.local_variable(&mut b, &LocalVariable {
///     name: "x",
///     ty: Some(float),
///     origin: Origin { source: Some(source), line: 2, column: 9, parent: Some(main) },
///     ..Default::default()
/// });
///
/// let void = b.type_void();
/// let one = b.constant_f32(1.0);
/// let f32 = b.type_float(32, None);
/// let function = b.forward();
/// b.define(function).function(void, FunctionControl::None, &[], |b, _| {
///     d.define_function(b, main, function);
///     let variable = b.local(f32);
///     d.set_location(b, main, 2, 9);
///     d.declare(b, x, variable, &[]);
///     b.store(variable, one, None);
///     d.set_location(b, main, 3, 1);
///     b.return_();
/// });
/// b.entry_point(ExecutionModel::GLCompute, function, "main", &[]);
/// b.execution_mode(function, ExecutionMode::LocalSize, &[1, 1, 1]);
/// assert!(d.finish(&mut b).is_empty());
///
/// let words = b.finish().unwrap().store();
/// let info = DebugInfo::read(&words).unwrap();
/// let store = info.instructions().find(|it| it.op() == spirvkit_grammar::Op::Store).unwrap();
/// assert_eq!(info.position(store.offset()).unwrap().line, 2);
/// let x = info.variables(store.offset()).next().unwrap();
/// assert_eq!(x.variable.name().unwrap(), "x");
/// # assert!(spirvkit_validate::validate(&words, &Default::default()).is_valid());
/// ```
#[derive(Clone, Debug)]
pub struct DebugBuilder {
    pub(super) encoder: Encoder,
    /// What is to be written before the functions, with its ids.
    drafts: Vec<(Id, Draft)>,
    by_id: HashMap<Id, usize>,
    /// The operations and expressions there are.
    shared: HashMap<Draft, Id>,
    /// The `OpString`s with the names of sources.
    pub(super) files: HashMap<Id, Id>,
    next_id: Option<Id>,
    pub(super) notes: Vec<Note>,
    place: Option<SourcePlace>,
    /// The places where the functions were called that are inlined now.
    calls: Vec<(Option<SourcePlace>, Id)>,
}

/// Where instructions come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SourcePlace {
    scope: Id,
    inlined_at: Option<Id>,
    source: Option<Id>,
    /// The first and the last.
    lines: [u32; 2],
    columns: [u32; 2],
}

/// What became of something that the set can't express as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// A field was left out.
    LeftOut(LeftOut),
    /// An instruction can't be written. Its result is a `DebugInfoNone`; if it was to
    /// stand in a function, it is not there.
    Refused {
        /// The result.
        id: Id,
        /// Why.
        error: EncodeError,
    },
    /// An instruction was written as another that says nearly the same.
    Instead {
        /// The result.
        id: Id,
        /// What was asked for.
        kind: Kind,
        /// What was written.
        written: Kind,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut(left_out) => left_out.fmt(f),
            Self::Refused { id, error } => write!(f, "{id} is left out: {error}"),
            Self::Instead { id, kind, written } => {
                let (kind, written) = (kind.name(), written.name());
                write!(f, "{id} is a {written}, not a {kind}")
            }
        }
    }
}

impl DebugBuilder {
    /// For instructions of a set in a module that is being built; of a set with several
    /// versions the one that is imported, and otherwise [`Set::import_name`].
    pub fn new(builder: &Builder, set: Set) -> Self {
        Self::with_import_name(builder, set, set.import_name())
    }

    /// The same for a certain version of the set, such as
    /// `NonSemantic.Shader.DebugInfo.101`.
    pub fn with_import_name(builder: &Builder, set: Set, name: &str) -> Self {
        Self {
            encoder: Encoder::with_import_name(builder.module(), set, name),
            drafts: Vec::new(),
            by_id: HashMap::new(),
            shared: HashMap::new(),
            files: HashMap::new(),
            next_id: None,
            notes: Vec::new(),
            place: None,
            calls: Vec::new(),
        }
    }

    /// The set.
    pub fn set(&self) -> Set {
        self.encoder.set()
    }

    /// Writes what is before the functions. It has to be called before the builder's
    /// own [`finish`](Builder::finish). Returns what the set couldn't express.
    #[must_use = "it tells what is lost"]
    pub fn finish(mut self, b: &mut Builder) -> Vec<Note> {
        // Types may have come to be there.
        self.encoder.read(b.module());
        if let Err(errors) = self.encoder.add_all(b, &self.drafts) {
            let refused = |(id, error)| Note::Refused { id, error };
            self.notes.extend(errors.into_iter().map(refused));
        }
        let left_out = self.encoder.into_left_out();
        self.notes.extend(left_out.into_iter().map(Note::LeftOut));
        self.notes
    }

    /// An id for something that is made later.
    pub fn forward(&mut self, b: &mut Builder) -> Id {
        b.forward()
    }

    /// Makes this id, which is from [`forward`](Self::forward), the result of the next
    /// instruction that is before the functions.
    pub fn define(&mut self, id: Id) -> &mut Self {
        self.next_id = Some(id);
        self
    }

    /// Makes an instruction that is before the functions, whichever.
    pub fn add(&mut self, b: &mut Builder, draft: Draft) -> Id {
        let id = self.next_id.take().unwrap_or_else(|| b.forward());
        self.by_id.insert(id, self.drafts.len());
        self.drafts.push((id, draft));
        id
    }

    /// The same, but the one there is if there is its like.
    pub(super) fn share(&mut self, b: &mut Builder, draft: Draft) -> Id {
        let known = self.shared.get(&draft).filter(|_| self.next_id.is_none());
        if let Some(&id) = known {
            return id;
        }
        let id = self.add(b, draft.clone());
        self.shared.insert(draft, id);
        id
    }

    /// The same at once, for what refers to nothing else.
    pub(super) fn add_now(&mut self, b: &mut Builder, draft: &Draft) -> Id {
        let id = self.next_id.take().unwrap_or_else(|| b.forward());
        if let Err(error) = self.encoder.add(b, Some(id), draft) {
            self.notes.push(Note::Refused { id, error });
            // It says nothing and needs nothing, so there is nothing to go wrong.
            let _ = self.encoder.add(b, Some(id), &Draft::new(Kind::InfoNone));
        }
        id
    }

    /// Makes an instruction where the builder is in a function, whichever.
    pub fn emit(&mut self, b: &mut Builder, draft: &Draft) -> Id {
        self.encoder.emit(b, draft).unwrap_or_else(|error| {
            let id = Id(0);
            self.notes.push(Note::Refused { id, error });
            id
        })
    }

    pub(super) fn draft_mut(&mut self, id: Id) -> Option<&mut Draft> {
        let &number = self.by_id.get(&id)?;
        self.drafts.get_mut(number).map(|(_, draft)| draft)
    }

    /// Says that the instructions that follow come from a line and column of a scope, in
    /// the source that the scope is in. It holds up to the next call, over the ends of
    /// blocks; [`define_function`](Self::define_function) ends it. Lines and columns
    /// count from 1; 0 is none.
    pub fn set_location(&mut self, b: &mut Builder, scope: Id, line: u32, column: u32) {
        let source = self.source_of(scope);
        self.set_range(b, scope, source, [line, line], [column, column]);
    }

    /// The same in another source, or over several lines: the first and the last line,
    /// and the first and last column. The ends are written in [`Set::Shader`] only.
    pub fn set_range(
        &mut self,
        b: &mut Builder,
        scope: Id,
        source: Option<Id>,
        lines: [u32; 2],
        columns: [u32; 2],
    ) {
        let place = SourcePlace {
            scope,
            inlined_at: self.calls.last().map(|(_, at)| *at),
            source,
            lines,
            columns,
        };
        self.go_to(b, Some(place));
    }

    /// Says that the instructions that follow come from no line and scope that is known.
    pub fn clear_location(&mut self, b: &mut Builder) {
        self.go_to(b, None);
    }

    /// Says that what follows was inlined, by a call where the last
    /// [`set_location`](Self::set_location) says; what comes next has to be the location
    /// in the function that was called. Returns the `DebugInlinedAt`; none if there is no
    /// location.
    pub fn push_inlined(&mut self, b: &mut Builder) -> Option<Id> {
        let place = self.place?;
        let at = self.inlined_at(b, place.lines[0], place.scope, place.inlined_at);
        self.calls.push((Some(place), at));
        Some(at)
    }

    /// Ends what [`push_inlined`](Self::push_inlined) began: the instructions that follow
    /// come from where the call is.
    pub fn pop_inlined(&mut self, b: &mut Builder) {
        if let Some((place, _)) = self.calls.pop() {
            self.go_to(b, place);
        }
    }

    /// The source that a scope or what is around it is in.
    fn source_of(&self, scope: Id) -> Option<Id> {
        let draft_of = |id: Id| Some(&self.drafts[*self.by_id.get(&id)?].1);
        let id_in = |draft: &Draft, field| match *draft.get(field) {
            Operand::Id(id) => Some(id),
            _ => None,
        };
        let outer = |draft: &&Draft| draft_of(id_in(draft, Field::Parent)?);
        let scopes = std::iter::successors(draft_of(scope), outer);
        // A cycle ends here.
        let mut scopes = scopes.take(self.drafts.len());
        scopes.find_map(|scope| id_in(scope, Field::Source))
    }

    fn go_to(&mut self, b: &mut Builder, place: Option<SourcePlace>) {
        let before = std::mem::replace(&mut self.place, place);
        let Some(place) = place else {
            b.no_line();
            b.set_scope_to(None);
            return;
        };
        if before == Some(place) {
            return;
        }
        // A call changes the scope even if a function calls itself.
        let scope_of = |place: SourcePlace| (place.scope, place.inlined_at);
        if before.map(scope_of) != Some(scope_of(place)) {
            let scope = Draft::new(Kind::Scope)
                .with(Field::Scope, place.scope)
                .with(Field::InlinedAt, place.inlined_at);
            if let Some(scope) = self.new_place(b, &scope) {
                b.set_scope_to(Some(scope));
            }
        }
        self.set_line(b, place);
    }

    fn set_line(&mut self, b: &mut Builder, place: SourcePlace) {
        let Some(source) = place.source.filter(|_| place.lines[0] != 0) else {
            b.no_line();
            return;
        };
        if self.set() != Set::Shader {
            let file = self.files.get(&source).copied().unwrap_or(source);
            b.set_line(file, place.lines[0], place.columns[0]);
            return;
        }
        let line = Draft::new(Kind::Line)
            .with(Field::Source, source)
            .with(Field::LineStart, place.lines[0])
            .with(Field::LineEnd, place.lines[1])
            .with(Field::ColumnStart, place.columns[0])
            .with(Field::ColumnEnd, place.columns[1]);
        if let Some(line) = self.new_place(b, &line) {
            b.set_line_to(line);
        }
    }

    /// A `DebugScope` or `DebugLine` to hold for what follows.
    fn new_place(&mut self, b: &mut Builder, draft: &Draft) -> Option<spirvkit_ir::Inst> {
        let id = Id(0);
        let encoded = self.encoder.encode(b, id, draft);
        let made = encoded.and_then(|encoded| {
            let mut words = vec![encoded.void.0, id.0];
            words.extend(encoded.operands);
            Ok(b.new_place(Op::ExtInst, &words)?)
        });
        let refused = |error| self.notes.push(Note::Refused { id, error });
        made.map_err(refused).ok()
    }
}
