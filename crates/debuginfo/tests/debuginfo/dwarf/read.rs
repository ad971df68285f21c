//! Reading what was written, with `gimli`.

use super::*;

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// A DIE, as tests want to look at it.
#[derive(Debug)]
pub(crate) struct Die {
    pub(crate) tag: String,
    pub(crate) depth: isize,
    pub(crate) name: String,
    /// Numbers and flags.
    pub(crate) numbers: BTreeMap<u16, i64>,
    /// Operations of the location, or of each part of its list.
    pub(crate) locations: Vec<String>,
    pub(crate) has_list: bool,
    /// The name of what it refers to as its origin.
    pub(crate) origin: String,
    pub(crate) ranges: Vec<Range<u64>>,
}

impl Die {
    pub(crate) fn number(&self, attribute: DwAt) -> Option<i64> {
        self.numbers.get(&attribute.0).copied()
    }
}

/// What was read of the sections of a module.
pub(crate) struct Read {
    pub(crate) dies: Vec<Die>,
    /// Rows of the line tables: address, file, line, discriminator.
    pub(crate) rows: Vec<(u64, String, u64, u64)>,
    pub(crate) macros: Vec<String>,
}

impl Read {
    pub(crate) fn of(words: &[u32], map: &dyn CodeMap, version: Version) -> Self {
        let info = DebugInfo::read(words).expect("a module");
        let options = Options::default().version(version);
        let sections = dwarf::sections(&info, map, &options).expect("DWARF");
        Self::sections(&sections)
    }

    pub(crate) fn sections(sections: &Sections) -> Self {
        let load = |id: gimli::SectionId| {
            let bytes = sections.get(id.name()).unwrap_or_default();
            Ok::<_, gimli::Error>(EndianSlice::new(bytes, LittleEndian))
        };
        let dwarf = gimli::Dwarf::load(load).expect("sections");
        let mut read = Self {
            dies: Vec::new(),
            rows: Vec::new(),
            macros: Vec::new(),
        };
        let mut units = dwarf.units();
        while let Some(header) = units.next().expect("a unit") {
            let unit = dwarf.unit(header).expect("a unit");
            read.unit(&dwarf, &unit);
            read.lines(&dwarf, &unit);
        }
        read
    }

    pub(crate) fn unit<'a>(&mut self, dwarf: &gimli::Dwarf<Slice<'a>>, unit: &Unit<Slice<'a>>) {
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs().expect("a DIE") {
            let die = read_die(dwarf, unit, entry, entry.depth());
            self.dies.push(die);
        }
        let mut macros = Vec::new();
        if let Ok(Some(AttributeValue::DebugMacinfoRef(at))) = macro_attribute(unit) {
            let mut entries = dwarf.macinfo(at).expect("macros");
            while let Some(entry) = entries.next().expect("a macro") {
                macros.push(entry);
            }
        }
        if let Ok(Some(AttributeValue::DebugMacroRef(at))) = macro_attribute(unit) {
            let mut entries = dwarf.macros(at).expect("macros");
            while let Some(entry) = entries.next().expect("a macro") {
                macros.push(entry);
            }
        }
        for entry in macros {
            use gimli::MacroEntry::*;
            let text = |string: gimli::MacroString<Slice<'a>>| {
                let string = string.string(unit.unit_ref(dwarf)).expect("a string");
                string.to_string_lossy().into_owned()
            };
            self.macros.push(match entry {
                Define { line, text: string } => format!("{line} define {}", text(string)),
                Undef { line, name } => format!("{line} undef {}", text(name)),
                StartFile { .. } => "start".to_owned(),
                EndFile => "end".to_owned(),
                other => format!("{other:?}"),
            });
        }
    }

    pub(crate) fn lines<'a>(&mut self, dwarf: &gimli::Dwarf<Slice<'a>>, unit: &Unit<Slice<'a>>) {
        let Some(program) = unit.line_program.clone() else {
            return;
        };
        let mut rows = program.rows();
        while let Some((header, row)) = rows.next_row().expect("a row") {
            if row.end_sequence() {
                continue;
            }
            let file = row.file(header).expect("a file");
            let name = dwarf.attr_string(unit, file.path_name()).expect("a name");
            let line = row.line().map_or(0, |line| line.get());
            let name = name.to_string_lossy().into_owned();
            self.rows
                .push((row.address(), name, line, row.discriminator()));
        }
    }

    pub(crate) fn tagged<'a>(&'a self, tag: &str) -> impl Iterator<Item = &'a Die> + use<'a> {
        let tag = tag.to_owned();
        self.dies.iter().filter(move |die| die.tag == tag)
    }

    pub(crate) fn named(&self, tag: &str, name: &str) -> &Die {
        let found = self.tagged(tag).find(|die| die.name == name);
        found.unwrap_or_else(|| panic!("there is no {tag} called {name}"))
    }

    /// The children of the DIE.
    pub(crate) fn children<'a>(&'a self, of: &'a Die) -> impl Iterator<Item = &'a Die> + 'a {
        let after = self
            .dies
            .iter()
            .skip_while(move |die| !std::ptr::eq(*die, of));
        let inside = after.skip(1).take_while(move |die| die.depth > of.depth);
        inside.filter(move |die| die.depth == of.depth + 1)
    }
}

fn macro_attribute<'a>(unit: &Unit<Slice<'a>>) -> gimli::Result<Option<AttributeValue<Slice<'a>>>> {
    let mut entries = unit.entries();
    let root = entries.next_dfs()?.expect("a root");
    let found = root.attr_value(gimli::DW_AT_macros);
    Ok(found.or_else(|| root.attr_value(gimli::DW_AT_macro_info)))
}

fn read_die<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &Unit<Slice<'a>>,
    entry: &DebuggingInformationEntry<Slice<'a>>,
    depth: isize,
) -> Die {
    let mut die = Die {
        tag: entry.tag().to_string().replace("DW_TAG_", ""),
        depth,
        name: String::new(),
        numbers: BTreeMap::new(),
        locations: Vec::new(),
        has_list: false,
        origin: String::new(),
        ranges: Vec::new(),
    };
    for attribute in entry.attrs() {
        let value = attribute.value();
        match attribute.name() {
            gimli::DW_AT_name => die.name = string(dwarf, unit, value),
            gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => {
                if let AttributeValue::UnitRef(at) = value {
                    let origin = unit.entry(at).expect("an origin");
                    let name = origin.attr_value(gimli::DW_AT_name);
                    die.origin = name.map_or(String::new(), |name| string(dwarf, unit, name));
                }
            }
            gimli::DW_AT_location | gimli::DW_AT_frame_base => {
                let is_location = attribute.name() == gimli::DW_AT_location;
                match (value, is_location) {
                    (AttributeValue::Exprloc(expression), true) => {
                        die.locations.push(operations(unit, expression));
                    }
                    (AttributeValue::Exprloc(expression), false) => {
                        die.origin = operations(unit, expression);
                    }
                    _ => {
                        die.has_list = true;
                        let list = dwarf.attr_locations(unit, value).expect("a list");
                        let mut list = list.expect("a list");
                        while let Some(part) = list.next().expect("a part") {
                            let range = format!("{:#x}..{:#x} ", part.range.begin, part.range.end);
                            let what = operations(unit, part.data);
                            die.locations.push(range + &what);
                        }
                    }
                }
            }
            name => {
                let number = match value {
                    AttributeValue::Flag(flag) => Some(i64::from(flag)),
                    AttributeValue::Sdata(value) => Some(value),
                    AttributeValue::Encoding(value) => Some(value.0.into()),
                    AttributeValue::Accessibility(value) => Some(value.0.into()),
                    AttributeValue::Inline(value) => Some(value.0.into()),
                    value => value.udata_value().map(|value| value as i64),
                };
                die.numbers.extend(number.map(|number| (name.0, number)));
            }
        }
    }
    let mut ranges = dwarf.die_ranges(unit, entry).expect("ranges");
    while let Some(range) = ranges.next().expect("a range") {
        die.ranges.push(range.begin..range.end);
    }
    die
}

fn string<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &Unit<Slice<'a>>,
    value: AttributeValue<Slice<'a>>,
) -> String {
    let string = dwarf.attr_string(unit, value).expect("a string");
    string.to_string_lossy().into_owned()
}

fn operations(unit: &Unit<Slice<'_>>, expression: gimli::Expression<Slice<'_>>) -> String {
    let mut operations = expression.operations(unit.encoding());
    let mut out = Vec::new();
    while let Some(operation) = operations.next().expect("an operation") {
        use gimli::Operation::*;
        out.push(match operation {
            UnsignedConstant { value } => format!("constu {value}"),
            SignedConstant { value } => format!("consts {value}"),
            Drop => "drop".to_owned(),
            StackValue => "stack_value".to_owned(),
            Deref { .. } => "deref".to_owned(),
            Register { register } => format!("reg {}", register.0),
            RegisterOffset {
                register, offset, ..
            } => format!("breg {} {offset}", register.0),
            FrameOffset { offset } => format!("fbreg {offset}"),
            Address { address } => format!("addr {address:#x}"),
            PlusConstant { value } => format!("plus_uconst {value}"),
            Piece {
                size_in_bits,
                bit_offset,
            } => format!("piece {size_in_bits}+{}", bit_offset.unwrap_or(0)),
            ImplicitValue { data } => format!("implicit {}", data.len()),
            other => format!("{other:?}"),
        });
    }
    out.join(", ")
}
