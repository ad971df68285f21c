//! The drawing for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::model::{Block, Edge, Function, Line, Program, Region};

/// The version of the form: `docs/cfg-json.md` describes it. It grows when something
/// changes its meaning or goes; what is new comes without.
const VERSION: u32 = 1;

/// Writes the functions as one line of JSON.
///
/// ```
/// let program = spirvkit_cfg::Program::new(&[0x0723_0203, 0x0001_0000, 0, 1, 0])?;
/// assert_eq!(spirvkit_cfg::json(&program), r#"{"version":1,"functions":[]}"#);
/// # Ok::<(), spirvkit_binary::Error>(())
/// ```
pub fn json(program: &Program) -> String {
    let mut out = format!("{{\"version\":{VERSION},\"functions\":");
    list(&mut out, &program.functions, function);
    out.push('}');
    out
}

/// Writes a list, which may be long, piece by piece.
fn list<T>(out: &mut String, things: &[T], mut write: impl FnMut(&mut String, &T)) {
    out.push('[');
    for (index, thing) in things.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, thing);
    }
    out.push(']');
}

fn function(out: &mut String, function: &Function) {
    let _ = write!(
        out,
        "{{\"id\":{},\"name\":{},\"entry_points\":{},\"head\":",
        function.id.0,
        json!(function.name),
        json!(function.entry_points),
    );
    list(out, &function.head, line);
    out.push_str(",\"blocks\":");
    list(out, &function.blocks, block);
    out.push_str(",\"edges\":");
    list(out, &function.edges, |out, it| {
        _ = write!(out, "{}", edge(it))
    });
    out.push_str(",\"regions\":");
    list(out, &function.regions, |out, it| {
        _ = write!(out, "{}", region(it))
    });
    out.push_str(",\"order\":");
    list(out, &function.order, |out, it| _ = write!(out, "{it}"));
    out.push('}');
}

fn block(out: &mut String, block: &Block) {
    let _ = write!(
        out,
        "{{\"id\":{},\"name\":{},\"reachable\":{},\"region\":{},\"instructions\":",
        block.label.0,
        json!(block.name),
        block.is_reachable,
        json!(block.region),
    );
    list(out, &block.lines, line);
    out.push('}');
}

fn line(out: &mut String, line: &Line) {
    let _ = write!(
        out,
        "{{\"text\":{},\"source\":{}}}",
        json!(line.text),
        json!(line.source)
    );
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
