//! Which values the slots of places may have: the declared ones, or fewer where the tokens that arrive in a place are
//! known to have fewer.

use crate::base::fault::Loaded;
use crate::base::ids::PlaceId;
use crate::net::{Kind, Net, Place, Scalar, Slot, Transition};
use crate::program::analysis::{Range, Ranges, ANY};
use crate::program::initial::{check_initial, slot_bits};

/// No value: any range joined with it is that range.
const NOTHING: Range = (i64::MAX as i128, i64::MIN as i128);
/// Rounds in which ranges grow by the outputs of firings. In as many more, bounds that still move become the declared
/// ones.
const TURNS: usize = 4;

/// The ranges of the slots of each place, by its number.
type Slots = Vec<Vec<Range>>;

/// The values that a token may have in each slot of each place.
pub fn slot_ranges(net: &Net) -> Loaded<Slots> {
    let declared: Slots = net.places.iter().map(|place| slots(place, declared_range)).collect();
    // The initial tokens may lie outside what is declared: no firing has checked them.
    let all = with_initial(net, declared.clone())?;
    let open = |slot: &Slot| slot.kind != Kind::Real && (slot.low.is_none() || slot.high.is_none());
    let is_found = |place: &Place| !place.open() && place.colour.slots.iter().any(open);
    if !net.places.iter().any(is_found) {
        return Ok(all);
    }
    let start = |place: &Place, slot: &Slot| if place.open() || !open(slot) { declared_range(slot) } else { NOTHING };
    let start = net.places.iter().map(|place| slots(place, |slot| start(place, slot))).collect();
    let mut found = with_initial(net, start)?;
    let settled = (0..2 * TURNS).any(|turn| !grow(net, &mut found, (turn >= TURNS).then_some(&all)));
    if !settled {
        return Ok(all);
    }
    let known = |(found, all): (Range, &Range)| if is_empty(found) { *all } else { found };
    Ok(found.into_iter().zip(&all).map(|(found, all)| found.into_iter().zip(all).map(known).collect()).collect())
}

fn slots(place: &Place, range: impl Fn(&Slot) -> Range) -> Vec<Range> {
    place.colour.slots.iter().map(range).collect()
}

fn declared_range(slot: &Slot) -> Range {
    if slot.kind == Kind::Real {
        return ANY;
    }
    let low = slot.low.and_then(Scalar::as_int).map_or(ANY.0, i128::from);
    let high = slot.high.and_then(Scalar::as_int).map_or(ANY.1, i128::from);
    (low, high.max(low))
}

fn is_empty(range: Range) -> bool {
    range.0 > range.1
}

fn hull(one: Range, other: Range) -> Range {
    (one.0.min(other.0), one.1.max(other.1))
}

/// Ranges, widened by the initial tokens.
fn with_initial(net: &Net, mut ranges: Slots) -> Loaded<Slots> {
    for (place, ranges) in net.places.iter().zip(&mut ranges) {
        check_initial(place)?;
        for (_, token) in place.initial.iter() {
            for ((range, &value), slot) in ranges.iter_mut().zip(token).zip(&*place.colour.slots) {
                if slot.kind != Kind::Real {
                    let value = i128::from(slot_bits(value, slot.kind)? as i64);
                    *range = hull(*range, (value, value));
                }
            }
        }
    }
    Ok(ranges)
}

/// Widens ranges by what firings give to places, or, where that is not enough, up to the bounds of what is allowed. Returns whether
/// any has grown.
fn grow(net: &Net, ranges: &mut Slots, all: Option<&Slots>) -> bool {
    let mut grown = false;
    for transition in &net.transitions {
        let Some(variables) = variables(transition, ranges) else { continue };
        for arc in &transition.outputs {
            let values: Vec<Range> = arc.values.iter().map(|value| Ranges(&variables).facts(value).range).collect();
            for &place in arc.places.iter() {
                let Some(slots) = ranges.get_mut(place.at()) else { continue };
                for (slot, (range, &value)) in slots.iter_mut().zip(&values).enumerate() {
                    let wider = hull(*range, within(net, place, slot, value));
                    if wider != *range {
                        *range = all.map_or(wider, |all| widened(*range, wider, all[place.at()][slot]));
                        grown = true;
                    }
                }
            }
        }
    }
    grown
}

/// A range whose bounds are those of all allowed values where another one's lie outside.
fn widened(range: Range, wider: Range, all: Range) -> Range {
    let low = if wider.0 < range.0 { all.0 } else { range.0 };
    let high = if wider.1 > range.1 { all.1 } else { range.1 };
    (low, high)
}

/// The values that may come to a slot: others raise a fault.
fn within(net: &Net, place: PlaceId, slot: usize, value: Range) -> Range {
    let slot = &net.places[place.at()].colour.slots[slot];
    let declared = declared_range(slot);
    let common = (value.0.max(declared.0), value.1.min(declared.1));
    if slot.kind == Kind::Real || is_empty(common) {
        NOTHING
    } else {
        common
    }
}

/// The ranges of a transition's variables, if it may fire at all.
fn variables(transition: &Transition, slots: &Slots) -> Option<Vec<Range>> {
    let mut ranges = vec![ANY; transition.variables.len()];
    for arc in &transition.inputs {
        let known = slots.get(arc.place.at()).into_iter().flatten();
        for (matching, &range) in arc.pattern.iter().zip(known) {
            if let Some(variable) = matching.bind.and_then(|variable| ranges.get_mut(variable.at())) {
                *variable = range;
            }
        }
    }
    for draw in &transition.draws {
        let range = Ranges(&ranges).facts(&draw.expression).range;
        if let Some(variable) = ranges.get_mut(draw.variable.at()) {
            *variable = range;
        }
    }
    ranges.iter().all(|&range| !is_empty(range)).then_some(ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ranges of the slots of one place, which has a token of value 3, where firings give this in place of its token `x`.
    fn range(slot: &str, given: &str) -> Range {
        let x = r#"{"op":"var","kind":"int","value":0}"#;
        let given = given.replace("x", x);
        let text = format!(
            r#"{{"places":[{{"name":"p","colour":{{"slots":[{slot}]}},"initial":[[1,[3]]]}}],"transitions":[{{"name":"t",
            "variables":[{{"name":"x"}}],"inputs":[{{"place":0,"pattern":[{{"bind":0}}]}}],
            "outputs":[{{"places":[0],"values":[{given}]}}]}}]}}"#
        );
        let net: Net = serde_json::from_str(&text).expect("a net");
        slot_ranges(&net).map_or(NOTHING, |ranges| ranges[0][0])
    }

    fn operation(op: &str, value: i64) -> String {
        format!(r#"{{"op":"{op}","kind":"int","args":[x,{{"op":"const","kind":"int","value":{value}}}]}}"#)
    }

    #[test]
    fn values_that_come_to_a_place() {
        let open = r#"{"name":"s"}"#;
        assert_eq!(range(open, "x"), (3, 3));
        assert_eq!(range(open, &operation("mod", 2)), (0, 3));
        assert_eq!(range(open, &operation("min", 1)), (1, 3));
        assert_eq!(range(open, &operation("add", 1)), (3, ANY.1));
        assert_eq!(range(open, &operation("sub", 1)), (ANY.0, 3));
        assert_eq!(range(open, &operation("mul", -2)), ANY);
        assert_eq!(range(r#"{"name":"s","low":0}"#, &operation("sub", 1)), (0, 3));
        assert_eq!(range(r#"{"name":"s","low":0}"#, &operation("add", 1)), (3, ANY.1));
        assert_eq!(range(r#"{"name":"s","low":0,"high":9}"#, "x"), (0, 9));
    }
}
