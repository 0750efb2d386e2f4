//! Recordings for Python: `petri/traffic/` reads text and packet captures through these classes, and makes slots of columns.

use std::io;
use std::path::PathBuf;
use std::sync::Mutex;

use capture::{Fault, Kind};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use recording::slots::{Misfit, Slot, Value};
use recording::source::open;
use recording::text::Field;
use recording::{Problem, Reason, Wrong, LONGEST_RECORD};

use crate::arrays::words;

/// Text with separated columns under way.
#[pyclass(module = "petri._native")]
pub struct Text(recording::text::Text);

/// The slots of a place, which are filled from columns.
#[pyclass(module = "petri._native")]
pub struct Slots {
    slots: Vec<Slot>,
    /// The last value of the ordered one.
    last: f64,
}

/// What is wrong: its kind, its line or row, the number of the field, and more.
type Told<'py> = (&'static str, u64, Option<usize>, Bound<'py, PyTuple>);

#[derive(FromPyObject)]
enum Scalar {
    Int(i64),
    Real(f64),
}

/// A slot, as `petri.traffic.fields.Field.conversion` has it: whether it is real, multiplier, divisor, whether it becomes ticks,
/// whether it is in order, the least and the greatest value.
type SlotParts = (bool, f64, f64, bool, bool, Option<Scalar>, Option<Scalar>);
/// The number of its column, the slot, its labels, whether it counts from the first row, and whether calendar times fill it: a
/// time, in seconds.
type FieldParts = (usize, SlotParts, Vec<String>, bool, bool, bool);

fn slot_of((real, times, over, ticks, ordered, low, high): SlotParts) -> Slot {
    let int = |bound: &Option<Scalar>| match bound {
        &Some(Scalar::Int(bound)) if !real => Some(bound),
        _ => None,
    };
    let float = |bound: &Option<Scalar>| match *bound {
        Some(Scalar::Int(bound)) if real => Some(bound as f64),
        Some(Scalar::Real(bound)) if real => Some(bound),
        _ => None,
    };
    let (ints, reals) = ((int(&low), int(&high)), (float(&low), float(&high)));
    Slot { real, times, over, ticks, ordered, ints, reals }
}

fn field_of((index, slot, labels, relative, time, seconds): FieldParts) -> Field {
    Field { index, slot: slot_of(slot), labels, relative, time, seconds }
}

#[pymethods]
impl Text {
    /// Raises ValueError of what is wrong, as `read` returns it.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        match py.detach(|| recording::text::Text::open(&path)) {
            Ok(text) => Ok(Text(text)),
            Err(problem) => Err(PyValueError::new_err(told(py, problem)?.into_pyobject(py)?.unbind())),
        }
    }

    #[getter]
    fn headers(&self) -> Vec<&str> {
        self.0.headers().iter().map(String::as_str).collect()
    }

    /// Whether the first record names columns.
    #[getter]
    fn is_named(&self) -> bool {
        self.0.is_named()
    }

    /// Whether the first record is a row as well, which it may only be if `unnamed`.
    fn fill(&mut self, fields: Vec<FieldParts>, unnamed: bool) -> bool {
        self.0.fill(fields.into_iter().map(field_of).collect());
        unnamed && self.0.take_first()
    }

    /// The words of the next rows, slot after slot; whether the file has ended; what is wrong with the row after them. No rows are
    /// not the end: it may take long to find one.
    fn read<'py>(&mut self, py: Python<'py>, most: usize) -> PyResult<(Bound<'py, PyBytes>, bool, Option<Told<'py>>)> {
        let rows = py.detach(|| self.0.read(most));
        let problem = rows.problem.map(|problem| told(py, problem)).transpose()?;
        Ok((words(py, &rows.words, |word| word.to_ne_bytes())?, rows.ended, problem))
    }
}

/// An array of numpy.
#[derive(FromPyObject)]
enum Column {
    Ints(PyBuffer<i64>),
    Reals(PyBuffer<f64>),
}

enum Values {
    Ints(Vec<i64>),
    Reals(Vec<f64>),
}

impl Column {
    fn values(&self, py: Python<'_>) -> PyResult<Values> {
        Ok(match self {
            Column::Ints(array) => Values::Ints(array.to_vec(py)?),
            Column::Reals(array) => Values::Reals(array.to_vec(py)?),
        })
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Ints(values) => values.len(),
            Values::Reals(values) => values.len(),
        }
    }

    #[inline]
    fn at(&self, row: usize) -> Value {
        match self {
            Values::Ints(values) => Value::Int(values[row]),
            Values::Reals(values) => Value::Real(values[row]),
        }
    }
}

#[pymethods]
impl Slots {
    #[new]
    fn new(slots: Vec<SlotParts>) -> Self {
        Slots { slots: slots.into_iter().map(slot_of).collect(), last: 0.0 }
    }

    /// The words of rows, slot after slot, from a column for each slot; and what is wrong with the row after them. Raises ValueError
    /// for columns of other lengths.
    fn take<'py>(
        &mut self,
        py: Python<'py>,
        columns: Vec<Column>,
    ) -> PyResult<(Bound<'py, PyBytes>, Option<Told<'py>>)> {
        let width = self.slots.len();
        let columns = columns.iter().map(|column| column.values(py)).collect::<PyResult<Vec<_>>>()?;
        let rows = columns.first().map_or(0, Values::len);
        if columns.len() != width || columns.iter().any(|column| column.len() != rows) {
            return Err(PyValueError::new_err("there must be a column for each slot"));
        }
        let mut table = Vec::with_capacity(rows * width);
        for row in 0..rows {
            for (number, (slot, column)) in self.slots.iter().zip(&columns).enumerate() {
                match slot.word(column.at(row), &mut self.last) {
                    Ok(word) => table.push(word),
                    Err(misfit) => {
                        table.truncate(row * width);
                        let wrong = Wrong { line: row as u64, field: Some(number), reason: Reason::Misfit(misfit) };
                        let problem = told(py, Problem::Row(wrong))?;
                        return Ok((words(py, &table, |word| word.to_ne_bytes())?, Some(problem)));
                    }
                }
            }
        }
        Ok((words(py, &table, |word| word.to_ne_bytes())?, None))
    }
}

/// A problem as data.
fn told(py: Python<'_>, problem: Problem) -> PyResult<Told<'_>> {
    let (kind, line, field, details) = match problem {
        Problem::Unreadable(error) => {
            ("unreadable", 0, None, (error.raw_os_error(), error.to_string()).into_pyobject(py)?)
        }
        Problem::NotText(line) => ("not-text", line, None, PyTuple::empty(py)),
        Problem::Long(line) => ("long", line, None, (LONGEST_RECORD,).into_pyobject(py)?),
        Problem::Row(Wrong { line, field, reason }) => {
            let (kind, details) = reason_parts(py, reason)?;
            (kind, line, field, details)
        }
    };
    Ok((kind, line, field, details))
}

fn reason_parts(py: Python<'_>, reason: Reason) -> PyResult<(&'static str, Bound<'_, PyTuple>)> {
    Ok(match reason {
        Reason::OpenQuote => ("open-quote", PyTuple::empty(py)),
        Reason::BehindQuote(delimiter) => ("behind-quote", (delimiter,).into_pyobject(py)?),
        Reason::Long(cells) => ("many-cells", (cells,).into_pyobject(py)?),
        Reason::Short(cells) => ("few-cells", (cells,).into_pyobject(py)?),
        Reason::IsNot(what, cell) => ("is-not", (cell, what).into_pyobject(py)?),
        Reason::NearlyTime(cell) => ("nearly-time", (cell,).into_pyobject(py)?),
        Reason::Grouped(cell) => ("grouped", (cell,).into_pyobject(py)?),
        Reason::CalendarNoTime(cell) => ("calendar-no-time", (cell,).into_pyobject(py)?),
        Reason::CalendarUnit(cell) => ("calendar-unit", (cell,).into_pyobject(py)?),
        Reason::NoDate(cell, date) => ("no-date", (cell, date).into_pyobject(py)?),
        Reason::UnlikeFirst(cell) => ("unlike-first", (cell,).into_pyobject(py)?),
        Reason::Misfit(Misfit::Outside(Value::Int(value))) => ("outside", (value,).into_pyobject(py)?),
        Reason::Misfit(Misfit::Outside(Value::Real(value))) => ("outside", (value,).into_pyobject(py)?),
        Reason::Misfit(Misfit::Back(by)) => ("back", (by,).into_pyobject(py)?),
    })
}

/// A pcap or pcapng file under way. What is wrong with it is a ValueError of (kind, number of the packet, detail).
#[pyclass(module = "petri._native")]
pub struct Capture(Mutex<capture::Capture>);

/// Columns of native 64-bit integers.
type Columns<'py> = Vec<Bound<'py, PyBytes>>;

#[pymethods]
impl Capture {
    #[new]
    fn new(path: PathBuf, flows: bool) -> PyResult<Self> {
        let unreadable = |error: io::Error| Fault { kind: Kind::Unreadable, packet: 1, detail: error.to_string() };
        let capture = open(&path).map_err(unreadable).and_then(|source| capture::Capture::of(source, flows));
        capture.map(|capture| Capture(Mutex::new(capture))).map_err(to_error)
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
