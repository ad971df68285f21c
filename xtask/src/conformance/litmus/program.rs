//! Reads litmus tests: what invocations do, and what is asked about it.
//!
//! The language is that of the memory model's own tests, with what its front-end makes of it:
//! a line is a directive, a question, or an instruction of words with points between them, a
//! variable and values.

use std::collections::BTreeMap;

use spirvkit::interp::model::{Event, Execution, MAX_EVENTS, Relation, Scope, Thread};

/// A litmus test.
pub(super) struct Test {
    /// Its events, with what is the same in all executions.
    pub(super) execution: Execution,
    /// For each read the writes that it must read from.
    pub(super) sources: Vec<Vec<usize>>,
    /// Whether a read must read the initial value.
    pub(super) is_initial: Vec<bool>,
    /// Whether there are executions at all: the events are what events can be.
    pub(super) is_possible: bool,
    pub(super) questions: Vec<Question>,
    /// Words of instructions that mean nothing, and are passed over.
    pub(super) unknown: Vec<String>,
}

/// What is asked about the executions of a test.
pub(super) struct Question {
    /// The number of its line.
    pub(super) line: usize,
    /// Whether there shall be an execution with the property.
    pub(super) is_satisfiable: bool,
    /// Whether chains of availability and visibility operations have one link only.
    pub(super) has_no_chains: bool,
    pub(super) property: String,
}

/// An instruction, as it is written.
#[derive(Default)]
struct Instruction {
    event: Event,
    scopes: u32,
    has_av: bool,
    has_vis: bool,
    variable: Option<String>,
    value: Option<i64>,
    second: Option<i64>,
    barrier: Option<i64>,
}

/// What is read line by line.
#[derive(Default)]
struct Reader {
    instructions: Vec<Instruction>,
    threads: Vec<Thread>,
    /// The threads by their numbers.
    numbers: BTreeMap<i64, usize>,
    number: i64,
    place: Thread,
    /// Whether each invocation lies in one group of each kind only.
    is_nested: bool,
    same_locations: Vec<(String, String)>,
    system: Vec<(i64, i64)>,
    questions: Vec<Question>,
    unknown: Vec<String>,
}

/// Reads a test.
pub(super) fn read(text: &str) -> Result<Test, String> {
    let mut reader = Reader {
        is_nested: true,
        ..Reader::default()
    };
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line.len() < 2 || line.starts_with("//") {
            continue;
        }
        let read = reader.line(line, index + 1);
        read.map_err(|why| format!("line {}: {why}", index + 1))?;
    }
    reader.finish()
}

impl Reader {
    fn line(&mut self, line: &str, number: usize) -> Result<(), String> {
        for (word, is_satisfiable) in [("SATISFIABLE", true), ("NOSOLUTION", false)] {
            let Some(rest) = line.strip_prefix(word) else {
                continue;
            };
            let (has_no_chains, property) = match rest.split_once("NOCHAINS") {
                Some((_, rest)) => (true, rest),
                None => (false, rest),
            };
            self.questions.push(Question {
                line: number,
                is_satisfiable,
                has_no_chains,
                property: property.trim().to_owned(),
            });
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix("SSW") {
            let numbers: Vec<i64> = rest.split_whitespace().filter_map(leading_number).collect();
            let [from, to] = numbers[..] else {
                return Err("`SSW` takes the numbers of two threads".to_owned());
            };
            self.system.push((from, to));
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix("SLOC") {
            let names: Vec<&str> = rest.split_whitespace().collect();
            let [a, b] = names[..] else {
                return Err("`SLOC` takes two variables".to_owned());
            };
            self.same_locations.push((a.to_owned(), b.to_owned()));
            return Ok(());
        }
        if line.contains("NEWQF") {
            self.place.queue_family += u32::from(!self.instructions.is_empty());
        } else if line.contains("NEWWG") {
            self.place.workgroup += u32::from(!self.instructions.is_empty());
        } else if line.contains("NEWSG") {
            self.place.subgroup += u32::from(!self.instructions.is_empty());
        } else if let Some((_, rest)) = line.split_once("NEWTHREAD") {
            self.number = match rest.find(|c: char| c.is_ascii_digit()) {
                Some(digits) => leading_number(&rest[digits..]).unwrap_or(0),
                None => self.number + 1,
            };
            if self.numbers.contains_key(&self.number) {
                return Err(format!("thread {} has begun before", self.number));
            }
            self.numbers.insert(self.number, self.threads.len());
            self.threads.push(self.place);
        } else {
            return self.instruction(line);
        }
        Ok(())
    }

    fn instruction(&mut self, line: &str) -> Result<(), String> {
        if self.instructions.len() == MAX_EVENTS {
            return Err(format!("there are more than {MAX_EVENTS} instructions"));
        }
        if self.threads.is_empty() {
            self.numbers.insert(self.number, 0);
            self.threads.push(self.place);
        }
        let thread = self.threads.len() - 1;
        // A group that ends within an invocation can't be.
        self.is_nested &= self.threads[thread] == self.place || self.is_first_of(thread);
        self.threads[thread] = self.place;
        let line = line.trim_start();
        let (words, operands) = line.split_once(' ').unwrap_or((line, ""));
        let mut instruction = Instruction::default();
        instruction.event.thread = thread;
        for word in words.split('.') {
            if !instruction.word(word) {
                self.unknown.push(word.to_owned());
            }
        }
        instruction.complete();
        instruction.operands(operands.trim())?;
        self.instructions.push(instruction);
        Ok(())
    }

    fn is_first_of(&self, thread: usize) -> bool {
        let last = self.instructions.last();
        last.is_none_or(|last| last.event.thread != thread)
    }

    fn finish(self) -> Result<Test, String> {
        let is_possible = self.is_nested
            && self.are_groups_nested()
            && self.instructions.iter().all(Instruction::is_possible);
        let mut events: Vec<Event> = Vec::new();
        let references = self.references();
        let locations = self.locations();
        for instruction in &self.instructions {
            let mut event = instruction.event.clone();
            if let Some(variable) = &instruction.variable {
                event.reference = references[variable.as_str()];
                event.location = locations[event.reference as usize];
            }
            events.push(event);
        }
        let n = events.len();
        let mut execution = Execution::new(events, self.threads.clone());
        execution.barriers = Relation::where_both(n, |a, b| {
            let (a, b) = (&self.instructions[a], &self.instructions[b]);
            a.barrier.is_some() && a.barrier == b.barrier
        });
        for &(from, to) in &self.system {
            let (Some(&from), Some(&to)) = (self.numbers.get(&from), self.numbers.get(&to)) else {
                return Err("`SSW` names a thread that there is not".to_owned());
            };
            let ordered = Relation::where_both(n, |a, b| {
                execution.events[a].thread == from && execution.events[b].thread == to
            });
            execution.system = &execution.system | &ordered;
        }
        let is_possible = is_possible && are_barriers_possible(&execution);
        let in_scope = spirvkit::interp::model::Relations::of(&execution).in_scope;
        execution.barriers = &execution.barriers & &in_scope;
        let (sources, is_initial) = self.sources();
        Ok(Test {
            execution,
            sources,
            is_initial,
            is_possible,
            questions: self.questions,
            unknown: self.unknown,
        })
    }

    /// Whether subgroups lie in workgroups, and these in queue families.
    fn are_groups_nested(&self) -> bool {
        let mut workgroups = BTreeMap::new();
        let mut families = BTreeMap::new();
        let threads = self.instructions.iter().map(|it| it.event.thread);
        threads.map(|it| self.threads[it]).all(|it| {
            *workgroups.entry(it.subgroup).or_insert(it.workgroup) == it.workgroup
                && *families.entry(it.workgroup).or_insert(it.queue_family) == it.queue_family
        })
    }

    /// A number for each variable.
    fn references(&self) -> BTreeMap<&str, u32> {
        let mut references = BTreeMap::new();
        for instruction in &self.instructions {
            if let Some(variable) = &instruction.variable {
                let next = references.len() as u32;
                references.entry(variable.as_str()).or_insert(next);
            }
        }
        references
    }

    /// The locations of the variables.
    fn locations(&self) -> Vec<u32> {
        let references = self.references();
        let mut locations: Vec<u32> = (0..references.len() as u32).collect();
        for (a, b) in &self.same_locations {
            let place = |name: &String| references.get(name.as_str()).copied();
            let (Some(a), Some(b)) = (place(a), place(b)) else {
                continue;
            };
            let (from, to) = (locations[a as usize], locations[b as usize]);
            for location in &mut locations {
                if *location == from {
                    *location = to;
                }
            }
        }
        locations
    }

    /// From which writes each read must get its value, and whether it must be the initial one.
    /// Values are the same if both are left out, too.
    fn sources(&self) -> (Vec<Vec<usize>>, Vec<bool>) {
        let mut sources = vec![Vec::new(); self.instructions.len()];
        let mut is_initial = vec![false; self.instructions.len()];
        for (read, reader) in self.instructions.iter().enumerate() {
            if !reader.event.is_read || reader.variable.is_none() {
                continue;
            }
            for (write, writer) in self.instructions.iter().enumerate() {
                let is_same = writer.variable == reader.variable;
                if is_same && writer.event.is_write && writer.written() == reader.value {
                    sources[read].push(write);
                } else if write == read && reader.value == Some(0) {
                    is_initial[read] = true;
                }
            }
        }
        (sources, is_initial)
    }
}

impl Instruction {
    /// Adds what a word means; false if it means nothing.
    fn word(&mut self, word: &str) -> bool {
        let event = &mut self.event;
        let scope = match word {
            "scopesg" => Some(Scope::Subgroup),
            "scopewg" => Some(Scope::Workgroup),
            "scopeqf" => Some(Scope::QueueFamily),
            "scopedev" => Some(Scope::Device),
            _ => None,
        };
        if let Some(scope) = scope {
            self.scopes += u32::from(event.scope != Some(scope));
            event.scope = Some(scope);
            return true;
        }
        match word {
            "st" => event.is_write = true,
            "ld" => event.is_read = true,
            "rmw" => (event.is_read, event.is_write, event.is_atomic) = (true, true, true),
            "atom" => event.is_atomic = true,
            "membar" => event.is_fence = true,
            "cbar" => event.is_control_barrier = true,
            "acq" => event.is_acquire = true,
            "rel" => event.is_release = true,
            "sc0" => event.class |= 1,
            "sc1" => event.class |= 2,
            "semsc0" => event.semantics |= 1,
            "semsc1" => event.semantics |= 2,
            "semav" => event.makes_available = true,
            "semvis" => event.makes_visible = true,
            "av" => self.has_av = true,
            "vis" => self.has_vis = true,
            "nonpriv" => event.is_non_private = true,
            "avdevice" => event.is_device_available = true,
            "visdevice" => event.is_device_visible = true,
            _ => return false,
        }
        true
    }

    /// Adds what words mean besides: atomics make available and visible what they access.
    fn complete(&mut self) {
        let event = &mut self.event;
        event.is_fence |= event.is_control_barrier && (event.is_acquire || event.is_release);
        event.is_available = self.has_av || event.is_atomic && event.is_write;
        event.is_visible = self.has_vis || event.is_atomic && event.is_read;
        event.is_non_private |= event.is_available || event.is_visible || event.is_atomic;
    }

    /// The instance of a control barrier; else `[variable [= value [value]]]`.
    fn operands(&mut self, operands: &str) -> Result<(), String> {
        if self.event.is_control_barrier {
            let number = leading_number(operands);
            self.barrier = Some(number.ok_or("a control barrier takes the number of an instance")?);
            return Ok(());
        }
        let name_ends = operands.find([' ', '=']).unwrap_or(operands.len());
        let (name, values) = operands.split_at(name_ends);
        if !name.is_empty() {
            self.variable = Some(name.to_owned());
        }
        let values = values.replace('=', " ");
        let mut values = values.split_whitespace();
        for to in [&mut self.value, &mut self.second] {
            if let Some(value) = values.next() {
                *to = Some(leading_number(value).ok_or(format!("`{value}` is not a number"))?);
            }
        }
        match values.next() {
            Some(more) => Err(format!(
                "nothing is expected behind the values, but `{more}` is"
            )),
            None => Ok(()),
        }
    }

    /// The value that it writes.
    fn written(&self) -> Option<i64> {
        match self.event.is_read {
            true => self.second,
            false => self.value,
        }
    }

    /// Whether an execution may have such an event, as the model's signature of executions
    /// says.
    fn is_possible(&self) -> bool {
        let event = &self.event;
        let is_device = event.is_device_available || event.is_device_visible;
        let is_barrier = event.is_fence || event.is_control_barrier;
        let is_access = event.is_access();
        let has_order = event.is_acquire || event.is_release;
        let by_device = !is_device
            || !is_access
                && !is_barrier
                && !self.has_av
                && !self.has_vis
                && !has_order
                && event.class == 0
                && event.semantics == 0
                && !(event.is_device_available && event.is_device_visible);
        let is_one_thing = (is_access || is_barrier || is_device) && !(is_access && is_barrier);
        let by_order = (!event.is_acquire || event.is_read && event.is_atomic || event.is_fence)
            && (!event.is_release || event.is_write && event.is_atomic || event.is_fence)
            && (!event.is_fence || has_order)
            && has_order == (event.semantics != 0)
            && (!event.makes_available || event.is_release)
            && (!event.makes_visible || event.is_acquire);
        let by_access = (!event.is_read || !event.is_write || event.is_atomic)
            && (!event.is_atomic || is_access)
            && (!event.is_available || event.is_write)
            && (!event.is_visible || event.is_read)
            && (!event.is_non_private || is_access)
            && is_access == event.class.is_power_of_two();
        let needs_scope = event.is_atomic || is_barrier;
        let by_scope = self.scopes <= 1 && (!needs_scope || self.scopes == 1);
        let by_class = event.class.count_ones() == u32::from(is_access);
        is_one_thing && by_device && by_order && by_access && by_scope && by_class
    }
}

/// Whether the instances of control barriers are such as there can be.
fn are_barriers_possible(execution: &Execution) -> bool {
    let relations = spirvkit::interp::model::Relations::of(execution);
    let (barriers, order) = (&execution.barriers, &relations.program_order);
    let crossed = order.then(&barriers.then(order));
    let is_same = barriers.pairs().all(|(a, b)| {
        let (a, b) = (&execution.events[a], &execution.events[b]);
        (a.scope, a.is_acquire, a.is_release, a.semantics)
            == (b.scope, b.is_acquire, b.is_release, b.semantics)
    });
    is_same && (&crossed & barriers).is_empty() && (barriers & &order.symmetric()).is_empty()
}

/// The number that a text begins with.
fn leading_number(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let sign = usize::from(text.starts_with('-'));
    let digits = text[sign..].find(|c: char| !c.is_ascii_digit());
    text[..digits.map_or(text.len(), |digits| digits + sign)]
        .parse()
        .ok()
}
