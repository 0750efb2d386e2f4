//! The closed classes of a chain: sets of states that it does not leave, in which all reach each other.

/// Sweeps that look for a state from which the first cannot be reached; most chains need a few.
const SWEEPS: usize = 20;

/// Each class in the order of its states, and the classes in that of their first states.
pub fn closed_classes(offsets: &[u64], columns: &[u32]) -> Vec<Vec<u32>> {
    if all_lead_to_the_first(offsets, columns) {
        return first_class(offsets, columns).into_iter().collect();
    }
    by_tarjan(offsets, columns)
}

/// Whether the first state can be reached from all, as far as a few sweeps show; no rows are searched by depth, which is slow.
fn all_lead_to_the_first(offsets: &[u64], columns: &[u32]) -> bool {
    let states = offsets.len() - 1;
    let mut leads = vec![0u64; states.div_ceil(64)];
    let has = |leads: &[u64], state: usize| leads[state / 64] >> (state % 64) & 1 == 1;
    if let Some(first) = leads.first_mut() {
        *first = 1;
    }
    let mut found = states.min(1);
    for _ in 0..SWEEPS {
        let before = found;
        for state in (1..states).rev() {
            let row = &columns[offsets[state] as usize..offsets[state + 1] as usize];
            if !has(&leads, state) && row.iter().any(|&target| has(&leads, target as usize)) {
                leads[state / 64] |= 1 << (state % 64);
                found += 1;
            }
        }
        if found == before || found == states {
            break;
        }
    }
    found == states
}

/// The states that the first one reaches, if there is one.
fn first_class(offsets: &[u64], columns: &[u32]) -> Option<Vec<u32>> {
    let states = offsets.len() - 1;
    let mut is_reached = vec![false; states];
    *is_reached.first_mut()? = true;
    let mut reached = vec![0u32];
    let mut next = 0;
    while let Some(&state) = reached.get(next) {
        next += 1;
        for &target in &columns[offsets[state as usize] as usize..offsets[state as usize + 1] as usize] {
            if !std::mem::replace(&mut is_reached[target as usize], true) {
                reached.push(target);
            }
        }
    }
    reached.sort_unstable();
    Some(reached)
}

/// By Tarjan's search.
fn by_tarjan(offsets: &[u64], columns: &[u32]) -> Vec<Vec<u32>> {
    const NONE: u32 = u32::MAX;
    let states = offsets.len() - 1;
    let mut number = vec![NONE; states]; // in the order in which they are found
    let mut lowest = vec![0u32; states];
    let mut class = vec![NONE; states];
    let (mut waiting, mut path): (Vec<u32>, Vec<(u32, u64)>) = (Vec::new(), Vec::new());
    let (mut next, mut is_closed) = (0u32, Vec::new());
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
                let new = is_closed.len() as u32;
                let first = waiting.iter().rposition(|&one| one == state).expect("it waits");
                let members = waiting.split_off(first);
                members.iter().for_each(|&one| class[one as usize] = new);
                let stays = |&one: &u32| {
                    let row = offsets[one as usize] as usize..offsets[one as usize + 1] as usize;
                    columns[row].iter().all(|&target| class[target as usize] == new)
                };
                is_closed.push(members.iter().all(stays));
            }
        }
    }
    let mut found: Vec<Vec<u32>> = Vec::new();
    let mut place = vec![NONE; is_closed.len()];
    for (state, &class) in class.iter().enumerate().filter(|(_, &class)| is_closed[class as usize]) {
        if place[class as usize] == NONE {
            place[class as usize] = found.len() as u32;
            found.push(Vec::new());
        }
        found[place[class as usize] as usize].push(state as u32);
    }
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
