//! The drawing for programs.

use serde_json::{Value, json};

use crate::model::{Block, Edge, Function, Line, Program, Region};

/// The version of the form: `docs/cfg-json.md` describes it. It grows when something
/// changes its meaning or goes; what is new comes without.
const VERSION: u32 = 1;

/// Writes the functions as one line of JSON.
///
/// ```
/// let program = spirvkit_cfg::Program { functions: Vec::new() };
/// assert_eq!(spirvkit_cfg::json(&program), r#"{"version":1,"functions":[]}"#);
/// ```
pub fn json(program: &Program) -> String {
    let functions: Vec<Value> = program.functions.iter().map(function).collect();
    json!({ "version": VERSION, "functions": functions }).to_string()
}

fn function(function: &Function) -> Value {
    let blocks: Vec<Value> = function.blocks.iter().map(block).collect();
    let edges: Vec<Value> = function.edges.iter().map(edge).collect();
    let regions: Vec<Value> = function.regions.iter().map(region).collect();
    json!({
        "id": function.id.0,
        "name": function.name,
        "entry_points": function.entry_points,
        "head": lines(&function.head),
        "blocks": blocks,
        "edges": edges,
        "regions": regions,
        "order": function.order,
    })
}

fn block(block: &Block) -> Value {
    json!({
        "id": block.label.0,
        "name": block.name,
        "reachable": block.is_reachable,
        "region": block.region,
        "instructions": lines(&block.lines),
    })
}

fn lines(lines: &[Line]) -> Vec<Value> {
    let line = |line: &Line| json!({ "text": line.text, "source": line.source });
    lines.iter().map(line).collect()
}

fn edge(edge: &Edge) -> Value {
    json!({
        "from": edge.from,
        "to": edge.to,
        "conditions": edge.conditions,
        "kind": edge.kind.name(),
    })
}

fn region(region: &Region) -> Value {
    json!({
        "kind": region.kind.name(),
        "title": region.title,
        "header": region.header,
        "entry": region.entry,
        "merge": region.merge,
        "continue_target": region.continue_target,
        "parent": region.parent,
    })
}
