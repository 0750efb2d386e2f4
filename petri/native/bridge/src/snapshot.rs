//! The statistics of a session up to an instant, as Python reads them.

use engine::base::ticks::Ticks;
use engine::observe::histogram;
use engine::observe::reorder::tally::Tally;
use engine::observe::snapshot::ProbeSnapshot;
use engine::session::observed::{Observed, Rows};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::words;

/// What `Session.observe` has copied. Most are never read.
#[pyclass(frozen, module = "petri._native")]
pub struct Snapshot(pub Observed);

#[pymethods]
impl Snapshot {
    /// As [`read`].
    fn read<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        read(py, self.0.rows.clone(), &self.0.probes)
    }
}

/// The statistics by name, times in ticks, arrays as bytes, and a list of the probes' snapshots. Each row goes once it has been read.
pub fn read<'py>(py: Python<'py>, rows: Rows, probes: &[ProbeSnapshot]) -> PyResult<Bound<'py, PyDict>> {
    let read = PyDict::new(py);
    read.set_item("elapsed", rows.elapsed as f64)?;
    read.set_item("integral", reals(py, rows.integral)?)?;
    read.set_item("nonempty", times(py, rows.nonempty)?)?;
    read.set_item("maximum", counts(py, rows.maximum)?)?;
    read.set_item("arrivals", counts(py, rows.arrivals)?)?;
    read.set_item("firings", counts(py, rows.firings)?)?;
    read.set_item("in_progress", reals(py, rows.in_progress)?)?;
    read.set_item("active", times(py, rows.active)?)?;
    read.set_item("set", counts(py, rows.set)?)?;
    read.set_item("dropped", counts(py, rows.dropped)?)?;
    let probes = probes.iter().map(|probe| read_probe(py, probe));
    read.set_item("probes", probes.collect::<PyResult<Vec<_>>>()?)?;
    Ok(read)
}

fn read_probe<'py>(py: Python<'py>, probe: &ProbeSnapshot) -> PyResult<Bound<'py, PyDict>> {
    let read = PyDict::new(py);
    match probe {
        ProbeSnapshot::Counter(sum) => read.set_item("sum", sum)?,
        ProbeSnapshot::Sample(values) => read_histogram(py, &read, values)?,
        ProbeSnapshot::Passage { times, unmatched, waiting, forgotten } => {
            read_histogram(py, &read, times)?;
            read.set_item("unmatched", unmatched)?;
            read.set_item("waiting", waiting)?;
            read.set_item("forgotten", forgotten)?;
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

fn times(py: Python<'_>, values: impl AsRef<[Ticks]>) -> PyResult<Bound<'_, PyBytes>> {
    words(py, values.as_ref(), |time| (*time as f64).to_ne_bytes())
}
