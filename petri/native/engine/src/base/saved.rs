//! The state of a replication between two instants, as data. `petri/engine/checkpoint.py` has the same classes, explains their
//! fields, and has them in the same order.

use serde::{Deserialize, Serialize};

use crate::base::ticks::Ticks;

/// A whole number as three words, the lowest first, in two's complement.
pub type Wide = [u64; 3];

/// The same as four words.
pub type Wider = [u64; 4];

pub fn wide(number: i128) -> Wide {
    [number as u64, (number >> 64) as u64, (number >> 127) as u64]
}

/// The number, if 128 bits hold it.
pub fn narrow(words: Wide) -> Option<i128> {
    let number = i128::from(words[1] as i64) << 64 | i128::from(words[0]);
    (wide(number) == words).then_some(number)
}

macro_rules! saved {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $kind:ty),* $(,)? })*) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub struct $name {
            $(pub $field: $kind,)*
        })*
    };
}

saved! {
    SavedPlace {
        tokens: u64,
        words: Vec<u64>,
        integral: Wide,
        busy: Ticks,
        maximum: u64,
        arrivals: u64,
    }
    SavedTransition {
        integral: Wide,
        busy: Ticks,
        firings: u64,
        set: u64,
        dropped: u64,
    }
    SavedGift {
        place: u32,
        count: u64,
        words: Vec<u64>,
    }
    SavedFiring {
        end: Ticks,
        transition: u32,
        part: u32,
        gives: Vec<SavedGift>,
    }
    SavedSharedClock {
        running: Wide,
        rate: f64,
    }
    SavedOwnClock {
        tokens: Vec<u64>,
        time: f64,
        until: f64,
        runs: bool,
        mean: f64,
    }
    SavedOwnClocks {
        virtual_time: f64,
        since: Ticks,
        pace: f64,
        clocks: Vec<SavedOwnClock>,
    }
    SavedHistogram {
        count: u64,
        origin: f64,
        first_moment: f64,
        second_moment: f64,
        minimum: f64,
        maximum: f64,
        buckets: Vec<i64>,
        counts: Vec<u64>,
        excesses: Vec<f64>,
    }
    SavedWaiting {
        shape: u64,
        key: Vec<u64>,
        start: Ticks,
    }
    SavedPassage {
        times: SavedHistogram,
        unmatched: u64,
        forgotten: u64,
        waiting: Vec<SavedWaiting>,
        open_before: f64,
    }
    SavedAnswers {
        counts: [u64; 5],
        buffer: Vec<u64>,
    }
    SavedReceiver {
        expected: i64,
        blocks: Vec<(i64, i64)>,
    }
    SavedYoung {
        arrivals: Vec<i64>,
        counted_from: usize,
        answers: SavedAnswers,
    }
    SavedFlow {
        key: Vec<u64>,
        first: i64,
        least: i64,
        next: i64,
        position: u64,
        run: u64,
        missing: Vec<(i64, i64, u64, f64)>,
        found: Vec<u64>,
        fallen: (u64, i64),
        stairs: Vec<(i64, u64, u64)>,
        below: u64,
        index: Option<i64>,
        waiting: Vec<i64>,
        early: Vec<i64>,
        young: Option<SavedYoung>,
        receiver: SavedReceiver,
        buffer: SavedReceiver,
        duplicates: u64,
        hole_counted: bool,
        resent: i64,
    }
    SavedOrder {
        counts: Vec<Wide>,
        total_late_time: f64,
        max_extent: u64,
        max_late_time: f64,
        max_overtaken: u64,
        extent: Vec<u64>,
        degree: Vec<u64>,
        displacement: Vec<u64>,
        answers: SavedAnswers,
        flows: Vec<SavedFlow>,
        retired: Vec<Vec<u64>>,
    }
    SavedContent {
        sum: Wider,
        integral: Wider,
        greatest: Wider,
    }
    SavedWatched {
        value: Wider,
        integral: Wider,
        least: Option<Wider>,
        greatest: Option<Wider>,
        first: Option<Ticks>,
    }
    SavedEngine {
        now: Ticks,
        firings: u64,
        hash: u64,
        random: [u64; 4],
        places: Vec<SavedPlace>,
        transitions: Vec<SavedTransition>,
        in_progress: Vec<SavedFiring>,
        shared: Vec<SavedSharedClock>,
        common: Option<Ticks>,
        own: Vec<SavedOwnClocks>,
        rows: Vec<u64>,
        window: Ticks,
        counters: Vec<f64>,
        samples: Vec<SavedHistogram>,
        passages: Vec<SavedPassage>,
        orders: Vec<SavedOrder>,
        contents: Vec<SavedContent>,
        watched: Vec<SavedWatched>,
        levels: Option<Vec<Ticks>>,
        settled: bool,
        own_random: Vec<[u64; 4]>,
    }
}

/// Why an engine cannot go on from a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The state is not one of the net: what is wrong with it.
    Wrong(String),
    /// The program has been compiled for fewer tokens in a place, or for other values of them.
    Beyond,
    /// Making it was stopped.
    Stopped,
}

pub type Fit<T> = Result<T, Unfit>;

/// `found` if it holds, and otherwise what is wrong.
pub fn fits(found: bool, wrong: impl Into<String>) -> Fit<()> {
    found.then_some(()).ok_or_else(|| Unfit::Wrong(wrong.into()))
}

/// The number of three words. Sums that an engine has made are smaller by far.
pub fn number(words: Wide) -> Fit<i128> {
    narrow(words).filter(|number| number.abs() < 1 << 120).ok_or_else(|| Unfit::Wrong("a sum is too large".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_numbers_are_three_words() {
        for number in [0, 1, -1, i128::from(u64::MAX), i128::MIN, i128::MAX, -(1 << 64)] {
            assert_eq!(narrow(wide(number)), Some(number));
        }
        assert_eq!(wide(-1), [u64::MAX; 3]);
        assert_eq!(narrow([0, 0, 1]), None);
        assert_eq!(narrow([0, 1 << 63, 0]), None);
    }
}
