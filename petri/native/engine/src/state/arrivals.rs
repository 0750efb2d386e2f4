//! What comes into the ports of a net from outside (rule I12), and has not arrived yet.

use std::collections::VecDeque;

use crate::base::ids::PlaceId;
use crate::base::ticks::{Ticks, NEVER};
use crate::program::Program;

/// A token that is to come. What is put has a rank behind those of all files.
#[derive(Clone, Debug)]
struct Arrival {
    time: Ticks,
    rank: u32,
    place: PlaceId,
    token: Box<[u64]>,
}

/// The file of a port in.
#[derive(Clone, Debug)]
struct File {
    place: PlaceId,
    width: usize,
    /// How many of its rows are in the queue.
    waiting: u64,
    ended: bool,
    /// How many have arrived.
    arrived: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Arrivals {
    /// By time; at one instant the rows of files come first, port by port, and then what was put, in this order.
    queue: VecDeque<Arrival>,
    files: Vec<File>,
    /// Whether the net has ports in.
    pub open: bool,
}

impl Arrivals {
    pub fn new(program: &Program) -> Self {
        let file =
            |&place: &PlaceId| File { place, width: program.places[place].width, waiting: 0, ended: false, arrived: 0 };
        let files = program.fed.iter().map(file).collect();
        Arrivals { queue: VecDeque::new(), files, open: !program.inputs.is_empty() }
    }

    /// When the next token arrives; `NEVER` if none is known.
    pub fn next(&self) -> Ticks {
        self.queue.front().map_or(NEVER, |arrival| arrival.time)
    }

    /// The first port whose next row is not known.
    pub fn lacking(&self) -> Option<PlaceId> {
        self.files.iter().find(|file| file.waiting == 0 && !file.ended).map(|file| file.place)
    }

    /// A token is to arrive in a place at an instant.
    pub fn put(&mut self, place: PlaceId, time: Ticks, token: &[u64]) {
        let arrival = Arrival { time, rank: u32::MAX, place, token: token.into() };
        let behind = self.queue.partition_point(|other| other.time <= time);
        if behind == self.queue.len() {
            self.queue.push_back(arrival);
        } else {
            self.queue.insert(behind, arrival);
        }
    }

    /// The next rows of a port's file, by time: the instant as a float, and the slots. No rows are the end. Returns whether the
    /// place is such a port.
    pub fn feed(&mut self, place: PlaceId, block: &[u64]) -> bool {
        let Some(rank) = self.files.iter().position(|file| file.place == place) else { return false };
        let file = &mut self.files[rank];
        file.ended = block.is_empty();
        file.waiting += (block.len() / (file.width + 1)) as u64;
        let arrival = |row: &[u64]| Arrival {
            time: f64::from_bits(row[0]) as Ticks,
            rank: rank as u32,
            place,
            token: row[1..].into(),
        };
        self.queue.extend(block.chunks_exact(file.width + 1).map(arrival));
        self.queue.make_contiguous().sort_by_key(|arrival| (arrival.time, arrival.rank));
        true
    }

    /// What arrives at `now` at the latest, one token after the other; it is written into `token`.
    pub fn take(&mut self, now: Ticks, token: &mut Vec<u64>) -> Option<PlaceId> {
        let arrival = self.queue.pop_front_if(|arrival| arrival.time <= now)?;
        if let Some(file) = self.files.get_mut(arrival.rank as usize) {
            file.waiting -= 1;
            file.arrived += 1;
        }
        token.clear();
        token.extend_from_slice(&arrival.token);
        Some(arrival.place)
    }

    /// The number of rows of each port's file that have arrived.
    pub fn arrived(&self) -> impl Iterator<Item = (PlaceId, u64)> + '_ {
        self.files.iter().map(|file| (file.place, file.arrived))
    }

    /// Goes on when so many rows of a port's file have arrived.
    pub fn resume(&mut self, place: PlaceId, arrived: u64) {
        self.files.iter_mut().filter(|file| file.place == place).for_each(|file| file.arrived = arrived);
    }
}
