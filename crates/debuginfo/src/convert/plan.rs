//! What becomes of each debugging instruction: decided before anything is changed,
//! because an instruction that goes takes others with it.

use spirvkit_binary::{Id, NumberType};
use spirvkit_grammar::Op;

use super::{Converter, Effect, Loss};
use crate::{Entry, Field, Kind, OperationCode, Qualifier, Set};

/// What becomes of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disposition {
    /// It is no debugging instruction that is converted.
    Other,
    /// It becomes an instruction of this kind.
    As(Kind),
    /// It goes, and what refers to it refers to this one instead.
    Alias(Id),
    /// It goes.
    Gone,
}

/// What an operand refers to once everything is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A debugging instruction.
    Debug(Id, Kind),
    /// A `DebugInfoNone`.
    Absent(Id),
    /// A debugging instruction that goes.
    Gone,
    /// Something else.
    Other(Id),
}

impl<'a> Converter<'a, '_> {
    /// Decides about all instructions.
    pub(super) fn plan(&mut self) {
        let entries: Vec<Entry<'a>> = self.converted().collect();
        self.take_unknown();
        self.find_parents(&entries);
        for &entry in &entries {
            let disposition = self.disposition(entry);
            *self.dispositions.slot(entry.id()) = disposition;
        }
        self.shorten_aliases(&entries);
        // Each of these takes those along that are built on it.
        let dependents = [
            Kind::Expression,
            Kind::TypeTemplate,
            Kind::TypeInheritance,
            Kind::Declare,
            Kind::Value,
        ];
        for kind in dependents {
            for &entry in entries.iter().filter(|entry| entry.kind() == kind) {
                if let Some(why) = self.follows(entry) {
                    self.lose(entry, None, Effect::Lost, why);
                    *self.dispositions.slot(entry.id()) = Disposition::Gone;
                }
            }
        }
    }

    /// Unknown instructions of the sets are of no use in another one.
    pub(super) fn take_unknown(&mut self) {
        let (info, to) = (self.info, self.to);
        let old: Vec<Id> = info
            .sets()
            .filter(|(_, set)| *set != to)
            .map(|(id, _)| id)
            .collect();
        for inst in self.module.instructions() {
            let read = self.module.get(inst);
            let &[_, _, id, set, number, ..] = read.words() else {
                continue;
            };
            let is_extended = read.op().is_ext_inst();
            if !is_extended || !old.contains(&Id(set)) || info.entry(Id(id)).is_some() {
                continue;
            }
            let loss = Loss {
                id: Some(Id(id)),
                instruction: "OpExtInst",
                field: None,
                effect: Effect::Lost,
                why: format!("the meaning of its number {number} is unknown").into(),
            };
            self.losses.push((read.offset().0, loss));
            *self.dispositions.slot(Id(id)) = Disposition::Gone;
            self.unknown.push(inst);
        }
    }

    /// Members and base classes name their composite in the older sets only.
    fn find_parents(&mut self, entries: &[Entry<'a>]) {
        for composite in entries {
            if composite.kind() != Kind::TypeComposite {
                continue;
            }
            for &member in composite.list(Field::Members) {
                let slot = self.composites.slot(Id(member));
                if *slot == Id(0) {
                    *slot = composite.id();
                }
            }
        }
    }

    /// What becomes of an instruction, as far as it depends on itself.
    fn disposition(&mut self, entry: Entry<'a>) -> Disposition {
        let kind = entry.kind();
        match kind {
            // What these say is said elsewhere, or as an instruction of the core.
            Kind::FunctionDefinition | Kind::SourceContinued if self.to != Set::Shader => {
                return Disposition::Gone;
            }
            Kind::Source if self.to == Set::DebugInfo => return Disposition::Gone,
            Kind::Line | Kind::NoLine if self.to != Set::Shader => return Disposition::Other,
            Kind::TypeMatrix | Kind::TypeVectorIdEXT | Kind::TypeCooperativeMatrixKHR => {
                return self.disposition_of_extent(entry);
            }
            Kind::TypeVector => return self.disposition_of_vector(entry),
            Kind::ModuleINTEL if self.to != Set::OpenCl100 => {
                let why = "the set has no modules, so it becomes a namespace";
                self.lose(entry, None, Effect::Approximated, why);
                return Disposition::As(Kind::LexicalBlock);
            }
            Kind::TypeQualifier => {
                let is_atomic = entry.qualifier() == Some(Qualifier::AtomicType);
                if is_atomic && self.to == Set::DebugInfo {
                    let why = "the set has no atomic types, so the type itself takes its place";
                    self.lose(entry, None, Effect::Lost, why);
                    return Disposition::Alias(entry.id_of(Field::BaseType).unwrap_or(Id(0)));
                }
            }
            Kind::TypeMember if self.to == Set::OpenCl100 && self.composite_of(entry).is_none() => {
                let why = "no composite has it as a member";
                self.lose(entry, None, Effect::Lost, why);
                return Disposition::Gone;
            }
            Kind::Operation if !self.is_readable(entry) => {
                let why = "its operands are not known 32-bit numbers";
                self.lose(entry, None, Effect::Lost, why);
                return Disposition::Gone;
            }
            Kind::Operation if self.to == Set::DebugInfo => {
                let is_fragment = entry
                    .operation()
                    .is_some_and(|it| it.code == OperationCode::Fragment);
                if is_fragment {
                    let why = "the set has no Fragment, so it becomes a BitPiece";
                    self.lose(entry, Some(Field::OpCode), Effect::Approximated, why);
                }
            }
            Kind::Declare => {
                let has_indexes = !entry.list(Field::Indexes).is_empty();
                if has_indexes && self.to != Set::Shader {
                    let why = "the set can't declare a part of a variable";
                    self.lose(entry, None, Effect::Lost, why);
                    return Disposition::Gone;
                }
            }
            _ => {}
        }
        if self.to.fields(kind).is_none() {
            self.lose(entry, None, Effect::Lost, "the set has no such instruction");
            return Disposition::Gone;
        }
        Disposition::As(kind)
    }

    /// The types that only the newest set has.
    fn disposition_of_extent(&mut self, entry: Entry<'a>) -> Disposition {
        if self.to.fields(entry.kind()).is_some() {
            return Disposition::As(entry.kind());
        }
        let (disposition, why) = match entry.kind() {
            Kind::TypeMatrix => (
                Kind::TypeArray,
                "the set has no matrices, so it becomes an array of its vectors",
            ),
            Kind::TypeCooperativeMatrixKHR => (
                Kind::TypeArray,
                "the set has no cooperative matrices, so it becomes an array of rows and columns",
            ),
            _ if self.can_be_vector(entry) => (
                Kind::TypeVector,
                "the set has no vectors of this kind, so it becomes an ordinary one",
            ),
            _ => (
                Kind::TypeArray,
                "the set has no vectors of this length, so it becomes an array",
            ),
        };
        self.lose(entry, None, Effect::Approximated, why);
        Disposition::As(disposition)
    }

    fn disposition_of_vector(&mut self, entry: Entry<'a>) -> Disposition {
        if self.can_be_vector(entry) {
            return Disposition::As(Kind::TypeVector);
        }
        let why = "the set has no such vectors, so it becomes an array";
        self.lose(entry, None, Effect::Approximated, why);
        Disposition::As(Kind::TypeArray)
    }

    fn can_be_vector(&self, entry: Entry<'a>) -> bool {
        let field = match entry.kind() {
            Kind::TypeVectorIdEXT => Field::ComponentCountId,
            _ => Field::ComponentCount,
        };
        let count = self.value(entry, field);
        let has_base = self.to == Set::DebugInfo || self.component(entry).is_some();
        has_base && count.is_some_and(|count| self.to.takes_components(count))
    }

    /// The basic type that a vector's component is, whatever it is called.
    pub(super) fn component(&self, entry: Entry<'a>) -> Option<Entry<'a>> {
        let mut component = entry.base_type()?;
        // A damaged module can have cycles.
        for _ in 0..MAX_CHAIN_LENGTH {
            match component.kind() {
                Kind::TypeBasic => return Some(component),
                Kind::Typedef | Kind::TypeQualifier => component = component.base_type()?,
                _ => return None,
            }
        }
        None
    }

    /// Whether a `DebugOperation` can be written with numbers of 32 bits.
    fn is_readable(&self, entry: Entry<'a>) -> bool {
        let Some(operation) = entry.operation() else {
            return false;
        };
        operation.operands.len() == entry.list(Field::Operands).len()
            && operation
                .operands
                .iter()
                .all(|&it| u32::try_from(it).is_ok())
    }

    /// Why an instruction has to go because of what it refers to.
    fn follows(&self, entry: Entry<'a>) -> Option<&'static str> {
        if !matches!(self.dispositions.get(entry.id()), Disposition::As(_)) {
            return None;
        }
        let refers_to = |field: Field, kinds: &[Kind]| match entry.id_of(field) {
            Some(id) => match self.target(id) {
                Target::Debug(_, kind) => kinds.contains(&kind),
                Target::Absent(_) => self.to == Set::DebugInfo,
                _ => false,
            },
            None => false,
        };
        match entry.kind() {
            Kind::Expression => {
                let operations = entry.list(Field::Operations);
                let has_all = operations.iter().all(|&id| {
                    matches!(
                        self.target(Id(id)),
                        Target::Debug(_, Kind::Operation) | Target::Absent(_)
                    )
                });
                let has_none = operations
                    .iter()
                    .any(|&id| matches!(self.target(Id(id)), Target::Absent(_)));
                let fine = has_all && (!has_none || self.to == Set::DebugInfo);
                (!fine).then_some("an operation of it is lost")
            }
            Kind::TypeTemplate => {
                let target = [Kind::TypeComposite, Kind::Function];
                (!refers_to(Field::Target, &target))
                    .then_some("the template that it is an instance of is lost")
            }
            Kind::TypeInheritance => {
                let composite = [Kind::TypeComposite];
                let child = match entry.set() {
                    Set::Shader => self.composite_of(entry).is_some(),
                    _ => refers_to(Field::Child, &composite),
                };
                let has_child = child || self.to != Set::OpenCl100;
                let fine = refers_to(Field::BaseClass, &composite) && has_child;
                (!fine).then_some("one of its classes is lost")
            }
            Kind::Declare | Kind::Value => {
                if !refers_to(Field::LocalVariable, &[Kind::LocalVariable]) {
                    return Some("its variable is lost");
                }
                if !refers_to(Field::Expression, &[Kind::Expression]) {
                    return Some("its expression is lost");
                }
                let fine = entry.kind() == Kind::Declare || self.are_indexes(entry);
                (!fine).then_some("the set can't have such indexes")
            }
            _ => None,
        }
    }

    fn are_indexes(&self, entry: Entry<'a>) -> bool {
        entry
            .list(Field::Indexes)
            .iter()
            .all(|&id| match self.target(Id(id)) {
                Target::Debug(_, kind) => {
                    let is_variable = matches!(kind, Kind::LocalVariable | Kind::GlobalVariable);
                    is_variable && self.to != Set::DebugInfo
                }
                Target::Other(id) => self.is_integer_constant(id),
                _ => false,
            })
    }

    /// Whether an id is a constant of an integer type.
    pub(super) fn is_integer_constant(&self, id: Id) -> bool {
        let Some(constant) = self.info.definition(id) else {
            return false;
        };
        let ty = constant
            .result_type()
            .and_then(|ty| self.info.definition(ty));
        matches!(
            constant.op(),
            Op::Constant | Op::SpecConstant | Op::ConstantNull | Op::SpecConstantOp
        ) && ty.is_some_and(|ty| ty.op() == Op::TypeInt)
    }

    /// The composite that a member or base class belongs to.
    pub(super) fn composite_of(&self, entry: Entry<'a>) -> Option<Id> {
        let own = match entry.kind() {
            Kind::TypeInheritance => entry.id_of(Field::Child),
            _ => entry.id_of(Field::Parent),
        };
        let own = own.or_else(|| Some(self.composites.get(entry.id())))?;
        matches!(self.target(own), Target::Debug(_, Kind::TypeComposite)).then_some(own)
    }

    /// A number: of a specialization constant the one that it has unless it is
    /// specialized.
    pub(super) fn value(&self, entry: Entry<'a>, field: Field) -> Option<u64> {
        if let Some(number) = entry.number(field) {
            return Some(number);
        }
        self.default_of(entry.id_of(field)?)
    }

    pub(super) fn default_of(&self, id: Id) -> Option<u64> {
        let constant = self.info.definition(id)?;
        match (constant.op(), constant.words()) {
            (Op::SpecConstant, [_, _, _, literal @ ..]) => NumberType::literal(literal),
            _ => self.info.constant(id),
        }
    }

    /// What an id stands for when all is converted.
    pub(super) fn target(&self, id: Id) -> Target {
        let id = self.resolved(id);
        match self.dispositions.get(id) {
            Disposition::As(Kind::InfoNone) => Target::Absent(id),
            Disposition::As(kind) => Target::Debug(id, kind),
            Disposition::Gone => Target::Gone,
            Disposition::Alias(_) => Target::Gone,
            Disposition::Other => match self.info.entry(id) {
                // One that is of the target's set already.
                Some(entry) if entry.kind() == Kind::InfoNone => Target::Absent(id),
                Some(entry) => Target::Debug(id, entry.kind()),
                None => Target::Other(id),
            },
        }
    }

    /// What stands for an id.
    fn resolved(&self, id: Id) -> Id {
        match self.dispositions.get(id) {
            Disposition::Alias(next) => next,
            _ => id,
        }
    }

    /// Lets each one that goes point to what stands for it at last, so that no chain is
    /// longer than one.
    fn shorten_aliases(&mut self, entries: &[Entry<'a>]) {
        let mut walks = self.module.id_table(0);
        let mut path = Vec::new();
        for (walk, entry) in (1_u32..).zip(entries) {
            let mut id = entry.id();
            while let Disposition::Alias(next) = self.dispositions.get(id) {
                // A damaged module can have cycles.
                if std::mem::replace(walks.slot(id), walk) == walk {
                    id = Id(0);
                    break;
                }
                path.push(id);
                id = next;
            }
            for passed in path.drain(..) {
                *self.dispositions.slot(passed) = Disposition::Alias(id);
            }
        }
    }
}

/// The most steps from a type to what it stands for; types that take more are not
/// understood.
const MAX_CHAIN_LENGTH: usize = 100;
