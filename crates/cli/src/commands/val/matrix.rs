//! Which of several devices take a module, and what the others lack.

use std::fmt::Write as _;

use serde::Serialize;
use spirvkit::validate::device_needs;
use spirvkit::vulkan::{Device, Need};
use spirvkit::{AssembleOptions, PipelineStage, ValidateOptions, assemble};

/// A device, and what it lacks.
#[derive(Serialize)]
pub(super) struct Row {
    name: String,
    accepted: bool,
    lacks: Vec<Lack>,
}

/// What a device lacks.
#[derive(Clone, PartialEq, Serialize)]
struct Lack {
    /// What has the need.
    what: String,
    /// What it needs.
    needs: String,
    vuid: Option<&'static str>,
    /// Where: the offset in bytes.
    byte: u64,
}

/// The rows for a module; none if there is at most one device, of which errors say everything.
pub(super) fn of(words: &[u32], devices: &[Device]) -> Vec<Row> {
    // To index the module again takes its time, and most often nobody asks for that.
    if devices.len() < 2 {
        return Vec::new();
    }
    let Ok(needs) = device_needs(words) else {
        return Vec::new();
    };
    rows(&needs, devices)
}

/// The same for stages of one file.
pub(super) fn of_stages<'s>(
    stages: impl Iterator<Item = &'s PipelineStage>,
    devices: &[Device],
) -> Vec<Row> {
    if devices.len() < 2 {
        return Vec::new();
    }
    let needs = stages.filter_map(|stage| stage.device_needs().ok());
    let mut needs: Vec<Need> = needs.flatten().collect();
    // What several stages need stands side by side then.
    needs.sort_by(|a, b| (a.offset, &a.what).cmp(&(b.offset, &b.what)));
    rows(&needs, devices)
}

fn rows(needs: &[Need], devices: &[Device]) -> Vec<Row> {
    devices.iter().map(|device| row(device, needs)).collect()
}

/// The same for assembly text.
pub(super) fn of_text(text: &str, devices: &[Device], options: &ValidateOptions) -> Vec<Row> {
    if devices.len() < 2 {
        return Vec::new();
    }
    let assembling = AssembleOptions::default().default_version(options.env.version());
    match assemble(text, &assembling) {
        Ok(module) => of(&module.words, devices),
        Err(_) => Vec::new(),
    }
}

fn row(device: &Device, needs: &[Need]) -> Row {
    let unmet = needs.iter().filter(|need| !need.is_met_by(device));
    let mut lacks: Vec<Lack> = unmet
        .map(|need| Lack {
            what: need.what.clone(),
            needs: need.wanted.to_string(),
            vuid: Some(need.vuid).filter(|vuid| !vuid.is_empty()),
            byte: u64::from(need.offset) * 4,
        })
        .collect();
    lacks.dedup_by(|a, b| (&a.what, &a.needs) == (&b.what, &b.needs));
    Row {
        name: device.name().to_owned(),
        accepted: lacks.is_empty(),
        lacks,
    }
}

/// The rows for people: a line for each device, and one for each thing that it lacks.
pub(super) fn table(file: &str, rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut text = format!("{file}\n");
    let width = rows.iter().map(|row| row.name.chars().count()).max();
    let width = width.unwrap_or(0);
    for row in rows {
        let verdict = match row.accepted {
            true => "yes",
            false => "no",
        };
        let _ = writeln!(text, "  {:width$}  {verdict}", row.name);
        for lack in &row.lacks {
            let _ = writeln!(text, "      {} needs {}", lack.what, lack.needs);
        }
    }
    text
}

/// The rows for programs.
pub(super) fn json(rows: &[Row]) -> String {
    serde_json::to_string(rows).unwrap_or_else(|_| String::from("[]"))
}
