//! Packets that wait for the reorder density when no more packets are to come.

use std::collections::VecDeque;
use std::sync::OnceLock;

/// The packets of a flow that wait, in order of arrival, and those that have been assessed before their turn
/// (`Displacements`).
pub(super) struct Tail {
    threshold: usize,
    index: i64,
    waiting: Vec<i64>,
    early: Vec<i64>,
    /// What they count, as (place in the density, packets), once asked for.
    counted: OnceLock<Vec<(usize, u64)>>,
}

/// What has become of a packet that is present.
#[derive(Clone, Copy, PartialEq)]
enum Packet {
    Waits,
    /// Assessed, and its index is still to come.
    Early,
    /// Too far away for the density.
    Far,
}

impl Tail {
    pub(super) fn new(threshold: usize, index: i64, waiting: &VecDeque<i64>, early: &[i64]) -> Self {
        let waiting = waiting.iter().copied().collect();
        Tail { threshold, index, waiting, early: early.to_vec(), counted: OnceLock::new() }
    }

    /// Adds what they count to a density.
    pub(super) fn count(&self, density: &mut [u64]) {
        for &(place, packets) in self.counted.get_or_init(|| self.assess()) {
            density[place] += packets;
        }
    }

    /// Assesses them as `Displacements::assess` would one by one. The index never goes back, so that it passes all that are
    /// present in one walk through their numbers.
    fn assess(&self) -> Vec<(usize, u64)> {
        let (numbers, mut packets, seats) = self.sorted();
        let mut density = vec![0; 2 * self.threshold + 1];
        let (mut index, mut next) = (self.index, 0);
        for (&sequence, &seat) in self.waiting.iter().zip(&seats) {
            while numbers.get(next).is_some_and(|&number| number < index) {
                next += 1;
            }
            let is_early = numbers.get(next) == Some(&index) && packets[next] == Packet::Early;
            if sequence != index && !is_early {
                while packets.get(next) == Some(&Packet::Far) {
                    next += 1;
                }
                index = numbers.get(next).copied().unwrap_or(index);
            }
            let displacement = index - sequence;
            if displacement.unsigned_abs() > self.threshold as u64 {
                packets[seat] = Packet::Far;
                continue;
            }
            density[(displacement + self.threshold as i64) as usize] += 1;
            if displacement < 0 {
                packets[seat] = Packet::Early;
            }
            index += 1;
        }
        density.into_iter().enumerate().filter(|&(_, packets)| packets > 0).collect()
    }

    /// All that are present by number, what has become of each, and where those that wait stand among them. They are nearly
    /// in order.
    fn sorted(&self) -> (Vec<i64>, Vec<Packet>, Vec<usize>) {
        let mut present: Vec<(i64, usize)> = Vec::with_capacity(self.waiting.len() + self.early.len());
        for (arrival, &number) in self.early.iter().chain(&self.waiting).enumerate() {
            let mut seat = present.len();
            present.push((number, arrival));
            while seat > 0 && present[seat - 1].0 > number {
                present.swap(seat - 1, seat);
                seat -= 1;
            }
        }
        let mut seats = vec![0; present.len()];
        present.iter().enumerate().for_each(|(seat, &(_, arrival))| seats[arrival] = seat);
        let mut packets = vec![Packet::Waits; present.len()];
        let waiting = seats.split_off(self.early.len());
        seats.into_iter().for_each(|seat| packets[seat] = Packet::Early);
        (present.into_iter().map(|(number, _)| number).collect(), packets, waiting)
    }
}
