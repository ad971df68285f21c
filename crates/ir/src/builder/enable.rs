//! Declaring the capabilities and extensions that a module needs. What it needs is
//! worked out by [`spirvkit_analysis::requirements`].

use std::collections::BTreeSet;

use spirvkit_analysis::Capabilities;
use spirvkit_analysis::requirements::{Declared, Need, Requirements};
use spirvkit_binary::LiteralString;
use spirvkit_grammar::{Capability, Enumeration, ExtInstSet, Op, Version};

use super::error::BuildError;
use super::{BuildErrorKind, Builder};
use crate::handles::Inst;

/// What [`Builder::finish`] does about capabilities and extensions that the module uses
/// and doesn't declare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Enabling {
    /// Declares them. Where one of several will do, and none of them is declared or
    /// implied, the first is taken that suits the types in the module and its version.
    /// (Declare what you prefer yourself.)
    #[default]
    Declare,
    /// Declares them if they are among these, or implied by these, and reports the rest.
    AllowOnly {
        /// The capabilities that may be declared.
        capabilities: Vec<Capability>,
        /// The extensions that may be declared.
        extensions: Vec<String>,
    },
    /// Neither declares nor reports anything.
    Leave,
}

impl Builder {
    /// Decides what is done about capabilities and extensions.
    pub fn enabling(&mut self, enabling: Enabling) {
        self.enabling = enabling;
    }

    /// Declares what is needed and not declared, or tells that it can't be.
    pub(super) fn enable(&mut self) {
        let allowed = match std::mem::take(&mut self.enabling) {
            Enabling::Leave => return,
            Enabling::Declare => None,
            Enabling::AllowOnly {
                capabilities,
                extensions,
            } => Some((capabilities.into_iter().collect(), extensions)),
        };
        let insts: Vec<Inst> = self.module.instructions().collect();
        let requirements = Requirements::of(self.module.read());
        let declared = Declared::of(self.module.header().version, self.module.read());
        let mut chooser = Chooser {
            version: declared.version,
            capabilities: declared.all_capabilities(),
            extensions: declared.extensions,
            allowed,
            refused: BTreeSet::new(),
            refused_extensions: BTreeSet::new(),
        };
        let count = chooser.extensions.len();
        let mut errors = Vec::new();
        let needs = self.needs_of_made(&requirements, &insts);
        for capability in chooser.choose(&needs, &requirements, &mut errors) {
            self.capability(capability);
        }
        self.tell(&insts, &mut errors);
        // New capabilities may need an extension themselves.
        let own: Vec<Inst> = self.capabilities().collect();
        let of_own = Requirements::of(own.iter().map(|&inst| self.module.get(inst)));
        for (insts, requirements) in [(&own, &of_own), (&insts, &requirements)] {
            for need in self.needs_of_made(requirements, insts) {
                let kind = chooser.release(need);
                errors.extend(kind.map(|kind| (need.instruction, kind)));
            }
            self.tell(insts, &mut errors);
        }
        self.extend_for_sets(&mut chooser);
        for name in chooser.extensions.split_off(count) {
            self.extension(&name);
        }
    }

    /// What these instructions need, as far as they were made here: what others lack was not
    /// there before.
    fn needs_of_made<'r>(&self, requirements: &'r Requirements, insts: &[Inst]) -> Vec<&'r Need> {
        let is_made = |need: &&Need| {
            let inst = insts.get(need.instruction);
            inst.is_some_and(|inst| inst.index() >= self.since)
        };
        requirements.needs().iter().filter(is_made).collect()
    }

    /// The extensions that bring imported sets.
    fn extend_for_sets(&mut self, chooser: &mut Chooser) {
        let imports = self.module.globals();
        let imports: Vec<Inst> = imports
            .filter(|&inst| self.module.op(inst) == Op::ExtInstImport)
            .filter(|inst| inst.index() >= self.since)
            .collect();
        for inst in imports {
            let words = self.module.get(inst).words();
            let name = words.get(2..).and_then(LiteralString::at_start_of);
            let name = name.map(LiteralString::to_text_lossy).unwrap_or_default();
            let is_new = chooser.version < Version::V1_6;
            let extension = match name.as_str() {
                name if name.starts_with("SPV_") => name,
                name if is_new && ExtInstSet::is_non_semantic_name(name) => NON_SEMANTIC,
                _ => continue,
            };
            if let Err(any_of) = chooser.extend(&[extension]) {
                let what = format!("the instruction set {name}");
                self.error(
                    Op::ExtInstImport,
                    BuildErrorKind::Extension { what, any_of },
                );
            }
        }
    }

    fn capabilities(&self) -> impl Iterator<Item = Inst> + '_ {
        let insts = self.capabilities_and_extensions();
        insts.filter(|&inst| self.module.op(inst) == Op::Capability)
    }

    /// What a module declares comes first in it.
    pub(super) fn capabilities_and_extensions(&self) -> impl Iterator<Item = Inst> + '_ {
        let insts = self.module.globals();
        let is_declared =
            |inst: &Inst| matches!(self.module.op(*inst), Op::Capability | Op::Extension);
        insts.take_while(is_declared)
    }

    /// Notes what couldn't be declared, and the instructions that need it.
    fn tell(&mut self, insts: &[Inst], errors: &mut Vec<(usize, BuildErrorKind)>) {
        for (instruction, kind) in errors.drain(..) {
            let inst = insts.get(instruction).copied();
            let op = inst.map_or(Op::Nop, |inst| self.module.op(inst));
            let function = inst.and_then(|inst| self.module.function_of(inst));
            let function = function.map(|function| self.function_id(function));
            self.errors.push(BuildError::new(op, function, kind));
        }
    }
}

/// The extension that has all sets of non-semantic instructions.
const NON_SEMANTIC: &str = "SPV_KHR_non_semantic_info";

/// Chooses what is to be declared.
struct Chooser {
    version: Version,
    /// What is declared, implied, or chosen.
    capabilities: Capabilities,
    extensions: Vec<String>,
    /// What may be declared, if not all may.
    allowed: Option<(Capabilities, Vec<String>)>,
    /// What can't be declared: reported where it is missed first.
    refused: BTreeSet<Capability>,
    refused_extensions: BTreeSet<String>,
}

impl Chooser {
    /// The capabilities to be declared, of which none implies another, and what can't be
    /// met by any, with the number of the instruction.
    fn choose(
        &mut self,
        needs: &[&Need],
        requirements: &Requirements,
        errors: &mut Vec<(usize, BuildErrorKind)>,
    ) -> Vec<Capability> {
        // Where there is a choice, what has been chosen without one may decide it.
        let (single, several): (Vec<&Need>, Vec<&Need>) =
            needs.iter().partition(|need| need.capabilities.len() == 1);
        let mut chosen = Vec::new();
        for need in single.into_iter().chain(several) {
            let has_extension = |name: &str| self.extensions.iter().any(|each| each == name);
            if need.is_enabled(&self.capabilities, has_extension) {
                continue;
            }
            match self.best_of(need.capabilities, requirements) {
                Some(capability) => {
                    self.capabilities.add(capability);
                    chosen.push(capability);
                }
                None if need
                    .capabilities
                    .iter()
                    .all(|each| self.refused.contains(each)) => {}
                None => {
                    self.refused.extend(need.capabilities);
                    let kind = BuildErrorKind::Capability {
                        what: need.what.to_string(),
                        any_of: need.capabilities.to_vec(),
                    };
                    errors.push((need.instruction, kind));
                }
            }
        }
        let implied: Capabilities = chosen
            .iter()
            .filter_map(|capability| capability.info())
            .flat_map(|info| info.availability().capabilities().iter().copied())
            .collect();
        chosen.retain(|&capability| !implied.contains(capability));
        chosen
    }

    /// The first that may be declared; better one that the version has, and among these
    /// one that goes with the types in the module.
    fn best_of(&self, any_of: &[Capability], requirements: &Requirements) -> Option<Capability> {
        let is_allowed = |capability: Capability| {
            let allowed = self.allowed.as_ref();
            allowed.is_none_or(|(capabilities, _)| capabilities.contains(capability))
        };
        let can_be_had = |capability: Capability| {
            capability.info().is_some_and(|info| {
                let availability = info.availability();
                availability.extensions().len() > 0
                    || availability
                        .since()
                        .is_some_and(|since| since <= self.version)
            })
        };
        let candidates = any_of.iter().copied().filter(|&each| is_allowed(each));
        // Of equals, this gives the first.
        candidates.min_by_key(|&each| (!can_be_had(each), !requirements.may_rest_on(each)))
    }

    /// Sees to it that the version or an extension has something; tells if it can't.
    fn release(&mut self, need: &Need) -> Option<BuildErrorKind> {
        let has_extension = |name: &str| self.extensions.iter().any(|each| each == name);
        if need.is_released(self.version, has_extension) {
            return None;
        }
        let what = need.what.to_string();
        let is_gone = need.until().is_some_and(|until| until < self.version);
        let extensions: Vec<&str> = need.extensions().into_iter().flatten().collect();
        if is_gone || extensions.is_empty() {
            return Some(BuildErrorKind::Version {
                what,
                since: need.since(),
                until: need.until(),
            });
        }
        let any_of = self.extend(&extensions).err()?;
        Some(BuildErrorKind::Extension { what, any_of })
    }

    /// Adds the first of these extensions that may be declared, if none is; gives them
    /// back if that is none, and it hasn't been reported.
    fn extend(&mut self, any_of: &[&str]) -> Result<(), Vec<String>> {
        if any_of
            .iter()
            .any(|&name| self.extensions.iter().any(|each| each == name))
        {
            return Ok(());
        }
        let is_allowed = |name: &str| {
            let allowed = self.allowed.as_ref();
            allowed.is_none_or(|(_, extensions)| extensions.iter().any(|each| each == name))
        };
        match any_of.iter().find(|name| is_allowed(name)) {
            Some(&name) => {
                self.extensions.push(name.to_owned());
                Ok(())
            }
            None if any_of
                .iter()
                .all(|&name| self.refused_extensions.contains(name)) =>
            {
                Ok(())
            }
            None => {
                let names: Vec<String> = any_of.iter().map(|&name| name.to_owned()).collect();
                self.refused_extensions.extend(names.iter().cloned());
                Err(names)
            }
        }
    }
}
