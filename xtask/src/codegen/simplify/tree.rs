//! The decision trees: which rules there are for what operands are.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::constant_name;
use super::syntax::{COMMUTATIVE, Head, Term};

/// What a value must be.
#[derive(Clone, Debug, PartialEq)]
enum Key {
    Operation(Head),
    /// A constant with bits.
    Constant,
}

/// A pattern of which commutative operations have their operands in one of both orders.
#[derive(Clone, Debug)]
pub(super) struct Row {
    rule: usize,
    head: Head,
    /// What must be at a place, and how many operands it has, outer places first.
    tests: Vec<(String, Key, usize)>,
    /// The places of the terms of the pattern below its root, in the order in which they are
    /// written there.
    places: Vec<String>,
}

/// A term with its number in the order of the pattern, and the operands in an order.
#[derive(Clone)]
struct Node<'t> {
    number: usize,
    term: &'t Term,
    operands: Vec<Node<'t>>,
}

/// All orders of a pattern's operands that tell it from others.
pub(super) fn rows(rule: usize, pattern: &Term) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut shapes = Vec::new();
    for node in orders(pattern, &mut 0) {
        let Term::Operation { head, .. } = node.term else {
            continue;
        };
        if is_reversed(&node) {
            continue;
        }
        let mut shape = String::new();
        spell(&node, &mut Vec::new(), &mut shape);
        if shapes.contains(&shape) {
            continue;
        }
        shapes.push(shape);
        let mut row = Row {
            rule,
            head: head.clone(),
            tests: Vec::new(),
            places: Vec::new(),
        };
        let mut places = BTreeMap::new();
        collect(&node, "p", &mut row.tests, &mut places);
        row.places = places.into_values().collect();
        // The root is known, and is no operand.
        row.tests.remove(0);
        row.places.remove(0);
        rows.push(row);
    }
    rows
}

fn orders<'t>(term: &'t Term, number: &mut usize) -> Vec<Node<'t>> {
    let own = *number;
    *number += 1;
    let Term::Operation { head, operands, .. } = term else {
        return vec![Node {
            number: own,
            term,
            operands: Vec::new(),
        }];
    };
    let mut lists: Vec<Vec<Node<'t>>> = vec![Vec::new()];
    for operand in operands {
        let each = orders(operand, number);
        lists = lists
            .iter()
            .flat_map(|list| {
                each.iter().map(|node| {
                    let mut list = list.clone();
                    list.push(node.clone());
                    list
                })
            })
            .collect();
    }
    let mut nodes = Vec::new();
    let is_commutative = COMMUTATIVE.contains(&head.to_string().as_str());
    for operands in lists {
        let mut swapped = operands.clone();
        nodes.push(Node {
            number: own,
            term,
            operands,
        });
        if is_commutative {
            swapped.swap(0, 1);
            nodes.push(Node {
                number: own,
                term,
                operands: swapped,
            });
        }
    }
    nodes
}

/// Whether somewhere a constant is to the left of what is none, where it never is.
fn is_reversed(node: &Node<'_>) -> bool {
    let own = match (node.term, &node.operands[..]) {
        (Term::Operation { head, .. }, [left, right]) => {
            COMMUTATIVE.contains(&head.to_string().as_str())
                && left.term.is_constant()
                && !right.term.is_constant()
        }
        _ => false,
    };
    own || node.operands.iter().any(is_reversed)
}

/// Spells a pattern such that those that match the same are spelled the same.
fn spell<'t>(node: &Node<'t>, names: &mut Vec<&'t str>, text: &mut String) {
    match node.term {
        Term::Literal(literal) => write!(text, " {literal:?}").unwrap(),
        Term::Variable(name) | Term::Constant(name) => {
            let number = names.iter().position(|each| each == name);
            let number = number.unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            write!(text, " {}{number}", node.term.is_constant()).unwrap();
        }
        Term::Operation { head, .. } => {
            write!(text, " ({head}").unwrap();
            for operand in &node.operands {
                spell(operand, names, text);
            }
            text.push(')');
        }
    }
}

fn collect(
    node: &Node<'_>,
    place: &str,
    tests: &mut Vec<(String, Key, usize)>,
    places: &mut BTreeMap<usize, String>,
) {
    places.insert(node.number, place.to_owned());
    match node.term {
        Term::Variable(_) => {}
        Term::Constant(_) | Term::Literal(_) => {
            tests.push((place.to_owned(), Key::Constant, 0));
        }
        Term::Operation { head, .. } => {
            let key = Key::Operation(head.clone());
            tests.push((place.to_owned(), key, node.operands.len()));
        }
    }
    for (index, operand) in node.operands.iter().enumerate() {
        collect(operand, &format!("{place}{index}"), tests, places);
    }
}

/// A function for each operation at the root, and the one that chooses among them.
pub(super) fn trees(rows: &[Row]) -> String {
    let mut roots: Vec<(&Head, usize)> = Vec::new();
    for row in rows {
        let operands = row.places.iter().filter(|place| place.len() == 2).count();
        if !roots.contains(&(&row.head, operands)) {
            roots.push((&row.head, operands));
        }
    }
    let mut text = String::from(
        "\n/// What is simpler than an operation of this kind on these operands.\npub(super) fn tree<V: Values>(v: &mut V, m: &Modes, kind: u32, set: Id, ty: Id, operands: &[u32]) -> Option<Id> {\n    match kind {\n",
    );
    for (head, _) in &roots {
        let name = constant_name(head);
        let function = name.to_lowercase();
        writeln!(
            text,
            "        {name} => root_{function}(v, m, set, ty, operands),"
        )
        .unwrap();
    }
    text.push_str("        _ => None,\n    }\n}\n\n");
    for (head, operands) in roots {
        let own: Vec<Row> = rows
            .iter()
            .filter(|row| row.head == *head)
            .cloned()
            .collect();
        let function = constant_name(head).to_lowercase();
        writeln!(text, "fn root_{function}<V: Values>(v: &mut V, m: &Modes, set: Id, ty: Id, operands: &[u32]) -> Option<Id> {{").unwrap();
        writeln!(text, "    let [{}] = ids(operands)?;", names("p", operands)).unwrap();
        for index in 0..operands {
            let place = format!("p{index}");
            if own
                .iter()
                .any(|row| row.tests.iter().any(|test| test.0 == place))
            {
                writeln!(text, "    let k_{place} = kind(v, {place});").unwrap();
            }
        }
        branch(&mut text, own, 1);
        text.push_str("    None\n}\n\n");
    }
    text
}

fn names(place: &str, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|index| format!("{place}{index}")).collect();
    names.join(", ")
}

/// Tries rows: those of which nothing is left to test, then those that test the place that
/// the first of the rest tests, then all others. So each row is there once.
fn branch(text: &mut String, rows: Vec<Row>, depth: usize) {
    let indent = "    ".repeat(depth);
    let (done, rows): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.tests.is_empty());
    for row in done {
        let places = row.places.join(", ");
        writeln!(text, "{indent}if let Some(simpler) = rule_{}(v, m, set, ty, [{places}]) {{ return Some(simpler); }}", row.rule).unwrap();
    }
    let Some((place, _, _)) = rows.first().and_then(|row| row.tests.first()).cloned() else {
        return;
    };
    let mut arms: Vec<(Key, usize, Vec<Row>)> = Vec::new();
    let mut rest = Vec::new();
    for mut row in rows {
        let Some(index) = row.tests.iter().position(|test| test.0 == place) else {
            rest.push(row);
            continue;
        };
        let (_, key, count) = row.tests.remove(index);
        match arms.iter_mut().find(|arm| arm.0 == key) {
            Some(arm) => arm.2.push(row),
            None => arms.push((key, count, vec![row])),
        }
    }
    match place.len() {
        2 => writeln!(text, "{indent}match k_{place} {{").unwrap(),
        _ => writeln!(text, "{indent}match kind(v, {place}) {{").unwrap(),
    }
    for (key, count, rows) in arms {
        let name = match &key {
            Key::Constant => "CONSTANT".to_owned(),
            Key::Operation(head) => constant_name(head),
        };
        writeln!(text, "{indent}    {name} => {{").unwrap();
        if count > 0 {
            let names = names(&place, count);
            writeln!(
                text,
                "{indent}        let [{names}] = operands_of(v, {place})?;"
            )
            .unwrap();
        }
        branch(text, rows, depth + 2);
        writeln!(text, "{indent}    }}").unwrap();
    }
    writeln!(text, "{indent}    _ => {{}}\n{indent}}}").unwrap();
    branch(text, rest, depth);
}
