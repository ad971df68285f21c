//! Text for Graphviz.

use std::fmt::Write as _;

use crate::model::{Block, EdgeKind, Function, Program, RegionIndex, RegionKind};

/// The most characters of a line that are shown.
const LINE: usize = 120;

/// Writes the functions as text for Graphviz: a `digraph` for each, with regions as
/// clusters. `dot -Tsvg` draws it.
pub fn dot(program: &Program) -> String {
    let mut out = String::new();
    for function in &program.functions {
        write_function(&mut out, function);
    }
    out
}

/// Writes the functions as one `digraph`, with a cluster for each if there are several:
/// an image has room for one graph.
pub fn dot_together(program: &Program) -> String {
    if let [_] = &*program.functions {
        return dot(program);
    }
    let mut out = String::from("digraph {\n");
    for (number, function) in program.functions.iter().enumerate() {
        let _ = writeln!(out, "subgraph cluster_f{number} {{");
        write_body(&mut out, function, &format!("f{number}"));
    }
    out.push_str("}\n");
    out
}

fn write_function(out: &mut String, function: &Function) {
    out.push_str("digraph ");
    quote(out, &function.name);
    out.push_str(" {\n");
    write_body(out, function, "");
}

/// Writes what is in a function's graph, and its end. All names start with `prefix`.
fn write_body(out: &mut String, function: &Function, prefix: &str) {
    out.push_str("  label=");
    let title: Vec<&str> = std::iter::once(function.name.as_str())
        .chain(function.entry_points.iter().map(String::as_str))
        .collect();
    quote(out, &title.join("  "));
    out.push_str(
        "\n  labelloc=t labeljust=l fontname=\"monospace\"\n  \
         node [shape=box fontname=\"monospace\" fontsize=10 margin=\"0.12,0.06\"]\n  \
         edge [fontname=\"monospace\" fontsize=9]\n",
    );
    write_regions(out, function, prefix);
    for edge in &function.edges {
        let _ = write!(
            out,
            "  {prefix}b{} -> {prefix}b{} [class={}",
            edge.from,
            edge.to,
            edge.kind.name().replace('-', "_")
        );
        if !edge.conditions.is_empty() {
            out.push_str(" label=");
            quote(out, &format!(" {} ", edge.label()));
        }
        let _ = writeln!(out, "{}]", style(edge.kind));
    }
    out.push_str("}\n");
}

/// Writes the blocks, each in the clusters of the regions it is in.
fn write_regions(out: &mut String, function: &Function, prefix: &str) {
    let contents = Contents::of(function);
    let region = |index: RegionIndex| function.regions.get(index as usize);
    // What is open, and how much of it has been written.
    let mut open: Vec<(Option<RegionIndex>, usize)> = vec![(None, 0)];
    while let Some((current, written)) = open.last_mut() {
        let indent = "  ".repeat(region_depth(function, *current) + 1);
        match contents.of_region(*current).get(*written) {
            Some(&Content::Block(node)) => {
                *written += 1;
                if let Some(block) = function.blocks.get(node as usize) {
                    let _ = write!(out, "{indent}{prefix}b{node} [label=");
                    write_block(out, block);
                    let is_reachable = block.is_reachable;
                    out.push_str(if is_reachable {
                        "]\n"
                    } else {
                        " style=dashed]\n"
                    });
                }
            }
            Some(&Content::Region(inner)) => {
                *written += 1;
                if let Some(region) = region(inner) {
                    let _ = write!(out, "{indent}subgraph cluster_{prefix}{inner} {{ label=");
                    quote(out, &region.title);
                    let _ = writeln!(out, " {}", colours(region.kind));
                }
                open.push((Some(inner), 0));
            }
            None => {
                if current.is_some() {
                    let indent = &indent[2..];
                    let _ = writeln!(out, "{indent}}}");
                }
                open.pop();
            }
        }
    }
}

fn region_depth(function: &Function, region: Option<RegionIndex>) -> usize {
    let region = region.and_then(|index| function.regions.get(index as usize));
    region.map_or(0, |region| region.depth as usize)
}

/// What is in a region.
enum Content {
    Block(u32),
    Region(RegionIndex),
}

/// What is in each region, the function as a whole first.
struct Contents(Vec<Vec<Content>>);

impl Contents {
    fn of(function: &Function) -> Self {
        let mut contents: Vec<Vec<Content>> = Vec::new();
        contents.resize_with(function.regions.len() + 1, Vec::new);
        let mut put = |region: Option<RegionIndex>, content| {
            let place = region.map_or(0, |index| index as usize + 1);
            contents[place].push(content);
        };
        for (node, block) in (0..).zip(&function.blocks) {
            put(block.region, Content::Block(node));
        }
        for (index, region) in (0..).zip(&function.regions) {
            put(region.parent, Content::Region(index));
        }
        Self(contents)
    }

    fn of_region(&self, region: Option<RegionIndex>) -> &[Content] {
        let place = region.map_or(0, |index| index as usize + 1);
        self.0.get(place).map_or(&[], Vec::as_slice)
    }
}

fn write_block(out: &mut String, block: &Block) {
    out.push('"');
    escape(out, &block.name);
    out.push_str(":\\l");
    for line in &block.lines {
        if let Some(source) = &line.source {
            out.push_str("; ");
            escape_clipped(out, source);
            out.push_str("\\l");
        }
        escape_clipped(out, &line.text);
        out.push_str("\\l");
    }
    out.push('"');
}

fn escape_clipped(out: &mut String, text: &str) {
    match text.char_indices().nth(LINE) {
        Some((end, _)) => {
            escape(out, &text[..end]);
            out.push('…');
        }
        None => escape(out, text),
    }
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    escape(out, text);
    out.push('"');
}

/// Writes a text so that it stands for itself in a quoted string that is a label.
fn escape(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            // It starts an escape for Graphviz's labels.
            '\\' => out.push_str("\\\\"),
            // It starts an entity of HTML, in plain labels, too.
            '&' => out.push_str("&amp;"),
            '\n' | '\r' => out.push_str("\\n"),
            _ if character.is_control() => out.push('\u{fffd}'),
            _ => out.push(character),
        }
    }
}

fn colours(kind: RegionKind) -> &'static str {
    match kind {
        RegionKind::Selection => "color=\"#2563eb\" fontcolor=\"#2563eb\"",
        RegionKind::Switch => "color=\"#7c3aed\" fontcolor=\"#7c3aed\"",
        RegionKind::Case => "color=\"#a78bfa\" fontcolor=\"#7c3aed\" style=dashed",
        RegionKind::Loop | RegionKind::NaturalLoop => "color=\"#15803d\" fontcolor=\"#15803d\"",
        RegionKind::Continue => "color=\"#b45309\" fontcolor=\"#b45309\" style=dashed",
    }
}

fn style(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Forward => "",
        // It would turn the order of ranks round.
        EdgeKind::Back => " color=\"#15803d\" style=bold constraint=false",
        EdgeKind::Merge => " color=\"#64748b\"",
        EdgeKind::Break => " color=\"#dc2626\"",
        EdgeKind::Continue => " color=\"#b45309\"",
        EdgeKind::FallThrough => " color=\"#7c3aed\" style=dashed",
    }
}
