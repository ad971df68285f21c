//! Measures how fast shaders run, and prints that section of the report.

#[path = "mod.rs"]
mod execution;

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().map(PathBuf::from);
    let folder = folder.ok_or("usage: execution FOLDER [ROUNDS [NAME]]")?;
    let rounds = arguments.next().map_or(Ok(5), |rounds| rounds.parse())?;
    let only = arguments.next().unwrap_or_default();
    print!("{}", execution::section(&folder, rounds, &only)?);
    Ok(())
}
