//! The statistics of sessions up to an instant, as Python reads them: a column for each name.

use engine::observe::histogram;
use engine::observe::snapshot::ProbeSnapshot;
use engine::session::observed::Observed;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::arrays::words;

/// What `Session.observe` has copied. Most are never read.
#[pyclass(frozen, module = "petri._native")]
pub struct Snapshot(pub Observed);

/// The statistics of a list of snapshots, which it loses one by one: those of a large net are not there twice.
#[pyfunction]
pub fn statistics<'py>(py: Python<'py>, snapshots: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyDict>> {
    let mut columns = Columns::new(snapshots.len());
    for number in 0..snapshots.len() {
        let snapshot = snapshots.get_item(number)?.cast_into::<Snapshot>()?;
        columns.add(&snapshot.get().0);
        snapshots.set_item(number, py.None())?;
    }
    columns.read(py)
}

/// A column of the statistics of several snapshots: words, and where they are rows of different lengths, the end of each.
struct Column {
    name: &'static str,
    real: bool,
    bytes: Vec<u8>,
    ends: Option<Vec<u64>>,
}

/// Statistics of several snapshots. Times are in ticks.
pub struct Columns {
    number: usize,
    elapsed: Vec<f64>,
    rows: Vec<(&'static str, Vec<u8>)>,
    probes: Vec<Vec<Column>>,
}

impl Columns {
    /// number: of snapshots that will be added.
    pub fn new(number: usize) -> Self {
        Columns { number, elapsed: Vec::with_capacity(number), rows: Vec::new(), probes: Vec::new() }
    }

    pub fn add(&mut self, observed: &Observed) {
        let Observed { elapsed, rows, probes } = observed;
        self.elapsed.push(*elapsed as f64);
        if self.elapsed.len() == 1 {
            let room = |row: &[u64]| Vec::with_capacity(size_of_val(row) * self.number);
            self.rows = rows.named().map(|(name, row)| (name, room(row))).collect();
            self.probes = probes.iter().map(|_| Vec::new()).collect();
        }
        for ((_, bytes), (_, row)) in self.rows.iter_mut().zip(rows.named()) {
            bytes.extend(row.iter().flat_map(|word| word.to_ne_bytes()));
        }
        for (columns, probe) in self.probes.iter_mut().zip(probes) {
            Adding { columns, next: 0 }.probe(probe);
        }
    }

    /// For each name the rows of all as bytes; `probes` is a list of dictionaries of columns, as (bytes, whether they are reals,
    /// ends of rows or None).
    pub fn read(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let read = PyDict::new(py);
        for (name, bytes) in self.rows {
            read.set_item(name, PyBytes::new(py, &bytes))?;
        }
        read.set_item("elapsed", words(py, &self.elapsed, |time| time.to_ne_bytes())?)?;
        let probes = PyList::empty(py);
        for columns in self.probes {
            let of_probe = PyDict::new(py);
            for Column { name, real, bytes, ends } in columns {
                let ends = ends.map(|ends| words(py, &ends, |end| end.to_ne_bytes())).transpose()?;
                of_probe.set_item(name, (PyBytes::new(py, &bytes), real, ends))?;
            }
            probes.append(of_probe)?;
        }
        read.set_item("probes", probes)?;
        Ok(read)
    }
}

/// Adds a snapshot of a probe to its columns, which are in the order in which it names them.
struct Adding<'a> {
    columns: &'a mut Vec<Column>,
    next: usize,
}

impl Adding<'_> {
    fn probe(&mut self, probe: &ProbeSnapshot) {
        match probe {
            ProbeSnapshot::Counter(sum) => self.real("sum", *sum),
            ProbeSnapshot::Sample(values) => self.histogram(values),
            ProbeSnapshot::Passage { times, counts, open } => {
                self.histogram(times);
                for (name, count) in ["unmatched", "forgotten", "waiting"].into_iter().zip(counts) {
                    self.column(name, false).bytes.extend(count.to_ne_bytes());
                }
                self.real("open", open[0]);
                self.real("open_before", open[1]);
            }
            ProbeSnapshot::Content { integral, greatest } => {
                self.real("integral", *integral);
                self.real("max", *greatest);
            }
            ProbeSnapshot::Watched { integral, extremes: [least, greatest], first } => {
                self.real("integral", *integral);
                self.real("max", *greatest);
                self.real("min", *least);
                self.real("first", *first);
            }
            ProbeSnapshot::Order(order) => {
                let tally = order.tally();
                tally.figures().into_iter().for_each(|(name, figure)| self.real(name, figure));
                for (name, packets) in tally.distributions() {
                    self.row(name, false, packets.iter().map(|count| count.to_ne_bytes()));
                }
            }
        }
    }

    fn histogram(&mut self, values: &histogram::Snapshot) {
        self.column("count", false).bytes.extend(values.count.to_ne_bytes());
        self.real("origin", values.origin);
        self.real("first_moment", values.first_moment);
        self.real("second_moment", values.second_moment);
        self.real("min", values.min);
        self.real("max", values.max);
        self.row("buckets", false, values.buckets.iter().map(|number| number.to_ne_bytes()));
        self.row("counts", false, values.counts.iter().map(|count| count.to_ne_bytes()));
        self.row("excesses", true, values.excesses.iter().map(|excess| excess.to_ne_bytes()));
    }

    fn real(&mut self, name: &'static str, value: f64) {
        self.column(name, true).bytes.extend(value.to_ne_bytes());
    }

    fn row(&mut self, name: &'static str, real: bool, words: impl Iterator<Item = [u8; 8]>) {
        let Column { bytes, ends, .. } = self.column(name, real);
        bytes.extend(words.flatten());
        ends.get_or_insert_default().push(bytes.len() as u64 / 8);
    }

    fn column(&mut self, name: &'static str, real: bool) -> &mut Column {
        if self.next == self.columns.len() {
            self.columns.push(Column { name, real, bytes: Vec::new(), ends: None });
        }
        self.next += 1;
        &mut self.columns[self.next - 1]
    }
}
