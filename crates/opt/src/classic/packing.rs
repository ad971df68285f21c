//! Offsets of members.

use spirvkit_analysis::ModuleIndex;
use spirvkit_analysis::layout::{Rules, Types};
use spirvkit_binary::{Id, LiteralString, Section};
use spirvkit_grammar::{Decoration, Op};
use spirvkit_ir::{Inst, Module, Place};

use super::of_op;
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

/// Gives the members of the structures of a name the offsets that rules give them.
pub(super) fn pack(
    module: &mut Module,
    argument: &str,
    _: &mut Context<'_>,
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
    let words = module.store();
    let index = ModuleIndex::new(&words).map_err(|error| PassError::new(error.to_string()))?;
    let types = Types::of(&index);
    let layouts = types.lay_out(rules);
    let mut count = 0;
    for structure in structures {
        for (number, member) in (0..).zip(layouts.members(structure)) {
            let offset = member.offset.ok().and_then(|offset| offset.known());
            let offset = offset.and_then(|offset| u32::try_from(offset).ok());
            let Some(offset) = offset else {
                let message = format!("member {number} of `{name}` can't be laid out");
                return Err(PassError::new(message));
            };
            count += usize::from(set_offset(module, structure, number, offset)?);
        }
    }
    Ok(Changed::if_any(count))
}

fn set_offset(
    module: &mut Module,
    structure: Id,
    member: u32,
    offset: u32,
) -> Result<bool, PassError> {
    let start = [structure.0, member, Decoration::Offset.0];
    let old = of_op(module, Op::MemberDecorate)
        .into_iter()
        .find(|&inst| module.get(inst).operand_words().starts_with(&start));
    match old {
        Some(inst) if module.get(inst).operand_words().get(3) == Some(&offset) => Ok(false),
        Some(inst) => {
            module.set_word(inst, 4, offset)?;
            Ok(true)
        }
        None => {
            let operands = [&start[..], &[offset]].concat();
            let place = Place::Section(Section::Annotations);
            module.insert(place, Op::MemberDecorate, &operands)?;
            Ok(true)
        }
    }
}
