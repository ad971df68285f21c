//! Symbols: what modules import and export, and which import gets which definition.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use spirvkit_binary::{Id, Section, Value};
use spirvkit_grammar::{Decoration, LinkageType, Op};
use spirvkit_ir::Inst;

use super::error::{ErrorLog, LinkError, LinkErrorKind, brief, list};
use super::graph::each_target;
use super::program::{NONE, Part, Program};

/// A function or variable with linkage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol {
    pub(super) node: u32,
    pub(super) linkage: LinkageType,
}

/// All symbols of one name.
pub(super) struct Name {
    pub(super) text: Arc<str>,
    /// In the order of the modules.
    symbols: Vec<Symbol>,
    /// The one that stands for all.
    chosen: u32,
    /// Whether that is a definition.
    pub(super) is_defined: bool,
}

impl Name {
    /// The symbols that give way to the chosen one.
    pub(super) fn others(&self) -> impl Iterator<Item = Symbol> + '_ {
        let symbols = self.symbols.iter().copied();
        symbols.filter(|symbol| symbol.node != self.chosen)
    }

    pub(super) fn chosen(&self) -> u32 {
        self.chosen
    }
}

/// The symbols of all modules.
pub(super) struct Symbols {
    /// In the order of their first appearance.
    pub(super) names: Vec<Name>,
    /// Which name a linkage decoration gives, by module and instruction.
    decorations: HashMap<(u32, Inst), (u32, LinkageType)>,
    /// By node: whether it stands for a built-in value.
    builtins: Vec<bool>,
}

impl Symbols {
    /// Finds all symbols, and what is wrong with any of them by itself.
    pub(super) fn collect(program: &Program<'_>, errors: &mut ErrorLog) -> Self {
        let mut symbols = Self {
            names: Vec::new(),
            decorations: HashMap::new(),
            builtins: vec![false; program.node_count()],
        };
        let mut known = HashMap::new();
        for (module, part) in program.parts.iter().enumerate() {
            symbols.collect_from(program, (module as u32, part), &mut known, errors);
        }
        symbols
    }

    fn collect_from(
        &mut self,
        program: &Program<'_>,
        (module, part): (u32, &Part<'_>),
        known: &mut HashMap<Vec<u8>, u32>,
        errors: &mut ErrorLog,
    ) {
        // What ids, groups among them, are decorated with, in the module's order.
        let mut linked: BTreeMap<Id, (u32, LinkageType)> = BTreeMap::new();
        let mut members: Vec<(Id, Id)> = Vec::new();
        for &inst in part.section(Section::Annotations) {
            each_target(part, inst, |target, group| {
                if let Some((group, _)) = group {
                    members.push((target, group));
                }
            });
            let (Op::Decorate, Some(target)) = (part.module.op(inst), part.id(inst, 1)) else {
                continue;
            };
            match part.id(inst, 2).map(|word| Decoration(word.0)) {
                Some(Decoration::BuiltIn) => {
                    if let Some(node) = part.node(target) {
                        self.builtins[node as usize] = true;
                    }
                }
                Some(Decoration::LinkageAttributes) => {
                    let Some((bytes, linkage)) = linkage(part, inst) else {
                        continue;
                    };
                    let text = String::from_utf8_lossy(&bytes).into();
                    let name = *known.entry(bytes).or_insert_with(|| {
                        self.names.push(Name {
                            text,
                            symbols: Vec::new(),
                            chosen: NONE,
                            is_defined: false,
                        });
                        self.names.len() as u32 - 1
                    });
                    self.decorations.insert((module, inst), (name, linkage));
                    if let Some(&(other, _)) = linked.get(&target) {
                        errors.push(self.repeated(part, other, name));
                        continue;
                    }
                    linked.insert(target, (name, linkage));
                }
                _ => {}
            }
        }
        let direct: Vec<_> = linked.iter().map(|(&id, &linkage)| (id, linkage)).collect();
        for (id, linkage) in direct {
            let is_group = part.module.definition(id).map(|it| part.module.op(it))
                == Some(Op::DecorationGroup);
            if !is_group {
                self.add(program, part, id, linkage, errors);
            }
        }
        for (target, group) in members {
            let Some(&(name, linkage)) = linked.get(&group) else {
                continue;
            };
            if let Some(&(other, _)) = linked.get(&target) {
                errors.push(self.repeated(part, other, name));
                continue;
            }
            self.add(program, part, target, (name, linkage), errors);
        }
    }

    fn text(&self, name: u32) -> Arc<str> {
        let name = self.names.get(name as usize);
        name.map_or_else(|| "".into(), |name| Arc::clone(&name.text))
    }

    fn repeated(&self, part: &Part<'_>, first: u32, second: u32) -> LinkError {
        let (first, second) = (self.text(first), self.text(second));
        let module = part.name;
        let message = format!(
            "an id of `{module}` has two linkage names, {}",
            list([&*brief(&first), &brief(&second)])
        );
        LinkError::new(LinkErrorKind::RepeatedLinkage, message)
            .about(&second)
            .in_modules([module])
    }

    /// Adds a symbol, if it is one.
    fn add(
        &mut self,
        program: &Program<'_>,
        part: &Part<'_>,
        id: Id,
        (name, linkage): (u32, LinkageType),
        errors: &mut ErrorLog,
    ) {
        let symbol = part.node(id).map(|node| Symbol { node, linkage });
        let text = self.text(name);
        let problem = match symbol {
            None => Some((
                LinkErrorKind::NotLinkable,
                "is neither a function nor a variable of the module".into(),
            )),
            Some(symbol) => problem(program, symbol),
        };
        if let Some((kind, what)) = problem {
            let message = format!("`{}` in `{}` {what}", brief(&text), part.name);
            errors.push(
                LinkError::new(kind, message)
                    .about(&text)
                    .in_modules([part.name]),
            );
            return;
        }
        if let (Some(symbol), Some(name)) = (symbol, self.names.get_mut(name as usize)) {
            name.symbols.push(symbol);
        }
    }

    /// Chooses the definition for each name: an export before weak ones before those
    /// of which any will do, and where there are only imports, the first of them.
    pub(super) fn choose(
        &mut self,
        program: &Program<'_>,
        allow_unresolved: bool,
        errors: &mut ErrorLog,
    ) {
        for name in &mut self.names {
            let strength = |symbol: &Symbol| match symbol.linkage {
                LinkageType::Export => 0,
                LinkageType::WeakAMD => 1,
                LinkageType::LinkOnceODR => 2,
                _ => 3,
            };
            let Some(&chosen) = name.symbols.iter().min_by_key(|symbol| strength(symbol)) else {
                continue;
            };
            name.chosen = chosen.node;
            name.is_defined = chosen.linkage != LinkageType::Import;
            let strong: Vec<&str> = name
                .symbols
                .iter()
                .filter(|symbol| symbol.linkage == LinkageType::Export)
                .map(|symbol| program.name_of(symbol.node))
                .collect();
            if strong.len() > 1 {
                errors.push(duplicate(&name.text, &strong));
            }
            let is_builtin = self.builtins.get(chosen.node as usize) == Some(&true);
            if !name.is_defined && !allow_unresolved && !is_builtin {
                errors.push(unresolved(program, name));
            }
        }
    }

    /// Whether a decoration is linkage.
    pub(super) fn has_linkage(&self, module: usize, inst: Inst) -> bool {
        self.decorations.contains_key(&(module as u32, inst))
    }

    /// Whether a decoration is linkage that the result has no longer.
    pub(super) fn is_resolved(
        &self,
        module: usize,
        inst: Inst,
        keep_exports: bool,
        keep_imports: bool,
    ) -> bool {
        let Some(&(name, linkage)) = self.decorations.get(&(module as u32, inst)) else {
            return false;
        };
        let is_defined = self
            .names
            .get(name as usize)
            .is_some_and(|name| name.is_defined);
        match linkage {
            LinkageType::Import => is_defined || !keep_imports,
            _ => !keep_exports,
        }
    }
}

/// The name and the linkage type that a decoration gives.
fn linkage(part: &Part<'_>, inst: Inst) -> Option<(Vec<u8>, LinkageType)> {
    let mut name = None;
    for operand in part.module.operands(inst).map_while(Result::ok) {
        match operand.value {
            Value::String(string) => name = Some(string.bytes().collect()),
            Value::Enumerant { value, .. } if name.is_some() => {
                return Some((name?, LinkageType(value)));
            }
            _ => {}
        }
    }
    None
}

/// What is wrong with a symbol, whatever others there are (specification, section
/// 2.16.1).
fn problem(program: &Program<'_>, symbol: Symbol) -> Option<(LinkErrorKind, String)> {
    let op = program.op(symbol.node);
    let is_import = match symbol.linkage {
        LinkageType::Import => true,
        LinkageType::Export | LinkageType::LinkOnceODR | LinkageType::WeakAMD => false,
        unknown => {
            let what = format!("has the unknown linkage type {}", unknown.0);
            return Some((LinkErrorKind::UnknownLinkage, what));
        }
    };
    if op.is_variable() {
        // A variable without type of what it holds has the type among its operands.
        let untyped = usize::from(op == Op::UntypedVariableKHR);
        let is_initialized = program.word(symbol.node, 4 + untyped) != 0;
        let what = "is an imported variable, but has an initializer";
        return (is_import && is_initialized)
            .then(|| (LinkErrorKind::ImportWithInitializer, what.into()));
    }
    let Some((part, function)) = program.function(symbol.node) else {
        let what = format!("is neither a function nor a variable of the module, but an {op}");
        return Some((LinkErrorKind::NotLinkable, what));
    };
    match (is_import, part.module.entry_block(function).is_some()) {
        (true, true) => {
            let what = "is an imported function, but has a body";
            Some((LinkErrorKind::ImportWithBody, what.into()))
        }
        (false, false) => {
            let what = "is an exported function, but has no body";
            Some((LinkErrorKind::ExportWithoutBody, what.into()))
        }
        _ => None,
    }
}

fn duplicate(symbol: &Arc<str>, modules: &[&str]) -> LinkError {
    let distinct = each_once(modules.iter().copied());
    let shown = brief(symbol);
    let message = match &*distinct {
        [module] => format!(
            "`{shown}` is exported {} times by `{module}`",
            modules.len()
        ),
        modules => format!(
            "`{shown}` is exported by {} modules: {}",
            modules.len(),
            list(modules.iter().copied())
        ),
    };
    LinkError::new(LinkErrorKind::Duplicate, message)
        .about(symbol)
        .in_modules(distinct)
}

fn unresolved(program: &Program<'_>, name: &Name) -> LinkError {
    let importers = each_once((name.symbols.iter()).map(|symbol| program.name_of(symbol.node)));
    let symbol = &name.text;
    let message = format!(
        "`{}` is imported by {}, but no module exports it",
        brief(symbol),
        list(importers.iter().copied())
    );
    LinkError::new(LinkErrorKind::Unresolved, message)
        .about(symbol)
        .in_modules(importers)
}

/// Each name once. Symbols come module by module, so equal ones stand side by side.
pub(super) fn each_once<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.dedup();
    names
}
