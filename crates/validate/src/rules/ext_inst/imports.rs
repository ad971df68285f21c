//! Imports of extended instruction sets: their names and versions.

use spirvkit_binary::{Definition, Id, Import};
use spirvkit_grammar::{ExtInstSet, Version};

use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::{Module, set_title};
use crate::rules::generated::ext_inst;

/// The first and the last version that a set may be imported in.
fn versions(set: ExtInstSet) -> Option<(u64, u64)> {
    match set {
        ExtInstSet::ClspvReflection => Some((1, 7)),
        ExtInstSet::ShaderDebugInfo => Some((100, u64::MAX)),
        ExtInstSet::GraphDebugInfo | ExtInstSet::ArmExperimentalMlOperations => Some((1, 1)),
        _ => None,
    }
}

/// The last version of `NonSemantic.Shader.DebugInfo` of which the instructions are
/// known; the grammar names no versions.
const LAST_DEBUG_INFO: u64 = 101;

/// Whether an import is of a version that is later than all known ones: what its
/// instructions are, only its own text tells.
pub(super) fn is_later(m: &Module<'_>, import: Id) -> bool {
    version(m, import, ExtInstSet::ShaderDebugInfo).is_some_and(|found| found > LAST_DEBUG_INFO)
}

/// The version at the end of the import's name; `None` if no number is there. A number
/// that is longer than any version is the largest there is: each instruction may ask.
pub(super) fn version(m: &Module<'_>, import: Id, set: ExtInstSet) -> Option<u64> {
    const MAX_DIGITS: usize = 20;
    let def = m.def(import)?;
    let name = def.args().iter().flat_map(|word| word.to_le_bytes());
    let name = name.take_while(|&byte| byte != 0);
    let mut version = None;
    for (place, byte) in name.skip(set.import_name().len()).enumerate() {
        if place == MAX_DIGITS {
            return Some(u64::MAX);
        }
        if !byte.is_ascii_digit() {
            return None;
        }
        let digit = u64::from(byte - b'0');
        let higher: u64 = version.unwrap_or(0);
        version = Some(higher.saturating_mul(10).saturating_add(digit));
    }
    version
}

pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let id = at.inst.result().unwrap_or(Id(0));
    let name = || {
        let name = at.inst.string(0).map(|name| name.to_text_lossy());
        name.unwrap_or_default()
    };
    let set = match m.definitions.get(id) {
        Definition::Import(Import::Known(set)) => Some(set),
        Definition::Import(Import::Unknown) => None,
        _ => return Ok(()),
    };
    let is_non_semantic = match set {
        Some(set) => set.is_non_semantic(),
        None => ExtInstSet::is_non_semantic_name(&name()),
    };
    if !is_non_semantic && set.is_none() {
        let message = format!("there is no extended instruction set \"{}\"", name());
        return Err(at.finding(&ext_inst::UNKNOWN_SET, message));
    }
    if is_non_semantic
        && m.version < Version::new(1, 6)
        && !m.has_extension("SPV_KHR_non_semantic_info")
    {
        let message = format!(
            "the import of \"{}\" needs the extension `SPV_KHR_non_semantic_info`",
            name()
        );
        let finding = at.finding(&ext_inst::NON_SEMANTIC, message);
        return Err(finding.help("declare the extension, or use SPIR-V 1.6"));
    }
    let Some((set, (first, last))) = set.and_then(|set| Some((set, versions(set)?))) else {
        return Ok(());
    };
    match version(m, id, set) {
        Some(version) if (first..=last).contains(&version) => Ok(()),
        Some(version) => {
            let message = format!(
                "`{}` has no version {version}: {}",
                set_title(set),
                match last {
                    u64::MAX => format!("its versions begin with {first}"),
                    _ if first == last => format!("its only version is {first}"),
                    _ => format!("its versions are {first} to {last}"),
                }
            );
            Err(at.finding(&ext_inst::SET_VERSION, message).arg(at, 0))
        }
        None => {
            let message = format!("the name \"{}\" must end with a version number", name());
            Err(at.finding(&ext_inst::SET_VERSION, message).arg(at, 0))
        }
    }
}
