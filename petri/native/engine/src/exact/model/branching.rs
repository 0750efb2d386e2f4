//! Stands in for a stream of random numbers: each choice takes one outcome after the other, with its probability.

use crate::base::random::{Draws, Random};

/// A choice from integers is not followed beyond so many.
const MOST_OUTCOMES: u64 = 100_000;

#[derive(Default)]
pub struct Branching {
    /// The outcomes that the choices of a firing take, and the probabilities of all that they have.
    taken: Vec<(usize, Vec<f64>)>,
    /// How many choices the firing has made so far.
    made: usize,
    /// Some choice has too many outcomes to follow.
    pub refused: bool,
}

impl Branching {
    /// The next firing takes the first outcomes.
    pub fn begin(&mut self) {
        self.taken.clear();
        (self.made, self.refused) = (0, false);
    }

    /// The next firing takes other outcomes: the last choice that has another one takes it. False if none has.
    pub fn advance(&mut self) -> bool {
        self.made = 0;
        while let Some((outcome, chances)) = self.taken.pop() {
            if let Some(next) = possible(&chances, outcome + 1) {
                self.taken.push((next, chances));
                return true;
            }
        }
        false
    }

    /// The probability of the outcomes that the firing has taken.
    pub fn chance(&self) -> f64 {
        self.taken.iter().map(|(outcome, chances)| chances[*outcome]).product()
    }

    fn choose(&mut self, chances: impl FnOnce() -> Vec<f64>) -> usize {
        if self.made == self.taken.len() {
            let chances = chances();
            self.taken.push((possible(&chances, 0).unwrap_or(0), chances));
        }
        self.made += 1;
        self.taken[self.made - 1].0
    }

    /// One of some values. Equal ones are one outcome.
    fn among<V: PartialEq>(&mut self, values: &[V], chance: impl Fn(usize) -> f64) -> usize {
        self.choose(|| {
            let mut chances = vec![0.0; values.len()];
            for (at, value) in values.iter().enumerate() {
                let first = values.iter().position(|other| other == value);
                chances[first.unwrap_or(at)] += chance(at);
            }
            chances
        })
    }
}

/// The first outcome from one on that can happen.
fn possible(chances: &[f64], from: usize) -> Option<usize> {
    (from..chances.len()).find(|&at| chances[at] > 0.0)
}

impl Draws for Branching {
    fn equal_choice(&mut self, n: u64) -> u64 {
        self.refused |= n > MOST_OUTCOMES;
        let outcomes = n.min(MOST_OUTCOMES) as usize;
        self.choose(|| vec![1.0 / n as f64; outcomes]) as u64
    }

    fn happens(&mut self, probability: f64) -> bool {
        self.choose(|| vec![probability, 1.0 - probability]) == 0
    }

    fn weighted<V: PartialEq>(&mut self, values: &[V], weights: &[f64]) -> usize {
        let sum: f64 = weights.iter().sum();
        self.among(values, |at| weights[at] / sum)
    }

    fn cumulative<V: PartialEq>(&mut self, values: &[V], sums: &[f64]) -> usize {
        let before = |at: usize| if at == 0 { 0.0 } else { sums[at - 1] };
        self.among(values, |at| (sums[at] - before(at)) / sums[sums.len() - 1])
    }

    fn stream(&mut self) -> Option<&mut Random> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of a firing with their probabilities.
    fn outcomes(fire: impl Fn(&mut Branching) -> Vec<u64>) -> Vec<(Vec<u64>, f64)> {
        let (mut branching, mut found) = (Branching::default(), Vec::new());
        branching.begin();
        loop {
            found.push((fire(&mut branching), branching.chance()));
            if !branching.advance() {
                return found;
            }
        }
    }

    #[test]
    fn each_outcome_comes_once_with_its_probability() {
        let found = outcomes(|draws| {
            let first = draws.equal_choice(2);
            let second = if first == 0 { u64::from(draws.happens(0.25)) } else { 7 };
            vec![first, second]
        });
        assert_eq!(found, [(vec![0, 1], 0.125), (vec![0, 0], 0.375), (vec![1, 7], 0.5)]);
    }

    #[test]
    fn equal_values_are_one_outcome_and_impossible_ones_none() {
        let by_weights = outcomes(|draws| vec![draws.weighted(&[5, 6, 5, 8], &[1.0, 0.0, 2.0, 1.0]) as u64]);
        let by_sums = outcomes(|draws| vec![draws.cumulative(&[5, 6, 5, 8], &[1.0, 1.0, 3.0, 4.0]) as u64]);
        assert_eq!(by_weights, [(vec![0], 0.75), (vec![3], 0.25)]);
        assert_eq!(by_sums, by_weights);
        assert_eq!(outcomes(|draws| vec![u64::from(draws.happens(1.0))]), [(vec![1], 1.0)]);
    }

    #[test]
    fn too_many_outcomes_are_refused() {
        let mut branching = Branching::default();
        branching.begin();
        branching.equal_choice(MOST_OUTCOMES);
        assert!(!branching.refused);
        branching.equal_choice(MOST_OUTCOMES + 1);
        assert!(branching.refused);
        assert!(branching.stream().is_none());
    }
}
