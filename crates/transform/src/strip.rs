//! Removing what programs don't need to run: names, lines, sources, debug information.

use spirvkit_binary::LiteralString;
use spirvkit_grammar::{Decoration, Op};
use spirvkit_ir::{Inst, Module};

use crate::prune::{Prune, prune};
use crate::remarks::{Remark, Remarks, extended_name};

/// The extension that allows non-semantic instruction sets before version 1.6.
const NON_SEMANTIC_INFO: &str = "SPV_KHR_non_semantic_info";

spirvkit_binary::options! {
    /// What [`strip`] removes. None of it affects what the module computes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Strip {
        /// `OpName` and `OpMemberName`.
        pub names: bool = false,
        /// The source lines and scopes of instructions: `OpLine`, `OpNoLine`, and
        /// `DebugLine`, `DebugNoLine`, `DebugScope` and `DebugNoScope` of the instruction
        /// sets for debug information.
        pub lines: bool = false,
        /// Source texts, and how they were processed: `OpSource`, `OpSourceContinued`,
        /// `OpSourceExtension`, `OpModuleProcessed`, and strings that nothing else uses.
        pub sources: bool = false,
        /// All instructions of the sets for debug information, whether they are
        /// non-semantic (`NonSemantic.Shader.DebugInfo.100`) or not
        /// (`OpenCL.DebugInfo.100`, `DebugInfo`).
        pub debug_info: bool = false,
        /// All instructions of the other non-semantic sets, except for
        /// [`output`](Self::output).
        pub non_semantic: bool = false,
        /// `DebugPrintf` and `DebugBreak`, which people add on purpose to debug a program.
        pub output: bool = false,
        /// Decorations that only give names in the source, or say what belongs together:
        /// `UserSemantic`, `UserTypeGOOGLE`, `CounterBuffer`.
        pub reflection: bool = false,
        /// What nothing uses afterwards, as [`prune`](crate::prune) removes it.
        pub unused: bool = false,
    }
}

impl Strip {
    /// Everything that only describes the source. Debugging output stays, as do reflection
    /// data, which programs that load the module may need, and unused instructions.
    pub const DEBUG: Self = Self {
        names: true,
        lines: true,
        sources: true,
        debug_info: true,
        non_semantic: true,
        output: false,
        reflection: false,
        unused: false,
    };
}

/// Removes what the options select, together with what depends on it: its names and
/// decorations, other non-semantic instructions that use it, imports of sets that are no
/// longer used, and the extension `SPV_KHR_non_semantic_info` if no non-semantic set is left.
/// Returns the number of removed instructions.
///
/// What something else uses stays, such as the string of a `DebugPrintf`.
///
/// This takes time in proportion to the module.
///
/// ```
/// use spirvkit_ir::Module;
/// use spirvkit_transform::{Strip, strip};
///
/// # let words = spirvkit_text::assemble(
/// #     "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpName %f \"number\"\n%f = OpTypeFloat 32\n",
/// #     &Default::default()).unwrap().words;
/// let mut module = Module::load(&words)?; // with one OpName
/// assert_eq!(strip(&mut module, &Strip::DEBUG), 1);
/// # Ok::<(), spirvkit_binary::Error>(())
/// ```
pub fn strip(module: &mut Module, options: &Strip) -> usize {
    let before = module.instructions().count();
    let mut chosen = Chosen::new(module);
    let remarks = Remarks::of(module);
    for inst in module.instructions() {
        if wants(module, &remarks, options, inst) {
            chosen.add(inst);
        }
    }
    chosen.add_dependents(module, &remarks);
    chosen.give_back(module);
    chosen.remove(module);
    remove_imports(module, &remarks, options);
    if options.sources {
        remove_strings(module);
    }
    if options.unused {
        prune(module, &Prune::default());
    }
    before - module.instructions().count()
}

/// Whether an instruction is of a kind that the options name.
fn wants(module: &Module, remarks: &Remarks, options: &Strip, inst: Inst) -> bool {
    match module.op(inst) {
        op if op.is_name() => options.names,
        op if op.is_line() => options.lines,
        Op::Source | Op::SourceContinued | Op::SourceExtension | Op::ModuleProcessed => {
            options.sources
        }
        op if op.is_ext_inst() => match remarks.get(module, inst) {
            Some(Remark::DebugInfo) => {
                options.debug_info || options.lines && is_place(module, inst)
            }
            Some(Remark::Output) => options.output,
            Some(Remark::Other) => options.non_semantic,
            None => false,
        },
        op if op.is_decorate() || op.is_member_decorate() => {
            options.reflection && is_reflection(module, inst)
        }
        _ => false,
    }
}

/// Whether debug information says which line or scope follows.
fn is_place(module: &Module, inst: Inst) -> bool {
    matches!(
        extended_name(module, inst),
        Some("DebugLine" | "DebugNoLine" | "DebugScope" | "DebugNoScope")
    )
}

fn is_reflection(module: &Module, inst: Inst) -> bool {
    let at = match module.op(inst).is_member_decorate() {
        true => 2,
        false => 1,
    };
    let decoration = module.get(inst).operand_words().get(at);
    matches!(
        decoration.copied().map(Decoration),
        Some(Decoration::UserSemantic | Decoration::UserTypeGOOGLE | Decoration::CounterBuffer)
    )
}

/// The instructions that are to go.
struct Chosen {
    is_chosen: Vec<bool>,
    list: Vec<Inst>,
}

impl Chosen {
    fn new(module: &Module) -> Self {
        Self {
            is_chosen: vec![false; module.inst_count()],
            list: Vec::new(),
        }
    }

    fn has(&self, inst: Inst) -> bool {
        self.is_chosen
            .get(inst.index())
            .copied()
            .unwrap_or_default()
    }

    fn add(&mut self, inst: Inst) {
        if let Some(slot) = self.is_chosen.get_mut(inst.index())
            && !std::mem::replace(slot, true)
        {
            self.list.push(inst);
        }
    }

    /// Adds what makes no sense without the result of an instruction that goes.
    fn add_dependents(&mut self, module: &Module, remarks: &Remarks) {
        let mut at = 0;
        while let Some(&inst) = self.list.get(at) {
            at += 1;
            for found in module.uses_of(inst) {
                let is_remark = remarks.get(module, found.inst).is_some();
                if is_remark || module.is_about(found) {
                    self.add(found.inst);
                }
            }
        }
    }

    /// Lets those stay that something uses which stays.
    fn give_back(&mut self, module: &Module) {
        let mut needed: Vec<Inst> = Vec::new();
        let is_needed = |chosen: &Self, inst: Inst| {
            let mut uses = module.uses_of(inst);
            uses.any(|found| !chosen.has(found.inst))
        };
        needed.extend(self.list.iter().filter(|&&inst| is_needed(self, inst)));
        while let Some(inst) = needed.pop() {
            match self.is_chosen.get_mut(inst.index()) {
                Some(slot) if *slot => *slot = false,
                _ => continue,
            }
            module.each_use(inst, |_, id| {
                needed.extend(module.definition(id).filter(|&used| self.has(used)));
            });
        }
    }

    fn remove(&self, module: &mut Module) {
        for &inst in self.list.iter().filter(|&&inst| self.has(inst)) {
            // None of them begins or ends a block or a function.
            let _ = module.remove(inst);
        }
    }
}

/// Removes imports of which nothing is left, among the sets that were to go, and then
/// the extension if no set needs it.
fn remove_imports(module: &mut Module, remarks: &Remarks, options: &Strip) {
    let imports: Vec<Inst> = module
        .globals()
        .filter(|&inst| module.op(inst) == Op::ExtInstImport)
        .collect();
    let mut needs_extension = false;
    let mut removed = false;
    for inst in imports {
        let goes = match remarks.get(module, inst) {
            Some(Remark::DebugInfo) => options.debug_info,
            Some(Remark::Output) => options.output,
            Some(Remark::Other) => options.non_semantic,
            None => continue,
        };
        let is_left = |module: &Module| {
            let has_result = module.result(inst).is_some();
            let mut uses = module.uses_of(inst);
            !has_result || uses.any(|found| !module.is_about(found))
        };
        if !goes || is_left(module) {
            needs_extension |= is_non_semantic(module, inst);
            continue;
        }
        let about: Vec<Inst> = module.uses_of(inst).map(|found| found.inst).collect();
        for inst in about.into_iter().chain([inst]) {
            let _ = module.remove(inst);
        }
        removed = true;
    }
    let all = options.non_semantic && options.debug_info;
    if !needs_extension && (removed || all) {
        remove_extension(module, NON_SEMANTIC_INFO);
    }
}

/// Whether an import is of a set for which the extension is there.
fn is_non_semantic(module: &Module, import: Inst) -> bool {
    let words = module.get(import).operand_words().get(1..);
    let name = words.and_then(LiteralString::at_start_of);
    name.is_some_and(|name| {
        spirvkit_grammar::ExtInstSet::is_non_semantic_name(&name.to_text_lossy())
    })
}

/// Removes an `OpExtension`.
fn remove_extension(module: &mut Module, name: &str) {
    let names = |module: &Module, inst: Inst| {
        let declared = LiteralString::at_start_of(module.get(inst).operand_words());
        declared.is_some_and(|declared| declared.to_text_lossy() == name)
    };
    let found: Vec<Inst> = module
        .globals()
        .filter(|&inst| module.op(inst) == Op::Extension && names(module, inst))
        .collect();
    for inst in found {
        let _ = module.remove(inst);
    }
}

/// Removes strings that nothing uses, and their names.
fn remove_strings(module: &mut Module) {
    let strings: Vec<Inst> = module
        .globals()
        .filter(|&inst| module.op(inst) == Op::String)
        .collect();
    for inst in strings {
        if module.result(inst).is_none() {
            continue;
        }
        let uses: Vec<_> = module.uses_of(inst).collect();
        if uses.iter().all(|&found| module.is_about(found)) {
            for inst in uses.into_iter().map(|found| found.inst).chain([inst]) {
                let _ = module.remove(inst);
            }
        }
    }
}
