//! What rules return.

use spirvkit_binary::Id;
use spirvkit_diagnostics::{Diagnostic, Location};

use crate::module::Module;
use crate::rule::Rule;

/// A broken rule: where and how.
#[derive(Debug)]
pub(crate) struct Fault(Box<Inner>);

#[derive(Debug)]
struct Inner {
    rule: &'static Rule,
    offset: u32,
    message: String,
    vuid: Option<&'static str>,
    related: Vec<(u32, String)>,
    help: Option<String>,
    is_warning: bool,
}

/// What checking an instruction or anything else comes to. Every check stops at
/// its first fault, because what comes after it would often only follow from it.
pub(crate) type Verdict = Result<(), Fault>;

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
            related: Vec::new(),
            help: None,
            is_warning: false,
        }))
    }

    /// Names the one of the rule's VUIDs that applies.
    pub(crate) fn vuid(mut self, vuid: &'static str) -> Self {
        debug_assert!(self.0.rule.vuids.contains(&vuid), "{vuid} is not listed");
        self.0.vuid = Some(vuid);
        self
    }

    /// Points at an id's definition.
    pub(crate) fn about(mut self, m: &Module<'_>, id: Id, message: impl Into<String>) -> Self {
        if let Some(def) = m.def(id) {
            self.0.related.push((def.offset(), message.into()));
        }
        self
    }

    /// Points at an instruction.
    pub(crate) fn at(mut self, offset: u32, message: impl Into<String>) -> Self {
        self.0.related.push((offset, message.into()));
        self
    }

    /// Adds advice.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Makes it a warning.
    pub(crate) fn warning(mut self) -> Self {
        self.0.is_warning = true;
        self
    }

    pub(crate) fn rule(&self) -> &'static Rule {
        self.0.rule
    }

    pub(crate) fn offset(&self) -> u32 {
        self.0.offset
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
            related,
            help,
            is_warning,
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
        for (offset, message) in related {
            diagnostic = diagnostic.with_label(Location::Word(offset as usize), message);
        }
        if let Some(help) = help {
            diagnostic = diagnostic.with_help(help);
        }
        diagnostic
    }
}

/// Collects the faults of one phase.
#[derive(Debug)]
pub(crate) struct Faults {
    faults: Vec<Fault>,
    /// How many errors to keep; 0 is no limit.
    limit: usize,
    errors: usize,
}

impl Faults {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            faults: Vec::new(),
            limit,
            errors: 0,
        }
    }

    /// Notes a fault.
    pub(crate) fn add(&mut self, fault: Fault) {
        if self.is_full() {
            return;
        }
        self.errors += usize::from(!fault.is_warning());
        self.faults.push(fault);
    }

    /// Notes the fault, if any.
    #[inline]
    pub(crate) fn note(&mut self, verdict: Verdict) {
        if let Err(fault) = verdict {
            self.add(fault);
        }
    }

    /// Whether there is no point in looking for more.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.limit > 0 && self.errors >= self.limit
    }

    /// Whether any of the faults is so.
    pub(crate) fn any(&self, test: impl Fn(&Fault) -> bool) -> bool {
        self.faults.iter().any(test)
    }

    pub(crate) fn into_vec(self) -> Vec<Fault> {
        self.faults
    }
}
