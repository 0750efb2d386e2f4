//! Packet captures for Python: `petri/traffic/capture.py` reads them through this class.

use std::path::PathBuf;
use std::sync::Mutex;

use capture::{Fault, Kind};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::words;

/// A pcap or pcapng file under way. What is wrong with it is a ValueError of (kind, number of the packet, detail).
#[pyclass(module = "petri._native")]
pub struct Capture(Mutex<capture::Capture>);

/// Columns of native 64-bit integers.
type Columns<'py> = Vec<Bound<'py, PyBytes>>;

#[pymethods]
impl Capture {
    #[new]
    fn new(path: PathBuf, flows: bool) -> PyResult<Self> {
        capture::Capture::open(&path, flows).map(|capture| Capture(Mutex::new(capture))).map_err(to_error)
    }

    /// The next packets, at most `most`: times [ns since the first], sizes, captured sizes [bytes], flows, protocols.
    fn read<'py>(&mut self, py: Python<'py>, most: usize) -> PyResult<Columns<'py>> {
        let capture = self.locked()?;
        let packets = py.detach(|| capture.read(most)).map_err(to_error)?;
        let columns = [&packets.times, &packets.sizes, &packets.captured, &packets.flows, &packets.protocols];
        columns.iter().map(|column| words(py, column, |value| value.to_ne_bytes())).collect()
    }

    /// Counts by name of what was read so far and is not a packet as it was on the wire (see `capture::Counts`).
    fn counts(&mut self) -> PyResult<Vec<(&'static str, u64)>> {
        let counts = self.locked()?.counts();
        let unknown = counts.unknown_blocks.values().sum();
        Ok(vec![
            ("unknown-blocks", unknown),
            ("dropped", counts.dropped),
            ("missing-bytes", counts.missing_bytes),
            ("cut", counts.cut),
            ("longer", counts.longer),
            ("empty", counts.empty),
            ("not-internet", counts.not_internet),
            ("fragments", counts.fragments),
            ("no-ports", counts.no_ports),
            ("shared-flows", counts.shared_flows),
            ("interfaces", counts.interfaces),
        ])
    }

    /// The types of the blocks that are not known.
    fn unknown_types(&mut self) -> PyResult<Vec<u32>> {
        Ok(self.locked()?.counts().unknown_blocks.into_keys().collect())
    }
}

impl Capture {
    fn locked(&mut self) -> PyResult<&mut capture::Capture> {
        self.0.get_mut().map_err(|_| PyRuntimeError::new_err("reading was broken off before"))
    }
}

fn to_error(fault: Fault) -> PyErr {
    let kind = match fault.kind {
        Kind::Unreadable => "capture-unreadable",
        Kind::Unknown => "capture-unknown",
        Kind::Truncated => "capture-truncated",
        Kind::Damaged => "capture-damaged",
        Kind::Timeless => "capture-timeless",
        Kind::Link => "capture-link",
    };
    PyValueError::new_err((kind, fault.packet, fault.detail))
}
