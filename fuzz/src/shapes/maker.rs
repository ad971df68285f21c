//! Modules word by word, whatever they mean.

use std::collections::BTreeMap;

use spirvkit::binary::{Encoder, Header};
use spirvkit::grammar::{
    Capability, Class, Decoration, ExecutionMode, ExecutionModel, ExtInstSet, Generator,
    LinkageType, Op, Version,
};

/// Of which of two like modules a shape is: for what takes a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first, or the only one.
    First,
    /// The second: what the first exports it imports, and something is different.
    Second,
}

/// The set that debug information is written in.
const SET: &str = "NonSemantic.Shader.DebugInfo.100";

/// The order in which a module has its instructions, as far as it matters here.
const SECTIONS: usize = 11;

/// A module in the making: instructions come in any order and go to their sections.
pub(crate) struct Maker {
    sections: [Encoder; SECTIONS],
    next: u32,
    /// The function that is being made.
    pub(crate) function: Option<u32>,
    /// How many words the module is to have.
    goal: usize,
    pub(crate) side: Side,
    numbers: BTreeMap<u32, u32>,
    pub(crate) void: u32,
    pub(crate) uint: u32,
    /// The type of a function without parameters and result.
    pub(crate) procedure: u32,
    set: u32,
}

impl Maker {
    /// A shader without functions.
    pub(crate) fn new(goal: usize, side: Side) -> Self {
        let mut maker = Self {
            sections: std::array::from_fn(|_| Encoder::new()),
            next: 1,
            function: None,
            goal,
            side,
            numbers: BTreeMap::new(),
            void: 0,
            uint: 0,
            procedure: 0,
            set: 0,
        };
        maker.put(Op::Capability, &[Capability::Shader.0]);
        maker.put(Op::Capability, &[Capability::Linkage.0]);
        maker.put(Op::MemoryModel, &[0, 1]);
        maker.void = maker.result(Op::TypeVoid, &[]);
        maker.uint = maker.result(Op::TypeInt, &[32, 0]);
        maker.procedure = maker.result(Op::TypeFunction, &[maker.void]);
        maker
    }

    pub(crate) fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// The id that will be the next new one.
    pub(crate) fn upcoming(&self) -> u32 {
        self.next
    }

    fn len(&self) -> usize {
        self.sections.iter().map(|it| it.words().len()).sum()
    }

    /// How many words are left of so many hundredths of the module.
    pub(crate) fn left(&self, hundredths: usize) -> usize {
        (self.goal / 100 * hundredths).saturating_sub(self.len())
    }

    /// How many things of so many words there may be in so many hundredths of the
    /// module: at least one.
    pub(crate) fn count(&self, hundredths: usize, words: usize) -> usize {
        (self.goal * hundredths / 100 / words).max(1)
    }

    /// A text of so many hundredths of the module, as far as one instruction can hold it.
    pub(crate) fn long(&self, hundredths: usize) -> String {
        const MAX: usize = 200_000;
        "n".repeat((self.goal * 4 * hundredths / 100).min(MAX))
    }

    fn section(&self, op: Op) -> usize {
        match op {
            Op::Capability => 0,
            Op::Extension => 1,
            Op::ExtInstImport => 2,
            Op::MemoryModel => 3,
            Op::EntryPoint => 4,
            Op::ExecutionMode => 5,
            Op::String | Op::Source | Op::SourceContinued => 6,
            Op::Name | Op::MemberName => 7,
            _ if op
                .info()
                .is_some_and(|info| info.class() == Class::Annotation) =>
            {
                8
            }
            _ if op == Op::Function || self.function.is_some() => 10,
            _ => 9,
        }
    }

    pub(crate) fn put(&mut self, op: Op, operands: &[u32]) {
        self.put_text(op, operands, None, &[]);
    }

    /// An instruction with a string between its operands. One that is too long is left
    /// out.
    pub(crate) fn put_text(&mut self, op: Op, before: &[u32], text: Option<&str>, after: &[u32]) {
        let section = self.section(op);
        let encoder = &mut self.sections[section];
        let start = encoder.begin(op);
        encoder.raw(before);
        if let Some(text) = text {
            encoder.string(text);
        }
        encoder.raw(after);
        let _ = encoder.end(start);
    }

    /// An instruction with a result and no type.
    pub(crate) fn result(&mut self, op: Op, operands: &[u32]) -> u32 {
        let id = self.id();
        self.put(op, &[&[id], operands].concat());
        id
    }

    /// An instruction with a result of a type.
    pub(crate) fn value(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        self.put(op, &[&[ty, id], operands].concat());
        id
    }

    pub(crate) fn name(&mut self, id: u32, name: &str) {
        self.put_text(Op::Name, &[id], Some(name), &[]);
    }

    pub(crate) fn string(&mut self, text: &str) -> u32 {
        let id = self.id();
        self.put_text(Op::String, &[id], Some(text), &[]);
        id
    }

    /// The constant of an unsigned number.
    pub(crate) fn number(&mut self, number: u32) -> u32 {
        if let Some(&id) = self.numbers.get(&number) {
            return id;
        }
        let id = self.value(Op::Constant, self.uint, &[number]);
        self.numbers.insert(number, id);
        id
    }

    /// An instruction of debug information, with numbers as constants.
    pub(crate) fn debug(&mut self, name: &str, operands: &[u32]) -> u32 {
        if self.set == 0 {
            self.put_text(Op::Extension, &[], Some("SPV_KHR_non_semantic_info"), &[]);
            self.set = self.id();
            self.put_text(Op::ExtInstImport, &[self.set], Some(SET), &[]);
        }
        let set = ExtInstSet::from_import_name(SET).expect("a set of the grammar");
        let number = set.instruction_by_name(name).expect("one of its names");
        let leading = [self.set, number.number()];
        self.value(Op::ExtInst, self.void, &[&leading, operands].concat())
    }

    /// A function without parameters and result, which the closure fills.
    pub(crate) fn function(&mut self, body: impl FnOnce(&mut Self)) -> u32 {
        let function = self.value(Op::Function, self.void, &[0, self.procedure]);
        self.function = Some(function);
        self.result(Op::Label, &[]);
        body(self);
        self.put(Op::Return, &[]);
        self.put(Op::FunctionEnd, &[]);
        self.function = None;
        function
    }

    /// Makes a function an entry point.
    pub(crate) fn entry_point(&mut self, function: u32, name: &str, interface: &[u32]) {
        self.put_text(
            Op::EntryPoint,
            &[ExecutionModel::GLCompute.0, function],
            Some(name),
            interface,
        );
        self.put(
            Op::ExecutionMode,
            &[function, ExecutionMode::LocalSize.0, 1, 1, 1],
        );
    }

    /// An entry point with this function.
    pub(crate) fn main(&mut self, body: impl FnOnce(&mut Self)) -> u32 {
        let main = self.function(body);
        self.entry_point(main, "main", &[]);
        main
    }

    /// Exports on one side what the other imports.
    pub(crate) fn linkage(&mut self, id: u32, name: &str) {
        let linkage = match self.side {
            Side::First => LinkageType::Export,
            Side::Second => LinkageType::Import,
        };
        self.put_text(
            Op::Decorate,
            &[id, Decoration::LinkageAttributes.0],
            Some(name),
            &[linkage.0],
        );
    }

    pub(crate) fn finish(self) -> Vec<u32> {
        let header = Header {
            version: Version::V1_6,
            generator: Generator(0),
            bound: self.next,
            schema: 0,
        };
        let mut whole = Encoder::with_capacity(self.len());
        for section in &self.sections {
            whole.raw(&section.words()[spirvkit::binary::HEADER_WORDS..]);
        }
        whole.finish(&header)
    }
}
