//! What was compared, and the greatest errors.

use std::collections::BTreeMap;

use spirvkit_binary::FloatFormat;
use spirvkit_grammar::ExtInstSet;

use crate::functions::Instruction;

/// The greatest errors of instructions, and of how many results.
pub(crate) struct Report {
    rows: BTreeMap<(&'static str, u32, &'static str), (u64, f64)>,
}

impl Report {
    pub(crate) fn new() -> Self {
        Self {
            rows: BTreeMap::new(),
        }
    }

    /// Counts a result with its error in units of the last place.
    pub(crate) fn add(&mut self, instruction: Instruction, format: FloatFormat, error: f64) {
        let ty = match format {
            FloatFormat::Half => "f16",
            FloatFormat::Single => "f32",
            _ => "f64",
        };
        self.count(instruction, ty, error);
    }

    /// Counts a result that is an integer, and exact.
    pub(crate) fn add_integer(&mut self, instruction: Instruction, width: u32) {
        let ty = match width {
            8 => "i8",
            16 => "i16",
            32 => "i32",
            _ => "i64",
        };
        self.count(instruction, ty, 0.0);
    }

    fn count(&mut self, instruction: Instruction, ty: &'static str, error: f64) {
        let (set, number) = match instruction {
            Instruction::Glsl(it) => ("GLSL.std.450", it.0),
            Instruction::OpenCl(it) => ("OpenCL.std", it.0),
        };
        let row = self.rows.entry((set, number, ty)).or_insert((0, 0.0));
        row.0 += 1;
        row.1 = row.1.max(error);
    }

    /// Writes a line for each instruction and type, which `cargo xtask conformance precision`
    /// reads.
    pub(crate) fn print(&self) {
        for ((set, number, ty), (count, error)) in &self.rows {
            let known = match *set {
                "OpenCL.std" => ExtInstSet::OpenClStd,
                _ => ExtInstSet::GlslStd450,
            };
            let name = known.instruction(*number).map_or("?", |it| it.name());
            println!("precision: {set} {number} {name} {ty} {count} {error:.4}");
        }
    }
}
