//! Reflection against the descriptions, in YAML, that lie beside modules.

mod descriptions;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::Value;
use spirvkit::binary::Id;
use spirvkit::grammar::Op;
use spirvkit::ir::Module;
use spirvkit::reflect::{Reflection, reflect};
use spirvkit::transform::{Strip, strip};

use super::corpus::{collect, load};
use crate::Outcome;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A folder of modules, searched recursively; those with a `.yaml` beside them are
    /// compared with it, all are reflected.
    folder: PathBuf,
    /// How many modules may fail, because they can't be read.
    #[arg(long, default_value_t = 0)]
    unreadable: usize,
    /// Show all disagreements of this kind, instead of a few of each.
    #[arg(long)]
    show: Option<String>,
}

/// How many descriptions there are for which [`KNOWN`] has the counts.
const DESCRIBED: usize = 87;

/// What of a disagreement is known.
struct Known {
    kind: &'static str,
    /// How many there are.
    count: usize,
    reason: &'static str,
}

/// Disagreements that are meant, with the reason.
const KNOWN: &[Known] = &[
    Known {
        kind: "descriptor kind",
        count: 1,
        reason: "images with weights have a kind of their own (SPV_QCOM_image_processing)",
    },
    Known {
        kind: "interface member built-in, arrays of blocks",
        count: 4,
        reason: "theirs leaves the members of arrays of blocks empty (3.20, BuiltIn)",
    },
    Known {
        kind: "interface member location",
        count: 7,
        reason: "members are counted from the location of the whole (Vulkan, Location and \
                 Component Assignment)",
    },
    Known {
        kind: "arrays of pointers",
        count: 4,
        reason: "theirs leaves out that these are arrays (3.32.6, OpTypeArray)",
    },
    Known {
        kind: "array length, by operations",
        count: 66,
        reason: "theirs gives the opcode of the operation for its value, by which it works out \
                 sizes (3.32.7, OpSpecConstantOp)",
    },
    Known {
        kind: "descriptor access, arrays",
        count: 1,
        reason: "theirs looks at the members of single blocks, not of those in arrays (3.20, \
                 NonWritable)",
    },
    Known {
        kind: "member padded size, push constants",
        count: 1,
        reason: "theirs counts no gap in front of a structure that is packed (3.20, Offset)",
    },
    Known {
        kind: "members without Offset",
        count: 1,
        reason: "theirs lays out what is not decorated (2.16.2)",
    },
    Known {
        kind: "member padded size, storage buffers",
        count: 7,
        reason: "theirs counts no gaps in storage buffers, whatever Offset says (3.20, Offset)",
    },
    Known {
        kind: "member padded size, behind pointers",
        count: 12,
        reason: "theirs rounds to 16 bytes, or counts no gaps, depending on where the pointer \
                 is; nothing asks for it there (3.20, Offset)",
    },
    Known {
        kind: "member size, behind pointers",
        count: 1,
        reason: "theirs rounds structures to 16 bytes (3.20, Offset)",
    },
];

/// A disagreement: its kind, where it is, what they say and what we say.
struct Disagreement {
    kind: &'static str,
    place: String,
    theirs: String,
    ours: String,
}

/// A comparison of a module with its description.
#[derive(Default)]
struct Comparison {
    /// The opcodes of operations on specialization constants.
    operations: BTreeMap<Id, u32>,
    compared: BTreeMap<&'static str, usize>,
    disagreements: Vec<Disagreement>,
}

impl Comparison {
    fn check(
        &mut self,
        kind: &'static str,
        place: &str,
        theirs: impl ToString,
        ours: impl ToString,
    ) {
        *self.compared.entry(kind).or_default() += 1;
        let (theirs, ours) = (theirs.to_string(), ours.to_string());
        if theirs != ours {
            self.disagreements.push(Disagreement {
                kind,
                place: place.to_owned(),
                theirs,
                ours,
            });
        }
    }
}

/// Compares every module with its description.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    let mut files = Vec::new();
    collect(&arguments.folder, &mut files)?;
    files.sort();
    let results: Vec<Result<Option<Comparison>, String>> =
        files.par_iter().map(|file| examine(file)).collect();
    let mut failed = 0usize;
    let mut all = Comparison::default();
    let mut described = 0;
    for (file, result) in files.iter().zip(results) {
        let comparison = match result {
            Ok(Some(comparison)) => comparison,
            Ok(None) => continue,
            Err(error) => {
                println!("{}: {error}", file.display());
                failed += 1;
                continue;
            }
        };
        described += 1;
        for (kind, count) in comparison.compared {
            *all.compared.entry(kind).or_default() += count;
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        all.disagreements.extend(
            comparison
                .disagreements
                .into_iter()
                .map(|found| Disagreement {
                    place: format!("{name}: {}", found.place),
                    ..found
                }),
        );
    }
    println!("{} modules reflected, {described} compared", files.len());
    let mut unexplained = 0;
    for (kind, count) in &all.compared {
        let found = all.disagreements.iter().filter(|found| found.kind == *kind);
        let found: Vec<_> = found.collect();
        let known = KNOWN.iter().find(|known| known.kind == *kind);
        println!("{kind}: {count} compared, {} differ", found.len());
        match known {
            // Of other descriptions, nobody has counted them.
            Some(known) if described == DESCRIBED && found.len() != known.count => {
                println!("  there should be {}: {}", known.count, known.reason);
                unexplained += found.len().abs_diff(known.count);
            }
            Some(known) if !found.is_empty() => println!("  meant: {}", known.reason),
            Some(_) => {}
            None => unexplained += found.len(),
        }
        let show = match &arguments.show {
            Some(wanted) if wanted == kind => usize::MAX,
            Some(_) => 0,
            None => 4,
        };
        for found in found.iter().take(show) {
            println!(
                "  {}: theirs {}, ours {}",
                found.place, found.theirs, found.ours
            );
        }
    }
    // Those of the corpus that are malformed on purpose.
    println!("{failed} failed");
    match unexplained + failed.saturating_sub(arguments.unreadable) {
        0 => Ok(()),
        _ => Err(format!("{unexplained} unexplained disagreements, {failed} failures").into()),
    }
}

/// Checks that nothing is unknown that the specification defines: numbers without a
/// name, types without a form, sizes that are unknown. What a kernel's source says
/// of its arguments, a module may leave out.
fn check_known(value: &Value, place: &str) -> Result<(), String> {
    match value {
        Value::String(text) => {
            let number = text
                .strip_suffix(')')
                .and_then(|text| text.rsplit_once('('));
            let is_number = number.is_some_and(|(_, digits)| digits.parse::<u32>().is_ok());
            let is_name = place.ends_with("name") || place.ends_with("semantic");
            // A spelling has the ids of what it couldn't spell.
            let is_unspelled = place.ends_with("spelling") && text.contains("<%");
            match !is_name && (text == "unknown" || is_number || is_unspelled) {
                true => Err(format!("{place} is {text}")),
                false => Ok(()),
            }
        }
        Value::Array(list) => (0..)
            .zip(list)
            .try_for_each(|(index, value)| check_known(value, &format!("{place}[{index}]"))),
        Value::Object(map) => map
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "kernels" | "statistics"))
            .try_for_each(|(key, value)| check_known(value, &format!("{place}.{key}"))),
        _ => Ok(()),
    }
}

/// Takes out what names and their instructions bring.
fn forget_names(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(forget_names),
        Value::Object(map) => {
            for key in ["spelling", "statistics"] {
                map.remove(key);
            }
            // Entry points and registered tools have theirs for good.
            if map.contains_key("id") || map.contains_key("offset") || map.contains_key("index") {
                map.remove("name");
            }
            map.values_mut().for_each(forget_names);
        }
        _ => {}
    }
}

/// Checks that a module without names gives the same but for names.
fn check_stripped(words: &[u32], ours: &Reflection) -> Result<(), String> {
    let mut module = Module::load(words).map_err(|error| error.to_string())?;
    let names = Strip::default().names(true);
    strip(&mut module, &names);
    let stripped = reflect(&module.store()).map_err(|error| error.to_string())?;
    let bare = |reflection: &Reflection| {
        let mut value = serde_json::to_value(reflection).map_err(|error| error.to_string())?;
        forget_names(&mut value);
        Ok::<Value, String>(value)
    };
    match bare(ours)? == bare(&stripped)? {
        true => Ok(()),
        false => Err("without names, the reflection is another".into()),
    }
}

/// Reflects a module, and compares it with its description if there is one.
fn examine(file: &Path) -> Result<Option<Comparison>, String> {
    let (words, _) = spirvkit::words_from_bytes(&load(file)?).map_err(|error| error.to_string())?;
    let ours = reflect(&words).map_err(|error| error.to_string())?;
    let value = serde_json::to_value(&ours).map_err(|error| error.to_string())?;
    check_known(&value, "")?;
    check_stripped(&words, &ours)?;
    let mut description = file.as_os_str().to_owned();
    description.push(".yaml");
    let Ok(text) = fs::read_to_string(&description) else {
        return Ok(None);
    };
    // Types are spelled out at each of their uses; they aren't compared as such.
    let is_wanted = |line: &&str| !line.trim_start().starts_with("type_description:");
    let text: Vec<&str> = text.lines().filter(is_wanted).collect();
    let theirs: Value =
        yaml_serde::from_str(&text.join("\n")).map_err(|error| error.to_string())?;
    let mut comparison = Comparison {
        operations: operations(&words)?,
        ..Comparison::default()
    };
    descriptions::compare(&theirs, &ours, &mut comparison);
    Ok(Some(comparison))
}

/// The opcodes of a module's operations on specialization constants.
fn operations(words: &[u32]) -> Result<BTreeMap<Id, u32>, String> {
    let module = spirvkit::binary::Module::new(words).map_err(|error| error.to_string())?;
    let instructions = module.instructions().filter_map(Result::ok);
    let operations = instructions.filter(|instruction| instruction.op() == Op::SpecConstantOp);
    let opcodes = operations.filter_map(|it| Some((it.result()?, *it.words().get(3)?)));
    Ok(opcodes.collect())
}
