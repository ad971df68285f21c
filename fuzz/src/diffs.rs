//! Differences between modules, whatever these are, and modules that mean the same.

use std::collections::{BTreeMap, BTreeSet};

use spirvkit::analysis::DominatorTree;
use spirvkit::analysis::control_flow::functions;
use spirvkit::binary::{HEADER_WORDS, Id, Instruction, LiteralString, Section, WordOffset};
use spirvkit::diff::{Change, Diff, Line, Options, PartKind, Side, diff};
use spirvkit::grammar::Op;
use spirvkit::ir::{Inst, Module};
use spirvkit::words_from_bytes;

use crate::{RECIPE, mutate};

/// A module follows a recipe of [`RECIPE`] bytes for changes to it. See
/// [`compare_words`].
pub fn compared_modules(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok((words, _)) = words_from_bytes(module) {
        compare_words(&words, recipe);
    }
}

/// The differences of a module and a changed one lead from each to the other, and
/// nothing differs from itself, as long as instructions decode, define an id once, and
/// use what is defined.
pub fn compare_words(words: &[u32], recipe: &[u8]) {
    let changed = mutate(words, recipe);
    let options = Options::default();
    verify_diff(words, &changed, &options);
    verify_diff(&changed, words, &options);
    let diff = verify_diff(&changed, &changed, &options);
    if let Some(diff) = diff.filter(|_| is_regular(&changed)) {
        let text = diff.to_text(&Default::default());
        assert!(diff.is_empty(), "differs from itself:\n{text}");
    }
}

/// Whether all instructions of a module decode, none defines what another does, and each
/// id that is used is defined: nothing but its uses tells an undefined id from others.
fn is_regular(words: &[u32]) -> bool {
    let mut seen = BTreeSet::new();
    let module = Module::load(words);
    module.is_ok_and(|module| {
        module.instructions().all(|inst| {
            let is_first = module.result(inst).is_none_or(|id| seen.insert(id));
            let decodes = module.operands(inst).all(|operand| operand.is_ok());
            let mut uses_defined = true;
            module.get(inst).each_use(module.definitions(), |_, id| {
                uses_defined &= module.definition(id).is_some();
            });
            is_first && decodes && uses_defined && !module.is_opaque(inst)
        })
    })
}

/// Compares two modules and checks the result: what both have and what is removed
/// makes the first, what both have and what is added the second, and what both have is
/// the same under a map of ids that is one to one. `None` if one is no module.
pub fn verify_diff(a: &[u32], b: &[u32], options: &Options) -> Option<Diff> {
    let (a, b) = (Module::load(a).ok()?, Module::load(b).ok()?);
    let found = diff(&a, &b, options);
    let to_b: BTreeMap<Id, Id> = found.id_pairs().iter().copied().collect();
    let images: BTreeSet<Id> = to_b.values().copied().collect();
    assert_eq!(to_b.len(), found.id_pairs().len(), "an id has two partners");
    assert_eq!(images.len(), to_b.len(), "two ids have one partner");
    for line in found.parts().iter().flat_map(|part| &part.lines) {
        if line.change() != Change::Same {
            continue;
        }
        let of_a = found.instruction(*line, Side::A).expect("both have it");
        let of_b = found.instruction(*line, Side::B).expect("both have it");
        let translated = translate(&a, &of_a, |id| to_b.get(&id).copied());
        let translated = translated.expect("an id has no partner");
        assert_eq!(
            free_sorted(&b, translated),
            free_sorted(&b, of_b.words().to_vec()),
            "an instruction is not the same"
        );
    }
    let removed = applied(&a, &found, Side::A, Change::Removed);
    assert_eq!(removed, meaning(&a), "it does not lead to the first");
    let added = applied(&b, &found, Side::B, Change::Added);
    assert_eq!(added, meaning(&b), "it does not lead to the second");
    let _ = (
        found.to_text(&Default::default()),
        found.to_json(["a", "b"], true),
    );
    Some(found)
}

/// An instruction's words with other ids; `None` if one has none.
fn translate(
    module: &Module,
    instruction: &Instruction<'_>,
    new: impl Fn(Id) -> Option<Id>,
) -> Option<Vec<u32>> {
    let mut words = instruction.words().to_vec();
    let mut places = Vec::new();
    instruction.each_use(module.definitions(), |word, id| places.push((word, id)));
    if let Some(result) = instruction.result() {
        places.push((1 + usize::from(instruction.result_type().is_some()), result));
    }
    for (word, id) in places {
        words[word] = new(id)?.0;
    }
    Some(words)
}

/// The words of an instruction with operands whose order carries nothing in a fixed
/// one.
fn free_sorted(module: &Module, mut words: Vec<u32>) -> Vec<u32> {
    let op = Op(words[0] as u16);
    let (start, size) = match op {
        Op::EntryPoint => {
            let name = words.get(3..).and_then(LiteralString::at_start_of);
            (3 + name.map_or(words.len(), |name| name.words().len()), 1)
        }
        Op::Phi => (3, 2),
        Op::GroupDecorate => (2, 1),
        Op::GroupMemberDecorate => (2, 2),
        Op::Switch => {
            let selector = words.get(1).map(|&id| Id(id));
            let ty = selector.and_then(|selector| module.definitions().selector_type(selector));
            (3, 1 + ty.map_or(words.len(), |ty| ty.words()))
        }
        _ => return words,
    };
    let key = if op == Op::Switch { size - 1 } else { size };
    if start < words.len() && (words.len() - start).is_multiple_of(size) {
        let mut chunks: Vec<Vec<u32>> = words[start..].chunks(size).map(<[u32]>::to_vec).collect();
        chunks.sort_by(|a, b| a[..key].cmp(&b[..key]));
        words.splice(start.., chunks.concat());
    }
    words
}

/// Everything a module says, in a form that doesn't depend on what carries nothing.
type Meaning = (Vec<Vec<Said>>, Vec<Body>);
/// A function: what stands before its blocks, the first block, and the others.
type Body = (Vec<Said>, Vec<Said>, Vec<Vec<Said>>);
/// An instruction and its line.
type Said = [Vec<u32>; 2];

/// How many lists of declarations there are: one a section, but two of sources.
const LISTS: usize = Section::ALL.len() + 1;

/// The list for a section or a string, or whatever stands where it should not.
fn list_of(op: Op, after_functions: bool) -> usize {
    match op.info().and_then(|info| Section::of(op, info)) {
        _ if after_functions => Section::Graphs as usize,
        Some(Section::Sources) if op == Op::String => LISTS - 1,
        Some(section) => section as usize,
        None => Section::Graphs as usize,
    }
}

/// Brings declarations into a fixed order where theirs carries nothing. Lines of
/// declarations are identified by the ids that these define, so they don't count where an id is
/// defined twice.
fn sort_lists(module: &Module, lists: &mut [Vec<Said>]) {
    let mut seen = BTreeSet::new();
    let mut results = module.instructions().filter_map(|inst| module.result(inst));
    if !results.all(|id| seen.insert(id)) {
        let said = lists.iter_mut().flatten();
        said.for_each(|[_, line]| line.clear());
    }
    let ordered = [Section::Sources, Section::Processed, Section::Graphs];
    for (index, list) in lists.iter_mut().enumerate() {
        if !ordered.iter().any(|&section| section as usize == index) {
            list.sort();
        }
    }
}

fn meaning(module: &Module) -> Meaning {
    let mut lists = vec![Vec::new(); LISTS];
    let mut after_functions = false;
    for inst in module.instructions() {
        after_functions |= module.op(inst) == Op::Function;
        if module.function_of(inst).is_some() || module.is_place(inst) {
            continue;
        }
        let list = list_of(module.op(inst), after_functions);
        let line = module.line(inst);
        let line = line.map(|line| module.get(line).words().to_vec());
        let words = free_sorted(module, module.get(inst).words().to_vec());
        lists[list].push([words, line.unwrap_or_default()]);
    }
    sort_lists(module, &mut lists);
    let places = places(module);
    let mut bodies: Vec<Body> = module
        .functions()
        .map(|function| {
            let definition = module.function_definition(function);
            let line = definition.and_then(|inst| module.line(inst));
            let insts = line
                .into_iter()
                .chain(module.function_instructions(function));
            body(module, &places, insts.map(|inst| module.get(inst).words()))
        })
        .collect();
    bodies.sort();
    (lists, bodies)
}

/// What a diff says that one of the two modules means.
fn applied(module: &Module, found: &Diff, side: Side, other: Change) -> Meaning {
    let mut lists = vec![Vec::new(); LISTS];
    let mut bodies = Vec::new();
    let places = places(module);
    for part in found.parts() {
        let has = |line: &&Line| line.change() == Change::Same || line.change() == other;
        let lines = part.lines.iter().filter(has);
        let all = lines.map(|line| found.instruction(*line, side).expect("it has it"));
        let PartKind::Section(section) = part.kind else {
            let words: Vec<&[u32]> = all.map(|it| it.words()).collect();
            if !words.is_empty() {
                bodies.push(body(module, &places, words.into_iter()));
            }
            continue;
        };
        let mut line = Vec::new();
        for read in all {
            if places.contains(read.words()) {
                line = read.words().to_vec();
                continue;
            }
            let words = free_sorted(module, read.words().to_vec());
            let list = list_of(read.op(), section == Section::Graphs);
            lists[list].push([words, std::mem::take(&mut line)]);
        }
    }
    sort_lists(module, &mut lists);
    bodies.sort();
    (lists, bodies)
}

/// The instructions that tell lines and scopes.
fn places(module: &Module) -> BTreeSet<Vec<u32>> {
    let all = module.instructions().filter(|&inst| module.is_place(inst));
    all.map(|inst| module.get(inst).words().to_vec()).collect()
}

/// A function's instructions by blocks.
fn body<'a>(
    module: &Module,
    places: &BTreeSet<Vec<u32>>,
    insts: impl Iterator<Item = &'a [u32]>,
) -> Body {
    let (mut head, mut blocks) = (Vec::new(), Vec::<Vec<Said>>::new());
    let mut line = Vec::new();
    let mut ended = false;
    for words in insts {
        let op = Op(words[0] as u16);
        match op {
            Op::Line => line = words.to_vec(),
            Op::NoLine => line.clear(),
            _ => {}
        }
        if op.is_line() {
            continue;
        }
        if ended || op == Op::Label || op == Op::FunctionEnd && !blocks.is_empty() {
            if !ended && !blocks.is_empty() {
                line.clear();
            }
            blocks.push(Vec::new());
        }
        let said = [free_sorted(module, words.to_vec()), line.clone()];
        match blocks.last_mut() {
            Some(block) => block.push(said),
            None if places.contains(words) => {}
            None => head.push(said),
        }
        ended = !blocks.is_empty() && op.is_terminator();
        if ended {
            line.clear();
        }
    }
    let mut blocks = blocks.into_iter();
    let entry = blocks.next().unwrap_or_default();
    let mut rest: Vec<Vec<Said>> = blocks.collect();
    rest.sort();
    (head, entry, rest)
}

/// A xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % count.max(1)
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for end in (1..list.len()).rev() {
            list.swap(end, self.below(end + 1));
        }
    }

    /// Some order in which each number comes behind those that it must, if there is
    /// one.
    fn order(&mut self, after: &[Vec<usize>]) -> Option<Vec<usize>> {
        let mut waiting: Vec<usize> = after.iter().map(Vec::len).collect();
        let mut before = vec![Vec::new(); after.len()];
        for (number, after) in after.iter().enumerate() {
            after.iter().for_each(|&first| before[first].push(number));
        }
        let mut ready: Vec<usize> = (0..after.len()).filter(|&it| waiting[it] == 0).collect();
        let mut order = Vec::with_capacity(after.len());
        while !ready.is_empty() {
            let next = ready.swap_remove(self.below(ready.len()));
            order.push(next);
            for &number in &before[next] {
                waiting[number] -= 1;
                if waiting[number] == 0 {
                    ready.push(number);
                }
            }
        }
        (order.len() == after.len()).then_some(order)
    }
}

/// A module that says the same with other ids and in another order: declarations, names,
/// decorations, functions, and blocks as far as dominance allows. `None` if it can't be
/// made: the module is broken, or holds something of which nobody can tell where its
/// ids are.
pub fn rearranged(words: &[u32], seed: u64) -> Option<Vec<u32>> {
    let mut module = Module::load(words).ok()?;
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..10).for_each(|_| _ = random.below(2));
    renumber(&mut module, &mut random)?;
    let mut out = module.header().to_words().to_vec();
    let mut sections: Vec<Vec<Inst>> = vec![Vec::new(); Section::ALL.len()];
    for inst in module.globals().filter(|&inst| !module.is_place(inst)) {
        let op = module.op(inst);
        let section = op.info().and_then(|info| Section::of(op, info))?;
        sections[section as usize].push(inst);
    }
    let mut line = None;
    for (index, section) in sections.iter_mut().enumerate() {
        match Section::ALL[index] {
            Section::Sources | Section::Processed => {}
            Section::Types => *section = declarations(&module, section, &mut random)?,
            _ => random.shuffle(section),
        }
        for &inst in &*section {
            set_line(&module, &mut line, module.line(inst), &mut out);
            push(&module, inst, &mut random, &mut out);
        }
    }
    let mut bodies = Vec::new();
    let flows: Vec<_> = functions(module.read(), module.definitions()).collect();
    for (function, flow) in module.functions().zip(&flows) {
        let mut blocks: Vec<Vec<Inst>> = vec![Vec::new()];
        // Lines before a label are the block's.
        let mut ended = false;
        for inst in module.function_instructions(function) {
            let op = module.op(inst);
            let starts = op == Op::Label && blocks.len() == 1 || ended;
            if starts {
                blocks.push(Vec::new());
            }
            ended = op.is_terminator();
            blocks.last_mut()?.push(inst);
        }
        if flow.blocks().is_empty() {
            bodies.push((function, blocks.concat()));
            continue;
        }
        let tail = blocks.pop()?;
        if blocks.len() != flow.blocks().len() + 1 {
            return None;
        }
        let tree = DominatorTree::new(flow.graph());
        let after: Vec<Vec<usize>> = (0..flow.blocks().len())
            .map(|node| match tree.immediate(node as u32) {
                Some(above) => vec![above as usize],
                None if node > 0 => vec![0],
                None => Vec::new(),
            })
            .collect();
        let mut insts = blocks[0].clone();
        for block in random.order(&after)? {
            insts.extend(&blocks[block + 1]);
        }
        insts.extend(tail);
        bodies.push((function, insts));
    }
    random.shuffle(&mut bodies);
    for (function, insts) in bodies {
        let own = module
            .function_definition(function)
            .and_then(|it| module.line(it));
        set_line(&module, &mut line, own, &mut out);
        for inst in insts {
            push(&module, inst, &mut random, &mut out);
        }
        // Only a declaration keeps the line for what follows.
        if module.entry_block(function).is_some() {
            line = None;
        }
    }
    // What stands behind the functions stays there.
    let functions = module
        .instructions()
        .skip_while(|&inst| module.op(inst) != Op::Function);
    for inst in functions.filter(|&inst| module.function_of(inst).is_none()) {
        if !module.is_place(inst) {
            set_line(&module, &mut line, module.line(inst), &mut out);
            out.extend_from_slice(module.get(inst).words());
        }
    }
    Some(out)
}

/// Gives all ids other numbers.
fn renumber(module: &mut Module, random: &mut Random) -> Option<()> {
    let mut ids = BTreeSet::new();
    module
        .renumber(|id| {
            ids.insert(id);
            id
        })
        .ok()?;
    let ids: Vec<Id> = ids.into_iter().collect();
    let mut numbers: Vec<u32> = (1..=ids.len() as u32).collect();
    random.shuffle(&mut numbers);
    let new: BTreeMap<Id, Id> = ids.into_iter().zip(numbers.into_iter().map(Id)).collect();
    module
        .renumber(|id| new.get(&id).copied().unwrap_or(id))
        .ok()
}

/// Some order of declarations in which each comes behind those that it uses.
fn declarations(module: &Module, insts: &[Inst], random: &mut Random) -> Option<Vec<Inst>> {
    let mut defined: BTreeMap<Id, usize> = BTreeMap::new();
    let mut announced: BTreeMap<Id, usize> = BTreeMap::new();
    let mut after = vec![Vec::new(); insts.len()];
    for (index, &inst) in insts.iter().enumerate() {
        let mut needs = BTreeSet::new();
        module.each_use(inst, |_, id| {
            needs.extend(defined.get(&id).or(announced.get(&id)))
        });
        if let Some(result) = module.result(inst) {
            needs.extend(announced.get(&result));
            if defined.insert(result, index).is_some() {
                return None;
            }
        }
        if module.op(inst) == Op::TypeForwardPointer {
            let id = module.get(inst).operand_words().first().map(|&id| Id(id))?;
            announced.insert(id, index);
        }
        after[index] = needs.into_iter().collect();
    }
    let order = random.order(&after)?;
    Some(order.into_iter().map(|index| insts[index]).collect())
}

fn set_line(module: &Module, line: &mut Option<Inst>, wanted: Option<Inst>, out: &mut Vec<u32>) {
    if *line == wanted {
        return;
    }
    match wanted {
        Some(wanted) => out.extend_from_slice(module.get(wanted).words()),
        None => out.push(1 << 16 | u32::from(Op::NoLine.0)),
    }
    *line = wanted;
}

/// Writes an instruction, with operands whose order carries nothing in another.
fn push(module: &Module, inst: Inst, random: &mut Random, out: &mut Vec<u32>) {
    let words = module.get(inst).words().to_vec();
    let mut free = free_sorted(module, words.clone());
    let Some(read) = Instruction::from_words(&words, WordOffset(HEADER_WORDS)) else {
        return;
    };
    if read.op() == Op::Phi && free.len() > 5 && random.below(2) == 0 {
        free[3..].rotate_left(2);
    }
    out.extend(free);
}
