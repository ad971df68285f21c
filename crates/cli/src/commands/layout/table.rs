//! The layouts for people.

use std::collections::HashMap;
use std::fmt::Write as _;

use spirvkit::analysis::layout::{Bytes, Layout, NoLayout, Place, Row, Rules};
use spirvkit::binary::Id;
use spirvkit::diagnostics::visible;
use spirvkit::text::IdNames;

use super::find::Names;
use super::{Shown, name_of};

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

/// What to show, and how.
pub(super) struct Look<'a> {
    /// In which order the columns stand.
    pub(super) rules: Vec<Rules>,
    pub(super) names: &'a Names,
    /// What types are called.
    pub(super) texts: &'a HashMap<Id, String>,
    pub(super) ids: &'a IdNames<'a>,
    pub(super) color: bool,
    /// How many columns there are.
    pub(super) width: usize,
}

pub(super) fn write(shown: &[Shown], look: &Look<'_>) -> String {
    if shown.is_empty() {
        return "no structure of the module is a block or has offsets\n".into();
    }
    let mut out = String::new();
    for (index, structure) in shown.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        look.write_structure(&mut out, structure);
    }
    out
}

/// A line of the table: what is laid out, and for each rules where.
#[derive(Default)]
struct Line {
    name: Cell,
    ty: Cell,
    groups: Vec<[Cell; CELLS]>,
}

impl Look<'_> {
    fn paint(&self, style: &'static str) -> (&'static str, &'static str) {
        match self.color {
            true => (style, RESET),
            false => ("", ""),
        }
    }

    fn write_structure(&self, out: &mut String, shown: &Shown) {
        let (bold, reset) = self.paint(BOLD);
        let id = self.ids.show(shown.id);
        let name = self.names.name(shown.id).map(plain).unwrap_or_default();
        let name = match name.is_empty() || id.strip_prefix('%') == Some(&name) {
            true => String::new(),
            false => name + "  ",
        };
        let kind = if shown.is_block { "block" } else { "structure" };
        let _ = writeln!(out, "{bold}{name}{id}{reset}  {kind}");
        let comparison = &shown.comparison;
        let mut lines = Vec::new();
        for row in &comparison.rows {
            let mut places = self.rules.iter().map(|&rules| row.place(rules));
            if places.any(|place| place.hole > 0) {
                lines.push(self.hole_line(row));
            }
            if row.member.is_some() {
                lines.push(self.member_line(row));
            }
        }
        if comparison.is_cut {
            lines.push(Line {
                name: Cell::left("…".into(), DIM),
                ..Line::default()
            });
        }
        lines.push(self.total_line(&comparison.totals));
        self.write_lines(out, &lines);
        self.write_notes(out, &comparison.rows);
    }

    /// What the marks mean.
    fn write_notes(&self, out: &mut String, rows: &[Row]) {
        let all = |row| self.rules.iter().map(move |&rules| Row::place(row, rules));
        let mut places = rows.iter().flat_map(all);
        let any = |is_it: fn(&Place) -> bool| places.clone().any(is_it);
        let mut notes = Vec::new();
        if any(|it| it.offset_differs || it.stride_differs) {
            notes.push("! differs from what is declared");
        }
        if any(|place| place.overlaps) {
            notes.push("& overlaps a member before");
        }
        if places.any(|place| place.offset.ok().is_some_and(Bytes::is_specialized)) {
            notes.push("* with default values of specialization constants");
        }
        let (dim, reset) = self.paint(DIM);
        for note in notes {
            let _ = writeln!(out, "{dim}{note}{reset}");
        }
    }
}

/// How many cells stand for each rules: offset, size, alignment, strides. What is declared
/// says nothing of alignment.
const CELLS: usize = 4;

/// What stands above the cells of rules.
fn headings(rules: Rules) -> [&'static str; CELLS] {
    match rules {
        Rules::Explicit => ["offset", "size", "", "stride"],
        _ => ["offset", "size", "align", "stride"],
    }
}

impl Look<'_> {
    fn member_line(&self, row: &Row) -> Line {
        let indent = "  ".repeat(row.depth as usize);
        let number = row.member.unwrap_or_default();
        let name = match self.names.member(row.structure, number) {
            Some(name) => plain(name),
            None => format!("[{number}]"),
        };
        let text = self.texts.get(&row.ty).map(|text| plain(text));
        let groups = self.rules.iter().map(|&rules| member_cells(row, rules));
        Line {
            name: Cell::left(indent + &name, ""),
            ty: Cell::left(text.unwrap_or_default(), ""),
            groups: groups.collect(),
        }
    }

    /// What is unused before a member or at the end of a structure.
    fn hole_line(&self, row: &Row) -> Line {
        let indent = "  ".repeat(row.depth as usize);
        let cells = |rules: &Rules| {
            let place = row.place(*rules);
            let start = place.start.ok().and_then(Bytes::known);
            let hole = start.filter(|_| place.hole > 0);
            let text = |value: Option<u64>| {
                let text = value.map_or_else(String::new, |it| it.to_string());
                Cell::right(text, DIM)
            };
            [
                text(hole.map(|start| start.saturating_sub(place.hole))),
                text(hole.map(|_| place.hole)),
                Cell::default(),
                Cell::default(),
            ]
        };
        Line {
            name: Cell::left(indent + "(unused)", DIM),
            ty: Cell::default(),
            groups: self.rules.iter().map(cells).collect(),
        }
    }

    fn total_line(&self, totals: &[Result<Layout, NoLayout>; 4]) -> Line {
        let cells = |&rules: &Rules| {
            let layout = totals[rules as usize];
            let size = layout.map_or_else(reason, |layout| short(layout.size));
            [
                Cell::default(),
                Cell::right(size, BOLD),
                alignment(layout, rules),
                Cell::default(),
            ]
        };
        Line {
            name: Cell::left("total".into(), BOLD),
            ty: Cell::default(),
            groups: self.rules.iter().map(cells).collect(),
        }
    }
}

/// The alignment of something; what is declared says nothing of that.
fn alignment(layout: Result<Layout, NoLayout>, rules: Rules) -> Cell {
    let text = match layout {
        Ok(layout) if rules != Rules::Explicit => layout.alignment.to_string(),
        _ => String::new(),
    };
    Cell::right(text, DIM)
}

fn member_cells(row: &Row, rules: Rules) -> [Cell; CELLS] {
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
        (Err(_), Err(reason)) => unknown(reason),
        (start, layout) => {
            let size = layout.map_or_else(reason, |layout| short(layout.size));
            let start = start.map_or_else(reason, short);
            [
                marked(start, place.overlaps, place.offset_differs),
                Cell::right(size, ""),
                alignment(layout, rules),
                marked(strides(place), false, place.stride_differs),
            ]
        }
    }
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
        Bytes::Runtime => "runtime".into(),
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

/// How wide a name or a type is at least, however narrow the terminal.
const NARROWEST: usize = 8;

/// How wide a text is shown.
fn width(text: &str) -> usize {
    text.chars().count()
}

/// How wide the columns of some rules are.
struct Group {
    rules: Rules,
    /// Columns that hold nothing but their headings have none.
    cells: [usize; CELLS],
    /// All together, with what is between them.
    total: usize,
}

impl Look<'_> {
    /// Writes lines of cells in columns, with as many rules beside each other as fit.
    fn write_lines(&self, out: &mut String, lines: &[Line]) {
        let groups: Vec<Group> = self
            .rules
            .iter()
            .enumerate()
            .map(|(index, &rules)| {
                let headings = headings(rules);
                let widest = |cell: usize| {
                    let cells = lines.iter().filter_map(|line| line.groups.get(index));
                    let body = cells.map(|cells| width(&cells[cell].text)).max();
                    match body.unwrap_or(0) {
                        0 => 0,
                        body => body.max(width(headings[cell])),
                    }
                };
                let cells: [usize; CELLS] = std::array::from_fn(widest);
                let used = cells.iter().filter(|&&cell| cell > 0);
                let own: usize = used.map(|cell| cell + 1).sum();
                // The name of the rules stands above them.
                let own = own.max(width(&name_of(rules)) + 1);
                Group {
                    rules,
                    cells,
                    total: own + 2,
                }
            })
            .collect();
        let widest = groups.iter().map(|group| group.total).max().unwrap_or(0);
        let left = self.width.saturating_sub(widest);
        let of = |cell: fn(&Line) -> &Cell, heading: &str| {
            let body = lines.iter().map(|line| width(&cell(line).text)).max();
            body.unwrap_or(0).max(width(heading))
        };
        let (name, ty) = (of(|line| &line.name, "member"), of(|line| &line.ty, "type"));
        // The longer of the two has to give way first.
        let room = left.saturating_sub(2);
        let half = room / 2;
        let (name, ty) = match (name + ty <= room, name <= half, ty <= half) {
            (true, ..) => (name, ty),
            (_, true, _) => (name, room - name),
            (_, _, true) => (room - ty, ty),
            _ => (room - half, half),
        };
        let (name, ty) = (name.max(NARROWEST), ty.max(NARROWEST.min(ty.max(4))));
        let before = name + 2 + ty;
        let mut first = 0;
        while first < groups.len() {
            let mut end = first + 1;
            let mut total = before + groups[first].total;
            while end < groups.len() && total + groups[end].total <= self.width {
                total += groups[end].total;
                end += 1;
            }
            self.write_table(out, lines, [name, ty], &groups[first..end], first);
            first = end;
        }
    }

    /// Writes one table, of the rules from `first` on.
    fn write_table(
        &self,
        out: &mut String,
        lines: &[Line],
        [name, ty]: [usize; 2],
        groups: &[Group],
        first: usize,
    ) {
        let (bold, reset) = self.paint(BOLD);
        let mut heading = " ".repeat(name + 2 + ty);
        for group in groups {
            let inner = group.total - 3;
            let _ = write!(heading, " │ {:<inner$}", name_of(group.rules));
        }
        let _ = writeln!(out, "{bold}{}{reset}", heading.trim_end());
        let headings = Line {
            name: Cell::left("member".into(), DIM),
            ty: Cell::left("type".into(), DIM),
            groups: Vec::new(),
        };
        // What is unused by some rules only is of no interest beside the others.
        let last = first + groups.len();
        let has_cells = |line: &&Line| match line.groups.get(first..last) {
            Some(groups) => groups.as_flattened().iter().any(|it| !it.text.is_empty()),
            None => true,
        };
        let shown = lines.iter().filter(has_cells);
        for (number, line) in std::iter::once(&headings).chain(shown).enumerate() {
            let mut text = String::new();
            self.write_cell(&mut text, &line.name, name);
            text.push_str("  ");
            self.write_cell(&mut text, &line.ty, ty);
            for (index, group) in groups.iter().enumerate() {
                text.push_str(" │");
                let titles = headings_of(group.rules);
                let cells = match number {
                    0 => Some(&titles),
                    _ => line.groups.get(first + index),
                };
                let mut written = 0;
                for (cell, &width) in group
                    .cells
                    .iter()
                    .enumerate()
                    .filter(|(_, width)| **width > 0)
                {
                    text.push(' ');
                    match cells {
                        Some(cells) => self.write_cell(&mut text, &cells[cell], width),
                        None => self.write_cell(&mut text, &Cell::default(), width),
                    }
                    written += width + 1;
                }
                text.push_str(&" ".repeat(group.total - 2 - written));
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
    }

    /// Writes a cell, as long as it may be and as wide as it must be.
    fn write_cell(&self, out: &mut String, cell: &Cell, room: usize) {
        let mut text = cell.text.clone();
        if let Some((end, _)) = text.char_indices().nth(room)
            && let Some((last, _)) = text[..end].char_indices().next_back()
        {
            text.truncate(last);
            text.push('…');
        }
        let padding = " ".repeat(room.saturating_sub(width(&text)));
        let (style, reset) = match cell.style.is_empty() || text.is_empty() {
            true => ("", ""),
            false => self.paint(cell.style),
        };
        let _ = match cell.is_left {
            true => write!(out, "{style}{text}{reset}{padding}"),
            false => write!(out, "{padding}{style}{text}{reset}"),
        };
    }
}

fn headings_of(rules: Rules) -> [Cell; CELLS] {
    headings(rules).map(|heading| Cell::right(heading.into(), DIM))
}

/// A name or a text from the module, fit for a terminal.
fn plain(text: &str) -> String {
    let start: String = text.chars().take(LONGEST).collect();
    let mut out = visible(&start).into_owned();
    if text.chars().nth(LONGEST).is_some() {
        out.push('…');
    }
    out
}
