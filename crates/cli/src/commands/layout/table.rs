//! The layouts for people.

use std::collections::HashMap;
use std::fmt::Write as _;

use spirvkit::analysis::layout::{Bytes, Layout, NoLayout, Place, Row, Rules};
use spirvkit::binary::Id;

use super::find::Names;
use super::{Shown, name_of};

/// In which order the columns stand.
const COLUMNS: [Rules; 4] = [Rules::Explicit, Rules::Std140, Rules::Std430, Rules::Scalar];
/// The most characters of a name or a type.
const LONGEST: usize = 40;

const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const RED: &str = "\x1b[31m";
const RESET: &str = "\x1b[0m";

/// A piece of a line.
#[derive(Clone, Default)]
struct Cell {
    text: String,
    style: &'static str,
    is_left: bool,
}

impl Cell {
    fn left(text: String, style: &'static str) -> Self {
        let is_left = true;
        Self {
            text,
            style,
            is_left,
        }
    }

    fn right(text: String, style: &'static str) -> Self {
        let is_left = false;
        Self {
            text,
            style,
            is_left,
        }
    }
}

pub(super) fn write(
    shown: &[Shown],
    names: &Names,
    texts: &HashMap<Id, String>,
    color: bool,
) -> String {
    if shown.is_empty() {
        return "no structure of the module is a block or has offsets\n".into();
    }
    let mut out = String::new();
    for (index, structure) in shown.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        write_structure(&mut out, structure, names, texts, color);
    }
    out
}

fn write_structure(
    out: &mut String,
    shown: &Shown,
    names: &Names,
    texts: &HashMap<Id, String>,
    color: bool,
) {
    let (bold, reset) = if color { (BOLD, RESET) } else { ("", "") };
    let name = names
        .name(shown.id)
        .map_or_else(String::new, |name| plain(name) + "  ");
    let kind = if shown.is_block { "block" } else { "structure" };
    let _ = writeln!(out, "{bold}{name}{}{reset}  {kind}", shown.id);
    let comparison = &shown.comparison;
    let mut lines = vec![headings()];
    let groups = COLUMNS.map(name_of);
    for row in &comparison.rows {
        if row.places.iter().any(|place| place.hole > 0) {
            lines.push(hole_line(row));
        }
        if row.member.is_some() {
            lines.push(member_line(row, names, texts));
        }
    }
    if comparison.is_cut {
        lines.push(vec![Cell::left("…".into(), DIM)]);
    }
    lines.push(total_line(&comparison.totals));
    write_lines(out, &groups, lines, color);
    let mut rows = comparison.rows.iter().flat_map(|row| &row.places);
    let mut notes = Vec::new();
    if rows
        .clone()
        .any(|it| it.offset_differs || it.stride_differs)
    {
        notes.push("! differs from what is declared");
    }
    if rows.clone().any(|place| place.overlaps) {
        notes.push("& overlaps a member before");
    }
    let is_default = |place: &Place| place.offset.ok().is_some_and(Bytes::is_specialized);
    if rows.any(is_default) {
        notes.push("* with default values of specialization constants");
    }
    if !notes.is_empty() {
        let (dim, reset) = if color { (DIM, RESET) } else { ("", "") };
        let _ = writeln!(out, "{dim}{}{reset}", notes.join("; "));
    }
}

/// How many cells stand for each rules: offset, size, alignment, strides. What is declared
/// says nothing of alignment.
const CELLS: usize = 4;

fn headings() -> Vec<Cell> {
    let mut cells = vec![
        Cell::left("member".into(), DIM),
        Cell::left("type".into(), DIM),
    ];
    for rules in COLUMNS {
        let align = if rules == Rules::Explicit {
            ""
        } else {
            "align"
        };
        for heading in ["offset", "size", align, "stride"] {
            cells.push(Cell::right(heading.into(), DIM));
        }
    }
    cells
}

fn member_line(row: &Row, names: &Names, texts: &HashMap<Id, String>) -> Vec<Cell> {
    let indent = "  ".repeat(row.depth as usize);
    let number = row.member.unwrap_or_default();
    let name = match names.member(row.structure, number) {
        Some(name) => plain(name),
        None => format!("[{number}]"),
    };
    let text = texts
        .get(&row.ty)
        .map_or_else(String::new, |text| plain(text));
    let mut cells = vec![Cell::left(indent + &name, ""), Cell::left(text, "")];
    for rules in COLUMNS {
        let place = row.place(rules);
        let marked = |text: String, overlaps: bool, differs: bool| {
            let (mark, style) = match (overlaps, differs, rules) {
                (true, ..) => ("&", RED),
                (_, true, _) => ("!", RED),
                (.., Rules::Explicit) => ("", BOLD),
                _ => ("", ""),
            };
            let mark = if text.is_empty() { "" } else { mark };
            Cell::right(format!("{mark}{text}"), style)
        };
        match (place.start, place.layout) {
            (Err(_), Err(reason)) => cells.extend(unknown(reason)),
            (start, layout) => {
                let size = layout.map_or_else(reason, |layout| short(layout.size));
                let start = start.map_or_else(reason, short);
                cells.push(marked(start, place.overlaps, place.offset_differs));
                cells.push(Cell::right(size, ""));
                let alignment = layout.map_or(String::new(), |it| it.alignment.to_string());
                let is_declared = rules == Rules::Explicit;
                cells.push(Cell::right(
                    if is_declared {
                        String::new()
                    } else {
                        alignment
                    },
                    DIM,
                ));
                cells.push(marked(strides(place), false, place.stride_differs));
            }
        }
    }
    cells
}

/// The cells of something that has no layout.
fn unknown(why: NoLayout) -> [Cell; CELLS] {
    let mut cells: [Cell; CELLS] = Default::default();
    cells[0] = Cell::right(reason(why), DIM);
    cells
}

/// Why something is not known, in a word.
fn reason(why: NoLayout) -> String {
    match why {
        NoLayout::Opaque => "opaque".into(),
        NoLayout::Undecorated(_) => "none".into(),
        NoLayout::UnknownNumber => "unknown".into(),
        _ => "undefined".into(),
    }
}

fn short(bytes: Bytes) -> String {
    match bytes {
        Bytes::Runtime => "run time".into(),
        bytes => bytes.to_string(),
    }
}

/// Strides of arrays from the outermost inwards, and of the matrices in them.
fn strides(place: &Place) -> String {
    let arrays = place.strides.iter().map(|it| it.map_or_else(reason, short));
    let matrix = place.layout.ok().and_then(|layout| layout.matrix);
    let matrix = matrix.map(|matrix| short(matrix.stride));
    let all: Vec<String> = arrays.chain(matrix).collect();
    all.join("/")
}

/// What is unused before a member or at the end of a structure.
fn hole_line(row: &Row) -> Vec<Cell> {
    let indent = "  ".repeat(row.depth as usize);
    let mut cells = vec![
        Cell::left(indent + "(unused)", DIM),
        Cell::left(String::new(), ""),
    ];
    for rules in COLUMNS {
        let place = row.place(rules);
        let start = place.start.ok().and_then(Bytes::known);
        let hole = start.filter(|_| place.hole > 0);
        let text = |value: Option<u64>| {
            let text = value.map_or_else(String::new, |it| it.to_string());
            Cell::right(text, DIM)
        };
        cells.push(text(hole.map(|start| start.saturating_sub(place.hole))));
        cells.push(text(hole.map(|_| place.hole)));
        cells.extend([Cell::default(), Cell::default()]);
    }
    cells
}

fn total_line(totals: &[Result<Layout, NoLayout>; 4]) -> Vec<Cell> {
    let mut cells = vec![Cell::left("total".into(), BOLD), Cell::default()];
    for rules in COLUMNS {
        let layout = totals[rules as usize];
        let size = layout.map_or_else(reason, |layout| short(layout.size));
        let alignment = layout.map_or(String::new(), |it| it.alignment.to_string());
        let is_declared = rules == Rules::Explicit;
        cells.push(Cell::default());
        cells.push(Cell::right(size, BOLD));
        cells.push(Cell::right(
            if is_declared {
                String::new()
            } else {
                alignment
            },
            DIM,
        ));
        cells.push(Cell::default());
    }
    cells
}

/// Writes lines of cells in columns. Columns that hold nothing but their headings are left
/// out.
fn write_lines(out: &mut String, groups: &[String; 4], lines: Vec<Vec<Cell>>, color: bool) {
    let count = 2 + groups.len() * CELLS;
    let width = |line: &Vec<Cell>, column: usize| {
        line.get(column).map_or(0, |cell| cell.text.chars().count())
    };
    let mut widths = vec![0; count];
    for (column, widest) in widths.iter_mut().enumerate() {
        let body = lines.iter().skip(1).map(|line| width(line, column)).max();
        *widest = match body.unwrap_or(0) {
            0 => 0,
            body => body.max(width(&lines[0], column)),
        };
    }
    let group = |number: usize| 2 + number * CELLS..2 + (number + 1) * CELLS;
    let mut heading = String::new();
    let before: usize = widths[..2].iter().map(|width| width + 2).sum();
    heading.extend(std::iter::repeat_n(' ', before.saturating_sub(2)));
    for (number, name) in groups.iter().enumerate() {
        let own = widths[group(number)].iter().filter(|&&width| width > 0);
        let total: usize = own.map(|width| width + 1).sum();
        let _ = write!(heading, "  │ {name:<total$}");
    }
    let (bold, reset) = if color { (BOLD, RESET) } else { ("", "") };
    let _ = writeln!(out, "{bold}{}{reset}", heading.trim_end());
    for line in &lines {
        let mut text = String::new();
        for (column, &width) in widths.iter().enumerate() {
            if column >= 2 && (column - 2) % CELLS == 0 {
                text.push_str("  │");
            }
            if width == 0 {
                continue;
            }
            let empty = Cell::default();
            let cell = line.get(column).unwrap_or(&empty);
            let padding = width.saturating_sub(cell.text.chars().count());
            if column >= 2 {
                text.push(' ');
            } else if column == 1 {
                text.push_str("  ");
            }
            let pad = |text: &mut String| text.extend(std::iter::repeat_n(' ', padding));
            if !cell.is_left {
                pad(&mut text);
            }
            match color && !cell.style.is_empty() && !cell.text.is_empty() {
                true => {
                    let _ = write!(text, "{}{}{RESET}", cell.style, cell.text);
                }
                false => text.push_str(&cell.text),
            }
            if cell.is_left {
                pad(&mut text);
            }
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
}

/// A name or a text from the module, fit for a terminal.
fn plain(text: &str) -> String {
    let is_disruptive = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut out: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if is_disruptive(c) { '\u{fffd}' } else { c })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        out.push('…');
    }
    out
}
