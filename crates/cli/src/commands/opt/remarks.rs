//! What was done and what was not.

use serde_json::{Value, json};
use spirvkit::opt::Remark;
use spirvkit::text::IdNames;

use crate::report::{Format, Messages};

/// Tells remarks about a module.
pub(super) fn tell(name: &str, words: &[u32], remarks: &[Remark], messages: &mut Messages) {
    if remarks.is_empty() {
        return;
    }
    let names = IdNames::new(words);
    for remark in remarks {
        let id = remark.id.map(|id| names.show(id));
        let function = remark.function.map(|id| names.show(id));
        let line = match messages.reporter().format {
            Format::Human => human(name, remark, id.as_deref(), function.as_deref()),
            Format::Json => json_line(name, remark, id.as_deref(), function.as_deref()),
        };
        messages.add_line(&line);
    }
}

fn human(file: &str, remark: &Remark, id: Option<&str>, function: Option<&str>) -> String {
    let place = match &remark.line {
        Some(line) => format!("{line}: "),
        None => format!("{file}: "),
    };
    let is_done = match remark.done {
        true => "",
        false => "not ",
    };
    let subject = remark.subject.name();
    let about = id.map_or_else(String::new, |id| format!(" {id}"));
    let within = function.map_or_else(String::new, |id| format!(" (in {id})"));
    format!("{place}{subject}{about}: {is_done}{}{within}", remark.what)
}

fn json_line(file: &str, remark: &Remark, id: Option<&str>, function: Option<&str>) -> String {
    let line = remark.line.as_ref();
    let line: Option<Value> =
        line.map(|it| json!({"file": it.file, "line": it.line, "column": it.column}));
    let object = json!({
        "file": file,
        "remark": remark.what,
        "subject": remark.subject.name(),
        "done": remark.done,
        "id": remark.id.map(|id| id.0),
        "name": id,
        "function": function,
        "source": line,
    });
    object.to_string()
}
