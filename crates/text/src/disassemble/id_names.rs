//! The disassembler's names of ids, for programs that show ids, and the way back from what
//! users write.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use spirvkit_binary::{Id, Instruction, LiteralString, Module};
use spirvkit_diagnostics::similar;
use spirvkit_grammar::Op;

use super::names::{Names, SHORT, as_number};
use crate::assemble::Origins;

/// The disassembler's names of the ids of a module.
///
/// ```
/// use spirvkit_binary::Id;
/// use spirvkit_text::{IdNames, assemble};
///
/// let text = "OpName %5 \"f(u1;\"\n%4 = OpTypeFloat 32\n%5 = OpConstant %4 1\n%6 = OpUndef %4\n";
/// let words = assemble(text, &Default::default()).unwrap().words;
/// let names = IdNames::new(&words);
/// assert_eq!(names.get(Id(4)), Some("float"));
/// assert_eq!(names.show(Id(6)), "%6");
/// assert_eq!(names.show_in("%4 of %5, 100%"), "%float of %f_u1_, 100%");
/// for text in ["%f_u1_", "f_u1_", "%5", "5", "f(u1;"] {
///     assert_eq!(names.find(text, |_| true).one(), Some(Id(5)), "{text}");
/// }
/// ```
#[derive(Clone)]
pub struct IdNames<'m> {
    pub(super) names: Names,
    module: Option<Module<'m>>,
    /// By what else an id may be meant that has another name here.
    others: Option<Box<IdNames<'m>>>,
}

impl fmt::Debug for IdNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdNames").finish_non_exhaustive()
    }
}

/// The ids that a user may mean by a text: `%main`, `main`, `%12`, `12`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Meant {
    /// The id that the disassembler writes so, or else the one with this number.
    pub exact: Option<Id>,
    /// The other ids with this name: by `OpName`, or by their number.
    pub others: Vec<Id>,
}

impl Meant {
    /// The id that is meant, unless there is none, or none of several is exactly what
    /// the disassembler writes.
    pub fn one(&self) -> Option<Id> {
        self.exact.or(match self.others[..] {
            [id] => Some(id),
            _ => None,
        })
    }

    /// All ids that may be meant.
    pub fn all(&self) -> impl Iterator<Item = Id> + '_ {
        self.exact.into_iter().chain(self.others.iter().copied())
    }
}

impl<'m> IdNames<'m> {
    /// Names of at most this many bytes are never [left out](Self::given), however often they
    /// are used.
    pub const SHORT: usize = SHORT;

    /// The names that the disassembler gives the ids of a module, in words in host
    /// order. Without a header there are none.
    pub fn new(words: &'m [u32]) -> Self {
        let module = Module::new(words).ok();
        let names = module.as_ref().map_or(Names::Raw, Names::friendly);
        Self {
            names,
            module,
            others: None,
        }
    }

    /// No names: ids are shown by their numbers.
    pub fn numbers(words: &'m [u32]) -> Self {
        Self {
            names: Names::Raw,
            module: Module::new(words).ok(),
            others: None,
        }
    }

    /// Names that a program chooses, except those that are too long for how often they are
    /// used: the text of a module stays in proportion to it. Names should be unique and
    /// consist of letters, digits and underscores.
    pub fn given<'n>(words: &'m [u32], names: impl IntoIterator<Item = (Id, &'n str)>) -> Self {
        let module = Module::new(words).ok();
        let names = module
            .as_ref()
            .map_or(Names::Raw, |module| Names::given(module, names.into_iter()));
        Self {
            names,
            module,
            others: None,
        }
    }

    /// The names that ids have in the text that was assembled to these words.
    /// [`find`](Self::find) accepts the disassembler's names, too.
    pub fn of_text(words: &'m [u32], origins: &Origins) -> Self {
        Self {
            others: Some(Box::new(Self::new(words))),
            ..Self::given(words, origins.names())
        }
    }

    /// An id's name, without the percent sign; `None` if it is shown by its number.
    pub fn get(&self, id: Id) -> Option<&str> {
        self.names.get(id)
    }

    /// An id as the disassembler writes it: `%main`, or `%12`.
    pub fn show(&self, id: Id) -> String {
        match self.get(id) {
            Some(name) => format!("%{name}"),
            None => id.to_string(),
        }
    }

    /// A sentence that has ids as numbers (`%12`), with their names instead.
    pub fn show_in<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut shown = String::new();
        let mut rest = text;
        let mut last = ' ';
        while let Some((before, after)) = rest.split_once('%') {
            last = before.chars().next_back().unwrap_or(last);
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            let (number, behind) = after.split_at(digits);
            let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '%';
            let stands_alone = !is_word(last) && !behind.starts_with(is_word);
            let name = as_number(number).filter(|_| stands_alone);
            shown.push_str(before);
            shown.push('%');
            shown.push_str(name.and_then(|id| self.get(id)).unwrap_or(number));
            last = number.chars().next_back().unwrap_or('%');
            rest = behind;
        }
        match shown.is_empty() {
            true => Cow::Borrowed(text),
            false => Cow::Owned(shown + rest),
        }
    }

    /// The ids that a user may mean by a text, of those that are `wanted`: what the
    /// disassembler writes, with or without the percent sign, a number, or a name as
    /// `OpName` has it.
    pub fn find(&self, text: &str, mut wanted: impl FnMut(Id) -> bool) -> Meant {
        let plain = text.strip_prefix('%').unwrap_or(text);
        let number = as_number(plain);
        let mut shown = None;
        let mut others = Vec::new();
        let mut seen = HashSet::new();
        for instruction in self.instructions() {
            let named = named(&instruction);
            let defined = instruction.result();
            for id in [named.map(|(id, _)| id), defined].into_iter().flatten() {
                let is_shown_so = match self.get(id) {
                    Some(name) => name == plain,
                    None => Some(id) == number,
                };
                if is_shown_so && wanted(id) {
                    shown = Some(id);
                }
            }
            if let Some((id, name)) = named
                && name.bytes().eq(plain.bytes())
                && wanted(id)
                && seen.insert(id)
            {
                others.push(id);
            }
            if let Some(id) = defined.filter(|id| Some(*id) == number)
                && wanted(id)
                && seen.insert(id)
            {
                others.push(id);
            }
        }
        let exact = shown.or(others.iter().copied().find(|id| Some(*id) == number));
        others.retain(|id| Some(*id) != exact);
        match &self.others {
            Some(other) if exact.is_none() && others.is_empty() => other.find(text, wanted),
            _ => Meant { exact, others },
        }
    }

    /// The ids with the names most like a text, of those that are `wanted`; the best
    /// comes first.
    pub fn similar(&self, text: &str, mut wanted: impl FnMut(Id) -> bool) -> Vec<Id> {
        let plain = text.strip_prefix('%').unwrap_or(text);
        let ids = self.defined();
        let named = ids.filter_map(|id| Some((self.get(id)?, id)));
        let wanted = named.filter(|(_, id)| wanted(*id));
        similar(plain, wanted)
    }

    /// All ids that an instruction defines, in the module's order.
    pub fn defined(&self) -> impl Iterator<Item = Id> + '_ {
        self.instructions().filter_map(|it| it.result())
    }

    fn instructions(&self) -> impl Iterator<Item = Instruction<'m>> + '_ {
        let all = self.module.iter().flat_map(Module::instructions);
        all.map_while(Result::ok)
    }
}

/// What an `OpName` names, and how.
fn named<'m>(instruction: &Instruction<'m>) -> Option<(Id, LiteralString<'m>)> {
    match (instruction.op(), instruction.operand_words()) {
        (Op::Name, [id, text @ ..]) => Some((Id(*id), LiteralString::at_start_of(text)?)),
        _ => None,
    }
}
