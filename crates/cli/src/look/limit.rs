//! Lists that are shown as far as a budget allows.
//!
//! What is shown of a module may be a product of what is in it: a long name in each of
//! many rows, or the variables of a function wherever that was inlined. So it is written
//! row by row; a budget counts what is written, and when it is spent, no list goes on. How
//! many rows that leaves out is counted and reported.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use spirvkit::binary::Budget;

/// How much is shown. The row with which the budget is spent is still shown, as are the
/// ends of the lists around it.
pub(crate) struct Limit {
    budget: RefCell<Budget>,
    left_out: Cell<usize>,
}

impl Limit {
    pub(crate) fn new(budget: Budget) -> Self {
        Self {
            budget: RefCell::new(budget),
            left_out: Cell::new(0),
        }
    }

    /// The rows that are to be shown. Those that are left out are counted, for which
    /// they should be no more than references: what is made of them comes after this.
    pub(crate) fn each<I: Iterator>(&self, rows: I) -> Each<'_, I> {
        Each {
            limit: self,
            rows: Some(rows),
        }
    }

    /// Counts what is written.
    pub(crate) fn counting<W: Write>(&self, out: W) -> Counting<'_, W> {
        Counting { limit: self, out }
    }

    /// Says in a text what was left out, if something was.
    pub(crate) fn tell(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.left_out.get() {
            0 => Ok(()),
            1 => writeln!(out, "… 1 row more"),
            count => writeln!(out, "… {} rows more", grouped(count)),
        }
    }

    /// Whether nothing was left out so far.
    pub(crate) fn is_whole(&self) -> bool {
        self.left_out.get() == 0
    }
}

/// In JSON it is the number of rows that were left out.
impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.left_out.get().serialize(serializer)
    }
}

/// See [`Limit::each`].
#[derive(Clone)]
pub(crate) struct Each<'a, I> {
    limit: &'a Limit,
    rows: Option<I>,
}

impl<I: Iterator> Iterator for Each<'_, I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if self.limit.budget.borrow().is_spent() {
            let rest = self.rows.take().map_or(0, Iterator::count);
            let left_out = &self.limit.left_out;
            left_out.set(left_out.get().saturating_add(rest));
        }
        self.rows.as_mut()?.next()
    }
}

/// See [`Limit::counting`].
pub(crate) struct Counting<'a, W> {
    limit: &'a Limit,
    out: W,
}

impl<W: Write> Write for Counting<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        // Whether there is room is asked before each row.
        let _ = self.limit.budget.borrow_mut().take(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A list in JSON, of which the rows are made one by one.
pub(crate) struct List<F>(pub(crate) F);

impl<F, I> Serialize for List<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// A number as people read it: 12,345.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_counted() {
        let limit = Limit::new(Budget::of(10));
        let mut out = limit.counting(Vec::new());
        for row in limit.each(0..2000) {
            writeln!(out, "row {row}").unwrap();
        }
        // The second row spends the budget.
        limit.tell(&mut out).unwrap();
        assert_eq!(out.out, "row 0\nrow 1\n… 1,998 rows more\n".as_bytes());
        assert_eq!(limit.each(0..3).next(), None, "no list goes on");
        assert_eq!(serde_json::to_value(&limit).unwrap(), 2001);
    }

    #[test]
    fn what_fits_is_whole() {
        let limit = Limit::new(Budget::of(12));
        let mut out = limit.counting(Vec::new());
        let list = List(|| limit.each(0..5));
        serde_json::to_writer(&mut out, &list).unwrap();
        limit.tell(&mut out).unwrap();
        assert_eq!(out.out, b"[0,1,2,3,4]");
        assert!(limit.is_whole());
    }

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (123, "123"),
            (1234, "1,234"),
            (1234567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
}
