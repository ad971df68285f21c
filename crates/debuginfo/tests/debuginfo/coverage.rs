//! What can be done with each instruction of each set, tried, and shown as a table in
//! docs/debuginfo.md.
//!
//! With `SPIRVKIT_WRITE_DOCS=1` the table is written; otherwise it has to be right.

use std::fmt::Write as _;
use std::path::Path;

use crate::common::{SAMPLES, Sample};
use spirvkit_binary::Id;
use spirvkit_debuginfo::{DebugInfo, Entry, Kind, remove};
use spirvkit_text::{DisassembleOptions, disassemble};

const BEGIN: &str = "<!-- begin of the table -->\n";
const END: &str = "<!-- end of the table -->";

fn is_valid(words: &[u32]) -> bool {
    spirvkit_validate::validate(words, &Default::default()).is_valid()
}

/// Wrong things to put in the place of an operand: a type, a text, a number, debugging
/// instructions. They are defined before nearly everything else, so that what is wrong is
/// not the order.
fn wrong(sample: &Sample) -> [u32; 5] {
    ["void", "s_x", "bits4", "unit", "d_int"].map(|name| sample.id(name).0)
}

/// How often the validator tells of a module, as errors or warnings.
fn reported(words: &[u32]) -> usize {
    let report = spirvkit_validate::validate(words, &Default::default());
    report.diagnostics().len()
}

/// How many operands the validator refuses to be something else, of how many it only warns
/// then, and how many there are: ids, and literals of enumerations.
fn noticed(sample: &Sample, entry: Entry<'_>) -> [usize; 3] {
    let before = entry.instruction().words().len() - entry.operand_words().len();
    let [mut refused, mut warned, mut all] = [0; 3];
    let usual = reported(&sample.words);
    for (index, slot) in entry.slots().iter().enumerate() {
        if index >= entry.operand_words().len() || slot.is_literal() && slot.values().is_none() {
            continue;
        }
        all += 1;
        let place = entry.offset().0 + before + index;
        let replacements = match slot.is_literal() {
            true => vec![0x7fff_fff0],
            false => wrong(sample).to_vec(),
        };
        let changed = |word: u32| {
            let mut words = sample.words.clone();
            words[place] = word;
            words
        };
        let is_refused = |&word: &u32| !is_valid(&changed(word));
        let is_noticed = |&word: &u32| reported(&changed(word)) > usual;
        if replacements.iter().any(is_refused) {
            refused += 1;
        } else if replacements.iter().any(is_noticed) {
            warned += 1;
        }
    }
    [refused, warned, all]
}

/// Whether the module is still valid without the instruction.
fn can_be_removed(sample: &Sample, id: Id) -> bool {
    let mut module = spirvkit_ir::Module::load(&sample.words).expect("a module");
    remove(&mut module, id).expect("a debugging instruction");
    let words = module.store();
    let without = DebugInfo::read(&words).expect("a header");
    is_valid(&words) && without.entry(id).is_none()
}

fn cell(sample: &Sample, info: &DebugInfo<'_>, kind: Kind) -> String {
    let mut most = [0; 3];
    for entry in info.of_kind(kind) {
        let shown: usize = entry.fields_text().map(|(_, values)| values.len()).sum();
        assert_eq!(
            shown,
            entry.operand_words().len(),
            "{entry:?}: all operands are read"
        );
        assert!(!entry.summary().is_empty());
        // What stands for removed things is there as long as it does.
        if kind != Kind::InfoNone {
            assert!(can_be_removed(sample, entry.id()), "{entry:?}");
        }
        most = most.max(noticed(sample, entry));
    }
    assert!(info.of_kind(kind).next().is_some(), "{kind:?}");
    match most {
        [refused, 0, all] => format!("{refused} of {all}"),
        [refused, warned, all] => format!("{refused} + {warned} of {all}"),
    }
}

fn table() -> String {
    let samples = SAMPLES.map(|(set, text)| (set, Sample::new(text)));
    for (set, sample) in &samples {
        assert!(is_valid(&sample.words), "{set}");
        let raw = DisassembleOptions::default().friendly_names(false);
        let text = disassemble(&sample.words, &raw).expect("no errors").text;
        assert_eq!(spirvkit_testing::words(&text), sample.words, "{set}");
    }
    let mut out = String::from("| instruction |");
    for (set, _) in &samples {
        let _ = write!(out, " {set} |");
    }
    out.push_str("\n|---|---|---|---|\n");
    for &kind in Kind::ALL {
        let _ = write!(out, "| {} |", kind.name());
        for (set, sample) in &samples {
            let cell = match set.fields(kind) {
                Some(_) => cell(sample, &sample.info(), kind),
                None => "–".to_owned(),
            };
            let _ = write!(out, " {cell} |");
        }
        out.push('\n');
    }
    out
}

#[test]
fn the_documents_table_is_right() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/debuginfo.md");
    let document = std::fs::read_to_string(&path).expect("the document");
    let (before, rest) = document.split_once(BEGIN).expect("a place for the table");
    let (committed, after) = rest.split_once(END).expect("an end of the table");
    let table = table();
    if std::env::var_os("SPIRVKIT_WRITE_DOCS").is_some() {
        let text = format!("{before}{BEGIN}{table}{END}{after}");
        std::fs::write(&path, text).expect("the document is written");
        return;
    }
    assert_eq!(committed, table, "write it with SPIRVKIT_WRITE_DOCS=1");
}
