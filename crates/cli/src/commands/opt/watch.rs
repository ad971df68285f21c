//! What is told and checked while a recipe is followed.

use std::time::{Duration, Instant};

use spirvkit::diagnostics::Severity;
use spirvkit::ir::Module;
use spirvkit::opt::{Changed, Pass, PassError, Watch};
use spirvkit::{DisassembleOptions, ValidateOptions, disassemble, validate};

use crate::report::Messages;

/// What is wanted.
#[derive(Clone, Default)]
pub(crate) struct Watching {
    /// Whether modules are printed.
    pub(crate) prints: bool,
    /// Whether times are told.
    pub(crate) times: bool,
    /// How to validate after each pass.
    pub(crate) validation: Option<ValidateOptions>,
    /// The highest bound that ids may get.
    pub(crate) max_id_bound: Option<u32>,
}

/// What there is of it for one module.
pub(super) struct Watched<'w> {
    watching: &'w Watching,
    name: &'w str,
    was_valid: bool,
    started: Instant,
    /// What is to be told, in order.
    text: String,
    times: Vec<(String, Duration, usize)>,
    last: Option<Vec<u32>>,
}

impl<'w> Watched<'w> {
    pub(super) fn new(watching: &'w Watching, name: &'w str, words: &[u32]) -> Self {
        let is_valid = |options: &ValidateOptions| validate(words, options).is_valid();
        Self {
            watching,
            name,
            was_valid: watching.validation.as_ref().is_some_and(is_valid),
            started: Instant::now(),
            text: String::new(),
            times: Vec::new(),
            last: None,
        }
    }

    fn print(&mut self, when: &str, words: &[u32]) {
        let options = DisassembleOptions::default();
        let text = disassemble(words, &options).map_or_else(|it| it.to_string(), |it| it.text);
        self.text += &format!("; {}, {when}\n{text}\n", self.name);
    }

    /// Tells what was gathered.
    pub(super) fn finish(mut self, messages: &mut Messages) {
        if let Some(words) = self.last.take() {
            self.print("after the last pass", &words);
        }
        if self.watching.times {
            let total: Duration = self.times.iter().map(|it| it.1).sum();
            self.text += &format!("{}: time, bytes left, pass\n", self.name);
            for (pass, time, bytes) in &self.times {
                self.text += &format!("{:>10.3} ms {bytes:>9} {pass}\n", milliseconds(*time));
            }
            self.text += &format!("{:>10.3} ms           all\n", milliseconds(total));
        }
        if !self.text.is_empty() {
            messages.add_note(self.text.trim_end());
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl Watch for Watched<'_> {
    fn before(&mut self, pass: &dyn Pass, module: &Module) -> Result<(), PassError> {
        if self.watching.prints {
            self.print(&format!("before {}", pass.name()), &module.store());
        }
        self.started = Instant::now();
        Ok(())
    }

    fn after(
        &mut self,
        pass: &dyn Pass,
        module: &Module,
        changed: Changed,
    ) -> Result<(), PassError> {
        let time = self.started.elapsed();
        let bound = module.header().bound;
        if let Some(most) = self.watching.max_id_bound.filter(|&most| bound > most) {
            let message = format!("the bound of ids is {bound} now, more than {most}");
            return Err(PassError::new(message));
        }
        if !self.watching.prints && !self.watching.times && self.watching.validation.is_none() {
            return Ok(());
        }
        let words = module.store();
        if self.watching.times {
            let pass = pass.name().to_owned();
            self.times.push((pass, time, words.len() * 4));
        }
        if let Some(options) = &self.watching.validation
            && changed == Changed::Yes
            && self.was_valid
        {
            let report = validate(&words, options);
            let mut findings = report.diagnostics().iter();
            let first = findings.find(|it| it.severity() == Severity::Error);
            if let Some(first) = first.filter(|_| !report.is_valid()) {
                let message = format!("the module is invalid now: {}", first.message());
                return Err(PassError::new(message));
            }
        }
        self.last = self.watching.prints.then_some(words);
        Ok(())
    }
}
