//! The properties that litmus tests ask for: formulas about the relations of an execution, in
//! as much of the language Alloy as they take.

use spirvkit::interp::model::{Execution, Relation, Relations, Set};

/// How deep formulas may be nested.
const MAX_DEPTH: usize = 100;

/// What an expression stands for.
#[derive(Clone)]
enum Value {
    Truth(bool),
    Number(i64),
    Set(Set),
    Relation(Relation),
}

/// Whether an execution has a property. An error says what of it isn't understood.
pub(super) fn holds(
    property: &str,
    execution: &Execution,
    relations: &Relations,
) -> Result<bool, String> {
    let tokens = tokens(property)?;
    let mut reader = Reader {
        tokens: &tokens,
        next: 0,
        depth: 0,
        execution,
        relations,
    };
    // Nothing asks for nothing more than an execution.
    if tokens.is_empty() {
        return Ok(true);
    }
    let value = reader.formula(0)?;
    match tokens.get(reader.next) {
        None => truth(value),
        Some(token) => Err(format!("`{token}` is not expected")),
    }
}

/// Signs, the long ones before those that they begin with.
const SIGNS: [&str; 31] = [
    "<=>", "=>", "<:", ":>", "->", "&&", "||", "!=", ">=", "=<", "<=", "(", ")", "[", "]", ".",
    ",", "+", "-", "&", "~", "^", "*", "#", "!", "=", "<", ">", "{", "}", "/",
];

fn tokens(text: &str) -> Result<Vec<&str>, String> {
    let text = text.split("//").next().unwrap_or("");
    let text = text.split("--").next().unwrap_or("");
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                sign.ok_or(format!("`{first}` is not expected"))?.len()
            }
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

struct Reader<'t> {
    tokens: &'t [&'t str],
    next: usize,
    depth: usize,
    execution: &'t Execution,
    relations: &'t Relations,
}

/// Formulas that connect two others, from those that bind least.
const CONNECTIVES: [&[&str]; 4] = [
    &["||", "or"],
    &["<=>", "iff"],
    &["=>", "implies"],
    &["&&", "and"],
];

/// Operators between sets and relations, from those that bind least.
const OPERATORS: [&[&str]; 5] = [&["+", "-"], &["&"], &["->"], &["<:", ":>"], &["."]];

impl<'t> Reader<'t> {
    fn peek(&self) -> &'t str {
        self.tokens.get(self.next).copied().unwrap_or("")
    }

    fn take(&mut self, token: &str) -> bool {
        let is_next = self.peek() == token;
        self.next += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        match self.take(token) {
            true => Ok(()),
            false => Err(format!("`{token}` is expected")),
        }
    }

    /// Reads one level deeper.
    fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<T, String> {
        self.depth += 1;
        let value = match self.depth <= MAX_DEPTH {
            true => read(self),
            false => Err("the formula is nested too deep".to_owned()),
        };
        self.depth -= 1;
        value
    }

    fn formula(&mut self, level: usize) -> Result<Value, String> {
        let Some(connectives) = CONNECTIVES.get(level) else {
            return self.negation();
        };
        let mut left = self.formula(level + 1)?;
        while connectives.contains(&self.peek()) {
            self.next += 1;
            // An implication may have another behind it.
            let right = match level {
                2 => self.deeper(|this| this.formula(level))?,
                _ => self.formula(level + 1)?,
            };
            let (a, b) = (truth(left)?, truth(right)?);
            left = Value::Truth(match level {
                0 => a || b,
                1 => a == b,
                2 => !a || b,
                _ => a && b,
            });
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Value, String> {
        if self.take("!") || self.take("not") {
            let value = self.deeper(Self::negation)?;
            return Ok(Value::Truth(!truth(value)?));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Value, String> {
        for quantifier in ["no", "some", "lone", "one"] {
            if self.take(quantifier) {
                let count = size(&self.expression(0)?)?;
                return Ok(Value::Truth(match quantifier {
                    "no" => count == 0,
                    "some" => count > 0,
                    "lone" => count <= 1,
                    _ => count == 1,
                }));
            }
        }
        let left = self.expression(0)?;
        let is_negated = (self.peek() == "!" || self.peek() == "not") && {
            self.next += 1;
            true
        };
        let sign = self.peek();
        if !["=", "!=", "in", "<", ">", "=<", "<=", ">="].contains(&sign) {
            return Ok(left);
        }
        self.next += 1;
        let right = self.expression(0)?;
        let holds = match (left, right) {
            (Value::Number(a), Value::Number(b)) => match sign {
                "=" | "in" => a == b,
                "!=" => a != b,
                "<" => a < b,
                ">" => a > b,
                ">=" => a >= b,
                _ => a <= b,
            },
            (a, b) => {
                let is_in = is_subset(&a, &b)?;
                let is_same = is_in && is_subset(&b, &a)?;
                match sign {
                    "in" => is_in,
                    "=" => is_same,
                    "!=" => !is_same,
                    _ => return Err(format!("`{sign}` takes numbers")),
                }
            }
        };
        Ok(Value::Truth(holds != is_negated))
    }

    fn expression(&mut self, level: usize) -> Result<Value, String> {
        let Some(operators) = OPERATORS.get(level) else {
            return self.prefixed();
        };
        // The number of what is behind it, as far as what binds stronger reaches.
        if level == 1 && self.take("#") {
            let counted = self.deeper(|this| this.expression(level))?;
            return Ok(Value::Number(size(&counted)?));
        }
        let mut left = self.expression(level + 1)?;
        while operators.contains(&self.peek()) {
            let operator = self.peek();
            self.next += 1;
            let right = self.expression(level + 1)?;
            left = self.combine(operator, left, right)?;
        }
        Ok(left)
    }

    fn prefixed(&mut self) -> Result<Value, String> {
        for sign in ["~", "^", "*"] {
            if self.take(sign) {
                let inner = relation(self.deeper(Self::prefixed)?)?;
                return Ok(Value::Relation(match sign {
                    "~" => inner.inverse(),
                    "^" => inner.closure(),
                    _ => &inner.closure() | &self.identity(),
                }));
            }
        }
        self.atom()
    }

    fn atom(&mut self) -> Result<Value, String> {
        if self.take("(") {
            let value = self.deeper(|this| this.formula(0))?;
            self.expect(")")?;
            return Ok(value);
        }
        let name = self.peek();
        self.next += 1;
        if let Ok(number) = name.parse() {
            return Ok(Value::Number(number));
        }
        if name == "X" {
            self.expect(".")?;
            return self.atom();
        }
        // What is written `name[arguments]`.
        if self.take("[") {
            let mut arguments = Vec::new();
            while !self.take("]") {
                let behind = self.tokens.get(self.next + 1).copied();
                match self.peek() == "X" && behind == Some("]") {
                    true => self.next += 1,
                    false => arguments.push(self.deeper(|this| this.formula(0))?),
                }
                if self.peek() != "]" {
                    self.expect(",")?;
                }
            }
            return self.call(name, arguments);
        }
        self.named(name)
    }

    fn call(&self, name: &str, arguments: Vec<Value>) -> Result<Value, String> {
        let truth = |value| Ok(Value::Truth(value));
        match (name, &arguments[..]) {
            ("consistent", []) => return truth(self.relations.is_consistent()),
            ("racefree", []) => return truth(self.relations.data_race.is_empty()),
            ("locordcomplete", []) => {
                return truth(self.relations.is_location_order_complete());
            }
            ("stor", [value]) => {
                let set = set(value.clone())?;
                return Ok(Value::Relation(self.identity().between(set, set)));
            }
            _ => {}
        }
        let Some(first) = arguments.into_iter().next() else {
            return Err(format!("`{name}` takes something"));
        };
        let given = relation(first)?;
        match name {
            "is_acyclic" | "acyclic" => truth(given.is_acyclic()),
            "transitive" => truth(given.is_transitive()),
            "strict_partial_order" => truth(given.is_acyclic() && given.is_transitive()),
            "twoplus" => Ok(Value::Relation(given.then(&given.closure()))),
            "imm" => Ok(Value::Relation(given.immediate())),
            "rc" => Ok(Value::Relation(&given | &self.identity())),
            "rai" => Ok(Value::Relation(given.symmetric())),
            _ => Err(format!("there is no `{name}`")),
        }
    }

    fn identity(&self) -> Relation {
        Relation::identity(self.execution.events.len(), !0)
    }

    fn everything(&self) -> Set {
        self.execution.set(|_| true)
    }

    /// A set or relation of an execution by its name in the model.
    fn named(&self, name: &str) -> Result<Value, String> {
        use spirvkit::interp::model::{Event, Scope};
        let relations = self.relations;
        let relation = |relation: &Relation| Ok(Value::Relation(relation.clone()));
        let set = |holds: fn(&Event) -> bool| Ok(Value::Set(self.execution.set(holds)));
        let immediate = || relations.program_order.immediate();
        let after = |from: fn(&Event) -> u8, to: fn(&Event) -> u8| {
            let events = &self.execution.events;
            let order = &relations.program_order;
            let pairs = Relation::where_both(events.len(), |a, b| {
                order.contains(a, b) && from(&events[a]) & to(&events[b]) != 0
            });
            Ok(Value::Relation(pairs))
        };
        match name {
            "EV" | "E" | "univ" => Ok(Value::Set(self.everything())),
            "none" => Ok(Value::Set(0)),
            "iden" => Ok(Value::Relation(self.identity())),
            "W" => set(|it| it.is_write),
            "R" => set(|it| it.is_read),
            "F" => set(|it| it.is_fence),
            "A" => set(|it| it.is_atomic),
            "ACQ" => set(|it| it.is_acquire),
            "REL" => set(|it| it.is_release),
            "SC0" => set(|it| it.class & 1 != 0),
            "SC1" => set(|it| it.class & 2 != 0),
            "SEMSC0" => set(|it| it.semantics & 1 != 0),
            "SEMSC1" => set(|it| it.semantics & 2 != 0),
            "SEMSC01" => set(|it| it.semantics & 3 == 3),
            "SCOPESG" => set(|it| it.scope == Some(Scope::Subgroup)),
            "SCOPEWG" => set(|it| it.scope == Some(Scope::Workgroup)),
            "SCOPEQF" => set(|it| it.scope == Some(Scope::QueueFamily)),
            "SCOPEDEV" => set(|it| it.scope == Some(Scope::Device)),
            "CBAR" => set(|it| it.is_control_barrier),
            "RFINIT" => Ok(Value::Set(relations.initial_reads)),
            "AV" => set(|it| it.is_available),
            "VIS" => set(|it| it.is_visible),
            "SEMAV" => set(|it| it.makes_available),
            "SEMVIS" => set(|it| it.makes_visible),
            "AVDEVICE" => set(|it| it.is_device_available),
            "VISDEVICE" => set(|it| it.is_device_visible),
            "NONPRIV" => set(|it| it.is_non_private),
            "PRIV" => set(|it| it.is_access() && !it.is_non_private),
            "sthd" => relation(&relations.same_thread),
            "immpo" => Ok(Value::Relation(immediate())),
            "ssg" => relation(&relations.same_subgroup),
            "swg" => relation(&relations.same_workgroup),
            "sqf" => relation(&relations.same_queue_family),
            "ssw" => relation(&self.execution.system),
            "scbarinst" => relation(&self.execution.barriers),
            "po" => relation(&relations.program_order),
            "posctosem" => after(|it| it.class, |it| it.semantics),
            "posemtosc" => after(|it| it.semantics, |it| it.class),
            "inscope" => relation(&relations.in_scope),
            "mutordatom" => relation(&relations.mutually_ordered),
            "sloc" => relation(&relations.same_location),
            "sref" => relation(&relations.same_reference),
            "avvisinc" => relation(&relations.included),
            "rf" => relation(&relations.reads_from),
            "asmo" => relation(&relations.modification_order),
            "rs" => relation(&relations.release_sequence),
            "hypors" => relation(&relations.hypothetical_sequence),
            "fr" => relation(&relations.from_reads),
            "sw" => relation(&relations.synchronizes_with),
            "hb" => relation(&relations.happens_before),
            "locord" => relation(&relations.location_ordered),
            "dr" => relation(&relations.data_race),
            "visto" => relation(&relations.visible_to),
            "avsg" => relation(&relations.availability[0]),
            "avwg" => relation(&relations.availability[1]),
            "avqf" => relation(&relations.availability[2]),
            "avsh" => relation(&relations.availability[3]),
            "avdv" => relation(&relations.availability[4]),
            "vissg" => relation(&relations.visibility[0]),
            "viswg" => relation(&relations.visibility[1]),
            "visqf" => relation(&relations.visibility[2]),
            "vissh" => relation(&relations.visibility[3]),
            "visdv" => relation(&relations.visibility[4]),
            "" => Err("something is expected at the end".to_owned()),
            _ => Err(format!("there is no `{name}`")),
        }
    }

    fn combine(&self, operator: &str, left: Value, right: Value) -> Result<Value, String> {
        let n = self.execution.events.len();
        let value = match (operator, left, right) {
            ("+", Value::Number(a), Value::Number(b)) => Value::Number(a.saturating_add(b)),
            ("-", Value::Number(a), Value::Number(b)) => Value::Number(a.saturating_sub(b)),
            ("+", Value::Set(a), Value::Set(b)) => Value::Set(a | b),
            ("-", Value::Set(a), Value::Set(b)) => Value::Set(a & !b),
            ("&", Value::Set(a), Value::Set(b)) => Value::Set(a & b),
            ("+", Value::Relation(a), Value::Relation(b)) => Value::Relation(&a | &b),
            ("-", Value::Relation(a), Value::Relation(b)) => Value::Relation(&a - &b),
            ("&", Value::Relation(a), Value::Relation(b)) => Value::Relation(&a & &b),
            ("->", Value::Set(a), Value::Set(b)) => Value::Relation(Relation::product(n, a, b)),
            ("<:", Value::Set(a), Value::Relation(b)) => Value::Relation(b.between(a, !0)),
            (":>", Value::Relation(a), Value::Set(b)) => Value::Relation(a.between(!0, b)),
            (".", Value::Set(a), Value::Relation(b)) => Value::Set(b.image(a)),
            (".", Value::Relation(a), Value::Set(b)) => Value::Set(a.inverse().image(b)),
            (".", Value::Relation(a), Value::Relation(b)) => Value::Relation(a.then(&b)),
            _ => return Err(format!("`{operator}` doesn't take these operands")),
        };
        Ok(value)
    }
}

fn truth(value: Value) -> Result<bool, String> {
    match value {
        Value::Truth(truth) => Ok(truth),
        _ => Err("a formula is expected, not a set".to_owned()),
    }
}

fn set(value: Value) -> Result<Set, String> {
    match value {
        Value::Set(set) => Ok(set),
        _ => Err("a set is expected".to_owned()),
    }
}

fn relation(value: Value) -> Result<Relation, String> {
    match value {
        Value::Relation(relation) => Ok(relation),
        _ => Err("a relation is expected".to_owned()),
    }
}

/// How many members a set or relation has.
fn size(value: &Value) -> Result<i64, String> {
    match value {
        Value::Set(set) => Ok(i64::from(set.count_ones())),
        Value::Relation(relation) => Ok(relation.len() as i64),
        _ => Err("a set or relation is expected".to_owned()),
    }
}

fn is_subset(a: &Value, b: &Value) -> Result<bool, String> {
    match (a, b) {
        (Value::Set(a), Value::Set(b)) => Ok(a & !b == 0),
        (Value::Relation(a), Value::Relation(b)) => Ok(a.is_subset(b)),
        // The empty set is the empty relation, too.
        (Value::Relation(a), Value::Set(0)) => Ok(a.is_empty()),
        (Value::Set(0), Value::Relation(_)) => Ok(true),
        _ => Err("what is compared is not of one kind".to_owned()),
    }
}
