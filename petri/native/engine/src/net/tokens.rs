//! Initial markings.

use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::net::scalar::Scalar;
use crate::net::sharing::Shareable;

/// An initial marking: how many tokens of which values, in order of arrival. Copies share it.
#[derive(Clone, Debug, Default)]
pub struct Tokens(Arc<Columns>);

impl Shareable for Tokens {}

/// The values, token after token, each of the same width.
#[derive(Debug, Default)]
struct Columns {
    counts: Vec<u64>,
    width: usize,
    values: Vec<Scalar>,
}

impl Tokens {
    /// None unless `values` has exactly `width` values for each entry of `counts`.
    pub fn new(counts: Vec<u64>, width: usize, values: Vec<Scalar>) -> Option<Self> {
        let fits = counts.len().checked_mul(width) == Some(values.len());
        fits.then(|| Tokens(Arc::new(Columns { counts, width, values })))
    }

    /// Whether both are one object.
    pub fn is(&self, other: &Tokens) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub fn width(&self) -> usize {
        self.0.width
    }

    pub fn len(&self) -> usize {
        self.0.counts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.counts.is_empty()
    }

    /// The number of tokens, as far as it is a number of 64 bits.
    pub fn held(&self) -> u64 {
        self.0.counts.iter().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// How many, of which values.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[Scalar])> {
        let Columns { counts, width, values } = &*self.0;
        counts.iter().enumerate().map(move |(i, &count)| (count, &values[i * width..(i + 1) * width]))
    }
}

impl<'de> Deserialize<'de> for Tokens {
    fn deserialize<D: Deserializer<'de>>(decoder: D) -> Result<Self, D::Error> {
        decoder.deserialize_any(TokensVisitor)
    }
}

/// Long markings come by columns (`petri/tokens.py`): the values of each slot, and how many there are of each token, where
/// it is not one of each.
#[derive(Deserialize)]
struct ByColumns {
    columns: Vec<Column<Scalar>>,
    counts: Option<Column<u64>>,
    length: usize,
}

impl TryFrom<ByColumns> for Tokens {
    type Error = &'static str;

    fn try_from(ByColumns { columns, counts, length }: ByColumns) -> Result<Self, Self::Error> {
        let counts = match (counts, columns.first()) {
            (Some(counts), _) => counts.0,
            (None, Some(column)) => vec![1; column.0.len()],
            (None, None) => return Tokens::new(vec![length as u64], 0, Vec::new()).ok_or("no tokens"),
        };
        if counts.len() != length || columns.iter().any(|column| column.0.len() != length) {
            return Err("columns of tokens that differ in their length");
        }
        let values = (0..length).flat_map(|row| columns.iter().map(move |column| column.0[row])).collect();
        Tokens::new(counts, columns.len(), values).ok_or("tokens without their values")
    }
}

/// A sequence whose stated length is trusted: `Vec` trusts it only up to a limit, and grows.
struct Column<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Column<T> {
    fn deserialize<D: Deserializer<'de>>(decoder: D) -> Result<Self, D::Error> {
        decoder.deserialize_seq(ColumnVisitor(PhantomData))
    }
}

struct ColumnVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ColumnVisitor<T> {
    type Value = Column<T>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a column of numbers")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Column<T>, S::Error> {
        let mut column = Vec::with_capacity(items.size_hint().unwrap_or(0));
        while let Some(item) = items.next_element()? {
            column.push(item);
        }
        Ok(Column(column))
    }
}

struct TokensVisitor;

impl<'de> Visitor<'de> for TokensVisitor {
    type Value = Tokens;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("tokens one by one, or by columns")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Tokens, S::Error> {
        let (mut counts, mut width, mut values) = (Vec::new(), 0, Vec::new());
        while let Some((count, token)) = items.next_element::<(u64, Vec<Scalar>)>()? {
            if !counts.is_empty() && token.len() != width {
                return Err(Error::custom("tokens of one place that differ in the number of their values"));
            }
            width = token.len();
            counts.push(count);
            values.extend(token);
        }
        Tokens::new(counts, width, values).ok_or_else(|| Error::custom("tokens without their values"))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Tokens, M::Error> {
        ByColumns::deserialize(MapAccessDeserializer::new(map))?.try_into().map_err(Error::custom)
    }
}
