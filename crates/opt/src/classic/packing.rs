//! Offsets of members.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use spirvkit_analysis::ModuleIndex;
use spirvkit_analysis::layout::{Extent, Layouts, NoLayout, Rules, Types};
use spirvkit_binary::{Id, LiteralString, Section};
use spirvkit_grammar::{Decoration, Op};
use spirvkit_ir::{Inst, Module, Place};

use super::{decorations, of_op};
use crate::pass::{Changed, Context, PassError};

/// The rules that are known here, by the names that `spirv-opt` has for them.
const RULES: [(&str, Rules); 3] = [
    ("std140", Rules::Std140),
    ("std430", Rules::Std430),
    ("scalar", Rules::Scalar),
];

fn parse(argument: &str) -> Result<(&str, Rules), String> {
    let (name, rule) = (argument.split_once(':'))
        .ok_or_else(|| format!("`{argument}` is not of the form NAME:RULE"))?;
    let known = RULES.iter().find(|(known, _)| *known == rule);
    let (_, rules) = known.ok_or_else(|| {
        format!("`{rule}` is none of std140, std430 and scalar, which are all that is known here")
    })?;
    Ok((name, *rules))
}

pub(super) fn check(argument: &str) -> Result<(), String> {
    parse(argument).map(drop)
}

/// A decoration with a number that tells where something lies: its target, the member if it is about
/// one, and what it is.
type Key = (Id, Option<u32>, Decoration);

/// Gives the members of the structures of a name the offsets that rules give them, and the arrays,
/// matrices and structures in them the strides and offsets by the same rules.
pub(super) fn pack(
    module: &mut Module,
    argument: &str,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let (name, rules) = parse(argument).map_err(PassError::new)?;
    let named = |inst: Inst| {
        let words = module.get(inst).operand_words();
        let (&target, text) = words.split_first()?;
        let is_it = LiteralString::at_start_of(text)?.to_text_lossy() == name;
        let ty = module.definition(Id(target))?;
        (is_it && module.op(ty) == Op::TypeStruct).then_some(Id(target))
    };
    let structures: Vec<Id> = of_op(module, Op::Name)
        .into_iter()
        .filter_map(named)
        .collect();
    if structures.is_empty() {
        return Err(PassError::new(format!("there is no structure `{name}`")));
    }
    let flattened = decorations::flatten(module, context)?;
    let words = module.store();
    let index = ModuleIndex::new(&words).map_err(|error| PassError::new(error.to_string()))?;
    let types = Types::of(&index);
    let layouts = types.lay_out(rules);
    let wanted = wanted(&types, &layouts, structures.iter().copied())
        .map_err(|what| PassError::new(format!("{what} of `{name}` can't be laid out")))?;
    let declared = declared(module);
    let changes: Vec<(Key, u32)> = (wanted.iter())
        .filter(|(key, number)| declared.get(*key).is_none_or(|it| it.1 != **number))
        .map(|(&key, &number)| (key, number))
        .collect();
    let known: BTreeSet<Id> = wanted.keys().map(|key| key.0).collect();
    let laid_out: HashSet<Id> = (declared.keys())
        .filter(|key| matches!(key.2, Decoration::Offset | Decoration::ArrayStride))
        .map(|key| key.0)
        .collect();
    for &((ty, ..), _) in &changes {
        // What lies behind it there would have to move.
        let is_elsewhere = module.uses(ty).any(|found| {
            let holds = matches!(
                module.op(found.inst),
                Op::TypeStruct | Op::TypeArray | Op::TypeRuntimeArray
            );
            let holder = module.result(found.inst).filter(|_| holds);
            holder.is_some_and(|holder| laid_out.contains(&holder) && !known.contains(&holder))
        });
        if is_elsewhere {
            return Err(PassError::new(format!(
                "the type {ty} of `{name}` would have to be laid out anew, but it is also in another type"
            )));
        }
    }
    for &((target, member, decoration), number) in &changes {
        let (op, mut operands) = match member {
            Some(member) => (Op::MemberDecorate, vec![target.0, member]),
            None => (Op::Decorate, vec![target.0]),
        };
        operands.extend([decoration.0, number]);
        match declared.get(&(target, member, decoration)) {
            Some(&(inst, _)) => module.replace(inst, op, &operands)?,
            None => drop(module.insert(Place::Section(Section::Annotations), op, &operands)?),
        }
    }
    Ok(flattened.or(Changed::if_any(changes.len())))
}

/// What is to be declared of structures and all that is in them; or what can't be laid out.
fn wanted(
    types: &Types<'_>,
    layouts: &Layouts,
    structures: impl Iterator<Item = Id>,
) -> Result<BTreeMap<Key, u32>, String> {
    let number = |extent: Result<Extent, NoLayout>| {
        let known = extent.ok().and_then(Extent::known);
        known.and_then(|known| u32::try_from(known).ok())
    };
    let mut wanted: BTreeMap<Key, u32> = BTreeMap::new();
    let mut work: Vec<Id> = structures.collect();
    let mut seen: HashSet<Id> = work.iter().copied().collect();
    while let Some(structure) = work.pop() {
        for (place, member) in (0..).zip(layouts.members(structure)) {
            let wrong = || format!("member {place} of {structure}, which is part");
            let offset = number(member.offset).ok_or_else(wrong)?;
            wanted.insert((structure, Some(place), Decoration::Offset), offset);
            if let Ok(layout) = member.layout
                && let Some(matrix) = layout.matrix
            {
                let stride = number(Ok(matrix.stride)).ok_or_else(wrong)?;
                wanted.insert((structure, Some(place), Decoration::MatrixStride), stride);
            }
            for (array, stride) in types.array_strides(member, layouts) {
                let stride = number(stride).ok_or_else(wrong)?;
                let key = (array, None, Decoration::ArrayStride);
                if wanted
                    .insert(key, stride)
                    .is_some_and(|other| other != stride)
                {
                    return Err(format!("the array {array}, which is to have two strides,"));
                }
            }
            work.extend(
                layouts
                    .structure_in(member.ty)
                    .filter(|&it| seen.insert(it)),
            );
        }
    }
    Ok(wanted)
}

/// The decorations of a module that tell where something lies, and their numbers.
fn declared(module: &Module) -> HashMap<Key, (Inst, u32)> {
    let read = |inst: Inst| {
        let words = module.get(inst).operand_words();
        match (module.op(inst), words) {
            (Op::Decorate, &[target, decoration, number]) => {
                Some(((Id(target), None, Decoration(decoration)), (inst, number)))
            }
            (Op::MemberDecorate, &[target, member, decoration, number]) => {
                let key = (Id(target), Some(member), Decoration(decoration));
                Some((key, (inst, number)))
            }
            _ => None,
        }
    };
    module.globals().filter_map(read).collect()
}
