//! `spv specialize`: final values for specialization constants.

use clap::Args;
use spirvkit::Diagnostic;
use spirvkit::binary::{Id, NumberType};
use spirvkit::ir::Module;
use spirvkit::text::{parse_number, write_number};
use spirvkit::transform::fold::ScalarType;
use spirvkit::transform::{Prune, SpecConstant, Specialization, prune, spec_constants, specialize};

use crate::change::Changing;
use crate::change_help;
use crate::exit::{Ending, UsageError};
use crate::kinds;

/// Give specialization constants their final values
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    changing: Changing,

    /// Give a constant a value: CONSTANT is a SpecId, a name, or a result id as %ID;
    /// VALUE a number as in assembly text, or true or false
    #[arg(long, value_name = "CONSTANT=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,

    /// Give a constant its default value
    #[arg(long, value_name = "CONSTANT")]
    freeze: Vec<String>,

    /// Give all constants that are left their default values
    #[arg(long)]
    all_defaults: bool,

    /// Replace what functions compute with constants alone by what it gives
    #[arg(long)]
    fold: bool,

    /// Remove types and constants that nothing uses, whether before or because of this
    #[arg(long)]
    prune: bool,

    /// Show the constants of each module instead: SpecId, result id, type, default and
    /// name
    #[arg(long, conflicts_with_all = ["set", "freeze", "all_defaults", "fold", "prune", "output"])]
    list: bool,
}

const AFTER_HELP: &str = change_help!(
    "  spv specialize --list shader.spv
  spv specialize --set 0=64 --set use_fog=true shader.spv -o special.spv
  spv specialize --freeze 3 shader.spv -o partly.spv
  spv specialize --all-defaults --fold --prune shaders/ -o final/"
);

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((constant, value)) => Ok((constant.to_owned(), value.to_owned())),
        None => Err("it must be CONSTANT=VALUE".to_owned()),
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    if arguments.list {
        return arguments.changing.show(list);
    }
    arguments.changing.each(|module, diagnostics| {
        let known = spec_constants(module);
        let mut wanted = Specialization::default();
        wanted.all_defaults = arguments.all_defaults;
        wanted.fold = arguments.fold;
        for (constant, value) in &arguments.set {
            for found in find(&known, constant, diagnostics) {
                match bits(module, found, value) {
                    Ok(bits) => wanted.values.push((found.id, bits)),
                    Err(message) => diagnostics.push(bad_value(constant, &message)),
                }
            }
        }
        for constant in &arguments.freeze {
            let found = find(&known, constant, diagnostics);
            wanted.freeze.extend(found.iter().map(|found| found.id));
        }
        if !diagnostics.is_empty() {
            return;
        }
        match specialize(module, &wanted) {
            Ok(done) => {
                let warnings = done.warnings.iter().map(ToString::to_string);
                diagnostics.extend(warnings.map(|it| kinds::UNDEFINED_OPERATION.warning(it)));
            }
            Err(error) => diagnostics.push(bad_value("--set", &error.to_string())),
        }
        if arguments.prune {
            prune(module, &Prune::default());
        }
    })
}

/// The constants that an argument means: several may have one `SpecId`.
fn find<'c>(
    known: &'c [SpecConstant],
    constant: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<&'c SpecConstant> {
    let is_it = |found: &&SpecConstant| {
        if let Ok(spec_id) = constant.parse() {
            return found.spec_id == Some(spec_id);
        }
        let name = constant.strip_prefix('%').unwrap_or(constant);
        match name.parse() {
            Ok(id) => found.id == Id(id),
            Err(_) => found.name.as_deref() == Some(name),
        }
    };
    let found: Vec<_> = known.iter().filter(is_it).collect();
    if found.is_empty() {
        let all: Vec<_> = known.iter().map(describe).collect();
        let there = match all.as_slice() {
            [] => "it has none".to_owned(),
            _ => format!("it has {}", all.join(", ")),
        };
        let message = format!("the module has no specialization constant `{constant}`; {there}");
        diagnostics.push(kinds::NO_CONSTANT.error(message));
    }
    found
}

/// How a user names a constant.
fn describe(constant: &SpecConstant) -> String {
    match (constant.spec_id, &constant.name) {
        (Some(spec_id), Some(name)) => format!("{spec_id} ({name})"),
        (Some(spec_id), None) => spec_id.to_string(),
        (None, Some(name)) => name.clone(),
        (None, None) => constant.id.to_string(),
    }
}

fn bad_value(constant: &str, message: &str) -> Diagnostic {
    kinds::BAD_CONSTANT_VALUE.error(format!("`{constant}`: {message}"))
}

/// The bits of a value of the constant's type.
fn bits(module: &Module, constant: &SpecConstant, value: &str) -> Result<u64, String> {
    if constant.default.ty() == ScalarType::Bool {
        return match value {
            "true" => Ok(1),
            "false" => Ok(0),
            // An API gives numbers, too.
            _ => value
                .parse::<u32>()
                .map(u64::from)
                .map_err(|_| format!("`{value}` is none of true, false, and a number")),
        };
    }
    let Some(ty) = number_type(module, constant) else {
        return Err("its type is unknown".to_owned());
    };
    parse_number(value, ty).map_err(|error| format!("`{value}` can't be its value: {error}"))
}

fn number_type(module: &Module, constant: &SpecConstant) -> Option<NumberType> {
    module.definitions().number_type(constant.ty)
}

/// A line for each constant.
fn list(module: &Module) -> String {
    let mut text = String::new();
    for constant in spec_constants(module) {
        let spec_id = constant
            .spec_id
            .map_or("-".to_owned(), |spec_id| spec_id.to_string());
        let mut default = String::new();
        match number_type(module, &constant) {
            Some(ty) => write_number(&mut default, ty, constant.default.bits()),
            None => default.push_str(match constant.default.bits() {
                0 => "false",
                _ => "true",
            }),
        }
        let ty = constant.default.ty();
        let name = constant.name.as_deref().unwrap_or("");
        let line = format!("{spec_id}\t{}\t{ty}\t{default}\t{name}", constant.id);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
