//! The statistics of a session up to an instant, as Python reads them.

use engine::observe::histogram;
use engine::observe::reorder::tally::Tally;
use engine::observe::snapshot::ProbeSnapshot;
use engine::session::observed::Observed;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::arrays::words;

/// What `Session.observe` has copied. Most are never read.
#[pyclass(frozen, module = "petri._native")]
pub struct Snapshot(pub Observed);

/// The statistics of a list of snapshots, which it loses one by one: those of a large net are not there twice. For each name the rows
/// of all as bytes, times in ticks; lists of the times elapsed, and of the snapshots of the probes.
#[pyfunction]
pub fn statistics<'py>(py: Python<'py>, snapshots: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyDict>> {
    let (elapsed, probes) = (PyList::empty(py), PyList::empty(py));
    let mut rows: Vec<(&str, Vec<u8>)> = Vec::new();
    for number in 0..snapshots.len() {
        let snapshot = snapshots.get_item(number)?.cast_into::<Snapshot>()?;
        let Observed { elapsed: time, rows: seen, probes: of_probes } = &snapshot.get().0;
        elapsed.append(*time as f64)?;
        probes.append(of_probes.iter().map(|probe| read_probe(py, probe)).collect::<PyResult<Vec<_>>>()?)?;
        if rows.is_empty() {
            let room = |row: &[u64]| Vec::with_capacity(size_of_val(row) * snapshots.len());
            rows.extend(seen.named().map(|(name, row)| (name, room(row))));
        }
        for ((_, bytes), (_, row)) in rows.iter_mut().zip(seen.named()) {
            bytes.extend(row.iter().flat_map(|word| word.to_ne_bytes()));
        }
        snapshots.set_item(number, py.None())?;
    }
    let read = PyDict::new(py);
    for (name, bytes) in rows {
        read.set_item(name, PyBytes::new(py, &bytes))?;
    }
    read.set_item("elapsed", elapsed)?;
    read.set_item("probes", probes)?;
    Ok(read)
}

fn read_probe<'py>(py: Python<'py>, probe: &ProbeSnapshot) -> PyResult<Bound<'py, PyDict>> {
    let read = PyDict::new(py);
    match probe {
        ProbeSnapshot::Counter(sum) => read.set_item("sum", sum)?,
        ProbeSnapshot::Sample(values) => read_histogram(py, &read, values)?,
        ProbeSnapshot::Passage { times, counts: [unmatched, forgotten, waiting], open } => {
            read_histogram(py, &read, times)?;
            read.set_item("unmatched", unmatched)?;
            read.set_item("forgotten", forgotten)?;
            read.set_item("waiting", waiting)?;
            read.set_item("open", open[0])?;
            read.set_item("open_before", open[1])?;
        }
        ProbeSnapshot::Content { integral, greatest } => {
            read.set_item("integral", integral)?;
            read.set_item("max", greatest)?;
        }
        ProbeSnapshot::Watched { integral, extremes: [least, greatest], first } => {
            read.set_item("integral", integral)?;
            read.set_item("max", greatest)?;
            read.set_item("min", least)?;
            read.set_item("first", first)?;
        }
        ProbeSnapshot::Order(order) => read_order(py, &read, &order.tally())?,
    }
    Ok(read)
}

fn read_histogram(py: Python<'_>, read: &Bound<'_, PyDict>, values: &histogram::Snapshot) -> PyResult<()> {
    read.set_item("count", values.count)?;
    read.set_item("origin", values.origin)?;
    read.set_item("first_moment", values.first_moment)?;
    read.set_item("second_moment", values.second_moment)?;
    read.set_item("min", values.min)?;
    read.set_item("max", values.max)?;
    read.set_item("buckets", words(py, &values.buckets, |number| number.to_ne_bytes())?)?;
    read.set_item("counts", words(py, &values.counts, |count| count.to_ne_bytes())?)?;
    read.set_item("excesses", reals(py, &values.excesses)?)
}

fn read_order(py: Python<'_>, read: &Bound<'_, PyDict>, tally: &Tally) -> PyResult<()> {
    for (name, figure) in tally.figures() {
        read.set_item(name, figure)?;
    }
    for (name, packets) in tally.distributions() {
        read.set_item(name, counts(py, packets)?)?;
    }
    Ok(())
}

fn reals(py: Python<'_>, values: impl AsRef<[f64]>) -> PyResult<Bound<'_, PyBytes>> {
    words(py, values.as_ref(), |value| value.to_ne_bytes())
}

fn counts(py: Python<'_>, values: impl AsRef<[u64]>) -> PyResult<Bound<'_, PyBytes>> {
    words(py, values.as_ref(), |value| value.to_ne_bytes())
}
