//! The closed classes of a chain: sets of states that it does not leave, in which all reach each other.

/// Sweeps that look for the states from which the first can be reached, or which it reaches; most chains need a few.
const SWEEPS: usize = 20;

/// Each class in the order of its states, and the classes in that of their first states.
pub fn closed_classes(offsets: &[u64], columns: &[u32]) -> Vec<Vec<u32>> {
    // Rows in their order are read much faster than by a search in depth.
    if all_lead_to_the_first(offsets, columns) && the_first_leads_to_all(offsets, columns) {
        return vec![(0..offsets.len() as u32 - 1).collect()];
    }
    by_tarjan(offsets, columns)
}

/// A set of states, with the first in it. count: of its states.
struct Marked {
    bits: Vec<u64>,
    count: usize,
}

impl Marked {
    fn first(states: usize) -> Self {
        let mut bits = vec![0; states.div_ceil(64)];
        bits[0] = 1;
        Marked { bits, count: 1 }
    }

    #[inline(always)]
    fn has(&self, state: usize) -> bool {
        self.bits[state / 64] >> (state % 64) & 1 == 1
    }

    #[inline(always)]
    fn add(&mut self, state: usize) {
        self.count += usize::from(!self.has(state));
        self.bits[state / 64] |= 1 << (state % 64);
    }

    /// Whether all states come in, as far as a few sweeps show.
    fn grows_to(&mut self, states: usize, mut sweep: impl FnMut(&mut Marked)) -> bool {
        for _ in 0..SWEEPS {
            let before = self.count;
            sweep(self);
            if self.count == before || self.count == states {
                break;
            }
        }
        self.count == states
    }
}

fn row<'a>(offsets: &[u64], columns: &'a [u32], state: usize) -> &'a [u32] {
    &columns[offsets[state] as usize..offsets[state + 1] as usize]
}

fn all_lead_to_the_first(offsets: &[u64], columns: &[u32]) -> bool {
    let states = offsets.len() - 1;
    states > 0
        && Marked::first(states).grows_to(states, |leads| {
            // There and back: a way to the first has few turns, in the numbers of its states.
            (1..states).rev().chain(1..states).for_each(|state| {
                if !leads.has(state) && row(offsets, columns, state).iter().any(|&target| leads.has(target as usize)) {
                    leads.add(state);
                }
            });
        })
}

fn the_first_leads_to_all(offsets: &[u64], columns: &[u32]) -> bool {
    let states = offsets.len() - 1;
    Marked::first(states).grows_to(states, |reached| {
        for state in 0..states {
            if reached.has(state) {
                row(offsets, columns, state).iter().for_each(|&target| reached.add(target as usize));
            }
        }
    })
}

/// The sets of states that reach one another, each after those that it leads to: by Tarjan's search.
pub fn components(offsets: &[u64], columns: &[u32]) -> Vec<Vec<u32>> {
    const NONE: u32 = u32::MAX;
    let states = offsets.len() - 1;
    let mut number = vec![NONE; states]; // in the order in which they are found
    let mut lowest = vec![0u32; states];
    let mut class = vec![NONE; states];
    let (mut waiting, mut path): (Vec<u32>, Vec<(u32, u64)>) = (Vec::new(), Vec::new());
    let (mut next, mut found) = (0u32, Vec::new());
    for root in 0..states as u32 {
        if number[root as usize] != NONE {
            continue;
        }
        path.push((root, offsets[root as usize]));
        while let Some(&(state, arc)) = path.last() {
            let at = state as usize;
            if arc == offsets[at] && number[at] == NONE {
                (number[at], lowest[at]) = (next, next);
                next += 1;
                waiting.push(state);
            }
            if arc < offsets[at + 1] {
                path.last_mut().expect("a path").1 += 1;
                let target = columns[arc as usize] as usize;
                if number[target] == NONE {
                    path.push((target as u32, offsets[target]));
                } else if class[target] == NONE {
                    lowest[at] = lowest[at].min(number[target]);
                }
                continue;
            }
            path.pop();
            if let Some(&(before, _)) = path.last() {
                lowest[before as usize] = lowest[before as usize].min(lowest[at]);
            }
            if lowest[at] == number[at] {
                let first = waiting.iter().rposition(|&one| one == state).expect("it waits");
                let members = waiting.split_off(first);
                members.iter().for_each(|&one| class[one as usize] = found.len() as u32);
                found.push(members);
            }
        }
    }
    found
}

fn by_tarjan(offsets: &[u64], columns: &[u32]) -> Vec<Vec<u32>> {
    let mut class = vec![0; offsets.len() - 1];
    let all = components(offsets, columns);
    for (number, members) in all.iter().enumerate() {
        members.iter().for_each(|&one| class[one as usize] = number);
    }
    let stays = |one: u32| {
        row(offsets, columns, one as usize).iter().all(|&target| class[target as usize] == class[one as usize])
    };
    let mut found: Vec<Vec<u32>> = all.iter().filter(|one| one.iter().all(|&state| stays(state))).cloned().collect();
    found.iter_mut().for_each(|members| members.sort_unstable());
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn are_those_of_reachability(arcs in prop::collection::vec((0u32..9, 0u32..9), 0..45)) {
            let mut sorted = arcs;
            sorted.sort_unstable();
            let offsets: Vec<u64> =
                (0..=9).map(|state| sorted.partition_point(|&(source, _)| source < state) as u64).collect();
            let columns: Vec<u32> = sorted.iter().map(|&(_, target)| target).collect();
            let mut reaches = [[false; 9]; 9];
            (0..9).for_each(|state| reaches[state][state] = true);
            for _ in 0..9 {
                for &(source, target) in &sorted {
                    let further = reaches[target as usize];
                    reaches[source as usize].iter_mut().zip(further).for_each(|(one, other)| *one |= other);
                }
            }
            let expected: Vec<Vec<u32>> = (0..9usize)
                .filter(|&state| (0..9).all(|other| !reaches[state][other] || reaches[other][state]))
                .filter(|&state| (0..state).all(|other| !reaches[state][other]))
                .map(|state| (0..9).filter(|&other| reaches[state][other as usize]).collect())
                .collect();
            prop_assert_eq!(closed_classes(&offsets, &columns), expected);
        }
    }
}
