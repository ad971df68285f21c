//! `cargo xtask opcodes`: the table in `docs/execution.md` of which instructions run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use spirvkit::grammar::{Class, ExtInstSet, InstructionInfo, Op};
use spirvkit::interp::{Support, support, support_of};

use crate::Outcome;

/// The page, from the root of the repository, and what stands around the tables in it.
const PAGE: &str = "docs/execution.md";
const BEGIN: &str = "<!-- What `cargo xtask opcodes` writes begins here. -->\n";
const END: &str = "<!-- What `cargo xtask opcodes` writes ends here. -->\n";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only check that the table is up to date.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(PAGE);
    let page = fs::read_to_string(&path)?;
    let (before, rest) = page
        .split_once(BEGIN)
        .ok_or("the tables' begin is missing")?;
    let (_, after) = rest.split_once(END).ok_or("the tables' end is missing")?;
    let new = format!("{before}{BEGIN}\n{}\n{END}{after}", tables());
    if !arguments.check {
        fs::write(path, new)?;
    } else if page != new {
        return Err(format!("{PAGE} is out of date: run `cargo xtask opcodes`").into());
    }
    Ok(())
}

/// The names of instructions that run, that are refused, and that other stages have.
#[derive(Default)]
struct Names([Vec<&'static str>; 3]);

impl Names {
    fn add(&mut self, info: &'static InstructionInfo, support: Support) {
        let column = match support {
            Support::Runs => 0,
            Support::Refused => 1,
            _ => 2,
        };
        self.0[column].push(info.name());
    }

    fn row(&self, what: &str, to: &mut String) {
        let all: usize = self.0.iter().map(Vec::len).sum();
        let columns = self.0.each_ref().map(|names| match names.len() {
            count if count == all => String::from("all"),
            _ => names.join(" "),
        });
        let _ = writeln!(to, "| {what} | {} |", columns.join(" | "));
    }
}

const HEAD: &str = "runs | refused | of other stages |\n|---|---|---|---|\n";

fn tables() -> String {
    let mut classes: BTreeMap<Class, Names> = BTreeMap::new();
    for info in Op::all() {
        let names = classes.entry(info.class()).or_default();
        names.add(info, support(Op(info.number() as u16)));
    }
    let mut text = format!("| core instructions | {HEAD}");
    for (class, names) in &classes {
        names.row(&spaced(class), &mut text);
    }
    let _ = write!(text, "\n| extended set | {HEAD}");
    for set in ExtInstSet::all() {
        let mut names = Names::default();
        for info in set.instructions() {
            names.add(info, support_of(set, info.number()));
        }
        names.row(&format!("`{}`", set.import_name()), &mut text);
    }
    text
}

/// The name of a class in words.
fn spaced(class: &Class) -> String {
    let name = format!("{class:?}");
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}
