//! One page that needs nothing else.
//!
//! The text of the page holds each block once, and the regions as a flat list; the
//! script in it puts them in their places. So the page can be read without scripts,
//! and nothing in it is nested however deep constructs are.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::model::{Block, Function, Line, Program, Region, RegionKind};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
/// What is between the title and the functions: what to click on.
const TOOLS: &str = include_str!("html/tools.html");

/// Writes the functions as a page of HTML.
///
/// `title` is what to call the module, and `hide_debug` whether the page is to hide
/// debugging instructions until they are asked for. In a browser the part of the address behind `#`
/// says what to show first: `#f2` the third function, `#f2-b7` its eighth block,
/// `#fold` everything folded, `#no-debug` no debugging instructions, and `#f2,fold` both.
pub fn html(program: &Program, title: &str, hide_debug: bool) -> String {
    let mut out =
        String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    // Whatever the module's text holds, nothing is to be fetched.
    out.push_str(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>",
    );
    escape(&mut out, title);
    let body = match hide_debug {
        true => "<body class=\"no-debug\">",
        false => "<body>",
    };
    let _ = write!(
        out,
        " – control flow</title>\n<style>\n{STYLE}</style>\n</head>\n{body}\n"
    );
    out.push_str("<header><h1>");
    escape(&mut out, title);
    let _ = writeln!(out, "</h1>\n{TOOLS}</header>\n<div id=\"body\">");
    index(&mut out, program);
    out.push_str("<main>\n");
    for (number, function) in program.functions.iter().enumerate() {
        write_function(&mut out, number, function);
    }
    if program.functions.is_empty() {
        out.push_str("<p>No function has a body.</p>\n");
    }
    let _ = writeln!(
        out,
        "</main>\n</div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>"
    );
    out
}

/// The list of functions.
fn index(out: &mut String, program: &Program) {
    out.push_str("<nav id=\"index\">\n<h2>Functions</h2>\n<ol>\n");
    for (number, function) in program.functions.iter().enumerate() {
        let _ = write!(out, "<li><a href=\"#f{number}\">");
        escape(out, &function.name);
        let _ = write!(
            out,
            "</a> <small>{}</small>",
            count(function.blocks.len(), "block")
        );
        for entry_point in &function.entry_points {
            out.push_str("<br><small class=\"entry\">");
            escape(out, entry_point);
            out.push_str("</small>");
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ol>\n</nav>\n");
}

/// A number of things.
fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

fn write_function(out: &mut String, number: usize, function: &Function) {
    // Of labels that are there twice, the first counts.
    let all = function.blocks.iter().enumerate().rev();
    let labels = all
        .map(|(node, block)| (block.name.as_str(), node))
        .collect();
    let _ = writeln!(out, "<section class=\"function\" id=\"f{number}\">");
    out.push_str("<h2>");
    escape(out, &function.name);
    for entry_point in &function.entry_points {
        out.push_str(" <small class=\"entry\">");
        escape(out, entry_point);
        out.push_str("</small>");
    }
    out.push_str("</h2>\n<div class=\"head\">");
    let links = Links {
        number,
        labels: &labels,
    };
    write_lines(out, &function.head, &links);
    out.push_str("</div>\n<div class=\"canvas\">\n");
    for (index, region) in function.regions.iter().enumerate() {
        write_region(out, number, index, region, function);
    }
    for (node, block) in function.blocks.iter().enumerate() {
        write_block(out, node, block, &links);
    }
    out.push_str("</div>\n<script type=\"application/json\">");
    // Nothing in it can end the script.
    out.push_str(&graph(function).to_string().replace('<', "\\u003c"));
    out.push_str("</script>\n</section>\n");
}

fn write_region(
    out: &mut String,
    number: usize,
    index: usize,
    region: &Region,
    function: &Function,
) {
    let _ = write!(
        out,
        "<div class=\"region {}\" id=\"f{number}-r{index}\"><button type=\"button\" class=\"fold\"><span class=\"title\">",
        region.kind.name()
    );
    escape(out, &region.title);
    out.push_str("</span>");
    // A continue construct and a case share theirs with what they are part of.
    if matches!(
        region.kind,
        RegionKind::Selection | RegionKind::Switch | RegionKind::Loop
    ) && let Some(merge) = region
        .merge
        .and_then(|merge| function.blocks.get(merge as usize))
    {
        out.push_str(" <span class=\"merge\">merge ");
        escape(out, &merge.name);
        out.push_str("</span>");
    }
    out.push_str("</button></div>\n");
}

fn write_block(out: &mut String, node: usize, block: &Block, links: &Links<'_>) {
    let number = links.number;
    let class = if block.is_reachable {
        "block"
    } else {
        "block unreachable"
    };
    let _ = write!(
        out,
        "<article class=\"{class}\" id=\"f{number}-b{node}\"><h3>"
    );
    escape(out, &block.name);
    if node == 0 {
        out.push_str(" <small>entry</small>");
    }
    if !block.is_reachable {
        out.push_str(" <small>unreachable</small>");
    }
    out.push_str("</h3>");
    write_lines(out, &block.lines, links);
    out.push_str("</article>\n");
}

fn write_lines(out: &mut String, lines: &[Line], links: &Links<'_>) {
    out.push_str("<pre>");
    for line in lines {
        if let Some(source) = &line.source {
            out.push_str("<span class=\"source\">");
            escape(out, source);
            out.push_str("</span>");
        }
        // Each is a line of its own by its style.
        out.push_str(match line.is_debug {
            true => "<span class=\"line debug\">",
            false => "<span class=\"line\">",
        });
        write_line(out, &line.text, links);
        out.push_str("</span>");
    }
    out.push_str("</pre>");
}

/// Where the labels of a function are on the page.
struct Links<'f> {
    /// Of the function.
    number: usize,
    labels: &'f HashMap<&'f str, usize>,
}

/// Writes an instruction with what its words are.
fn write_line(out: &mut String, text: &str, links: &Links<'_>) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            ' ' => 1,
            _ => rest.find([' ', '"']).unwrap_or(rest.len()),
        };
        let (word, behind) = rest.split_at(length.clamp(first.len_utf8(), rest.len()));
        let class = match first {
            '%' => "id",
            '"' => "string",
            '0'..='9' | '-' => "number",
            'O' if word.starts_with("Op") => "op",
            _ => "",
        };
        match (class, links.labels.get(word)) {
            ("id", Some(node)) => {
                let number = links.number;
                let _ = write!(out, "<a class=\"id\" href=\"#f{number}-b{node}\">");
                escape(out, word);
                out.push_str("</a>");
            }
            ("", _) => escape(out, word),
            _ => {
                let _ = write!(out, "<i class=\"{class}\">");
                escape(out, word);
                out.push_str("</i>");
            }
        }
        rest = behind;
    }
}

/// How many bytes the string literal takes that a text starts with.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (place, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !is_escaped => return place + 1,
            b'\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    text.len()
}

/// What the script needs to know.
fn graph(function: &Function) -> Value {
    let edges: Vec<Value> = function
        .edges
        .iter()
        .map(|edge| json!([edge.from, edge.to, edge.kind.name(), edge.label()]))
        .collect();
    let regions: Vec<Value> = function
        .regions
        .iter()
        .map(|region| json!(region.parent))
        .collect();
    let places: Vec<_> = function.blocks.iter().map(|block| block.region).collect();
    json!({
        "edges": edges,
        "parents": regions,
        "regions": places,
        "order": function.order,
        "declared": function.declared,
    })
}

/// Writes a text so that it stands for itself between tags and in quoted attributes.
fn escape(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ if character.is_control() && character != '\n' => out.push('\u{fffd}'),
            _ => out.push(character),
        }
    }
}
