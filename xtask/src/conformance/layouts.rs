//! Layouts: those that real modules declare against those by the rules, and whether the
//! validator draws the line where the rules do.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use spirvkit::analysis::ModuleIndex;
use spirvkit::analysis::layout::{Aspect, Difference, Extent, Layouts, MatrixOrder, Rules, Types};
use spirvkit::binary::{Id, Instruction, Module};
use spirvkit::grammar::{Decoration, Op, StorageClass};
use spirvkit::{TargetEnv, ValidateOptions};

use super::corpus::{collect, load};
use crate::Outcome;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A folder of `.spv` and `.spvasm` files, searched recursively.
    folder: PathBuf,
    /// How many blocks that agree with no rules to show, of each reason.
    #[arg(long, default_value_t = 5)]
    show: usize,
}

/// A block that a variable is of.
struct Block {
    id: Id,
    /// By which rules front ends lay it out unless told otherwise.
    usual: Rules,
}

/// What came of a module.
#[derive(Default)]
struct Found {
    /// For each block, how it agrees, and what it is.
    blocks: Vec<(Agreement, String)>,
    /// How often the validator accepted a layout by the rules, and refused one with a
    /// member too early.
    accepted: usize,
    refused: usize,
    /// How often it let a member into the padding of a row-major matrix, as front ends do.
    let_in: usize,
    /// Where it did otherwise.
    disputes: Vec<String>,
}

/// How the declared layout of a block agrees with rules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Agreement {
    /// With those that are usual for its storage class.
    Usual(&'static str),
    /// With others.
    Other(&'static str, String),
    /// With none, and why.
    None(&'static str),
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let mut files = Vec::new();
    collect(&arguments.folder, &mut files)?;
    files.sort();
    // Later versions allow offsets below those by the rules.
    let env = "vulkan1.0"
        .parse()
        .map_err(|_| "no environment vulkan1.0")?;
    let results: Vec<Found> = files.par_iter().map(|file| check(file, env)).collect();
    let mut counts: BTreeMap<&Agreement, usize> = BTreeMap::new();
    let mut shown: BTreeMap<&Agreement, Vec<String>> = BTreeMap::new();
    for (file, found) in files.iter().zip(&results) {
        for (agreement, what) in &found.blocks {
            *counts.entry(agreement).or_default() += 1;
            let list = shown.entry(agreement).or_default();
            if list.len() < arguments.show && matches!(agreement, Agreement::None(_)) {
                list.push(format!("{}: {what}", file.display()));
            }
        }
    }
    println!("{} blocks:", counts.values().sum::<usize>());
    for (agreement, count) in &counts {
        match agreement {
            Agreement::Usual(rules) => println!("{count:7} by {rules}, as usual"),
            Agreement::Other(usual, rules) => println!("{count:7} by {rules}, not by {usual}"),
            Agreement::None(why) => println!("{count:7} by none: {why}"),
        }
        for line in shown.get(agreement).into_iter().flatten() {
            println!("          {line}");
        }
    }
    let sum = |of: fn(&Found) -> usize| results.iter().map(of).sum::<usize>();
    let (accepted, refused) = (sum(|it| it.accepted), sum(|it| it.refused));
    let (let_in, disputes) = (sum(|it| it.let_in), sum(|it| it.disputes.len()));
    println!(
        "the validator accepts {accepted} layouts by the rules and refuses {refused} with a \
         member too early, but for {let_in} in the padding of a row-major matrix; {disputes} \
         otherwise"
    );
    let all = files.iter().zip(&results);
    let disputed = all.flat_map(|(file, it)| it.disputes.iter().map(move |what| (file, what)));
    for (file, what) in disputed.take(20) {
        println!("  {}: {what}", file.display());
    }
    match (counts.is_empty() || refused == 0, disputes) {
        (true, _) => Err("there are no blocks".into()),
        (_, 0) => Ok(()),
        _ => Err(format!("the validator disputes {disputes} layouts").into()),
    }
}

fn check(file: &Path, env: TargetEnv) -> Found {
    let mut found = Found::default();
    let words = load(file)
        .ok()
        .and_then(|bytes| Some(spirvkit::words_from_bytes(&bytes).ok()?.0));
    let Some(words) = words else {
        return found;
    };
    let Ok(module) = Module::new(&words) else {
        return found;
    };
    let instructions: Vec<Instruction<'_>> = module.instructions().map_while(Result::ok).collect();
    let index = ModuleIndex::with_header(&words, *module.header());
    let types = Types::of(&index);
    let layouts = types.lay_out_all();
    let blocks = blocks(&layouts[Rules::Explicit as usize], &instructions);
    for block in &blocks {
        let what = agreement(&types, &layouts, block);
        found.blocks.push(what);
    }
    for rules in [Rules::Std140, Rules::Std430, Rules::Scalar] {
        let trial = Trial {
            words: &words,
            instructions: &instructions,
            types: &types,
            layouts: &layouts[rules as usize],
            rules,
            env,
        };
        trial.check(&blocks, &mut found);
    }
    found
}

/// The blocks of buffers and push constants, each once.
fn blocks(layouts: &Layouts, instructions: &[Instruction<'_>]) -> Vec<Block> {
    let mut pointees: HashMap<Id, (StorageClass, Id)> = HashMap::new();
    let mut buffer_blocks = HashSet::new();
    let mut seen = HashSet::new();
    let mut blocks = Vec::new();
    for instruction in instructions {
        match (instruction.op(), instruction.operand_words()) {
            (Op::Decorate, &[id, decoration])
                if Decoration(decoration) == Decoration::BufferBlock =>
            {
                buffer_blocks.insert(Id(id));
            }
            (Op::TypePointer, &[id, class, pointee, ..]) => {
                pointees.insert(Id(id), (StorageClass(class), Id(pointee)));
            }
            (Op::Variable, _) => {
                let pointee = instruction.result_type().and_then(|ty| pointees.get(&ty));
                let Some(&(class, pointee)) = pointee else {
                    continue;
                };
                let Some(id) = layouts.structure_in(pointee) else {
                    continue;
                };
                let usual = match class {
                    StorageClass::Uniform if !buffer_blocks.contains(&id) => Rules::Std140,
                    StorageClass::Uniform
                    | StorageClass::StorageBuffer
                    | StorageClass::PushConstant => Rules::Std430,
                    _ => continue,
                };
                if seen.insert(id) {
                    blocks.push(Block { id, usual });
                }
            }
            _ => {}
        }
    }
    blocks
}

fn agreement(types: &Types<'_>, layouts: &[Layouts; 4], block: &Block) -> (Agreement, String) {
    let declared = &layouts[Rules::Explicit as usize];
    let usual = name(block.usual);
    let by = |rules: Rules| types.differences(declared, &layouts[rules as usize], block.id);
    let differences = by(block.usual);
    if differences.is_empty() {
        return (Agreement::Usual(usual), String::new());
    }
    let others = [Rules::Std140, Rules::Std430, Rules::Scalar];
    let agreeing = others.into_iter().filter(|&rules| by(rules).is_empty());
    let agreeing: Vec<&str> = agreeing.map(name).collect();
    if !agreeing.is_empty() {
        return (
            Agreement::Other(usual, agreeing.join(" and ")),
            String::new(),
        );
    }
    let why = reason(&differences, &by(Rules::Scalar));
    let first = differences[0];
    let show = |value: Result<Extent, _>| match value {
        Ok(value) => value.to_string(),
        Err(reason) => format!("{reason}"),
    };
    let what = format!(
        "{} of member {} of {} in {} is {} where {usual} says {}",
        match first.what {
            Aspect::Offset => "the offset",
            Aspect::ArrayStride => "an array stride",
            Aspect::MatrixStride => "the matrix stride",
        },
        first.member,
        first.structure,
        block.id,
        show(first.declared),
        show(first.ruled),
    );
    (Agreement::None(why), what)
}

/// Why a block is laid out by no rules, as far as its declaration tells.
fn reason(differences: &[Difference], scalar: &[Difference]) -> &'static str {
    let known = |value: Result<Extent, _>| value.ok().and_then(Extent::known);
    if differences.iter().any(|it| it.declared.is_err()) {
        return "decorations are missing";
    }
    if differences.iter().any(|it| it.ruled.is_err()) {
        return "there is something that the rules know nothing of";
    }
    let is_before = |it: &Difference| known(it.declared) < known(it.ruled);
    match (
        differences.iter().any(is_before),
        scalar.iter().any(is_before),
    ) {
        (false, _) => {
            "offsets or strides are larger (given with `offset` or `align`, or parts of a larger block)"
        }
        (_, false) => {
            "tighter than the usual rules, but looser than scalar (HLSL's packing, or members by other rules)"
        }
        (_, true) => "tighter than scalar (members out of order, or that share memory)",
    }
}

fn name(rules: Rules) -> &'static str {
    match rules {
        Rules::Std140 => "std140",
        Rules::Std430 => "std430",
        Rules::Scalar => "scalar",
        Rules::Explicit => "declarations",
    }
}

/// A module of the same types, laid out by rules.
struct Trial<'m> {
    words: &'m [u32],
    instructions: &'m [Instruction<'m>],
    types: &'m Types<'m>,
    layouts: &'m Layouts,
    rules: Rules,
    env: TargetEnv,
}

/// The storage class of the blocks of a trial, by whose rules they are checked.
const CLASS: StorageClass = StorageClass::Uniform;

impl Trial<'_> {
    fn check(&self, blocks: &[Block], found: &mut Found) {
        let known = |block: &&Block| self.is_known(block.id);
        for block in blocks.iter().filter(known) {
            let rules = name(self.rules);
            match self.verdict(block.id, None).first() {
                None => found.accepted += 1,
                Some(error) => found
                    .disputes
                    .push(format!("{} by {rules} is refused: {error}", block.id)),
            }
            for (number, member) in self.layouts.members(block.id).iter().enumerate() {
                let offset = member.offset.ok().and_then(Extent::known).unwrap_or(0);
                let alignment = member.layout.map_or(1, |it| it.alignment);
                let Some(earlier) = offset.checked_sub(alignment) else {
                    continue;
                };
                let moved = (block.id, number as u32, earlier);
                if !self.verdict(block.id, Some(moved)).is_empty() {
                    found.refused += 1;
                } else if self.is_behind_rows(block.id, number) {
                    found.let_in += 1;
                } else {
                    found.disputes.push(format!(
                        "{} by {rules} is accepted with member {number} at {earlier}",
                        block.id
                    ));
                }
            }
        }
    }

    /// Whether the member before this one is a row-major matrix.
    fn is_behind_rows(&self, block: Id, number: usize) -> bool {
        let members = self.layouts.members(block);
        let before = number.checked_sub(1).and_then(|before| members.get(before));
        let layout = before.and_then(|before| before.layout.ok());
        layout.is_some_and(|layout| {
            let order = layout.matrix.map(|matrix| matrix.order);
            layout.array_stride.is_none() && order == Some(MatrixOrder::RowMajor)
        })
    }

    /// Whether all of a block has a known place by the rules, with a size for members
    /// that others could be put into.
    fn is_known(&self, block: Id) -> bool {
        let mut waiting = vec![block];
        let mut seen = HashSet::new();
        while let Some(structure) = waiting.pop() {
            if !seen.insert(structure) {
                continue;
            }
            for member in self.layouts.members(structure) {
                let offset = member.offset.ok().and_then(Extent::known);
                let is_fixed = !member.layout.is_ok_and(|it| it.size.is_specialized());
                let is_empty = member.layout.is_ok_and(|it| it.size.known() == Some(0));
                if offset.is_none() || member.layout.is_err() || !is_fixed || is_empty {
                    return false;
                }
                waiting.extend(self.layouts.structure_in(member.ty));
            }
        }
        !self.layouts.members(block).is_empty()
    }

    /// What the validator says of the layout of a block that is laid out by the rules,
    /// but for a member that is moved.
    fn verdict(&self, block: Id, moved: Option<(Id, u32, u64)>) -> Vec<String> {
        let words = self.module(block, moved);
        let options = ValidateOptions::for_env(self.env)
            .uniform_buffer_standard_layout(self.rules != Rules::Std140)
            .scalar_block_layout(self.rules == Rules::Scalar);
        let report = spirvkit::validate(&words, &options);
        let found = report.diagnostics().iter();
        let found = found.filter(|it| it.rule().starts_with("layout."));
        found
            .map(|it| format!("[{}] {}", it.rule(), it.message()))
            .collect()
    }

    /// A module with the types of this one and a variable of the block.
    fn module(&self, block: Id, moved: Option<(Id, u32, u64)>) -> Vec<u32> {
        let bound = self.words[3];
        let mut words = self.words[..5].to_vec();
        words[3] = bound + 2;
        let mut emit = |op: Op, operands: &[u32]| {
            words.push((operands.len() as u32 + 1) << 16 | u32::from(op.0));
            words.extend_from_slice(operands);
        };
        let is_declaration = |instruction: &Instruction<'_>| {
            use spirvkit::grammar::Class;
            let class = instruction.info().map(|info| info.class());
            matches!(
                class,
                Some(Class::TypeDeclaration | Class::ConstantCreation)
            )
        };
        let before_types = |op| {
            matches!(
                op,
                Op::Capability | Op::Extension | Op::ExtInstImport | Op::MemoryModel
            )
        };
        for instruction in self.instructions.iter().filter(|it| before_types(it.op())) {
            emit(instruction.op(), instruction.operand_words());
        }
        emit(Op::Decorate, &[block.0, Decoration::Block.0]);
        emit(Op::Decorate, &[bound + 1, Decoration::DescriptorSet.0, 0]);
        emit(Op::Decorate, &[bound + 1, Decoration::Binding.0, 0]);
        self.decorate(moved, &mut emit);
        let mut is_outside = true;
        for instruction in self.instructions {
            is_outside &= instruction.op() != Op::Function;
            if is_outside && is_declaration(instruction) {
                emit(instruction.op(), &instruction.words()[1..]);
            }
        }
        emit(Op::TypePointer, &[bound, CLASS.0, block.0]);
        emit(Op::Variable, &[bound, bound + 1, CLASS.0]);
        words
    }

    /// Decorates all types with their layouts.
    fn decorate(&self, moved: Option<(Id, u32, u64)>, emit: &mut impl FnMut(Op, &[u32])) {
        let rows: HashSet<(u32, u32)> = self
            .instructions
            .iter()
            .filter_map(|it| match (it.op(), it.operand_words()) {
                (Op::MemberDecorate, &[id, member, decoration])
                    if Decoration(decoration) == Decoration::RowMajor =>
                {
                    Some((id, member))
                }
                _ => None,
            })
            .collect();
        let known = |bytes: Extent| bytes.known().and_then(|it| u32::try_from(it).ok());
        let mut arrays = HashSet::new();
        for ty in self.types.iter() {
            for (number, member) in (0..).zip(self.layouts.members(ty)) {
                let own = member.offset.ok().and_then(known);
                let offset = match moved {
                    Some((id, moved, offset)) if (id, moved) == (ty, number) => {
                        u32::try_from(offset).ok()
                    }
                    _ => own,
                };
                if let Some(offset) = offset {
                    emit(
                        Op::MemberDecorate,
                        &[ty.0, number, Decoration::Offset.0, offset],
                    );
                }
                let Some(matrix) = member.layout.ok().and_then(|it| it.matrix) else {
                    continue;
                };
                let is_row = rows.contains(&(ty.0, number));
                let order = if is_row {
                    Decoration::RowMajor
                } else {
                    Decoration::ColMajor
                };
                emit(Op::MemberDecorate, &[ty.0, number, order.0]);
                if let Some(stride) = known(matrix.stride) {
                    emit(
                        Op::MemberDecorate,
                        &[ty.0, number, Decoration::MatrixStride.0, stride],
                    );
                }
                // Arrays of row-major matrices have the strides of their first member.
                for (array, stride) in self.types.array_strides(member, self.layouts) {
                    if let Some(stride) =
                        stride.ok().and_then(known).filter(|_| arrays.insert(array))
                    {
                        emit(Op::Decorate, &[array.0, Decoration::ArrayStride.0, stride]);
                    }
                }
            }
        }
        for ty in self.types.iter().filter(|ty| !arrays.contains(ty)) {
            let stride = self.layouts.get(ty).ok().and_then(|it| it.array_stride);
            if let Some(stride) = stride.and_then(known) {
                emit(Op::Decorate, &[ty.0, Decoration::ArrayStride.0, stride]);
            }
        }
    }
}
