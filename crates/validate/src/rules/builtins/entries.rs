//! The built-ins of an entry point's interface, taken together.

use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Decoration, Op, StorageClass};

use super::Seed;
use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::module::{EntryPoint, Lookup, Module};
use crate::rules::generated::builtin;

/// The built-ins of the module, sorted by what they decorate and then by number.
struct Sorted<'s> {
    seeds: Vec<&'s Seed>,
    /// The structures that have a built-in twice, with the second of them.
    repeating: Vec<(Id, BuiltIn)>,
}

impl<'s> Sorted<'s> {
    fn new(seeds: &'s [Seed]) -> Self {
        let mut sorted: Vec<&Seed> = seeds.iter().collect();
        sorted.sort_by_key(|seed| (seed.target, seed.built_in.0));
        let repeating = sorted
            .windows(2)
            .filter(|pair| pair[0].target == pair[1].target && pair[0].built_in == pair[1].built_in)
            .map(|pair| (pair[1].target, pair[1].built_in))
            .collect();
        Self {
            seeds: sorted,
            repeating,
        }
    }

    /// The first built-in of a variable or of a structure's members.
    fn first_of(&self, target: Id) -> Option<&'s Seed> {
        let start = self.seeds.partition_point(|seed| seed.target < target);
        let seed = self.seeds.get(start)?;
        (seed.target == target).then_some(*seed)
    }

    fn has(&self, target: Id, built_in: BuiltIn) -> bool {
        self.seeds
            .binary_search_by_key(&(target, built_in.0), |seed| (seed.target, seed.built_in.0))
            .is_ok()
    }

    fn repeated_in(&self, target: Id) -> Option<BuiltIn> {
        let start = self.repeating.partition_point(|entry| entry.0 < target);
        let entry = self.repeating.get(start)?;
        (entry.0 == target).then_some(entry.1)
    }
}

/// Checks all interfaces. Every entry point ends with its first finding.
pub(super) fn check(m: &Module<'_>, seeds: &[Seed], reporter: &mut Reporter) {
    let sorted = Sorted::new(seeds);
    for entry in &m.entry_points {
        if let Err(finding) = check_entry(m, &sorted, entry) {
            reporter.add(finding);
        }
    }
}

/// What one storage class of an interface has.
#[derive(Default)]
struct Half {
    /// The block with built-ins, and its variable.
    block: Option<(Id, Id)>,
    /// The variables that are built-ins themselves.
    variables: Vec<(u32, Id)>,
}

fn check_entry(m: &Module<'_>, sorted: &Sorted<'_>, entry: &EntryPoint<'_>) -> CheckResult {
    let mut found = Vec::new();
    let mut inputs = Half::default();
    let mut outputs = Half::default();
    for &variable in entry.interface {
        let variable = Id(variable);
        let Some(def) = m.def(variable).filter(|def| def.op() == Op::Variable) else {
            continue;
        };
        let (half, class) = match StorageClass(def.arg(0)) {
            class @ StorageClass::Input => (&mut inputs, class),
            class @ StorageClass::Output => (&mut outputs, class),
            _ => continue,
        };
        if let Some(seed) = sorted.first_of(variable) {
            if m.env.is_vulkan() {
                found.push(check_location(m, variable, seed.built_in));
            }
            half.variables.push((seed.built_in.0, variable));
        }
        let Some(pointee) = m.type_of(variable).and_then(|ty| m.pointee(ty)) else {
            continue;
        };
        if let Some(seed) = sorted.first_of(m.without_arrays(pointee))
            && m.env.is_vulkan()
        {
            found.push(check_location(m, variable, seed.built_in));
        }
        let Some(seed) = sorted.first_of(pointee).filter(|_| m.is_struct(pointee)) else {
            continue;
        };
        if let Some((block, first)) = half.block
            && first != variable
        {
            if m.env.is_vulkan() && (block == pointee || sorted.has(block, seed.built_in)) {
                found.push(check_repeated(m, seed.built_in, class, variable));
                continue;
            }
            let message = format!(
                "{} and {} are both blocks with built-ins in `{class}`, but an entry point can have only one",
                m.name(first),
                m.name(variable)
            );
            let finding = Finding::new(&builtin::ONE_BLOCK, m.def_offset(variable), message);
            found.push(Err(
                finding.at(entry.inst.offset(), "this entry point lists both")
            ));
            continue;
        }
        half.block = Some((pointee, variable));
    }
    if m.env.is_vulkan() {
        found.push(check_half(m, sorted, inputs, StorageClass::Input));
        found.push(check_half(m, sorted, outputs, StorageClass::Output));
    }
    all(found)
}

fn check_half(
    m: &Module<'_>,
    sorted: &Sorted<'_>,
    mut half: Half,
    class: StorageClass,
) -> CheckResult {
    let mut found = Vec::new();
    if let Some((block, variable)) = half.block {
        if let Some(built_in) = sorted.repeated_in(block) {
            found.push(check_repeated(m, built_in, class, variable));
        }
        for &(built_in, single) in &half.variables {
            if sorted.has(block, BuiltIn(built_in)) {
                let later = match m.def_offset(single) > m.def_offset(variable) {
                    true => single,
                    false => variable,
                };
                found.push(check_repeated(m, BuiltIn(built_in), class, later));
            }
        }
    }
    half.variables.sort_unstable();
    for pair in half.variables.windows(2) {
        if pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1 {
            found.push(check_repeated(m, BuiltIn(pair[0].0), class, pair[1].1));
        }
    }
    all(found)
}

/// The finding of a built-in that is there a second time, in Vulkan.
fn check_repeated(
    m: &Module<'_>,
    built_in: BuiltIn,
    class: StorageClass,
    variable: Id,
) -> CheckResult {
    if !m.env.is_vulkan() {
        return Ok(());
    }
    let vuid = match class {
        StorageClass::Input => "VUID-StandaloneSpirv-OpEntryPoint-09658",
        _ => "VUID-StandaloneSpirv-OpEntryPoint-09659",
    };
    let message = format!(
        "{} repeats the built-in `{built_in}`, which the entry point already has in `{class}`",
        m.name(variable)
    );
    Err(Finding::new(&builtin::REPEATED, m.def_offset(variable), message).vuid(vuid))
}

/// Checks that a variable that is or holds a built-in has no place of its own.
fn check_location(m: &Module<'_>, variable: Id, built_in: BuiltIn) -> CheckResult {
    let placed = m.own_decorations(variable).find(|decorated| {
        matches!(
            decorated.decoration,
            Decoration::Location | Decoration::Component
        )
    });
    let Some(placed) = placed else {
        return Ok(());
    };
    let message = format!(
        "{} is or holds the built-in `{built_in}`, so it can't have the decoration `{}`",
        m.name(variable),
        placed.decoration
    );
    Err(
        Finding::new(&builtin::LOCATION, m.def_offset(variable), message)
            .at(placed.inst.offset(), "it is decorated here"),
    )
}
