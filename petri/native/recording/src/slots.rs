//! The slots of tokens from the columns of a file: in the units of the net, in order of time, and within their ranges.

/// How the values of a column become those of a slot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slot {
    pub real: bool,
    /// A real is multiplied, and then divided; one of both is 1, so that it is rounded once.
    pub times: f64,
    pub over: f64,
    /// Whether it becomes whole ticks, at least one unless it is 0.
    pub ticks: bool,
    /// Whether it never decreases.
    pub ordered: bool,
    pub ints: (Option<i64>, Option<i64>),
    pub reals: (Option<f64>, Option<f64>),
}

/// A value of a column, in its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Int(i64),
    Real(f64),
}

/// A value that a slot cannot have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Misfit {
    /// In the unit of the net: it is not finite, or out of range.
    Outside(Value),
    /// By how much the time decreases, in the unit of the net.
    Back(f64),
}

impl Value {
    fn to_float(self) -> f64 {
        match self {
            Value::Int(value) => value as f64,
            Value::Real(value) => value,
        }
    }
}

impl Slot {
    /// The word of a value. `last` is the last value of the ordered slot.
    #[inline]
    pub fn word(&self, value: Value, last: &mut f64) -> Result<u64, Misfit> {
        let (value, word) = match value {
            Value::Int(value) if !self.real => (Value::Int(value), value as u64),
            value => {
                let real = self.scaled(value.to_float());
                (Value::Real(real), real.to_bits())
            }
        };
        let inside = match value {
            Value::Int(value) => within(value, self.ints),
            Value::Real(value) => value.is_finite() && within(value, self.reals),
        };
        if !inside {
            return Err(Misfit::Outside(value));
        }
        if self.ordered {
            let (before, time) = (*last, value.to_float());
            if time < before {
                return Err(Misfit::Back(before - time));
            }
            *last = time;
        }
        Ok(word)
    }

    #[inline]
    fn scaled(&self, value: f64) -> f64 {
        let value = if self.over == 1.0 { value * self.times } else { value * self.times / self.over };
        if !self.ticks {
            return value + 0.0;
        }
        let ticks = value.round_ties_even();
        if ticks == 0.0 && value != 0.0 {
            value.signum()
        } else {
            ticks + 0.0
        }
    }
}

#[inline]
fn within<T: PartialOrd>(value: T, (low, high): (Option<T>, Option<T>)) -> bool {
    low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high)
}
