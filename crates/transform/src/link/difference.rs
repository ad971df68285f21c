//! Where two types differ, in words.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet, VecDeque};

use spirvkit_binary::{Id, LiteralString, Section, Value};
use spirvkit_grammar::{Op, StorageClass};
use spirvkit_ir::Inst;
use spirvkit_text::descriptions;

use super::graph::Graph;
use super::program::{Part, Program};

/// How many steps from the outside to a difference are shown.
const MAX_STEPS: usize = 16;

/// After so many pairs of parts without a difference a search ends: only types made
/// for it differ so far inside.
const MAX_PAIRS: usize = 10_000;

/// How many pairs all searches together may look at, in any program.
const MAX_LOOKS: usize = 1 << 20;

/// How deep the text for a type goes.
const MAX_DEPTH: usize = 4;

/// How many parts of a type its text names.
pub(super) const MAX_PARTS: usize = 8;

/// How long the text for a type is at most, but for its last word, in bytes.
const MAX_TEXT: usize = 1000;

/// The types of a program, to be compared.
pub(super) struct Types<'p, 'a> {
    program: &'p Program<'a>,
    graph: &'p Graph,
    classes: &'p [u32],
    /// What types are called, of the modules by their places; made if there is an error.
    texts: RefCell<HashMap<usize, HashMap<Id, String>>>,
    /// The first decorations of ids, in the same way.
    decorations: RefCell<HashMap<usize, HashMap<Id, Vec<Inst>>>>,
    /// How many pairs all searches together may still look at.
    looks: Cell<usize>,
}

/// Where two types differ first.
pub(super) struct Difference {
    /// Such as "parameter 2".
    pub(super) place: String,
    pub(super) first: String,
    pub(super) second: String,
}

impl<'p, 'a> Types<'p, 'a> {
    pub(super) fn new(program: &'p Program<'a>, graph: &'p Graph, classes: &'p [u32]) -> Self {
        Self {
            program,
            graph,
            classes,
            texts: RefCell::default(),
            decorations: RefCell::default(),
            looks: Cell::new(MAX_LOOKS.max(program.node_count() + graph.edges.count())),
        }
    }

    pub(super) fn graph(&self) -> &'p Graph {
        self.graph
    }

    /// Whether two types are the same, decorations and all, but for the names in them.
    pub(super) fn are_equal(&self, a: u32, b: u32) -> bool {
        self.classes.get(a as usize) == self.classes.get(b as usize)
    }

    /// Whether two function types differ only in where pointers, which are parameters
    /// or the result, point within one storage class.
    pub(super) fn differ_by_pointers(&self, a: u32, b: u32) -> bool {
        let (a_parts, b_parts) = (self.graph.edges.of(a), self.graph.edges.of(b));
        let is_pointer = |node: u32| self.program.op(node) == Op::TypePointer;
        let fit = |(&a, &b): (&u32, &u32)| {
            let pointers = is_pointer(a) && is_pointer(b);
            self.are_equal(a, b) || pointers && self.program.word(a, 2) == self.program.word(b, 2)
        };
        self.program.op(a) == Op::TypeFunction
            && self.graph.label(a) == self.graph.label(b)
            && a_parts.len() == b_parts.len()
            && a_parts.iter().zip(b_parts).all(fit)
    }

    /// Where two types that are not the same differ, as near to the outside as can be.
    pub(super) fn difference(&self, a: u32, b: u32) -> Difference {
        let mut seen = HashSet::from([(a, b)]);
        let mut queue = VecDeque::from([(a, b, None::<usize>, 0)]);
        // How each pair was come to: from which, and by which edge.
        let mut steps: Vec<(Option<usize>, u32, usize)> = Vec::new();
        while let Some((a, b, from, edge)) = queue.pop_front() {
            steps.push((from, a, edge));
            let here = steps.len() - 1;
            let (a_parts, b_parts) = (self.graph.edges.of(a), self.graph.edges.of(b));
            let left = self.looks.get();
            self.looks.set(left.saturating_sub(1 + a_parts.len()));
            let is_long = seen.len() > MAX_PAIRS || left == 0;
            if self.graph.label(a) != self.graph.label(b) || is_long {
                return self.tell(&steps, here, a, b);
            }
            let pairs = a_parts.iter().zip(b_parts);
            for (edge, (&a, &b)) in pairs.enumerate() {
                if !self.are_equal(a, b) && seen.insert((a, b)) {
                    queue.push_back((a, b, Some(here), edge));
                }
            }
        }
        self.tell(&steps, 0, a, b)
    }

    fn tell(
        &self,
        steps: &[(Option<usize>, u32, usize)],
        last: usize,
        a: u32,
        b: u32,
    ) -> Difference {
        let mut place = Vec::new();
        let mut at = steps.get(last);
        while let Some(&(Some(from), _, edge)) = at {
            if place.len() == MAX_STEPS {
                place.push("…".into());
                break;
            }
            at = steps.get(from);
            let parent = at.map_or(0, |&(_, node, _)| node);
            place.push(self.part(parent, edge));
        }
        let (mut first, mut second) = (self.text(a), self.text(b));
        if first == second {
            first = format!("{first} with {}", self.decorations(a));
            second = format!("{second} with {}", self.decorations(b));
        }
        let place = match place.is_empty() {
            true => "it".to_owned(),
            false => place.join(" of "),
        };
        Difference {
            place,
            first,
            second,
        }
    }

    /// What the edge of a type leads to.
    fn part(&self, of: u32, edge: usize) -> String {
        match (self.program.op(of), edge) {
            (Op::TypeFunction, 0) => "the result".into(),
            (Op::TypeFunction, _) => format!("parameter {edge}"),
            (Op::TypeStruct, _) => format!("member {edge}"),
            (Op::TypePointer | Op::TypeUntypedPointerKHR, _) => "the pointee".into(),
            (Op::TypeArray, 1) => "the length".into(),
            (Op::TypeVector | Op::TypeMatrix | Op::TypeArray | Op::TypeRuntimeArray, 0) => {
                "the element".into()
            }
            (op, edge) => format!("operand {} of {op}", edge + 1),
        }
    }

    /// A type in words, or a constant's value.
    fn text(&self, node: u32) -> String {
        let mut text = String::new();
        self.write(node, 0, &mut text);
        text
    }

    fn write(&self, node: u32, depth: usize, text: &mut String) {
        if depth == MAX_DEPTH || text.len() > MAX_TEXT {
            text.push('…');
            return;
        }
        let program = self.program;
        let word = |word| program.word(node, word);
        let parts = self.graph.edges.of(node);
        let inner = |text: &mut String, index: usize| {
            if let Some(&part) = parts.get(index) {
                self.write(part, depth + 1, text);
            }
        };
        match program.op(node) {
            Op::TypeArray => {
                inner(text, 0);
                text.push('[');
                match parts.get(1).map(|&length| program.op(length)) {
                    Some(Op::Constant) => *text += &program.word(parts[1], 3).to_string(),
                    _ => inner(text, 1),
                }
                text.push(']');
            }
            Op::TypeRuntimeArray => {
                inner(text, 0);
                text.push_str("[]");
            }
            Op::TypePointer => {
                *text += &format!("ptr<{}, ", StorageClass(word(2)));
                inner(text, 0);
                text.push('>');
            }
            // A name would say nothing of what differs.
            Op::TypeStruct => self.write_list("struct {", parts, "}", depth, text),
            Op::TypeFunction => {
                inner(text, 0);
                let parameters = parts.get(1..).unwrap_or_default();
                self.write_list(" (", parameters, ")", depth, text);
            }
            op if op.is_type() => text.push_str(&self.described(node)),
            op => {
                text.push_str(&op.to_string());
                self.write_literals(node, text);
            }
        }
    }

    /// A type as it is written elsewhere.
    fn described(&self, node: u32) -> String {
        let Some((part, inst)) = self.program.at(node) else {
            return String::new();
        };
        let mut texts = self.texts.borrow_mut();
        let texts = texts
            .entry(self.program.module_of(node))
            .or_insert_with(|| {
                let words = part.module.store();
                let module = spirvkit_binary::Module::new(&words);
                let all = module.iter().flat_map(|module| module.instructions());
                let types = all.map_while(Result::ok).filter(|it| it.op().is_type());
                let ids: Vec<Id> = types.filter_map(|it| it.result()).collect();
                let texts = descriptions(&words, &ids);
                ids.into_iter().zip(texts).collect()
            });
        let id = part.module.result(inst);
        let text = id.and_then(|id| texts.get(&id)).cloned();
        text.unwrap_or_default()
    }

    fn write_list(&self, open: &str, parts: &[u32], close: &str, depth: usize, text: &mut String) {
        text.push_str(open);
        for (index, &part) in parts.iter().take(MAX_PARTS).enumerate() {
            if index > 0 {
                text.push_str(", ");
            }
            self.write(part, depth + 1, text);
        }
        if parts.len() > MAX_PARTS {
            *text += &format!(", … {} in all", parts.len());
        }
        text.push_str(close);
    }

    /// The operands of an instruction that are no ids.
    fn write_literals(&self, node: u32, text: &mut String) {
        let Some((part, inst)) = self.program.at(node) else {
            return;
        };
        let operands = part.module.operands(inst).map_while(Result::ok);
        for operand in operands.take(MAX_PARTS) {
            let literal = match operand.value {
                Value::Integer(value) => value.to_string(),
                Value::Number { bits, .. } => bits.to_string(),
                Value::Float(bits) => f32::from_bits(bits).to_string(),
                Value::String(string) => quoted(string),
                Value::Enumerant {
                    info: Some(info), ..
                } => info.name().to_owned(),
                Value::Enumerant { value, .. } | Value::Mask(value) => value.to_string(),
                _ => continue,
            };
            text.push(' ');
            text.push_str(&literal);
        }
    }

    /// The decorations of a type in words.
    fn decorations(&self, node: u32) -> String {
        let Some((part, inst)) = self.program.at(node) else {
            return "none".into();
        };
        let mut known = self.decorations.borrow_mut();
        let known = known
            .entry(self.program.module_of(node))
            .or_insert_with(|| decorations(part));
        let own = part.module.result(inst).and_then(|id| known.get(&id));
        let all: Vec<String> = (own.into_iter().flatten())
            .map(|&decoration| decoration_text(part, decoration))
            .collect();
        match all.is_empty() {
            true => "no decoration".into(),
            false => all.join(", "),
        }
    }
}

/// The first decorations of each id of a module.
fn decorations(part: &Part<'_>) -> HashMap<Id, Vec<Inst>> {
    let mut known: HashMap<Id, Vec<Inst>> = HashMap::new();
    for &inst in part.section(Section::Annotations) {
        if let Some(target) = part.id(inst, 1) {
            let own = known.entry(target).or_default();
            if own.len() < MAX_PARTS {
                own.push(inst);
            }
        }
    }
    known
}

/// A string in quotation marks, or its beginning.
fn quoted(string: LiteralString<'_>) -> String {
    let mut bytes: Vec<u8> = string.bytes().take(MAX_TEXT + 1).collect();
    let more = match bytes.len() > MAX_TEXT {
        true => "…",
        false => "",
    };
    bytes.truncate(MAX_TEXT);
    format!("{:?}{more}", String::from_utf8_lossy(&bytes))
}

/// A decoration with its operands.
fn decoration_text(part: &Part<'_>, inst: Inst) -> String {
    let mut words: Vec<String> = Vec::new();
    let operands = part.module.operands(inst).map_while(Result::ok);
    for operand in operands.skip(1).take(MAX_PARTS) {
        words.push(match operand.value {
            Value::Enumerant {
                info: Some(info), ..
            } => info.name().to_owned(),
            Value::Integer(value) if words.is_empty() => format!("member {value}"),
            Value::Integer(value) => value.to_string(),
            Value::String(string) => quoted(string),
            _ => continue,
        });
    }
    words.join(" ")
}
