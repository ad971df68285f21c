//! Structured control flow.

use proptest::prelude::*;
use spirvkit_binary::Id;
use spirvkit_grammar::*;
use spirvkit_ir::builder::{Builder, Loop};

use super::{count, find, in_function, shader, valid};

#[test]
fn sides_that_return_leave_nothing_to_do() {
    let mut b = shader();
    let bool = b.type_bool();
    let yes = b.constant_bool(true);
    in_function(&mut b, |b| {
        b.selection_control(SelectionControl::DontFlatten);
        b.if_else(
            yes,
            |b| b.return_(),
            |b| b.if_else(yes, |b| b.return_(), |b| b.return_()),
        );
    });
    in_function(&mut b, |b| {
        // Only one side arrives, so the phi has one value.
        b.if_value(
            bool,
            yes,
            |b| {
                b.return_();
                yes
            },
            |_| yes,
        );
        b.return_();
    });
    in_function(&mut b, |b| {
        b.if_value(
            bool,
            yes,
            |b| {
                b.return_();
                yes
            },
            |b| {
                b.return_();
                yes
            },
        );
    });
    let lines = valid(b, "spv1.3");
    assert_eq!(count(&lines, "DontFlatten"), 1);
    assert_eq!(count(&lines, "OpPhi"), 1);
    assert_eq!(count(&lines, "OpUnreachable"), 3);
}

#[test]
fn loops() {
    let mut b = Builder::new(Version::V1_4);
    b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
    let (bool, int) = (b.type_bool(), b.type_int(32, 1));
    let (zero, one, ten) = (b.constant_i32(0), b.constant_i32(1), b.constant_i32(10));
    let yes = b.constant_bool(true);
    in_function(&mut b, |b| {
        let variable = b.local(int);
        b.loop_control(LoopControl::PeelCount, &[2]);
        b.for_(zero..ten, one, |b, i, outer| {
            b.store(variable, i, None);
            b.loop_(|b, inner| {
                b.if_(yes, |b| b.break_(inner));
                b.if_(yes, |b| b.continue_(inner));
                b.return_();
            });
            b.if_(yes, |b| b.continue_(outer));
        });
        b.while_(
            |b| {
                let value = b.load(int, variable, None);
                b.s_greater_than(bool, value, zero)
            },
            |b, this| b.switch_(one, |s| s.case(&[1], |b| b.break_(this))),
        );
        // Without a way out, nothing comes behind it.
        b.loop_(|_, _| {});
    });
    let lines = valid(b, "spv1.4");
    assert_eq!(count(&lines, "OpLoopMerge"), 4);
    find(&lines, "PeelCount 2");
    find(&lines, "OpSLessThan");
    assert_eq!(count(&lines, "OpUnreachable"), 1);
}

#[test]
fn numbers_without_sign_are_compared_so() {
    let mut b = shader();
    let (zero, one) = (b.constant_u32(0), b.constant_u32(1));
    in_function(&mut b, |b| {
        b.for_(zero..one, one, |_, _, _| {});
        b.return_();
    });
    find(&valid(b, "spv1.3"), "OpULessThan");
}

#[test]
fn switches() {
    let mut b = shader();
    let (void, long, int) = (b.type_void(), b.type_int(64, 0), b.type_int(32, 1));
    let types = [long, int];
    b.function(void, FunctionControl::None, &types, |b, parameters| {
        b.switch_(parameters[0], |s| {
            s.case(&[1, 1 << 40], |_| {});
            s.default(|b| b.return_());
            s.case(&[], |_| {});
        });
        b.switch_(parameters[1], |s| s.case(&[-1_i64 as u64], |b| b.return_()));
        b.switch_(parameters[1], |_| {});
        b.return_();
    });
    let lines = valid(b, "spv1.3");
    assert_eq!(count(&lines, "OpSwitch"), 3);
    find(&lines, "1099511627776 %");
    find(&lines, " -1 %");
}

/// A program with structured control flow.
#[derive(Clone, Debug)]
enum Step {
    Store,
    Return,
    Break,
    Continue,
    If(Vec<Step>),
    IfElse(Vec<Step>, Vec<Step>),
    IfValue(Vec<Step>, Vec<Step>),
    Loop(Vec<Step>),
    While(Vec<Step>),
    For(Vec<Step>),
    Switch(Vec<Vec<Step>>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let leaf = prop_oneof![
        3 => Just(Step::Store),
        1 => Just(Step::Return),
        1 => Just(Step::Break),
        1 => Just(Step::Continue),
    ];
    let step = leaf.prop_recursive(4, 24, 3, |inner| {
        let body = prop::collection::vec(inner, 0..4);
        prop_oneof![
            body.clone().prop_map(Step::If),
            (body.clone(), body.clone()).prop_map(|(a, b)| Step::IfElse(a, b)),
            (body.clone(), body.clone()).prop_map(|(a, b)| Step::IfValue(a, b)),
            body.clone().prop_map(Step::Loop),
            body.clone().prop_map(Step::While),
            body.clone().prop_map(Step::For),
            prop::collection::vec(body, 0..3).prop_map(Step::Switch),
        ]
    });
    prop::collection::vec(step, 0..5)
}

struct Values {
    condition: Id,
    number: Id,
    int: Id,
    variable: Id,
}

fn run(b: &mut Builder, steps: &[Step], v: &Values, this: Option<Loop>) {
    for step in steps {
        match step {
            Step::Store => b.store(v.variable, v.number, None),
            // Nothing may follow these.
            Step::Return => return b.return_(),
            Step::Break | Step::Continue => match (this, step) {
                (None, _) => {}
                (Some(this), Step::Break) => return b.break_(this),
                (Some(this), _) => return b.continue_(this),
            },
            Step::If(then) => b.if_(v.condition, |b| run(b, then, v, this)),
            Step::IfElse(then, other) => b.if_else(
                v.condition,
                |b| run(b, then, v, this),
                |b| run(b, other, v, this),
            ),
            Step::IfValue(then, other) => {
                let value = b.if_value(
                    v.int,
                    v.condition,
                    |b| {
                        run(b, then, v, this);
                        v.number
                    },
                    |b| {
                        run(b, other, v, this);
                        v.number
                    },
                );
                b.store(v.variable, value, None);
            }
            Step::Loop(body) => b.loop_(|b, this| run(b, body, v, Some(this))),
            Step::While(body) => b.while_(|_| v.condition, |b, this| run(b, body, v, Some(this))),
            Step::For(body) => b.for_(v.number..v.number, v.number, |b, i, this| {
                b.store(v.variable, i, None);
                run(b, body, v, Some(this));
            }),
            Step::Switch(cases) => b.switch_(v.number, |s| {
                for (literal, case) in cases.iter().enumerate() {
                    s.case(&[literal as u64], |b| run(b, case, v, this));
                }
            }),
        }
    }
}

proptest! {
    /// Whatever is nested in whatever: what the helpers make is structured.
    #[test]
    fn control_flow_is_structured(steps in steps()) {
        let mut b = shader();
        let (int, number) = (b.type_int(32, 1), b.constant_i32(1));
        let condition = b.constant_bool(true);
        in_function(&mut b, |b| {
            let variable = b.local(int);
            run(b, &steps, &Values { condition, number, int, variable }, None);
            if b.open_label().is_some() {
                b.return_();
            }
        });
        valid(b, "spv1.3");
    }
}
