//! Random structured programs tell by ballots which invocations execute together, and an
//! independent reference says which must (SPV_KHR_maximal_reconvergence).
//!
//! The reference goes through a program as a tree, with sets of lanes: what comes out of a branch, a turn of a loop or
//! a call is what went in, less what breaks, continues or returns. It knows nothing of blocks, and nothing
//! waits in it.

use std::fmt::Write;

use proptest::prelude::*;
use spirvkit_interp::Run;

use crate::shader::{SIZES, cases, with_functions};

/// What a program consists of.
#[derive(Clone, Debug)]
enum Statement {
    /// Mixes what tells who is here into the invocation's number.
    Observe(Observation),
    If(u32, Vec<Statement>, Vec<Statement>),
    /// Cases, and of each whether it goes on with the next.
    Switch(u32, Vec<(Vec<Statement>, bool)>),
    /// Each invocation takes as many turns as the condition says, 1 to 4.
    Loop(Loop),
    Break,
    Continue,
    /// Leaves the loop, or goes on with its continue construct, if the condition says so, without
    /// a merge block.
    BreakIf(u32),
    ContinueIf(u32),
    Return,
    Call(usize),
}

#[derive(Clone, Debug)]
struct Loop {
    salt: u32,
    body: Vec<Statement>,
    /// What is observed in the continue construct.
    continuing: Vec<Observation>,
    /// Whether the condition stands at the end of the turn, behind what is observed there.
    is_at_end: bool,
}

/// What depends on who is here.
#[derive(Clone, Copy, Debug)]
enum Observation {
    Ballot,
    /// Whether the invocation is the first.
    Elect,
    /// What the first has to decide by.
    First,
    /// The sum of what all have to decide by, or of those before.
    Sum,
    SumBefore,
}

const OBSERVATIONS: [Observation; 5] = [
    Observation::Ballot,
    Observation::Elect,
    Observation::First,
    Observation::Sum,
    Observation::SumBefore,
];

/// Functions, of which each calls only those behind it. The first is the entry point's.
type Program = Vec<Vec<Statement>>;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

/// A ballot most of the time.
fn observation(random: &mut Random) -> Observation {
    let index = random.below(10) as usize;
    OBSERVATIONS
        .get(index)
        .copied()
        .unwrap_or(Observation::Ballot)
}

fn program(seed: u64) -> Program {
    let mut random = Random(seed | 1);
    random.below(2);
    let count = 1 + random.below(3) as usize;
    let functions = (0..count).map(|index| {
        let mut budget = 24;
        statements(&mut random, 0, false, index, count, &mut budget)
    });
    functions.collect()
}

fn statements(
    random: &mut Random,
    depth: u32,
    in_loop: bool,
    function: usize,
    count: usize,
    budget: &mut u32,
) -> Vec<Statement> {
    let mut all = vec![Statement::Observe(observation(random))];
    for _ in 0..1 + random.below(3) {
        if *budget == 0 || depth > 5 {
            break;
        }
        *budget -= 1;
        let salt = random.below(1 << 16) as u32;
        let mut inner = |random: &mut Random, in_loop| {
            statements(random, depth + 1, in_loop, function, count, budget)
        };
        match random.below(12) {
            0..=2 => {
                let then = inner(random, in_loop);
                let otherwise = match random.below(2) {
                    0 => Vec::new(),
                    _ => inner(random, in_loop),
                };
                all.push(Statement::If(salt, then, otherwise));
            }
            3..=4 => {
                let body = inner(random, true);
                let continuing = (0..random.below(3)).map(|_| observation(random));
                all.push(Statement::Loop(Loop {
                    salt,
                    body,
                    continuing: continuing.collect(),
                    is_at_end: random.below(2) == 0,
                }));
            }
            5 => {
                let count = 2 + random.below(2);
                let cases = (0..count).map(|index| {
                    let falls = index + 1 < count && random.below(3) == 0;
                    (inner(random, in_loop), falls)
                });
                let cases = cases.collect();
                all.push(Statement::Switch(salt, cases));
            }
            6 if function + 1 < count => {
                let callee = function + 1 + random.below((count - function - 1) as u64) as usize;
                all.push(Statement::Call(callee));
            }
            // What leaves comes last, and only some of the time.
            7 if in_loop && depth > 0 => {
                all.push(Statement::Break);
                return all;
            }
            8 if in_loop && depth > 0 => {
                all.push(Statement::Continue);
                return all;
            }
            9 if depth > 0 => {
                all.push(Statement::Return);
                return all;
            }
            10 if in_loop => all.push(Statement::BreakIf(salt)),
            11 if in_loop => all.push(Statement::ContinueIf(salt)),
            _ => {}
        }
        all.push(Statement::Observe(observation(random)));
    }
    all
}

/// A number that seems random, from an invocation's and a place's.
fn mixed(value: u32, salt: u32) -> u32 {
    (value ^ salt).wrapping_mul(0x9e37_79b1) >> 24
}

/// The lanes that leave a part of the program in each way.
#[derive(Clone, Copy, Default)]
struct Ways {
    on: u64,
    broken: u64,
    continued: u64,
    returned: u64,
}

struct Reference<'p> {
    program: &'p Program,
    /// What each lane decides by.
    values: Vec<u32>,
    numbers: Vec<u32>,
}

impl Reference<'_> {
    fn choose(&self, lanes: u64, is: impl Fn(u32) -> bool) -> u64 {
        let lanes = (0..64).filter(|lane| lanes >> lane & 1 != 0 && is(self.values[*lane]));
        lanes.fold(0, |all, lane| all | 1 << lane)
    }

    fn all(&mut self, statements: &[Statement], lanes: u64) -> Ways {
        let mut ways = Ways {
            on: lanes,
            ..Ways::default()
        };
        for statement in statements {
            if ways.on == 0 {
                break;
            }
            let next = self.one(statement, ways.on);
            ways.on = next.on;
            ways.broken |= next.broken;
            ways.continued |= next.continued;
            ways.returned |= next.returned;
        }
        ways
    }

    fn parts(&mut self, parts: impl IntoIterator<Item = (u64, Vec<Statement>)>) -> Ways {
        let mut all = Ways::default();
        for (lanes, statements) in parts {
            let ways = self.all(&statements, lanes);
            all.on |= ways.on;
            all.broken |= ways.broken;
            all.continued |= ways.continued;
            all.returned |= ways.returned;
        }
        all
    }

    fn observe(&mut self, observation: Observation, lanes: u64) {
        let first = lanes.trailing_zeros() as usize;
        let mut sum = 0u32;
        let all = (0..64).filter(|lane| lanes >> lane & 1 != 0);
        let total = all
            .clone()
            .fold(0u32, |sum, lane| sum.wrapping_add(self.values[lane]));
        for lane in all {
            let before = sum;
            sum = sum.wrapping_add(self.values[lane]);
            let here = match observation {
                Observation::Ballot => lanes as u32 ^ ((lanes >> 32) as u32).wrapping_mul(3),
                Observation::Elect => u32::from(lane == first),
                Observation::First => self.values[first],
                Observation::Sum => total,
                Observation::SumBefore => before,
            };
            let number = &mut self.numbers[lane];
            *number = number.wrapping_mul(31).wrapping_add(here);
        }
    }

    fn one(&mut self, statement: &Statement, lanes: u64) -> Ways {
        let mut ways = Ways::default();
        match statement {
            Statement::Observe(observation) => {
                self.observe(*observation, lanes);
                ways.on = lanes;
            }
            Statement::If(salt, then, otherwise) => {
                let chosen = self.choose(lanes, |value| mixed(value, *salt) & 1 != 0);
                let parts = [(chosen, then.clone()), (lanes & !chosen, otherwise.clone())];
                return self.parts(parts);
            }
            Statement::Switch(salt, cases) => {
                let mut parts = Vec::new();
                for (index, (case, falls)) in cases.iter().enumerate() {
                    let is_last = index + 1 == cases.len();
                    let chosen = self.choose(lanes, |value| {
                        let selector = mixed(value, *salt) & 3;
                        selector as usize == index || is_last && selector as usize > index
                    });
                    // Those that go on with the next case don't meet those that begin there: no
                    // rule brings them together before the merge block.
                    let mut whole = case.clone();
                    let mut falls = *falls;
                    for (next, also) in &cases[index + 1..] {
                        if falls {
                            whole.extend(next.iter().cloned());
                        }
                        falls &= also;
                    }
                    parts.push((chosen, whole));
                }
                return self.parts(parts);
            }
            Statement::Loop(it) => return self.turns(it, lanes),
            Statement::Break => ways.broken = lanes,
            Statement::Continue => ways.continued = lanes,
            Statement::BreakIf(salt) => {
                ways.broken = self.choose(lanes, |value| mixed(value, *salt) & 1 != 0);
                ways.on = lanes & !ways.broken;
            }
            Statement::ContinueIf(salt) => {
                ways.continued = self.choose(lanes, |value| mixed(value, *salt) & 1 != 0);
                ways.on = lanes & !ways.continued;
            }
            Statement::Return => ways.returned = lanes,
            Statement::Call(function) => {
                let body = self.program[*function].clone();
                self.all(&body, lanes);
                ways.on = lanes;
            }
        }
        ways
    }

    fn turns(&mut self, it: &Loop, lanes: u64) -> Ways {
        let mut ways = Ways::default();
        let mut inside = lanes;
        // Five at the end of which none is left.
        for turn in 0..5 {
            let goes_on = |value: u32, turn: u32| turn < 1 + (mixed(value, it.salt) & 3);
            let chosen = match it.is_at_end {
                true => inside,
                false => self.choose(inside, |value| goes_on(value, turn)),
            };
            ways.on |= inside & !chosen;
            let body = self.all(&it.body, chosen);
            ways.on |= body.broken;
            ways.returned |= body.returned;
            let continuing = body.on | body.continued;
            for &observation in &it.continuing {
                self.observe(observation, continuing);
            }
            inside = match it.is_at_end {
                true => self.choose(continuing, |value| goes_on(value, turn + 1)),
                false => continuing,
            };
            ways.on |= continuing & !inside;
        }
        ways
    }
}

/// Writes a program as assembly.
#[derive(Default)]
struct Writer {
    text: String,
    ids: u32,
    /// Merge block and continue target of the loops around.
    loops: Vec<(u32, u32)>,
}

impl Writer {
    fn id(&mut self) -> u32 {
        self.ids += 1;
        self.ids
    }

    fn line(&mut self, line: &str) {
        self.text += line;
        self.text += "\n";
    }

    /// A number that decides, as `mixed` makes it.
    fn mixed(&mut self, salt: u32) -> u32 {
        let (a, b, c) = (self.id(), self.id(), self.id());
        let _ = writeln!(self.text, "%k{a} = OpBitwiseXor %u32 %value %salt{salt}");
        let _ = writeln!(self.text, "%k{b} = OpIMul %u32 %k{a} %golden");
        let _ = writeln!(self.text, "%k{c} = OpShiftRightLogical %u32 %k{b} %u24");
        c
    }

    /// Writes statements; false if none of the lanes come out at the end.
    fn all(&mut self, statements: &[Statement]) -> bool {
        statements.iter().all(|statement| self.one(statement))
    }

    /// Writes a block that ends at a label, unless it is left before.
    fn part(&mut self, label: u32, statements: &[Statement], end: u32) {
        self.line(&format!("%l{label} = OpLabel"));
        if self.all(statements) {
            self.line(&format!("OpBranch %l{end}"));
        }
    }

    fn observe(&mut self, observation: Observation) {
        let i = self.id();
        let here = match observation {
            Observation::Ballot => format!(
                "%ballot{i} = OpGroupNonUniformBallot %v4u32 %u3 %true
%low{i} = OpCompositeExtract %u32 %ballot{i} 0
%high{i} = OpCompositeExtract %u32 %ballot{i} 1
%times{i} = OpIMul %u32 %high{i} %u3
%here{i} = OpBitwiseXor %u32 %low{i} %times{i}"
            ),
            Observation::Elect => format!(
                "%elected{i} = OpGroupNonUniformElect %bool %u3
%here{i} = OpSelect %u32 %elected{i} %u1 %u0"
            ),
            Observation::First => {
                format!("%here{i} = OpGroupNonUniformBroadcastFirst %u32 %u3 %value")
            }
            Observation::Sum => {
                format!("%here{i} = OpGroupNonUniformIAdd %u32 %u3 Reduce %value")
            }
            Observation::SumBefore => {
                format!("%here{i} = OpGroupNonUniformIAdd %u32 %u3 ExclusiveScan %value")
            }
        };
        let _ = writeln!(
            self.text,
            "{here}
%old{i} = OpLoad %u32 %number
%scaled{i} = OpIMul %u32 %old{i} %u31
%new{i} = OpIAdd %u32 %scaled{i} %here{i}
OpStore %number %new{i}"
        );
    }

    /// Goes to a label if the condition says so, else on.
    fn leave_if(&mut self, salt: u32, label: u32) {
        let number = self.mixed(salt);
        let (i, next) = (self.id(), self.id());
        let _ = writeln!(
            self.text,
            "%bit{i} = OpBitwiseAnd %u32 %k{number} %u1
%is{i} = OpINotEqual %bool %bit{i} %u0
OpBranchConditional %is{i} %l{label} %l{next}
%l{next} = OpLabel"
        );
    }

    fn turns(&mut self, it: &Loop) {
        let number = self.mixed(it.salt);
        let i = self.id();
        let [before, header, inside, next, merge] = std::array::from_fn(|_| self.id());
        let _ = writeln!(
            self.text,
            "%few{i} = OpBitwiseAnd %u32 %k{number} %u3
%turns{i} = OpIAdd %u32 %few{i} %u1
OpBranch %l{before}
%l{before} = OpLabel
OpBranch %l{header}
%l{header} = OpLabel
%turn{i} = OpPhi %u32 %u0 %l{before} %more{i} %l{next}
%on{i} = OpULessThan %bool %turn{i} %turns{i}
OpLoopMerge %l{merge} %l{next} None"
        );
        self.line(&match it.is_at_end {
            true => format!("OpBranch %l{inside}"),
            false => format!("OpBranchConditional %on{i} %l{inside} %l{merge}"),
        });
        self.loops.push((merge, next));
        self.part(inside, &it.body, next);
        self.loops.pop();
        self.line(&format!("%l{next} = OpLabel"));
        for &observation in &it.continuing {
            self.observe(observation);
        }
        let _ = writeln!(self.text, "%more{i} = OpIAdd %u32 %turn{i} %u1");
        match it.is_at_end {
            true => {
                let _ = writeln!(
                    self.text,
                    "%again{i} = OpULessThan %bool %more{i} %turns{i}
OpBranchConditional %again{i} %l{header} %l{merge}"
                );
            }
            false => self.line(&format!("OpBranch %l{header}")),
        }
        self.line(&format!("%l{merge} = OpLabel"));
    }

    fn one(&mut self, statement: &Statement) -> bool {
        match statement {
            Statement::Observe(observation) => self.observe(*observation),
            Statement::If(salt, then, otherwise) => {
                let number = self.mixed(*salt);
                let (i, then_label, other_label, merge) =
                    (self.id(), self.id(), self.id(), self.id());
                let _ = writeln!(
                    self.text,
                    "%bit{i} = OpBitwiseAnd %u32 %k{number} %u1
%is{i} = OpINotEqual %bool %bit{i} %u0
OpSelectionMerge %l{merge} None
OpBranchConditional %is{i} %l{then_label} %l{other_label}"
                );
                self.part(then_label, then, merge);
                self.part(other_label, otherwise, merge);
                self.line(&format!("%l{merge} = OpLabel"));
            }
            Statement::Switch(salt, cases) => {
                let number = self.mixed(*salt);
                let (i, merge) = (self.id(), self.id());
                let labels: Vec<u32> = cases.iter().map(|_| self.id()).collect();
                let last = labels[labels.len() - 1];
                let _ = write!(
                    self.text,
                    "%selector{i} = OpBitwiseAnd %u32 %k{number} %u3
OpSelectionMerge %l{merge} None
OpSwitch %selector{i} %l{last}"
                );
                for (index, label) in labels.iter().enumerate() {
                    let _ = write!(self.text, " {index} %l{label}");
                }
                self.line("");
                for (index, (case, falls)) in cases.iter().enumerate() {
                    let end = match falls {
                        true => labels[index + 1],
                        false => merge,
                    };
                    self.part(labels[index], case, end);
                }
                self.line(&format!("%l{merge} = OpLabel"));
            }
            Statement::Loop(it) => self.turns(it),
            Statement::Break => {
                let merge = self.loops.last().map_or(0, |labels| labels.0);
                self.line(&format!("OpBranch %l{merge}"));
                return false;
            }
            Statement::Continue => {
                let next = self.loops.last().map_or(0, |labels| labels.1);
                self.line(&format!("OpBranch %l{next}"));
                return false;
            }
            Statement::BreakIf(salt) => {
                let merge = self.loops.last().map_or(0, |labels| labels.0);
                self.leave_if(*salt, merge);
            }
            Statement::ContinueIf(salt) => {
                let next = self.loops.last().map_or(0, |labels| labels.1);
                self.leave_if(*salt, next);
            }
            Statement::Return => {
                self.line("OpReturn");
                return false;
            }
            Statement::Call(function) => {
                let i = self.id();
                self.line(&format!(
                    "%call{i} = OpFunctionCall %void %function{function}"
                ));
            }
        }
        true
    }
}

/// The whole module: `%number` and `%value` are private variables, but for reading the value in each function.
fn module(program: &Program) -> Vec<u32> {
    let mut functions = Writer::default();
    for (index, body) in program.iter().enumerate() {
        let _ = writeln!(
            functions.text,
            "%function{index} = OpFunction %void None %fn\n%start{index} = OpLabel"
        );
        let start = functions.text.len();
        let _ = writeln!(functions.text, "%value = OpLoad %u32 %decides");
        if functions.all(body) {
            functions.line("OpReturn");
        }
        functions.line("OpFunctionEnd");
        // The value is another in each function.
        let text = functions
            .text
            .split_off(start)
            .replace("%value", &format!("%value{index}"));
        functions.text += &text;
    }
    let mut salts = Vec::new();
    for (start, _) in functions.text.match_indices("%salt") {
        let digits = functions.text[start + 5..].split_whitespace().next();
        salts.extend(digits.map(str::to_owned));
    }
    salts.sort();
    salts.dedup();
    let salts: String = salts
        .iter()
        .map(|salt| format!("%salt{salt} = OpConstant %u32 {salt}\n"))
        .collect();
    let globals = format!(
        "%ptr_private = OpTypePointer Private %u32
%u24 = OpConstant %u32 24
%golden = OpConstant %u32 0x9e3779b1
{salts}%number = OpVariable %ptr_private Private %u0
%decides = OpVariable %ptr_private Private"
    );
    let body = "OpStore %decides %value
%called = OpFunctionCall %void %function0
%ballot = OpGroupNonUniformBallot %v4u32 %u3 %true
%low = OpCompositeExtract %u32 %ballot 0
%old = OpLoad %u32 %number
%result = OpBitwiseXor %u32 %old %low";
    with_functions(&globals, body, &functions.text)
}

/// Runs a program with subgroups of all sizes, and compares all numbers.
fn agrees(seed: u64) -> Result<(), String> {
    let program = program(seed);
    let words = module(&program);
    let mut random = Random(seed ^ 0x5555 | 1);
    let values: Vec<u32> = (0..64).map(|_| random.below(1 << 32) as u32).collect();
    for size in SIZES {
        let mut expected = Vec::new();
        for values in values.chunks(size as usize) {
            let mut padded = values.to_vec();
            padded.resize(64, 0);
            let mut reference = Reference {
                program: &program,
                values: padded,
                numbers: vec![0; 64],
            };
            let all = u64::MAX >> (64 - size);
            reference.all(&program[0], all);
            let numbers = &reference.numbers[..size as usize];
            expected.extend(numbers.iter().map(|number| number ^ all as u32));
        }
        let run = Run::new(&words)
            .subgroup_size(size)
            .storage(0, 0, &values)
            .zeroed(0, 1, 256);
        let out = run
            .dispatch([1, 1, 1])
            .map_err(|errors| errors.to_string())?;
        if let Some(found) = out.findings.first() {
            return Err(found.to_string());
        }
        if out.read::<u32>(0, 1) != expected {
            return Err(format!("seed {seed}, subgroups of {size}: {program:?}"));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn random_programs_reconverge_as_they_must(seed in any::<u64>()) {
        agrees(seed).map_err(TestCaseError::fail)?;
    }
}
