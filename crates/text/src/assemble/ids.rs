//! From the names of ids to their numbers.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use spirvkit_binary::{Id, IdMap};

use crate::lexer::{Lexer, Token};

/// How ids get their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdNumbering {
    /// A name that is a decimal number is that number; other names fill the
    /// gaps, counting from 1. So text that was disassembled with raw ids keeps
    /// its ids.
    #[default]
    Preserve,
    /// All names, numbers too, are numbered from 1 in the order in which the
    /// module's words mention them.
    Renumber,
}

/// The numbers given so far.
pub(super) struct Ids<'a> {
    text: &'a str,
    numbering: IdNumbering,
    names: HashMap<&'a str, u32>,
    /// When renumbering, the new numbers of ids that are written as numbers.
    renumbered: IdMap<u32>,
    /// When preserving, the numbers that the text has had so far.
    used: Numbers,
    /// When preserving, all numbers of the text; found out when the first name
    /// wants a number.
    taken: Option<Numbers>,
    /// The last number given to a name.
    last: u32,
    highest: u32,
}

/// A set of numbers, dense below a limit.
struct Numbers {
    dense: Vec<u64>,
    sparse: BTreeSet<u32>,
}

impl Numbers {
    fn none_of(text: &str) -> Self {
        // An id takes two characters at least, so most numbers are below this.
        Self {
            dense: vec![0; text.len() / 128 + 1],
            sparse: BTreeSet::new(),
        }
    }

    fn all_of(text: &str) -> Self {
        let mut taken = Self::none_of(text);
        let mut lexer = Lexer::new(text);
        while let Some(id) = lexer.next_id() {
            if id.number > 0 {
                taken.insert(id.number);
            }
        }
        taken
    }

    #[inline]
    fn insert(&mut self, number: u32) {
        match self.dense.get_mut(number as usize / 64) {
            Some(word) => *word |= 1 << (number % 64),
            None => {
                self.sparse.insert(number);
            }
        }
    }

    fn contains(&self, number: u32) -> bool {
        match self.dense.get(number as usize / 64) {
            Some(word) => word >> (number % 64) & 1 == 1,
            None => self.sparse.contains(&number),
        }
    }

    fn iter(&self) -> impl Iterator<Item = u32> {
        let dense = (0..).zip(&self.dense).flat_map(|(index, &word)| {
            let bits = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
            let bits = bits.take_while(|&word| word != 0);
            bits.map(move |word| index * 64 + word.trailing_zeros())
        });
        dense.chain(self.sparse.iter().copied())
    }
}

impl<'a> Ids<'a> {
    pub(super) fn new(text: &'a str, numbering: IdNumbering) -> Self {
        Self {
            text,
            numbering,
            names: HashMap::new(),
            renumbered: IdMap::new(0, text.len() / 2),
            used: match numbering {
                IdNumbering::Preserve => Numbers::none_of(text),
                IdNumbering::Renumber => Numbers::none_of(""),
            },
            taken: None,
            last: 0,
            highest: 0,
        }
    }

    /// The number of an id, given as its token and its name.
    #[inline]
    pub(super) fn resolve(&mut self, token: Token, name: &'a str) -> u32 {
        match (token.number, self.numbering) {
            (0, _) => self.resolve_name(name),
            (number, IdNumbering::Preserve) => {
                self.highest = self.highest.max(number);
                self.used.insert(number);
                number
            }
            (number, IdNumbering::Renumber) => {
                let slot = self.renumbered.slot(Id(number));
                if *slot == 0 {
                    self.last += 1;
                    self.highest = self.last;
                    *slot = self.last;
                }
                *slot
            }
        }
    }

    fn resolve_name(&mut self, name: &'a str) -> u32 {
        if let Some(&number) = self.names.get(name) {
            return number;
        }
        self.last += 1;
        if self.numbering == IdNumbering::Preserve {
            let taken = self.taken.get_or_insert_with(|| Numbers::all_of(self.text));
            while taken.contains(self.last) {
                self.last += 1;
            }
        }
        self.highest = self.highest.max(self.last);
        self.names.insert(name, self.last);
        self.last
    }

    /// All numbers that ids of the text have.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        let renumbered = match self.numbering {
            IdNumbering::Preserve => 1..1,
            IdNumbering::Renumber => 1..self.last + 1,
        };
        let named = self.names.values().copied();
        let named = named.filter(|_| self.numbering == IdNumbering::Preserve);
        renumbered.chain(self.used.iter()).chain(named)
    }

    /// The number that an id of the text has, given as its token and its name.
    pub(super) fn number(&self, token: Token, name: &str) -> Option<u32> {
        match (token.number, self.numbering) {
            (0, _) => self.names.get(name).copied(),
            (number, IdNumbering::Preserve) => Some(number),
            (number, IdNumbering::Renumber) => Some(self.renumbered.get(Id(number))),
        }
    }

    /// The ids that have names rather than numbers in the text.
    pub(super) fn named(&self) -> impl Iterator<Item = (u32, &'a str)> {
        self.names.iter().map(|(name, number)| (*number, *name))
    }

    /// The least bound that is above all ids.
    pub(super) fn bound(&self) -> u32 {
        self.highest.saturating_add(1)
    }
}
