//! Reading the debug information of modules with very many debugging instructions, writing
//! it as DWARF, and asking about it: time must grow with their number for the first two,
//! and with its logarithm for a look-up.

use divan::Bencher;
use divan::counter::ItemsCount;
use spirvkit::binary::{Id, WordOffset};
use spirvkit::debuginfo::dwarf::{self, Options};
use spirvkit::debuginfo::{DebugInfo, Kind, Set};
use spirvkit::grammar::Op;
use spirvkit_bench::series::{self, Case};
use spirvkit_bench::writer::Writer;

fn main() {
    divan::main();
}

const SIZES: [u32; 3] = [500_000, 1_000_000, 2_000_000];

fn cases() -> impl Iterator<Item = Case<Set>> {
    series::cases(&SETS, &SIZES, "instructions")
}

const SETS: [(Set, &str); 3] = [
    (Set::DebugInfo, "DebugInfo"),
    (Set::OpenCl100, "OpenCL.DebugInfo.100"),
    (Set::Shader, "NonSemantic.Shader.DebugInfo.100"),
];

const VOID: u32 = 1;
const SET: u32 = 2;
const FILE: u32 = 3;
const NAME: u32 = 4;
const UINT: u32 = 5;
const FUNCTION_TYPE: u32 = 6;
const SOURCE: u32 = 7;
const UNIT: u32 = 8;
const INT: u32 = 9;
const EXPRESSION: u32 = 10;
const DEBUG_FUNCTION_TYPE: u32 = 11;
/// The constants 0, 1, … start here.
const CONSTANTS: u32 = 16;
/// How many lines a function has, with six debugging instructions each.
const LINES: u32 = 20;
const PER_LINE: u32 = 6;

/// Writes a module: functions whose lines each have a block, a variable, and a value of
/// it, and structures with a member for each line.
struct Maker {
    code: Writer,
    set: Set,
}

impl Maker {
    fn core(&mut self, op: Op, operands: &[u32]) {
        self.code.instruction(op, operands);
    }

    fn text(&mut self, op: Op, id: u32, text: &str) {
        self.code.text(op, id, text);
    }

    /// A number as the set writes it: a literal, or a constant.
    fn number(&self, number: u32) -> u32 {
        match self.set {
            Set::Shader => CONSTANTS + number,
            _ => number,
        }
    }

    fn debug(&mut self, id: u32, kind: Kind, operands: &[u32]) {
        let mut all = vec![VOID, id, SET, kind.number()];
        all.extend(operands);
        self.core(Op::ExtInst, &all);
    }

    fn fresh(&mut self) -> u32 {
        self.code.id()
    }

    /// Places are lines 1 to 20, columns 0.
    fn place(&self, line: u32) -> [u32; 3] {
        let source = match self.set {
            Set::DebugInfo => FILE,
            _ => SOURCE,
        };
        [source, self.number(line), self.number(0)]
    }
}

fn module(case: Case<Set>) -> Vec<u32> {
    let (set, instructions) = (case.shape, case.size);
    let mut writer = Maker {
        code: Writer::with_ids_below(CONSTANTS + 64),
        set,
    };
    let w = &mut writer;
    w.text(Op::ExtInstImport, SET, set.import_name());
    w.text(Op::String, FILE, "shader.comp");
    w.text(Op::String, NAME, "x");
    w.core(Op::TypeVoid, &[VOID]);
    w.core(Op::TypeInt, &[UINT, 32, 0]);
    for number in 0..64 {
        w.core(Op::Constant, &[UINT, CONSTANTS + number, number]);
    }
    w.core(Op::TypeFunction, &[FUNCTION_TYPE, VOID]);
    if set != Set::DebugInfo {
        w.debug(SOURCE, Kind::Source, &[FILE]);
    }
    let [zero, one, four] = [0, 1, 4].map(|number| w.number(number));
    match set {
        Set::DebugInfo => w.debug(UNIT, Kind::CompilationUnit, &[FILE, 1, 4]),
        _ => w.debug(UNIT, Kind::CompilationUnit, &[one, four, SOURCE, one]),
    }
    w.debug(INT, Kind::TypeBasic, &[NAME, CONSTANTS + 32, four]);
    w.debug(EXPRESSION, Kind::Expression, &[]);
    match set {
        Set::DebugInfo => w.debug(DEBUG_FUNCTION_TYPE, Kind::TypeFunction, &[VOID]),
        _ => w.debug(DEBUG_FUNCTION_TYPE, Kind::TypeFunction, &[zero, VOID]),
    }
    let count = instructions / (LINES * PER_LINE);
    let mut bodies = Vec::new();
    for _ in 0..count {
        let (function, described) = (w.fresh(), w.fresh());
        let mut operands = vec![NAME, DEBUG_FUNCTION_TYPE];
        operands.extend(w.place(1));
        operands.extend([UNIT, NAME, zero, one]);
        if set != Set::Shader {
            operands.push(function);
        }
        w.debug(described, Kind::Function, &operands);
        let mut lines = Vec::new();
        for line in 1..=LINES {
            let (block, variable, member) = (w.fresh(), w.fresh(), w.fresh());
            let mut operands = w.place(line).to_vec();
            operands.push(described);
            w.debug(block, Kind::LexicalBlock, &operands);
            let mut operands = vec![NAME, INT];
            operands.extend(w.place(line));
            operands.push(block);
            if set != Set::DebugInfo {
                operands.push(zero);
            }
            w.debug(variable, Kind::LocalVariable, &operands);
            let mut operands = vec![NAME, INT];
            operands.extend(w.place(line));
            if set != Set::Shader {
                operands.push(described);
            }
            operands.extend([CONSTANTS, CONSTANTS + 32, zero]);
            w.debug(member, Kind::TypeMember, &operands);
            lines.push((block, variable));
        }
        bodies.push((function, described, lines));
    }
    for (function, described, lines) in bodies {
        w.core(Op::Function, &[VOID, function, 0, FUNCTION_TYPE]);
        let label = w.fresh();
        w.core(Op::Label, &[label]);
        if set == Set::Shader {
            let id = w.fresh();
            w.debug(id, Kind::FunctionDefinition, &[described, function]);
        }
        for (line, (block, variable)) in (1..).zip(lines) {
            let [scope, place, value, sum] = [(); 4].map(|()| w.fresh());
            w.debug(scope, Kind::Scope, &[block]);
            match set {
                Set::Shader => {
                    let [line, zero] = [line, 0].map(|number| w.number(number));
                    w.debug(place, Kind::Line, &[SOURCE, line, line, zero, zero]);
                }
                _ => w.core(Op::Line, &[FILE, line, 0]),
            }
            w.debug(value, Kind::Value, &[variable, CONSTANTS, EXPRESSION]);
            w.core(Op::IAdd, &[UINT, sum, CONSTANTS, CONSTANTS]);
        }
        w.core(Op::Return, &[]);
        w.core(Op::FunctionEnd, &[]);
    }
    writer.code.finish()
}

#[divan::bench(args = cases())]
fn read(bencher: Bencher<'_, '_>, case: Case<Set>) {
    let words = module(case);
    let read = || DebugInfo::read(&words).expect("a module");
    let count = read().entries().count();
    bencher
        .counter(ItemsCount::new(count))
        .bench_local(|| read().functions().len());
}

#[divan::bench(args = cases())]
fn dwarf(bencher: Bencher<'_, '_>, case: Case<Set>) {
    let words = module(case);
    let info = DebugInfo::read(&words).expect("a module");
    bencher
        .counter(ItemsCount::new(info.entries().count()))
        .bench_local(|| dwarf::object(&info, &Options::default()).map(|object| object.len()));
}

/// The position, scope and variables of one instruction in the middle, and the
/// instructions of a line.
#[divan::bench(args = cases())]
fn look_up(bencher: Bencher<'_, '_>, case: Case<Set>) {
    let words = module(case);
    let info = DebugInfo::read(&words).expect("a module");
    let functions = info.functions();
    let middle = &functions[functions.len() / 2];
    let at = WordOffset(middle.words.end - 10);
    let file = info.file_of(Id(FILE)).expect("a file");
    assert_eq!(info.position(at).map(|position| position.line), Some(LINES));
    bencher.bench_local(|| {
        let found = info.instructions_of(file, LINES).next();
        (info.position(at), info.variables(at).count(), found)
    });
}
