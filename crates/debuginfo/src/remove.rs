//! Removing single debugging instructions. Whole sets are removed by
//! `spirvkit_transform::strip`.

use std::collections::{HashMap, HashSet};
use std::fmt;

use spirvkit_binary::{Definition, Id, Import};
use spirvkit_grammar::Op;
use spirvkit_grammar::debug_info::Role;
use spirvkit_ir::{EditError, Inst, Module, Place, Use};

use crate::{Field, Kind, Set, Slot};

/// What [`remove`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed {
    /// What went: first what was asked for, then what couldn't stay without it.
    pub instructions: Vec<(Id, Kind)>,
    /// How many instructions refer to something else or to `DebugInfoNone` now.
    pub rewritten: usize,
}

/// Why a debugging instruction can't be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RemoveError {
    /// The id is not the result of an instruction of a set of debug information.
    NotDebugInfo(Id),
    /// It is a `DebugInfoNone` to which others refer, and which therefore has to be
    /// there.
    InUse(Id),
    /// The module can't be changed so.
    Edit(EditError),
}

impl fmt::Display for RemoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotDebugInfo(id) => {
                write!(f, "{id} is not the result of a debugging instruction")
            }
            Self::InUse(id) => write!(
                f,
                "{id} is a DebugInfoNone that other instructions refer to; it stands for what has been removed"
            ),
            Self::Edit(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RemoveError {}

impl From<EditError> for RemoveError {
    fn from(error: EditError) -> Self {
        Self::Edit(error)
    }
}

/// Removes the debugging instruction with a result id, and lets what referred to it refer
/// to `DebugInfoNone`.
///
/// In the first set, [`Set::DebugInfo`], that is all, because there `DebugInfoNone` may
/// stand for every debugging instruction. In the newer sets it may in few places, so
/// there:
///
/// - Lists of members and of template parameters lose the entry, and what may be left out
///   at the end of an instruction is left out.
/// - What was in a block, a module or a composite comes to be in what is around that, and
///   so do the instructions of functions whose `DebugScope` names it.
/// - `DebugInfoNone` takes the place wherever it may be.
/// - What can't do without it goes, too, and then what can't do without that: the pointer
///   to a type, a variable of that type, the `DebugDeclare` of that variable. A
///   `DebugScope` goes with its function or `DebugInlinedAt`.
///
/// In all sets, names and decorations of what goes are removed; instructions of functions
/// don't come to be in another scope or on another line, so that where a `DebugScope` was,
/// none holds afterwards (if need be, a `DebugNoScope` is written when the module is
/// stored; so to remove that is of no use); and the text of a source is there as a whole
/// or not at all: it goes with any `DebugSourceContinued`.
///
/// Strings and constants stay, for [`strip`] or [`prune`] to remove. Sets that are to go
/// as a whole are removed by [`strip`], which knows all that belongs to them.
///
/// Takes time in proportion to the declarations, and to the instructions that go and
/// those that refer to them.
///
/// [`strip`]: https://docs.rs/spirvkit-transform/latest/spirvkit_transform/fn.strip.html
/// [`prune`]: https://docs.rs/spirvkit-transform/latest/spirvkit_transform/fn.prune.html
///
/// # Errors
///
/// If the id is no debugging instruction's, or a `DebugInfoNone` in use. The module is as
/// it was then.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use spirvkit_binary::Id;
/// use spirvkit_debuginfo::{Kind, remove};
/// use spirvkit_ir::Module;
///
/// let text = r#"
///            OpCapability Addresses
///            OpCapability Kernel
///       %1 = OpExtInstImport "DebugInfo"
///            OpMemoryModel Physical32 OpenCL
///       %2 = OpString "uint"
///       %3 = OpTypeVoid
///       %4 = OpTypeInt 32 0
///       %5 = OpConstant %4 32
///       %6 = OpExtInst %3 %1 DebugTypeBasic %2 %5 Unsigned
///       %7 = OpExtInst %3 %1 DebugTypePointer %6 Function None
/// "#;
/// # let words = spirvkit_text::assemble(text, &Default::default()).map_err(|_| "")?.words;
/// let mut module = Module::load(&words)?;
/// let removed = remove(&mut module, Id(6))?;
/// assert_eq!(removed.instructions, [(Id(6), Kind::TypeBasic)]);
/// # let text = spirvkit_text::disassemble(&module.store(), &Default::default()).map_err(|_| "")?.text;
/// # assert!(text.contains("%8 = OpExtInst %void %1 DebugInfoNone"), "{text}");
/// # assert!(text.contains("DebugTypePointer %8 Function None"), "{text}");
/// # Ok(())
/// # }
/// ```
pub fn remove(module: &mut Module, id: Id) -> Result<Removed, RemoveError> {
    remove_each(module, &[id])
}

/// The same for several at once.
///
/// # Errors
///
/// If one of them can't be removed. The module is as it was then.
pub fn remove_each(module: &mut Module, ids: &[Id]) -> Result<Removed, RemoveError> {
    let mut removal = Removal::of(module, ids)?;
    removal.spread();
    removal.check()?;
    let Removal { goes, changes, .. } = removal;
    let mut removed = Removed {
        instructions: Vec::new(),
        rewritten: 0,
    };
    let mut editor = Editor {
        goes: &goes,
        nones: HashMap::new(),
        positions: None,
    };
    let mut seen = HashSet::new();
    for &inst in changes.iter().filter(|&&inst| !goes.has(inst)) {
        if seen.insert(inst) {
            editor.rewrite(module, inst)?;
            removed.rewritten += usize::from(debug(module, inst).is_some());
        }
    }
    for &inst in &goes.list {
        if let (Some((_, kind)), Some(id)) = (debug(module, inst), module.result(inst)) {
            removed.instructions.push((id, kind));
        }
        module.remove(inst)?;
    }
    Ok(removed)
}

/// The set and the kind of a debugging instruction.
fn debug(module: &Module, inst: Inst) -> Option<(Set, Kind)> {
    if !module.op(inst).is_ext_inst() {
        return None;
    }
    let &[_, _, _, set, number, ..] = module.get(inst).words() else {
        return None;
    };
    let Definition::Import(Import::Known(set)) = module.definitions().get(Id(set)) else {
        return None;
    };
    let set = Set::of(set)?;
    Some((set, set.kind(number)?))
}

/// Words of an extended instruction before its own operands, the first among them.
const BEFORE_OPERANDS: usize = 5;

/// What becomes of an operand whose instruction goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Disposition {
    /// It takes the instruction with it that it is in.
    Goes,
    /// It becomes `DebugInfoNone`.
    None,
    /// It is left out.
    Dropped,
    /// It becomes what was around what goes.
    Outer,
}

/// What becomes of an operand of a debugging instruction, from the set and kind of that, its
/// field, and the kind of what goes.
fn disposition(set: Set, user: Kind, slot: &Slot, gone: Kind) -> Disposition {
    if set == Set::DebugInfo {
        return Disposition::None;
    }
    match (user, slot.field()) {
        (_, Field::Members | Field::Parameters | Field::TemplateParameters) => Disposition::Dropped,
        (_, Field::Declaration | Field::StaticMemberDeclaration) => Disposition::Dropped,
        (user, field) if user.role(field) == Role::Scope && is_passed_through(gone) => {
            Disposition::Outer
        }
        (user, field) if set.takes_none(user, field) => Disposition::None,
        _ => Disposition::Goes,
    }
}

/// Whether what is in a scope may as well be in the scope around it. What is in a function
/// may not.
fn is_passed_through(scope: Kind) -> bool {
    matches!(
        scope,
        Kind::LexicalBlock
            | Kind::LexicalBlockDiscriminator
            | Kind::ModuleINTEL
            | Kind::TypeComposite
    )
}

/// What is to go, in the order in which that was found out.
#[derive(Default)]
struct Goes {
    list: Vec<Inst>,
    set: HashSet<Inst>,
    /// What is around the scopes that were asked for, which takes their place.
    outer: HashMap<Id, Option<Id>>,
}

impl Goes {
    fn has(&self, inst: Inst) -> bool {
        self.set.contains(&inst)
    }

    fn add(&mut self, inst: Inst) {
        if self.set.insert(inst) {
            self.list.push(inst);
        }
    }

    /// The nearest scope around one that goes that does not go itself.
    fn outer(&self, id: Id) -> Option<Id> {
        self.outer.get(&id).copied().flatten()
    }
}

/// Finds out what goes.
struct Removal<'m> {
    module: &'m Module,
    goes: Goes,
    /// What refers to what goes.
    changes: Vec<Inst>,
    /// By scopes, what comes to be in them.
    moved: HashMap<Id, Vec<Inst>>,
    /// The `DebugInfoNone`s that were asked for.
    nones: Vec<Id>,
}

impl<'m> Removal<'m> {
    fn of(module: &'m Module, ids: &[Id]) -> Result<Self, RemoveError> {
        let mut removal = Self {
            module,
            goes: Goes::default(),
            changes: Vec::new(),
            moved: HashMap::new(),
            nones: Vec::new(),
        };
        let mut has_sources = false;
        for &id in ids {
            let inst = module.definition(id);
            let inst = inst.ok_or(RemoveError::NotDebugInfo(id))?;
            let (_, kind) = debug(module, inst).ok_or(RemoveError::NotDebugInfo(id))?;
            has_sources |= matches!(kind, Kind::Source | Kind::SourceContinued);
            if kind == Kind::InfoNone {
                removal.nones.push(id);
            }
            removal.goes.add(inst);
        }
        if has_sources {
            removal.remove_texts();
        }
        Ok(removal)
    }

    /// Lets texts of which a part goes go as a whole: a source stays without it.
    fn remove_texts(&mut self) {
        let mut at = 0;
        let texts: Vec<Inst> = self
            .module
            .globals()
            .filter(|&inst| {
                let kind = debug(self.module, inst).map(|(_, kind)| kind);
                matches!(kind, Some(Kind::Source | Kind::SourceContinued))
            })
            .collect();
        let continues = |inst: &Inst| {
            debug(self.module, *inst).is_some_and(|(_, kind)| kind == Kind::SourceContinued)
        };
        while let Some(rest) = texts.get(at..).filter(|rest| !rest.is_empty()) {
            let more = rest.iter().skip(1).take_while(|inst| continues(inst));
            let (text, _) = rest.split_at(1 + more.count());
            at += text.len();
            if !text.iter().any(|&inst| self.goes.has(inst)) {
                continue;
            }
            match continues(&text[0]) {
                true => self.goes.add(text[0]),
                false => self.changes.push(text[0]),
            }
            text[1..].iter().for_each(|&inst| self.goes.add(inst));
        }
    }

    /// Adds what can't do without what goes.
    fn spread(&mut self) {
        let asked = self.goes.list.clone();
        let is_asked: HashSet<Inst> = asked.iter().copied().collect();
        for &inst in &asked {
            self.find_outer(inst, &is_asked);
        }
        let mut at = 0;
        while let Some(&inst) = self.goes.list.get(at) {
            at += 1;
            let (Some(id), Some((_, kind))) = (self.module.result(inst), debug(self.module, inst))
            else {
                continue;
            };
            for found in self.module.uses(id) {
                if kind != Kind::InfoNone || is_about(self.module, found) {
                    self.follow(found, id, kind);
                }
            }
            for inst in self.moved.remove(&id).unwrap_or_default() {
                self.goes.add(inst);
            }
        }
    }

    /// Decides about a use of what goes.
    fn follow(&mut self, found: Use, id: Id, kind: Kind) {
        let user = found.inst;
        if self.goes.has(user) {
            return;
        }
        let Some((set, user_kind)) = debug(self.module, user) else {
            match is_about(self.module, found) && !self.module.op(user).is_group_decorate() {
                true => self.goes.add(user),
                false => self.changes.push(user),
            }
            return;
        };
        let slot = found
            .word
            .checked_sub(BEFORE_OPERANDS)
            .and_then(|operand| set.slot(user_kind, operand));
        let disposition = slot.map_or(Disposition::None, |slot| {
            disposition(set, user_kind, slot, kind)
        });
        match disposition {
            Disposition::Goes => self.goes.add(user),
            Disposition::None | Disposition::Dropped => self.changes.push(user),
            Disposition::Outer => {
                let outer = self.outer_of(id);
                let inst = outer.and_then(|outer| self.module.definition(outer));
                match (outer, inst) {
                    (Some(outer), Some(inst)) if !self.goes.has(inst) => {
                        self.moved.entry(outer).or_default().push(user);
                        self.changes.push(user);
                    }
                    _ => self.goes.add(user),
                }
            }
        }
    }

    /// What takes the place of a scope.
    fn outer_of(&mut self, id: Id) -> Option<Id> {
        if let Some(&outer) = self.goes.outer.get(&id) {
            return outer;
        }
        let outer = parent(self.module, self.module.definition(id)?);
        self.goes.outer.insert(id, outer);
        outer
    }

    /// Finds the nearest scope around one that wasn't asked for; of each scope once.
    fn find_outer(&mut self, inst: Inst, is_asked: &HashSet<Inst>) {
        let mut inside = Vec::new();
        let mut at = Some(inst);
        let outer = loop {
            let Some(scope) = at.filter(|scope| is_asked.contains(scope)) else {
                break at.and_then(|scope| self.module.result(scope));
            };
            let passed = debug(self.module, scope).is_some_and(|(_, kind)| is_passed_through(kind));
            let Some(id) = self.module.result(scope).filter(|_| passed) else {
                break None;
            };
            if let Some(&known) = self.goes.outer.get(&id) {
                break known;
            }
            // A damaged module can have cycles.
            self.goes.outer.insert(id, None);
            inside.push(id);
            at = parent(self.module, scope).and_then(|id| self.module.definition(id));
        };
        for id in inside {
            self.goes.outer.insert(id, outer);
        }
    }

    /// Whether all that was asked for can go.
    fn check(&self) -> Result<(), RemoveError> {
        let is_needed = |id: &Id| {
            let mut uses = self.module.uses(*id);
            uses.any(|found| !self.goes.has(found.inst))
        };
        match self.nones.iter().find(|id| is_needed(id)) {
            None => Ok(()),
            Some(&id) => Err(RemoveError::InUse(id)),
        }
    }
}

/// The scope that a debugging instruction is in.
fn parent(module: &Module, inst: Inst) -> Option<Id> {
    let (set, kind) = debug(module, inst)?;
    let operand = set.position(kind, Field::Parent)?;
    let words = module.get(inst).words();
    words.get(BEFORE_OPERANDS + operand).map(|&id| Id(id))
}

/// Whether a use is a name or a decoration of the id.
fn is_about(module: &Module, found: Use) -> bool {
    let op = module.op(found.inst);
    match op {
        _ if op.is_name() => true,
        _ if op.is_group_decorate() => found.word > 1,
        _ => op.is_decoration() && found.word == 1,
    }
}

/// Rewrites what refers to what goes.
struct Editor<'g> {
    goes: &'g Goes,
    /// The `DebugInfoNone` of each set.
    nones: HashMap<Set, Id>,
    /// Where each id is defined among the declarations, if that has been asked.
    positions: Option<HashMap<Id, usize>>,
}

impl Editor<'_> {
    fn is_gone(&self, module: &Module, id: Id) -> Option<Kind> {
        let inst = module.definition(id).filter(|&inst| self.goes.has(inst))?;
        debug(module, inst).map(|(_, kind)| kind)
    }

    fn rewrite(&mut self, module: &mut Module, inst: Inst) -> Result<(), RemoveError> {
        match debug(module, inst) {
            Some((set, kind)) => self.rewrite_debug(module, inst, set, kind),
            None if module.op(inst).is_group_decorate() => self.rewrite_group(module, inst),
            None => self.rewrite_other(module, inst),
        }
    }

    fn rewrite_debug(
        &mut self,
        module: &mut Module,
        inst: Inst,
        set: Set,
        kind: Kind,
    ) -> Result<(), RemoveError> {
        let old = module.get(inst).words().to_vec();
        let (head, operands) = old.split_at(BEFORE_OPERANDS.min(old.len()));
        let mut words: Vec<u32> = head.iter().skip(1).copied().collect();
        for (index, &word) in operands.iter().enumerate() {
            let slot = set.slot(kind, index);
            let is_text_of_part =
                kind == Kind::Source && slot.is_some_and(|slot| slot.field() == Field::Text);
            if is_text_of_part {
                continue;
            }
            let is_id = slot.is_none_or(|slot| !slot.is_literal());
            let gone = self.is_gone(module, Id(word)).filter(|_| is_id);
            let Some(gone) = gone else {
                words.push(word);
                continue;
            };
            match slot.map_or(Disposition::None, |slot| disposition(set, kind, slot, gone)) {
                Disposition::Dropped => {}
                Disposition::None | Disposition::Goes => {
                    words.push(self.none(module, set, head)?.0)
                }
                Disposition::Outer => match self.goes.outer(Id(word)) {
                    Some(outer) => words.push(outer.0),
                    None => words.push(self.none(module, set, head)?.0),
                },
            }
        }
        let op = match set {
            Set::Shader => self.op_for(module, inst, &words),
            _ => module.op(inst),
        };
        Ok(module.replace(inst, op, &words)?)
    }

    /// `OpExtInstWithForwardRefsKHR` if an operand is defined further down, and only then.
    fn op_for(&mut self, module: &Module, inst: Inst, words: &[u32]) -> Op {
        if module.block_of(inst).is_some() {
            return module.op(inst);
        }
        let positions = self.positions.get_or_insert_with(|| {
            let results = module.globals().filter_map(|inst| module.result(inst));
            results.enumerate().map(|(at, id)| (id, at)).collect()
        });
        let own = module
            .result(inst)
            .and_then(|id| positions.get(&id).copied());
        let none = self.nones.get(&Set::Shader);
        // What isn't known is in a function, which comes last.
        let is_later = |id: &u32| match positions.get(&Id(*id)) {
            // It has come to be the first.
            _ if none == Some(&Id(*id)) => false,
            Some(&at) => own.is_some_and(|own| at >= own),
            None => module
                .definition(Id(*id))
                .is_some_and(|inst| module.function_of(inst).is_some()),
        };
        let operands = words.get(BEFORE_OPERANDS - 1..).unwrap_or_default();
        match operands.iter().any(is_later) {
            true => Op::ExtInstWithForwardRefsKHR,
            false => Op::ExtInst,
        }
    }

    fn rewrite_group(&mut self, module: &mut Module, inst: Inst) -> Result<(), RemoveError> {
        let op = module.op(inst);
        let step = if op == Op::GroupMemberDecorate { 2 } else { 1 };
        let operands = module.get(inst).operand_words();
        let Some((group, targets)) = operands.split_first() else {
            return Ok(());
        };
        let stays = |target: &&[u32]| self.is_gone(module, Id(target[0])).is_none();
        let targets = targets.chunks(step).filter(stays).flatten();
        let operands: Vec<u32> = [group].into_iter().chain(targets).copied().collect();
        match operands.len() {
            1 => module.remove(inst)?,
            _ => module.replace(inst, op, &operands)?,
        }
        Ok(())
    }

    /// What else refers to debugging instructions is made to refer to `DebugInfoNone`.
    fn rewrite_other(&mut self, module: &mut Module, inst: Inst) -> Result<(), RemoveError> {
        let mut found = Vec::new();
        module.each_use(inst, |word, id| found.push((word, id)));
        for (word, id) in found {
            if self.is_gone(module, id).is_none() {
                continue;
            }
            let gone = module.definition(id);
            let Some((gone, (set, _))) = gone.and_then(|it| Some((it, debug(module, it)?))) else {
                continue;
            };
            let head = module.get(gone).words().to_vec();
            let none = self.none(module, set, &head)?;
            module.set_word(inst, word, none.0)?;
        }
        Ok(())
    }

    /// The `DebugInfoNone` of a set, before all its other instructions. `like` are the
    /// words of one of those.
    fn none(&mut self, module: &mut Module, set: Set, like: &[u32]) -> Result<Id, RemoveError> {
        if let Some(&none) = self.nones.get(&set) {
            return Ok(none);
        }
        let mut of_set = module
            .globals()
            .filter_map(|inst| Some((inst, debug(module, inst)?)))
            .filter(|(_, (its, _))| *its == set);
        let first = of_set.next();
        let is_none = |&(inst, (_, kind)): &(Inst, (Set, Kind))| {
            kind == Kind::InfoNone && !self.goes.has(inst)
        };
        let known = first.into_iter().chain(of_set).find(is_none);
        let first = first.map(|(first, _)| first);
        let place = first.map(Place::Before);
        let none = match (known, place) {
            (Some((known, _)), Some(place)) => {
                module.move_to(known, place)?;
                module.result(known).unwrap_or(Id(0))
            }
            (_, place) => {
                let id = module.fresh_id();
                let place = place.unwrap_or(Place::Section(spirvkit_binary::Section::Types));
                let &[_, void, _, set, ..] = like else {
                    return Err(RemoveError::Edit(EditError::NoSuchPlace));
                };
                let words = [void, id.0, set, Kind::InfoNone.number()];
                module.insert(place, Op::ExtInst, &words)?;
                id
            }
        };
        self.nones.insert(set, none);
        Ok(none)
    }
}
