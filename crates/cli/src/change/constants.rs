//! The specialization constants that users mean, and the values that they give them.

use spirvkit::Diagnostic;
use spirvkit::binary::{Id, NumberType};
use spirvkit::eval::ScalarType;
use spirvkit::ir::Module;
use spirvkit::text::{IdNames, parse_number};
use spirvkit::transform::SpecConstant;

use crate::report::kinds;

/// `CONSTANT=VALUE`.
pub(crate) fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((constant, value)) => Ok((constant.to_owned(), value.to_owned())),
        None => Err("it must have the form CONSTANT=VALUE".to_owned()),
    }
}

/// The constants that an argument means: several may have one `SpecId` or name.
pub(crate) fn find<'c>(
    module: &Module,
    known: &'c [SpecConstant],
    constant: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<&'c SpecConstant> {
    let found: Vec<_> = match constant.parse() {
        Ok(spec_id) => {
            let has_it = |it: &&SpecConstant| it.spec_id == Some(spec_id);
            known.iter().filter(has_it).collect()
        }
        Err(_) => {
            let words = module.store();
            let is_one = |id| known.iter().any(|it| it.id == id);
            let meant = IdNames::new(&words).find(constant, is_one);
            let meant: Vec<Id> = match meant.exact {
                Some(id) if constant.starts_with('%') => vec![id],
                _ => meant.all().collect(),
            };
            known.iter().filter(|it| meant.contains(&it.id)).collect()
        }
    };
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

pub(crate) fn bad_value(constant: &str, message: &str) -> Diagnostic {
    kinds::BAD_CONSTANT_VALUE.error(format!("`{constant}`: {message}"))
}

/// The bits of a value of the constant's type.
pub(crate) fn bits(module: &Module, constant: &SpecConstant, value: &str) -> Result<u64, String> {
    if constant.default.ty() == ScalarType::Bool {
        return match value {
            "true" => Ok(1),
            "false" => Ok(0),
            // An API gives numbers, too.
            _ => value
                .parse::<u32>()
                .map(u64::from)
                .map_err(|_| format!("`{value}` is not true, false or a number")),
        };
    }
    let Some(ty) = number_type(module, constant) else {
        return Err("its type is unknown".to_owned());
    };
    parse_number(value, ty).map_err(|error| format!("`{value}` can't be its value: {error}"))
}

pub(crate) fn number_type(module: &Module, constant: &SpecConstant) -> Option<NumberType> {
    module.definitions().number_type(constant.ty)
}
