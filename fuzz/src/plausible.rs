//! Modules and texts that are nearly right, made from bytes.

use spirvkit::grammar::{
    Category, Enumeration, ExtInstSet, FPEncoding, InstructionInfo, Op, OperandInfo, OperandKind,
    Quantifier,
};
use spirvkit::{DisassembleOptions, disassemble};

use crate::recipe::Recipe;

/// The instructions that matter for how others are read and written, and some
/// that every module has.
const COMMON: &[Op] = &[
    Op::TypeInt,
    Op::TypeFloat,
    Op::Constant,
    Op::SpecConstant,
    Op::SpecConstantOp,
    Op::ExtInstImport,
    Op::ExtInst,
    Op::Switch,
    Op::Name,
    Op::MemberName,
    Op::Decorate,
    Op::DecorateString,
    Op::MemberDecorate,
    Op::String,
    Op::Source,
    Op::Line,
    Op::Capability,
    Op::EntryPoint,
    Op::ExecutionMode,
    Op::TypeVoid,
    Op::TypeStruct,
    Op::TypePointer,
    Op::TypeFunction,
    Op::Variable,
    Op::Function,
    Op::FunctionEnd,
    Op::Label,
    Op::Branch,
    Op::BranchConditional,
    Op::SelectionMerge,
    Op::LoopMerge,
    Op::Phi,
    Op::Return,
    Op::IAdd,
    Op::Load,
    Op::Store,
    Op::ImageSampleImplicitLod,
    Op::Undef,
];

/// Numbers at which something changes.
const EDGES: &[u32] = &[
    0,
    1,
    2,
    3,
    0x7f,
    0x80,
    0xff,
    0x8000,
    0xffff,
    0x1_0000,
    0x3f80_0000,
    0x7f80_0000,
    0x7fc0_0001,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xff80_0000,
    u32::MAX,
];

/// Widths of numeric types, readable and not.
const WIDTHS: &[u32] = &[32, 16, 64, 8, 1, 4, 6, 24, 31, 33, 63, 0, 65, 128, u32::MAX];

/// Strings that are awkward to write or to make a name from.
const STRINGS: &[&str] = &[
    "main",
    "",
    "a",
    "abc",
    "abcd",
    "\"",
    "\\",
    "a\\\"b\nc",
    "\r\n; Bound: 7\n%1 = OpTypeVoid",
    "*/ # ; // !0x1",
    "7",
    "_7",
    "007",
    "float_1",
    "void",
    "é – \u{1f600}",
    "\u{feff}\u{2028}\t",
    "GLSL.std.451",
    "NonSemantic.Unheard.Of",
    "NonSemantic.Shader.DebugInfo.100",
    "NonSemantic.DebugPrintf.7",
];

/// A module has at most about this many words, however long its recipe is.
const WORDS: usize = 4096;

/// Makes a module from bytes: a header, and instructions that the grammar has,
/// with operands as the grammar wants them and ids that are mostly small and
/// mostly fit. Now and then something is wrong.
pub fn module_from(bytes: &[u8]) -> Vec<u32> {
    let mut maker = Maker {
        recipe: Recipe::new(bytes),
        words: Vec::new(),
        next_id: 1,
        types: Vec::new(),
        numbers: Vec::new(),
        values: Vec::new(),
        imports: Vec::new(),
    };
    maker.header();
    while !maker.recipe.is_empty() && maker.words.len() < WORDS {
        maker.instruction();
    }
    maker.words
}

struct Maker<'a> {
    recipe: Recipe<'a>,
    words: Vec<u32>,
    next_id: u32,
    types: Vec<u32>,
    /// The types of numbers, and how many words their literals take.
    numbers: Vec<(u32, usize)>,
    /// The values of those types.
    values: Vec<(u32, usize)>,
    imports: Vec<(u32, Option<ExtInstSet>)>,
}

impl Maker<'_> {
    fn header(&mut self) {
        let version = match self.recipe.byte() {
            byte @ 0..=250 => 0x1_0000 | u32::from(byte % 7) << 8,
            byte => u32::from(byte) << 16 | u32::from(byte) << 8,
        };
        let generator = match self.recipe.once_in(8) {
            true => self.recipe.word(),
            false => 0,
        };
        let bound = match self.recipe.once_in(4) {
            true => self.number(),
            false => 200,
        };
        let schema = match self.recipe.once_in(32) {
            true => self.number(),
            false => 0,
        };
        self.words = vec![spirvkit::binary::MAGIC, version, generator, bound, schema];
    }

    fn instruction(&mut self) {
        let start = self.words.len();
        let info = match self.recipe.byte() {
            0..=175 => self.recipe.pick(COMMON).and_then(Op::info),
            176..=245 => {
                let all = Op::all();
                all.get(self.recipe.below(all.len()))
            }
            246..=251 => None,
            _ => {
                // Perhaps not an instruction at all.
                let word = self.recipe.word();
                self.words.push(word);
                return;
            }
        };
        let opcode = match info {
            Some(info) => info.number(),
            None => self.recipe.word() & 0xffff,
        };
        self.words.push(opcode);
        match info {
            Some(info) => self.operands_of(info),
            None => self.any_words(),
        }
        match self.recipe.byte() {
            0..=239 => {}
            240..=245 => drop(self.words.pop()),
            246..=250 => self.any_words(),
            _ => {
                let flipped = 1 << self.recipe.below(32);
                if let Some(word) = self.words[start..].last_mut() {
                    *word ^= flipped;
                }
            }
        }
        let count = match self.recipe.once_in(128) {
            true => self.recipe.word() & 0xffff,
            false => (self.words.len() - start) as u32,
        };
        match self.words.get_mut(start) {
            Some(first) => *first = (*first & 0xffff) | count << 16,
            None => self.words.truncate(start),
        }
    }

    fn operands_of(&mut self, info: &'static InstructionInfo) {
        let start = self.words.len();
        match Op(info.number() as u16) {
            Op::TypeInt => {
                let id = self.result();
                let width = self.width();
                let sign = u32::from(self.recipe.byte() & 1);
                self.words.extend([id, width, sign]);
                self.types.push(id);
                self.numbers.push((id, 1 + usize::from(width > 32)));
            }
            Op::TypeFloat => {
                let id = self.result();
                let width = self.width();
                self.words.extend([id, width]);
                self.types.push(id);
                self.numbers.push((id, 1 + usize::from(width > 32)));
                if self.recipe.once_in(2) {
                    let encoding = self.enumerant(FPEncoding::KIND).0;
                    self.words.push(encoding);
                }
            }
            Op::ExtInstImport => {
                let id = self.result();
                self.words.push(id);
                let sets: Vec<ExtInstSet> = ExtInstSet::all().collect();
                let set = match self.recipe.once_in(4) {
                    true => None,
                    false => self.recipe.pick(&sets),
                };
                match set {
                    Some(set) => self.string(set.import_name().as_bytes()),
                    None => self.any_string(),
                }
                self.imports.push((id, set));
            }
            Op::Switch => {
                let (selector, words) = match self.recipe.pick(&self.values.clone()) {
                    Some(value) => value,
                    None => (self.id(), 1),
                };
                let default = self.id();
                self.words.extend([selector, default]);
                for _ in 0..self.recipe.byte() % 4 {
                    self.literal(words);
                    let target = self.id();
                    self.words.push(target);
                }
            }
            _ => {
                self.operands(info.operands());
                if info.has_result() && !info.has_result_type() {
                    self.types.extend(self.words.get(start));
                }
            }
        }
    }

    fn operands(&mut self, operands: &'static [OperandInfo]) {
        for operand in operands {
            let times = match operand.quantifier() {
                Quantifier::One => 1,
                Quantifier::Optional => self.recipe.byte() % 2,
                Quantifier::Many => self.recipe.byte() % 4,
            };
            for _ in 0..times {
                self.operand(operand.kind());
            }
        }
    }

    fn operand(&mut self, kind: OperandKind) {
        use OperandKind as K;
        match kind.category() {
            Category::Composite => kind.bases().iter().for_each(|kind| self.operand(*kind)),
            Category::ValueEnum => {
                let (value, parameters) = self.enumerant(kind);
                self.words.push(value);
                self.operands(parameters);
            }
            Category::BitEnum => self.mask(kind),
            _ => match kind {
                K::IdResultType => {
                    let numbers = self.numbers.clone();
                    let id = match self.recipe.once_in(2) {
                        true => self.recipe.pick(&numbers).map(|(id, _)| id),
                        false => self.recipe.pick(&self.types.clone()),
                    };
                    let id = id.unwrap_or_else(|| self.id());
                    self.words.push(id);
                }
                K::IdResult => {
                    let id = self.result();
                    let ty = self.words.last().copied().unwrap_or(0);
                    self.words.push(id);
                    if let Some(words) = self.literal_words(ty) {
                        self.values.push((id, words));
                    }
                }
                K::LiteralString => self.any_string(),
                K::LiteralContextDependentNumber => {
                    let ty = self
                        .words
                        .len()
                        .checked_sub(2)
                        .map_or(0, |at| self.words[at]);
                    let words = self.literal_words(ty).unwrap_or(1);
                    self.literal(words);
                }
                K::LiteralExtInstInteger => self.extended_instruction(),
                K::LiteralSpecConstantOpInteger => self.constant_operation(),
                K::LiteralInteger | K::LiteralFloat => {
                    let number = self.number();
                    self.words.push(number);
                }
                _ => {
                    let id = self.id();
                    self.words.push(id);
                }
            },
        }
    }

    /// How many words a literal of a type takes, if that has literals.
    fn literal_words(&self, ty: u32) -> Option<usize> {
        let number = self.numbers.iter().find(|(id, _)| *id == ty);
        number.map(|(_, words)| *words)
    }

    /// The number of an extended instruction and its operands. The set's id
    /// stands before it, but is replaced by one that fits.
    fn extended_instruction(&mut self) {
        let imports = self.imports.clone();
        let Some((id, set)) = self.recipe.pick(&imports) else {
            let number = self.number();
            self.words.push(number);
            return;
        };
        if let Some(last) = self.words.last_mut() {
            *last = id;
        }
        let instructions = set.map_or(&[][..], ExtInstSet::instructions);
        let info = match instructions {
            [] => None,
            _ => instructions.get(self.recipe.below(instructions.len())),
        };
        match info {
            Some(info) if !self.recipe.once_in(16) => {
                self.words.push(info.number());
                self.operands(info.operands());
            }
            _ => {
                let number = self.number();
                self.words.push(number);
                self.any_words();
            }
        }
    }

    /// The opcode inside of an `OpSpecConstantOp`, and its operands.
    fn constant_operation(&mut self) {
        let all = Op::all();
        let info = &all[self.recipe.below(all.len())];
        self.words.push(info.number());
        let results = usize::from(info.has_result_type()) + usize::from(info.has_result());
        self.operands(info.operands().get(results..).unwrap_or_default());
    }

    fn enumerant(&mut self, kind: OperandKind) -> (u32, &'static [OperandInfo]) {
        let enumerants = kind.enumerants();
        if enumerants.is_empty() || self.recipe.once_in(32) {
            return (self.number(), &[]);
        }
        let info = &enumerants[self.recipe.below(enumerants.len())];
        (info.value(), info.parameters())
    }

    fn mask(&mut self, kind: OperandKind) {
        let mut mask = 0;
        for _ in 0..self.recipe.byte() % 4 {
            mask |= self.enumerant(kind).0;
        }
        self.words.push(mask);
        for bit in (0..32).map(|bit| 1 << bit).filter(|bit| mask & bit != 0) {
            if let Some(info) = kind.enumerant(bit) {
                self.operands(info.parameters());
            }
        }
    }

    /// An id for a result: mostly one that nothing has defined yet.
    fn result(&mut self) -> u32 {
        if self.recipe.once_in(32) {
            return self.id();
        }
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    /// Any id: mostly one that something has defined or soon will.
    fn id(&mut self) -> u32 {
        match self.recipe.byte() {
            byte @ 0..=247 => 1 + u32::from(byte) % (self.next_id + 2),
            248..=251 => u32::from(self.recipe.byte()),
            _ => self.number(),
        }
    }

    fn width(&mut self) -> u32 {
        match self.recipe.byte() {
            byte @ 0..=191 => [32, 16, 64, 8][usize::from(byte % 4)],
            byte => WIDTHS[usize::from(byte) % WIDTHS.len()],
        }
    }

    fn number(&mut self) -> u32 {
        match self.recipe.byte() {
            byte @ 0..=127 => u32::from(byte),
            byte @ 128..=223 => EDGES[usize::from(byte) % EDGES.len()],
            _ => self.recipe.word(),
        }
    }

    fn literal(&mut self, words: usize) {
        for _ in 0..words {
            let number = self.number();
            self.words.push(number);
        }
    }

    fn any_words(&mut self) {
        for _ in 0..self.recipe.byte() % 6 {
            let number = self.number();
            self.words.push(number);
        }
    }

    fn any_string(&mut self) {
        if !self.recipe.once_in(4) {
            let string = STRINGS[self.recipe.below(STRINGS.len())];
            return self.string(string.as_bytes());
        }
        let length = self.recipe.byte() % 12;
        let bytes: Vec<u8> = (0..length).map(|_| self.recipe.byte()).collect();
        self.string(&bytes);
    }

    /// A string, now and then with padding that isn't zero, or without an end.
    fn string(&mut self, string: &[u8]) {
        let mut bytes = string.to_vec();
        match self.recipe.byte() {
            254 => {}
            255 => bytes.extend([0, b'x']),
            _ => bytes.push(0),
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let (words, _) = bytes.as_chunks();
        self.words
            .extend(words.iter().map(|word| u32::from_le_bytes(*word)));
    }
}

/// Words to put into texts, besides those of the grammar.
const TOKENS: &[&str] = &[
    "=",
    "%",
    "%1",
    "%2",
    "%main",
    "%0",
    "%007",
    "%4294967295",
    "%4294967296",
    "!0",
    "!1",
    "!0x00010000",
    "!0xffffffff",
    "!4294967296",
    "!-1",
    "!%1",
    "0",
    "1",
    "-1",
    "-0",
    "0x",
    "0x7f",
    "-0x80",
    "4294967295",
    "4294967296",
    "-2147483649",
    "18446744073709551615",
    "18446744073709551616",
    "1.5",
    "-0.0",
    "1e400",
    "1e-400",
    "0x1p+128",
    "0x1.8p-1",
    "-0x1p-1074",
    "0x1.fffffffffffffffffp+1",
    ".5",
    "5.",
    "nan",
    "inf",
    "\"",
    "\"\"",
    "\"a\\\"b\"",
    "\"\\",
    "\"é\u{1f600}\n\"",
    "None",
    "None|None",
    "Const|Inline",
    "|",
    "Aligned|",
    "OpUnknown(1, 2)",
    "OpUnknown",
    "(",
    ",",
    ")",
    "OpNop",
    "Op",
    "OpTypeInt",
    "OpConstant",
    "OpSwitch",
    "OpExtInst",
    ";",
    "; Bound: !5",
    "; Version: 9.9",
    "; Schema: 4294967296",
    "\n",
    "\r",
    "\t",
    "\0",
    "\u{a0}",
    "\u{85}",
];

/// Makes a text from bytes: the text of [a module made from them](module_from),
/// with some of its words replaced, removed or put elsewhere.
pub fn text_from(bytes: &[u8]) -> String {
    let split = bytes.len().min(16);
    let (edits, module) = bytes.split_at(split);
    let mut recipe = Recipe::new(edits);
    let layout = recipe.byte();
    let options = DisassembleOptions::default()
        .lenient(true)
        .header(layout & 1 == 0)
        .friendly_names(layout & 2 == 0)
        .comments(layout & 4 != 0)
        .nested_indentation(layout & 8 != 0);
    let mut text = match disassemble(&module_from(module), &options) {
        Ok(module) => module.text,
        Err(errors) => panic!("a module can't be disassembled leniently: {errors:?}"),
    };
    while !recipe.is_empty() {
        edit(&mut text, &mut recipe);
    }
    text
}

fn edit(text: &mut String, recipe: &mut Recipe<'_>) {
    let what = recipe.byte();
    if what < 64 {
        return;
    }
    let words: Vec<(usize, usize)> = text
        .split_ascii_whitespace()
        .map(|word| {
            let start = word.as_ptr().addr() - text.as_ptr().addr();
            (start, start + word.len())
        })
        .collect();
    let Some((start, end)) = recipe.pick(&words) else {
        return;
    };
    let token = match recipe.once_in(4) {
        true => {
            let other = recipe.pick(&words).unwrap_or((start, end));
            text[other.0..other.1].to_owned()
        }
        false => TOKENS[recipe.below(TOKENS.len())].to_owned(),
    };
    match what {
        64..=127 => text.replace_range(start..end, &token),
        128..=191 => text.insert_str(start, &format!("{token} ")),
        192..=223 => text.insert_str(end, &token),
        224..=239 => text.replace_range(start..end, ""),
        _ => {
            let mut cut = start + recipe.below(end - start + 1);
            while !text.is_char_boundary(cut) {
                cut -= 1;
            }
            text.truncate(cut);
        }
    }
}
