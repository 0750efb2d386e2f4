//! A row of weights that knows the sums of its parts: "in whose share does the k-th unit lie?" in logarithmic time.

/// Weights summed into one node of the level above.
const FANOUT: usize = 16;

/// Level 0 holds the weights, each level above the sums of groups of 16 of the one below; the top level has at most 16.
#[derive(Clone, Debug)]
pub struct SumTree {
    levels: Vec<Vec<u64>>,
    total: u64,
}

impl Default for SumTree {
    fn default() -> Self {
        SumTree { levels: vec![Vec::new()], total: 0 }
    }
}

impl SumTree {
    #[inline(always)]
    pub fn total(&self) -> u64 {
        self.total
    }

    #[inline(always)]
    pub fn weight(&self, position: usize) -> u64 {
        self.levels[0][position]
    }

    /// Adds a weight at the end.
    #[inline]
    pub fn push(&mut self, weight: u64) {
        let position = self.levels[0].len();
        if position < FANOUT {
            self.levels[0].push(weight);
            self.total = self.total.wrapping_add(weight);
            self.levels.iter_mut().skip(1).for_each(|level| level[0] = self.total);
            return;
        }
        self.levels[0].push(0);
        let (mut level, mut nodes) = (0, position + 1);
        while nodes > FANOUT {
            let parents = nodes.div_ceil(FANOUT);
            if self.levels.len() == level + 1 {
                let sums = self.levels[level].chunks(FANOUT).map(|chunk| chunk.iter().sum()).collect();
                self.levels.push(sums);
            } else if self.levels[level + 1].len() < parents {
                self.levels[level + 1].push(0);
            }
            (level, nodes) = (level + 1, parents);
        }
        self.set(position, weight);
    }

    #[inline]
    pub fn set(&mut self, position: usize, weight: u64) {
        let change = weight.wrapping_sub(self.levels[0][position]);
        if change == 0 {
            return;
        }
        self.total = self.total.wrapping_add(change);
        let mut node = position;
        for level in &mut self.levels {
            if let Some(sum) = level.get_mut(node) {
                *sum = sum.wrapping_add(change);
            }
            node /= FANOUT;
        }
    }

    /// The last weight moves to a position, and the row is one shorter. Levels above keep their length: empty nodes
    /// there weigh nothing.
    #[inline]
    pub fn swap_remove(&mut self, position: usize) {
        let last = self.levels[0].len() - 1;
        let weight = self.levels[0][last];
        self.set(last, 0);
        if position != last {
            self.set(position, weight);
        }
        self.levels[0].pop();
    }

    pub fn clear(&mut self) {
        *self = SumTree::default();
    }

    /// The position in whose weight unit `k` lies, and how many units of that weight come before it. `k` is below `total`.
    #[inline]
    pub fn select(&self, k: u64) -> (usize, u64) {
        let mut left = k;
        let mut node = 0;
        for level in self.levels.iter().rev() {
            node *= FANOUT;
            while left >= level[node] {
                left -= level[node];
                node += 1;
            }
        }
        (node, left)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::base::random::Random;

    /// The position in whose weight unit `k` of a row lies, and how many units of that weight come before it, by counting.
    pub(crate) fn unit(row: &[u64], k: u64) -> (usize, u64) {
        let mut left = k;
        let position = row.iter().position(|&weight| {
            let found = left < weight;
            left -= if found { 0 } else { weight };
            found
        });
        (position.expect("a position"), left)
    }

    #[test]
    fn against_a_plain_row() {
        let mut random = Random::new([9, 9, 9]);
        let mut tree = SumTree::default();
        let mut row: Vec<u64> = Vec::new();
        for step in 0..6000 {
            let grows = if step < 3000 { 0.6 } else { 0.3 };
            if row.is_empty() || random.uniform() < grows {
                let weight = random.equal_choice(4);
                tree.push(weight);
                row.push(weight);
            } else if random.uniform() < 0.5 {
                let position = random.equal_choice(row.len() as u64) as usize;
                tree.swap_remove(position);
                row.swap_remove(position);
            } else {
                let position = random.equal_choice(row.len() as u64) as usize;
                tree.set(position, step % 5);
                row[position] = step % 5;
            }
            let total: u64 = row.iter().sum();
            assert_eq!(tree.total(), total);
            if total > 0 {
                let k = random.equal_choice(total);
                assert_eq!(tree.select(k), unit(&row, k));
            }
        }
    }
}
