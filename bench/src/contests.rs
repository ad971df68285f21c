//! The comparisons.

use std::hint::black_box;
use std::panic;
use std::time::Duration;

use rspirv::binary::Assemble;
use spirvkit::binary::{HEADER_WORDS, Id};
use spirvkit::ir::Module;
use spirvkit::{AssembleOptions, DisassembleOptions, Indentation, ValidateOptions};
use spirvkit_bench::decode::sum_of_operands;

use crate::competitors::{
    CPP, Cpp, RSPIRV_DISASSEMBLE, RSPIRV_LOAD, RSPIRV_PARSE, RSPIRV_STORE, rspirv_disassemble,
    rspirv_load, rspirv_parse,
};
use crate::cpp_optimizer::optimize_for_size;
use crate::cpp_validator::CppValidator;
use crate::timing::{self, Candidate, Times};
use spirvkit_bench::corpus::{Corpus, bytes_of};

/// What ours is called in the tables.
const OURS: &str = "spirvkit";
pub(crate) const COPY: &str = "copying the words";

/// A comparison's outcome.
pub(crate) struct Contest {
    pub(crate) title: &'static str,
    /// What was compared, and whether the results agreed.
    pub(crate) remarks: Vec<String>,
    /// How many modules were measured, and their size in bytes.
    pub(crate) modules: usize,
    pub(crate) bytes: usize,
    /// The first is ours.
    pub(crate) times: Vec<Times>,
    pub(crate) goal: Goal,
}

/// How many times as fast as a certain candidate ours is to be.
pub(crate) struct Goal(pub(crate) &'static str, pub(crate) f64);

impl Goal {
    const NONE: Self = Self("", 0.0);
}

/// The modules of a comparison.
struct Field<'a> {
    modules: Vec<&'a Vec<u32>>,
    remarks: Vec<String>,
}

impl<'a> Field<'a> {
    /// The modules that all candidates can handle.
    fn new(corpus: &'a Corpus, all_can: impl Fn(&[u32]) -> bool) -> Self {
        // A library that panics can't handle the module; its message is of no
        // interest here.
        let hook = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        let can = |words: &&Vec<u32>| {
            panic::catch_unwind(panic::AssertUnwindSafe(|| all_can(words))).unwrap_or(false)
        };
        let modules: Vec<_> = corpus.modules.iter().filter(can).collect();
        panic::set_hook(hook);
        let mut field = Self {
            modules,
            remarks: Vec::new(),
        };
        let left_out = corpus.modules.len() - field.modules.len();
        if left_out > 0 {
            field.remark(format!(
                "{left_out} more were left out for all, because one of the libraries can't handle \
                 them."
            ));
        }
        field
    }

    fn remark(&mut self, remark: String) {
        self.remarks.push(remark);
    }

    /// Takes every n-th module only, if a round of the slowest candidate, given
    /// by what it does with one module, would take too long.
    fn thin_out(&mut self, budget: Duration, slowest: impl Fn(&[u32])) {
        const PROBE: usize = 32;
        let step = self.modules.len().div_ceil(PROBE).max(1);
        let probe: Vec<_> = self.modules.iter().step_by(step).copied().collect();
        let took = timing::time(|| probe.iter().for_each(|words| slowest(words)));
        let share = bytes_of(probe) as f64 / bytes_of(self.modules.iter().copied()) as f64;
        let round = took.as_secs_f64() / share;
        let every = (round / timing::round_limit(budget).as_secs_f64()).ceil() as usize;
        if every > 1 {
            let sample = self.modules.iter().step_by(every).copied().collect();
            self.modules = sample;
            self.remark(format!(
                "All ran over the same sample, one module of every {every} by path, because the \
                 slowest takes long."
            ));
        }
    }

    fn measure<'b>(
        self,
        title: &'static str,
        goal: Goal,
        mut candidates: Vec<Candidate<'b>>,
        budget: Duration,
    ) -> Contest
    where
        'a: 'b,
    {
        eprintln!("{title}: {} modules …", self.modules.len());
        candidates.push(each(COPY, &self.modules, <[u32]>::to_vec));
        let times = timing::compare(&mut candidates, budget);
        Contest {
            title,
            remarks: self.remarks,
            modules: self.modules.len(),
            bytes: bytes_of(self.modules.iter().copied()),
            times,
            goal,
        }
    }
}

/// A candidate that does something with each module.
fn each<'a, T>(
    name: &'static str,
    modules: &[&'a Vec<u32>],
    work: impl Fn(&[u32]) -> T + 'a,
) -> Candidate<'a> {
    let modules = modules.to_vec();
    Candidate::new(name, move || {
        for words in &modules {
            black_box(work(words));
        }
    })
}

pub(crate) fn decode(corpus: &Corpus, budget: Duration) -> Contest {
    let mut field = Field::new(corpus, |words| {
        sum_of_operands(words).is_ok() && rspirv_load(words).is_some()
    });
    field.remark(
        "spirvkit decodes in place; rspirv's parser makes each instruction and operand a value \
         of its own, and its loader keeps them as a module."
            .to_owned(),
    );
    let modules = field.modules.clone();
    let candidates = vec![
        each(OURS, &modules, sum_of_operands),
        each(RSPIRV_LOAD, &modules, rspirv_load),
        each(RSPIRV_PARSE, &modules, rspirv_parse),
    ];
    field.measure(
        "Decode every operand",
        Goal(RSPIRV_LOAD, 6.0),
        candidates,
        budget,
    )
}

pub(crate) fn load(corpus: &Corpus, budget: Duration) -> Contest {
    let with_uses = |words: &[u32]| {
        let module = Module::load(words).ok()?;
        black_box(module.is_used(Id(1)));
        Some(module)
    };
    let mut field = Field::new(corpus, |words| {
        Module::load(words).is_ok() && rspirv_load(words).is_some()
    });
    field.remark(
        "Makes modules that own their instructions and can be changed. spirvkit finds the uses of \
         ids when they are asked for; rspirv has none."
            .to_owned(),
    );
    let modules = field.modules.clone();
    let candidates = vec![
        each(OURS, &modules, |words| Module::load(words).ok()),
        each("spirvkit, and all uses", &modules, with_uses),
        each(RSPIRV_LOAD, &modules, rspirv_load),
    ];
    let goal = Goal(RSPIRV_LOAD, 5.0);
    field.measure("Load a module to change", goal, candidates, budget)
}

pub(crate) fn store(corpus: &Corpus, budget: Duration) -> Contest {
    let mut field = Field::new(corpus, |words| {
        Module::load(words).is_ok() && rspirv_load(words).is_some()
    });
    field.remark("Such modules are turned into words again.".to_owned());
    let modules = field.modules.clone();
    let ours: Vec<_> = modules
        .iter()
        .flat_map(|words| Module::load(words))
        .collect();
    let theirs: Vec<_> = modules
        .iter()
        .flat_map(|words| rspirv_load(words))
        .collect();
    let candidates = vec![
        Candidate::new(OURS, || {
            ours.iter()
                .for_each(|module| drop(black_box(module.store())));
        }),
        Candidate::new(RSPIRV_STORE, || {
            theirs
                .iter()
                .for_each(|module| drop(black_box(module.assemble())));
        }),
    ];
    let goal = Goal(RSPIRV_STORE, 1.0);
    field.measure("Store a module", goal, candidates, budget)
}

pub(crate) fn disassemble_friendly(corpus: &Corpus, budget: Duration) -> Contest {
    disassemble(corpus, budget, "Disassemble, friendly names", true)
}

pub(crate) fn disassemble_raw(corpus: &Corpus, budget: Duration) -> Contest {
    disassemble(corpus, budget, "Disassemble, raw ids", false)
}

fn disassemble(corpus: &Corpus, budget: Duration, title: &'static str, friendly: bool) -> Contest {
    let cpp = Cpp::new();
    let options = DisassembleOptions::default().friendly_names(friendly);
    let ours = |words: &[u32]| Some(spirvkit::disassemble(words, &options).ok()?.text);
    let theirs = |words: &[u32]| cpp.disassemble(words, friendly);
    let mut field = Field::new(corpus, |words| {
        ours(words).is_some() && theirs(words).is_some()
    });
    field.thin_out(budget, |words| drop(black_box(theirs(words))));
    let is_equal = |words: &&&Vec<u32>| ours(words) == theirs(words);
    let equal = field.modules.iter().filter(is_equal).count();
    let other_grammar = match equal == field.modules.len() {
        true => "",
        false => " (The crate's SPIRV-Tools has another revision of the grammar.)",
    };
    field.remark(format!(
        "The two texts are equal, byte for byte, for {equal} of {} modules.{other_grammar}",
        field.modules.len()
    ));
    let modules = field.modules.clone();
    let candidates = vec![each(OURS, &modules, ours), each(CPP, &modules, theirs)];
    field.measure(title, Goal(CPP, 20.0), candidates, budget)
}

pub(crate) fn disassemble_like_rspirv(corpus: &Corpus, budget: Duration) -> Contest {
    let options = DisassembleOptions::default()
        .friendly_names(false)
        .indentation(Indentation::None);
    let ours = |words: &[u32]| Some(spirvkit::disassemble(words, &options).ok()?.text);
    let mut field = Field::new(corpus, |words| {
        ours(words).is_some() && rspirv_disassemble(words).is_some()
    });
    field.remark("rspirv writes some operands in other forms.".to_owned());
    let modules = field.modules.clone();
    let candidates = vec![
        each(OURS, &modules, ours),
        each(RSPIRV_DISASSEMBLE, &modules, rspirv_disassemble),
    ];
    let title = "Disassemble, raw ids, no columns";
    field.measure(title, Goal::NONE, candidates, budget)
}

pub(crate) fn assemble(corpus: &Corpus, budget: Duration) -> Contest {
    let cpp = Cpp::new();
    let raw = DisassembleOptions::default().friendly_names(false);
    let text_of = |words: &[u32]| Some(spirvkit::disassemble(words, &raw).ok()?.text);
    let options = AssembleOptions::default();
    let ours = |text: &str| Some(spirvkit::assemble(text, &options).ok()?.words);
    let theirs = |text: &str| cpp.assemble(text);
    let mut field = Field::new(corpus, |words| {
        text_of(words).is_some_and(|text| ours(&text).is_some() && theirs(&text).is_some())
    });
    field.thin_out(budget, |words| {
        black_box(text_of(words).map(|text| theirs(&text).is_some()));
    });
    let texts: Vec<String> = field
        .modules
        .iter()
        .filter_map(|words| text_of(words))
        .collect();
    let both = || field.modules.iter().zip(&texts);
    let exact = both()
        .filter(|(words, text)| ours(text).as_ref() == Some(words))
        .count();
    // SPIRV-Tools writes a header of its own.
    let body_is_same = |(words, text): &(&&Vec<u32>, &String)| {
        theirs(text).is_some_and(|again| again.as_ref()[HEADER_WORDS..] == words[HEADER_WORDS..])
    };
    let same_body = both().filter(body_is_same).count();
    field.remark(format!(
        "The text is that of disassembly with raw ids. spirvkit gives back the module, word for \
         word, for {exact} of {0}, SPIRV-Tools all words but the header's for {same_body} of {0}.",
        texts.len()
    ));
    let candidates = vec![
        Candidate::new(OURS, || {
            texts.iter().for_each(|text| drop(black_box(ours(text))))
        }),
        Candidate::new(CPP, || {
            texts.iter().for_each(|text| drop(black_box(theirs(text))))
        }),
    ];
    field.measure("Assemble", Goal(CPP, 20.0), candidates, budget)
}

pub(crate) fn validate(corpus: &Corpus, budget: Duration) -> Contest {
    let cpp = CppValidator::for_env(vulkan_1_3().env).expect("the library has Vulkan 1.3");
    let options = vulkan_1_3();
    let ours = |words: &[u32]| spirvkit::validate(words, &options).is_valid();
    let theirs = |words: &[u32]| cpp.check(words).is_ok();
    let mut field = Field::new(corpus, |words| ours(words) && theirs(words));
    field.thin_out(budget, |words| {
        black_box(theirs(words));
    });
    field.remark("Environment vulkan1.3; all these modules are valid to both.".to_owned());
    let modules = field.modules.clone();
    let candidates = vec![each(OURS, &modules, ours), each(CPP, &modules, theirs)];
    field.measure("Validate", Goal(CPP, 22.0), candidates, budget)
}

pub(crate) fn reflect(corpus: &Corpus, budget: Duration) -> Contest {
    let cpp = CppValidator::for_env(vulkan_1_3().env).expect("the library has Vulkan 1.3");
    let ours = |words: &[u32]| spirvkit::reflect(words).is_ok();
    let theirs = |words: &[u32]| cpp.check(words).is_ok();
    let mut field = Field::new(corpus, |words| ours(words) && theirs(words));
    field.thin_out(budget, |words| {
        black_box(theirs(words));
    });
    field.remark(
        "All that there is to tell of a module, against how long the C++ library takes to \
         validate it: reflecting a module should cost little beside that."
            .to_owned(),
    );
    let modules = field.modules.clone();
    let candidates = vec![each(OURS, &modules, ours), each(CPP, &modules, theirs)];
    let title = "Reflect, against validation in C++";
    field.measure(title, Goal(CPP, 20.0), candidates, budget)
}

/// Over modules of their own: optimizing is for what a compiler writes without doing so itself.
pub(crate) fn optimize(corpus: &Corpus, budget: Duration) -> Contest {
    let mut options = spirvkit::opt::Options::default();
    options.level = spirvkit::opt::Level::Size;
    let ours = |words: &[u32]| Some(spirvkit::opt::optimize(words, &options).ok()?.words);
    let theirs = optimize_for_size;
    let mut field = Field::new(corpus, |words| {
        ours(words).is_some() && theirs(words).is_some()
    });
    field.thin_out(budget, |words| drop(black_box(theirs(words))));
    let bytes = bytes_of(field.modules.iter().copied());
    let share = |sizes: Vec<usize>| 400.0 * sizes.iter().sum::<usize>() as f64 / bytes as f64;
    let words = || field.modules.iter();
    let our_share = share(words().filter_map(|it| Some(ours(it)?.len())).collect());
    let their_share = share(words().filter_map(|it| Some(theirs(it)?.len())).collect());
    field.remark(format!(
        "Of `{}`, modules as their compilers write them. What spirvkit makes of them has \
         {our_share:.1} % of their bytes together, what the C++ library makes {their_share:.1} %.",
        corpus.name
    ));
    let modules = field.modules.clone();
    let candidates = vec![each(OURS, &modules, ours), each(CPP, &modules, theirs)];
    field.measure("Optimize for size", Goal(CPP, 10.0), candidates, budget)
}

/// What all comparisons of validators go by.
pub(crate) fn vulkan_1_3() -> ValidateOptions {
    ValidateOptions::for_env("vulkan1.3".parse().expect("the environment is known"))
}
