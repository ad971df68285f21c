//! What rules return, and what of it is reported: one mistake, one error.

use std::cell::RefCell;
use std::hash::Hash;
use std::rc::Rc;

use hashbrown::HashSet;

use spirvkit_binary::{Budget, Id};
use spirvkit_diagnostics::{Diagnostic, ErrorClass, Location};
use spirvkit_grammar::{Capability, Extensions};

use crate::inst_ctx::InstCtx;
use crate::levels::{Level, Levels};
use crate::module::{Capabilities, Inst, Lookup, Module};
use crate::rule::Rule;
use crate::rules::generated::id;

/// A broken rule: where and how.
#[derive(Debug)]
pub(crate) struct Finding(Box<Inner>);

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
    /// Capabilities any one of which would fix it.
    capabilities: Vec<Capability>,
    /// Extensions any one of which would fix it.
    extensions: Vec<&'static str>,
    /// What the same check found besides; these have none.
    others: Vec<Finding>,
}

/// Which word of its instruction a finding is about.
#[derive(Clone, Copy, Debug)]
enum Operand {
    /// None in particular, or none is given.
    Unknown,
    /// Most likely this one.
    Likely(u32),
    /// This one.
    Known(u32),
}

/// Another place that has to do with a finding.
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

/// What checking an instruction or anything else comes to. `?` stops at a finding,
/// where what comes after it would only follow from it; checks that don't rest on
/// each other are joined by [`all`], so that each of them tells what it finds.
pub(crate) type CheckResult = Result<(), Finding>;

/// Fails if something isn't as it should be.
#[inline]
pub(crate) fn expect(is_fine: bool, finding: impl FnOnce() -> Finding) -> CheckResult {
    match is_fine {
        true => Ok(()),
        false => Err(finding()),
    }
}

/// What checks come to that don't rest on each other: all that they find.
#[inline]
pub(crate) fn all(results: impl IntoIterator<Item = CheckResult>) -> CheckResult {
    let mut found = Ok(());
    for result in results {
        if let Err(finding) = result {
            found = Err(finding.behind(found));
        }
    }
    found
}

/// Two things that are looked for independently: if one isn't there, that is reported
/// of each that isn't.
#[inline]
pub(crate) fn both<A, B>(a: Result<A, Finding>, b: Result<B, Finding>) -> Result<(A, B), Finding> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (Err(finding), Ok(_)) | (Ok(_), Err(finding)) => Err(finding),
        (Err(a), Err(b)) => Err(b.behind(Err(a))),
    }
}

impl Finding {
    /// A finding at the instruction that starts at this word.
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

    /// The finding together with what was found before it.
    #[cold]
    fn behind(mut self, found: CheckResult) -> Self {
        let Err(mut first) = found else {
            return self;
        };
        let others = std::mem::take(&mut self.0.others);
        first.0.others.push(self);
        first.0.others.extend(others);
        first
    }

    /// The finding and those that came with it, each by itself.
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

    /// The same if the rule's only VUID is about this case, else none.
    pub(crate) fn vuid_if(mut self, applies: bool) -> Self {
        self.0.vuid = self.0.vuid.filter(|_| applies);
        self
    }

    /// Says that the operand is at fault that starts at this word of the instruction,
    /// the one with the opcode being word 0. Without that, it is the one that the
    /// finding is [about](Self::about).
    pub(crate) fn word(mut self, word: usize) -> Self {
        self.0.operand = Operand::Known(word as u32);
        self
    }

    /// The same of an operand of the instruction at a site, counted from 0 behind
    /// result type and result.
    pub(crate) fn arg(self, at: &InstCtx<'_, '_>, index: usize) -> Self {
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
        if let Operand::Known(_) = self.0.operand {
            return self;
        }
        let offset = self.0.offset;
        if let Some(word) = m.operand_that(offset, |each| each == id) {
            self.0.operand = Operand::Known(word as u32);
        } else if let Operand::Unknown = self.0.operand {
            let of_type = m.operand_that(offset, |each| m.type_of(each) == Some(id));
            let likely = of_type.map(|word| Operand::Likely(word as u32));
            self.0.operand = likely.unwrap_or(Operand::Unknown);
        }
        self
    }

    /// Says that any one of these capabilities would fix it. What a declaration
    /// lacks is reported where it is missed first.
    pub(crate) fn needs(mut self, capabilities: &[Capability]) -> Self {
        self.0.capabilities = capabilities.to_vec();
        self
    }

    /// The same of extensions.
    pub(crate) fn needs_extension(mut self, extensions: Extensions) -> Self {
        self.0.extensions = extensions.collect();
        self
    }

    /// Takes over what was mentioned since the last finding.
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
    pub(crate) fn weight(&self) -> u64 {
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

/// Collects findings, and leaves out what follows from those that it has.
///
/// What is wrong with an instruction is often seen again by whatever uses its
/// result. So a finding whose message speaks of an id is left out if there is a
/// finding of the instruction that defines the id. That hides nothing for good:
/// something is reported for each finding that is left out, and once it is fixed the
/// module is checked anew.
///
/// Findings about instructions that only describe are kept [aside](Finding::aside): none of
/// them hides one of the program proper, nor takes its place among as many as are reported.
#[derive(Debug)]
pub(crate) struct Reporter {
    reporter: Vec<Finding>,
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
    /// Errors that were found, those left out included.
    seen: usize,
    mentions: Mentions,
    /// Instructions about which nothing more is reported.
    sealed: HashSet<u32>,
    /// Capabilities and extensions that were said to be missing.
    missed_capabilities: Capabilities,
    missed_extensions: HashSet<&'static str>,
    /// Instructions whose results may not be what they were meant to be.
    tainted: HashSet<u32>,
    /// The same for what is aside.
    tainted_aside: HashSet<u32>,
}

/// What was reported once, so that it isn't again.
#[derive(Debug)]
pub(crate) struct Reported<T> {
    proper: HashSet<T>,
    aside: HashSet<T>,
}

impl<T> Default for Reported<T> {
    fn default() -> Self {
        Self {
            proper: HashSet::new(),
            aside: HashSet::new(),
        }
    }
}

impl<T: Copy + Eq + Hash> Reported<T> {
    /// Adds it, and says whether it is new. What was reported of an instruction that only
    /// describes is new for the program proper.
    pub(crate) fn insert(&mut self, what: T, is_aside: bool) -> bool {
        match is_aside {
            true => !self.proper.contains(&what) && self.aside.insert(what),
            false => self.proper.insert(what),
        }
    }

    /// How many times something was new.
    pub(crate) fn len(&self) -> usize {
        self.proper.len() + self.aside.len()
    }
}

/// The most warnings of a phase that are kept if errors are limited: there may be
/// one for every few words.
const MAX_WARNINGS: usize = 1000;

impl Reporter {
    pub(crate) fn new(limit: usize, levels: &Levels, mentions: Mentions, budget: Budget) -> Self {
        Self {
            reporter: Vec::new(),
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
            sealed: HashSet::new(),
            missed_capabilities: Capabilities::default(),
            missed_extensions: HashSet::new(),
            tainted: HashSet::new(),
            tainted_aside: HashSet::new(),
        }
    }

    /// Notes a finding and those that came with it, unless they follow from others.
    #[cold]
    pub(crate) fn add(&mut self, finding: Finding) {
        if finding.0.others.is_empty() {
            return self.add_one(finding);
        }
        // An id that is in two places may be as wrong in both.
        let mut reported = HashSet::new();
        for each in finding.apart() {
            if reported.insert((each.0.rule.id, each.0.offset, each.0.message.clone())) {
                self.add_one(each);
            }
        }
    }

    fn add_one(&mut self, finding: Finding) {
        if self.is_full() {
            return;
        }
        let mut finding = finding.mentioning(&self.mentions);
        let is_error = !finding.is_warning();
        self.seen += usize::from(is_error);
        match self.levels.of(finding.rule().id) {
            None => {}
            Some(Level::Allow) => return,
            Some(level) => finding.0.is_warning = level == Level::Warn,
        }
        // Only an error that is reported as one hides what follows from it.
        let hides = is_error && !finding.is_warning();
        if is_error && self.is_missed(&finding) {
            return;
        }
        let follows = is_error && self.follows(&finding);
        if hides {
            self.taint(&finding);
        }
        if follows {
            return;
        }
        let (errors, warnings) = match finding.is_aside() {
            true => (&mut self.errors_aside, &mut self.warnings_aside),
            false => (&mut self.errors, &mut self.warnings),
        };
        let (count, most) = match finding.is_warning() {
            true => (warnings, MAX_WARNINGS),
            false => (errors, self.limit),
        };
        *count += 1;
        let is_first = hides && *count == 1;
        if self.limit > 0 && *count > most {
            return;
        }
        if hides && !finding.is_aside() {
            for &each in &finding.0.capabilities {
                self.missed_capabilities.add(each);
            }
            self.missed_extensions.extend(&finding.0.extensions);
        }
        self.is_full = self.limit > 0 && self.errors == self.limit;
        if !self.budget.take(finding.weight()) {
            self.is_full |= hides && !finding.is_aside();
            // Without any error, the module would be valid.
            if !is_first {
                return;
            }
        }
        self.reporter.push(finding);
    }

    /// Whether something reported would fix it.
    fn is_missed(&self, finding: &Finding) -> bool {
        let mut capabilities = finding.0.capabilities.iter();
        let mut extensions = finding.0.extensions.iter();
        capabilities.any(|each| self.missed_capabilities.contains(*each))
            || extensions.any(|each| self.missed_extensions.contains(each))
    }

    /// Whether it follows from something reported.
    fn follows(&self, finding: &Finding) -> bool {
        let offset = finding.offset();
        let mut mentions = finding.0.mentions.iter();
        self.sealed.contains(&offset)
            || mentions.any(|each| *each != offset && self.is_tainted(*each, finding.is_aside()))
    }

    fn is_tainted(&self, offset: u32, for_aside: bool) -> bool {
        self.tainted.contains(&offset) || for_aside && self.tainted_aside.contains(&offset)
    }

    /// Notes whose results may not be what they were meant to be.
    fn taint(&mut self, finding: &Finding) {
        let tainted = match finding.is_aside() {
            true => &mut self.tainted_aside,
            false => &mut self.tainted,
        };
        if !finding.is_lack() {
            tainted.insert(finding.offset());
        }
        // Which of the definitions is meant, nobody knows.
        if std::ptr::eq(finding.rule(), &id::REDEFINED) {
            tainted.extend(&finding.0.mentions);
        }
    }

    /// Notes the finding, if any.
    #[inline]
    pub(crate) fn note(&mut self, result: CheckResult) {
        if let Err(finding) = result {
            self.add(finding);
        }
    }

    /// Reports nothing more about the instructions with errors so far, unless they are
    /// only such as leave the rest of the instruction as it was; nor of what speaks of
    /// undefined ids, of which there are none without such errors.
    pub(crate) fn seal(&mut self) {
        let leaves_rest =
            |finding: &Finding| finding.is_lack() || std::ptr::eq(finding.rule(), &id::UNDEFINED);
        for finding in &self.reporter {
            let tainted = match finding.is_aside() {
                true => &mut self.tainted_aside,
                false => &mut self.tainted,
            };
            tainted.insert(0);
            if !finding.is_warning() && !leaves_rest(finding) {
                self.sealed.insert(finding.offset());
            }
        }
    }

    /// Reports nothing about the instruction at an offset, whose error was reported
    /// elsewhere.
    pub(crate) fn suppress(&mut self, offset: u32, is_aside: bool) {
        self.sealed.insert(offset);
        let tainted = match is_aside {
            true => &mut self.tainted_aside,
            false => &mut self.tainted,
        };
        tainted.extend([0, offset]);
    }

    /// How many errors were found so far, those left out included: for checks
    /// that rely on what others have looked at.
    pub(crate) fn seen(&self) -> usize {
        self.seen
    }

    /// Whether there is no point in looking for more.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// The findings, and whether something had no room.
    pub(crate) fn into_vec(self) -> (Vec<Finding>, bool) {
        (self.reporter, self.budget.is_spent())
    }
}
