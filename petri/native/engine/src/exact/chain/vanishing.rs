//! The vanishing states of a graph, in an order in which what follows each of them can be found.
//!
//! **Problem.** Firings that take no time lead from one vanishing state to others, and at last to tangible ones. They may lead in a
//! circle, as long as something leaves it.
//!
//! **Idea.** Each state comes after those that it leads to. States that lead to one another are a [`Circle`]: there, what follows the
//! states solves x = b + A·x, with their weights A among one another, and what follows outside, b. They are eliminated one by one. A sum
//! of the weights that leave a state takes the place of the difference 1 − a, so that nothing is lost by subtraction (Grassmann, Taksar
//! and Heyman).

use std::collections::BTreeMap;
use std::ops::Range;

use crate::exact::chain::classes::components;
use crate::exact::space::graph::Graph;

#[derive(Default)]
pub struct Vanishing {
    order: Vec<u32>,
    circles: Vec<Circle>,
}

/// States of the order that lead to one another.
pub struct Circle {
    states: Range<usize>,
    /// For each state the weights that leave it once those before it are eliminated: their sum, and those to later states.
    rows: Vec<(f64, Vec<(usize, f64)>)>,
    /// How often a later state comes to an eliminated one, per time that this is left: of which, which, and the share.
    shares: Vec<(usize, usize, f64)>,
}

impl Vanishing {
    /// The vanishing states; those of a circle that nothing leaves are the error.
    pub fn of(graph: &Graph) -> Result<Self, Vec<u32>> {
        if let Some(order) = order_of(graph) {
            return Ok(Vanishing { order, circles: Vec::new() });
        }
        let states: Vec<u32> = (0..graph.states.len() as u32).filter(|&one| graph.is_vanishing(one as usize)).collect();
        let mut places = vec![u32::MAX; graph.states.len()];
        states.iter().enumerate().for_each(|(place, &state)| places[state as usize] = place as u32);
        let (mut offsets, mut columns) = (vec![0], Vec::new());
        for &state in &states {
            let targets = graph.arcs(state as usize).map(|arc| places[graph.targets[arc] as usize]);
            columns.extend(targets.filter(|&place| place != u32::MAX));
            offsets.push(columns.len() as u64);
        }
        let mut found = Vanishing::default();
        for members in components(&offsets, &columns) {
            let first = found.order.len();
            found.order.extend(members.iter().map(|&place| states[place as usize]));
            let members = &found.order[first..];
            let loops = graph.arcs(members[0] as usize).any(|arc| graph.targets[arc] == members[0]);
            if members.len() > 1 || loops {
                found.circles.push(Circle::new(graph, &found.order, first).ok_or_else(|| members.to_vec())?);
            }
        }
        Ok(found)
    }

    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// One state after the other, but all of a circle together. None of them leads to a later one.
    pub fn parts(&self) -> impl Iterator<Item = (&[u32], Option<&Circle>)> {
        let (mut next, mut circles) = (0, self.circles.iter().peekable());
        std::iter::from_fn(move || {
            let first = next;
            (first < self.order.len()).then(|| {
                let circle = circles.next_if(|circle| circle.states.start == first);
                next = circle.map_or(first + 1, |circle| circle.states.end);
                (&self.order[first..next], circle)
            })
        })
    }
}

impl Circle {
    /// The states from `first` on; none if nothing leaves them.
    fn new(graph: &Graph, order: &[u32], first: usize) -> Option<Self> {
        let places: BTreeMap<u32, usize> = order[first..].iter().enumerate().map(|(at, &state)| (state, at)).collect();
        let mut rows = vec![BTreeMap::<usize, f64>::new(); places.len()];
        let mut sources = vec![Vec::new(); places.len()]; // of each state, those whose rows have it
        let mut leaves = vec![0.0; places.len()];
        for (&state, &at) in &places {
            for arc in graph.arcs(state as usize) {
                let weight = graph.label(arc).value;
                match places.get(&graph.targets[arc]) {
                    Some(&target) => add(&mut rows[at], &mut sources[target], at, target, weight),
                    None => leaves[at] += weight,
                }
            }
        }
        let mut circle = Circle { states: first..order.len(), rows: Vec::new(), shares: Vec::new() };
        for state in 0..rows.len() {
            let mut row = std::mem::take(&mut rows[state]);
            row.remove(&state);
            let sum = leaves[state] + row.values().sum::<f64>();
            if sum <= 0.0 {
                return None;
            }
            for later in std::mem::take(&mut sources[state]).into_iter().filter(|&later| later > state) {
                let share = rows[later].remove(&state).unwrap_or(0.0) / sum;
                leaves[later] += share * leaves[state];
                for (&target, &weight) in &row {
                    add(&mut rows[later], &mut sources[target], later, target, share * weight);
                }
                circle.shares.push((state, later, share));
            }
            circle.rows.push((sum, row.into_iter().collect()));
        }
        Some(circle)
    }

    /// What follows each state, given what follows outside the circle.
    pub fn solve<T>(&self, found: &mut [T], add: impl Fn(&mut T, f64, &T), scale: impl Fn(&mut T, f64)) {
        for &(state, later, share) in &self.shares {
            let (before, rest) = found.split_at_mut(later);
            add(&mut rest[0], share, &before[state]);
        }
        for (state, (sum, row)) in self.rows.iter().enumerate().rev() {
            let (before, later) = found.split_at_mut(state + 1);
            row.iter().for_each(|&(target, weight)| add(&mut before[state], weight, &later[target - state - 1]));
            scale(&mut before[state], 1.0 / sum);
        }
    }
}

/// Adds to a weight in the row of a state.
fn add(row: &mut BTreeMap<usize, f64>, sources: &mut Vec<usize>, state: usize, target: usize, weight: f64) {
    *row.entry(target).or_insert_with(|| {
        sources.push(state);
        0.0
    }) += weight;
}

/// The vanishing states, each after those that it leads to; none if they lead in a circle.
fn order_of(graph: &Graph) -> Option<Vec<u32>> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut order = Vec::new();
    let mut seen = vec![NEW; graph.states.len()];
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..graph.states.len() {
        if seen[root] != NEW || !graph.is_vanishing(root) {
            continue;
        }
        seen[root] = OPEN;
        path.push((root as u32, graph.arcs(root).start));
        while let Some((state, arc)) = path.last_mut() {
            if *arc == graph.arcs(*state as usize).end {
                seen[*state as usize] = DONE;
                order.push(*state);
                path.pop();
                continue;
            }
            let target = graph.targets[*arc];
            *arc += 1;
            if !graph.is_vanishing(target as usize) || seen[target as usize] == DONE {
                continue;
            }
            if seen[target as usize] == OPEN {
                return None;
            }
            seen[target as usize] = OPEN;
            path.push((target, graph.arcs(target as usize).start));
        }
    }
    Some(order)
}
