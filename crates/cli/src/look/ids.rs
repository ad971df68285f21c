//! Which ids users mean, and what to say when that is unclear.

use spirvkit::Diagnostic;
use spirvkit::binary::Id;
use spirvkit::diagnostics::{Kind, with_article};
use spirvkit::text::IdNames;

use crate::report::kinds;

/// How many names to list.
const LISTED: usize = 8;

/// Why nothing was found, or what else may have been meant.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    kind: &'static Kind,
    is_warning: bool,
    message: String,
    help: Option<String>,
}

impl Trouble {
    pub(crate) fn new(kind: &'static Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            is_warning: false,
            message: message.into(),
            help: None,
        }
    }

    /// What was asked for is not there.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(&kinds::NOT_FOUND, message)
    }

    /// Several things may be meant.
    pub(crate) fn ambiguous(message: impl Into<String>) -> Self {
        Self::new(&kinds::AMBIGUOUS, message)
    }

    /// A file that is asked for can't be written.
    pub(crate) fn unwritten(name: &str, error: &std::io::Error) -> Self {
        Self::new(&kinds::WRITE, format!("can't write {name}: {error}"))
    }

    /// Something was found, but there is something to say of it.
    pub(crate) fn into_warning(self) -> Self {
        let is_warning = true;
        Self { is_warning, ..self }
    }

    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        let help = Some(help.into());
        Self { help, ..self }
    }

    pub(crate) fn diagnostic(&self) -> Diagnostic {
        let diagnostic = match self.is_warning {
            true => self.kind.warning(self.message.clone()),
            false => self.kind.error(self.message.clone()),
        };
        match &self.help {
            Some(help) => diagnostic.with_help(help.clone()),
            None => diagnostic,
        }
    }
}

/// The ids that a command is about.
pub(crate) struct Ids<'a> {
    pub(crate) names: &'a IdNames<'a>,
    /// What they are called: `function`.
    pub(crate) noun: &'a str,
    /// Whether an id is one of them.
    pub(crate) is_one: &'a dyn Fn(Id) -> bool,
}

impl Ids<'_> {
    /// The one that a text means, which is a name or a number, with or without the
    /// percent sign; and a warning if others have this name in the module, too.
    pub(crate) fn one(&self, text: &str) -> Result<(Id, Option<Trouble>), Trouble> {
        let meant = self.names.find(text, self.is_one);
        if let Some(id) = meant.one() {
            let others = (!text.starts_with('%')).then_some(&meant.others);
            let others: Vec<Id> = others.into_iter().flatten().copied().collect();
            let warning = (!others.is_empty() && meant.exact.is_some()).then(|| {
                let message = format!("`{text}` is also the name of {}", self.list(&others, "and"));
                Trouble::ambiguous(message).into_warning()
            });
            return Ok((id, warning));
        }
        let all: Vec<Id> = meant.all().collect();
        if all.is_empty() {
            return Err(self.unknown(text));
        }
        let message = format!("`{text}` may be {}", self.list(&all, "or"));
        Err(Trouble::ambiguous(message))
    }

    /// All that a text means: several may have the name in the module.
    pub(crate) fn all(&self, text: &str) -> Result<Vec<Id>, Trouble> {
        let meant = self.names.find(text, self.is_one);
        if let Some(id) = meant.exact
            && text.starts_with('%')
        {
            return Ok(vec![id]);
        }
        let mut all: Vec<Id> = meant.all().collect();
        all.sort_unstable();
        match all.is_empty() {
            true => Err(self.unknown(text)),
            false => Ok(all),
        }
    }

    /// Says that there is none, and what may be meant instead.
    pub(crate) fn unknown(&self, text: &str) -> Trouble {
        let noun = self.noun;
        if let Some(id) = self.names.find(text, |_| true).one()
            && self.names.defined().any(|it| it == id)
        {
            let trouble = Trouble::not_found(format!(
                "{} is not {}",
                self.names.show(id),
                with_article(noun)
            ));
            return self.with_listing(trouble);
        }
        let trouble = Trouble::not_found(format!("there is no {noun} `{text}`"));
        let similar = self.names.similar(text, self.is_one);
        if !similar.is_empty() {
            return trouble.with_help(format!("did you mean {}?", self.list(&similar, "or")));
        }
        self.with_listing(trouble)
    }

    /// Adds which ones there are, unless they are any ids.
    fn with_listing(&self, trouble: Trouble) -> Trouble {
        if self.noun == ANY {
            return trouble;
        }
        let all: Vec<Id> = self
            .names
            .defined()
            .filter(|&id| (self.is_one)(id))
            .collect();
        match all.as_slice() {
            [] => trouble,
            [one] => trouble.with_help(format!("there is {}", self.names.show(*one))),
            all => trouble.with_help(format!("there are {}", self.list(all, "and"))),
        }
    }

    /// The names of ids, as far as there are not too many.
    fn list(&self, ids: &[Id], conjunction: &str) -> String {
        let shown = ids.iter().take(LISTED).map(|&id| self.names.show(id));
        let mut shown: Vec<String> = shown.collect();
        match (ids.len().saturating_sub(LISTED), shown.pop()) {
            (_, None) => String::new(),
            (0, Some(last)) if shown.is_empty() => last,
            (0, Some(last)) => format!("{} {conjunction} {last}", shown.join(", ")),
            (more, Some(last)) => format!("{}, {last} and {more} more", shown.join(", ")),
        }
    }
}

/// What any ids are called.
pub(crate) const ANY: &str = "id";
