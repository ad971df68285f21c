//! Which passes a module goes through, in order.

use std::fmt;
use std::sync::Arc;

use spirvkit_binary::Error;
use spirvkit_ir::Module;

use crate::pass::{Changed, Context, Pass, PassError};
use crate::pipeline::{self, Wanted};
use crate::{Abilities, Optimized, Options, classic};

/// The engine, with some of its abilities.
pub(crate) struct Engine {
    pub(crate) name: &'static str,
    pub(crate) abilities: Abilities,
    pub(crate) wanted: Wanted,
}

impl Pass for Engine {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, module: &mut Module, context: &mut Context<'_>) -> Result<Changed, PassError> {
        let words = module.store();
        let mut options = context.options().clone();
        options.abilities = self.abilities & options.abilities;
        let read = |error: Error| PassError::new(error.to_string());
        let done = pipeline::run(&words, &options, self.wanted).map_err(read)?;
        let (done, old) = done;
        for remark in done.remarks {
            context.remark(remark);
        }
        if let Some(old) = old {
            context.renumbered(old);
        }
        if done.words == words {
            return Ok(Changed::No);
        }
        *module = Module::from_words(done.words).map_err(read)?;
        Ok(Changed::Yes)
    }
}

/// A list of passes.
///
/// ```
/// use spirvkit_opt::{Options, Recipe};
///
/// # let words = spirvkit_text::assemble(
/// #     "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%f = OpTypeFloat 32\n",
/// #     &Default::default()).unwrap().words;
/// let recipe = Recipe::parse("--strip-debug -Os  # and then\n--compact-ids")?;
/// let names: Vec<&str> = recipe.passes().map(|pass| pass.name()).collect();
/// assert_eq!(names, ["strip-debug", "size", "compact-ids"]);
/// let optimized = recipe.run(&words, &Options::default())?;
/// assert!(optimized.words.len() <= words.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Recipe {
    passes: Vec<Arc<dyn Pass>>,
}

impl fmt::Debug for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.passes().map(|pass| pass.name()))
            .finish()
    }
}

/// Why a list of passes can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecipeError {
    /// No pass is called so.
    Unknown {
        /// What was given.
        name: String,
    },
    /// Its argument is missing, or isn't what it takes.
    Argument {
        /// Its name.
        name: String,
        /// What is wrong.
        message: String,
    },
}

impl fmt::Display for RecipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => write!(f, "there is no pass `{name}`"),
            Self::Argument { name, message } => write!(f, "`{name}`: {message}"),
        }
    }
}

impl std::error::Error for RecipeError {}

/// Why a recipe could not be followed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RunError {
    /// The module can't be read.
    Module(Error),
    /// A pass can't do what it was asked for.
    Pass {
        /// Its name.
        pass: String,
        /// Why.
        error: PassError,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Module(error) => error.fmt(f),
            Self::Pass { pass, error } => write!(f, "{pass}: {error}"),
        }
    }
}

impl std::error::Error for RunError {}

impl From<Error> for RunError {
    fn from(error: Error) -> Self {
        Self::Module(error)
    }
}

/// What is told of each pass while a recipe is followed. Whatever is an error ends it.
#[allow(unused_variables)]
pub trait Watch {
    /// A pass is about to run.
    ///
    /// # Errors
    ///
    /// If it must not.
    fn before(&mut self, pass: &dyn Pass, module: &Module) -> Result<(), PassError> {
        Ok(())
    }

    /// A pass has run.
    ///
    /// # Errors
    ///
    /// If what it has made is wrong.
    fn after(
        &mut self,
        pass: &dyn Pass,
        module: &Module,
        changed: Changed,
    ) -> Result<(), PassError> {
        Ok(())
    }
}

/// Nobody watches.
impl Watch for () {}

impl Recipe {
    /// No passes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The optimizer's own pipeline, for the fewest words.
    #[must_use]
    pub fn size() -> Self {
        Self::of(classic::engine("size", Abilities::ALL, Wanted::Smallest))
    }

    /// The same for the fewest executed instructions.
    #[must_use]
    pub fn performance() -> Self {
        Self::of(classic::engine(
            "performance",
            Abilities::ALL,
            Wanted::Fastest,
        ))
    }

    /// What makes the output of an HLSL compiler valid: it inlines all that it can, makes values of
    /// variables, unrolls marked loops, and gives pointers the storage classes of what they lead to.
    #[must_use]
    pub fn legalize_hlsl() -> Self {
        classic::legalize_hlsl()
    }

    fn of(pass: impl Pass + 'static) -> Self {
        let mut recipe = Self::new();
        recipe.push(pass);
        recipe
    }

    /// Adds a pass at the end.
    pub fn push(&mut self, pass: impl Pass + 'static) {
        self.passes.push(Arc::new(pass));
    }

    /// Adds all passes of another recipe.
    pub fn extend(&mut self, other: &Self) {
        self.passes.extend(other.passes.iter().cloned());
    }

    /// Adds what a flag stands for: one of the [classic](classic) passes by its name, or `-O`, `-Os`,
    /// `--legalize-hlsl`. Dashes before a name may be left out; an argument follows `=`.
    ///
    /// # Errors
    ///
    /// If there is no such pass, or its argument is wrong.
    pub fn add(&mut self, flag: &str) -> Result<(), RecipeError> {
        match flag {
            "-O" | "performance" => self.extend(&Self::performance()),
            "-Os" | "size" => self.extend(&Self::size()),
            "--legalize-hlsl" | "legalize-hlsl" => self.extend(&Self::legalize_hlsl()),
            _ => self.passes.push(classic::pass(flag)?),
        }
        Ok(())
    }

    /// The passes that a text lists, between spaces, commas or ends of lines; what is behind a `#`
    /// doesn't count.
    ///
    /// # Errors
    ///
    /// If one isn't known.
    pub fn parse(text: &str) -> Result<Self, RecipeError> {
        let mut recipe = Self::new();
        for flag in flags(text) {
            recipe.add(&flag)?;
        }
        Ok(recipe)
    }

    /// The passes, in order.
    pub fn passes(&self) -> impl Iterator<Item = &dyn Pass> {
        self.passes.iter().map(|pass| &**pass)
    }

    /// How many passes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.passes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.passes.is_empty()
    }

    /// Only the first passes.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        let passes = self.passes.iter().take(count).cloned().collect();
        Self { passes }
    }

    /// The passes from one on.
    #[must_use]
    pub fn skip(&self, count: usize) -> Self {
        let passes = self.passes.iter().skip(count).cloned().collect();
        Self { passes }
    }

    /// Lets a module, given as words in host order, go through all passes.
    ///
    /// # Errors
    ///
    /// If the module can't be read, or a pass can't do what it was asked for.
    pub fn run(&self, words: &[u32], options: &Options) -> Result<Optimized, RunError> {
        self.run_watched(words, options, &mut ())
    }

    /// The same, while somebody watches.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run), or what the watcher has to complain of.
    pub fn run_watched(
        &self,
        words: &[u32],
        options: &Options,
        watch: &mut dyn Watch,
    ) -> Result<Optimized, RunError> {
        let mut module = Module::load(words)?;
        let mut context = Context::new(options, &module);
        for pass in &self.passes {
            let pass = &**pass;
            let told = |error| RunError::Pass {
                pass: pass.name().to_owned(),
                error,
            };
            watch.before(pass, &module).map_err(told)?;
            let changed = pass.run(&mut module, &mut context).map_err(told)?;
            watch.after(pass, &module, changed).map_err(told)?;
        }
        Ok(Optimized {
            words: module.store(),
            remarks: context.into_remarks(),
        })
    }
}

/// The flags in a text, without comments. What is in quotes belongs together.
#[must_use]
pub fn flags(text: &str) -> Vec<String> {
    let mut flags = Vec::new();
    for line in text.lines() {
        let mut flag = String::new();
        let mut is_quoted = false;
        for c in line.chars() {
            match c {
                '"' => is_quoted = !is_quoted,
                '#' if !is_quoted => break,
                _ if !is_quoted && (c.is_whitespace() || c == ',') => {
                    flags.push(std::mem::take(&mut flag));
                }
                _ => flag.push(c),
            }
        }
        flags.push(flag);
    }
    flags.retain(|flag| !flag.is_empty());
    flags
}
