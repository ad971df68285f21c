//! Scripted sessions of `gdb`: one a module asks all that is expected of it, without
//! running anything.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use super::expected::{Enum, Expectations, Group, Member, Name, Type};
use super::output;
use super::spelling::{Layout, declared, enumerators, plain, read};

/// What stands before each answer.
const MARK: &str = "answer to question ";

/// What is wrong with an answer.
type Check<'e> = Box<dyn Fn(&str) -> Result<(), String> + 'e>;

/// Questions to the debugger, and what to make of its answers.
struct Session<'e> {
    file: &'e str,
    is_cpp: bool,
    questions: Vec<(String, Check<'e>)>,
    /// Which functions are expected at breakpoints: the number of the question that sets
    /// it, and the name.
    breakpoints: Vec<(usize, &'e str)>,
    /// Functions that have code of their own: the debugger lists no others.
    with_code: BTreeSet<&'e str>,
}

/// Asks the debugger what is expected of a module of which `object` was written.
pub(super) fn ask(
    object: &Path,
    helper: &Path,
    module: &str,
    expectations: &Expectations,
) -> Vec<String> {
    let of_module = |group: &&Group| group.modules.iter().any(|name| name.module == module);
    let groups: Vec<&Group> = expectations.groups.iter().filter(of_module).collect();
    let Some(name) = groups
        .iter()
        .flat_map(|group| &group.modules)
        .find(|name| name.module == module)
    else {
        return Vec::new();
    };
    let mut session = Session::new(expectations, &groups);
    for group in groups {
        session.add_group(group, name);
    }
    match session.run(object, helper) {
        Ok(failures) => failures,
        Err(failure) => vec![failure],
    }
}

impl<'e> Session<'e> {
    fn new(expectations: &'e Expectations, groups: &[&'e Group]) -> Self {
        let inlined = groups.iter().flat_map(|group| &group.inlined);
        let inlined: BTreeSet<&str> = inlined.map(|inlined| inlined.callee.as_str()).collect();
        let lines = groups.iter().flat_map(|group| &group.lines);
        let functions = lines
            .filter(|line| line.code)
            .filter_map(|line| line.function.as_deref());
        let is_c = [".cl", ".comp", ".frag"]
            .iter()
            .any(|end| expectations.file.ends_with(end));
        let mut session = Self {
            file: &expectations.file,
            is_cpp: !is_c,
            questions: Vec::new(),
            breakpoints: Vec::new(),
            with_code: functions.filter(|name| !inlined.contains(name)).collect(),
        };
        // While nothing runs, the debugger takes the language of a function `main`.
        let language = match session.is_cpp {
            true => "c++",
            false => "c",
        };
        session.add(format!("set language {language}"), |_| Ok(()));
        // Names are looked up from there.
        session.add(format!("list {},+1", session.place(1)), |_| Ok(()));
        session
    }

    fn add(&mut self, command: String, check: impl Fn(&str) -> Result<(), String> + 'e) {
        self.questions.push((command, Box::new(check)));
    }

    fn place(&self, line: u32) -> String {
        format!("{}:{line}", self.file)
    }

    fn add_group(&mut self, group: &'e Group, name: &Name) {
        self.add_lines(group);
        self.add_variables(group, name.no_arguments);
        for ty in &group.types {
            self.add_type(ty);
        }
        for ty in &group.enums {
            self.add_enum(ty);
        }
        self.add_declared(group, name.no_arguments);
    }

    /// Lines have code, and a breakpoint stops in the right function.
    fn add_lines(&mut self, group: &'e Group) {
        for line in &group.lines {
            let place = self.place(line.line);
            if !line.code {
                continue;
            }
            self.add(format!("info line {place}"), |answer| {
                match answer.contains("starts at address") {
                    true => Ok(()),
                    false => Err(expected("an address", answer)),
                }
            });
            if let Some(function) = &line.function {
                self.breakpoints.push((self.questions.len(), function));
                self.add(format!("break {place}"), |answer| {
                    match answer.contains("Breakpoint ") {
                        true => Ok(()),
                        false => Err(expected("a breakpoint", answer)),
                    }
                });
            }
        }
    }

    /// Variables are seen where they are, and have the right types.
    fn add_variables(&mut self, group: &'e Group, no_arguments: bool) {
        let mut names: BTreeMap<u32, Vec<(&str, bool)>> = BTreeMap::new();
        for variable in &group.variables {
            for (lines, is_visible) in [(&variable.visible_at, true), (&variable.hidden_at, false)]
            {
                for &line in lines {
                    let names = names.entry(line).or_default();
                    names.push((variable.name.as_str(), is_visible));
                }
            }
            let Some(&line) = variable.visible_at.first() else {
                continue;
            };
            let kind = match variable.argument {
                Some(_) => "argument",
                None => "variable",
            };
            let place = self.place(line);
            let command = format!("python types_of({:?}, {place:?})", variable.name);
            self.add(command, move |answer| {
                let mut found = answer.lines().filter_map(|line| line.split_once(' '));
                let wanted = plain(&variable.ty);
                let is_right = |(is, ty): (&str, &str)| {
                    let ty = read(ty).replace("*const", "*");
                    ty == wanted && (no_arguments || is == kind)
                };
                match found.any(is_right) {
                    true => Ok(()),
                    false => Err(expected(
                        &format!("{kind} {wanted} in {}", variable.function),
                        answer,
                    )),
                }
            });
        }
        for (line, names) in names {
            let command = format!("info scope {}", self.place(line));
            self.add(command, move |answer| {
                for (name, is_visible) in &names {
                    if answer.contains(&format!("Symbol {name} is ")) != *is_visible {
                        let not = if *is_visible { "" } else { "no " };
                        return Err(expected(&format!("{not}variable {name}"), answer));
                    }
                }
                Ok(())
            });
        }
    }

    /// How a type is called in questions.
    fn type_name(&self, ty: &Type) -> String {
        let keyword = match ty.kind.as_str() {
            "structure" | "class" => "struct ",
            "union" => "union ",
            _ => "",
        };
        let scope: String = ty.scope.iter().map(|scope| format!("{scope}::")).collect();
        match self.is_cpp {
            true => format!("{scope}{}", ty.name),
            false => format!("{keyword}{}", ty.name),
        }
    }

    fn add_type(&mut self, ty: &'e Type) {
        let name = self.type_name(ty);
        if let Some(size) = ty.size_bits {
            self.add_size(&name, size);
        }
        if let Some(stands_for) = &ty.ty {
            self.add(format!("whatis {name}"), |answer| {
                let found = answer.strip_prefix("type = ").unwrap_or(answer);
                same(&read(found), &plain(stands_for))
            });
        }
        // What is only declared is not in the list.
        let is_defined = ty.size_bits.is_some() || !ty.members.is_empty();
        if let Some(line) = ty.line.filter(|_| is_defined) {
            let scoped = plain(&name);
            self.add(format!("info types -q {}", ty.name), move |answer| {
                let is_right = |found: &str| {
                    let (number, name) = found.split_once(":\t").unwrap_or_default();
                    let name = plain(name.trim_end_matches(';'));
                    number.trim() == line.to_string() && name == scoped
                };
                match answer.lines().any(is_right) {
                    true => Ok(()),
                    false => Err(expected(&format!("{scoped} of line {line}"), answer)),
                }
            });
        }
        if !ty.members.is_empty() {
            self.add(format!("ptype/ro {name}"), |answer| {
                check_layout(ty, answer)
            });
        }
    }

    fn add_size(&mut self, name: &str, bits: u64) {
        self.add(format!("print sizeof({name})"), move |answer| {
            let found = answer.rsplit("= ").next().unwrap_or_default().trim();
            same(found, &bits.div_ceil(8).to_string())
        });
    }

    fn add_enum(&mut self, ty: &'e Enum) {
        let name = format!("enum {}", ty.name);
        self.add_size(&name, ty.size_bits);
        self.add(format!("ptype {name}"), |answer| {
            let found: BTreeMap<String, i64> = enumerators(answer).into_iter().collect();
            let values = ty.values.iter();
            let wanted = values.map(|(name, value)| (name.clone(), value.as_i64().unwrap_or(0)));
            let wanted: BTreeMap<String, i64> = wanted.collect();
            match found == wanted {
                true => Ok(()),
                false => Err(expected(&format!("{wanted:?}"), answer)),
            }
        });
    }

    /// Functions and global variables stand in the right lines and have the right types.
    fn add_declared(&mut self, group: &'e Group, no_arguments: bool) {
        let with_code = self.with_code.clone();
        self.add("info functions -q".to_owned(), move |answer| {
            for function in &group.functions {
                let name = function.name.as_str();
                if !with_code.contains(name) || has_mangled(answer, name) {
                    continue;
                }
                let ty = function.ty.as_deref().filter(|_| !no_arguments);
                check_declared(answer, name, function.line, ty)?;
            }
            Ok(())
        });
        self.add("info variables -q".to_owned(), |answer| {
            for global in &group.globals {
                if has_mangled(answer, &global.name) {
                    continue;
                }
                check_declared(answer, &global.name, global.line, global.ty.as_deref())?;
            }
            Ok(())
        });
    }

    fn run(mut self, object: &Path, helper: &Path) -> Result<Vec<String>, String> {
        let last = self.questions.len();
        self.add("info breakpoints".to_owned(), |_| Ok(()));
        let mut gdb = Command::new("gdb");
        gdb.args(["-nx", "-batch", "-q", "-iex", "set width 0"]);
        gdb.args(["-iex", "set breakpoint pending off"]);
        gdb.arg("-x").arg(helper);
        for (number, (command, _)) in self.questions.iter().enumerate() {
            gdb.arg("-ex").arg(format!("echo \\n{MARK}{number}\\n"));
            gdb.arg("-ex").arg(command);
        }
        let output = output(gdb.arg(object))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut answers = vec![""; self.questions.len()];
        for part in text.split(MARK).skip(1) {
            let (number, answer) = part.split_once('\n').unwrap_or((part, ""));
            let slot = number
                .parse()
                .ok()
                .and_then(|number: usize| answers.get_mut(number));
            if let Some(slot) = slot {
                *slot = answer.trim();
            }
        }
        let mut failures = Vec::new();
        for ((command, check), answer) in self.questions.iter().zip(&answers) {
            if let Err(what) = check(answer) {
                failures.push(format!("gdb: {command}: {what}"));
            }
        }
        for &(question, function) in &self.breakpoints {
            let command = &self.questions[question].0;
            let stops = stops(answers[question], answers[last]);
            if !stops.iter().any(|stop| is_called(stop, function)) {
                let found = stops.join(", ");
                failures.push(format!("gdb: {command}: {}", expected(function, &found)));
            }
        }
        Ok(failures)
    }
}

/// The functions that a breakpoint stops in, as the list of breakpoints tells.
fn stops<'a>(answer: &str, list: &'a str) -> Vec<&'a str> {
    let number = answer.strip_prefix("Breakpoint ").or_else(|| {
        // A note about others in the same place stands before.
        answer.rsplit_once("\nBreakpoint ").map(|(_, rest)| rest)
    });
    let Some(number) = number.and_then(|rest| rest.split(' ').next()) else {
        return Vec::new();
    };
    let of_number = list.lines().filter(|line| {
        let first = line.split_whitespace().next().unwrap_or_default();
        first.split('.').next() == Some(number)
    });
    let function = |line: &'a str| {
        let (_, place) = line.split_once(" in ")?;
        place.rsplit_once(" at ").map(|(function, _)| function)
    };
    of_number.filter_map(function).collect()
}

/// Whether a function that the debugger names is the one of a name.
fn is_called(found: &str, name: &str) -> bool {
    let plain_name = plain(name);
    let found_name = plain(found.split('(').next().unwrap_or(found));
    found_name == plain_name || has_mangled(found, name)
}

/// Whether a linkage name has a name in it. The debugger shows linkage names that have
/// qualifiers of address spaces, as it can't read them.
fn has_mangled(text: &str, name: &str) -> bool {
    let name = name.split('<').next().unwrap_or(name);
    let part = format!("{}{name}", name.len());
    let mut words = text.split_whitespace();
    words.any(|word| word.starts_with("_Z") && word.contains(&part))
}

fn check_declared(
    answer: &str,
    name: &str,
    line: Option<u32>,
    ty: Option<&str>,
) -> Result<(), String> {
    let wanted = ty.map(plain);
    let mut lines = answer.lines();
    let is_right = lines.any(|found| {
        let (number, declaration) = found.split_once('\t').unwrap_or(("", found));
        let number = number.trim_end_matches(':').parse().ok();
        let Some(found) = declared(declaration, name) else {
            return false;
        };
        let is_type = wanted
            .as_ref()
            .is_none_or(|wanted| is_same_type(wanted, &found));
        is_type && (line.is_none() || line == number)
    });
    match is_right {
        true => Ok(()),
        false => Err(expected(
            &format!("{name} of line {line:?}, {wanted:?}"),
            answer,
        )),
    }
}

/// Whether a type is the expected one. The debugger takes parameters from variables, so it
/// leaves out those that have none.
fn is_same_type(wanted: &str, found: &str) -> bool {
    let (Some((result, wanted)), Some((same, found))) =
        (wanted.split_once('('), found.split_once('('))
    else {
        return wanted == found;
    };
    let parts = |list: &str| -> Vec<String> {
        let list = list.trim_end_matches(')');
        list.split(',')
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let mut wanted = parts(wanted).into_iter();
    let all_are_there = parts(found)
        .into_iter()
        .all(|found| wanted.any(|wanted| wanted == found));
    result == same && all_are_there
}

fn check_layout(ty: &Type, answer: &str) -> Result<(), String> {
    let layout = Layout::read(answer);
    let wanted_size = ty.size_bits.map(|bits| bits.div_ceil(8));
    if wanted_size.is_some() && layout.size != wanted_size {
        return Err(expected(
            &format!("a size of {wanted_size:?} bytes"),
            answer,
        ));
    }
    let default = match ty.kind.as_str() {
        "class" => "private",
        _ => "public",
    };
    for member in &ty.members {
        check_member(member, &layout, default).map_err(|wanted| expected(&wanted, answer))?;
    }
    let (_, bases) = layout.head.split_once(" : ").unwrap_or_default();
    let bases: Vec<String> = bases.trim_end_matches('{').split(", ").map(plain).collect();
    for base in &ty.bases {
        let name = plain(base.ty.as_deref().unwrap_or_default());
        let access = base.access.as_deref().unwrap_or(default);
        let wanted = format!("{access} {name}");
        if !bases.iter().any(|base| base.trim() == wanted) {
            return Err(expected(&format!("base {wanted}"), &layout.head));
        }
    }
    Ok(())
}

/// What a member should be, if it isn't.
fn check_member(member: &Member, layout: &Layout, default: &str) -> Result<(), String> {
    let wanted = member.ty.as_deref().map(plain);
    let Some((found, ty)) = layout.member(&member.name) else {
        return Err(format!("member {}", member.name));
    };
    if let Some(wanted) = wanted.filter(|wanted| *wanted != ty) {
        return Err(format!("{} of type {wanted}", member.name));
    }
    // A union has no column for offsets.
    let offset = found.offset.unwrap_or(0);
    if member.offset_bits.is_some_and(|bits| bits != offset) {
        return Err(format!("{} at bit {:?}", member.name, member.offset_bits));
    }
    let access = found.access.as_deref().unwrap_or(default);
    match member.access.as_deref().filter(|&wanted| wanted != access) {
        Some(wanted) => Err(format!("{} to be {wanted}", member.name)),
        None => Ok(()),
    }
}

fn same(found: &str, wanted: &str) -> Result<(), String> {
    match found == wanted {
        true => Ok(()),
        false => Err(expected(wanted, found)),
    }
}

fn expected(wanted: &str, found: &str) -> String {
    let found = match found.trim() {
        "" => "nothing",
        found => found,
    };
    format!("expected {wanted}, found {found}")
}
