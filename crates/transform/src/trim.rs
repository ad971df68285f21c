//! Removing what a module declares and doesn't need: capabilities and extensions.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use spirvkit_analysis::Capabilities;
use spirvkit_analysis::requirements::{Declared, Need, Requirements};
use spirvkit_binary::LiteralString;
use spirvkit_grammar::{
    Availability, Capability, EnumerantInfo, ExtInstSet, InstructionInfo, Op, OperandKind,
};
use spirvkit_ir::{Inst, Module};

/// Extensions that are there for instruction sets, by how the names of those begin. An
/// extension that is called as a set is is there for that.
const FOR_SETS: &[(&str, &str)] = &[("NonSemantic.", "SPV_KHR_non_semantic_info")];

/// All extensions that the grammar says anything of. Only such an extension can be
/// seen to be without use; others may relax rules without a trace.
static VISIBLE: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let core = Op::all().iter();
    let extended = ExtInstSet::all().flat_map(ExtInstSet::instructions);
    let instructions = core.chain(extended).map(InstructionInfo::availability);
    let enumerants = OperandKind::all().flat_map(OperandKind::enumerants);
    let all = instructions.chain(enumerants.map(EnumerantInfo::availability));
    let visible = all.flat_map(Availability::extensions);
    visible
        .chain(FOR_SETS.iter().map(|&(_, name)| name))
        .collect()
});

/// What every module of its sort declares, so that people and programs look for it.
const BASE: [Capability; 3] = [Capability::Shader, Capability::Kernel, Capability::Matrix];

spirvkit_binary::options! {
    /// What [`trim_capabilities`] removes in addition.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Trim {
        /// `Shader`, `Kernel` and `Matrix`, too, if nothing needs them or another capability
        /// implies them. By default they stay where they are declared, because they say what
        /// kind of module it is.
        pub base: bool = false,
    }
}

/// Removes every `OpCapability` and `OpExtension` that the rest of the module doesn't need,
/// and repeated ones (specification, sections 2.16.1, 3.31 and 3.32.1). Returns the number of
/// removed instructions.
///
/// [`Requirements`](spirvkit_analysis::requirements::Requirements) decides what is needed:
/// where only the text of the specification says what depends on a capability, it is kept
/// when in doubt, as are extensions and capabilities that the grammar doesn't know. A
/// capability that another one implies is removed, and of several that would suffice, the
/// first stays.
///
/// ```
/// use spirvkit_ir::Module;
/// use spirvkit_transform::{Trim, trim_capabilities};
///
/// # let words = spirvkit_text::assemble(
/// #     "OpCapability Shader\nOpCapability Matrix\nOpCapability Linkage\nOpCapability Float64\nOpMemoryModel Logical GLSL450\n",
/// #     &Default::default()).unwrap().words;
/// let mut module = Module::load(&words)?; // with Shader, Matrix, Linkage and Float64
/// assert_eq!(trim_capabilities(&mut module, &Trim::default()), 1); // Float64
/// assert_eq!(trim_capabilities(&mut module, &Trim::default().base(true)), 1); // Matrix
/// # Ok::<(), spirvkit_binary::Error>(())
/// ```
pub fn trim_capabilities(module: &mut Module, options: &Trim) -> usize {
    let before = module.globals().count();
    let declared = Declared::of(module.header().version, module.read());
    let unneeded = Requirements::of(module.read()).unneeded(&declared);
    let goes = |capability: &Capability| options.base || !BASE.contains(capability);
    let unneeded: BTreeSet<Capability> = unneeded.into_iter().filter(goes).collect();
    let mut seen = BTreeSet::new();
    remove(module, Op::Capability, |operands| {
        let capability = operands.first().copied().map(Capability);
        capability.is_some_and(|it| unneeded.contains(&it) || !seen.insert(it))
    });
    // What the capabilities needed that are gone now is needed no longer.
    let unneeded = unneeded_extensions(module);
    let mut seen = BTreeSet::new();
    remove(module, Op::Extension, |operands| {
        let name = LiteralString::at_start_of(operands).map(LiteralString::to_text_lossy);
        name.is_some_and(|name| unneeded.contains(&name) || !seen.insert(name))
    });
    before - module.globals().count()
}

/// Removes the instructions of an opcode whose operands are such.
fn remove(module: &mut Module, op: Op, mut is_unneeded: impl FnMut(&[u32]) -> bool) {
    let found: Vec<Inst> = module
        .globals()
        .filter(|&inst| module.op(inst) == op && is_unneeded(module.get(inst).operand_words()))
        .collect();
    for inst in found {
        // It is there, and begins or ends nothing.
        let _ = module.remove(inst);
    }
}

/// The extensions that can all be left out.
fn unneeded_extensions(module: &Module) -> BTreeSet<String> {
    let declared = Declared::of(module.header().version, module.read());
    let requirements = Requirements::of(module.read());
    let capabilities = declared.all_capabilities();
    let mut kept: BTreeSet<&str> = declared.extensions.iter().map(String::as_str).collect();
    let is_met = |need: &Need, kept: &BTreeSet<&str>| {
        is_met(need, &declared, &capabilities, |name| kept.contains(name))
    };
    // What isn't met anyway keeps nothing.
    let needs = requirements.needs().iter();
    let needs: Vec<&Need> = needs.filter(|need| is_met(need, &kept)).collect();
    let sets = imported_sets(module);
    // Of two that would do, the first stays.
    let candidates = declared.extensions.iter().rev().map(String::as_str);
    let candidates: Vec<&str> = candidates
        .filter(|name| VISIBLE.contains(name) || ExtInstSet::from_import_name(name).is_some())
        .filter(|name| !sets.iter().any(|set| is_for_set(name, set)))
        .collect();
    let mut unneeded = BTreeSet::new();
    for name in candidates {
        if !kept.remove(name) {
            continue;
        }
        match needs.iter().all(|need| is_met(need, &kept)) {
            true => drop(unneeded.insert(name.to_owned())),
            false => drop(kept.insert(name)),
        }
    }
    unneeded
}

fn is_met(
    need: &Need,
    declared: &Declared,
    capabilities: &Capabilities,
    has_extension: impl Fn(&str) -> bool,
) -> bool {
    need.is_enabled(capabilities, &has_extension)
        && need.is_released(declared.version, &has_extension)
}

fn is_for_set(extension: &str, set: &str) -> bool {
    let by_table = FOR_SETS
        .iter()
        .any(|&(prefix, name)| name == extension && set.starts_with(prefix));
    by_table || set == extension
}

/// The names of the imported instruction sets.
fn imported_sets(module: &Module) -> BTreeSet<String> {
    let imports = module
        .globals()
        .filter(|&inst| module.op(inst) == Op::ExtInstImport);
    let names = imports.filter_map(|inst| {
        let words = module.get(inst).operand_words().get(1..)?;
        Some(LiteralString::at_start_of(words)?.to_text_lossy())
    });
    names.collect()
}
