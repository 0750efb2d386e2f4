//! Arrays of numbers for numpy, as bytes.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A word for each item.
pub fn words<'py, T>(py: Python<'py>, items: &[T], word: impl Fn(&T) -> [u8; 8]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, items.len() * 8, |bytes| {
        for (chunk, item) in bytes.chunks_exact_mut(8).zip(items) {
            chunk.copy_from_slice(&word(item));
        }
        Ok(())
    })
}
