//! `spv run`: running compute shaders.

mod arguments;
mod buffers;
mod explore;
mod images;
mod json;
mod npy;
mod outputs;
mod places;
mod png;
mod races;
mod slices;
mod watch;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use serde_json::{Value, json};
use spirvkit::Diagnostic;
use spirvkit::diagnostics::{Severity, Source, render};
use spirvkit::interp::{MAX_ENQUEUED, MAX_LOOKS, MAX_MEMORY, MAX_PRINTED, MAX_STEPS, Outcome, Run};
use spirvkit::ir::Module;
use spirvkit::reflect::reflect;
use spirvkit::transform::{Specialization, spec_constants, specialize};

use crate::arguments::{ColorWhen, Single, jobs};
use crate::change::constants::{bad_value, bits, find, setting};
use crate::exit::{Ending, UsageError};
use crate::look::{self, Looked, look};
use crate::report::{Format, Messages, Reporter, kinds, stream};
use crate::run::Progress;
use arguments::{Contents, Memory, Push};
use buffers::{Buffers, add};
use places::{Blocks, Wanted};
use watch::{Code, Watcher};

/// Run a compute shader or a kernel, without a GPU, and report what goes wrong
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
#[command(group(ArgGroup::new("exploring").args(["explore", "reachable"]).multiple(true)))]
#[command(group(ArgGroup::new("racing").args(["race", "explore", "reachable"]).multiple(true)))]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Single,

    /// The entry point [default: the only one]
    #[arg(long, value_name = "NAME")]
    entry_point: Option<String>,

    /// How many workgroups to run, in each dimension
    #[arg(long, value_name = "X[,Y[,Z]]", default_value = "1", value_parser = arguments::groups,
          conflicts_with = "global_size")]
    dispatch: [u32; 3],

    /// Bind a buffer, or write a part of it: WHERE is SET:BINDING, the name of a variable, a
    /// block or a member, or a path from there
    #[arg(long, value_name = "WHERE=CONTENTS", value_parser = arguments::binding)]
    bind: Vec<(Wanted, Contents)>,

    /// Give a kernel an argument, by its name or its index
    #[arg(long, value_name = "NAME=CONTENTS", value_parser = arguments::binding)]
    arg: Vec<(Wanted, Contents)>,

    /// Give the run memory that only addresses lead to: in JSON, "&NAME" or "&NAME+16" is one.
    /// TYPE, the name of a structure, says what lies there
    #[arg(long, value_name = "NAME[:TYPE]=CONTENTS", value_parser = arguments::memory)]
    memory: Vec<Memory>,

    /// How many invocations a workgroup has in each dimension, for kernels that don't say
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = arguments::groups)]
    local_size: Option<[u32; 3]>,

    /// How many invocations of a kernel to run in each dimension, in place of --dispatch; the
    /// last workgroups may be smaller
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = arguments::groups)]
    global_size: Option<[u32; 3]>,

    /// Append numbers to the push constants, or give a member its value
    #[arg(long, value_name = "TYPE:NUMBERS|MEMBER=VALUE", value_parser = arguments::push)]
    push: Vec<Push>,

    /// Set a specialization constant: CONSTANT is a SpecId or a name; VALUE is a number
    /// as in assembly text, true or false
    #[arg(long, value_name = "CONSTANT=VALUE", value_parser = setting)]
    spec: Vec<(String, String)>,

    /// Show what is in a buffer after the run, or in a part of it, such as x.a[0..4] or
    /// 0:1:u32[0..8]
    #[arg(long, value_name = "WHERE[:TYPE][RANGE]", value_parser = places::wanted)]
    print: Vec<Wanted>,

    /// Write a buffer, or a part of it, to a file after the run: as JSON, as a NumPy array, as
    /// an image, or as it is, by the extension .json, .npy, .png or any other
    #[arg(long, value_name = "WHERE=FILE", value_parser = arguments::output)]
    out: Vec<(Wanted, PathBuf)>,

    /// Show the instructions of an invocation as they are executed, with their results;
    /// the invocation is given by its global index
    #[arg(long, value_name = "X[,Y[,Z]]", num_args = 0..=1, require_equals = true,
          default_missing_value = "0", value_parser = arguments::invocation)]
    trace: Vec<[u32; 3]>,

    /// Show no more than this many lines of traces
    #[arg(long, value_name = "N", default_value = "10000", requires = "trace")]
    max_trace: usize,

    /// Write to a file which lines and blocks were executed how often, in lcov's format
    #[arg(long, value_name = "FILE")]
    coverage: Option<PathBuf>,

    /// Show which lines were executed most often
    #[arg(long)]
    profile: bool,

    /// The number of invocations in a subgroup: 1, 2, 4, 8, 16, 32 or 64
    #[arg(long, value_name = "N", default_value = "32")]
    subgroup_size: u32,

    /// Allow accesses out of bounds through descriptors, as with robustBufferAccess2 and
    /// robustImageAccess2: they read zeros and write nothing in either case, but aren't reported
    #[arg(long)]
    robust: bool,

    /// Run workgroups on this many threads, and, with --schedules, orders [default: one per
    /// core]; results don't depend on it
    #[arg(long, value_name = "N", value_parser = jobs)]
    threads: Option<NonZeroUsize>,

    /// Look for data races
    #[arg(long)]
    race: bool,

    /// Demand that what others read or write was made available and visible, too
    #[arg(long, requires = "race")]
    strict: bool,

    /// Accept two writes of the same value
    #[arg(long, requires = "race")]
    same_value: bool,

    /// Accept races of what is at a line of the source, or of an instruction: FILE:LINE, the id
    /// of its result, or its byte in the module, such as 0x1a4
    #[arg(long, value_name = "FILE:LINE", requires = "racing")]
    accept_race: Vec<look::places::Wanted>,

    /// Show all outcomes that the memory model allows; for small programs
    #[arg(long, conflicts_with_all = NOT_EXPLORED)]
    explore: bool,

    /// Tell whether a condition on buffers can hold in the end, such as '0:0[0] == 1 &&
    /// 0:1:i32[2] != -1', whatever the memory model allows; for small programs
    #[arg(long, value_name = "CONDITION", value_parser = explore::asked,
          conflicts_with_all = NOT_EXPLORED)]
    reachable: Vec<explore::Asked>,

    /// End exploration after this many executions and beginnings of executions
    #[arg(long, value_name = "N", default_value_t = MAX_LOOKS, requires = "exploring")]
    max_looks: u64,

    /// Run in this many orders of invocations
    #[arg(long, value_name = "N", default_value_t = 1)]
    schedules: u64,

    /// The number of the first order; 0 is the usual one
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// End the run after this many instructions of subgroups
    #[arg(long, value_name = "N", default_value_t = MAX_STEPS)]
    max_steps: u64,

    /// Refuse modules whose workgroups take more than this many bytes
    #[arg(long, value_name = "BYTES", default_value_t = MAX_MEMORY)]
    max_memory: u64,

    /// Leave out what a shader prints beyond this many bytes
    #[arg(long, value_name = "BYTES", default_value_t = MAX_PRINTED)]
    max_printed: usize,

    /// Refuse to enqueue more kernels than this from other kernels
    #[arg(long, value_name = "N", default_value_t = MAX_ENQUEUED)]
    max_enqueued: u64,

    /// The format of the output and of findings
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// When to colour findings
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,
}

/// What follows one order of execution.
const NOT_EXPLORED: [&str; 9] = [
    "race",
    "strict",
    "same_value",
    "schedules",
    "seed",
    "trace",
    "coverage",
    "profile",
    "out",
];

const AFTER_HELP: &str = "\
CONTENTS is one of
  zeros:BYTES        bytes that are zero
  TYPE:NUMBERS       numbers, such as f32:1,2.5; the types are u8, i8, u16, i16, u32,
                     i32, u64, i64, f16, f32 and f64
  {...}, [...], 1.5  a value as JSON, by the types that the module declares
  FILE.json          the same from a file
  FILE.npy           a NumPy array, of the type that the module declares
  FILE.png           an image, in the format that the module declares, else in RGBA
  FORMAT:SIZE        an image of zeros, such as rgba8:64x32, or rgba8:64x32x6 with six
                     layers; behind the size, ,levels=N and ,samples=N; at the end
                     :FILE or :TYPE:NUMBERS, its bytes
  sampler:HOW        words such as linear,clamp: nearest or linear; mip-nearest or
                     mip-linear; repeat, mirror, clamp, border or mirror-clamp;
                     transparent, black or white; less, less-equal and the like to
                     compare; min or max; texels, if coordinates count these; bias=,
                     min-lod=, max-lod= and anisotropy= with numbers; without one,
                     samplers are nearest,repeat
  FILE, raw:FILE     any other file, byte by byte
  local:BYTES        for kernels: memory that the workgroup shares
  pipe:SIZE,CAPACITY for kernels: a pipe for so many packets of so many bytes; those that
                     are there follow as numbers or a file, such as pipe:4,16:u32:1,2
Numbers are given as in assembly text (0x10, 1.5), or as inf, -inf or NaN. In JSON
these and hexadecimal ones are strings.

WHERE may be an element of an array of descriptors (x[2], 0:1[2]), and those to
which nothing is bound must not be used. Of an image, x.level[1], x.layer[2] and
x.sample[3] are parts to show and write.

Accesses out of bounds, divisions by zero, barriers that not all invocations reach
and the like are reported with the instruction and the invocation; `spv explain`
explains each. What can't be run yet is refused before anything is run. Files of
--out and --coverage hold what a run leaves, whatever is found in it; none is
written if something is refused, or if one of them can't be made.

Coverage and profiles go by the lines of the shader's source if the module has
debug information, else by those of its assembly text, as `spv dis` writes it.

Examples:
  spv run double.spvasm --bind 0:0=f32:1,2,3,4 --print 0:0:f32
  spv run saxpy.spv --bind x=x.npy --bind y=[1,1,1,1] --push a=2.0 --push count=4 \\
      --dispatch 16 --print y[0..4] --out y=y.npy
  spv run saxpy.spv --bind x=[1] --bind y=[1] --push count=1 --trace=0 --profile
  spv run litmus.spv --bind 0:0=u32:0,0 --bind 0:1=u32:0,0 --dispatch 2 --explore \\
      --reachable '0:1[0] == 1 && 0:1[1] == 0'

Exit codes:
  0  success, perhaps with warnings
  1  the input has errors, could not be read or run, or running it shows an error
  2  the command line is wrong";

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let reporter = Reporter::new(arguments.format, arguments.color.on_stderr());
    look(
        arguments.input.input.as_ref(),
        reporter,
        |looked, messages| {
            run_module(arguments, looked, messages);
            Ok(())
        },
    )
}

fn run_module(arguments: &Arguments, looked: &Looked<'_>, messages: &mut Messages) {
    let Some(constants) = constants(arguments, looked, messages) else {
        return;
    };
    // Lengths of arrays may depend on constants.
    let specialized = specialized(looked, &constants);
    let words = specialized.as_deref().unwrap_or(looked.module.words());
    let reflection = match reflect(words) {
        Ok(reflection) => reflection,
        Err(error) => return messages.add_binary_error(looked.name, &error),
    };
    let blocks = match Blocks::new(&reflection, &arguments.memory) {
        Ok(blocks) => blocks,
        Err(why) => return messages.add_about(&kinds::BAD_DATA.error(why), None),
    };
    let mut buffers = Buffers::new(&blocks);
    let explores = arguments.explore || !arguments.reachable.is_empty();
    blocks.check(&arguments.print, &arguments.out, explores, messages);
    buffers.remember(&arguments.memory, messages);
    buffers.bind(&arguments.bind, messages);
    buffers.give(&arguments.arg, messages);
    buffers.push(&arguments.push, messages);
    let run = prepared(arguments, looked, &constants);
    let run = races::accept(run, &arguments.accept_race, looked, messages);
    if messages.failed() {
        return;
    }
    let bound = buffers.bound();
    let run = buffers.into_run(run);
    if explores {
        return explore::explore(arguments, looked, &blocks, bound, run, messages);
    }
    let is_watched =
        !arguments.trace.is_empty() || arguments.coverage.is_some() || arguments.profile;
    let code = is_watched.then(|| Code::of(looked)).flatten();
    let mut watcher = code
        .as_ref()
        .map(|code| Watcher::new(code, arguments.trace.clone(), arguments.max_trace));
    let progress = progress(arguments);
    let tick = || progress.tick();
    let run = run.on_progress(&tick);
    let ran = match &mut watcher {
        Some(watcher) => run.observe(arguments.dispatch, watcher),
        None => run.dispatch(arguments.dispatch),
    };
    progress.finish();
    let (findings, outcome) = match ran {
        Ok(outcome) => (outcome.findings.clone(), Some(outcome)),
        Err(errors) => (errors.into_vec(), None),
    };
    let findings = in_place(looked, findings);
    if outcome.is_some() {
        for [x, y, z] in watcher.iter().flat_map(Watcher::missed) {
            let message = format!("there is no invocation ({x}, {y}, {z}) to trace");
            messages.add_about(&kinds::BAD_DATA.warning(message), None);
        }
    }
    if let Some(outcome) = &outcome {
        let coverage = watcher.as_ref().zip(arguments.coverage.as_ref());
        let coverage = coverage.map(|(watcher, path)| (path, watcher.coverage().into_bytes()));
        outputs::write(&blocks, &arguments.out, coverage, outcome, messages);
    }
    let shown = outcome.iter().flat_map(|outcome| {
        let print = arguments.print.iter();
        print.map(|wanted| (wanted, outputs::value(&blocks, wanted, outcome)))
    });
    let mut values = Vec::new();
    for (wanted, value) in shown {
        match value {
            Ok(value) => values.push((wanted, value)),
            Err(why) => add(messages, wanted, &why),
        }
    }
    let results = Results {
        arguments,
        values,
        outcome: outcome.as_ref(),
        watcher: watcher.as_ref(),
    };
    match arguments.format {
        Format::Human => {
            let text = looked.text.map_or("", |text| text.0.as_str());
            let source = Source::new(looked.name, text);
            findings
                .iter()
                .for_each(|found| messages.add(found, &source));
            let shown = results.text();
            stream(messages, |out| out.write_all(shown.as_bytes()));
        }
        Format::Json => {
            let report = report_of(looked, outcome.is_some(), &findings, messages);
            let document = results.document(&report);
            stream(messages, |out| writeln!(out, "{document}"));
        }
    }
}

/// Shows how far a run is, in workgroups, once it takes long.
fn progress(arguments: &Arguments) -> Progress {
    let groups = arguments.dispatch.map(|groups| groups as usize);
    let groups = groups.into_iter().fold(1, usize::saturating_mul);
    let orders = usize::try_from(arguments.schedules.max(1)).unwrap_or(usize::MAX);
    let is_human = matches!(arguments.format, Format::Human);
    Progress::new(groups.saturating_mul(orders), is_human)
}

/// The run without its buffers.
fn prepared<'a>(
    arguments: &Arguments,
    looked: &'a Looked<'_>,
    constants: &[(u32, u64)],
) -> Run<'a> {
    let mut run = Run::new(looked.module.words())
        .subgroup_size(arguments.subgroup_size)
        .robust(arguments.robust)
        .threads(arguments.threads.map_or(0, NonZeroUsize::get))
        .race(arguments.race)
        .strict(arguments.strict)
        .same_value(arguments.same_value)
        .schedules(arguments.schedules)
        .seed(arguments.seed)
        .max_steps(arguments.max_steps)
        .max_memory(arguments.max_memory)
        .max_printed(arguments.max_printed)
        .max_enqueued(arguments.max_enqueued);
    if let Some(name) = &arguments.entry_point {
        run = run.entry(name);
    }
    if let Some(size) = arguments.local_size {
        run = run.local_size(size);
    }
    if let Some(size) = arguments.global_size {
        run = run.global_size(size);
    }
    for &(spec_id, bits) in constants {
        run = run.spec(spec_id, bits);
    }
    run
}

/// The module with these values of its specialization constants, if there are any.
fn specialized(looked: &Looked<'_>, constants: &[(u32, u64)]) -> Option<Vec<u32>> {
    if constants.is_empty() {
        return None;
    }
    let mut module = Module::load(looked.module.words()).ok()?;
    let mut wanted = Specialization::default();
    wanted.all_defaults = true;
    for constant in spec_constants(&module) {
        let given = constants.iter().rfind(|it| Some(it.0) == constant.spec_id);
        wanted.values.extend(given.map(|it| (constant.id, it.1)));
    }
    specialize(&mut module, &wanted).ok()?;
    Some(module.store())
}

/// The specialization constants that are to be set, by their SpecIds, and the bits of their
/// values; nothing if one can't be.
fn constants(
    arguments: &Arguments,
    looked: &Looked<'_>,
    messages: &mut Messages,
) -> Option<Vec<(u32, u64)>> {
    if arguments.spec.is_empty() {
        return Some(Vec::new());
    }
    let module = Module::load(looked.module.words());
    let module = module.map_err(|error| messages.add_binary_error(looked.name, &error));
    let module = module.ok()?;
    let known = spec_constants(&module);
    let mut wanted = Vec::new();
    let mut wrong = Vec::new();
    for (constant, value) in &arguments.spec {
        for found in find(&module, &known, constant, &mut wrong) {
            match (found.spec_id, bits(&module, found, value)) {
                (Some(spec_id), Ok(bits)) => wanted.push((spec_id, bits)),
                (None, _) => wrong.push(bad_value(constant, "it has no SpecId")),
                (_, Err(message)) => wrong.push(bad_value(constant, &message)),
            }
        }
    }
    messages.add_all(looked.name, &wrong);
    wrong.is_empty().then_some(wanted)
}

/// The findings with their places in the text, if the module was given as one.
fn in_place(looked: &Looked<'_>, findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    match looked.text {
        Some((text, origins)) => spirvkit::located(text, origins, findings),
        None => spirvkit::quoted(looked.module.words(), findings),
    }
}

/// The file and the findings for programs. Errors among them make the command fail.
fn report_of(
    looked: &Looked<'_>,
    has_run: bool,
    findings: &[Diagnostic],
    messages: &mut Messages,
) -> Value {
    let is_error = |found: &Diagnostic| found.severity() == Severity::Error;
    if findings.iter().any(is_error) {
        messages.fail();
    }
    let text = looked.text.map(|text| Source::new(looked.name, &text.0));
    let report = render::report(looked.name, has_run, findings, text.as_ref());
    serde_json::from_str(&report).unwrap_or_default()
}

/// What there is to show.
struct Results<'a, 'c, 'm> {
    arguments: &'a Arguments,
    /// What is to be printed.
    values: Vec<(&'a Wanted, Value)>,
    outcome: Option<&'a Outcome>,
    watcher: Option<&'a Watcher<'c, 'm>>,
}

impl Results<'_, '_, '_> {
    /// For people: the trace, what the shader printed, a line for each print, the profile.
    fn text(&self) -> String {
        let mut shown = String::new();
        if let Some(watcher) = self.watcher {
            shown.push_str(&watcher.trace);
        }
        let Some(outcome) = self.outcome else {
            return shown;
        };
        shown.push_str(outcome.printed());
        for (wanted, value) in &self.values {
            let text = json::text(value);
            shown.push_str(&format!("{}: {text}\n", wanted.label()));
        }
        if let (Some(watcher), true) = (self.watcher, self.arguments.profile) {
            shown.push_str(&watcher.profile());
        }
        shown
    }

    fn document(&self, report: &Value) -> Value {
        let mut document = json!({
            "file": report["file"],
            "ran": self.outcome.is_some(),
            "steps": self.outcome.map(|outcome| outcome.steps),
            "findings": report["diagnostics"],
            "printed": self.outcome.map(|_| self.printed()),
            "output": self.outcome.map(Outcome::printed),
        });
        if let Some(watcher) = self.watcher {
            let lines: Vec<&str> = watcher.trace.lines().collect();
            document["trace"] = json!(lines);
            document["instructions"] = json!(watcher.opcodes());
        }
        document
    }

    fn printed(&self) -> Vec<Value> {
        let one = |(wanted, value): &(&Wanted, Value)| match (wanted.binding(), wanted.ty) {
            (Some(binding), Some(ty)) => json!({
                "set": binding.set,
                "binding": binding.binding,
                "type": ty.name,
                "numbers": value,
            }),
            _ => json!({"name": wanted.label(), "value": value}),
        };
        self.values.iter().map(one).collect()
    }
}
