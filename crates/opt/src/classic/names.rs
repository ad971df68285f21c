//! What is declared twice.

use hashbrown::{HashMap, HashSet};
use spirvkit_binary::Id;
use spirvkit_grammar::Op;
use spirvkit_ir::{About, Inst, Module};

use crate::pass::{Changed, Context, PassError};

/// Whether something declares what is the same wherever it is declared.
fn is_declaration(op: Op) -> bool {
    matches!(op, Op::Capability | Op::Extension) || op.is_decoration() && op != Op::DecorationGroup
}

/// Removes what is declared twice. Types are the same only if their names and decorations are, too.
pub(super) fn remove_duplicates(
    module: &mut Module,
    _: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let mut count = 0;
    let mut seen: HashSet<(Op, Vec<u32>)> = HashSet::new();
    let globals: Vec<Inst> = module.globals().collect();
    for &inst in &globals {
        let op = module.op(inst);
        if is_declaration(op) && !seen.insert((op, module.get(inst).operand_words().to_vec())) {
            module.remove(inst)?;
            count += 1;
        }
    }
    // A copy between types that become one wouldn't be a logical one any more.
    let copies = |inst: Inst| module.op(inst) == Op::CopyLogical;
    let has_copies = module.instructions().any(copies);
    let mut first: HashMap<(Op, Vec<u32>, Vec<Said>), Id> = HashMap::new();
    for &inst in &globals {
        let op = module.op(inst);
        let is_mergeable = op == Op::ExtInstImport
            || op.is_type()
                && !matches!(op, Op::TypeForwardPointer | Op::TypeOpaque)
                && !(has_copies && matches!(op, Op::TypeStruct | Op::TypeArray));
        let Some(id) = module.result(inst).filter(|_| is_mergeable) else {
            continue;
        };
        let mut words = module.get(inst).operand_words().to_vec();
        // Literals that happen to be the number of the result stay.
        words.remove(usize::from(module.result_type(inst).is_some()));
        let key = (op, words, said_of(module, inst));
        if let Some(&same) = first.get(&key) {
            module.replace_with(inst, same)?;
            count += 1;
        } else {
            first.insert(key, id);
        }
    }
    Ok(Changed::if_any(count))
}

/// What a name or decoration says: its opcode and its operands without the target.
type Said = (Op, Vec<u32>);

fn said_of(module: &Module, inst: Inst) -> Vec<Said> {
    let about = module.uses_of(inst).filter(|&found| module.is_about(found));
    let mut said: Vec<Said> = about
        .map(|found| {
            let op = module.op(found.inst);
            let words = module.get(found.inst).operand_words();
            let group = words.get(..1).unwrap_or_default();
            let words = match About::of(op) {
                // The group, and the member, unless that is cut off.
                Some(About::Group(2)) => [
                    group,
                    words.get(found.word..=found.word).unwrap_or_default(),
                ]
                .concat(),
                Some(About::Group(_)) => group.to_vec(),
                _ => words.get(1..).unwrap_or_default().to_vec(),
            };
            (op, words)
        })
        .collect();
    said.sort_unstable_by(|a, b| (a.0.0, &a.1).cmp(&(b.0.0, &b.1)));
    said
}
