//! Natural numbers of any size, done as on paper.

use std::cmp::Ordering;

/// A natural number: its digits to the base 2^32, the lowest first, without zeros
/// at the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Natural(Vec<u32>);

impl Natural {
    pub(crate) fn new(value: u128) -> Self {
        let digits = (0..4).map(|index| (value >> (32 * index)) as u32);
        Self::trimmed(digits.collect())
    }

    fn trimmed(mut digits: Vec<u32>) -> Self {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Self(digits)
    }

    fn digit(&self, index: usize) -> u32 {
        self.0.get(index).copied().unwrap_or(0)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The number, if it is below 2^128.
    pub(crate) fn to_u128(&self) -> Option<u128> {
        (self.bits() <= 128).then(|| {
            let digits = self.0.iter().rev();
            digits.fold(0, |sum, &digit| sum << 32 | u128::from(digit))
        })
    }

    /// The number of bits without leading zeros.
    pub(crate) fn bits(&self) -> i64 {
        match self.0.last() {
            Some(top) => self.0.len() as i64 * 32 - i64::from(top.leading_zeros()),
            None => 0,
        }
    }

    pub(crate) fn doubled(&self, times: i64) -> Self {
        assert!(times >= 0);
        let (whole, rest) = (times as usize / 32, times as usize % 32);
        let mut digits = vec![0; whole];
        let mut carry = 0u64;
        for &digit in &self.0 {
            let shifted = u64::from(digit) << rest | carry;
            digits.push(shifted as u32);
            carry = shifted >> 32;
        }
        digits.push(carry as u32);
        Self::trimmed(digits)
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        let length = self.0.len().max(other.0.len()) + 1;
        let mut carry = 0u64;
        let digits = (0..length).map(|index| {
            let sum = u64::from(self.digit(index)) + u64::from(other.digit(index)) + carry;
            carry = sum >> 32;
            sum as u32
        });
        Self::trimmed(digits.collect())
    }

    /// `self - other`, which must not be below zero.
    pub(crate) fn minus(&self, other: &Self) -> Self {
        let mut borrow = 0i64;
        let digits = (0..self.0.len()).map(|index| {
            let difference = i64::from(self.digit(index)) - i64::from(other.digit(index)) - borrow;
            borrow = i64::from(difference < 0);
            difference as u32
        });
        let digits = digits.collect();
        assert_eq!(borrow, 0);
        Self::trimmed(digits)
    }

    pub(crate) fn multiply(&self, other: &Self) -> Self {
        let mut sum = Self(Vec::new());
        for (index, &digit) in other.0.iter().enumerate() {
            let mut carry = 0u64;
            let mut row = vec![0; index];
            for &own in &self.0 {
                let product = u64::from(own) * u64::from(digit) + carry;
                row.push(product as u32);
                carry = product >> 32;
            }
            row.push(carry as u32);
            sum = sum.add(&Self::trimmed(row));
        }
        sum
    }

    /// Quotient and remainder, bit by bit.
    pub(crate) fn divide(&self, by: &Self) -> (Self, Self) {
        assert!(!by.is_zero());
        let mut quotient = Self(Vec::new());
        let mut rest = self.clone();
        let mut shift = self.bits() - by.bits();
        while shift >= 0 {
            let part = by.doubled(shift);
            if rest.compare(&part) != Ordering::Less {
                rest = rest.minus(&part);
                quotient = quotient.add(&Self::new(1).doubled(shift));
            }
            shift -= 1;
        }
        (quotient, rest)
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let lengths = self.0.len().cmp(&other.0.len());
        lengths.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}
