//! Random functions whose control flow is structured.

use proptest::prelude::*;

/// A statement of a structured language.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// Something that goes on in another block.
    Next,
    If(Vec<Statement>, Option<Vec<Statement>>),
    Switch {
        /// Each with whether it goes on to the next, if that is possible.
        cases: Vec<(Vec<Statement>, bool)>,
        default: Option<Vec<Statement>>,
    },
    Loop {
        body: Vec<Statement>,
        continuing: Vec<Statement>,
        /// Whether the header may leave the loop, and whether its end may.
        may_skip: bool,
        may_end: bool,
    },
    /// A loop of a single block, which is its own continue target.
    Spin,
    /// Out of the innermost loop or switch.
    Break,
    Continue,
    Return,
    /// A loop that all paths leave before they come to its continue target.
    Once(Vec<Statement>),
}

pub(crate) fn bodies() -> impl Strategy<Value = Vec<Statement>> {
    let leaf = prop_oneof![
        3 => Just(Statement::Next),
        2 => Just(Statement::Spin),
        2 => Just(Statement::Break),
        2 => Just(Statement::Continue),
        1 => Just(Statement::Return),
    ];
    let statement = leaf.prop_recursive(4, 24, 4, |inner| {
        let list = || prop::collection::vec(inner.clone(), 0..4);
        let case = (list(), any::<bool>());
        prop_oneof![
            (list(), prop::option::of(list())).prop_map(|(then, other)| Statement::If(then, other)),
            (prop::collection::vec(case, 0..4), prop::option::of(list()))
                .prop_map(|(cases, default)| Statement::Switch { cases, default }),
            (list(), list(), any::<bool>(), any::<bool>()).prop_map(
                |(body, continuing, may_skip, may_end)| Statement::Loop {
                    body,
                    continuing,
                    may_skip,
                    may_end
                }
            ),
            list().prop_map(Statement::Once),
        ]
    });
    prop::collection::vec(statement, 0..5)
}

/// Where control may go from a statement.
#[derive(Clone, Copy, Default)]
struct Ways {
    leave: Option<u32>,
    go_on: Option<u32>,
    may_return: bool,
}

/// The assembly of a function's body.
pub(crate) fn body(statements: &[Statement]) -> String {
    let mut writer = Writer::default();
    writer.label(0);
    writer.labels = 1;
    let ways = Ways {
        may_return: true,
        ..Ways::default()
    };
    if writer.list(statements, ways) {
        writer.line("OpReturn");
    }
    writer.text
}

#[derive(Default)]
struct Writer {
    text: String,
    labels: u32,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn new_label(&mut self) -> u32 {
        self.labels += 1;
        self.labels - 1
    }

    fn label(&mut self, label: u32) {
        self.line(&format!("%b{label} = OpLabel"));
    }

    fn branch(&mut self, label: u32) {
        self.line(&format!("OpBranch %b{label}"));
    }

    fn choose(&mut self, one: u32, other: u32) {
        self.line(&format!("OpBranchConditional %true %b{one} %b{other}"));
    }

    /// Writes a list of statements that ends, if it ends, with a branch there.
    fn arm(&mut self, label: u32, statements: &[Statement], ways: Ways, end: u32) {
        self.label(label);
        if self.list(statements, ways) {
            self.branch(end);
        }
    }

    /// Whether control comes to the end.
    fn list(&mut self, statements: &[Statement], ways: Ways) -> bool {
        statements
            .iter()
            .all(|statement| self.statement(statement, ways))
    }

    fn statement(&mut self, statement: &Statement, ways: Ways) -> bool {
        match statement {
            Statement::Break | Statement::Continue => {
                let way = match statement {
                    Statement::Break => ways.leave,
                    _ => ways.go_on,
                };
                if let Some(label) = way {
                    self.branch(label);
                }
                return way.is_none();
            }
            Statement::Return => {
                if ways.may_return {
                    self.line("OpReturn");
                }
                return !ways.may_return;
            }
            Statement::Next => {
                let next = self.new_label();
                self.branch(next);
                self.label(next);
            }
            Statement::If(then, other) => {
                let [yes, no, merge] = std::array::from_fn(|_| self.new_label());
                self.line(&format!("OpSelectionMerge %b{merge} None"));
                self.choose(yes, if other.is_some() { no } else { merge });
                self.arm(yes, then, ways, merge);
                if let Some(other) = other {
                    self.arm(no, other, ways, merge);
                }
                self.label(merge);
            }
            Statement::Switch { cases, default } => self.switch(cases, default.as_deref(), ways),
            Statement::Loop {
                body,
                continuing,
                may_skip,
                may_end,
            } => {
                let [header, first, target, merge] = std::array::from_fn(|_| self.new_label());
                self.branch(header);
                self.label(header);
                self.line(&format!("OpLoopMerge %b{merge} %b{target} None"));
                match may_skip {
                    true => self.choose(first, merge),
                    false => self.branch(first),
                }
                let inside = Ways {
                    leave: Some(merge),
                    go_on: Some(target),
                    ..ways
                };
                self.arm(first, body, inside, target);
                // Nothing leaves a continue construct but its end.
                self.label(target);
                assert!(self.list(continuing, Ways::default()));
                match may_end {
                    true => self.choose(header, merge),
                    false => self.branch(header),
                }
                self.label(merge);
            }
            Statement::Once(body) => {
                let [header, target, merge] = std::array::from_fn(|_| self.new_label());
                self.branch(header);
                self.label(header);
                self.line(&format!("OpLoopMerge %b{merge} %b{target} None"));
                let first = self.new_label();
                self.branch(first);
                let inside = Ways {
                    leave: Some(merge),
                    go_on: Some(merge),
                    ..ways
                };
                self.arm(first, body, inside, merge);
                self.label(target);
                self.branch(header);
                self.label(merge);
            }
            Statement::Spin => {
                let [header, merge] = std::array::from_fn(|_| self.new_label());
                self.branch(header);
                self.label(header);
                self.line(&format!("OpLoopMerge %b{merge} %b{header} None"));
                self.choose(header, merge);
                self.label(merge);
            }
        }
        true
    }

    fn switch(
        &mut self,
        cases: &[(Vec<Statement>, bool)],
        default: Option<&[Statement]>,
        ways: Ways,
    ) {
        let merge = self.new_label();
        let labels: Vec<u32> = cases.iter().map(|_| self.new_label()).collect();
        let otherwise = default.map_or(merge, |_| self.new_label());
        let mut targets = String::new();
        for (value, label) in labels.iter().enumerate() {
            // Each label for two literals.
            targets += &format!(" {} %b{label} {} %b{label}", 2 * value, 2 * value + 1);
        }
        self.line(&format!("OpSelectionMerge %b{merge} None"));
        self.line(&format!("OpSwitch %u0 %b{otherwise}{targets}"));
        let inside = Ways {
            leave: Some(merge),
            ..ways
        };
        for (index, (statements, goes_on)) in cases.iter().enumerate() {
            let next = labels.get(index + 1).copied().filter(|_| *goes_on);
            self.arm(labels[index], statements, inside, next.unwrap_or(merge));
        }
        if let Some(default) = default {
            self.arm(otherwise, default, inside, merge);
        }
        self.label(merge);
    }
}
