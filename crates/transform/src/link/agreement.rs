//! What modules have to agree on before anything in them is compared: versions,
//! addressing and memory models, and the names of entry points.

use std::collections::BTreeMap;
use std::sync::Arc;

use spirvkit_analysis::requirements::Requirements;
use spirvkit_binary::{Section, Value};
use spirvkit_grammar::{AddressingModel, ExecutionModel, MemoryModel, Op, Version};

use super::Options;
use super::error::{ErrorLog, LinkError, LinkErrorKind, brief, list};
use super::program::{Part, Program};
use super::symbols::each_once;

/// Checks all of it, and returns the version of the result.
pub(super) fn check(program: &Program<'_>, options: &Options, errors: &mut ErrorLog) -> Version {
    check_models(program, errors);
    check_entry_points(program, errors);
    let versions = program.parts.iter().map(|part| {
        let version = part.module.header().version;
        (part.name, version)
    });
    let highest = versions.clone().map(|(_, version)| version).max();
    if !options.use_highest_version
        && let Some(error) = disagreement(LinkErrorKind::Version, "SPIR-V version", versions)
    {
        errors.push(error);
    }
    let highest = highest.unwrap_or(Version::V1_0);
    if options.use_highest_version {
        check_removals(program, highest, errors);
    }
    highest
}

/// Finds what the highest version among the modules no longer has.
fn check_removals(program: &Program<'_>, highest: Version, errors: &mut ErrorLog) {
    let version = |part: &Part<'_>| part.module.header().version;
    let Some(newest) = program.parts.iter().find(|part| version(part) == highest) else {
        return;
    };
    for part in program.parts.iter().filter(|part| version(part) < highest) {
        let requirements = Requirements::of(part.module.read());
        let mut needs = requirements.needs().iter();
        let is_lost = |last: Option<Version>| last.is_some_and(|last| last < highest);
        let Some(lost) = needs.find(|need| is_lost(need.until())) else {
            continue;
        };
        let message = format!(
            "`{}` uses {}, which SPIR-V {highest}, the version of `{}`, no longer has",
            part.name, lost.what, newest.name
        );
        let error = LinkError::new(LinkErrorKind::Removed, message);
        errors.push(error.in_modules([part.name, newest.name]));
    }
}

/// What is wrong if not all modules have the same of something.
fn disagreement<'a, T: Ord + std::fmt::Display>(
    kind: LinkErrorKind,
    what: &str,
    values: impl Iterator<Item = (&'a str, T)>,
) -> Option<LinkError> {
    let mut modules: BTreeMap<T, Vec<&str>> = BTreeMap::new();
    let mut all = Vec::new();
    for (module, value) in values {
        modules.entry(value).or_default().push(module);
        all.push(module);
    }
    if modules.len() < 2 {
        return None;
    }
    let each: Vec<String> = modules
        .iter()
        .map(|(value, modules)| format!("{value} in {}", list(modules.iter().copied())))
        .collect();
    let message = format!("the modules differ in their {what}: {}", each.join(", "));
    Some(LinkError::new(kind, message).in_modules(all))
}

fn check_models(program: &Program<'_>, errors: &mut ErrorLog) {
    let models = program.parts.iter().filter_map(|part| {
        let inst = *part.section(Section::MemoryModel).first()?;
        let words = part.module.get(inst).operand_words();
        match *words {
            [addressing, memory] => Some((part.name, addressing, memory)),
            _ => None,
        }
    });
    let addressing =
        (models.clone()).map(|(name, model, _)| (name, AddressingModel(model).to_string()));
    let memory = models.map(|(name, _, model)| (name, MemoryModel(model).to_string()));
    errors.extend(disagreement(
        LinkErrorKind::AddressingModel,
        "addressing model",
        addressing,
    ));
    errors.extend(disagreement(
        LinkErrorKind::MemoryModel,
        "memory model",
        memory,
    ));
}

/// Entry points of one execution model have different names (specification, section
/// 2.16.1).
fn check_entry_points(program: &Program<'_>, errors: &mut ErrorLog) {
    let mut known: BTreeMap<(u32, Vec<u8>), Vec<&str>> = BTreeMap::new();
    for part in &program.parts {
        for &inst in part.section(Section::EntryPoints) {
            if part.module.op(inst) != Op::EntryPoint {
                continue;
            }
            let mut operands = part.module.operands(inst).map_while(Result::ok);
            let name = operands.find_map(|operand| match operand.value {
                Value::String(name) => Some(name.bytes().collect()),
                _ => None,
            });
            if let (Some(model), Some(name)) = (part.id(inst, 1), name) {
                known.entry((model.0, name)).or_default().push(part.name);
            }
        }
    }
    for ((model, name), modules) in known {
        if modules.len() < 2 {
            continue;
        }
        let name: Arc<str> = String::from_utf8_lossy(&name).into();
        let model = ExecutionModel(model);
        let modules = each_once(modules.into_iter());
        let message = format!(
            "there is more than one entry point `{}` for {model}, in {}",
            brief(&name),
            list(modules.iter().copied())
        );
        errors.push(
            LinkError::new(LinkErrorKind::EntryPoint, message)
                .about(&name)
                .in_modules(modules),
        );
    }
}
