//! Nets and instances behind the interface: names, and units as a program has them.

use std::sync::Arc;

use engine::base::ids::PlaceId;
use engine::base::ticks::{Ticks, HORIZON, NEVER};
use engine::session::compiled::Compiled;
use engine::session::component::{Component, Refused};
use serde::Deserialize;

use crate::failure::{Code, Failure};

/// What the text says besides what the engine reads.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    name: String,
    #[serde(default)]
    time_unit: String,
    #[serde(default)]
    places: Vec<HeadPlace>,
}

#[derive(Deserialize)]
struct HeadPlace {
    #[serde(default)]
    colour: HeadColour,
    #[serde(default)]
    stream: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    port: String,
}

#[derive(Default, Deserialize)]
struct HeadColour {
    #[serde(default)]
    slots: Vec<HeadSlot>,
}

#[derive(Deserialize)]
struct HeadSlot {
    #[serde(default)]
    dimension: String,
}

/// The longest ints that a float can hold.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// A net, and what its values are in ticks.
pub struct Net {
    pub compiled: Arc<Compiled>,
    pub name: String,
    unit: String,
    /// For each slot of each place, how often time is in its dimension.
    powers: Vec<Vec<i32>>,
}

impl Net {
    pub fn of(text: &str) -> Result<Self, Failure> {
        let compiled = Compiled::from_json(text).map_err(|error| Failure::refused(&error.0))?;
        let head: Head = serde_json::from_str(text).map_err(|error| Failure::refused(&error.to_string()))?;
        if head.places.iter().any(|place| place.stream.is_some() && place.port.is_empty()) {
            return Err(Failure::of(Code::Net, "component-stream", &[("net", &head.name)]));
        }
        let power = |slot: &HeadSlot| match &*slot.dimension {
            "Time" => 1,
            "Rate" | "Freq" => -1,
            _ => 0,
        };
        let powers = head.places.iter().map(|place| place.colour.slots.iter().map(power).collect()).collect();
        Ok(Net { compiled: Arc::new(compiled), name: head.name, unit: head.time_unit, powers })
    }

    pub fn place(&self, name: &str) -> Result<(u32, usize), Failure> {
        let program = &self.compiled.program;
        let found = program.places.iter().take(program.own_places).position(|place| &*place.name == name);
        let place =
            found.ok_or_else(|| Failure::of(Code::Name, "component-place", &[("net", &self.name), ("name", name)]))?;
        Ok((place as u32, self.powers[place].len()))
    }

    /// The name of a place, and its slots.
    fn slots(&self, place: u32) -> Result<(&str, &[i32]), Failure> {
        let powers = self.powers.get(place as usize).ok_or_else(|| {
            Failure::of(Code::Name, "component-place", &[("net", &self.name), ("name", &place.to_string())])
        })?;
        Ok((&self.compiled.program.places[PlaceId(place)].name, powers))
    }

    /// A number of ticks in the net's unit.
    pub fn time(&self, ticks: Ticks) -> f64 {
        if ticks >= NEVER {
            f64::INFINITY
        } else {
            self.compiled.program.tick.time(ticks as f64)
        }
    }

    /// A time as the nearest whole number of ticks.
    pub fn ticks(&self, time: f64) -> Result<Ticks, Failure> {
        let tick = self.compiled.program.tick;
        let ticks = (time * tick.denominator / tick.numerator).round_ties_even();
        if ticks.is_nan() || ticks.abs() > HORIZON as f64 {
            let horizon = self.shown(HORIZON);
            return Err(Failure::of(
                Code::Horizon,
                "component-horizon",
                &[("time", &time.to_string()), ("horizon", &horizon)],
            ));
        }
        Ok(ticks as Ticks)
    }

    pub fn shown(&self, ticks: Ticks) -> String {
        format!("{} {}", self.time(ticks), self.unit).trim_end().to_owned()
    }

    /// The words of a token with these values.
    pub fn words(&self, place: u32, values: &[f64]) -> Result<Vec<u64>, Failure> {
        let (name, powers) = self.slots(place)?;
        let (count, wanted) = (values.len().to_string(), powers.len().to_string());
        if values.len() != powers.len() {
            let told = [("name", name), ("count", &*count), ("wanted", &wanted)];
            return Err(Failure::of(Code::Token, "component-values", &told));
        }
        let bounds = &self.compiled.program.places[PlaceId(place)].bounds;
        let rows = values.iter().zip(powers).zip(bounds.iter());
        rows.map(|((&value, &power), bound)| {
            let whole = value.fract() == 0.0 && value.abs() <= LARGEST;
            let word = if bound.real {
                (value / self.compiled.program.tick.time(1.0).powi(power)).to_bits()
            } else {
                value as i64 as u64
            };
            if !value.is_finite() || (!bound.real && !whole) || !bound.holds(word) {
                let told = [("name", name), ("field", &*bound.name), ("value", &value.to_string())];
                return Err(Failure::of(Code::Token, "component-value", &told));
            }
            Ok(word)
        })
        .collect()
    }

    /// The values of tokens, as far as there is room.
    pub fn values(&self, place: u32, words: &[u64], room: &mut [f64]) -> Result<(), Failure> {
        let (_, powers) = self.slots(place)?;
        let bounds = &self.compiled.program.places[PlaceId(place)].bounds;
        let slots = powers.iter().zip(bounds.iter()).cycle();
        for ((value, &word), (&power, bound)) in room.iter_mut().zip(words).zip(slots) {
            *value = if bound.real {
                f64::from_bits(word) * self.compiled.program.tick.time(1.0).powi(power)
            } else {
                word as i64 as f64
            };
        }
        Ok(())
    }
}

/// An instance of a net.
pub struct Instance {
    pub net: Arc<Net>,
    pub component: Component,
}

impl Instance {
    pub fn new(net: Arc<Net>, seed: u64) -> Result<Self, Failure> {
        let component = Component::new(&net.compiled, seed).map_err(|fault| Failure::of_fault(&fault, None))?;
        Ok(Instance { net, component })
    }

    /// Why the component has refused something at a place and an instant.
    pub fn failure(&self, refused: Refused, place: u32, time: Ticks) -> Failure {
        let program = &self.net.compiled.program;
        let name = program.places.get(place as usize).map_or("", |place| &place.name);
        let (asked, now) = (self.net.shown(time), self.net.shown(self.component.now()));
        match refused {
            Refused::Port => Failure::of(Code::Name, "component-port", &[("name", name)]),
            Refused::Past => Failure::of(Code::Past, "component-past", &[("time", &asked), ("now", &now)]),
            Refused::Horizon => {
                let horizon = self.net.shown(HORIZON);
                Failure::of(Code::Horizon, "component-horizon", &[("time", &asked), ("horizon", &horizon)])
            }
            Refused::Token => Failure::of(Code::Token, "component-value", &[("name", name)]),
            Refused::OtherNet => Failure::of(Code::Handle, "component-other-net", &[]),
            Refused::Stopped => match &self.component.engine().error {
                Some(error) => {
                    let transition = &*program.transitions[error.transition].name;
                    let time = self.net.shown(error.time);
                    Failure::of_fault(&error.fault, Some((transition, &time)))
                }
                None => Failure::of(Code::Model, "component-stopped", &[]),
            },
        }
    }

    /// A figure up to now, as `count(serve)`.
    pub fn figure(&mut self, asked: &str) -> Option<f64> {
        match asked {
            "now" => return Some(self.net.time(self.component.now())),
            "firings" => return Some(self.component.engine().firings as f64),
            _ => {}
        }
        let (word, name) = asked.strip_suffix(')')?.split_once('(')?;
        let program = Arc::clone(&self.net.compiled.program);
        let place = || program.places.iter().take(program.own_places).position(|place| &*place.name == name);
        let transition = || program.transitions.iter().take(program.own).position(|one| &*one.name == name);
        let (row, of) = match word {
            "count" => ("firings", transition()?),
            "in_progress" | "active" => (word, transition()?),
            "mean" => ("integral", place()?),
            "busy" => ("nonempty", place()?),
            "max" => ("maximum", place()?),
            "arrivals" => (word, place()?),
            _ => return None,
        };
        let observed = self.component.observe();
        let (_, numbers) = observed.rows.named().find(|(name, _)| *name == row)?;
        Some(match row {
            "firings" | "maximum" | "arrivals" => numbers[of] as f64,
            _ => f64::from_bits(numbers[of]) / observed.elapsed as f64,
        })
    }
}
