//! Makes a module anew with the builder, every instruction by the method of its
//! opcode.

#[rustfmt::skip]
#[path = "generated.rs"]
pub(crate) mod generated;

use std::collections::{HashMap, HashSet};

use spirvkit_binary::{Id, LiteralString, NumberType};
use spirvkit_grammar::*;
use spirvkit_ir::builder::{Builder, Enabling};
use spirvkit_ir::{Inst, Module};

/// The operands of an instruction behind its result, for typed parameters.
pub(crate) struct Arguments<'a> {
    pub(crate) ty: Option<Id>,
    pub(crate) words: &'a [u32],
}

impl<'a> Arguments<'a> {
    fn result_type(&self) -> Id {
        self.ty.expect("a result type")
    }

    fn peek(&self) -> u32 {
        self.words[0]
    }

    fn take(&mut self, count: usize) -> &'a [u32] {
        let (taken, rest) = self.words.split_at(count);
        self.words = rest;
        taken
    }

    fn word(&mut self) -> u32 {
        self.take(1)[0]
    }

    fn id(&mut self) -> Id {
        Id(self.word())
    }

    fn optional(&mut self) -> Option<u32> {
        (!self.words.is_empty()).then(|| self.word())
    }

    fn words(&mut self) -> &'a [u32] {
        self.take(self.words.len())
    }

    fn ids(&mut self) -> Vec<Id> {
        self.words().iter().map(|&word| Id(word)).collect()
    }

    fn pairs(&mut self) -> Vec<(Id, Id)> {
        let pairs = self.words().chunks(2);
        pairs.map(|pair| (Id(pair[0]), Id(pair[1]))).collect()
    }

    fn members(&mut self) -> Vec<(Id, u32)> {
        let pairs = self.words().chunks(2);
        pairs.map(|pair| (Id(pair[0]), pair[1])).collect()
    }

    fn text(&mut self) -> String {
        let text = LiteralString::at_start_of(self.words).expect("a string");
        self.take(text.words().len());
        text.to_text().unwrap()
    }

    fn optional_text(&mut self) -> Option<String> {
        (!self.words.is_empty()).then(|| self.text())
    }

    /// The parameters of an enumerant or a mask, which is the next word.
    fn parameters(&mut self, kind: OperandKind) -> &'a [u32] {
        let value = self.word();
        let infos: Vec<_> = match kind.category() {
            Category::BitEnum => (0..32)
                .map(|bit| value & 1 << bit)
                .filter(|&bit| bit != 0)
                .filter_map(|bit| kind.enumerant(bit))
                .collect(),
            _ => kind.enumerant(value).into_iter().collect(),
        };
        let mut parameters = infos.iter().flat_map(|info| info.parameters());
        let is_sized = |each: &OperandInfo| {
            each.kind() == OperandKind::LiteralString || each.quantifier() != Quantifier::One
        };
        match parameters.any(is_sized) {
            true => self.words(),
            false => {
                let count = infos.iter().map(|info| info.parameters().len()).sum();
                self.take(count)
            }
        }
    }

    fn with_parameters(&mut self, kind: OperandKind) -> Option<(u32, &'a [u32])> {
        (!self.words.is_empty()).then(|| (self.peek(), self.parameters(kind)))
    }
}

pub(crate) struct Rebuilder<'m> {
    original: &'m Module,
    b: Builder,
    ids: HashMap<Id, Id>,
    /// Instructions made, without their results: a second of the same kind has to be
    /// asked for.
    made: HashSet<Vec<u32>>,
}

impl Rebuilder<'_> {
    fn id(&mut self, id: Id) -> Id {
        *self.ids.entry(id).or_insert_with(|| self.b.forward())
    }

    /// The words of an instruction with the ids of the new module; the result is left
    /// out.
    fn translate(&mut self, inst: Inst) -> Vec<u32> {
        let mut words = self.original.get(inst).words().to_vec();
        let mut uses = Vec::new();
        self.original
            .each_use(inst, |word, id| uses.push((word, id)));
        for (word, id) in uses {
            words[word] = self.id(id).0;
        }
        if self.original.result(inst).is_some() {
            words.remove(1 + usize::from(self.original.result_type(inst).is_some()));
        }
        words
    }

    fn run(&mut self, inst: Inst) {
        let op = self.original.op(inst);
        let words = self.translate(inst);
        let result = self.original.result(inst);
        if let Some(result) = result {
            let is_second = !self.made.insert(words.clone());
            if is_second || self.ids.contains_key(&result) {
                let id = self.id(result);
                self.b.define(id);
            }
        }
        let ty = self.original.result_type(inst).map(|_| Id(words[1]));
        let mut arguments = Arguments {
            ty,
            words: &words[1 + usize::from(ty.is_some())..],
        };
        let made = match generated::call(&mut self.b, op, &mut arguments) {
            Some(made) => made,
            None => self.by_hand(op, inst, &mut arguments),
        };
        assert!(arguments.words.is_empty(), "{op} has more operands");
        assert_eq!(made.is_some(), result.is_some(), "{op}");
        if let (Some(made), Some(result)) = (made, result) {
            assert_eq!(*self.ids.entry(result).or_insert(made), made, "{op}");
        }
        if op.is_terminator() {
            self.b.no_line();
        }
    }

    fn by_hand(&mut self, op: Op, inst: Inst, a: &mut Arguments<'_>) -> Option<Id> {
        let b = &mut self.b;
        let made = match op {
            Op::Capability => {
                b.capability(Capability(a.word()));
                return None;
            }
            Op::Extension => {
                b.extension(&a.text());
                return None;
            }
            Op::MemoryModel => {
                b.memory_model(AddressingModel(a.word()), MemoryModel(a.word()));
                return None;
            }
            Op::Line => {
                b.set_line(a.id(), a.word(), a.word());
                return None;
            }
            Op::NoLine => {
                b.no_line();
                return None;
            }
            Op::FunctionEnd => {
                let function = self.original.function_of(inst).unwrap();
                match self.original.entry_block(function) {
                    Some(_) => b.end_function(),
                    None => b.end_declaration(),
                }
                return None;
            }
            Op::Switch => {
                let (selector, default) = (a.id(), a.id());
                let wide = wide_cases(self.original, inst);
                let mut targets = Vec::new();
                while !a.words.is_empty() {
                    let literal = literal(a.take(1 + usize::from(wide)));
                    targets.push((literal, a.id()));
                }
                b.switch(selector, default, &targets);
                return None;
            }
            Op::ExtInstImport => b.import_set(&a.text()),
            Op::TypeStruct => b.type_struct(&a.ids()),
            Op::Constant => b.constant(a.result_type(), literal(a.words())),
            Op::SpecConstant => b.spec_constant(a.result_type(), literal(a.words())),
            Op::SpecConstantOp => {
                b.spec_constant_op(a.result_type(), Op(a.word() as u16), a.words())
            }
            Op::ExtInst => b.ext_inst_words(a.result_type(), a.id(), a.word(), a.words()),
            Op::ExtInstWithForwardRefsKHR => {
                b.ext_inst_with_forward_refs_khr(a.result_type(), a.id(), a.word(), &a.ids())
            }
            Op::Function => {
                let function = self.original.function_of(inst).unwrap();
                let control = FunctionControl(a.word());
                match self.original.entry_block(function) {
                    Some(_) => b.open_function(a.result_type(), control, a.id()),
                    None => b.open_declaration(a.result_type(), control, a.id()),
                }
            }
            Op::FunctionParameter => b.function_parameter(a.result_type()),
            Op::Label => b.label(),
            _ => panic!("there is no way to make {op}"),
        };
        Some(made)
    }
}

/// Whether the literals of a switch have two words.
fn wide_cases(module: &Module, inst: Inst) -> bool {
    let selector = Id(module.get(inst).words()[1]);
    let ty = module.definitions().selector_type(selector);
    ty.is_some_and(|ty: NumberType| ty.words() == 2)
}

fn literal(words: &[u32]) -> u64 {
    words
        .iter()
        .rev()
        .fold(0, |bits, &word| bits << 32 | u64::from(word))
}

pub(crate) fn rebuild(original: &Module) -> Module {
    let mut b = Builder::new(original.header().version);
    b.enabling(Enabling::Leave);
    let mut rebuilder = Rebuilder {
        original,
        b,
        ids: HashMap::new(),
        made: HashSet::new(),
    };
    for inst in original.instructions() {
        rebuilder.run(inst);
    }
    let module = rebuilder.b.finish().unwrap_or_else(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}", lines.join("\n"))
    });
    module.verify().unwrap();
    Module::load(&module.store()).unwrap()
}

/// All instructions but lines, each with the line that holds for it, with ids numbered
/// in the order in which they appear.
pub(crate) fn normal(module: &Module) -> Vec<(Op, Vec<u32>, Option<Vec<u32>>)> {
    let mut numbers: HashMap<Id, u32> = HashMap::new();
    let mut number = |id: Id| {
        let next = numbers.len() as u32 + 1;
        *numbers.entry(id).or_insert(next)
    };
    let mut renumbered = |inst: Inst| {
        let mut words = module.get(inst).words().to_vec();
        let mut ids = Vec::new();
        module.each_use(inst, |word, id| ids.push((word, id)));
        if let Some(result) = module.result(inst) {
            let word = 1 + usize::from(module.result_type(inst).is_some());
            ids.push((word, result));
        }
        ids.sort();
        for (word, id) in ids {
            words[word] = number(id);
        }
        words
    };
    let mut all = Vec::new();
    for inst in module.instructions() {
        let op = module.op(inst);
        if op.is_line() {
            continue;
        }
        let words = renumbered(inst);
        // Lines are for what stands in blocks.
        let has_line = module.block_of(inst).is_some() && op != Op::Label;
        let line = module.line(inst).filter(|_| has_line).map(&mut renumbered);
        all.push((op, words, line));
    }
    all
}

pub(crate) fn check(words: &[u32]) -> usize {
    let original = Module::load(words).unwrap();
    let rebuilt = rebuild(&original);
    let (expected, found) = (normal(&original), normal(&rebuilt));
    for (expected, found) in expected.iter().zip(&found) {
        assert_eq!(expected, found);
    }
    assert_eq!(expected.len(), found.len());
    expected.len()
}
