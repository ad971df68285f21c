//! `spv specialize`: final values for specialization constants.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use serde_json::{Value, json};
use spirvkit::binary::Id;
use spirvkit::ir::Module;
use spirvkit::text::{IdNames, descriptions, write_number};
use spirvkit::transform::{Prune, SpecConstant, Specialization, prune, spec_constants, specialize};

use crate::arguments::{Changing, Telling, help::change_help};
use crate::change::constants::{bad_value, bits, find, number_type, setting};
use crate::exit::{Ending, UsageError};
use crate::input::load::Loaded;
use crate::report::{Format, Messages, Reporter, kinds};

/// Give specialization constants their final values
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    changing: Changing,

    /// Set a constant: CONSTANT is a SpecId, a name, or a result id as %ID or as `spv
    /// dis` shows it; VALUE is a number as in assembly text, true or false
    #[arg(long, value_name = "CONSTANT=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,

    /// Give a constant its default value
    #[arg(long, value_name = "CONSTANT")]
    freeze: Vec<String>,

    /// Give all other constants their default values
    #[arg(long)]
    all_defaults: bool,

    /// Replace computations in functions by their results if they use only constants
    #[arg(long)]
    fold: bool,

    /// Remove all unused types and constants, including those that were unused before
    #[arg(long)]
    prune: bool,

    /// Only list the constants of each module: SpecId, result id, type, default and name
    #[arg(long, conflicts_with_all = ["set", "freeze", "all_defaults", "fold", "prune", "output"])]
    list: bool,
}

const AFTER_HELP: &str = change_help!(
    "  spv specialize --list shader.spv
  spv specialize --set 0=64 --set use_fog=true shader.spv -o special.spv
  spv specialize --freeze 3 shader.spv -o partly.spv
  spv specialize --all-defaults --fold --prune shaders/ -o final/"
);

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    if arguments.list {
        return arguments.changing.show(|loaded, format| match format {
            Format::Human => list(&loaded.module),
            Format::Json => list_json(loaded),
        });
    }
    if arguments.asks_nothing() {
        return Err(UsageError(
            "nothing to do: give values with `--set`, or use defaults with `--freeze` or `--all-defaults`; `--list` \
             shows the constants"
                .into(),
        ));
    }
    let inputs = arguments.changing.inputs()?;
    let found = Found::new(arguments);
    let ending =
        arguments
            .changing
            .each_of(&inputs, &Telling::default(), |module, diagnostics| {
                found.modules.fetch_add(1, Ordering::Relaxed);
                let known = spec_constants(module);
                let mut missing = Vec::new();
                let mut wanted = Specialization::default();
                wanted.all_defaults = arguments.all_defaults;
                wanted.fold = arguments.fold;
                for (constant, value) in &arguments.set {
                    let meant = find(module, &known, constant, &mut missing);
                    found.count(constant, !meant.is_empty());
                    for found in meant {
                        match bits(module, found, value) {
                            Ok(bits) => wanted.values.push((found.id, bits)),
                            Err(message) => diagnostics.push(bad_value(constant, &message)),
                        }
                    }
                }
                for constant in &arguments.freeze {
                    let meant = find(module, &known, constant, &mut missing);
                    found.count(constant, !meant.is_empty());
                    wanted.freeze.extend(meant.iter().map(|found| found.id));
                }
                // Of several modules, not all need have a constant.
                if !inputs.many {
                    diagnostics.append(&mut missing);
                }
                if !diagnostics.is_empty() {
                    return;
                }
                match specialize(module, &wanted) {
                    Ok(done) => {
                        let warnings = done.warnings.iter().map(ToString::to_string);
                        diagnostics
                            .extend(warnings.map(|it| kinds::UNDEFINED_OPERATION.warning(it)));
                    }
                    Err(error) => diagnostics.push(bad_value("--set", &error.to_string())),
                }
                if arguments.prune {
                    prune(module, &Prune::default());
                }
            })?;
    match inputs.many {
        true => Ok(found.tell(arguments.changing.reporter()).worst(ending)),
        false => Ok(ending),
    }
}

impl Arguments {
    fn asks_nothing(&self) -> bool {
        let says = self.all_defaults || self.fold || self.prune;
        self.set.is_empty() && self.freeze.is_empty() && !says
    }
}

/// In how many of several modules the constants were found that options name.
struct Found<'a> {
    constants: Vec<(&'a str, AtomicUsize)>,
    modules: AtomicUsize,
}

impl<'a> Found<'a> {
    fn new(arguments: &'a Arguments) -> Self {
        let set = arguments.set.iter().map(|(constant, _)| constant);
        let all: BTreeSet<&str> = set.chain(&arguments.freeze).map(String::as_str).collect();
        Self {
            constants: all
                .into_iter()
                .map(|it| (it, AtomicUsize::new(0)))
                .collect(),
            modules: AtomicUsize::new(0),
        }
    }

    fn count(&self, constant: &str, is_there: bool) {
        let counted = self.constants.iter().find(|(known, _)| *known == constant);
        if let Some((_, count)) = counted.filter(|_| is_there) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Tells which constants some modules lack; those that all lack are errors.
    fn tell(&self, reporter: Reporter) -> Ending {
        let modules = self.modules.load(Ordering::Relaxed);
        let mut messages = Messages::new(reporter);
        for (constant, count) in &self.constants {
            match count.load(Ordering::Relaxed) {
                0 => {
                    let message = format!("no module has a specialization constant `{constant}`");
                    messages.add_about(&kinds::NO_CONSTANT.error(message), None);
                }
                count if count < modules && reporter.format == Format::Human => {
                    let note = format!("{count} of {modules} modules have a constant `{constant}`");
                    messages.add_note(&note);
                }
                _ => {}
            }
        }
        messages.print();
        Ending::unless(messages.failed())
    }
}

/// What there is to tell of a constant: its SpecId, its type, and its default.
fn listed(module: &Module) -> Vec<(SpecConstant, String, String)> {
    let constants = spec_constants(module);
    let words = module.store();
    let types: Vec<Id> = constants.iter().map(|constant| constant.ty).collect();
    let types = descriptions(&words, &types);
    let default = |constant: &SpecConstant| {
        let bits = constant.default.bits();
        let mut text = String::new();
        match number_type(module, constant) {
            Some(ty) => write_number(&mut text, ty, bits),
            None => text.push_str(if bits == 0 { "false" } else { "true" }),
        }
        text
    };
    let all = constants.into_iter().zip(types);
    all.map(|(constant, ty)| {
        let default = default(&constant);
        (constant, ty, default)
    })
    .collect()
}

/// A line for each constant.
fn list(module: &Module) -> String {
    let mut text = String::new();
    let words = module.store();
    let names = IdNames::new(&words);
    for (constant, ty, default) in listed(module) {
        let spec_id = constant
            .spec_id
            .map_or("-".to_owned(), |spec_id| spec_id.to_string());
        let id = names.show(constant.id);
        let name = constant.name.as_deref().unwrap_or("");
        let line = format!("{spec_id}\t{id}\t{ty}\t{default}\t{name}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// One object for all of them.
fn list_json(loaded: &Loaded) -> String {
    let object = |(constant, ty, default): (SpecConstant, String, String)| {
        json!({
            "spec_id": constant.spec_id,
            "id": constant.id.0,
            "name": constant.name,
            "type": ty,
            "default": default,
        })
    };
    let all: Vec<Value> = listed(&loaded.module).into_iter().map(object).collect();
    format!("{}\n", json!({"file": loaded.name, "constants": all}))
}
