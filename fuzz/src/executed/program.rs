//! The text of such programs.
//!
//! State is kept in variables, so that any instruction may come after any other. Every operation
//! gets operands for which it is defined: shifts are masked, divisors are odd, indexes are
//! masked, numbers to be converted are clamped. What invocations share is either written
//! between barriers or by atomics of which each location has a single, commutative kind.

use std::fmt::Write;

use crate::recipe::Recipe;

/// Declarations that all programs share.
const FRAME: &str = include_str!("frame.spvasm");

/// How deep statements may be nested, and how many there are in one function.
const DEPTH: usize = 4;
const STATEMENTS: usize = 24;

/// What stands for a kind of value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Float,
    Long,
    Short,
    Byte,
    Vector,
}

impl Kind {
    fn ty(self) -> &'static str {
        match self {
            Self::Word => "%u32",
            Self::Float => "%f32",
            Self::Long => "%u64",
            Self::Short => "%u16",
            Self::Byte => "%u8",
            Self::Vector => "%v4u32",
        }
    }
}

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    /// The labels that a loop is left by, and continued at.
    in_loop: Option<(u32, u32)>,
    /// The function: 0 is the entry point's.
    function: usize,
    functions: usize,
    /// Whether all invocations are here.
    is_uniform: bool,
}

struct Writer<'r, 'b> {
    recipe: &'r mut Recipe<'b>,
    text: String,
    next: u32,
    statements: usize,
    /// The last merge block.
    merge: u32,
}

/// The assembly text of the program that these bytes are a recipe for.
pub fn program_text(bytes: &[u8]) -> String {
    let mut recipe = Recipe::new(bytes);
    let functions = 1 + recipe.below(3);
    let mut writer = Writer {
        recipe: &mut recipe,
        text: FRAME.to_owned(),
        next: 0,
        statements: 0,
        merge: 0,
    };
    for function in 0..functions {
        writer.function(function, functions);
    }
    writer.text
}

impl Writer<'_, '_> {
    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// Writes an instruction with a result, whose id it gives.
    fn inst(&mut self, ty: &str, rest: &str) -> u32 {
        let (opcode, operands) = rest.split_once(' ').unwrap_or((rest, ""));
        let id = self.id();
        let _ = writeln!(self.text, "%r{id} = {opcode} {ty} {operands}");
        id
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn label(&mut self, label: u32) {
        self.line(&format!("%l{label} = OpLabel"));
    }

    fn merge(&mut self, label: u32) {
        self.label(label);
        self.merge = label;
    }

    fn branch(&mut self, label: u32) {
        self.line(&format!("OpBranch %l{label}"));
    }

    fn glsl(&mut self, ty: &str, name: &str, operands: &str) -> u32 {
        self.inst(ty, &format!("OpExtInst %glsl {name} {operands}"))
    }

    fn function(&mut self, index: usize, count: usize) {
        self.statements = 0;
        match index {
            0 => self.line("%main = OpFunction %void None %fn"),
            _ => {
                self.line(&format!("%call{index} = OpFunction %u32 None %unary"));
                self.line(&format!("%p{index} = OpFunctionParameter %u32"));
            }
        }
        let entry = self.id();
        self.label(entry);
        for variable in ["a", "b", "c"] {
            self.line(&format!(
                "%{variable}{index} = OpVariable %ptr_word Function %u0"
            ));
        }
        self.line(&format!("%x{index} = OpVariable %ptr_float Function %f1"));
        self.line(&format!(
            "%n{index} = OpVariable %ptr_array Function %zeros"
        ));
        self.line(&format!(
            "%v{index} = OpVariable %ptr_vector Function %zero_vector"
        ));
        for turn in 0..=DEPTH {
            self.line(&format!(
                "%t{index}_{turn} = OpVariable %ptr_word Function %u0"
            ));
            self.line(&format!(
                "%d{index}_{turn} = OpVariable %ptr_word Function %u0"
            ));
        }
        match index {
            0 => {
                let at = self.inst("%u32", "OpLoad %local");
                let group = self.inst("%v3u32", "OpLoad %group");
                let group = self.inst("%u32", &format!("OpCompositeExtract %r{group} 0"));
                let first = self.inst("%u32", &format!("OpIMul %r{group} %u32x"));
                let all = self.inst("%u32", &format!("OpIAdd %r{first} %r{at}"));
                self.line(&format!("OpStore %b0 %r{all}"));
                self.line(&format!("OpStore %own %r{all}"));
                let from = self.inst("%ptr_element", &format!("OpAccessChain %in %u0 %r{all}"));
                let value = self.inst("%u32", &format!("OpLoad %r{from}"));
                self.line(&format!("OpStore %a0 %r{value}"));
            }
            _ => self.line(&format!("OpStore %a{index} %p{index}")),
        }
        let place = Place {
            depth: 0,
            in_loop: None,
            function: index,
            functions: count,
            is_uniform: index == 0,
        };
        self.block(place);
        let result = self.state(index);
        match index {
            0 => {
                let own = self.inst("%u32", "OpLoad %own");
                let to = self.inst("%ptr_element", &format!("OpAccessChain %out %u0 %r{own}"));
                self.line(&format!("OpStore %r{to} %r{result}"));
                self.line("OpReturn");
            }
            _ => self.line(&format!("OpReturnValue %r{result}")),
        }
        self.line("OpFunctionEnd");
    }

    /// All that a function has computed, in one word.
    fn state(&mut self, index: usize) -> u32 {
        let mut sum = self.load(Kind::Word, &format!("%a{index}"));
        let others = [format!("%b{index}"), format!("%c{index}")];
        for other in others {
            let other = self.load(Kind::Word, &other);
            sum = self.mix(sum, other);
        }
        let number = self.load(Kind::Float, &format!("%x{index}"));
        let bits = self.inst("%u32", &format!("OpBitcast %r{number}"));
        // No specification says what the bits of a NaN are.
        let is_nan = self.inst("%bool", &format!("OpIsNan %r{number}"));
        let bits = self.inst("%u32", &format!("OpSelect %r{is_nan} %u0 %r{bits}"));
        sum = self.mix(sum, bits);
        let vector = self.load(Kind::Vector, &format!("%v{index}"));
        for component in 0..4 {
            let part = format!("OpCompositeExtract %r{vector} {component}");
            let part = self.inst("%u32", &part);
            sum = self.mix(sum, part);
        }
        for element in [0, 3, 7] {
            let at = format!("OpAccessChain %n{index} %u{element}");
            let at = self.inst("%ptr_word", &at);
            let element = self.inst("%u32", &format!("OpLoad %r{at}"));
            sum = self.mix(sum, element);
        }
        sum
    }

    fn mix(&mut self, a: u32, b: u32) -> u32 {
        let times = self.inst("%u32", &format!("OpIMul %r{a} %u31"));
        self.inst("%u32", &format!("OpBitwiseXor %r{times} %r{b}"))
    }

    fn load(&mut self, kind: Kind, from: &str) -> u32 {
        self.inst(kind.ty(), &format!("OpLoad {from}"))
    }

    fn block(&mut self, place: Place) {
        let count = 1 + self.recipe.below(4);
        for _ in 0..count {
            if self.statements >= STATEMENTS || self.recipe.is_empty() {
                return;
            }
            self.statements += 1;
            self.statement(place);
        }
    }

    fn statement(&mut self, place: Place) {
        let f = place.function;
        let inner = place.depth < DEPTH;
        match self.recipe.below(16) {
            0..=2 => {
                let value = self.word(f, 3);
                let variable = self.recipe.pick(&["a", "b", "c"]).unwrap_or("a");
                self.line(&format!("OpStore %{variable}{f} %r{value}"));
            }
            3 | 4 => {
                let value = self.float(f, 3);
                self.line(&format!("OpStore %x{f} %r{value}"));
            }
            5 => {
                let (at, value) = (self.element(f), self.word(f, 2));
                self.line(&format!("OpStore %r{at} %r{value}"));
            }
            6 => {
                let value = self.vector(f);
                self.line(&format!("OpStore %v{f} %r{value}"));
            }
            7 if place.function + 1 < place.functions => {
                let callee = f + 1 + self.recipe.below(place.functions - f - 1);
                let argument = self.word(f, 2);
                let call = format!("OpFunctionCall %call{callee} %r{argument}");
                let result = self.inst("%u32", &call);
                self.line(&format!("OpStore %c{f} %r{result}"));
            }
            8 | 9 if inner => self.selection(place),
            10 if inner => self.turns(place),
            11 if inner => self.rounds(place),
            12 if inner => self.switch(place),
            13 => self.atomic(f),
            14 => self.clustered(f),
            15 if place.is_uniform => self.exchange(f),
            _ => {
                let value = self.word(f, 2);
                self.line(&format!("OpStore %private %r{value}"));
            }
        }
    }

    /// A statement that may leave what it is in: a loop, or a function other than the first.
    /// Whether it did; if so, the block has its end.
    fn leave(&mut self, place: Place) -> bool {
        match (self.recipe.below(6), place.in_loop) {
            (0, Some((out, _))) => self.branch(out),
            (1, Some((_, again))) => self.branch(again),
            (2, _) if place.function > 0 => {
                let value = self.word(place.function, 1);
                self.line(&format!("OpReturnValue %r{value}"));
            }
            _ => return false,
        }
        true
    }

    fn selection(&mut self, place: Place) {
        let f = place.function;
        let condition = self.truth(f, 2);
        let [then, otherwise, merge] = [self.id(), self.id(), self.id()];
        let has_else = self.recipe.once_in(2);
        let to = if has_else { otherwise } else { merge };
        self.line(&format!("OpSelectionMerge %l{merge} None"));
        self.line(&format!(
            "OpBranchConditional %r{condition} %l{then} %l{to}"
        ));
        let inside = Place {
            depth: place.depth + 1,
            is_uniform: false,
            ..place
        };
        let ways = if has_else {
            vec![then, otherwise]
        } else {
            vec![then]
        };
        for way in ways {
            self.label(way);
            self.block(inside);
            if !self.leave(inside) {
                self.branch(merge);
            }
        }
        self.merge(merge);
    }

    /// A loop of up to four turns.
    fn turns(&mut self, place: Place) {
        let f = place.function;
        let turn = format!("%t{f}_{}", place.depth);
        let count = self.word(f, 1);
        let count = self.inst("%u32", &format!("OpBitwiseAnd %r{count} %u3"));
        let [header, test, body, again, merge] = [0; 5].map(|_| self.id());
        self.line(&format!("OpStore {turn} %u0"));
        self.branch(header);
        self.label(header);
        self.line(&format!("OpLoopMerge %l{merge} %l{again} None"));
        self.branch(test);
        self.label(test);
        let now = self.inst("%u32", &format!("OpLoad {turn}"));
        let goes = self.inst("%bool", &format!("OpULessThanEqual %r{now} %r{count}"));
        self.line(&format!("OpBranchConditional %r{goes} %l{body} %l{merge}"));
        self.label(body);
        let inside = Place {
            depth: place.depth + 1,
            in_loop: Some((merge, again)),
            is_uniform: false,
            ..place
        };
        self.block(inside);
        if !self.leave(inside) {
            self.branch(again);
        }
        self.label(again);
        let now = self.inst("%u32", &format!("OpLoad {turn}"));
        let next = self.inst("%u32", &format!("OpIAdd %r{now} %u1"));
        self.line(&format!("OpStore {turn} %r{next}"));
        self.branch(header);
        self.merge(merge);
    }

    /// A loop that tests at its end, after up to four rounds. It may begin right where another
    /// construct ends, and may be a single block.
    fn rounds(&mut self, place: Place) {
        let f = place.function;
        let count = format!("%d{f}_{}", place.depth);
        let [body, again, merge] = [0; 3].map(|_| self.id());
        let header = match self
            .text
            .ends_with(&format!("%l{} = OpLabel\n", self.merge))
        {
            true => self.merge,
            false => {
                let header = self.id();
                self.branch(header);
                self.label(header);
                header
            }
        };
        let value = self.word(f, 2);
        self.line(&format!("OpStore %a{f} %r{value}"));
        let is_single = self.recipe.once_in(2);
        if !is_single {
            self.line(&format!("OpLoopMerge %l{merge} %l{again} None"));
            self.branch(body);
            self.label(body);
            let inside = Place {
                depth: place.depth + 1,
                in_loop: Some((merge, again)),
                is_uniform: false,
                ..place
            };
            self.block(inside);
            if !self.leave(inside) {
                self.branch(again);
            }
            self.label(again);
        }
        let now = self.load(Kind::Word, &count);
        let next = self.inst("%u32", &format!("OpIAdd %r{now} %u1"));
        self.line(&format!("OpStore {count} %r{next}"));
        let rest = self.inst("%u32", &format!("OpBitwiseAnd %r{next} %u3"));
        let goes = self.inst("%bool", &format!("OpINotEqual %r{rest} %u0"));
        if is_single {
            self.line(&format!("OpLoopMerge %l{merge} %l{header} None"));
        }
        self.line(&format!(
            "OpBranchConditional %r{goes} %l{header} %l{merge}"
        ));
        self.merge(merge);
    }

    fn switch(&mut self, place: Place) {
        let f = place.function;
        let selector = self.word(f, 2);
        let selector = self.inst("%u32", &format!("OpBitwiseAnd %r{selector} %u7"));
        let count = 1 + self.recipe.below(4);
        let labels: Vec<u32> = (0..count).map(|_| self.id()).collect();
        let [default, merge] = [self.id(), self.id()];
        let cases: String = labels
            .iter()
            .enumerate()
            .map(|(index, label)| format!(" {index} %l{label}"))
            .collect();
        self.line(&format!("OpSelectionMerge %l{merge} None"));
        self.line(&format!("OpSwitch %r{selector} %l{default}{cases}"));
        let inside = Place {
            depth: place.depth + 1,
            is_uniform: false,
            ..place
        };
        for (index, &label) in labels.iter().enumerate() {
            self.label(label);
            self.block(inside);
            if self.leave(inside) {
                continue;
            }
            let falls = self.recipe.once_in(4);
            match labels.get(index + 1) {
                Some(&next) if falls => self.branch(next),
                _ => self.branch(merge),
            }
        }
        self.label(default);
        self.block(inside);
        if !self.leave(inside) {
            self.branch(merge);
        }
        self.merge(merge);
    }

    /// An atomic whose result nobody looks at. Each location has one kind.
    fn atomic(&mut self, f: usize) {
        const KINDS: [&str; 8] = [
            "OpAtomicIAdd",
            "OpAtomicAnd",
            "OpAtomicOr",
            "OpAtomicXor",
            "OpAtomicUMin",
            "OpAtomicUMax",
            "OpAtomicSMin",
            "OpAtomicSMax",
        ];
        let kind = self.recipe.below(KINDS.len());
        let at = self.inst(
            "%ptr_element",
            &format!("OpAccessChain %counts %u0 %u{kind}"),
        );
        let value = self.word(f, 2);
        let rest = format!("{} %r{at} %u1 %u0 %r{value}", KINDS[kind]);
        self.inst("%u32", &rest);
    }

    /// What up to four lanes next to each other do together: they are in one subgroup of any size.
    fn clustered(&mut self, f: usize) {
        let kind = self.recipe.pick(&[
            "OpGroupNonUniformIAdd",
            "OpGroupNonUniformIMul",
            "OpGroupNonUniformUMin",
            "OpGroupNonUniformSMax",
            "OpGroupNonUniformBitwiseXor",
            "OpGroupNonUniformBitwiseAnd",
        ]);
        let value = self.word(f, 2);
        let kind = kind.unwrap_or("OpGroupNonUniformIAdd");
        let rest = format!("{kind} %u3 ClusteredReduce %r{value} %u4");
        let result = self.inst("%u32", &rest);
        self.line(&format!("OpStore %c{f} %r{result}"));
    }

    /// What invocations get from each other, where all are: through memory or in quads.
    fn exchange(&mut self, f: usize) {
        let value = self.word(f, 2);
        let result = match self.recipe.below(3) {
            0 => {
                let direction = self.recipe.below(3);
                let rest = format!("OpGroupNonUniformQuadSwap %u3 %r{value} %u{direction}");
                self.inst("%u32", &rest)
            }
            1 => {
                let mask = self.recipe.below(4);
                let rest = format!("OpGroupNonUniformShuffleXor %u3 %r{value} %u{mask}");
                self.inst("%u32", &rest)
            }
            _ => {
                let local = self.inst("%u32", "OpLoad %local");
                let at = self.inst("%ptr_shared", &format!("OpAccessChain %shared %r{local}"));
                self.line(&format!("OpStore %r{at} %r{value}"));
                self.line("OpControlBarrier %u2 %u2 %u264");
                let other = self.recipe.pick(&[1, 2, 3, 5, 12, 17, 31]).unwrap_or(1);
                let other = format!("OpBitwiseXor %r{local} %u{other}");
                let other = self.inst("%u32", &other);
                let at = self.inst("%ptr_shared", &format!("OpAccessChain %shared %r{other}"));
                let value = self.inst("%u32", &format!("OpLoad %r{at}"));
                self.line("OpControlBarrier %u2 %u2 %u264");
                value
            }
        };
        self.line(&format!("OpStore %b{f} %r{result}"));
    }

    /// An element of the array.
    fn element(&mut self, f: usize) -> u32 {
        let index = self.word(f, 1);
        let index = self.inst("%u32", &format!("OpBitwiseAnd %r{index} %u7"));
        self.inst("%ptr_word", &format!("OpAccessChain %n{f} %r{index}"))
    }

    fn vector(&mut self, f: usize) -> u32 {
        let [a, b] = [self.word(f, 1), self.word(f, 1)];
        let built = format!("OpCompositeConstruct %r{a} %r{b} %r{b} %u7");
        let built = self.inst("%v4u32", &built);
        let old = self.load(Kind::Vector, &format!("%v{f}"));
        match self.recipe.below(4) {
            0 => self.inst("%v4u32", &format!("OpIAdd %r{old} %r{built}")),
            1 => self.inst("%v4u32", &format!("OpBitwiseXor %r{old} %r{built}")),
            2 => {
                let order: Vec<usize> = (0..4).map(|_| self.recipe.below(8)).collect();
                let [w, x, y, z] = order[..] else {
                    return built;
                };
                let rest = format!("OpVectorShuffle %r{old} %r{built} {w} {x} {y} {z}");
                self.inst("%v4u32", &rest)
            }
            _ => {
                let index = self.inst("%u32", &format!("OpBitwiseAnd %r{a} %u3"));
                let rest = format!("OpVectorInsertDynamic %r{old} %r{b} %r{index}");
                self.inst("%v4u32", &rest)
            }
        }
    }

    fn word(&mut self, f: usize, depth: usize) -> u32 {
        if depth == 0 {
            return match self.recipe.below(5) {
                0 => self.load(Kind::Word, &format!("%a{f}")),
                1 => self.load(Kind::Word, &format!("%b{f}")),
                2 => self.load(Kind::Word, &format!("%c{f}")),
                3 => self.load(Kind::Word, "%private"),
                _ => {
                    let constant = self.recipe.pick(&["%u0", "%u1", "%u7", "%u31", "%big"]);
                    let constant = constant.unwrap_or("%u1");
                    self.inst("%u32", &format!("OpCopyObject {constant}"))
                }
            };
        }
        let depth = depth - 1;
        let a = self.word(f, depth);
        match self.recipe.below(26) {
            choice @ 0..=5 => {
                let b = self.word(f, depth);
                let op = [
                    "OpIAdd",
                    "OpISub",
                    "OpIMul",
                    "OpBitwiseAnd",
                    "OpBitwiseOr",
                    "OpBitwiseXor",
                ][choice];
                self.inst("%u32", &format!("{op} %r{a} %r{b}"))
            }
            choice @ 6..=8 => {
                let b = self.word(f, depth);
                let b = self.inst("%u32", &format!("OpBitwiseAnd %r{b} %u31"));
                let op = [
                    "OpShiftLeftLogical",
                    "OpShiftRightLogical",
                    "OpShiftRightArithmetic",
                ][choice - 6];
                self.inst("%u32", &format!("{op} %r{a} %r{b}"))
            }
            choice @ 9..=13 => {
                // An odd divisor is not 0; one that is positive is not -1.
                let b = self.word(f, depth);
                let b = self.inst("%u32", &format!("OpBitwiseOr %r{b} %u1"));
                let b = self.inst("%u32", &format!("OpBitwiseAnd %r{b} %positive"));
                let op = ["OpUDiv", "OpUMod", "OpSDiv", "OpSRem", "OpSMod"][choice - 9];
                self.inst("%u32", &format!("{op} %r{a} %r{b}"))
            }
            14 => self.inst("%u32", &format!("OpBitCount %r{a}")),
            15 => self.inst("%u32", &format!("OpBitReverse %r{a}")),
            16 => {
                let b = self.word(f, depth);
                self.inst("%u32", &format!("OpBitFieldInsert %r{a} %r{b} %u3 %u7"))
            }
            17 => self.inst("%u32", &format!("OpBitFieldSExtract %r{a} %u7 %u8x")),
            18 => {
                let name = self.recipe.pick(&["UMin", "UMax", "SMin", "SMax"]);
                let b = self.word(f, depth);
                self.glsl("%u32", name.unwrap_or("UMin"), &format!("%r{a} %r{b}"))
            }
            19 => {
                let name = self
                    .recipe
                    .pick(&["FindILsb", "FindUMsb", "FindSMsb", "SAbs"]);
                self.glsl("%u32", name.unwrap_or("SAbs"), &format!("%r{a}"))
            }
            20 => {
                let (condition, b) = (self.truth(f, depth.min(1)), self.word(f, depth));
                self.inst("%u32", &format!("OpSelect %r{condition} %r{a} %r{b}"))
            }
            21 => {
                let at = self.element(f);
                self.inst("%u32", &format!("OpLoad %r{at}"))
            }
            22 => {
                let x = self.float(f, depth);
                let x = self.glsl("%f32", "NClamp", &format!("%r{x} %f0 %f1000"));
                self.inst("%u32", &format!("OpConvertFToU %r{x}"))
            }
            23 => self.narrowed(a),
            24 => {
                let wide = self.inst(Kind::Long.ty(), &format!("OpUConvert %r{a}"));
                let square = self.inst(Kind::Long.ty(), &format!("OpIMul %r{wide} %r{wide}"));
                let high = format!("OpShiftRightLogical %r{square} %u31");
                let high = self.inst(Kind::Long.ty(), &high);
                self.inst("%u32", &format!("OpUConvert %r{high}"))
            }
            _ => {
                let vector = self.load(Kind::Vector, &format!("%v{f}"));
                let index = self.inst("%u32", &format!("OpBitwiseAnd %r{a} %u3"));
                let rest = format!("OpVectorExtractDynamic %r{vector} %r{index}");
                self.inst("%u32", &rest)
            }
        }
    }

    /// A word by way of a narrower one.
    fn narrowed(&mut self, a: u32) -> u32 {
        let kind = self.recipe.pick(&[Kind::Short, Kind::Byte]);
        let ty = kind.unwrap_or(Kind::Short).ty();
        let narrow = self.inst(ty, &format!("OpUConvert %r{a}"));
        let sum = self.inst(ty, &format!("OpIMul %r{narrow} %r{narrow}"));
        let back = self.recipe.pick(&["OpUConvert", "OpSConvert"]);
        let back = back.unwrap_or("OpUConvert");
        self.inst("%u32", &format!("{back} %r{sum}"))
    }

    fn float(&mut self, f: usize, depth: usize) -> u32 {
        if depth == 0 {
            return match self.recipe.below(3) {
                0 => self.load(Kind::Float, &format!("%x{f}")),
                1 => {
                    let word = self.load(Kind::Word, &format!("%a{f}"));
                    self.inst("%f32", &format!("OpConvertUToF %r{word}"))
                }
                _ => {
                    let constant = self.recipe.pick(&["%f0", "%f1", "%f1000", "%third"]);
                    let constant = constant.unwrap_or("%f1");
                    self.inst("%f32", &format!("OpCopyObject {constant}"))
                }
            };
        }
        let depth = depth - 1;
        let a = self.float(f, depth);
        match self.recipe.below(14) {
            choice @ 0..=3 => {
                let b = self.float(f, depth);
                let op = ["OpFAdd", "OpFSub", "OpFMul", "OpFDiv"][choice];
                self.inst("%f32", &format!("{op} %r{a} %r{b}"))
            }
            4 => self.inst("%f32", &format!("OpFNegate %r{a}")),
            5..=8 => {
                let names = [
                    "Floor",
                    "Fract",
                    "Sin",
                    "Cos",
                    "Exp2",
                    "FAbs",
                    "Trunc",
                    "RoundEven",
                    "Atan",
                    "Tanh",
                ];
                let name = self.recipe.pick(&names).unwrap_or("Floor");
                self.glsl("%f32", name, &format!("%r{a}"))
            }
            9 => {
                let a = self.glsl("%f32", "FAbs", &format!("%r{a}"));
                self.glsl("%f32", "Sqrt", &format!("%r{a}"))
            }
            10 => {
                let b = self.float(f, depth);
                self.glsl("%f32", "Fma", &format!("%r{a} %r{b} %third"))
            }
            11 => {
                let b = self.float(f, depth);
                let name = self.recipe.pick(&["NMin", "NMax"]).unwrap_or("NMin");
                self.glsl("%f32", name, &format!("%r{a} %r{b}"))
            }
            12 => {
                let half = self.inst("%f16", &format!("OpFConvert %r{a}"));
                self.inst("%f32", &format!("OpFConvert %r{half}"))
            }
            _ => {
                let (condition, b) = (self.truth(f, 1), self.float(f, depth));
                self.inst("%f32", &format!("OpSelect %r{condition} %r{a} %r{b}"))
            }
        }
    }

    fn truth(&mut self, f: usize, depth: usize) -> u32 {
        if depth > 1 {
            let [a, b] = [self.truth(f, depth - 1), self.truth(f, depth - 1)];
            return match self.recipe.below(4) {
                0 => self.inst("%bool", &format!("OpLogicalAnd %r{a} %r{b}")),
                1 => self.inst("%bool", &format!("OpLogicalOr %r{a} %r{b}")),
                2 => self.inst("%bool", &format!("OpLogicalNotEqual %r{a} %r{b}")),
                _ => self.inst("%bool", &format!("OpLogicalNot %r{a}")),
            };
        }
        match self.recipe.below(4) {
            0 => {
                let [a, b] = [self.float(f, 1), self.float(f, 0)];
                let op = self
                    .recipe
                    .pick(&["OpFOrdLessThan", "OpFUnordGreaterThanEqual"]);
                let op = op.unwrap_or("OpFOrdLessThan");
                self.inst("%bool", &format!("{op} %r{a} %r{b}"))
            }
            1 => {
                // About half of the invocations.
                let a = self.word(f, 0);
                let a = self.inst("%u32", &format!("OpBitwiseAnd %r{a} %u1"));
                self.inst("%bool", &format!("OpINotEqual %r{a} %u0"))
            }
            _ => {
                let [a, b] = [self.word(f, 1), self.word(f, 0)];
                let op = self
                    .recipe
                    .pick(&["OpULessThan", "OpSGreaterThan", "OpIEqual"]);
                let op = op.unwrap_or("OpULessThan");
                self.inst("%bool", &format!("{op} %r{a} %r{b}"))
            }
        }
    }
}
