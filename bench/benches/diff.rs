//! Comparing modules that have very much of one thing with themselves after a change
//! here and there: time must grow with their size, whatever they have much of.

use divan::Bencher;
use divan::counter::ItemsCount;
use spirvkit::diff::{Options, diff};
use spirvkit::grammar::{Op, StorageClass};
use spirvkit::ir::Module;
use spirvkit_bench::series::{self, Case};
use spirvkit_bench::writer::Writer;

fn main() {
    divan::main();
}

/// About how many instructions.
const SIZES: [u32; 3] = [50_000, 100_000, 200_000];

/// One of so many things is changed.
const CHANGED: u32 = 50;

/// What a module has much of.
#[derive(Clone, Copy)]
enum Shape {
    /// Functions of a hundred instructions, each of which works on the results of others.
    Arithmetic,
    /// One instruction again and again, so that only the order tells them apart.
    Same,
    /// Functions that only their calls tell apart.
    Functions,
    /// Blocks in a row.
    Blocks,
    /// Constants with one value, which nothing tells apart.
    Constants,
    /// Structures with pointers to themselves.
    Lists,
}

const SHAPES: [(Shape, &str); 6] = [
    (Shape::Arithmetic, "arithmetic"),
    (Shape::Same, "the same instruction"),
    (Shape::Functions, "functions"),
    (Shape::Blocks, "blocks"),
    (Shape::Constants, "equal constants"),
    (Shape::Lists, "structures with pointers to themselves"),
];

fn cases() -> impl Iterator<Item = Case<Shape>> {
    series::cases(&SHAPES, &SIZES, "instructions")
}

const VOID: u32 = 1;
const FUNCTION_TYPE: u32 = 2;
const UINT: u32 = 3;
const ONE: u32 = 4;

struct Maker {
    code: Writer,
    /// Whether it is the changed module that is written.
    is_changed: bool,
}

impl Maker {
    fn instruction(&mut self, op: Op, operands: &[u32]) {
        self.code.instruction(op, operands);
    }

    fn fresh(&mut self) -> u32 {
        self.code.id()
    }

    /// An opcode, or here and there another one in the changed module.
    fn op(&self, number: u32) -> Op {
        match self.is_changed && number % CHANGED == CHANGED / 2 {
            true => Op::ISub,
            false => Op::IAdd,
        }
    }

    fn begin_function(&mut self) -> u32 {
        let [function, label] = [(); 2].map(|()| self.fresh());
        self.instruction(Op::Function, &[VOID, function, 0, FUNCTION_TYPE]);
        self.instruction(Op::Label, &[label]);
        function
    }

    fn end_function(&mut self) {
        self.instruction(Op::Return, &[]);
        self.instruction(Op::FunctionEnd, &[]);
    }

    fn sum(&mut self, number: u32, operands: [u32; 2]) -> u32 {
        let result = self.fresh();
        let [one, two] = operands;
        self.instruction(self.op(number), &[UINT, result, one, two]);
        result
    }

    fn arithmetic(&mut self, count: u32) {
        for function in 0..count / 100 {
            self.begin_function();
            let mut last = [ONE; 2];
            for number in 0..100 {
                last = [last[1], self.sum(function * 100 + number, last)];
            }
            self.end_function();
        }
    }

    fn same(&mut self, count: u32) {
        self.begin_function();
        for number in 0..count {
            self.sum(number, [ONE; 2]);
        }
        self.end_function();
    }

    fn functions(&mut self, count: u32) {
        for number in 0..count / 5 {
            let callee = self.begin_function();
            match number % 7 {
                0 => {
                    self.sum(number, [ONE; 2]);
                }
                _ => {
                    let result = self.fresh();
                    // Itself, or a neighbour.
                    let callee = callee - 3 * u32::from(number % 7 == 3);
                    self.instruction(Op::FunctionCall, &[VOID, result, callee]);
                }
            }
            self.end_function();
        }
    }

    fn blocks(&mut self, count: u32) {
        self.begin_function();
        for number in 0..count / 3 {
            let label = self.fresh();
            self.instruction(Op::Branch, &[label]);
            self.instruction(Op::Label, &[label]);
            self.sum(number, [ONE; 2]);
        }
        self.end_function();
    }

    fn constants(&mut self, count: u32) {
        for number in 0..count {
            let result = self.fresh();
            let is_other = self.op(number) != Op::IAdd;
            self.instruction(Op::Constant, &[UINT, result, 7 + u32::from(is_other)]);
        }
    }

    fn lists(&mut self, count: u32) {
        let class = StorageClass::Private.0;
        for number in 0..count / 3 {
            let [pointer, structure] = [(); 2].map(|()| self.fresh());
            self.instruction(Op::TypeForwardPointer, &[pointer, class]);
            match self.op(number) {
                Op::IAdd => self.instruction(Op::TypeStruct, &[structure, UINT, pointer]),
                _ => self.instruction(Op::TypeStruct, &[structure, pointer]),
            }
            self.instruction(Op::TypePointer, &[pointer, class, structure]);
        }
    }
}

fn module(case: Case<Shape>, is_changed: bool) -> Module {
    let mut writer = Maker {
        code: Writer::with_ids_below(ONE + 1),
        is_changed,
    };
    writer.instruction(Op::TypeVoid, &[VOID]);
    writer.instruction(Op::TypeFunction, &[FUNCTION_TYPE, VOID]);
    writer.instruction(Op::TypeInt, &[UINT, 32, 0]);
    writer.instruction(Op::Constant, &[UINT, ONE, 1]);
    match case.shape {
        Shape::Arithmetic => writer.arithmetic(case.size),
        Shape::Same => writer.same(case.size),
        Shape::Functions => writer.functions(case.size),
        Shape::Blocks => writer.blocks(case.size),
        Shape::Constants => writer.constants(case.size),
        Shape::Lists => writer.lists(case.size),
    }
    Module::from_words(writer.code.finish()).expect("a module")
}

#[divan::bench(args = cases(), sample_count = 10, sample_size = 1)]
fn changed(bencher: Bencher<'_, '_>, case: Case<Shape>) {
    let [a, b] = [false, true].map(|is_changed| module(case, is_changed));
    bencher
        .counter(ItemsCount::new(a.inst_count()))
        .bench_local(|| diff(&a, &b, &Options::default()).counts());
}

#[divan::bench(args = cases(), sample_count = 10, sample_size = 1)]
fn unchanged(bencher: Bencher<'_, '_>, case: Case<Shape>) {
    let a = module(case, false);
    assert!(diff(&a, &a, &Options::default()).is_empty());
    bencher
        .counter(ItemsCount::new(a.inst_count()))
        .bench_local(|| diff(&a, &a, &Options::default()).counts());
}
