// What types the terms of a rule have, as far as one rule can tell: classes of types of the
// same width and number of components.

use std::collections::BTreeMap;

use super::syntax::{Head, Rule, TESTS, Term, is_width, signature};

/// The sort of a class's scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Any,
    Boolean,
    Integer,
    Float,
}

/// A term, with the class of its type.
#[derive(Clone, Debug)]
pub(crate) struct Typed<'r> {
    pub(crate) term: &'r Term,
    pub(crate) class: usize,
    pub(crate) operands: Vec<Typed<'r>>,
}

impl<'r> Typed<'r> {
    /// This one and all below it, in the order in which they are written.
    pub(crate) fn all(&self) -> Vec<&Typed<'r>> {
        let mut all = vec![self];
        all.extend(self.operands.iter().flat_map(Typed::all));
        all
    }
}

/// A rule with its classes.
#[derive(Debug)]
pub(crate) struct TypedRule<'r> {
    pub(crate) pattern: Typed<'r>,
    pub(crate) conditions: Vec<Typed<'r>>,
    pub(crate) replacement: Typed<'r>,
    pub(crate) classes: Classes,
    /// Terms of the pattern, counted as they are written, of which the types must be alike,
    /// although the pattern alone doesn't say so.
    pub(crate) merged: Vec<(usize, usize)>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    parents: Vec<usize>,
    sorts: Vec<Sort>,
    names: BTreeMap<String, usize>,
}

impl Classes {
    fn fresh(&mut self, sort: Sort) -> usize {
        self.parents.push(self.parents.len());
        self.sorts.push(sort);
        self.parents.len() - 1
    }

    pub(crate) fn find(&self, mut class: usize) -> usize {
        while self.parents[class] != class {
            class = self.parents[class];
        }
        class
    }

    pub(crate) fn sort(&self, class: usize) -> Sort {
        self.sorts[self.find(class)]
    }

    fn unite(&mut self, a: usize, b: usize) -> Result<(), String> {
        let (a, b) = (self.find(a), self.find(b));
        let sort = match (self.sorts[a], self.sorts[b]) {
            (Sort::Any, other) | (other, Sort::Any) => other,
            (one, other) if one == other => one,
            (one, other) => return Err(format!("{one:?} and {other:?} are of one type")),
        };
        // The older one stays, so that names of the pattern's classes do.
        let (old, new) = (a.min(b), a.max(b));
        self.parents[new] = old;
        self.sorts[old] = sort;
        Ok(())
    }

    fn term<'r>(&mut self, term: &'r Term) -> Result<Typed<'r>, String> {
        let mut operands = Vec::new();
        let class = match term {
            Term::Literal(_) => self.fresh(Sort::Any),
            Term::Variable(name) | Term::Constant(name) => self.named(name),
            Term::Operation {
                name,
                head,
                operands: below,
            } => {
                for operand in below {
                    operands.push(self.term(operand)?);
                }
                let class = self.operation(head, &operands)?;
                if let Some(name) = name {
                    let named = self.named(name);
                    self.unite(class, named)?;
                }
                class
            }
        };
        Ok(Typed {
            term,
            class,
            operands,
        })
    }

    fn named(&mut self, name: &str) -> usize {
        match self.names.get(name) {
            Some(&class) => class,
            None => {
                let class = self.fresh(Sort::Any);
                self.names.insert(name.to_owned(), class);
                class
            }
        }
    }

    fn operation(&mut self, head: &Head, operands: &[Typed<'_>]) -> Result<usize, String> {
        if is_width(head) {
            return Ok(self.fresh(Sort::Integer));
        }
        if matches!(head, Head::Core(name) if TESTS.contains(&name.as_str())) {
            return Ok(self.fresh(Sort::Boolean));
        }
        let signature = signature(head)?;
        if operands.len() != signature.operands.len() {
            let found = operands.len();
            return Err(format!("{head} doesn't take {found} operands"));
        }
        let mut letters: BTreeMap<char, usize> = BTreeMap::new();
        let mut class_of = |classes: &mut Self, letter| {
            *letters.entry(letter).or_insert_with(|| {
                classes.fresh(match letter {
                    'i' | 'j' => Sort::Integer,
                    'f' | 'g' => Sort::Float,
                    'b' | 'c' => Sort::Boolean,
                    _ => Sort::Any,
                })
            })
        };
        let result = class_of(self, signature.result);
        for (operand, letter) in operands.iter().zip(signature.operands.chars()) {
            let class = class_of(self, letter);
            self.unite(operand.class, class)
                .map_err(|error| format!("{head}: {error}"))?;
        }
        Ok(result)
    }
}

/// Finds the classes of a rule.
pub(crate) fn typed(rule: &Rule) -> Result<TypedRule<'_>, String> {
    let mut classes = Classes::default();
    let pattern = classes.term(&rule.pattern)?;
    let before = classes.clone();
    let mut conditions = Vec::new();
    for condition in &rule.conditions {
        conditions.push(classes.term(condition)?);
    }
    let replacement = classes.term(&rule.replacement)?;
    classes.unite(pattern.class, replacement.class)?;
    let mut merged = Vec::new();
    let nodes = pattern.all();
    let first = |class: usize, classes: &Classes| {
        let is_in = |node: &&Typed<'_>| classes.find(node.class) == classes.find(class);
        nodes.iter().position(is_in)
    };
    for (number, node) in nodes.iter().enumerate() {
        let one = first(node.class, &classes).unwrap_or(number);
        let own = first(node.class, &before).unwrap_or(number);
        if one != own && own == number {
            merged.push((one, own));
        }
    }
    Ok(TypedRule {
        pattern,
        conditions,
        replacement,
        classes,
        merged,
    })
}
