//! What to call things in messages. Nothing here is made unless there is an
//! error to tell.

use spirvkit_analysis::index::spelling::{Names, Speller};
use spirvkit_binary::{Definition, Id, Import};
use spirvkit_diagnostics::{similar, with_article};
use spirvkit_grammar::{ExtInstSet, InstructionInfo, Op};

use super::{Inst, Lookup, Module, Type};

/// Names longer than this are cut.
const MAX_LENGTH: usize = 60;

/// What an id is called.
enum Name {
    /// By the caller: no two ids are called so.
    Given(String),
    /// By `OpName`.
    Debug(String),
}

impl Name {
    fn text(&self) -> &str {
        match self {
            Self::Given(name) | Self::Debug(name) => name,
        }
    }
}

impl Module<'_> {
    /// An id for a message: its name in the assembly text that the module was made
    /// from, or its number and, if it has one, its debug name.
    pub(crate) fn name(&self, id: Id) -> String {
        self.mention(id);
        self.shown(id)
    }

    /// The same where the message would be as true of another id.
    pub(crate) fn shown(&self, id: Id) -> String {
        match self.own_name(id) {
            Some(Name::Given(name)) => format!("`%{}`", shorten(&name)),
            Some(Name::Debug(name)) => format!("`%{}` (\"{}\")", id.0, shorten(&name)),
            None => format!("`%{}`", id.0),
        }
    }

    /// What an id is called if that isn't its number.
    fn own_name(&self, id: Id) -> Option<Name> {
        if let Some(name) = self.given_names.and_then(|name| name(id)) {
            return Some(Name::Given(name));
        }
        let name = self.name_of(id)?.to_text_lossy();
        (!name.is_empty()).then_some(Name::Debug(name))
    }

    /// The id with a definition whose name is most like that of an id without one.
    pub(crate) fn most_like(&self, id: Id) -> Option<Id> {
        // With shorter names, any two are alike.
        const SHORTEST: usize = 3;
        let wanted = self.own_name(id)?;
        if wanted.text().len() < SHORTEST {
            return None;
        }
        let defined = self.all_instructions().filter_map(|inst| inst.result());
        let named = defined.filter_map(|id| Some((id, self.own_name(id)?)));
        let named: Vec<(Id, Name)> = named.collect();
        let named = named.iter().map(|(id, name)| (name.text(), *id));
        similar(wanted.text(), named).into_iter().next()
    }

    /// Notes that the message in the making speaks of an id.
    pub(crate) fn mention(&self, id: Id) {
        self.mentions.borrow_mut().push(self.def_offset(id));
    }

    /// A type as all messages write it: `vec2`, `float[4]`.
    pub(crate) fn show_type(&self, ty: Id) -> String {
        match self.ty(ty) {
            Type::None => format!("{}, which is not a type", self.name(ty)),
            _ => Speller::new(&**self, self).spell(ty),
        }
    }

    /// A value and its type: "`%7` of type float".
    pub(crate) fn show_value(&self, id: Id) -> String {
        // A function's type would be read as that of a value.
        let ty = self.type_of(id).filter(|_| self.op_of(id) != Op::Function);
        match ty {
            Some(ty) => format!("{} of type {}", self.name(id), self.show_type(ty)),
            None => match self.def(id) {
                Some(def) => format!("{}, an {}", self.name(id), def.op()),
                None => self.name(id),
            },
        }
    }

    /// What an operand is: types as such, and instructions of sets that give nothing, by
    /// their names.
    #[cold]
    pub(crate) fn show_operand(&self, id: Id) -> String {
        if self.op_of(id).is_type() {
            return format!("the type {}", self.show_type(id));
        }
        let def = self.def(id).filter(|def| def.op().is_ext_inst());
        let def = def.filter(|def| self.is_void(def.result_type().unwrap_or(Id(0))));
        match def.and_then(|def| self.extended(&def)) {
            Some((_, Some(info))) => format!("{}, {}", self.name(id), with_article(info.name())),
            _ => self.show_value(id),
        }
    }

    /// The set that is imported as an id, if the grammar has it.
    #[inline]
    pub(crate) fn known_set(&self, import: Id) -> Option<ExtInstSet> {
        match self.definitions.get(import) {
            Definition::Import(Import::Known(set)) => Some(set),
            _ => None,
        }
    }

    /// The set of an extended instruction, and the instruction in it, as far as the
    /// grammar has them.
    fn extended(&self, inst: &Inst<'_>) -> Option<(ExtInstSet, Option<&'static InstructionInfo>)> {
        let set = self
            .known_set(inst.id(0))
            .filter(|_| inst.op().is_ext_inst())?;
        Some((set, set.instruction(inst.arg(1))))
    }

    /// What an instruction is called: its opcode, or its name and that of its set.
    #[cold]
    pub(crate) fn title_of(&self, inst: &Inst<'_>) -> String {
        let number = inst.arg(1);
        match self.extended(inst) {
            Some((set, Some(info))) => format!("{} of `{}`", info.name(), set_title(set)),
            Some((set, None)) => format!("instruction {number} of `{}`", set_title(set)),
            None if inst.op().is_ext_inst() => {
                format!("instruction {number} of {}", self.name(inst.id(0)))
            }
            None => inst.op().to_string(),
        }
    }

    /// What the grammar calls an operand, counted from 0 behind the result.
    #[cold]
    pub(crate) fn operand_name(&self, inst: &Inst<'_>, index: usize) -> String {
        let (operands, index) = match (self.extended(inst), inst.op().info()) {
            // Set and number come first.
            (Some((_, info)), _) => {
                let operands = info.map_or(&[][..], InstructionInfo::operands);
                (operands, index.saturating_sub(2))
            }
            (None, Some(info)) => {
                let first = inst.op().first_argument() - 1;
                (info.operands().get(first..).unwrap_or_default(), index)
            }
            (None, None) => (&[][..], index),
        };
        match operands.get(index).map_or("", |operand| operand.name()) {
            "" => format!("operand {}", index + 1),
            name => format!("operand `{name}`"),
        }
    }
}

/// A set for a message: its import name without the dot before a version.
pub(crate) fn set_title(set: ExtInstSet) -> &'static str {
    set.import_name().trim_end_matches('.')
}

/// What messages call that isn't spelled out, and what they speak of.
impl Names for Module<'_> {
    fn id(&self, out: &mut String, id: Id) {
        out.push_str(&self.name(id));
    }

    fn string(&self, out: &mut String, text: &str) {
        out.push_str(&shorten(text));
    }

    fn speaks_of(&self, id: Id) {
        self.mention(id);
    }
}

/// A name, or the beginning of a long one.
pub(crate) fn shorten(name: &str) -> String {
    match name.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}
