//! The numbers of ids.

use std::hash::{Hash, Hasher};

use hashbrown::HashMap;
use spirvkit_binary::{Id, LiteralString};
use spirvkit_grammar::Op;
use spirvkit_ir::Module;
use spirvkit_transform::compact_ids;

use crate::pass::{Changed, Context, PassError};

pub(super) fn compact(
    module: &mut Module,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let before = module.store();
    let compacted = context.renumbering(module, compact_ids);
    compacted.map_err(|error| PassError::new(error.to_string()))?;
    Ok(Changed::if_any(usize::from(before != module.store())))
}

/// Where the numbers for declarations, names and values begin, and how many there are.
const DECLARATIONS: (u32, u32) = (8, 3011);
const NAMES: (u32, u32) = (3019, 20011);
const VALUES: (u32, u32) = (23_030, 19_071);

/// A hash that is the same everywhere.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.write(&word.to_le_bytes());
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn hash(what: &[u32]) -> u64 {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    what.iter().for_each(|&word| hasher.write_u32(word));
    hasher.finish()
}

/// Numbers that are free.
#[derive(Default)]
struct Free {
    /// A number behind each one that is taken, between which all are.
    next: HashMap<u32, u32>,
}

impl Free {
    /// Takes the first free number from one on.
    fn take(&mut self, from: u32) -> u32 {
        let mut number = from;
        while let Some(&next) = self.next.get(&number) {
            number = next;
        }
        let mut at = from;
        while let Some(next) = self.next.insert(at, number + 1) {
            at = next;
        }
        number
    }
}

/// Gives ids numbers that follow from what they stand for: equal declarations, names and
/// instructions have equal numbers in different modules, as far as these are free.
pub(super) fn canonicalize(
    module: &mut Module,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let before = module.store();
    let mut named: HashMap<Id, u64> = HashMap::new();
    for inst in module.globals() {
        if module.op(inst) == Op::Name
            && let [target, ref name @ ..] = *module.get(inst).operand_words()
            && let Some(name) = LiteralString::at_start_of(name)
        {
            let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
            name.to_text_lossy().hash(&mut hasher);
            named.entry(Id(target)).or_insert(hasher.finish());
        }
    }
    let mut numbers: HashMap<Id, u32> = HashMap::new();
    let mut free = Free::default();
    let mut give =
        |numbers: &mut HashMap<Id, u32>, id: Id, (first, count): (u32, u32), hash: u64| {
            let number = free.take(first + (hash % u64::from(count)) as u32);
            numbers.insert(id, number);
        };
    // The opcodes around a value tell where it is, even if what it is made of differs.
    let all: Vec<_> = module.instructions().collect();
    let ops: Vec<u32> = all.iter().map(|&inst| module.op(inst).0.into()).collect();
    for (place, &inst) in all.iter().enumerate() {
        let Some(id) = module.result(inst).filter(|id| !numbers.contains_key(id)) else {
            continue;
        };
        let op = module.op(inst);
        if let Some(&name) = named.get(&id) {
            give(&mut numbers, id, NAMES, name);
        } else if op.is_type() || op.is_constant() || op == Op::ExtInstImport {
            let mut words = module.get(inst).operand_words().to_vec();
            module.each_use(inst, |word, used| {
                if let Some(slot) = words.get_mut(word - 1) {
                    *slot = numbers.get(&used).copied().unwrap_or(0);
                }
            });
            if let Some(slot) = words.get_mut(usize::from(module.result_type(inst).is_some())) {
                *slot = 0;
            }
            words.push(op.0.into());
            give(&mut numbers, id, DECLARATIONS, hash(&words));
        } else {
            let around = &ops[place.saturating_sub(2)..(place + 3).min(ops.len())];
            give(&mut numbers, id, VALUES, hash(around));
        }
    }
    // What belongs to no instruction in the list, such as the results of lines.
    context.renumbering(module, |module| {
        module.renumber(|id| {
            if id.0 != 0 && !numbers.contains_key(&id) {
                give(&mut numbers, id, VALUES, 0);
            }
            numbers.get(&id).map_or(id, |&number| Id(number))
        })
    })?;
    Ok(Changed::if_any(usize::from(before != module.store())))
}
