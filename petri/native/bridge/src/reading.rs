//! Reads the flat net from its dataclasses (`petri/net.py`). What elements of the net share in Python, they share here.

use std::collections::HashMap;
use std::sync::Arc;

use engine::base::ids::{PlaceId, TransitionId, VariableId};
use engine::net::{
    Colour, Discipline, Draw, Event, Expr, InhibitorArc, InputArc, Kind, Match, Net, Operation, OutputArc, Place,
    Probe, Scalar, Slot, Span, Table, Tick, Tokens, Transition, Variable,
};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};

/// Operations upon operations, beyond which an expression is refused.
const DEEPEST: usize = 2000;

type Object<'py> = Bound<'py, PyAny>;

/// An attribute of an object.
macro_rules! field {
    ($object:expr, $name:literal) => {
        $object.getattr(intern!($object.py(), $name))?
    };
}

/// The net, and the names of the files that its spans point into. Raises ValueError.
pub fn read(net: &Object) -> PyResult<(Net, Vec<String>)> {
    let mut reader = Reader::default();
    match reader.net(net) {
        Ok(read) => Ok((read, reader.files)),
        Err(error) if error.is_instance_of::<PyValueError>(net.py()) => Err(error),
        Err(error) => Err(PyValueError::new_err(format!("not a flat net: {}", error.value(net.py())))),
    }
}

/// What was read of objects, which are kept so that no other takes the place of one.
struct Known<'py, T>(HashMap<usize, (Object<'py>, T)>);

impl<T> Default for Known<'_, T> {
    fn default() -> Self {
        Known(HashMap::new())
    }
}

impl<'py, T: Clone> Known<'py, T> {
    fn get(&self, object: &Object<'py>) -> Option<T> {
        self.0.get(&(object.as_ptr() as usize)).map(|(_, read)| read.clone())
    }

    fn keep(&mut self, object: &Object<'py>, read: T) -> T {
        self.0.insert(object.as_ptr() as usize, (object.clone(), read.clone()));
        read
    }
}

#[derive(Default)]
struct Reader<'py> {
    files: Vec<String>,
    numbers: HashMap<String, u32>,
    spans: Known<'py, Span>,
    expressions: Known<'py, Expr>,
    patterns: Known<'py, Arc<[Match]>>,
    variables: Known<'py, Arc<[Variable]>>,
    colours: Known<'py, Colour>,
    initials: Known<'py, Tokens>,
}

/// An operation whose operands are being read.
struct Pending<'py> {
    object: Object<'py>,
    rest: std::vec::IntoIter<Object<'py>>,
    args: Vec<Expr>,
}

impl<'py> Reader<'py> {
    fn net(&mut self, net: &Object<'py>) -> PyResult<Net> {
        Ok(Net {
            places: list(&field!(net, "places"), |place| self.place(place))?,
            transitions: list(&field!(net, "transitions"), |transition| self.transition(transition))?,
            probes: list(&field!(net, "probes"), |probe| self.probe(probe))?,
            tables: list(&field!(net, "tables"), table)?,
            tick: tick(&field!(net, "tick"))?,
        })
    }

    fn place(&mut self, place: &Object<'py>) -> PyResult<Place> {
        Ok(Place {
            name: field!(place, "name").extract()?,
            colour: self.colour(&field!(place, "colour"))?,
            discipline: discipline(&field!(place, "discipline"))?,
            key: self.maybe(&field!(place, "key"))?,
            capacity: field!(place, "capacity").extract()?,
            initial: self.initial(&field!(place, "initial"))?,
            stream: !field!(place, "stream").is_none(),
        })
    }

    fn colour(&mut self, colour: &Object<'py>) -> PyResult<Colour> {
        if let Some(known) = self.colours.get(colour) {
            return Ok(known);
        }
        let slots = list(&field!(colour, "slots"), |slot| {
            Ok(Slot {
                name: field!(slot, "name").extract()?,
                kind: kind(&field!(slot, "kind"))?,
                low: optional(&field!(slot, "low"), scalar)?,
                high: optional(&field!(slot, "high"), scalar)?,
            })
        })?;
        Ok(self.colours.keep(colour, Colour { slots: slots.into() }))
    }

    fn initial(&mut self, initial: &Object<'py>) -> PyResult<Tokens> {
        if let Some(known) = self.initials.get(initial) {
            return Ok(known);
        }
        let tokens = match initial.getattr_opt(intern!(initial.py(), "columns"))? {
            Some(columns) => by_columns(initial, &columns)?,
            None => one_by_one(initial)?,
        };
        Ok(self.initials.keep(initial, tokens))
    }

    fn transition(&mut self, transition: &Object<'py>) -> PyResult<Transition> {
        Ok(Transition {
            name: field!(transition, "name").extract()?,
            variables: self.variables(&field!(transition, "variables"))?,
            inputs: list(&field!(transition, "inputs"), |arc| self.input(arc))?,
            inhibitors: list(&field!(transition, "inhibitors"), |arc| self.inhibitor(arc))?,
            resets: list(&field!(transition, "resets"), place_id)?,
            guard: self.maybe(&field!(transition, "guard"))?,
            draws: list(&field!(transition, "draws"), |draw| {
                Ok(Draw {
                    variable: VariableId(field!(draw, "variable").extract()?),
                    expression: self.expression(&field!(draw, "expression"))?,
                })
            })?,
            time: Some(self.expression(&field!(transition, "time"))?),
            outputs: list(&field!(transition, "outputs"), |arc| self.output(arc))?,
            priority: field!(transition, "priority").extract()?,
            weight: field!(transition, "weight").extract()?,
        })
    }

    fn variables(&mut self, variables: &Object<'py>) -> PyResult<Arc<[Variable]>> {
        if let Some(known) = self.variables.get(variables) {
            return Ok(known);
        }
        let read = list(variables, |variable| {
            Ok(Variable { name: field!(variable, "name").extract()?, kind: kind(&field!(variable, "kind"))? })
        })?;
        Ok(self.variables.keep(variables, read.into()))
    }

    fn pattern(&mut self, pattern: &Object<'py>) -> PyResult<Arc<[Match]>> {
        if let Some(known) = self.patterns.get(pattern) {
            return Ok(known);
        }
        let read = list(pattern, |matching| {
            Ok(Match {
                bind: field!(matching, "bind").extract::<Option<u32>>()?.map(VariableId),
                equal: self.maybe(&field!(matching, "equal"))?,
            })
        })?;
        Ok(self.patterns.keep(pattern, read.into()))
    }

    fn input(&mut self, arc: &Object<'py>) -> PyResult<InputArc> {
        Ok(InputArc {
            place: place_id(&field!(arc, "place"))?,
            pattern: self.pattern(&field!(arc, "pattern"))?,
            count: self.maybe(&field!(arc, "count"))?,
            keep: field!(arc, "keep").extract()?,
        })
    }

    fn inhibitor(&mut self, arc: &Object<'py>) -> PyResult<InhibitorArc> {
        Ok(InhibitorArc {
            place: place_id(&field!(arc, "place"))?,
            pattern: self.pattern(&field!(arc, "pattern"))?,
            threshold: self.maybe(&field!(arc, "threshold"))?,
        })
    }

    fn output(&mut self, arc: &Object<'py>) -> PyResult<OutputArc> {
        Ok(OutputArc {
            places: list(&field!(arc, "places"), place_id)?,
            values: list(&field!(arc, "values"), |value| self.expression(value))?,
            index: self.maybe(&field!(arc, "index"))?,
            count: self.maybe(&field!(arc, "count"))?,
            condition: self.maybe(&field!(arc, "condition"))?,
        })
    }

    fn probe(&mut self, probe: &Object<'py>) -> PyResult<Probe> {
        Ok(match probe.get_type().name()?.to_str()? {
            "Counter" => Probe::Counter {
                transition: TransitionId(field!(probe, "transition").extract()?),
                quantity: self.maybe(&field!(probe, "quantity"))?,
            },
            "Sample" => Probe::Sample {
                transition: TransitionId(field!(probe, "transition").extract()?),
                value: self.expression(&field!(probe, "value"))?,
            },
            "Passage" => {
                Probe::Passage { start: self.event(&field!(probe, "start"))?, end: self.event(&field!(probe, "end"))? }
            }
            "Order" => Probe::Order {
                event: self.event(&field!(probe, "event"))?,
                sequence: self.expression(&field!(probe, "sequence"))?,
                displacement_threshold: field!(probe, "displacement_threshold").extract()?,
                buffer_threshold: field!(probe, "buffer_threshold").extract()?,
            },
            other => return Err(PyValueError::new_err(format!("`{other}` is no probe"))),
        })
    }

    fn event(&mut self, event: &Object<'py>) -> PyResult<Event> {
        Ok(Event {
            transition: field!(event, "transition").extract::<Option<u32>>()?.map(TransitionId),
            place: optional(&field!(event, "place"), place_id)?,
            key: list(&field!(event, "key"), |key| self.expression(key))?,
        })
    }

    // ------------------------------------------------------------ expressions

    fn maybe(&mut self, expression: &Object<'py>) -> PyResult<Option<Expr>> {
        optional(expression, |expression| self.expression(expression))
    }

    /// An expression may be deep, and the stack of the calling thread short: this does not recurse.
    fn expression(&mut self, expression: &Object<'py>) -> PyResult<Expr> {
        if let Some(known) = self.expressions.get(expression) {
            return Ok(known);
        }
        let mut pending = vec![begin(expression.clone())?];
        while let Some(mut current) = pending.pop() {
            if let Some(arg) = current.rest.next() {
                match self.expressions.get(&arg) {
                    Some(known) => {
                        current.args.push(known);
                        pending.push(current);
                    }
                    None => {
                        pending.push(current);
                        pending.push(begin(arg)?);
                    }
                }
                if pending.len() > DEEPEST {
                    return Err(PyValueError::new_err("an expression of the net is nested too deeply"));
                }
                continue;
            }
            let built = self.operation(&current.object, current.args)?;
            match pending.last_mut() {
                Some(outer) => outer.args.push(built),
                None => return Ok(built),
            }
        }
        unreachable!("the outermost operation returns")
    }

    fn operation(&mut self, expression: &Object<'py>, args: Vec<Expr>) -> PyResult<Expr> {
        let operation = Operation {
            op: field!(expression, "op").extract()?,
            kind: kind(&field!(expression, "kind"))?,
            args,
            value: optional(&field!(expression, "value"), scalar)?,
            span: self.span(&field!(expression, "span"))?,
        };
        Ok(self.expressions.keep(expression, operation.into()))
    }

    fn span(&mut self, span: &Object<'py>) -> PyResult<Option<Span>> {
        if span.is_none() {
            return Ok(None);
        }
        if let Some(known) = self.spans.get(span) {
            return Ok(Some(known));
        }
        let file = self.file(field!(span, "file").extract()?);
        let (line, column) = (field!(span, "line").extract()?, field!(span, "column").extract()?);
        let (end_line, end_column) = (field!(span, "end_line").extract()?, field!(span, "end_column").extract()?);
        Ok(Some(self.spans.keep(span, Span(file, line, column, end_line, end_column))))
    }

    fn file(&mut self, name: String) -> u32 {
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.files.push(name.clone());
            self.files.len() as u32 - 1
        })
    }
}

fn begin(object: Object<'_>) -> PyResult<Pending<'_>> {
    let rest = list(&field!(object, "args"), |arg| Ok(arg.clone()))?.into_iter();
    Ok(Pending { object, rest, args: Vec::new() })
}

/// An initial marking as tuples.
fn one_by_one(initial: &Object) -> PyResult<Tokens> {
    let (mut counts, mut width, mut values) = (Vec::new(), 0, Vec::new());
    for item in initial.try_iter()? {
        let (count, token): (u64, Object) = item?.extract()?;
        let before = values.len();
        for value in token.try_iter()? {
            values.push(scalar(&value?)?);
        }
        if !counts.is_empty() && values.len() - before != width {
            return Err(PyValueError::new_err("tokens of one place that differ in the number of their values"));
        }
        width = values.len() - before;
        counts.push(count);
    }
    Ok(Tokens::new(counts, width, values).unwrap_or_default())
}

/// An initial marking as arrays of 64-bit numbers (`petri/tokens.py`).
fn by_columns(initial: &Object, columns: &Object) -> PyResult<Tokens> {
    let py = initial.py();
    let length: usize = field!(initial, "length").extract()?;
    let columns = list(columns, |column| match PyBuffer::<i64>::get(column) {
        Ok(ints) => Ok(ints.to_vec(py)?.into_iter().map(Scalar::Int).collect::<Vec<_>>()),
        Err(_) => Ok(PyBuffer::<f64>::get(column)?.to_vec(py)?.into_iter().map(Scalar::Real).collect()),
    })?;
    let counts = match optional(&field!(initial, "counts"), PyBuffer::<i64>::get)? {
        Some(counts) => counts.to_vec(py)?.into_iter().map(|count| count as u64).collect(),
        None => vec![1; length],
    };
    if counts.len() != length || columns.iter().any(|column| column.len() != length) {
        return Err(PyValueError::new_err("columns of tokens that differ in their length"));
    }
    let values = (0..length).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
    Ok(Tokens::new(counts, columns.len(), values).unwrap_or_default())
}

fn table(table: &Object) -> PyResult<Table> {
    Ok(Table { values: list(&field!(table, "values"), scalar)?, weights: field!(table, "weights").extract()? })
}

/// Its parts may be integers of any size.
fn tick(tick: &Object) -> PyResult<Tick> {
    Ok(Tick { numerator: field!(tick, "numerator").extract()?, denominator: field!(tick, "denominator").extract()? })
}

fn place_id(value: &Object) -> PyResult<PlaceId> {
    Ok(PlaceId(value.extract()?))
}

fn kind(value: &Object) -> PyResult<Kind> {
    match value.cast::<PyString>()?.to_str()? {
        "int" => Ok(Kind::Int),
        "real" => Ok(Kind::Real),
        "bool" => Ok(Kind::Bool),
        other => Err(PyValueError::new_err(format!("`{other}` is no kind"))),
    }
}

fn discipline(value: &Object) -> PyResult<Discipline> {
    match value.cast::<PyString>()?.to_str()? {
        "bag" => Ok(Discipline::Bag),
        "fifo" => Ok(Discipline::Fifo),
        "lifo" => Ok(Discipline::Lifo),
        "key" => Ok(Discipline::Key),
        other => Err(PyValueError::new_err(format!("`{other}` is no discipline"))),
    }
}

fn scalar(value: &Object) -> PyResult<Scalar> {
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Scalar::Bool(value.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Scalar::Int(value.extract()?));
    }
    match value.cast::<PyFloat>()?.value() {
        real if real.is_finite() => Ok(Scalar::Real(real)),
        real => Err(PyValueError::new_err(format!("a constant of the net is {real}"))),
    }
}

fn optional<'py, T>(value: &Object<'py>, read: impl FnOnce(&Object<'py>) -> PyResult<T>) -> PyResult<Option<T>> {
    if value.is_none() {
        Ok(None)
    } else {
        read(value).map(Some)
    }
}

fn list<'py, T>(items: &Object<'py>, mut read: impl FnMut(&Object<'py>) -> PyResult<T>) -> PyResult<Vec<T>> {
    let mut found = Vec::with_capacity(items.len()?);
    for item in items.try_iter()? {
        found.push(read(&item?)?);
    }
    Ok(found)
}
