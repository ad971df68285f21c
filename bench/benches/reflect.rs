//! Reflecting modules that have very much of one thing: time must grow with their size,
//! whatever they have much of.

use divan::Bencher;
use divan::counter::BytesCount;
use spirvkit::binary::{Encoder, Header};
use spirvkit::grammar::{Decoration, ExecutionModel, Generator, Op, StorageClass, Version};
use spirvkit_bench::series::{self, Case};

fn main() {
    divan::main();
}

/// About how many instructions.
const SIZES: [u32; 3] = [50_000, 100_000, 200_000];

/// What a module has much of.
#[derive(Clone, Copy)]
enum Shape {
    /// Loads and stores of one buffer.
    Accesses,
    /// Buffers, each with a block of its own, and loads of all of them.
    Descriptors,
    /// Structures with the decorations of a layout, each a member of the next.
    Structures,
    /// Members of one structure.
    Members,
    /// Entry points that share a function which uses many variables.
    EntryPoints,
    /// Functions, each of which hands its parameter on to the next.
    Calls,
}

const SHAPES: [(Shape, &str); 6] = [
    (Shape::Accesses, "accesses"),
    (Shape::Descriptors, "descriptors"),
    (Shape::Structures, "structures"),
    (Shape::Members, "members of a structure"),
    (Shape::EntryPoints, "entry points"),
    (Shape::Calls, "calls"),
];

fn cases() -> impl Iterator<Item = Case<Shape>> {
    series::cases(&SHAPES, &SIZES, "instructions")
}

const VOID: u32 = 1;
const FUNCTION_TYPE: u32 = 2;
const UINT: u32 = 3;
const UINT_POINTER: u32 = 4;
const ZERO: u32 = 5;
const TAKES_POINTER: u32 = 6;
const MAIN: u32 = 7;
const FIRST: u32 = 8;

const CLASS: u32 = StorageClass::StorageBuffer.0;

/// Of one structure, as an instruction holds at most 65,535 words.
const MOST_MEMBERS: u32 = 32_000;

/// How many variables the entry points share.
const SHARED: u32 = 100;

/// Writes a module: what comes before its types, these, and its functions.
struct Writer {
    head: Encoder,
    types: Encoder,
    code: Encoder,
    next: u32,
}

fn instruction(out: &mut Encoder, op: Op, operands: &[u32]) {
    let start = out.begin(op);
    out.raw(operands);
    out.end(start).expect("a short enough instruction");
}

impl Writer {
    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn decorate(&mut self, id: u32, decoration: Decoration, operands: &[u32]) {
        let operands = [&[id, decoration.0], operands].concat();
        instruction(&mut self.head, Op::Decorate, &operands);
    }

    /// A block with these members, one after the other.
    fn block(&mut self, members: &[u32]) -> u32 {
        let id = self.fresh();
        let operands = [&[id], members].concat();
        instruction(&mut self.types, Op::TypeStruct, &operands);
        for index in 0..members.len() as u32 {
            let offset = [id, index, Decoration::Offset.0, 4 * index];
            instruction(&mut self.head, Op::MemberDecorate, &offset);
        }
        self.decorate(id, Decoration::Block, &[]);
        id
    }

    fn buffer(&mut self, block: u32, binding: u32) -> u32 {
        let [pointer, variable] = [(); 2].map(|()| self.fresh());
        self.decorate(variable, Decoration::DescriptorSet, &[0]);
        self.decorate(variable, Decoration::Binding, &[binding]);
        instruction(&mut self.types, Op::TypePointer, &[pointer, CLASS, block]);
        instruction(&mut self.types, Op::Variable, &[pointer, variable, CLASS]);
        variable
    }

    fn begin_function(&mut self, function: u32, ty: u32) -> u32 {
        let operands = [VOID, function, 0, ty];
        instruction(&mut self.code, Op::Function, &operands);
        let parameter = self.fresh();
        if ty == TAKES_POINTER {
            let operands = [UINT_POINTER, parameter];
            instruction(&mut self.code, Op::FunctionParameter, &operands);
        }
        let label = self.fresh();
        instruction(&mut self.code, Op::Label, &[label]);
        parameter
    }

    fn end_function(&mut self) {
        instruction(&mut self.code, Op::Return, &[]);
        instruction(&mut self.code, Op::FunctionEnd, &[]);
    }

    /// Loads the first member of a buffer and stores it again.
    fn access(&mut self, variable: u32) {
        let [pointer, value] = [(); 2].map(|()| self.fresh());
        let operands = [UINT_POINTER, pointer, variable, ZERO];
        instruction(&mut self.code, Op::AccessChain, &operands);
        instruction(&mut self.code, Op::Load, &[UINT, value, pointer]);
        instruction(&mut self.code, Op::Store, &[pointer, value]);
    }

    fn entry_point(&mut self) {
        let name = u32::from_le_bytes(*b"run\0");
        let operands = [ExecutionModel::GLCompute.0, MAIN, name];
        instruction(&mut self.head, Op::EntryPoint, &operands);
    }

    /// The function of the entry points, which uses these buffers.
    fn main(&mut self, buffers: &[u32]) {
        self.begin_function(MAIN, FUNCTION_TYPE);
        for &buffer in buffers {
            self.access(buffer);
        }
        self.end_function();
    }

    fn calls(&mut self, count: u32) {
        let block = self.block(&[UINT]);
        let buffer = self.buffer(block, 0);
        let mut callee = self.fresh();
        let parameter = self.begin_function(callee, TAKES_POINTER);
        self.access(parameter);
        self.end_function();
        for _ in 0..count / 6 {
            let caller = self.fresh();
            let parameter = self.begin_function(caller, TAKES_POINTER);
            let result = self.fresh();
            let operands = [VOID, result, callee, parameter];
            instruction(&mut self.code, Op::FunctionCall, &operands);
            self.end_function();
            callee = caller;
        }
        self.begin_function(MAIN, FUNCTION_TYPE);
        let result = self.fresh();
        let operands = [VOID, result, callee, buffer];
        instruction(&mut self.code, Op::FunctionCall, &operands);
        self.end_function();
    }

    fn body(&mut self, shape: Shape, count: u32) {
        match shape {
            Shape::Accesses => {
                let block = self.block(&[UINT]);
                let buffer = self.buffer(block, 0);
                self.main(&vec![buffer; count as usize / 3]);
            }
            Shape::Descriptors => {
                let buffers = (0..count / 10).map(|binding| {
                    let block = self.block(&[UINT]);
                    self.buffer(block, binding)
                });
                let buffers: Vec<u32> = buffers.collect();
                self.main(&buffers);
            }
            Shape::Structures => {
                let mut inner = UINT;
                for _ in 0..count / 4 {
                    inner = self.block(&[UINT, inner]);
                }
                let buffer = self.buffer(inner, 0);
                self.main(&[buffer]);
            }
            Shape::Members => {
                let blocks = (0..count).step_by(MOST_MEMBERS as usize).map(|first| {
                    let members = MOST_MEMBERS.min(count - first);
                    self.block(&vec![UINT; members as usize])
                });
                let blocks: Vec<u32> = blocks.collect();
                let buffers = (0..).zip(blocks);
                let buffers = buffers.map(|(binding, block)| self.buffer(block, binding));
                let buffers: Vec<u32> = buffers.collect();
                self.main(&buffers);
            }
            Shape::EntryPoints => {
                let block = self.block(&[UINT]);
                let buffers: Vec<u32> = (0..SHARED)
                    .map(|binding| self.buffer(block, binding))
                    .collect();
                (1..count).for_each(|_| self.entry_point());
                self.main(&buffers);
            }
            Shape::Calls => self.calls(count),
        }
    }
}

fn module(case: Case<Shape>) -> Vec<u32> {
    let mut writer = Writer {
        head: Encoder::with_capacity(1024),
        types: Encoder::with_capacity(1024),
        code: Encoder::with_capacity(1024),
        next: FIRST,
    };
    let types = [
        (Op::TypeVoid, &[VOID][..]),
        (Op::TypeFunction, &[FUNCTION_TYPE, VOID]),
        (Op::TypeInt, &[UINT, 32, 0]),
        (Op::TypePointer, &[UINT_POINTER, CLASS, UINT]),
        (Op::Constant, &[UINT, ZERO, 0]),
        (Op::TypeFunction, &[TAKES_POINTER, VOID, UINT_POINTER]),
    ];
    for (op, operands) in types {
        instruction(&mut writer.types, op, operands);
    }
    writer.entry_point();
    writer.body(case.shape, case.size);
    let header = Header {
        version: Version::V1_6,
        generator: Generator(0),
        bound: writer.next,
        schema: 0,
    };
    let Writer {
        head, types, code, ..
    } = writer;
    let mut words = head.finish(&header);
    for part in [types, code] {
        words.extend(
            part.finish(&header)
                .split_off(spirvkit::binary::HEADER_WORDS),
        );
    }
    words
}

#[divan::bench(args = cases(), sample_count = 10, sample_size = 1)]
fn reflect(bencher: Bencher<'_, '_>, case: Case<Shape>) {
    let words = module(case);
    let reflection = spirvkit::reflect(&words).expect("a module");
    let used = &reflection.descriptors[0].access;
    assert!(used.read && used.written || matches!(case.shape, Shape::Structures));
    bencher
        .counter(BytesCount::new(4 * words.len()))
        .bench_local(|| spirvkit::reflect(&words));
}
