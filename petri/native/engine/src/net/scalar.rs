//! A number as written.

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

/// A number as written: the kind of the slot or expression that holds it decides what it becomes. Reals are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    Int(i64),
    Real(f64),
    Bool(bool),
}

impl Scalar {
    pub fn as_int(self) -> Option<i64> {
        match self {
            Scalar::Int(value) => Some(value),
            Scalar::Bool(value) => Some(i64::from(value)),
            Scalar::Real(_) => None,
        }
    }

    pub fn as_real(self) -> f64 {
        match self {
            Scalar::Int(value) => value as f64,
            Scalar::Bool(value) => f64::from(u8::from(value)),
            Scalar::Real(value) => value,
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(decoder: D) -> Result<Self, D::Error> {
        decoder.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl Visitor<'_> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a finite number of 64 bits or a truth value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Scalar, E> {
        Ok(Scalar::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Scalar, E> {
        Ok(Scalar::Int(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Scalar, E> {
        let refused = |_| E::invalid_value(Unexpected::Unsigned(value), &self);
        i64::try_from(value).map(Scalar::Int).map_err(refused)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Scalar, E> {
        if value.is_finite() {
            Ok(Scalar::Real(value))
        } else {
            Err(E::invalid_value(Unexpected::Float(value), &self))
        }
    }
}
