//! The random numbers of one replication (rules R1 to R3).

use std::sync::OnceLock;

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::SpanId;
use crate::base::portable;
use crate::base::trajectory::splitmix;

// Ziggurat for the exponential density with 256 layers (Marsaglia & Tsang 2000): the right edge of the lowest
// full layer, and the area of each layer.
const LAYERS: usize = 256;
const EDGE: f64 = 7.69711747013105;
/// The words that the rectangles of the layers decide are below this.
pub const RECTANGLES: f64 = 8.0;
const AREA: f64 = 0.003949659822581557;
pub const UNIT: f64 = 1.0 / (1u64 << 53) as f64;

pub struct Ziggurat {
    pub layers: [Layer; LAYERS],
    edges: [f64; LAYERS + 1],
    heights: [f64; LAYERS + 1],
}

/// What nearly every draw needs of a layer, in one line of the cache.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Layer {
    /// The right edge times 2⁻⁵³: a power of two rounds nothing, so one multiplication does.
    pub scale: f64,
    /// A word that is less than this after `LEAST` is taken off it lies in the rectangle of its layer, and its place there
    /// is not 0: one comparison of integers for two of numbers.
    pub inside: u64,
}

pub fn ziggurat() -> &'static Ziggurat {
    static TABLES: OnceLock<Ziggurat> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut edges = [0.0; LAYERS + 1];
        edges[0] = AREA / portable::exp(-EDGE);
        edges[1] = EDGE;
        for i in 2..LAYERS {
            let x = edges[i - 1];
            edges[i] = -portable::ln(portable::exp(-x) + AREA / x);
        }
        let heights = edges.map(|x| portable::exp(-x));
        let layers = std::array::from_fn(|i| {
            let scale = edges[i] * UNIT;
            Layer { scale, inside: places_before(edges[i + 1], scale).saturating_sub(1) * LEAST }
        });
        Ziggurat { layers, edges, heights }
    })
}

/// How many places of a layer, the multiples of its scale, are before an edge.
fn places_before(edge: f64, scale: f64) -> u64 {
    let near = (edge / scale) as u64;
    let is_before = |place: u64| place as f64 * scale < edge;
    (near.saturating_sub(2)..near + 3).find(|&place| !is_before(place)).unwrap_or(near)
}

/// What chooses among outcomes: a stream takes one of them by a random number, and an exploration each in turn.
pub trait Draws {
    /// One of 0 … n−1, each equally likely.
    fn equal_choice(&mut self, n: u64) -> u64;

    /// Whether something happens that has this probability.
    fn happens(&mut self, probability: f64) -> bool;

    /// The position of one of some values, by their weights.
    fn weighted<V: PartialEq>(&mut self, values: &[V], weights: &[f64]) -> usize;

    /// The same, given the sums of the weights from the first to each.
    fn cumulative<V: PartialEq>(&mut self, values: &[V], sums: &[f64]) -> usize;

    /// The random numbers from which anything else can be drawn, if these are such.
    fn stream(&mut self) -> Option<&mut Random>;
}

/// Draws that have any number of outcomes. A fault, which no run raises, where each outcome is to be taken.
#[inline(always)]
pub fn random<R: Draws>(draws: &mut R, span: SpanId) -> Outcome<&mut Random> {
    draws.stream().ok_or_else(|| Fault::new("any-draw", span))
}

/// SFC64 with the draws of the semantics.
#[derive(Clone)]
#[repr(C)]
pub struct Random {
    pub state: [u64; 4],
    tables: &'static Ziggurat,
}

/// The least word whose upper 53 bits are not 0.
pub const LEAST: u64 = 1 << 11;
/// The bits of a word that make a number in [0, 1): the upper 53.
pub const UPPER: u64 = !(LEAST - 1);

/// The integer part of u·n, where u in [0, 1) is the number that the word's upper 53 bits make.
#[inline(always)]
pub fn scaled(word: u64, n: u64) -> u64 {
    ((u128::from(word & UPPER) * u128::from(n)) >> 64) as u64
}

/// The words that initialise the stream of a transition (R5), given those of the replication's stream.
pub fn own_words(seed: [u64; 3], name: &str) -> [u64; 3] {
    // FNV-1a (Fowler, Noll & Vo); one bit less, as `splitmix` adds to it.
    let add = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    let key = name.bytes().fold(0xCBF2_9CE4_8422_2325, add) >> 1;
    seed.map(|word| splitmix(key, word))
}

impl Random {
    /// The stream for the three words that `numpy.random.SeedSequence` gives for a seed and a replication.
    pub fn new(seed: [u64; 3]) -> Self {
        let mut random = Random { state: [seed[0], seed[1], seed[2], 1], tables: ziggurat() };
        for _ in 0..12 {
            random.word();
        }
        random
    }

    /// The next 64-bit word.
    #[inline(always)]
    pub fn word(&mut self) -> u64 {
        let [a, b, c, counter] = self.state;
        let word = a.wrapping_add(b).wrapping_add(counter);
        self.state =
            [b ^ (b >> 11), c.wrapping_add(c << 3), c.rotate_left(24).wrapping_add(word), counter.wrapping_add(1)];
        word
    }

    /// The u of R1: the upper 53 bits of a word, in [0, 1).
    #[inline(always)]
    pub fn uniform(&mut self) -> f64 {
        (self.word() >> 11) as i64 as f64 * UNIT
    }

    /// One of 0 … n−1, each equally likely; draws nothing when n is 1 (R2).
    #[inline(always)]
    pub fn equal_choice(&mut self, n: u64) -> u64 {
        if n == 1 {
            0
        } else {
            scaled(self.word(), n)
        }
    }

    /// The same for numbers that may be greater than any that a word can have.
    #[inline]
    pub fn wide_choice(&mut self, n: u128) -> u128 {
        match u64::try_from(n) {
            Ok(n) => u128::from(self.equal_choice(n)),
            Err(_) => ((self.uniform() * n as f64) as u128).min(n - 1),
        }
    }

    /// A position, with probability proportional to its weight; draws nothing when there is one (R2).
    pub fn weighted_choice(&mut self, weights: impl Iterator<Item = f64> + Clone) -> usize {
        let (mut total, mut count) = (0.0, 0);
        for weight in weights.clone() {
            total += weight;
            count += 1;
        }
        if count == 1 {
            return 0;
        }
        let threshold = self.uniform() * total;
        let mut reached = 0.0;
        for (position, weight) in weights.enumerate() {
            reached += weight;
            if threshold < reached {
                return position;
            }
        }
        count - 1
    }

    /// As `weighted_choice`, given the sums of the weights from the first to each.
    pub fn cumulative_choice(&mut self, sums: &[f64]) -> usize {
        if sums.len() == 1 {
            return 0;
        }
        let threshold = self.uniform() * sums[sums.len() - 1];
        sums.partition_point(|&reached| reached <= threshold).min(sums.len() - 1)
    }

    /// A standard exponential. One word gives the layer (low 8 bits) and the position in it (upper 53).
    #[inline(always)]
    pub fn exponential(&mut self) -> f64 {
        let word = self.word();
        let layer = (word & 0xFF) as usize;
        let Layer { scale, inside } = self.tables.layers[layer];
        // As signed numbers, which convert in one instruction.
        let x = (word >> 11) as i64 as f64 * scale;
        if word.wrapping_sub(LEAST) < inside {
            return x;
        }
        self.exponential_rest(layer, x)
    }

    /// The one draw in a hundred that the rectangles do not decide, and a draw of 0.
    #[cold]
    pub fn exponential_rest(&mut self, mut layer: usize, mut x: f64) -> f64 {
        let mut tail = 0.0;
        loop {
            if x < self.tables.edges[layer + 1] {
                return tail + x;
            }
            if layer == 0 {
                tail += EDGE; // beyond the edge the density repeats itself
            } else {
                let (low, high) = (self.tables.heights[layer], self.tables.heights[layer + 1]);
                if low + self.uniform() * (high - low) < portable::exp(-x) {
                    return tail + x;
                }
            }
            let word = self.word();
            layer = (word & 0xFF) as usize;
            x = (word >> 11) as f64 * self.tables.layers[layer].scale;
        }
    }

    /// A standard normal by Marsaglia's polar method.
    pub fn normal(&mut self) -> f64 {
        loop {
            let a = 2.0 * self.uniform() - 1.0;
            let b = 2.0 * self.uniform() - 1.0;
            let s = a * a + b * b;
            if 0.0 < s && s < 1.0 {
                return a * (-2.0 * portable::ln(s) / s).sqrt();
            }
        }
    }
}

impl Draws for Random {
    #[inline(always)]
    fn equal_choice(&mut self, n: u64) -> u64 {
        Random::equal_choice(self, n)
    }

    #[inline(always)]
    fn happens(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    #[inline(always)]
    fn weighted<V: PartialEq>(&mut self, _: &[V], weights: &[f64]) -> usize {
        self.weighted_choice(weights.iter().copied())
    }

    #[inline(always)]
    fn cumulative<V: PartialEq>(&mut self, _: &[V], sums: &[f64]) -> usize {
        self.cumulative_choice(sums)
    }

    #[inline(always)]
    fn stream(&mut self) -> Option<&mut Random> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream() -> Random {
        // numpy.random.SeedSequence(7, spawn_key=(0,)).generate_state(3, uint64)
        Random::new([3386250816931739734, 17579791024057999317, 3672896790579533867])
    }

    #[test]
    fn the_words_of_numpy() {
        let mut random = stream();
        assert_eq!([random.word(), random.word()], [6634778829482175889, 18045128517199978778]);
    }

    #[test]
    fn r2_whole_parts_are_exact() {
        assert_eq!([0, 1 << 62, 1 << 63, 3 << 62, u64::MAX].map(|word| scaled(word, 4)), [0, 1, 2, 3, 3]);
        // The last u below two thirds: 3u is 2 − 2⁻⁵³, which as a double would be 2.
        let below = (1u64 << 54) / 3;
        assert_eq!([below, below + 1].map(|bits| scaled(bits << 11, 3)), [1, 2]);
        assert_eq!((below as f64 * UNIT * 3.0) as u64, 2);
        assert_eq!(scaled(u64::MAX, u64::MAX), u64::MAX - (1 << 11));
    }

    #[test]
    fn r3_a_comparison_of_words_is_one_of_places() {
        let tables = ziggurat();
        for layer in 0..LAYERS {
            let edge = tables.layers[layer].inside / LEAST + 1;
            for place in [0, 1, 2, edge.saturating_sub(2), edge - 1, edge, edge + 1, (1 << 53) - 1] {
                let place = place.clamp(0, (1 << 53) - 1);
                let inside = (place as f64 * tables.layers[layer].scale) < tables.edges[layer + 1];
                for low in [0, LEAST - 1] {
                    let word = place * LEAST + low;
                    let told = word.wrapping_sub(LEAST) < tables.layers[layer].inside;
                    assert_eq!(told, inside && place > 0, "layer {layer}, place {place}");
                }
            }
        }
    }

    #[test]
    fn moments() {
        let mut random = stream();
        let n = 200_000;
        let mean = (0..n).map(|_| random.exponential()).sum::<f64>() / n as f64;
        let square = (0..n).map(|_| random.normal().powi(2)).sum::<f64>() / n as f64;
        // standard errors 0.0022 and 0.0032: five of them
        assert!((mean - 1.0).abs() < 0.011, "{mean}");
        assert!((square - 1.0).abs() < 0.016, "{square}");
    }

    #[test]
    fn no_draw_without_a_choice() {
        let mut random = stream();
        let before = random.state;
        assert_eq!(random.equal_choice(1), 0);
        assert_eq!(random.weighted_choice([3.0].into_iter()), 0);
        assert_eq!(random.cumulative_choice(&[3.0]), 0);
        assert_eq!(random.state, before);
    }

    #[test]
    fn cumulative_sums_choose_as_weights_do() {
        let weights = [0.1, 0.7, 0.0, 0.3, 0.05];
        let mut sums = Vec::new();
        for weight in weights {
            sums.push(sums.last().unwrap_or(&0.0) + weight);
        }
        let (mut one, mut other) = (stream(), stream());
        for _ in 0..10_000 {
            assert_eq!(one.weighted_choice(weights.into_iter()), other.cumulative_choice(&sums));
        }
    }
}
