//! Random programs do the same whether they are optimized or not: the same contents of buffers,
//! and the same findings as many times, of which they have many, because nothing is masked.

use std::fmt::Write;

use proptest::prelude::*;
use spirvkit_interp::{Outcome, Run};

use crate::shader::with_functions;

/// How many numbers the buffers have, of each of both kinds.
const WORDS: u32 = 64;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

/// Writes the body of a function.
struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    /// All ids that are made begin so.
    prefix: &'static str,
    ids: u32,
    /// What values there are at a place: integers and numbers.
    words: Vec<String>,
    floats: Vec<String>,
    /// The block that is being written.
    block: String,
    /// How many statements there may still be.
    budget: u32,
    /// Whether the other function may be called.
    calls: bool,
}

impl Writer<'_> {
    fn id(&mut self) -> String {
        self.ids += 1;
        format!("%{}{}", self.prefix, self.ids)
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn inst(&mut self, rest: &str) -> String {
        let id = self.id();
        let _ = writeln!(self.text, "{id} = {rest}");
        id
    }

    fn label(&mut self, label: String) {
        let _ = writeln!(self.text, "{label} = OpLabel");
        self.block = label;
    }

    /// One of the values that there are, rather a late one or a constant.
    fn word(&mut self) -> String {
        if self.random.below(4) == 0 {
            return self.words[self.random.below(5) as usize].clone();
        }
        let count = self.words.len() as u64;
        let back = self.random.below(count).min(self.random.below(count));
        self.words[(count - 1 - back) as usize].clone()
    }

    fn float(&mut self) -> String {
        let count = self.floats.len() as u64;
        let back = self.random.below(count).min(self.random.below(count));
        self.floats[(count - 1 - back) as usize].clone()
    }

    fn condition(&mut self) -> String {
        match self.random.below(3) {
            0 => {
                let [a, b] = [self.float(), self.float()];
                let op = self
                    .random
                    .of(&["FOrdLessThan", "FUnordEqual", "FOrdGreaterThanEqual"]);
                self.inst(&format!("Op{op} %bool {a} {b}"))
            }
            1 => {
                let [a, b] = [self.word(), self.word()];
                let op = self.random.of(&["ULessThan", "IEqual", "SGreaterThan"]);
                self.inst(&format!("Op{op} %bool {a} {b}"))
            }
            _ => {
                let a = self.word();
                let bit = self.inst(&format!("OpBitwiseAnd %u32 {a} %u1"));
                self.inst(&format!("OpINotEqual %bool {bit} %u0"))
            }
        }
    }

    /// A pointer to a word or number, where nothing may be.
    fn pointer(&mut self, class: &str, ty: &str) -> String {
        let index = self.word();
        // Most of them are somewhere.
        let index = match self.random.below(4) {
            0 => index,
            _ => self.inst(&format!("OpUMod %u32 {index} %u64")),
        };
        self.inst(&format!("OpAccessChain {class}_{ty} %{ty}s %u0 {index}"))
    }

    fn statement(&mut self) {
        match self.random.below(13) {
            0..=3 => {
                let [a, b] = [self.word(), self.word()];
                let op = self.random.of(&[
                    "IAdd",
                    "ISub",
                    "IMul",
                    "UDiv",
                    "UMod",
                    "SDiv",
                    "SRem",
                    "BitwiseXor",
                    "BitwiseAnd",
                    "ShiftLeftLogical",
                    "ShiftRightLogical",
                    "ShiftRightArithmetic",
                ]);
                let word = self.inst(&format!("Op{op} %u32 {a} {b}"));
                self.words.push(word);
            }
            4..=6 => {
                let [a, b] = [self.float(), self.float()];
                let op = self.random.of(&["FAdd", "FSub", "FMul", "FDiv"]);
                let float = self.inst(&format!("Op{op} %f32 {a} {b}"));
                self.floats.push(float);
            }
            7 => {
                let [a, b, c] = [self.float(), self.float(), self.float()];
                let float = match self.random.below(6) {
                    0 => self.inst(&format!("OpExtInst %f32 %glsl Fma {a} {b} {c}")),
                    1 => self.inst(&format!("OpExtInst %f32 %glsl FClamp {a} {b} {c}")),
                    2 => self.inst(&format!("OpExtInst %f32 %glsl Sqrt {a}")),
                    3 => self.inst(&format!("OpExtInst %f32 %glsl NMin {a} {b}")),
                    4 => self.inst(&format!("OpFNegate %f32 {a}")),
                    _ => {
                        let word = self.word();
                        self.inst(&format!("OpConvertUToF %f32 {word}"))
                    }
                };
                self.floats.push(float);
            }
            8 => {
                let float = self.float();
                let word = match self.random.below(3) {
                    0 => self.inst(&format!("OpBitcast %u32 {float}")),
                    1 => self.inst(&format!("OpConvertFToU %u32 {float}")),
                    _ => {
                        let condition = self.condition();
                        let [a, b] = [self.word(), self.word()];
                        self.inst(&format!("OpSelect %u32 {condition} {a} {b}"))
                    }
                };
                self.words.push(word);
            }
            9 => {
                let ty = self.random.of(&["word", "float"]);
                let class = self.random.of(&["%buffer", "%buffer", "%own"]);
                let ty_id = if ty == "word" { "%u32" } else { "%f32" };
                let pointer = match class {
                    "%buffer" => self.pointer(class, ty),
                    _ => format!("%own_{ty}"),
                };
                let value = self.inst(&format!("OpLoad {ty_id} {pointer}"));
                match ty {
                    "word" => self.words.push(value),
                    _ => self.floats.push(value),
                }
            }
            10 => {
                let ty = self.random.of(&["word", "float"]);
                let class = self.random.of(&["%buffer", "%buffer", "%own"]);
                let pointer = match class {
                    "%buffer" => self.pointer(class, ty),
                    _ => format!("%own_{ty}"),
                };
                let value = if ty == "word" {
                    self.word()
                } else {
                    self.float()
                };
                self.line(&format!("OpStore {pointer} {value}"));
            }
            11 if self.calls => {
                let a = self.word();
                let word = self.inst(&format!("OpFunctionCall %u32 %function {a}"));
                self.words.push(word);
            }
            _ => {
                let condition = self.condition();
                let ballot = self.inst(&format!("OpGroupNonUniformBallot %v4u32 %u3 {condition}"));
                let word = self.inst(&format!("OpCompositeExtract %u32 {ballot} 0"));
                self.words.push(word);
            }
        }
    }

    /// Writes an arm of a selection, which begins with a label, and ends where it goes on to
    /// another. Gives the last values there.
    fn arm(&mut self, label: String, end: &str, depth: u32) -> [String; 3] {
        let known = [self.words.len(), self.floats.len()];
        self.label(label);
        self.statements(depth + 1);
        let last = [self.word(), self.float(), self.block.clone()];
        self.line(&format!("OpBranch {end}"));
        self.words.truncate(known[0]);
        self.floats.truncate(known[1]);
        last
    }

    fn selection(&mut self, depth: u32) {
        let condition = self.condition();
        let [then, otherwise, merge] = [self.id(), self.id(), self.id()];
        self.line(&format!("OpSelectionMerge {merge} None"));
        self.line(&format!(
            "OpBranchConditional {condition} {then} {otherwise}"
        ));
        let [a, x, from] = self.arm(then, &merge, depth);
        let [b, y, other] = self.arm(otherwise, &merge, depth);
        self.label(merge);
        let word = self.inst(&format!("OpPhi %u32 {a} {from} {b} {other}"));
        let float = self.inst(&format!("OpPhi %f32 {x} {from} {y} {other}"));
        self.words.push(word);
        self.floats.push(float);
    }

    /// A loop of at most four turns, which lanes may leave earlier.
    fn turns(&mut self, depth: u32) {
        let [header, inside, next, merge] = [self.id(), self.id(), self.id(), self.id()];
        let [turn, more, word, float] = [self.id(), self.id(), self.id(), self.id()];
        let (a, x, from) = (self.word(), self.float(), self.block.clone());
        let known = [self.words.len(), self.floats.len()];
        self.line(&format!("OpBranch {header}"));
        self.block.clone_from(&header);
        // The phis are written when it is known what they get.
        let begin = std::mem::take(&mut self.text);
        self.words.extend([turn.clone(), word.clone()]);
        self.floats.push(float.clone());
        let on = self.condition();
        let few = self.inst(&format!("OpULessThan %bool {turn} %u4"));
        let both = self.inst(&format!("OpLogicalAnd %bool {few} {on}"));
        self.line(&format!("OpLoopMerge {merge} {next} None"));
        self.line(&format!("OpBranchConditional {both} {inside} {merge}"));
        let at_header = [self.words.len(), self.floats.len()];
        self.label(inside);
        self.statements(depth + 1);
        if self.random.below(2) == 0 {
            let on = self.id();
            let leaves = self.condition();
            let selected = self.id();
            self.line(&format!("OpSelectionMerge {selected} None"));
            self.line(&format!("OpBranchConditional {leaves} {on} {selected}"));
            self.label(on);
            self.statement();
            self.line(&format!("OpBranch {merge}"));
            self.words.truncate(at_header[0]);
            self.floats.truncate(at_header[1]);
            self.label(selected);
        }
        let (b, y) = (self.word(), self.float());
        self.line(&format!("OpBranch {next}"));
        self.label(next.clone());
        self.line(&format!("{more} = OpIAdd %u32 {turn} %u1"));
        self.line(&format!("OpBranch {header}"));
        let body = std::mem::replace(&mut self.text, begin);
        let _ = write!(
            self.text,
            "{header} = OpLabel
{turn} = OpPhi %u32 %u0 {from} {more} {next}
{word} = OpPhi %u32 {a} {from} {b} {next}
{float} = OpPhi %f32 {x} {from} {y} {next}
{body}"
        );
        self.words.truncate(known[0] + 2);
        self.floats.truncate(known[1] + 1);
        self.label(merge);
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(5) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            match self.random.below(8) {
                0 if depth < 4 => self.selection(depth),
                1 if depth < 3 => self.turns(depth),
                _ => self.statement(),
            }
        }
    }
}

/// The text of a function's body, and a value at its end.
fn body(random: &mut Random, prefix: &'static str, first: &str, budget: u32) -> (String, String) {
    let mut writer = Writer {
        random,
        text: String::new(),
        prefix,
        ids: 0,
        words: ["%u0", "%u1", "%u3", "%u8", "%u31", first]
            .map(str::to_owned)
            .to_vec(),
        floats: ["%f1", "%f2", "%nan"].map(str::to_owned).to_vec(),
        block: match prefix {
            "main_" => "%entry".to_owned(),
            _ => "%begin".to_owned(),
        },
        budget,
        calls: prefix == "main_",
    };
    while writer.budget > 0 {
        writer.statements(0);
    }
    let last = writer.word();
    (writer.text, last)
}

fn module(seed: u64) -> Vec<u32> {
    let mut random = Random(seed | 1);
    random.below(2);
    let budget = 20 + random.below(60) as u32;
    let (main, last) = body(&mut random, "main_", "%value", budget);
    let (function, result) = body(&mut random, "function_", "%parameter", 12);
    let globals = "OpDecorate %words DescriptorSet 0
OpDecorate %words Binding 2
OpDecorate %floats DescriptorSet 0
OpDecorate %floats Binding 3
OpDecorate %float_array ArrayStride 4
OpDecorate %float_block Block
OpMemberDecorate %float_block 0 Offset 0";
    let types = "%unary = OpTypeFunction %u32 %u32
%nan = OpConstant %f32 0x1.8p+128
%float_array = OpTypeRuntimeArray %f32
%float_block = OpTypeStruct %float_array
%ptr_floats = OpTypePointer StorageBuffer %float_block
%buffer_word = OpTypePointer StorageBuffer %u32
%buffer_float = OpTypePointer StorageBuffer %f32
%ptr_own_word = OpTypePointer Private %u32
%ptr_own_float = OpTypePointer Private %f32
%words = OpVariable %ptr_block StorageBuffer
%floats = OpVariable %ptr_floats StorageBuffer
%own_word = OpVariable %ptr_own_word Private %u0
%own_float = OpVariable %ptr_own_float Private %f1";
    let main = format!("{main}\n%result = OpIAdd %u32 {last} %u1");
    let function = format!(
        "%function = OpFunction %u32 None %unary
%parameter = OpFunctionParameter %u32
%begin = OpLabel
{function}
OpReturnValue {result}
OpFunctionEnd"
    );
    with_functions(&format!("{globals}\n{types}"), &main, &function)
}

fn outcome(words: &[u32], size: u32, is_optimized: bool) -> Outcome {
    let inputs: Vec<u32> = (0..WORDS)
        .map(|index| index.wrapping_mul(0x9e37_79b9) >> (index % 32))
        .collect();
    let floats: Vec<f32> = (0..WORDS).map(|index| index as f32 - 31.5).collect();
    let run = Run::new(words).subgroup_size(size).optimized(is_optimized);
    let run = run.storage(0, 0, &inputs).zeroed(0, 1, 4 * WORDS as usize);
    let run = run.storage(0, 2, &inputs).storage(0, 3, &floats);
    run.dispatch([2, 1, 1]).unwrap()
}

fn agrees(seed: u64) -> Result<(), String> {
    let words = module(seed);
    for size in [4, 8, 32] {
        let [fast, plain] = [true, false].map(|is| outcome(&words, size, is));
        for binding in 0..4 {
            if fast.bytes(0, binding) != plain.bytes(0, binding) {
                return Err(format!(
                    "seed {seed}, subgroups of {size}: binding {binding}"
                ));
            }
        }
        if fast.findings != plain.findings {
            let [fast, plain] = [fast.findings, plain.findings];
            return Err(format!(
                "seed {seed}, subgroups of {size}: {fast:?}, not {plain:?}"
            ));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::shader::cases(24))]

    #[test]
    fn random_programs_do_the_same(seed in any::<u64>()) {
        agrees(seed).map_err(TestCaseError::fail)?;
    }
}
