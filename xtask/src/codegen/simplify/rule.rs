//! What a rule asks beyond its decision tree, and what it makes, as a function in Rust.

use std::fmt::Write as _;

use super::order::words;
use super::syntax::{Head, Literal, Rule, Term, Unless, is_width, signature};
use super::typing::{Sort, Typed, TypedRule};

pub(super) fn function(index: usize, rule: &Rule, typed: &TypedRule<'_>) -> Result<String, String> {
    let nodes = typed.pattern.all();
    let names: Vec<String> = (1..nodes.len())
        .map(|number| format!("t{number}"))
        .collect();
    let mut writer = Writer {
        typed,
        nodes,
        body: String::new(),
        made: 0,
    };
    writer.modes(rule);
    writer.equalities();
    writer.constants()?;
    writer.classes();
    for condition in &typed.conditions {
        writer.condition(condition)?;
    }
    writer.uses(rule);
    let result = writer.result()?;
    let body = writer.body;
    let count = names.len();
    let names = names.join(", ");
    Ok(format!(
        "/// {}.rules:{}: `{}`\nfn rule_{index}<V: Values>(v: &mut V, m: &Modes, set: Id, ty: Id, [{names}]: [Id; {count}]) -> Option<Id> {{\n{body}    {result}\n}}\n\n",
        rule.class, rule.line, rule.text
    ))
}

struct Writer<'r> {
    typed: &'r TypedRule<'r>,
    nodes: Vec<&'r Typed<'r>>,
    body: String,
    /// How many variables there are for what was made.
    made: usize,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        writeln!(self.body, "    {line}").unwrap();
    }

    fn refuse_if(&mut self, condition: &str) {
        self.line(&format!("if {condition} {{ return None; }}"));
    }

    /// A variable for what an expression gives.
    fn bound(&mut self, expression: &str) -> String {
        self.made += 1;
        let name = format!("n{}", self.made);
        self.line(&format!("let {name} = {expression};"));
        name
    }

    /// The type of a term of the pattern.
    fn type_of(&self, number: usize) -> String {
        match number {
            0 => "ty".to_owned(),
            _ => format!("v.ty(t{number})"),
        }
    }

    /// A type of a class.
    fn type_in(&self, class: usize) -> Result<String, String> {
        let classes = &self.typed.classes;
        let class = classes.find(class);
        let number = self
            .nodes
            .iter()
            .position(|node| classes.find(node.class) == class);
        number
            .map(|number| self.type_of(number))
            .ok_or_else(|| "nothing in the pattern has the type of a new term".to_owned())
    }

    /// The type of a class's scalars.
    fn scalar_type(&self, class: usize) -> Result<String, String> {
        if self.typed.classes.sort(class) == Sort::Boolean {
            return Ok("ScalarType::Bool".to_owned());
        }
        Ok(format!("scalar_type(v, {})?", self.type_in(class)?))
    }

    fn modes(&mut self, rule: &Rule) {
        if !rule.needs.is_empty() {
            let bits: Vec<&str> = rule.needs.iter().map(|need| permission(need)).collect();
            self.refuse_if(&format!("!m.permits({})", bits.join(" | ")));
        }
        let classes = &self.typed.classes;
        let mut floats: Vec<usize> = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            let class = classes.find(node.class);
            let is_known = floats
                .iter()
                .any(|&known| classes.find(self.nodes[known].class) == class);
            if classes.sort(class) == Sort::Float && !is_known {
                floats.push(number);
            }
        }
        for unless in &rule.unless {
            let test = match unless {
                Unless::Flush => "flushes",
                Unless::Directed => "rounds_up_or_down",
            };
            for &number in &floats {
                let ty = self.type_of(number);
                self.refuse_if(&format!("m.{test}(scalar_type(v, {ty})?)"));
            }
        }
    }

    /// The term of the pattern with a name.
    fn number_of(&self, name: &str) -> Result<usize, String> {
        let number = self
            .nodes
            .iter()
            .position(|node| node.term.name() == Some(name));
        number.ok_or_else(|| format!("the pattern has no `{name}`"))
    }

    fn equalities(&mut self) {
        for number in 1..self.nodes.len() {
            let Some(name) = self.nodes[number].term.name() else {
                continue;
            };
            let first = self.number_of(name).unwrap_or(number);
            if first != number {
                let test = match self.nodes[number].term {
                    Term::Constant(_) => format!("v.bits(t{first}) != v.bits(t{number})"),
                    _ => format!("t{first} != t{number}"),
                };
                self.refuse_if(&test);
            }
        }
    }

    fn constants(&mut self) -> Result<(), String> {
        for number in 1..self.nodes.len() {
            match self.nodes[number].term {
                Term::Constant(name) if self.number_of(name)? == number => {
                    self.line(&format!("let {} = scalar(v, t{number})?;", constant(name)));
                }
                Term::Literal(literal) => {
                    let literal = literal_text(*literal);
                    self.refuse_if(&format!("!is_literal(v, t{number}, {literal})"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn classes(&mut self) {
        for &(first, second) in &self.typed.merged {
            let (first, second) = (self.type_of(first), self.type_of(second));
            self.refuse_if(&format!("!are_alike(v, {first}, {second})"));
        }
    }

    fn condition(&mut self, condition: &Typed<'_>) -> Result<(), String> {
        if let Term::Operation {
            head: Head::Core(name),
            operands,
            ..
        } = condition.term
        {
            match (name.as_str(), &operands[..]) {
                ("wider" | "same-width", [a, b]) => {
                    let width = |term: &Term| {
                        let number = self.number_of(term.name().unwrap_or_default())?;
                        Ok::<_, String>(format!(
                            "scalar_type(v, {})?.width()",
                            self.type_of(number)
                        ))
                    };
                    let (a, b) = (width(a)?, width(b)?);
                    let refused = if name == "wider" { "<=" } else { "!=" };
                    self.refuse_if(&format!("{a} {refused} {b}"));
                    return Ok(());
                }
                ("once", [Term::Variable(name)]) => {
                    let number = self.number_of(name)?;
                    self.refuse_if(&format!("!v.is_used_once(t{number})"));
                    return Ok(());
                }
                ("reciprocal", [Term::Constant(name)]) => {
                    self.refuse_if(&format!("!has_reciprocal({})", constant(name)));
                    return Ok(());
                }
                _ => {}
            }
        }
        let value = self.folded(condition)?;
        self.refuse_if(&format!("{value}.bits() == 0"));
        Ok(())
    }

    /// An expression for the scalar that a constant term is.
    fn folded(&mut self, term: &Typed<'_>) -> Result<String, String> {
        match term.term {
            Term::Constant(name) => {
                self.number_of(name)?;
                Ok(constant(name))
            }
            Term::Literal(literal) => {
                let ty = self.scalar_type(term.class)?;
                let literal = literal_text(*literal);
                Ok(self.bound(&format!("literal({ty}, {literal})?")))
            }
            Term::Operation { head, operands, .. } if is_width(head) => {
                let of = operands.first().and_then(Term::name).unwrap_or_default();
                let of = self.type_of(self.number_of(of)?);
                let ty = self.scalar_type(term.class)?;
                Ok(self.bound(&format!(
                    "Scalar::new({ty}, scalar_type(v, {of})?.width().into())"
                )))
            }
            Term::Operation { head, .. } => {
                let mut operands = Vec::new();
                for operand in &term.operands {
                    operands.push(self.folded(operand)?);
                }
                let operands = operands.join(", ");
                let ty = self.scalar_type(term.class)?;
                Ok(self.bound(&match head {
                    Head::Core(name) => format!("fold(m, Op::{name}, {ty}, &[{operands}])?"),
                    Head::Glsl(name) => {
                        format!("fold_glsl(m, GlslStd450::{name}, {ty}, &[{operands}])?")
                    }
                }))
            }
            Term::Variable(name) => Err(format!("`{name}` is no constant")),
        }
    }

    /// Where more is made than what is replaced had, what is left behind must go.
    fn uses(&mut self, rule: &Rule) {
        let size = |term: &Term| match term {
            Term::Operation { head, operands, .. } => words(head, operands.len()),
            _ => 0,
        };
        let patterns = super::terms(&rule.pattern);
        let mut made: Vec<&Term> = Vec::new();
        for term in super::terms(&rule.replacement) {
            if !term.is_constant() && !patterns.contains(&term) && !made.contains(&term) {
                made.push(term);
            }
        }
        let made: usize = made.into_iter().map(size).sum();
        if made <= size(&rule.pattern) {
            return;
        }
        for number in 1..self.nodes.len() {
            if matches!(self.nodes[number].term, Term::Operation { .. }) {
                self.refuse_if(&format!("!v.is_used_once(t{number})"));
            }
        }
    }

    /// The expression for the replacement.
    fn result(&mut self) -> Result<String, String> {
        let typed = self.typed;
        let replacement = &typed.replacement;
        if let Some(name) = replacement.term.name()
            && matches!(replacement.term, Term::Variable(_) | Term::Constant(_))
        {
            let number = self.number_of(name)?;
            return Ok(format!("adapt(v, ty, t{number})"));
        }
        let made = self.made_of(replacement)?;
        Ok(format!("Some({made})"))
    }

    fn made_of(&mut self, term: &Typed<'_>) -> Result<String, String> {
        match term.term {
            Term::Variable(name) | Term::Constant(name) => {
                Ok(format!("t{}", self.number_of(name)?))
            }
            _ if term.term.is_constant() => {
                let value = self.folded(term)?;
                let ty = self.type_in(term.class)?;
                let ty = self.bound(&ty);
                Ok(self.bound(&format!("v.constant({ty}, {value}.bits())")))
            }
            Term::Literal(_) => Err("a literal is no constant".to_owned()),
            Term::Operation { head, .. } => {
                let ty = self.type_in(term.class)?;
                let ty = self.bound(&ty);
                let signature = signature(head)?;
                self.total(head, term)?;
                let mut operands = Vec::new();
                for (operand, letter) in term.operands.iter().zip(signature.operands.chars()) {
                    let made = self.made_of(operand)?;
                    if signature.is_strict && letter == signature.result {
                        self.refuse_if(&format!("v.ty({made}) != {ty}"));
                    }
                    operands.push(format!("{made}.0"));
                }
                let operands = operands.join(", ");
                Ok(match head {
                    Head::Core(name) => {
                        self.bound(&format!("v.make(Op::{name}, {ty}, &[{operands}])"))
                    }
                    Head::Glsl(name) => {
                        let set = self.set()?;
                        self.bound(&format!(
                            "v.make(Op::ExtInst, {ty}, &[{set}, GlslStd450::{name}.0, {operands}])"
                        ))
                    }
                })
            }
        }
    }

    /// Sees to it that an operation that is made has a result for all values of its variables:
    /// it may be put where the pattern wasn't computed.
    fn total(&mut self, head: &Head, term: &Typed<'_>) -> Result<(), String> {
        let (Head::Core(name), [_, divisor]) = (head, &term.operands[..]) else {
            return Ok(());
        };
        let is_signed = matches!(name.as_str(), "SDiv" | "SRem" | "SMod");
        if !is_signed && !matches!(name.as_str(), "UDiv" | "UMod") {
            return Ok(());
        }
        let divisor = self
            .folded(divisor)
            .map_err(|error| format!("{head} is made, and its divisor may be zero: {error}"))?;
        self.refuse_if(&format!("{divisor}.bits() == 0"));
        if is_signed {
            self.refuse_if(&format!("{divisor}.sign_extended() == -1"));
        }
        Ok(())
    }

    /// The instruction set that an operation of the pattern is of.
    fn set(&mut self) -> Result<String, String> {
        let number = self.nodes.iter().position(|node| {
            matches!(
                node.term,
                Term::Operation {
                    head: Head::Glsl(_),
                    ..
                }
            )
        });
        match number {
            Some(0) => Ok("set.0".to_owned()),
            Some(number) => Ok(self.bound(&format!("*v.operands(t{number}).first()?"))),
            None => Err("nothing in the pattern is of GLSL.std.450".to_owned()),
        }
    }
}

/// The variable for the scalar that a constant has.
fn constant(name: &str) -> String {
    format!("k_{}", name.to_lowercase())
}

fn literal_text(literal: Literal) -> String {
    match literal {
        Literal::Integer(value) => format!("Literal::Integer({value})"),
        Literal::Float(value) => format!("Literal::Float({value:?})"),
        Literal::Least => "Literal::Least".to_owned(),
        Literal::Greatest => "Literal::Greatest".to_owned(),
    }
}

fn permission(name: &str) -> &'static str {
    match name {
        "nnan" => "FPFastMathMode::NotNaN",
        "ninf" => "FPFastMathMode::NotInf",
        "nsz" => "FPFastMathMode::NSZ",
        "arcp" => "FPFastMathMode::AllowRecip",
        "contract" => "FPFastMathMode::AllowContract",
        _ => "FPFastMathMode::AllowReassoc",
    }
}
