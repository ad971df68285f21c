//! What rules return, and what of it is told: one mistake, one error.

use std::cell::RefCell;
use std::hash::Hash;
use std::rc::Rc;

use hashbrown::HashSet;

use spirvkit_binary::{Budget, Id};
use spirvkit_diagnostics::{Diagnostic, ErrorClass, Location};
use spirvkit_grammar::{Capability, Extensions};

use crate::levels::{Level, Levels};
use crate::module::{Capabilities, Inst, Module};
use crate::phases::{REDEFINED, UNDEFINED};
use crate::rule::Rule;
use crate::site::Site;

/// A broken rule: where and how.
#[derive(Debug)]
pub(crate) struct Fault(Box<Inner>);

#[derive(Debug)]
struct Inner {
    rule: &'static Rule,
    offset: u32,
    message: String,
    vuid: Option<&'static str>,
    operand: Operand,
    related: Vec<Related>,
    help: Option<String>,
    is_warning: bool,
    /// Whether it is about an instruction that only describes.
    is_aside: bool,
    /// Where the ids are defined that the message speaks of.
    mentions: Vec<u32>,
    /// Capabilities any one of which would mend it.
    capabilities: Vec<Capability>,
    /// Extensions any one of which would mend it.
    extensions: Vec<&'static str>,
    /// What the same check found besides; these have none.
    others: Vec<Fault>,
}

/// Which word of its instruction a fault is about.
#[derive(Clone, Copy, Debug)]
enum Operand {
    /// None in particular, or nobody has said.
    Unknown,
    /// Most likely this one.
    Likely(u32),
    /// This one.
    Known(u32),
}

/// Another place that has to do with a fault.
#[derive(Debug)]
struct Related {
    offset: u32,
    /// The word of the instruction there that is meant; 0 stands for all.
    word: u32,
    message: String,
}

/// Where the ids are defined that a message in the making speaks of; 0 stands for
/// what nothing defines.
pub(crate) type Mentions = Rc<RefCell<Vec<u32>>>;

/// What checking an instruction or anything else comes to. `?` stops at a fault,
/// where what comes after it would only follow from it; checks that don't rest on
/// each other are joined by [`all`], so that each of them tells what it finds.
pub(crate) type Verdict = Result<(), Fault>;

/// Fails if something isn't as it should be.
#[inline]
pub(crate) fn expect(is_fine: bool, fault: impl FnOnce() -> Fault) -> Verdict {
    match is_fine {
        true => Ok(()),
        false => Err(fault()),
    }
}

/// What checks come to that don't rest on each other: all that they find.
#[inline]
pub(crate) fn all(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
    let mut found = Ok(());
    for verdict in verdicts {
        if let Err(fault) = verdict {
            found = Err(fault.behind(found));
        }
    }
    found
}

/// Two things that are looked for independently: if one isn't there, that is told
/// of each that isn't.
#[inline]
pub(crate) fn both<A, B>(a: Result<A, Fault>, b: Result<B, Fault>) -> Result<(A, B), Fault> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (Err(fault), Ok(_)) | (Ok(_), Err(fault)) => Err(fault),
        (Err(a), Err(b)) => Err(b.behind(Err(a))),
    }
}

impl Fault {
    /// A fault at the instruction that starts at this word.
    #[cold]
    pub(crate) fn new(rule: &'static Rule, offset: u32, message: impl Into<String>) -> Self {
        let vuid = match rule.vuids {
            [vuid] => Some(*vuid),
            _ => None,
        };
        Self(Box::new(Inner {
            rule,
            offset,
            message: message.into(),
            vuid,
            operand: Operand::Unknown,
            related: Vec::new(),
            help: None,
            is_warning: false,
            is_aside: false,
            mentions: Vec::new(),
            capabilities: Vec::new(),
            extensions: Vec::new(),
            others: Vec::new(),
        }))
    }

    /// The fault together with what was found before it.
    #[cold]
    fn behind(mut self, found: Verdict) -> Self {
        let Err(mut first) = found else {
            return self;
        };
        let others = std::mem::take(&mut self.0.others);
        first.0.others.push(self);
        first.0.others.extend(others);
        first
    }

    /// The fault and those that came with it, each by itself.
    pub(crate) fn apart(mut self) -> impl Iterator<Item = Self> {
        let others = std::mem::take(&mut self.0.others);
        std::iter::once(self).chain(others)
    }

    /// Names the one of the rule's VUIDs that applies.
    pub(crate) fn vuid(mut self, vuid: &'static str) -> Self {
        debug_assert!(self.0.rule.vuids.contains(&vuid), "{vuid} is not listed");
        self.0.vuid = Some(vuid);
        self
    }

    /// Says that the operand is at fault that starts at this word of the instruction,
    /// the one with the opcode being word 0. Without that, it is the one that the
    /// fault is [about](Self::about).
    pub(crate) fn word(mut self, word: usize) -> Self {
        self.0.operand = Operand::Known(word as u32);
        self
    }

    /// The same of an operand of the instruction at a site, counted from 0 behind
    /// result type and result.
    pub(crate) fn arg(self, at: &Site<'_, '_>, index: usize) -> Self {
        self.word(at.word_of_arg(index))
    }

    /// The same of the first operand that is this id.
    pub(crate) fn operand(self, m: &Module<'_>, id: Id) -> Self {
        match m.operand_that(self.0.offset, |each| each == id) {
            Some(word) => self.word(word),
            None => self,
        }
    }

    /// The same of the result.
    pub(crate) fn result(self, inst: Inst<'_>) -> Self {
        match inst.result_word() {
            Some(word) => self.word(word),
            None => self,
        }
    }

    /// Takes the first operand that the message names for the one at fault, unless
    /// something else was said.
    pub(crate) fn find_operand(&mut self, m: &Module<'_>) {
        if matches!(self.0.operand, Operand::Unknown) {
            let found = m.operand_named_in(self.0.offset, &self.0.message, &self.0.mentions);
            let found = found.map(|word| Operand::Likely(word as u32));
            self.0.operand = found.unwrap_or(Operand::Unknown);
        }
    }

    /// Points at an id's definition. If the id is an operand, it is the one at fault,
    /// unless another is already.
    pub(crate) fn about(mut self, m: &Module<'_>, id: Id, message: impl Into<String>) -> Self {
        if let Some(def) = m.def(id) {
            self.0.related.push(Related {
                offset: def.offset(),
                word: def.result_word().unwrap_or(0) as u32,
                message: message.into(),
            });
        }
        self.0.mentions.push(m.def_offset(id));
        let offset = self.0.offset;
        match self.0.operand {
            Operand::Known(_) => return self,
            _ if let Some(word) = m.operand_that(offset, |each| each == id) => {
                self.0.operand = Operand::Known(word as u32);
            }
            Operand::Likely(_) => {}
            Operand::Unknown => {
                let of_type = m.operand_that(offset, |each| m.type_of(each) == Some(id));
                let likely = of_type.map(|word| Operand::Likely(word as u32));
                self.0.operand = likely.unwrap_or(Operand::Unknown);
            }
        }
        self
    }

    /// Says that any one of these capabilities would mend it. What a declaration
    /// lacks is told where it is missed first.
    pub(crate) fn needs(mut self, capabilities: &[Capability]) -> Self {
        self.0.capabilities = capabilities.to_vec();
        self
    }

    /// The same of extensions.
    pub(crate) fn needs_extension(mut self, extensions: Extensions) -> Self {
        self.0.extensions = extensions.collect();
        self
    }

    /// Takes over what was mentioned since the last fault.
    pub(crate) fn mentioning(mut self, mentions: &Mentions) -> Self {
        self.0.mentions.append(&mut mentions.borrow_mut());
        self
    }

    /// Points at an instruction.
    pub(crate) fn at(mut self, offset: u32, message: impl Into<String>) -> Self {
        self.0.related.push(Related {
            offset,
            word: 0,
            message: message.into(),
        });
        self
    }

    /// Adds advice.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Makes it a warning, and those that came with it.
    pub(crate) fn warning(mut self) -> Self {
        self.0.is_warning = true;
        for other in &mut self.0.others {
            other.0.is_warning = true;
        }
        self
    }

    /// Says whether it is about an instruction that only describes, without which the
    /// program would be the same: see [`Module::is_remark`].
    pub(crate) fn aside(mut self, is_aside: bool) -> Self {
        self.0.is_aside = is_aside;
        for other in &mut self.0.others {
            other.0.is_aside = is_aside;
        }
        self
    }

    pub(crate) fn is_aside(&self) -> bool {
        self.0.is_aside
    }

    pub(crate) fn rule(&self) -> &'static Rule {
        self.0.rule
    }

    pub(crate) fn offset(&self) -> u32 {
        self.0.offset
    }

    /// Whether something is missing without which it is right all the same.
    fn is_lack(&self) -> bool {
        matches!(
            self.0.rule.class,
            ErrorClass::InvalidCapability | ErrorClass::MissingExtension | ErrorClass::WrongVersion
        )
    }

    /// About how many bytes it takes to keep it.
    fn weight(&self) -> u64 {
        let related = self.0.related.iter();
        let related = related.map(|it| size_of::<Related>() + it.message.len());
        let texts = self.0.message.len() + self.0.help.as_ref().map_or(0, String::len);
        let mentions = size_of_val(&*self.0.mentions);
        (size_of::<Inner>() + texts + mentions + related.sum::<usize>()) as u64
    }

    pub(crate) fn is_warning(&self) -> bool {
        self.0.is_warning
    }

    pub(crate) fn into_diagnostic(self, is_vulkan: bool) -> Diagnostic {
        let Inner {
            rule,
            offset,
            message,
            vuid,
            operand,
            related,
            help,
            is_warning,
            is_aside: _,
            mentions: _,
            capabilities: _,
            extensions: _,
            others: _,
        } = *self.0;
        let make = match is_warning {
            true => Diagnostic::warning,
            false => Diagnostic::error,
        };
        let mut diagnostic = make(rule.id, rule.class, message)
            .at_word(offset as usize)
            .with_section(rule.section);
        if let Some(vuid) = vuid.filter(|_| is_vulkan) {
            diagnostic = diagnostic.with_vuid(vuid);
        }
        if let Operand::Likely(word) | Operand::Known(word) = operand {
            diagnostic = diagnostic.at_operand(offset as usize + word as usize);
        }
        for label in related {
            let (offset, word) = (label.offset as usize, label.word as usize);
            diagnostic = diagnostic.with_label(Location::Word(offset), label.message);
            if word > 0 {
                diagnostic = diagnostic.with_label_operand(offset + word);
            }
        }
        if let Some(help) = help {
            diagnostic = diagnostic.with_help(help);
        }
        diagnostic
    }
}

/// Collects faults, and leaves out what follows from those that it has.
///
/// What is wrong with an instruction is often seen again by whatever uses its
/// result. So a fault whose message speaks of an id is left out if there is a
/// fault of the instruction that defines the id. That hides nothing for good:
/// something is told for each fault that is left out, and once it is mended the
/// module is judged anew.
///
/// Faults of instructions that only describe are kept [aside](Fault::aside): none of
/// them hides one of the program proper, nor takes its place among as many as are told.
#[derive(Debug)]
pub(crate) struct Faults {
    faults: Vec<Fault>,
    levels: Levels,
    /// How many errors to keep; 0 is no limit.
    limit: usize,
    errors: usize,
    /// Whether there are as many, or no room for more.
    is_full: bool,
    /// What they may take.
    budget: Budget,
    warnings: usize,
    /// The same of those aside.
    errors_aside: usize,
    warnings_aside: usize,
    /// Errors that were noted, those left out included.
    seen: usize,
    mentions: Mentions,
    /// Instructions of which nothing more is told.
    settled: HashSet<u32>,
    /// Capabilities and extensions that were said to be missing.
    missed_capabilities: Capabilities,
    missed_extensions: HashSet<&'static str>,
    /// Instructions whose results may not be what they were meant to be.
    dubious: HashSet<u32>,
    /// The same for what is aside.
    dubious_aside: HashSet<u32>,
}

/// What was told once, so that it isn't again.
#[derive(Debug)]
pub(crate) struct Told<T> {
    proper: HashSet<T>,
    aside: HashSet<T>,
}

impl<T> Default for Told<T> {
    fn default() -> Self {
        Self {
            proper: HashSet::new(),
            aside: HashSet::new(),
        }
    }
}

impl<T: Copy + Eq + Hash> Told<T> {
    /// Notes it, and says whether it is news. What was told of an instruction that only
    /// describes is news of the program proper.
    pub(crate) fn insert(&mut self, what: T, is_aside: bool) -> bool {
        match is_aside {
            true => !self.proper.contains(&what) && self.aside.insert(what),
            false => self.proper.insert(what),
        }
    }

    /// How many times something was news.
    pub(crate) fn len(&self) -> usize {
        self.proper.len() + self.aside.len()
    }
}

/// The most warnings of a phase that are kept if errors are limited: there may be
/// one for every few words.
const MOST_WARNINGS: usize = 1000;

impl Faults {
    pub(crate) fn new(limit: usize, levels: &Levels, mentions: Mentions, budget: Budget) -> Self {
        Self {
            faults: Vec::new(),
            levels: levels.clone(),
            limit,
            errors: 0,
            is_full: false,
            budget,
            warnings: 0,
            errors_aside: 0,
            warnings_aside: 0,
            seen: 0,
            mentions,
            settled: HashSet::new(),
            missed_capabilities: Capabilities::new(),
            missed_extensions: HashSet::new(),
            dubious: HashSet::new(),
            dubious_aside: HashSet::new(),
        }
    }

    /// Notes a fault and those that came with it, unless they follow from others.
    #[cold]
    pub(crate) fn add(&mut self, fault: Fault) {
        if fault.0.others.is_empty() {
            return self.add_one(fault);
        }
        // An id that stands in two places may be as wrong in both.
        let mut told = HashSet::new();
        for each in fault.apart() {
            if told.insert((each.0.rule.id, each.0.offset, each.0.message.clone())) {
                self.add_one(each);
            }
        }
    }

    fn add_one(&mut self, fault: Fault) {
        if self.is_full() {
            return;
        }
        let mut fault = fault.mentioning(&self.mentions);
        let is_error = !fault.is_warning();
        self.seen += usize::from(is_error);
        match self.levels.of(fault.rule().id) {
            None => {}
            Some(Level::Allow) => return,
            Some(level) => fault.0.is_warning = level == Level::Warn,
        }
        // Only an error that is told as one hides what follows from it.
        let hides = is_error && !fault.is_warning();
        if is_error && self.is_missed(&fault) {
            return;
        }
        let follows = is_error && self.follows(&fault);
        if hides {
            self.doubt(&fault);
        }
        if follows {
            return;
        }
        let (errors, warnings) = match fault.is_aside() {
            true => (&mut self.errors_aside, &mut self.warnings_aside),
            false => (&mut self.errors, &mut self.warnings),
        };
        let (count, most) = match fault.is_warning() {
            true => (warnings, MOST_WARNINGS),
            false => (errors, self.limit),
        };
        *count += 1;
        let is_first = hides && *count == 1;
        if self.limit > 0 && *count > most {
            return;
        }
        if hides && !fault.is_aside() {
            for &each in &fault.0.capabilities {
                self.missed_capabilities.add(each);
            }
            self.missed_extensions.extend(&fault.0.extensions);
        }
        self.is_full = self.limit > 0 && self.errors == self.limit;
        if !self.budget.take(fault.weight()) {
            self.is_full |= hides && !fault.is_aside();
            // Without any error, the module would be valid.
            if !is_first {
                return;
            }
        }
        self.faults.push(fault);
    }

    /// Whether something told would mend it.
    fn is_missed(&self, fault: &Fault) -> bool {
        let mut capabilities = fault.0.capabilities.iter();
        let mut extensions = fault.0.extensions.iter();
        capabilities.any(|each| self.missed_capabilities.contains(*each))
            || extensions.any(|each| self.missed_extensions.contains(each))
    }

    /// Whether it follows from something told.
    fn follows(&self, fault: &Fault) -> bool {
        let offset = fault.offset();
        let mut mentions = fault.0.mentions.iter();
        self.settled.contains(&offset)
            || mentions.any(|each| *each != offset && self.is_dubious(*each, fault.is_aside()))
    }

    fn is_dubious(&self, offset: u32, for_aside: bool) -> bool {
        self.dubious.contains(&offset) || for_aside && self.dubious_aside.contains(&offset)
    }

    /// Notes whose results may not be what they were meant to be.
    fn doubt(&mut self, fault: &Fault) {
        let dubious = match fault.is_aside() {
            true => &mut self.dubious_aside,
            false => &mut self.dubious,
        };
        if !fault.is_lack() {
            dubious.insert(fault.offset());
        }
        // Which of the definitions is meant, nobody knows.
        if std::ptr::eq(fault.rule(), &REDEFINED) {
            dubious.extend(&fault.0.mentions);
        }
    }

    /// Notes the fault, if any.
    #[inline]
    pub(crate) fn note(&mut self, verdict: Verdict) {
        if let Err(fault) = verdict {
            self.add(fault);
        }
    }

    /// Has nothing more told of the instructions with errors so far, unless they are
    /// only such as leave the rest of the instruction as it was; nor of what speaks of
    /// undefined ids, of which there are none without such errors.
    pub(crate) fn settle(&mut self) {
        let leaves_rest = |fault: &Fault| fault.is_lack() || std::ptr::eq(fault.rule(), &UNDEFINED);
        for fault in &self.faults {
            let dubious = match fault.is_aside() {
                true => &mut self.dubious_aside,
                false => &mut self.dubious,
            };
            dubious.insert(0);
            if !fault.is_warning() && !leaves_rest(fault) {
                self.settled.insert(fault.offset());
            }
        }
    }

    /// Has nothing told of the instruction at an offset, of which something is
    /// wrong that was told elsewhere.
    pub(crate) fn hush(&mut self, offset: u32, is_aside: bool) {
        self.settled.insert(offset);
        let dubious = match is_aside {
            true => &mut self.dubious_aside,
            false => &mut self.dubious,
        };
        dubious.extend([0, offset]);
    }

    /// How many errors were noted so far, those left out included: for checks
    /// that rely on what others have looked at.
    pub(crate) fn seen(&self) -> usize {
        self.seen
    }

    /// Whether there is no point in looking for more.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// What was noted, and whether something had no room.
    pub(crate) fn into_vec(self) -> (Vec<Fault>, bool) {
        (self.faults, self.budget.is_spent())
    }
}
