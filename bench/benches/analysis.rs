//! Control flow, constructs, loops and uses of functions with very many blocks: time
//! must grow with their number, whatever their shape.

use divan::Bencher;
use divan::counter::ItemsCount;
use spirvkit::binary::{Encoder, Header, Id};
use spirvkit::grammar::{Generator, Op, Version};
use spirvkit_analysis::{
    Constructs, ControlFlow, DominatorTree, LoopNest, ModuleIndex, PostDominatorTree,
};
use spirvkit_bench::series::{self, Case};

fn main() {
    divan::main();
}

const SIZES: [u32; 3] = [50_000, 100_000, 200_000];

/// How deep constructs lie in each other where many nests stand in a row.
const DEPTH: u32 = 1_000;

/// An instruction holds at most 65,535 words, so a large switch is several.
const TARGETS: u32 = 32_000;

/// What a function is made of.
#[derive(Clone, Copy)]
enum Shape {
    Selections,
    Loops,
    NestedSelections,
    NestedLoops,
    /// All blocks in one nest.
    DeepSelections,
    DeepLoops,
    Switch,
}

const SHAPES: [(Shape, &str); 7] = [
    (Shape::Selections, "selections in a row"),
    (Shape::Loops, "loops in a row"),
    (Shape::NestedSelections, "selections, 1,000 deep"),
    (Shape::NestedLoops, "loops, 1,000 deep"),
    (Shape::DeepSelections, "selections, one nest"),
    (Shape::DeepLoops, "loops, one nest"),
    (Shape::Switch, "targets of a switch"),
];

fn cases() -> impl Iterator<Item = Case<Shape>> {
    series::cases(&SHAPES, &SIZES, "blocks")
}

const VOID: u32 = 1;
const FUNCTION_TYPE: u32 = 2;
const BOOL: u32 = 3;
const TRUE: u32 = 4;
const UINT: u32 = 5;
const ZERO: u32 = 6;
const MAIN: u32 = 7;

/// Writes a function.
struct Writer {
    encoder: Encoder,
    next_id: u32,
}

impl Writer {
    fn instruction(&mut self, op: Op, operands: &[u32]) {
        let start = self.encoder.begin(op);
        self.encoder.raw(operands);
        self.encoder.end(start).expect("the instructions are short");
    }

    fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id - 1
    }

    fn label(&mut self, label: u32) {
        self.instruction(Op::Label, &[label]);
    }

    fn branch(&mut self, label: u32) {
        self.instruction(Op::Branch, &[label]);
    }

    /// A selection's header ends, and its one branch begins. Returns the merge block.
    fn open_selection(&mut self) -> u32 {
        let [then, merge] = std::array::from_fn(|_| self.id());
        self.instruction(Op::SelectionMerge, &[merge, 0]);
        self.instruction(Op::BranchConditional, &[TRUE, then, merge]);
        self.label(then);
        merge
    }

    /// A loop's header stands alone, and its body begins. Returns header, continue
    /// target and merge block.
    fn open_loop(&mut self) -> [u32; 3] {
        let [header, body, target, merge] = std::array::from_fn(|_| self.id());
        self.branch(header);
        self.label(header);
        self.instruction(Op::LoopMerge, &[merge, target, 0]);
        self.instruction(Op::BranchConditional, &[TRUE, body, merge]);
        self.label(body);
        [header, target, merge]
    }

    /// Selections within each other, two blocks each.
    fn selections(&mut self, depth: u32) {
        let opened: Vec<u32> = (0..depth).map(|_| self.open_selection()).collect();
        for merge in opened.into_iter().rev() {
            self.branch(merge);
            self.label(merge);
        }
    }

    /// Loops within each other, four blocks each.
    fn loops(&mut self, depth: u32) {
        let opened: Vec<[u32; 3]> = (0..depth).map(|_| self.open_loop()).collect();
        for [header, target, merge] in opened.into_iter().rev() {
            self.branch(target);
            self.label(target);
            self.branch(header);
            self.label(merge);
        }
    }

    fn switch(&mut self, targets: u32) {
        let merge = self.id();
        let mut operands = vec![ZERO, merge];
        let labels: Vec<u32> = (0..targets).map(|_| self.id()).collect();
        for (value, &label) in labels.iter().enumerate() {
            operands.extend([value as u32, label]);
        }
        self.instruction(Op::SelectionMerge, &[merge, 0]);
        self.instruction(Op::Switch, &operands);
        for label in labels {
            self.label(label);
            self.branch(merge);
        }
        self.label(merge);
    }

    fn body(&mut self, shape: Shape, blocks: u32) {
        let times = |blocks_each: u32| 0..blocks / blocks_each;
        match shape {
            Shape::Selections => times(2).for_each(|_| self.selections(1)),
            Shape::Loops => times(4).for_each(|_| self.loops(1)),
            Shape::NestedSelections => times(2 * DEPTH).for_each(|_| self.selections(DEPTH)),
            Shape::NestedLoops => times(4 * DEPTH).for_each(|_| self.loops(DEPTH)),
            Shape::DeepSelections => self.selections(blocks / 2),
            Shape::DeepLoops => self.loops(blocks / 4),
            Shape::Switch => {
                for first in (0..blocks).step_by(TARGETS as usize) {
                    self.switch(TARGETS.min(blocks - first));
                }
            }
        }
    }
}

fn module(case: Case<Shape>) -> Vec<u32> {
    let mut w = Writer {
        encoder: Encoder::with_capacity(1024),
        next_id: MAIN + 1,
    };
    w.instruction(Op::TypeVoid, &[VOID]);
    w.instruction(Op::TypeFunction, &[FUNCTION_TYPE, VOID]);
    w.instruction(Op::TypeBool, &[BOOL]);
    w.instruction(Op::ConstantTrue, &[BOOL, TRUE]);
    w.instruction(Op::TypeInt, &[UINT, 32, 0]);
    w.instruction(Op::Constant, &[UINT, ZERO, 0]);
    w.instruction(Op::Function, &[VOID, MAIN, 0, FUNCTION_TYPE]);
    let entry = w.id();
    w.label(entry);
    w.body(case.shape, case.size);
    w.instruction(Op::Return, &[]);
    w.instruction(Op::FunctionEnd, &[]);
    let header = Header {
        version: Version::V1_6,
        generator: Generator(0),
        bound: w.next_id,
        schema: 0,
    };
    w.encoder.finish(&header)
}

fn index(words: &[u32]) -> ModuleIndex<'_> {
    ModuleIndex::new(words).expect("the header is right")
}

fn flow(index: &ModuleIndex<'_>) -> ControlFlow {
    index.control_flow(0).expect("there is a function")
}

fn of_flow<T>(bencher: Bencher<'_, '_>, case: Case<Shape>, work: impl Fn(&ControlFlow) -> T) {
    let words = module(case);
    let flow = flow(&index(&words));
    bencher
        .counter(ItemsCount::new(flow.blocks().len()))
        .bench_local(|| work(&flow));
}

#[divan::bench(args = cases(), sample_count = 10, sample_size = 1)]
fn blocks(bencher: Bencher<'_, '_>, case: Case<Shape>) {
    let words = module(case);
    let index = index(&words);
    bencher
        .counter(ItemsCount::new(flow(&index).blocks().len()))
        .bench_local(|| flow(&index));
}

#[divan::bench(args = cases(), sample_count = 10, sample_size = 1)]
fn dominators(bencher: Bencher<'_, '_>, case: Case<Shape>) {
    of_flow(bencher, case, |flow| {
        DominatorTree::from_depth_first(flow.graph(), flow.order())
    });
}

#[divan::bench(args = cases(), sample_count = 10, sample_size = 1)]
fn post_dominators(bencher: Bencher<'_, '_>, case: Case<Shape>) {
    of_flow(bencher, case, |flow| {
        PostDominatorTree::from_depth_first(flow.graph(), flow.order())
    });
}

#[divan::bench(args = cases(), sample_count = 10, sample_size = 1)]
fn loops(bencher: Bencher<'_, '_>, case: Case<Shape>) {
    of_flow(bencher, case, LoopNest::of);
}

#[divan::bench(args = cases(), sample_count = 10, sample_size = 1)]
fn constructs(bencher: Bencher<'_, '_>, case: Case<Shape>) {
    of_flow(bencher, case, Constructs::of);
}

#[divan::bench(args = cases(), sample_count = 10, sample_size = 1)]
fn uses(bencher: Bencher<'_, '_>, case: Case<Shape>) {
    let words = module(case);
    let count = flow(&index(&words)).blocks().len();
    bencher
        .counter(ItemsCount::new(count))
        .bench_local(|| index(&words).uses(Id(1)).len());
}
