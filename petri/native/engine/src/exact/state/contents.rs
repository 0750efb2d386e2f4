//! What places hold and which firings are in progress, each different content with a number of its own. A state names contents
//! by their numbers.

use std::collections::HashMap;

/// The contents of one field, by number. The empty content has the number 0.
#[derive(Clone)]
pub struct Contents {
    numbers: HashMap<Box<[u64]>, u64>,
    rows: Vec<Box<[u64]>>,
    words: usize,
}

impl Default for Contents {
    fn default() -> Self {
        let empty: Box<[u64]> = Box::new([]);
        Contents { numbers: HashMap::from([(empty.clone(), 0)]), rows: vec![empty], words: 0 }
    }
}

impl Contents {
    pub fn number(&mut self, content: &[u64]) -> u64 {
        if let Some(&number) = self.numbers.get(content) {
            return number;
        }
        let number = self.rows.len() as u64;
        let row: Box<[u64]> = content.into();
        self.words += row.len();
        self.rows.push(row.clone());
        self.numbers.insert(row, number);
        number
    }

    pub fn row(&self, number: u64) -> &[u64] {
        &self.rows[number as usize]
    }

    /// About how much memory they take.
    pub fn bytes(&self) -> usize {
        16 * self.words + 96 * self.rows.len()
    }
}
