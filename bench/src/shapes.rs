//! Valid modules in which there is very much of one thing.

use spirvkit::grammar::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl,
    LoopControl, MemoryModel, Op, SelectionControl, StorageClass,
};

use crate::writer::Writer;

/// What there is much of, and a function that makes a module of so many.
pub struct Shape {
    /// The name.
    pub name: &'static str,
    /// The number that must take less than [`LIMIT`].
    pub count: usize,
    /// Makes a module.
    pub make: fn(usize) -> Vec<u32>,
}

/// The most milliseconds that judging a shape of its usual size may take.
pub const LIMIT: u64 = 100;

/// All shapes.
pub static SHAPES: &[Shape] = &[
    shape("selections in a row", 16_000, selections),
    shape("loops in a row", 16_000, loops),
    shape("functions in a chain of calls", 16_000, calls),
    shape("selections within each other", 1_000, nested_selections),
    shape("loops within each other", 1_000, nested_loops),
    shape("phis", 100_000, phis),
    shape("decorations", 100_000, decorations),
    shape("structures", 100_000, structures),
    shape("cases of a switch", 100_000, cases),
    shape("access chains", 100_000, access_chains),
    shape("loads of a large structure", 100_000, large_loads),
    shape("arrays within each other", 20_000, nested_arrays),
    shape("targets of a decoration group", 50_000, group_targets),
    shape("entry points that share functions", 5_000, entry_points),
];

const fn shape(name: &'static str, count: usize, make: fn(usize) -> Vec<u32>) -> Shape {
    Shape { name, count, make }
}

/// What the shapes have in common.
struct Frame {
    w: Writer,
    void: u32,
    function_type: u32,
    boolean: u32,
    integer: u32,
    truth: u32,
    zero: u32,
    main: u32,
}

impl Frame {
    /// The instructions before annotations.
    fn start() -> Self {
        Self::start_with(|_| Vec::new())
    }

    /// The same with an interface of `main`, for which ids are taken.
    fn start_with(interface: impl FnOnce(&mut Writer) -> Vec<u32>) -> Self {
        let mut w = Writer::with_capacity(1024);
        let main = w.id();
        let interface = interface(&mut w);
        w.instruction(Op::Capability, &[Capability::Shader.0]);
        w.instruction(
            Op::MemoryModel,
            &[AddressingModel::Logical.0, MemoryModel::GLSL450.0],
        );
        // "main"
        let mut entry = vec![ExecutionModel::GLCompute.0, main, 0x6e69_616d, 0];
        entry.extend(interface);
        w.instruction(Op::EntryPoint, &entry);
        w.instruction(
            Op::ExecutionMode,
            &[main, ExecutionMode::LocalSize.0, 1, 1, 1],
        );
        Self {
            w,
            void: 0,
            function_type: 0,
            boolean: 0,
            integer: 0,
            truth: 0,
            zero: 0,
            main,
        }
    }

    /// The common types and constants.
    fn types(&mut self) {
        let w = &mut self.w;
        let [void, function_type, boolean, integer, truth, zero] = std::array::from_fn(|_| w.id());
        w.instruction(Op::TypeVoid, &[void]);
        w.instruction(Op::TypeFunction, &[function_type, void]);
        w.instruction(Op::TypeBool, &[boolean]);
        w.instruction(Op::TypeInt, &[integer, 32, 0]);
        w.instruction(Op::ConstantTrue, &[boolean, truth]);
        w.instruction(Op::Constant, &[integer, zero, 0]);
        self.void = void;
        self.function_type = function_type;
        self.boolean = boolean;
        self.integer = integer;
        self.truth = truth;
        self.zero = zero;
    }

    /// Begins a function and its first block, whose label is returned.
    fn begin(&mut self, function: u32) -> u32 {
        let w = &mut self.w;
        w.instruction(
            Op::Function,
            &[
                self.void,
                function,
                FunctionControl::None.0,
                self.function_type,
            ],
        );
        let label = w.id();
        w.instruction(Op::Label, &[label]);
        label
    }

    fn end(&mut self) {
        self.w.instruction(Op::Return, &[]);
        self.w.instruction(Op::FunctionEnd, &[]);
    }

    /// A module whose `main` is all there is to it.
    fn with_main(body: impl FnOnce(&mut Self)) -> Vec<u32> {
        let mut frame = Self::start();
        frame.types();
        frame.begin(frame.main);
        body(&mut frame);
        frame.end();
        frame.w.finish()
    }

    fn label(&mut self, label: u32) {
        self.w.instruction(Op::Label, &[label]);
    }

    fn branch(&mut self, label: u32) {
        self.w.instruction(Op::Branch, &[label]);
    }

    /// Opens a selection: its header ends, and its branch begins. Returns the
    /// merge block.
    fn open_selection(&mut self) -> u32 {
        let (then, merge) = (self.w.id(), self.w.id());
        self.w
            .instruction(Op::SelectionMerge, &[merge, SelectionControl::None.0]);
        self.w
            .instruction(Op::BranchConditional, &[self.truth, then, merge]);
        self.label(then);
        merge
    }

    /// Opens a loop: its header stands in a block of its own, and its body
    /// begins. Returns header, continue target and merge block.
    fn open_loop(&mut self) -> [u32; 3] {
        let [header, body, next, merge] = std::array::from_fn(|_| self.w.id());
        self.branch(header);
        self.label(header);
        self.w
            .instruction(Op::LoopMerge, &[merge, next, LoopControl::None.0]);
        self.w
            .instruction(Op::BranchConditional, &[self.truth, body, merge]);
        self.label(body);
        [header, next, merge]
    }

    fn close_loop(&mut self, [header, next, merge]: [u32; 3]) {
        self.branch(next);
        self.label(next);
        self.branch(header);
        self.label(merge);
    }
}

fn selections(count: usize) -> Vec<u32> {
    Frame::with_main(|frame| {
        for _ in 0..count {
            let merge = frame.open_selection();
            frame.branch(merge);
            frame.label(merge);
        }
    })
}

fn loops(count: usize) -> Vec<u32> {
    Frame::with_main(|frame| {
        for _ in 0..count {
            let opened = frame.open_loop();
            frame.close_loop(opened);
        }
    })
}

fn nested_selections(count: usize) -> Vec<u32> {
    Frame::with_main(|frame| {
        let opened: Vec<u32> = (0..count).map(|_| frame.open_selection()).collect();
        for merge in opened.into_iter().rev() {
            frame.branch(merge);
            frame.label(merge);
        }
    })
}

fn nested_loops(count: usize) -> Vec<u32> {
    Frame::with_main(|frame| {
        let opened: Vec<[u32; 3]> = (0..count).map(|_| frame.open_loop()).collect();
        for opened in opened.into_iter().rev() {
            frame.close_loop(opened);
        }
    })
}

fn calls(count: usize) -> Vec<u32> {
    let mut frame = Frame::start();
    frame.types();
    let mut function = frame.main;
    for _ in 0..count {
        let callee = frame.w.id();
        frame.begin(function);
        let result = frame.w.id();
        frame
            .w
            .instruction(Op::FunctionCall, &[frame.void, result, callee]);
        frame.end();
        function = callee;
    }
    frame.begin(function);
    frame.end();
    frame.w.finish()
}

fn phis(count: usize) -> Vec<u32> {
    Frame::with_main(|frame| {
        let before = frame.w.id();
        frame.branch(before);
        frame.label(before);
        let [then, merge] = std::array::from_fn(|_| frame.w.id());
        frame
            .w
            .instruction(Op::SelectionMerge, &[merge, SelectionControl::None.0]);
        frame
            .w
            .instruction(Op::BranchConditional, &[frame.truth, then, merge]);
        frame.label(then);
        frame.branch(merge);
        frame.label(merge);
        for _ in 0..count {
            let phi = frame.w.id();
            let (integer, zero) = (frame.integer, frame.zero);
            frame
                .w
                .instruction(Op::Phi, &[integer, phi, zero, before, zero, then]);
        }
    })
}

fn decorations(count: usize) -> Vec<u32> {
    let mut frame = Frame::start();
    let targets: Vec<u32> = (0..count).map(|_| frame.w.id()).collect();
    for &target in &targets {
        frame
            .w
            .instruction(Op::Decorate, &[target, Decoration::RelaxedPrecision.0]);
    }
    frame.types();
    frame.begin(frame.main);
    for target in targets {
        let (integer, zero) = (frame.integer, frame.zero);
        frame
            .w
            .instruction(Op::IAdd, &[integer, target, zero, zero]);
    }
    frame.end();
    frame.w.finish()
}

fn structures(count: usize) -> Vec<u32> {
    let mut frame = Frame::start();
    frame.types();
    for _ in 0..count {
        let structure = frame.w.id();
        let integer = frame.integer;
        frame
            .w
            .instruction(Op::TypeStruct, &[structure, integer, integer]);
    }
    frame.begin(frame.main);
    frame.end();
    frame.w.finish()
}

/// An instruction holds at most 65,535 words, so there are several switches.
fn cases(count: usize) -> Vec<u32> {
    const AT_ONCE: usize = 16_000;
    Frame::with_main(|frame| {
        let mut left = count;
        while left > 0 {
            let now = left.min(AT_ONCE);
            left -= now;
            let merge = frame.w.id();
            let labels: Vec<u32> = (0..now).map(|_| frame.w.id()).collect();
            frame
                .w
                .instruction(Op::SelectionMerge, &[merge, SelectionControl::None.0]);
            let mut operands = vec![frame.zero, merge];
            for (value, &label) in labels.iter().enumerate() {
                operands.extend([value as u32, label]);
            }
            frame.w.instruction(Op::Switch, &operands);
            for label in labels {
                frame.label(label);
                frame.branch(merge);
            }
            frame.label(merge);
        }
    })
}

fn access_chains(count: usize) -> Vec<u32> {
    let mut variable = 0;
    let mut frame = Frame::start_with(|w| {
        variable = w.id();
        vec![variable]
    });
    frame.types();
    let [structure, to_structure, to_integer] = std::array::from_fn(|_| frame.w.id());
    let (integer, zero) = (frame.integer, frame.zero);
    let w = &mut frame.w;
    w.instruction(Op::TypeStruct, &[structure, integer, integer]);
    let private = StorageClass::Private.0;
    w.instruction(Op::TypePointer, &[to_structure, private, structure]);
    w.instruction(Op::TypePointer, &[to_integer, private, integer]);
    w.instruction(Op::Variable, &[to_structure, variable, private]);
    frame.begin(frame.main);
    for _ in 0..count {
        let chain = frame.w.id();
        frame
            .w
            .instruction(Op::AccessChain, &[to_integer, chain, variable, zero]);
    }
    frame.end();
    frame.w.finish()
}

fn large_loads(count: usize) -> Vec<u32> {
    let mut variable = 0;
    let mut frame = Frame::start_with(|w| {
        variable = w.id();
        vec![variable]
    });
    frame.types();
    let [structure, pointer] = std::array::from_fn(|_| frame.w.id());
    let mut operands = vec![structure];
    operands.resize(16_000, frame.integer);
    let w = &mut frame.w;
    w.instruction(Op::TypeStruct, &operands);
    let private = StorageClass::Private.0;
    w.instruction(Op::TypePointer, &[pointer, private, structure]);
    w.instruction(Op::Variable, &[pointer, variable, private]);
    frame.begin(frame.main);
    for _ in 0..count {
        let load = frame.w.id();
        frame.w.instruction(Op::Load, &[structure, load, variable]);
    }
    frame.end();
    frame.w.finish()
}

/// Each with a null, so that all of them are looked through.
fn nested_arrays(count: usize) -> Vec<u32> {
    let mut frame = Frame::start();
    frame.types();
    let one = frame.w.id();
    let mut element = frame.integer;
    frame.w.instruction(Op::Constant, &[frame.integer, one, 1]);
    for _ in 0..count {
        let [array, null] = std::array::from_fn(|_| frame.w.id());
        frame.w.instruction(Op::TypeArray, &[array, element, one]);
        frame.w.instruction(Op::ConstantNull, &[array, null]);
        element = array;
    }
    frame.begin(frame.main);
    frame.end();
    frame.w.finish()
}

/// An instruction holds at most 65,535 words, so the group is applied several
/// times.
fn group_targets(count: usize) -> Vec<u32> {
    let mut frame = Frame::start();
    let group = frame.w.id();
    let targets: Vec<u32> = (0..count).map(|_| frame.w.id()).collect();
    for decoration in [Decoration::RelaxedPrecision, Decoration::NoContraction] {
        frame.w.instruction(Op::Decorate, &[group, decoration.0]);
    }
    frame.w.instruction(Op::DecorationGroup, &[group]);
    for targets in targets.chunks(60_000) {
        let operands: Vec<u32> = std::iter::once(&group).chain(targets).copied().collect();
        frame.w.instruction(Op::GroupDecorate, &operands);
    }
    frame.types();
    frame.begin(frame.main);
    let (integer, zero) = (frame.integer, frame.zero);
    for target in targets {
        frame
            .w
            .instruction(Op::IAdd, &[integer, target, zero, zero]);
    }
    frame.end();
    frame.w.finish()
}

/// As many functions in a chain of calls, all of which use a variable.
fn entry_points(count: usize) -> Vec<u32> {
    let mut w = Writer::with_capacity(1024);
    let variable = w.id();
    let mains: Vec<u32> = (0..count).map(|_| w.id()).collect();
    w.instruction(Op::Capability, &[Capability::Shader.0]);
    w.instruction(
        Op::MemoryModel,
        &[AddressingModel::Logical.0, MemoryModel::GLSL450.0],
    );
    for &main in &mains {
        // Four letters for a name.
        let digits = |number: u32| {
            (0..4).fold(0, |word, at| {
                (word << 8) | (0x61 + ((number >> (4 * at)) & 15))
            })
        };
        w.instruction(
            Op::EntryPoint,
            &[ExecutionModel::GLCompute.0, main, digits(main), 0, variable],
        );
    }
    for &main in &mains {
        w.instruction(
            Op::ExecutionMode,
            &[main, ExecutionMode::LocalSize.0, 1, 1, 1],
        );
    }
    let mut frame = Frame {
        w,
        void: 0,
        function_type: 0,
        boolean: 0,
        integer: 0,
        truth: 0,
        zero: 0,
        main: 0,
    };
    frame.types();
    let pointer = frame.w.id();
    let private = StorageClass::Private.0;
    frame
        .w
        .instruction(Op::TypePointer, &[pointer, private, frame.integer]);
    frame
        .w
        .instruction(Op::Variable, &[pointer, variable, private]);
    let shared: Vec<u32> = (0..count).map(|_| frame.w.id()).collect();
    for &main in &mains {
        frame.begin(main);
        let call = frame.w.id();
        frame
            .w
            .instruction(Op::FunctionCall, &[frame.void, call, shared[0]]);
        frame.end();
    }
    for (index, &function) in shared.iter().enumerate() {
        frame.begin(function);
        if let Some(&next) = shared.get(index + 1) {
            let call = frame.w.id();
            frame
                .w
                .instruction(Op::FunctionCall, &[frame.void, call, next]);
        }
        frame.w.instruction(Op::Store, &[variable, frame.zero]);
        frame.end();
    }
    frame.w.finish()
}
