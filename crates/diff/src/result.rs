//! What came of a comparison.

use hashbrown::{HashMap, HashSet};
use spirvkit_binary::{HEADER_WORDS, Id, Instruction, Section, WordOffset};
use spirvkit_grammar::Op;
use spirvkit_text::IdNames;

use crate::align::{common, longest_ascending};
use crate::colors::{hash, mix};
use crate::matching::Matching;
use crate::side::{self, Function, GROUPS, Item, NONE, Order};

/// Marks the number of a node of the second module that has no partner.
const UNPAIRED: u64 = 1 << 32;

/// One of the two modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// What became of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Both modules have it.
    Same,
    /// Only the first has it.
    Removed,
    /// Only the second has it.
    Added,
}

/// An instruction that one of the modules has, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub(crate) a: Option<u32>,
    pub(crate) b: Option<u32>,
}

impl Line {
    /// Which of the modules has the instruction.
    pub fn change(self) -> Change {
        match (self.a, self.b) {
            (Some(_), None) => Change::Removed,
            (None, _) => Change::Added,
            (Some(_), Some(_)) => Change::Same,
        }
    }
}

/// What part of a module is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartKind {
    /// A section (specification, section 2.4). The sources come in two parts, strings and
    /// the rest, and the graphs together with whatever stands where it should not.
    Section(Section),
    /// A function that one of the modules has, or both.
    Function {
        /// Its id in the first module.
        a: Option<Id>,
        /// Its id in the second.
        b: Option<Id>,
        /// Whether it stands elsewhere among the functions, which means nothing.
        moved: bool,
    },
}

/// A part of the modules.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// Its instructions. Those of the first module come in the order that they have
    /// there.
    pub lines: Vec<Line>,
}

/// What differs between two modules, and what doesn't.
#[derive(Debug)]
pub struct Diff {
    pub(crate) a: side::Side,
    pub(crate) b: side::Side,
    parts: Vec<Part>,
    pairs: Vec<(Id, Id)>,
    /// By node of the second module: the id that it is shown with.
    shown: Vec<Id>,
    /// The words of the modules with what is ignored in them, if that was taken out: it
    /// may have the names of ids.
    whole: [Option<Vec<u32>>; 2],
    ignore_header: bool,
}

impl Diff {
    /// Whether the modules say the same.
    pub fn is_empty(&self) -> bool {
        let [removed, added] = self.counts();
        self.header_changes().is_empty() && removed + added == 0
    }

    /// How many instructions are removed, and how many added.
    pub fn counts(&self) -> [usize; 2] {
        let lines = self.parts.iter().flat_map(|part| &part.lines);
        [Change::Removed, Change::Added]
            .map(|change| lines.clone().filter(|line| line.change() == change).count())
    }

    /// What differs in the headers, other than the bound: what it is called there, and
    /// both values.
    pub fn header_changes(&self) -> Vec<(&'static str, String, String)> {
        if self.ignore_header {
            return Vec::new();
        }
        let (a, b) = (&self.a.header, &self.b.header);
        let mut all = vec![
            ("Version", a.version.to_string(), b.version.to_string()),
            (
                "Generator",
                a.generator.to_string(),
                b.generator.to_string(),
            ),
            ("Schema", a.schema.to_string(), b.schema.to_string()),
        ];
        all.retain(|(_, a, b)| a != b);
        all
    }

    /// All parts, in the order of the first module.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Ids of the first module and their partners in the second. No id stands in two
    /// pairs.
    pub fn id_pairs(&self) -> &[(Id, Id)] {
        &self.pairs
    }

    /// The id that stands for one of the second module's where the modules are shown
    /// together: that of its partner, or one that the first module doesn't have.
    pub fn shown_id(&self, b: Id) -> Option<Id> {
        self.shown.get(self.b.node_of(b)? as usize).copied()
    }

    /// The instruction of a line, as one of the modules has it. Its offset has no
    /// meaning.
    pub fn instruction(&self, line: Line, side: Side) -> Option<Instruction<'_>> {
        let words = match side {
            Side::A => self.a.words(line.a?),
            Side::B => self.b.words(line.b?),
        };
        Instruction::from_words(words, WordOffset(HEADER_WORDS))
    }

    /// What the disassembler calls the ids of each module, but for those that have
    /// numbers.
    pub(crate) fn own_names(&self) -> Named {
        [(0, &self.a), (1, &self.b)].map(|(side, own)| {
            let words = self.whole[side].as_ref().unwrap_or(&own.words);
            let names = IdNames::new(words);
            let named = names.defined().filter_map(|id| Some((id, names.get(id)?)));
            named.map(|(id, name)| (id, name.to_owned())).collect()
        })
    }

    /// What ids are called where the modules are shown together: the names of the first
    /// module, and for what only the second has, those of the second. Where that is
    /// another one's name, it gets a suffix.
    pub(crate) fn shown_names(&self) -> Named {
        let [of_a, own_of_b] = self.own_names();
        let partners: HashSet<Id> = self.pairs.iter().map(|(_, b)| *b).collect();
        let mut taken: HashSet<String> = of_a.values().cloned().collect();
        let mut of_b = of_a.clone();
        // In the order of their numbers, so that the suffixes are the same each time.
        let mut alone: Vec<(Id, &String)> = own_of_b.iter().map(|(id, name)| (*id, name)).collect();
        alone.retain(|(id, _)| !partners.contains(id));
        alone.sort_unstable();
        for (id, name) in alone {
            if let Some(shown) = self.shown_id(id) {
                let mut name = name.clone();
                while !taken.insert(name.clone()) {
                    name.push_str("_b");
                }
                of_b.insert(shown, name);
            }
        }
        self.limit_names([of_a, of_b])
    }

    /// Leaves names out that one of the modules has no room for, so that both are shown
    /// with the same.
    fn limit_names(&self, mut names: Named) -> Named {
        let all = names.iter().flat_map(HashMap::values);
        if all.map(String::len).max().unwrap_or(0) <= IdNames::SHORT {
            return names;
        }
        let words = [&self.a.words, &self.shown_words()];
        let left_out: Vec<HashSet<Id>> = words
            .into_iter()
            .zip(&names)
            .map(|(words, own)| {
                let given = IdNames::given(words, own.iter().map(|(id, name)| (*id, &**name)));
                let ids = own.keys().copied();
                ids.filter(|id| given.get(*id).is_none()).collect()
            })
            .collect();
        for own in &mut names {
            own.retain(|id, _| left_out.iter().all(|left_out| !left_out.contains(id)));
        }
        names
    }

    /// The words of the second module with the ids with which they are shown.
    pub(crate) fn shown_words(&self) -> Vec<u32> {
        let mut words = self.b.words.clone();
        for (index, item) in (0..).zip(&self.b.items) {
            let start = self.b.offset(index);
            for operand in self.b.operands(index) {
                words[start + operand.word as usize] = self.shown[operand.node as usize].0;
            }
            if let Some(word) = item.result_word() {
                words[start + word] = self.shown[item.result as usize].0;
            }
        }
        words
    }
}

/// The names of ids, for the first module and for the second.
pub(crate) type Named = [HashMap<Id, String>; 2];

/// The parts and partners that matching came to.
pub(crate) struct Found {
    parts: Vec<Part>,
    /// By node of the first module: its partner.
    partners: Vec<u32>,
}

impl Found {
    pub(crate) fn new(matching: &Matching<'_>) -> Self {
        let compare = Compare { matching };
        let mut parts = Vec::new();
        for (group, &(section, order)) in GROUPS.iter().enumerate() {
            let kind = PartKind::Section(section);
            let lines = match order {
                Order::Free => compare.set(group),
                Order::Fixed => {
                    let items = |side: &side::Side| side.groups[group].clone().collect();
                    compare.sequence(items(matching.a.side), items(matching.b.side))
                }
            };
            parts.push(Part { kind, lines });
        }
        parts.extend(compare.functions());
        Self {
            parts,
            partners: matching.a.partner.clone(),
        }
    }

    pub(crate) fn finish(
        self,
        a: side::Side,
        b: side::Side,
        whole: [Option<Vec<u32>>; 2],
        ignore_header: bool,
    ) -> Diff {
        let mut shown = vec![Id(0); b.ids.len()];
        let mut pairs = Vec::new();
        let mut is_paired = vec![false; b.ids.len()];
        for (&id, &partner) in a.ids.iter().zip(&self.partners) {
            if partner != NONE {
                pairs.push((id, b.ids[partner as usize]));
                shown[partner as usize] = id;
                is_paired[partner as usize] = true;
            }
        }
        let highest = a.ids.iter().map(|id| id.0).max().unwrap_or(0);
        let unused = (highest.saturating_add(1)..=u32::MAX).chain(1..=u32::MAX);
        let mut unused = unused.map(Id).filter(|&id| a.node_of(id).is_none());
        for (shown, _) in shown
            .iter_mut()
            .zip(is_paired)
            .filter(|(_, paired)| !paired)
        {
            // There are fewer ids than numbers.
            *shown = unused.next().unwrap_or(Id(0));
        }
        Diff {
            a,
            b,
            parts: self.parts,
            pairs,
            shown,
            whole,
            ignore_header,
        }
    }
}

impl Item {
    fn result_word(&self) -> Option<usize> {
        (self.result != NONE).then_some(self.result_word as usize)
    }
}

/// Tells which items say the same by what is paired.
struct Compare<'m, 'a> {
    matching: &'m Matching<'a>,
}

impl Compare<'_, '_> {
    fn exact_a(&self, item: u32, out: &mut Vec<u64>) {
        let side = self.matching.a.side;
        side.canonical(item, true, u64::from, out);
    }

    fn exact_b(&self, item: u32, out: &mut Vec<u64>) {
        let number = |node: u32| match self.matching.b.partner[node as usize] {
            NONE => UNPAIRED | u64::from(node),
            partner => u64::from(partner),
        };
        self.matching.b.side.canonical(item, true, number, out);
    }

    fn is_same(&self, a: u32, b: u32, scratch: &mut [Vec<u64>; 2]) -> bool {
        let [of_a, of_b] = scratch;
        self.exact_a(a, of_a);
        self.exact_b(b, of_b);
        of_a == of_b
    }

    /// Compares two lists in order.
    fn sequence(&self, items_a: Vec<u32>, items_b: Vec<u32>) -> Vec<Line> {
        let mut out = Vec::new();
        let mut tokens = |items: &[u32], exact: &dyn Fn(u32, &mut Vec<u64>)| -> Vec<u64> {
            let token = |&item: &u32| {
                exact(item, &mut out);
                hash(&out)
            };
            items.iter().map(token).collect()
        };
        let tokens_a = tokens(&items_a, &|item, out| self.exact_a(item, out));
        let tokens_b = tokens(&items_b, &|item, out| self.exact_b(item, out));
        let mut scratch = Default::default();
        let mut lines = Vec::with_capacity(items_a.len().max(items_b.len()));
        let mut at = (0, 0);
        let ends = (items_a.len() as u32, items_b.len() as u32);
        for (x, y) in common(&tokens_a, &tokens_b).into_iter().chain([ends]) {
            let is_end = (x, y) == ends;
            let pair = (!is_end).then(|| (items_a[x as usize], items_b[y as usize]));
            // Different items may have equal hashes.
            if pair.is_some_and(|(a, b)| !self.is_same(a, b, &mut scratch)) {
                continue;
            }
            let removed = items_a[at.0..x as usize].iter();
            lines.extend(removed.map(|&a| Line {
                a: Some(a),
                b: None,
            }));
            let added = items_b[at.1..y as usize].iter();
            lines.extend(added.map(|&b| Line {
                a: None,
                b: Some(b),
            }));
            lines.extend(pair.map(|(a, b)| Line {
                a: Some(a),
                b: Some(b),
            }));
            at = (x as usize + 1, y as usize + 1);
        }
        lines
    }

    /// Compares two groups without regard to their order.
    fn set(&self, group: usize) -> Vec<Line> {
        let (a, b) = (self.matching.a.side, self.matching.b.side);
        let (items_a, items_b) = (a.groups[group].clone(), b.groups[group].clone());
        let mut out = Vec::new();
        let mut waiting: HashMap<u64, Vec<u32>> = HashMap::new();
        for item in items_a.clone().rev() {
            self.exact_a(item, &mut out);
            waiting.entry(hash(&out)).or_default().push(item);
        }
        let mut scratch = Default::default();
        let index = |item: u32| (item - items_a.start) as usize;
        let mut partner = vec![None; items_a.len()];
        let mut partner_of_b = vec![None; items_b.len()];
        for (item, of_b) in items_b.clone().zip(&mut partner_of_b) {
            self.exact_b(item, &mut out);
            let list = waiting.get_mut(&hash(&out));
            let Some(list) = list else { continue };
            if let Some(&other) = list.last()
                && self.is_same(other, item, &mut scratch)
            {
                list.pop();
                partner[index(other)] = Some(item);
                *of_b = Some(other);
            }
        }
        // What is new comes after what it replaces, or behind what it follows.
        let replaced = self.subjects(
            items_a
                .clone()
                .filter(|&item| partner[index(item)].is_none()),
        );
        // Anything else that is new comes after what is removed there.
        let behind_removed = |place: u32| {
            let rest = items_a.clone().skip(place as usize);
            let is_removed =
                |&item: &u32| partner[index(item)].is_none() && a.item(item).about == NONE;
            place + rest.take_while(is_removed).count() as u32
        };
        let mut after: Vec<((u32, bool), u32)> = Vec::new();
        let mut last = behind_removed(0);
        // A line of source that waits for its declaration.
        let mut line = None;
        for (item, other) in items_b.zip(partner_of_b) {
            let is_line = b.item(item).about != NONE;
            let place = match other {
                Some(other) => {
                    last = behind_removed(index(other) as u32 + 1);
                    index(other) as u32
                }
                None if is_line => {
                    line = Some(item);
                    continue;
                }
                None => {
                    let subject = self.subject_b(item);
                    let place = subject.and_then(|subject| replaced.get(&subject).copied());
                    place.map_or(last, |place| index(place) as u32 + 1)
                }
            };
            // Nothing may come between a line and its declaration.
            let place = (place, other.is_some());
            after.extend(line.take().map(|line| (place, line)));
            after.extend(other.is_none().then_some((place, item)));
        }
        after.sort_by_key(|&(place, _)| place);
        let mut lines = Vec::with_capacity(items_a.len() + after.len());
        let mut after = after.into_iter().peekable();
        for place in 0..=items_a.len() as u32 {
            if let Some(before) = place.checked_sub(1) {
                let a = Some(items_a.start + before);
                let b = partner[before as usize];
                lines.push(Line { a, b });
            }
            while let Some((_, item)) = after.next_if(|&((other, _), _)| other == place) {
                lines.push(Line {
                    a: None,
                    b: Some(item),
                });
            }
        }
        lines
    }

    /// For what items define or are about: the last of them.
    fn subjects(&self, items: impl Iterator<Item = u32>) -> HashMap<(u32, u64), u32> {
        let side = self.matching.a.side;
        let subject = |item: u32| Some((subject(side, item)?, item));
        items.filter_map(subject).collect()
    }

    fn subject_b(&self, item: u32) -> Option<(u32, u64)> {
        let (node, rest) = subject(self.matching.b.side, item)?;
        let partner = self.matching.b.partner[node as usize];
        (partner != NONE).then_some((partner, rest))
    }

    /// Compares the functions: paired ones with each other.
    fn functions(&self) -> Vec<Part> {
        let (a, b) = (&self.matching.a, &self.matching.b);
        let result = |side: &side::Side, function: &Function| side.item(function.definition).result;
        let of_b = b.side.functions.iter().enumerate();
        let of_b = of_b.map(|(index, function)| (result(b.side, function), index));
        let of_b: HashMap<u32, usize> = of_b.filter(|&(node, _)| node != NONE).collect();
        let mut partners: Vec<Option<usize>> = Vec::new();
        let mut taken = vec![None; b.side.functions.len()];
        for (index, function) in a.side.functions.iter().enumerate() {
            let node = result(a.side, function);
            let partner = a.partner.get(node as usize);
            let partner = partner.and_then(|partner| of_b.get(partner).copied());
            // In a broken module, several functions may have one id.
            let partner = partner.filter(|&partner| taken[partner].is_none());
            if let Some(partner) = partner {
                taken[partner] = Some(index);
            }
            partners.push(partner);
        }
        let pairs: Vec<(usize, usize)> = partners
            .iter()
            .enumerate()
            .filter_map(|(a, &b)| Some((a, b?)))
            .collect();
        let unmoved: Vec<usize> = longest_ascending(&pairs)
            .into_iter()
            .map(|(a, _)| a)
            .collect();
        let mut after: Vec<(usize, usize)> = Vec::new();
        let mut last = 0;
        for (index, taken) in taken.iter().enumerate() {
            match taken {
                Some(a) => last = a + 1,
                None => after.push((last, index)),
            }
        }
        after.sort_by_key(|&(place, _)| place);
        let mut after = after.into_iter().peekable();
        let mut parts = Vec::new();
        for place in 0..=partners.len() {
            if let Some(before) = place.checked_sub(1) {
                let moved = partners[before].is_some() && unmoved.binary_search(&before).is_err();
                parts.push(self.function(Some(before), partners[before], moved));
            }
            while let Some((_, index)) = after.next_if(|&(other, _)| other == place) {
                parts.push(self.function(None, Some(index), false));
            }
        }
        parts
    }

    fn function(&self, a: Option<usize>, b: Option<usize>, moved: bool) -> Part {
        let (side_a, side_b) = (self.matching.a.side, self.matching.b.side);
        let (a, b) = (
            a.map(|it| &side_a.functions[it]),
            b.map(|it| &side_b.functions[it]),
        );
        let items = |side: &side::Side, function: &Function| {
            side.function_items(function, function.blocks.clone())
        };
        let items_a = a.map_or_else(Vec::new, |a| items(side_a, a));
        let items_b = match (a, b) {
            (Some(a), Some(b)) => self.matching.laid_out(a, b),
            (None, Some(b)) => items(side_b, b),
            (_, None) => Vec::new(),
        };
        let id = |side: &side::Side, function: Option<&Function>| {
            let result = side.item(function?.definition).result;
            side.ids.get(result as usize).copied()
        };
        let kind = PartKind::Function {
            a: id(side_a, a),
            b: id(side_b, b),
            moved,
        };
        Part {
            kind,
            lines: self.sequence(items_a, items_b),
        }
    }
}

/// What an item defines, or else what it is about, and how.
fn subject(side: &side::Side, index: u32) -> Option<(u32, u64)> {
    let item = side.item(index);
    if item.result != NONE {
        return Some((item.result, 0));
    }
    let target = side.operands(index).first()?;
    let detail = match item.op {
        // A name begins there, and the function stands there.
        Op::Name | Op::EntryPoint => 0,
        // Of a member, the member; of a decoration, the decoration.
        _ => side.words(index).get(2).copied().unwrap_or(0),
    };
    Some((target.node, mix(u64::from(item.op.0), u64::from(detail))))
}
