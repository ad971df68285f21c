//! The kinds of disagreement, and a small module of each.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use spirvkit::{DisassembleOptions, Endianness, bytes_from_words, disassemble};

use crate::reduce::reduce;
use crate::verdicts::Validators;

/// How often each kind of disagreement was seen, and the smallest module of it.
#[derive(Default)]
pub(crate) struct Findings {
    kinds: BTreeMap<String, (usize, Vec<u32>)>,
}

impl Findings {
    /// Takes down a module on which the verdicts differ.
    pub(crate) fn note(&mut self, kind: String, words: &[u32]) {
        let (count, smallest) = self.kinds.entry(kind).or_default();
        *count += 1;
        if smallest.is_empty() || words.len() < smallest.len() {
            *smallest = words.to_vec();
        }
    }

    /// Prints the kinds, the commonest first, with what was said to a module that
    /// is as small as it gets, and writes these modules and their texts to a
    /// folder.
    pub(crate) fn report(
        &self,
        checks: &mut Validators,
        folder: Option<&Path>,
    ) -> Result<(), Box<dyn Error>> {
        let mut kinds: Vec<_> = self.kinds.iter().collect();
        kinds.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        let total: usize = kinds.iter().map(|(_, (count, _))| count).sum();
        println!("{total} disagreements of {} kinds", kinds.len());
        if let Some(folder) = folder {
            fs::create_dir_all(folder)?;
        }
        for (kind, (count, words)) in kinds {
            let is_kept = |words: &[u32]| {
                let found = checks.check(words)?.disagreement();
                Ok(found.as_ref() == Some(kind))
            };
            let words = match &**kind {
                // Each try takes as long as what is looked for.
                "slow" => words.clone(),
                kind if kind.starts_with("reference-") => words.clone(),
                _ => reduce(words, is_kept)?,
            };
            let said = checks.check(&words)?.text();
            println!("\n{count:8} {kind}\n{said}");
            let Some(folder) = folder else { continue };
            let bytes = bytes_from_words(&words, Endianness::Little);
            fs::write(folder.join(format!("{kind}.spv")), bytes)?;
            let options = DisassembleOptions::default()
                .lenient(true)
                .friendly_names(false);
            let text = match disassemble(&words, &options) {
                Ok(module) => module.text,
                Err(_) => "(not a module)".to_owned(),
            };
            fs::write(
                folder.join(format!("{kind}.txt")),
                format!("{said}\n{text}"),
            )?;
        }
        Ok(())
    }
}
