//! The states of all probes as data, and back (`petri/engine/saved_probes.py` is the twin).

use crate::base::saved::{fits, Fit, SavedEngine};
use crate::observe::histogram::Histogram;
use crate::observe::probes::{Probe, Probes};
use crate::program::expression::Value;
use crate::program::probes::{Action, ProbesProgram};

impl Probes {
    /// Adds the states of the probes of each kind, in order.
    pub fn save(&self, saved: &mut SavedEngine) {
        let now = saved.now;
        for (id, probe) in self.probes.iter().enumerate() {
            match probe {
                Probe::Counter(sum) => saved.counters.push(*sum),
                Probe::Sample(values) => saved.samples.push(values.save()),
                Probe::Passage(passages) => saved.passages.push(passages.save(self.program.shape(id))),
                Probe::Order(order) => saved.orders.push(order.save()),
                Probe::Content(content) => saved.contents.push(content.save(now)),
                Probe::Watched(watched) => saved.watched.push(watched.save(now)),
            }
        }
    }

    /// Goes on from them.
    pub fn resume(&mut self, saved: &SavedEngine) -> Fit<()> {
        let (now, window, program) = (saved.now, saved.window, &self.program);
        let (mut counters, mut samples, mut passages) =
            (saved.counters.iter(), saved.samples.iter(), saved.passages.iter());
        let (mut orders, mut contents, mut watched) =
            (saved.orders.iter(), saved.contents.iter(), saved.watched.iter());
        for (id, probe) in self.probes.iter_mut().enumerate() {
            let found = match probe {
                Probe::Counter(sum) => counters.next().map(|saved| *sum = *saved),
                Probe::Sample(values) => {
                    samples.next().map(|saved| Histogram::of(saved).map(|found| *values = found)).transpose()?
                }
                Probe::Passage(starts) => {
                    passages.next().map(|saved| starts.resume(saved, program.shape(id))).transpose()?
                }
                Probe::Order(order) => {
                    orders.next().map(|saved| order.resume(saved, program.key_words(id))).transpose()?
                }
                Probe::Content(content) => contents.next().map(|saved| content.resume(saved, now)).transpose()?,
                Probe::Watched(value) => watched.next().map(|saved| value.resume(saved, window, now)).transpose()?,
            };
            fits(found.is_some(), "a measure has no state")?;
        }
        let rest = [counters.len(), samples.len(), passages.len(), orders.len(), contents.len(), watched.len()];
        fits(rest == [0; 6], "there are states of more measures")
    }
}

impl ProbesProgram {
    /// The shape of all keys of a passage (`key_shape` of the compiler), unless keys begin with theirs.
    fn shape(&self, probe: usize) -> Option<u64> {
        let shape = |shape, value: &Value| shape << 1 | u64::from(matches!(value, Value::Real(_)));
        self.actions(probe).find_map(|action| match action {
            Action::Start(None, key) | Action::End(None, key) => Some(key.iter().fold(1, shape)),
            _ => None,
        })
    }

    /// The number of words of the keys of an order.
    fn key_words(&self, probe: usize) -> usize {
        let words = self.actions(probe).find_map(|action| match action {
            Action::Order(key, _) => Some(key.len()),
            _ => None,
        });
        words.unwrap_or(0)
    }

    /// What events do to a probe.
    fn actions(&self, probe: usize) -> impl Iterator<Item = &Action> {
        let all = self.starts.iter().chain(&self.arrivals).flatten();
        all.filter(move |(id, _)| id.0 as usize == probe).map(|(_, action)| action)
    }
}
