//! The layouts for people.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::Range;

use spirvkit::analysis::ModuleIndex;
use spirvkit::analysis::layout::{Comparison, Extent, Layout, NoLayout, Place, Row, Rules};
use spirvkit::binary::{Budget, Id};
use spirvkit::diagnostics::{counted, visible};
use spirvkit::text::IdNames;

use super::find::text;
use super::{Shown, name_of};

/// The most characters of a name or a type.
const MAX_LENGTH: usize = 40;

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
        Self {
            is_left: true,
            ..Self::right(text, style)
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
    pub(super) comparison: &'a Comparison<'a>,
    /// In which order the columns stand.
    pub(super) rules: Vec<Rules>,
    pub(super) index: &'a ModuleIndex<'a>,
    /// What types are called.
    pub(super) texts: &'a HashMap<Id, String>,
    pub(super) ids: &'a IdNames<'a>,
    pub(super) color: bool,
    /// How many columns there are.
    pub(super) width: usize,
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

    /// Writes as many structures, and lines of the last, as the budget allows.
    pub(super) fn write(
        &self,
        out: &mut dyn Write,
        shown: &[Shown],
        budget: &mut Budget,
    ) -> io::Result<()> {
        if shown.is_empty() {
            return writeln!(out, "no structure of the module is a block or has offsets");
        }
        for (index, structure) in shown.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            if budget.is_spent() {
                let left = counted(shown.len() - index, "structure");
                return writeln!(out, "… {left} more");
            }
            self.write_structure(out, structure, budget)?;
        }
        Ok(())
    }

    fn write_structure(
        &self,
        out: &mut dyn Write,
        shown: &Shown,
        budget: &mut Budget,
    ) -> io::Result<()> {
        let (bold, reset) = self.paint(BOLD);
        let id = self.ids.show(shown.id);
        let name = text(self.index.name_of(shown.id))
            .as_deref()
            .map(plain)
            .unwrap_or_default();
        let name = match name.is_empty() || id.strip_prefix('%') == Some(&name) {
            true => String::new(),
            false => name + "  ",
        };
        let kind = if shown.is_block { "block" } else { "structure" };
        let title = format!("{bold}{name}{id}{reset}  {kind}\n");
        let _ = budget.take(title.len() as u64);
        out.write_all(title.as_bytes())?;
        let (lines, notes) = self.lines(shown.id);
        Columns::of(self, &lines).write(out, &lines, budget)?;
        let (dim, reset) = self.paint(DIM);
        for note in notes.texts() {
            writeln!(out, "{dim}{note}{reset}")?;
        }
        Ok(())
    }

    /// The lines of a structure, and which marks there are in them.
    fn lines(&self, structure: Id) -> (Vec<Line>, Notes) {
        let mut lines = Vec::new();
        let mut notes = Notes::default();
        let mut rows = self.comparison.rows(structure);
        for row in rows.by_ref() {
            let mut places = self.rules.iter().map(|&rules| row.place(rules));
            places.clone().for_each(|place| notes.note(place));
            if places.any(|place| place.hole > 0) {
                lines.push(self.hole_line(&row));
            }
            if row.member.is_some() {
                lines.push(self.member_line(&row));
            }
        }
        if rows.is_cut() {
            lines.push(Line {
                name: Cell::left("…".into(), DIM),
                ..Line::default()
            });
        }
        lines.push(self.total_line(&self.comparison.totals(structure)));
        (lines, notes)
    }
}

/// Which marks need to be explained.
#[derive(Clone, Copy, Default)]
struct Notes {
    differs: bool,
    overlaps: bool,
    is_specialized: bool,
}

impl Notes {
    fn note(&mut self, place: &Place) {
        self.differs |= place.offset_differs || place.stride_differs;
        self.overlaps |= place.overlaps;
        self.is_specialized |= place.offset.ok().is_some_and(Extent::is_specialized);
    }

    /// What the marks mean.
    fn texts(self) -> impl Iterator<Item = &'static str> {
        let texts = [
            (self.differs, "! differs from the declared layout"),
            (self.overlaps, "& overlaps a previous member"),
            (
                self.is_specialized,
                "* with default values of specialization constants",
            ),
        ];
        texts
            .into_iter()
            .filter_map(|(is_there, text)| is_there.then_some(text))
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
        let name = match text(self.index.member_name(row.structure, number)).as_deref() {
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
            let start = place.start.ok().and_then(Extent::known);
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
            let size = layout.map_or_else(reason, |layout| layout.size.to_string());
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
            let size = layout.map_or_else(reason, |layout| layout.size.to_string());
            let start = start.map_or_else(reason, |it| it.to_string());
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

/// Strides of arrays from the outermost inwards, and of the matrices in them.
fn strides(place: &Place) -> String {
    let arrays = place
        .strides
        .iter()
        .map(|it| it.map_or_else(reason, |it| it.to_string()));
    let matrix = place.layout.ok().and_then(|layout| layout.matrix);
    let matrix = matrix.map(|matrix| matrix.stride.to_string());
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

impl Group {
    /// `widest` are the widest texts of each column.
    fn new(rules: Rules, widest: [usize; CELLS]) -> Self {
        let headings = headings(rules);
        let cells: [usize; CELLS] = std::array::from_fn(|cell| match widest[cell] {
            0 => 0,
            body => body.max(width(headings[cell])),
        });
        let used = cells.iter().filter(|&&cell| cell > 0);
        let own: usize = used.map(|cell| cell + 1).sum();
        // The name of the rules stands above them.
        let own = own.max(width(&name_of(rules)) + 1);
        Self {
            rules,
            cells,
            total: own + 2,
        }
    }
}

/// How wide all columns are.
struct Columns<'a> {
    look: &'a Look<'a>,
    name: usize,
    ty: usize,
    groups: Vec<Group>,
}

impl<'a> Columns<'a> {
    fn of(look: &'a Look<'a>, lines: &[Line]) -> Self {
        let mut widest = vec![[0; CELLS]; look.rules.len()];
        let (mut name, mut ty) = (width("member"), width("type"));
        for line in lines {
            name = name.max(width(&line.name.text));
            ty = ty.max(width(&line.ty.text));
            for (widest, cells) in widest.iter_mut().zip(&line.groups) {
                for (widest, cell) in widest.iter_mut().zip(cells) {
                    *widest = (*widest).max(width(&cell.text));
                }
            }
        }
        let groups = look.rules.iter().zip(widest);
        let groups: Vec<Group> = groups
            .map(|(&rules, widest)| Group::new(rules, widest))
            .collect();
        let widest = groups.iter().map(|group| group.total).max().unwrap_or(0);
        let left = look.width.saturating_sub(widest);
        // The longer of the two has to give way first.
        let room = left.saturating_sub(2);
        let half = room / 2;
        let (name, ty) = match (name + ty <= room, name <= half, ty <= half) {
            (true, ..) => (name, ty),
            (_, true, _) => (name, room - name),
            (_, _, true) => (room - ty, ty),
            _ => (room - half, half),
        };
        Self {
            look,
            name: name.max(NARROWEST),
            ty: ty.max(NARROWEST.min(ty.max(4))),
            groups,
        }
    }

    /// Writes lines in columns, with as many rules beside each other as fit.
    fn write(&self, out: &mut dyn Write, lines: &[Line], budget: &mut Budget) -> io::Result<()> {
        let before = self.name + 2 + self.ty;
        let mut first = 0;
        while first < self.groups.len() && !budget.is_spent() {
            let mut end = first + 1;
            let mut total = before + self.groups[first].total;
            while end < self.groups.len() && total + self.groups[end].total <= self.look.width {
                total += self.groups[end].total;
                end += 1;
            }
            self.write_table(out, lines, first..end, budget)?;
            first = end;
        }
        Ok(())
    }

    /// Writes one table, of some of the rules.
    fn write_table(
        &self,
        out: &mut dyn Write,
        lines: &[Line],
        range: Range<usize>,
        budget: &mut Budget,
    ) -> io::Result<()> {
        let groups = &self.groups[range.clone()];
        let (bold, reset) = self.look.paint(BOLD);
        let mut heading = " ".repeat(self.name + 2 + self.ty);
        for group in groups {
            let inner = group.total - 3;
            let _ = write!(heading, " │ {:<inner$}", name_of(group.rules));
        }
        writeln!(out, "{bold}{}{reset}", heading.trim_end())?;
        let headings = Line {
            name: Cell::left("member".into(), DIM),
            ty: Cell::left("type".into(), DIM),
            groups: groups
                .iter()
                .map(|group| headings_of(group.rules))
                .collect(),
        };
        writeln!(out, "{}", self.line(&headings, &headings.groups, groups))?;
        // What is unused by some rules only is of no interest beside the others.
        let is_shown = |line: &&Line| match line.groups.get(range.clone()) {
            Some(groups) => groups.as_flattened().iter().any(|it| !it.text.is_empty()),
            None => true,
        };
        let mut shown = lines.iter().filter(is_shown);
        while let Some(line) = shown.next() {
            let cells = line.groups.get(range.clone()).unwrap_or_default();
            let text = self.line(line, cells, groups);
            if !budget.take(text.len() as u64 + 1) {
                let left = counted(1 + shown.count(), "row");
                return writeln!(out, "… {left} more");
            }
            writeln!(out, "{text}")?;
        }
        Ok(())
    }

    /// A line with the cells of these groups, if it has some.
    fn line(&self, line: &Line, cells: &[[Cell; CELLS]], groups: &[Group]) -> String {
        let mut text = String::new();
        self.look.write_cell(&mut text, &line.name, self.name);
        text.push_str("  ");
        self.look.write_cell(&mut text, &line.ty, self.ty);
        for (index, group) in groups.iter().enumerate() {
            text.push_str(" │");
            let cells = cells.get(index);
            let mut written = 0;
            let columns = group.cells.iter().enumerate();
            for (cell, &width) in columns.filter(|(_, width)| **width > 0) {
                text.push(' ');
                match cells {
                    Some(cells) => self.look.write_cell(&mut text, &cells[cell], width),
                    None => self.look.write_cell(&mut text, &Cell::default(), width),
                }
                written += width + 1;
            }
            text.push_str(&" ".repeat(group.total - 2 - written));
        }
        text.truncate(text.trim_end().len());
        text
    }
}

impl Look<'_> {
    /// Writes a cell, as long as it may be and as wide as it must be.
    fn write_cell(&self, out: &mut String, cell: &Cell, room: usize) {
        let mut text = cell.text.as_str();
        let mut taken = width(text);
        let mut mark = "";
        if taken > room {
            // The mark takes the place of the last that fits.
            taken = room;
            let end = text.char_indices().nth(room.saturating_sub(1));
            text = end.map_or(text, |(end, _)| &text[..end]);
            mark = if room > 0 { "…" } else { "" };
        }
        let padding = room - taken;
        let (style, reset) = match cell.style.is_empty() || text.is_empty() && mark.is_empty() {
            true => ("", ""),
            false => self.paint(cell.style),
        };
        let _ = match cell.is_left {
            true => write!(out, "{style}{text}{mark}{reset}{:padding$}", ""),
            false => write!(out, "{:padding$}{style}{text}{mark}{reset}", ""),
        };
    }
}

fn headings_of(rules: Rules) -> [Cell; CELLS] {
    headings(rules).map(|heading| Cell::right(heading.into(), DIM))
}

/// A name or a text from the module, fit for a terminal.
fn plain(text: &str) -> String {
    let start: String = text.chars().take(MAX_LENGTH).collect();
    let mut out = visible(&start).into_owned();
    if text.chars().nth(MAX_LENGTH).is_some() {
        out.push('…');
    }
    out
}
