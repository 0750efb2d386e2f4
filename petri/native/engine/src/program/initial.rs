//! The tokens of the initial marking.

use crate::base::fault::{LoadError, Loaded};
use crate::net::{Kind, Place, Scalar};

/// The bits of a value that is stored in a slot.
pub fn slot_bits(value: Scalar, kind: Kind) -> Loaded<u64> {
    match kind {
        Kind::Real => Ok((value.as_real() + 0.0).to_bits()),
        _ => value.as_int().map(|v| v as u64).ok_or_else(|| LoadError("a real value in an int slot".into())),
    }
}

/// Refuses tokens that have not one value for each slot.
pub fn check_initial(place: &Place) -> Loaded<()> {
    let (width, slots) = (place.initial.width(), place.colour.slots.len());
    if place.initial.is_empty() || width == slots {
        return Ok(());
    }
    Err(LoadError(format!("a token of `{}` has {width} values, where {slots} belong", place.name)))
}

/// Numbers of equal tokens, and the words of each.
pub fn initial_tokens(place: &Place) -> Loaded<Vec<(u64, Vec<u64>)>> {
    let slots = &place.colour.slots;
    let mut tokens = Vec::with_capacity(place.initial.len());
    for (count, values) in place.initial.iter() {
        let mut token = Vec::with_capacity(slots.len());
        for (&value, slot) in values.iter().zip(&**slots) {
            token.push(slot_bits(value, slot.kind)?);
        }
        tokens.push((count, token));
    }
    Ok(tokens)
}
