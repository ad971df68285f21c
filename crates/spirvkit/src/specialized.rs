//! Stages whose specialization constants have values: what they are then, and what is wrong with them.

use std::collections::{HashMap, HashSet};

use spirvkit_analysis::{Lookup, ModuleIndex};
use spirvkit_binary::Id;
use spirvkit_diagnostics::{Diagnostic, Location, Severity};
use spirvkit_ir::Module;
use spirvkit_transform::{Specialization, specialize};
use spirvkit_validate::{Options, device_needs, validate_named};
use spirvkit_vulkan::Need;

/// What the module of a stage becomes.
#[derive(Clone, Debug)]
pub(crate) struct Specialized {
    /// What integer constants are that depend on specialization.
    pub(crate) constants: Vec<(Id, u64)>,
    /// The module in which they are so.
    words: Vec<u32>,
}

impl Specialized {
    /// A module with these values for specialization constants, and all others with their defaults.
    pub(crate) fn of(words: &[u32], values: &[(Id, u64)]) -> Result<Self, String> {
        let mut module = Module::load(words).map_err(|error| error.to_string())?;
        let mut wanted = Specialization::default().all_defaults(true);
        wanted.values = values.to_vec();
        specialize(&mut module, &wanted).map_err(|error| error.to_string())?;
        let stored = module.store();
        let index = |words| ModuleIndex::new(words).map_err(|error| error.to_string());
        let before = index(words)?;
        let after = index(&stored)?;
        let mut all = before.all_instructions();
        let constants = all
            .by_ref()
            .take_while(|inst| inst.offset() < before.functions_start);
        let constants = constants.filter(|inst| inst.op().is_spec_constant());
        let constants = constants
            .filter_map(|inst| Some((inst.result()?, after.constant_u64(inst.result()?)?)))
            .collect();
        Ok(Self {
            constants,
            words: stored,
        })
    }

    /// The errors that only the specialized module has, and all that it needs of devices, at the places
    /// of the module that it was.
    pub(crate) fn errors(
        &self,
        words: &[u32],
        options: &Options,
        names: &dyn Fn(Id) -> Option<String>,
    ) -> Vec<Diagnostic> {
        let known = validate_named(words, &options.without_devices(), names);
        let known = known.diagnostics().iter();
        let known: HashSet<(&str, &str)> = known.map(|it| (it.rule(), it.message())).collect();
        let found = validate_named(&self.words, options, names).into_diagnostics();
        let found = found.into_iter().filter(|it| {
            it.severity() == Severity::Error && !known.contains(&(it.rule(), it.message()))
        });
        let found: Vec<Diagnostic> = found.collect();
        if found.is_empty() {
            return found;
        }
        let (Ok(before), Ok(after)) = (ModuleIndex::new(words), ModuleIndex::new(&self.words))
        else {
            return found;
        };
        let places = Places::new(&before, &after);
        found.iter().map(|it| moved(it, &places)).collect()
    }

    /// What the specialized module needs of devices, at the places of the module that it was.
    pub(crate) fn device_needs(&self, words: &[u32]) -> Result<Vec<Need>, spirvkit_binary::Error> {
        let mut needs = device_needs(&self.words)?;
        let (before, after) = (ModuleIndex::new(words)?, ModuleIndex::new(&self.words)?);
        let places = Places::new(&before, &after);
        for need in &mut needs {
            need.offset = places.before(need.offset as usize) as u32;
        }
        Ok(needs)
    }
}

/// The rule that modules stay valid when they are specialized.
const STAYS_VALID: &str = "VUID-VkPipelineShaderStageCreateInfo-pSpecializationInfo-06849";

/// A diagnostic of a specialized module as one of the module that it was.
fn moved(found: &Diagnostic, places: &Places<'_, '_>) -> Diagnostic {
    let word = found.word_offset().unwrap_or(0);
    let mut moved = Diagnostic::error(found.rule(), found.class(), found.message())
        .at_word(places.before(word))
        .with_vuid(found.vuid().unwrap_or(STAYS_VALID))
        .with_help(found.help().unwrap_or(
            "the specialization constants have the values that they get in the pipeline here",
        ));
    if let Some(operand) = places.operand(word, found.operand()) {
        moved = moved.at_operand(operand);
    }
    if let Some(section) = found.section() {
        moved = moved.with_section(section);
    }
    for label in found.labels() {
        let Some(word) = label.word_offset else {
            continue;
        };
        let place = Location::Word(places.before(word));
        moved = moved.with_label(place, label.message.clone());
        if let Some(operand) = places.operand(word, label.operand) {
            moved = moved.with_label_operand(operand);
        }
    }
    moved
}

/// Where instructions of a specialized module were. Ids stay, and what is in functions, and else only
/// decorations go.
struct Places<'m, 'a> {
    before: &'m ModuleIndex<'a>,
    after: &'m ModuleIndex<'a>,
    /// The instructions before functions that have no result, by their words.
    others: HashMap<&'a [u32], u32>,
}

impl<'m, 'a> Places<'m, 'a> {
    fn new(before: &'m ModuleIndex<'a>, after: &'m ModuleIndex<'a>) -> Self {
        let all = before.all_instructions();
        let global = all.take_while(|inst| inst.offset() < before.functions_start);
        let others = global.filter(|inst| inst.result().is_none());
        Self {
            before,
            after,
            others: others.map(|inst| (inst.words(), inst.offset())).collect(),
        }
    }

    /// Where an instruction was; the header if it wasn't there.
    fn before(&self, word: usize) -> usize {
        let start = self.after.functions_start as usize;
        if let Some(within) = word.checked_sub(start) {
            return self.before.functions_start as usize + within;
        }
        let offset = u32::try_from(word).ok();
        let place = offset.and_then(|offset| {
            let inst = self.after.inst(offset)?;
            match inst.result() {
                Some(id) => self.before.def(id).map(|inst| inst.offset()),
                None => self.others.get(inst.words()).copied(),
            }
        });
        place.unwrap_or(0) as usize
    }

    /// Where an operand of the instruction at a word was, if it has one like it.
    fn operand(&self, word: usize, operand: Option<usize>) -> Option<usize> {
        let within = operand?.checked_sub(word)?;
        let before = self.before(word);
        let inst = self.before.inst(u32::try_from(before).ok()?)?;
        (within < inst.words().len()).then_some(before + within)
    }
}
