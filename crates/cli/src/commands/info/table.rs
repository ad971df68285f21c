//! What `spv info` shows to people.

use std::fmt::{Display, Write as _};

use anstyle::{AnsiColor, Style};
use spirvkit::binary::{Budget, Id};
use spirvkit::diagnostics::{counted, visible};
use spirvkit::reflect::{
    Access, EntryPoint, Extent, InterfaceVariable, Kernel, Operand, Order, Reflection, TypeKind,
    WorkgroupSize,
};
use spirvkit::text::IdNames;

use super::tree;

/// What stands for nothing.
const NONE: &str = "-";

/// How many of the opcodes are listed.
const OPCODES: usize = 10;

/// What a cell takes besides its text: the string, and the least that is allocated.
const CELL: usize = size_of::<String>() + 32;

/// A table: its rows are as wide as the widest in each column.
struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    /// What the rows may take.
    budget: Budget,
}

impl Table {
    /// Adds a row, if there is room for it.
    fn row(&mut self, cells: Vec<String>) {
        let texts = cells.iter().map(String::len).sum::<usize>();
        let size = texts + cells.len() * CELL;
        if !self.budget.take(size as u64) {
            return;
        }
        self.rows.push(
            cells
                .iter()
                .map(|cell| visible(cell).into_owned())
                .collect(),
        );
    }

    /// How wide each column is, and no wider than so.
    fn widths(&self, most: usize) -> Vec<usize> {
        let mut widths: Vec<usize> = self.head.iter().map(|cell| cell.chars().count()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count().min(most));
            }
        }
        widths
    }
}

/// The most characters of a cell where there is no room for more.
const NARROW: usize = 40;

/// Cells in columns; what is wider than its column is cut.
fn set<'c>(cells: impl Iterator<Item = &'c str>, widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, &width) in cells.zip(widths) {
        line.push_str("  ");
        // The mark takes the place of the last that fits.
        let (text, taken) = match cell.char_indices().nth(width) {
            Some(_) => {
                let end = cell.char_indices().nth(width.saturating_sub(1));
                line.push_str(end.map_or(cell, |(end, _)| &cell[..end]));
                ("…", width)
            }
            None => (cell, cell.chars().count()),
        };
        line.push_str(text);
        line.extend(std::iter::repeat_n(' ', width - taken));
    }
    line.truncate(line.trim_end().len());
    line
}

struct Page<'r> {
    reflection: &'r Reflection,
    ids: &'r IdNames<'r>,
    out: String,
    budget: Budget,
    bold: Style,
    dim: Style,
}

/// All that there is to tell of a module.
pub(super) fn tables(
    name: &str,
    reflection: &Reflection,
    ids: &IdNames<'_>,
    color: bool,
) -> String {
    let style = |style: Style| if color { style } else { Style::new() };
    let mut page = Page {
        reflection,
        ids,
        out: String::new(),
        budget: Budget::for_input(reflection.statistics.words.saturating_mul(4)),
        bold: style(AnsiColor::Cyan.on_default().bold()),
        dim: style(Style::new().dimmed()),
    };
    page.summary(name);
    page.each(&reflection.entry_points, "entry point", Page::entry_point);
    page.interface("inputs", &reflection.inputs);
    page.interface("outputs", &reflection.outputs);
    page.descriptors();
    page.push_constants();
    page.behind_pointers();
    page.variables();
    page.heaps();
    page.spec_constants();
    page.each(&reflection.kernels, "kernel", Page::kernel);
    page.statistics();
    if reflection.truncated {
        page.line("… and more: what very many entry points share is not listed for each of them");
    }
    page.out.truncate(page.out.trim_end().len());
    page.out
}

fn or_none<T: Display>(value: Option<T>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| value.to_string())
}

fn list<T: Display>(values: &[T]) -> String {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    match values.is_empty() {
        true => NONE.to_owned(),
        false => values.join(" "),
    }
}

fn yes(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

fn operands(operands: &[Operand]) -> String {
    let shown = operands.iter().map(|operand| match operand.constant {
        Some(constant) => format!(" {constant}"),
        None => format!(" {}", operand.value),
    });
    shown.collect()
}

fn workgroup(size: &WorkgroupSize) -> String {
    let dimensions = [&size.x, &size.y, &size.z];
    let sizes = dimensions.map(|dimension| match dimension.spec_id {
        Some(id) => format!("{} (SpecId {id})", dimension.size),
        None => dimension.size.to_string(),
    });
    sizes.join(" × ")
}

fn access(access: Access) -> String {
    let may = match (access.readable, access.writable) {
        (true, true) => "read-write",
        (true, false) => "read-only",
        (false, true) => "write-only",
        (false, false) => "none",
    };
    let is = match (access.used, access.read, access.written) {
        (false, ..) => "unused",
        (_, true, true) => "read, written",
        (_, true, false) => "read",
        (_, false, true) => "written",
        (_, false, false) => "used",
    };
    format!("{may}; {is}")
}

impl Page<'_> {
    /// Shows things one by one as long as there is room, and says how many are left.
    fn each<T>(&mut self, things: &[T], noun: &str, mut show: impl FnMut(&mut Self, &T)) {
        for (index, thing) in things.iter().enumerate() {
            if self.budget.is_spent() {
                let left = counted(things.len() - index, noun);
                self.line(&format!("… {left} more\n"));
                return;
            }
            show(self, thing);
        }
    }

    /// Writes a line. What there may be many of asks for room before.
    fn line(&mut self, line: &str) {
        let _ = self.budget.take(line.len() as u64 + 1);
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn heading(&mut self, text: &str) {
        let bold = self.bold;
        let text = visible(text);
        self.line(&format!("{bold}{text}{bold:#}"));
    }

    fn new_table(&self, head: &[&'static str]) -> Table {
        Table {
            head: head.to_vec(),
            rows: Vec::new(),
            // The rows are held together with what is written of them.
            budget: Budget::of(self.budget.left() / 2),
        }
    }

    fn table(&mut self, table: &Table) {
        let mut widths = table.widths(usize::MAX);
        let width: usize = widths.iter().map(|width| width + 2).sum();
        // One long cell makes all rows as long.
        let size = (table.rows.len() as u64 + 1).saturating_mul(width as u64);
        if size > self.budget.left() {
            widths = table.widths(NARROW);
        }
        let dim = self.dim;
        let head = set(table.head.iter().copied(), &widths);
        self.line(&format!("{dim}{head}{dim:#}"));
        for (index, row) in table.rows.iter().enumerate() {
            let cells = row.iter().map(String::as_str);
            let line = set(cells, &widths);
            if line.len() as u64 >= self.budget.left() {
                let left = counted(table.rows.len() - index, "row");
                self.line(&format!("  … {left} more"));
                break;
            }
            self.line(&line);
        }
        if table.budget.is_spent() {
            self.line("  … and more");
        }
        self.out.push('\n');
    }

    /// Lines of a name and a value each.
    fn facts(&mut self, facts: &[(&str, String)]) {
        let dim = self.dim;
        for (name, value) in facts {
            let value = visible(value);
            self.line(&format!("  {dim}{name:<16}{dim:#}  {value}"));
        }
        self.out.push('\n');
    }

    fn list(&self, ids: &[Id]) -> String {
        let shown: Vec<String> = ids.iter().map(|&id| self.ids.show(id)).collect();
        list(&shown)
    }

    fn spelling(&self, ty: Option<Id>) -> String {
        let ty = ty.and_then(|ty| self.reflection.ty(ty));
        ty.map_or_else(|| NONE.to_owned(), |ty| ty.spelling.clone())
    }

    /// A type with the dimensions of an array of it.
    fn arrayed(&self, ty: Option<Id>, array: &[Extent]) -> String {
        let mut text = self.spelling(ty);
        for length in array {
            let _ = match length {
                Extent::Runtime => write!(text, "[]"),
                length => write!(text, "[{length}]"),
            };
        }
        text
    }

    fn summary(&mut self, name: &str) {
        let reflection = self.reflection;
        self.heading(name);
        let generator = match reflection.generator.name {
            Some(name) => name.to_owned(),
            None => format!("unknown ({})", reflection.generator.tool),
        };
        let mut facts = vec![
            ("version", reflection.version.to_string()),
            (
                "generator",
                format!("{generator}; {}", reflection.generator.version),
            ),
            ("addressing", or_none(reflection.addressing_model)),
            ("memory model", or_none(reflection.memory_model)),
            ("capabilities", list(&reflection.capabilities)),
            ("extensions", list(&reflection.extensions)),
            ("imports", list(&reflection.imports)),
        ];
        if let Some(source) = &reflection.source {
            let file = source.file.as_deref().unwrap_or_default();
            let text = format!("{} {} {file}", source.language, source.version);
            facts.push(("source", text.trim_end().to_owned()));
        }
        self.facts(&facts);
    }

    fn entry_point(&mut self, entry: &EntryPoint) {
        let stage = entry
            .stage
            .map_or_else(|| entry.model.to_string(), str::to_owned);
        self.heading(&format!("entry point {} ({stage})", entry.name));
        let modes: Vec<String> = entry
            .execution_modes
            .iter()
            .map(|mode| format!("{}{}", mode.mode, operands(&mode.operands)))
            .collect();
        let mut facts = vec![("function", self.ids.show(entry.function))];
        if let Some(size) = &entry.workgroup_size {
            facts.push(("workgroup size", workgroup(size)));
        }
        let mut modes = modes.join(", ");
        if entry.execution_modes_left_out > 0 {
            let _ = write!(modes, " … {} more", entry.execution_modes_left_out);
        }
        if !modes.is_empty() {
            facts.push(("execution modes", modes));
        }
        match &entry.uses {
            None => facts.push(("uses", "too many to list".to_owned())),
            Some(uses) => {
                let lists = [
                    ("descriptors", &uses.descriptors),
                    ("push constants", &uses.push_constants),
                    ("inputs", &uses.inputs),
                    ("outputs", &uses.outputs),
                    ("variables", &uses.variables),
                ];
                let lists = lists.into_iter().filter(|(_, ids)| !ids.is_empty());
                facts.extend(lists.map(|(name, ids)| (name, self.list(ids))));
            }
        }
        self.facts(&facts);
    }

    fn interface(&mut self, title: &str, variables: &[InterfaceVariable]) {
        if variables.is_empty() {
            return;
        }
        self.heading(title);
        let head = [
            "id",
            "name",
            "location",
            "component",
            "type",
            "format",
            "decorations",
        ];
        let mut table = self.new_table(&head);
        for variable in variables {
            if table.budget.is_spent() {
                break;
            }
            let place = |location: Option<u64>, built_in: Option<String>| match built_in {
                Some(built_in) => built_in,
                None => or_none(location),
            };
            let built_in = variable.built_in.map(|built_in| built_in.to_string());
            table.row(vec![
                self.ids.show(variable.id),
                or_none(variable.name.as_ref()),
                place(variable.location.map(u64::from), built_in),
                or_none(variable.component),
                self.arrayed(variable.ty, &variable.array),
                or_none(variable.format.as_ref()),
                list(&variable.decorations),
            ]);
            let ty = variable.ty.and_then(|ty| self.reflection.ty(ty));
            let Some(TypeKind::Struct { members, .. }) = ty.map(|ty| &ty.kind) else {
                continue;
            };
            for (index, member) in members.iter().enumerate() {
                if table.budget.is_spent() {
                    break;
                }
                let behind = || u64::from(variable.location?).checked_add(member.location_offset?);
                let location = member.location.map(u64::from).or_else(behind);
                let built_in = member.built_in.map(|built_in| built_in.to_string());
                table.row(vec![
                    format!("  .{index}"),
                    or_none(member.name.as_ref()),
                    place(location, built_in),
                    or_none(member.component),
                    self.spelling(Some(member.ty)),
                    NONE.to_owned(),
                    list(&member.decorations),
                ]);
            }
        }
        self.table(&table);
    }

    fn descriptors(&mut self) {
        let reflection = self.reflection;
        if reflection.descriptors.is_empty() {
            return;
        }
        self.heading("descriptors");
        let head = [
            "set", "binding", "id", "name", "kind", "type", "format", "access",
        ];
        let mut table = self.new_table(&head);
        for found in &reflection.descriptors {
            let mut kind = found.kind.name().replace('_', " ");
            if let Some(index) = found.input_attachment_index {
                let _ = write!(kind, " {index}");
            }
            if let Some(counter) = found.counter {
                let _ = write!(kind, ", counter {counter}");
            }
            table.row(vec![
                or_none(found.set),
                or_none(found.binding),
                self.ids.show(found.id),
                or_none(found.name.as_ref()),
                kind,
                self.arrayed(found.ty, &found.array),
                or_none(found.image.as_ref().map(|image| image.format)),
                access(found.access),
            ]);
        }
        self.table(&table);
        self.each(&reflection.descriptors, "descriptor", |page, found| {
            let set = or_none(found.set);
            let binding = or_none(found.binding);
            let title = format!("set {set}, binding {binding}");
            page.block(&title, found.ty, found.size);
        });
    }

    fn push_constants(&mut self) {
        let reflection = self.reflection;
        self.each(&reflection.push_constants, "block", |page, found| {
            let name = found.name.clone();
            let name = name.unwrap_or_else(|| page.ids.show(found.id));
            page.block(&format!("push constants {name}"), found.ty, found.size);
        });
    }

    /// The structures that resources lead to by pointers.
    fn behind_pointers(&mut self) {
        let found = tree::behind_pointers(self.reflection);
        self.each(&found, "block", |page, &ty| {
            let size = page.reflection.ty(ty).and_then(|ty| ty.size);
            page.block("behind pointers", Some(ty), size);
        });
    }

    /// The layout of a structure.
    fn block(&mut self, title: &str, ty: Option<Id>, size: Option<Extent>) {
        let reflection = self.reflection;
        let Some(ty) = ty else {
            return;
        };
        let (rows, cut) = tree::rows(ty, reflection);
        if rows.is_empty() {
            return;
        }
        let spelling = self.spelling(Some(ty));
        let size = match size {
            Some(Extent::Runtime) => "sized at run time".to_owned(),
            Some(size) => format!("{size} bytes"),
            None => "no explicit layout".to_owned(),
        };
        self.heading(&format!("{title}: {spelling}, {size}"));
        let head = ["offset", "size", "padded", "stride", "member", "type"];
        let mut table = self.new_table(&head);
        for row in rows {
            let member = row.member;
            let stride = match reflection.ty(member.ty).map(|ty| &ty.kind) {
                Some(TypeKind::Array { stride, .. }) => *stride,
                _ => None,
            };
            let mut strides: Vec<String> = stride.iter().map(ToString::to_string).collect();
            if let Some(stride) = member.matrix_stride {
                let order = match member.matrix_order {
                    Some(Order::RowMajor) => "row-major",
                    _ => "column-major",
                };
                strides.push(format!("{stride} {order}"));
            }
            let name = member.name.clone();
            let name = name.unwrap_or_else(|| format!(".{}", row.index));
            table.row(vec![
                or_none(member.offset),
                or_none(member.size),
                or_none(member.padded_size),
                match strides.is_empty() {
                    true => NONE.to_owned(),
                    false => strides.join(", "),
                },
                format!("{}{name}", "  ".repeat(row.depth)),
                self.spelling(Some(member.ty)),
            ]);
        }
        if cut {
            table.row(vec!["…".to_owned()]);
        }
        self.table(&table);
    }

    fn variables(&mut self) {
        let reflection = self.reflection;
        if reflection.variables.is_empty() {
            return;
        }
        self.heading("other variables");
        let mut table =
            self.new_table(&["id", "name", "storage class", "type", "location", "used"]);
        for variable in &reflection.variables {
            let location = or_none(variable.location);
            table.row(vec![
                self.ids.show(variable.id),
                or_none(variable.name.as_ref()),
                variable.storage_class.to_string(),
                self.spelling(variable.ty),
                variable
                    .built_in
                    .map_or(location, |built_in| built_in.to_string()),
                yes(variable.used),
            ]);
        }
        self.table(&table);
    }

    fn heaps(&mut self) {
        let reflection = self.reflection;
        if reflection.heap_accesses.is_empty() {
            return;
        }
        self.heading("descriptor heaps");
        let mut table = self.new_table(&["heap", "built-in", "kind", "indexed as"]);
        for access in &reflection.heap_accesses {
            table.row(vec![
                self.ids.show(access.heap),
                access.built_in.to_string(),
                or_none(access.kind.map(|kind| kind.name().replace('_', " "))),
                self.spelling(Some(access.base_type)),
            ]);
        }
        self.table(&table);
    }

    fn spec_constants(&mut self) {
        let reflection = self.reflection;
        if reflection.spec_constants.is_empty() {
            return;
        }
        self.heading("specialization constants");
        let mut table = self.new_table(&["SpecId", "id", "name", "type", "default"]);
        for constant in &reflection.spec_constants {
            table.row(vec![
                or_none(constant.spec_id),
                self.ids.show(constant.id),
                or_none(constant.name.as_ref()),
                self.spelling(Some(constant.ty)),
                constant.default.to_string(),
            ]);
        }
        self.table(&table);
    }

    fn kernel(&mut self, kernel: &Kernel) {
        if kernel.arguments.is_empty() {
            return;
        }
        self.heading(&format!("arguments of {}", kernel.name));
        let head = [
            "index",
            "name",
            "type",
            "declared as",
            "address space",
            "access",
            "qualifiers",
        ];
        let mut table = self.new_table(&head);
        let known = |text: Option<&str>| text.unwrap_or("unknown").to_owned();
        for argument in &kernel.arguments {
            let qualifiers = argument.type_qualifiers.as_ref();
            let spelling = match (&argument.passing, argument.ty) {
                (Some(passing), _) => passing.kind.to_owned(),
                (None, ty) => self.spelling(ty),
            };
            table.row(vec![
                argument.index.to_string(),
                known(argument.name.as_deref()),
                spelling,
                known(argument.type_name.as_deref()),
                known(argument.address_space),
                known(argument.access),
                qualifiers.map_or_else(|| known(None), |words| list(words)),
            ]);
        }
        self.table(&table);
    }

    fn statistics(&mut self) {
        let statistics = &self.reflection.statistics;
        let parts = statistics.parts;
        let functions = self.reflection.functions.iter();
        let blocks: u64 = functions.map(|function| function.blocks).sum();
        self.heading("statistics");
        let frequent: Vec<String> = statistics
            .opcodes
            .iter()
            .take(OPCODES)
            .map(|counted| format!("{} {}", counted.opcode, counted.count))
            .collect();
        let facts = [
            ("bytes", (statistics.words * 4).to_string()),
            ("instructions", statistics.instructions.to_string()),
            (
                "ids",
                format!("{}, bound {}", statistics.ids, self.reflection.bound),
            ),
            ("types", self.reflection.types.len().to_string()),
            ("functions", self.reflection.functions.len().to_string()),
            ("blocks", blocks.to_string()),
            (
                "words",
                format!(
                    "modes {}, debug {}, annotations {}, declarations {}, functions {}",
                    parts.modes,
                    parts.debug,
                    parts.annotations,
                    parts.declarations,
                    parts.functions
                ),
            ),
            ("most frequent", frequent.join(", ")),
        ];
        self.facts(&facts);
    }
}
