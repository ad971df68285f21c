//! What those are told who watch a run.

use std::ops::ControlFlow;

use spirvkit_binary::Id;
use spirvkit_eval::Scalar;
use spirvkit_grammar::Op;
use spirvkit_interp::{Access, AccessKind, Observer, Run, Seen, Step};
use spirvkit_text::{AssembleOptions, assemble};

use crate::shader::{SIZES, shader};

/// The opcode and the result of the instruction at a word offset.
fn instruction(words: &[u32], offset: u32) -> (Op, Option<Id>) {
    let inst = &words[offset as usize..];
    let op = Op(inst[0] as u16);
    let result = op
        .info()
        .filter(|info| info.has_result())
        .map(|_| Id(inst[2]));
    (op, result)
}

/// Notes everything.
struct Notes<'a> {
    words: &'a [u32],
    begun: Vec<[u32; 3]>,
    ended: Vec<[u32; 3]>,
    /// How many lanes execute each opcode.
    executed: Vec<(Op, u32)>,
    /// The result of the invocation with this index at each addition.
    invocation: u32,
    sums: Vec<Scalar>,
    /// Of the same, what memory it accesses.
    accesses: Vec<(AccessKind, String, u32, u32)>,
    /// When to end the run.
    most: usize,
}

impl<'a> Notes<'a> {
    fn new(words: &'a [u32], invocation: u32) -> Self {
        Self {
            words,
            begun: Vec::new(),
            ended: Vec::new(),
            executed: Vec::new(),
            invocation,
            sums: Vec::new(),
            accesses: Vec::new(),
            most: usize::MAX,
        }
    }

    /// The lane of the invocation of interest, if it takes part.
    fn lane(&self, step: &Step<'_>) -> Option<u32> {
        let lanes = (0..64).filter(|lane| step.lanes() >> lane & 1 == 1);
        lanes
            .into_iter()
            .find(|&lane| step.global_id(lane)[0] == self.invocation)
    }
}

impl Observer for Notes<'_> {
    fn workgroup_begins(&mut self, id: [u32; 3]) {
        self.begun.push(id);
    }

    fn workgroup_ends(&mut self, id: [u32; 3]) {
        self.ended.push(id);
    }

    fn before(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        let (op, _) = instruction(self.words, step.offset());
        self.executed.push((op, step.lanes().count_ones()));
        match self.executed.len() < self.most {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    fn after(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        let (op, result) = instruction(self.words, step.offset());
        if let (Op::IAdd, Some(lane), Some(result)) = (op, self.lane(step), result) {
            match step.value(result, lane) {
                Some(Seen::Scalars(scalars)) => self.sums.extend(scalars),
                other => panic!("{other:?}"),
            }
        }
        ControlFlow::Continue(())
    }

    fn access(&mut self, step: &Step<'_>, access: &Access<'_>) {
        if let Some(lane) = self.lane(step) {
            let place = access.place(lane);
            let row = (
                access.kind,
                place.name.to_owned(),
                place.offset,
                access.size(),
            );
            self.accesses.push(row);
        }
    }
}

const BODY: &str = "
%sum = OpIAdd %u32 %value %u1
%is_odd = OpUGreaterThan %bool %index %u31
OpSelectionMerge %merge None
OpBranchConditional %is_odd %then %merge
%then = OpLabel
%more = OpIAdd %u32 %sum %u5
OpBranch %merge
%merge = OpLabel
%result = OpPhi %u32 %sum %entry %more %then";

/// How many lanes execute an opcode in all.
fn total(notes: &Notes<'_>, op: Op) -> u32 {
    let executed = notes.executed.iter().filter(|it| it.0 == op);
    executed.map(|it| it.1).sum()
}

#[test]
fn everything_is_told() {
    let words = shader("", BODY);
    let inputs: Vec<u32> = (100..164).collect();
    for size in SIZES {
        let mut notes = Notes::new(&words, 40);
        let run = Run::new(&words).subgroup_size(size).storage(0, 0, &inputs);
        let run = run.zeroed(0, 1, 256);
        let plain = run.clone().dispatch([1, 1, 1]).unwrap();
        let out = run.observe([1, 1, 1], &mut notes).unwrap();
        // Watching changes nothing.
        assert_eq!(out.bytes(0, 1), plain.bytes(0, 1));
        assert_eq!(notes.begun, [[0, 0, 0]]);
        assert_eq!(notes.ended, [[0, 0, 0]]);
        // All 64 add once, and half of them twice.
        assert_eq!(total(&notes, Op::IAdd), 64 + 32);
        assert_eq!(total(&notes, Op::BranchConditional), 64);
        assert_eq!(total(&notes, Op::Phi), 64);
        assert_eq!(total(&notes, Op::Return), 64);
        assert_eq!(total(&notes, Op::Label), 0);
        assert_eq!(notes.sums, [Scalar::from(141u32), Scalar::from(146u32)]);
        let expected = [
            (AccessKind::Read, "in".to_owned(), 160, 4),
            (AccessKind::Write, "out".to_owned(), 160, 4),
        ];
        assert_eq!(notes.accesses, expected, "subgroups of {size}");
    }
}

#[test]
fn workgroups_and_ends() {
    let words = shader("", BODY);
    let run = Run::new(&words).zeroed(0, 0, 256).zeroed(0, 1, 256);
    let mut notes = Notes::new(&words, 0);
    run.clone().observe([2, 1, 2], &mut notes).unwrap();
    let groups = [[0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1]];
    assert_eq!(notes.begun, groups);
    assert_eq!(notes.ended, groups);
    let mut notes = Notes::new(&words, 0);
    notes.most = 3;
    let out = run.observe([2, 1, 2], &mut notes).unwrap();
    assert_eq!(notes.executed.len(), 3);
    assert!(notes.ended.is_empty());
    assert!(out.findings.is_empty());
}

/// A call is over when the function has returned.
#[test]
fn calls() {
    let words = crate::shader::with_functions(
        "%unary = OpTypeFunction %u32 %u32",
        "%result = OpFunctionCall %u32 %twice %value",
        "%twice = OpFunction %u32 None %unary
%parameter = OpFunctionParameter %u32
%begin = OpLabel
%double = OpIAdd %u32 %parameter %parameter
OpReturnValue %double
OpFunctionEnd",
    );
    struct Calls<'a>(&'a [u32], Vec<(bool, Op, Option<Seen<'static>>)>);
    impl Calls<'_> {
        fn note(&mut self, step: &Step<'_>, is_after: bool) {
            let (op, result) = instruction(self.0, step.offset());
            if matches!(op, Op::FunctionCall | Op::IAdd | Op::ReturnValue) {
                let value = result.filter(|_| is_after).and_then(|id| step.value(id, 0));
                let value = match value {
                    Some(Seen::Scalars(scalars)) => Some(Seen::Scalars(scalars)),
                    _ => None,
                };
                self.1.push((is_after, op, value));
            }
        }
    }
    impl Observer for Calls<'_> {
        fn before(&mut self, step: &Step<'_>) -> ControlFlow<()> {
            self.note(step, false);
            ControlFlow::Continue(())
        }
        fn after(&mut self, step: &Step<'_>) -> ControlFlow<()> {
            self.note(step, true);
            ControlFlow::Continue(())
        }
    }
    let mut calls = Calls(&words, Vec::new());
    let run = Run::new(&words)
        .subgroup_size(64)
        .storage(0, 0, &[21u32; 64]);
    let _ = run
        .zeroed(0, 1, 256)
        .observe([1, 1, 1], &mut calls)
        .unwrap();
    let result = || Some(Seen::Scalars(vec![Scalar::from(42u32)]));
    assert_eq!(
        calls.1,
        [
            (false, Op::FunctionCall, None),
            (false, Op::IAdd, None),
            (true, Op::IAdd, result()),
            (false, Op::ReturnValue, None),
            (true, Op::FunctionCall, result()),
        ]
    );
}

/// Offsets are those of the module that was given, not of the specialized one.
#[test]
fn specialized_modules() {
    let words = shader(
        "%count = OpSpecConstant %u32 3
%five = OpSpecConstantOp %u32 IAdd %count %u2",
        "%result = OpIAdd %u32 %value %five",
    );
    let mut text = spirvkit_text::disassemble(&words, &Default::default())
        .unwrap()
        .text;
    let line = text.lines().find(|line| line.contains("= OpSpecConstant "));
    let count = line.unwrap().split_whitespace().next().unwrap();
    let decoration = format!("OpDecorate {count} SpecId 0\nOpDecorate");
    text = text.replacen("OpDecorate", &decoration, 1);
    let words = assemble(&text, &AssembleOptions::default()).unwrap().words;
    let mut notes = Notes::new(&words, 0);
    let run = Run::new(&words).spec(0, 7u32).zeroed(0, 0, 256);
    run.zeroed(0, 1, 256)
        .observe([1, 1, 1], &mut notes)
        .unwrap();
    assert_eq!(total(&notes, Op::IAdd), 64);
    assert_eq!(notes.sums, [Scalar::from(9u32)]);
}
