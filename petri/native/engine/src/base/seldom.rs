//! Lists that are nearly always empty, and details that few have.
//!
//! **Problem.** A place or a transition has a dozen lists, of which most nets use a few, and a large net has a hundred thousand of
//! each. An empty vector takes three words.
//!
//! **Idea.** An empty list is a null pointer. One that is not has a vector elsewhere. All that have no details share some.

use std::ops::Deref;
use std::sync::{Arc, LazyLock};

/// The details, or `none` if they are equal to these.
pub fn shared<T: PartialEq>(details: T, none: &LazyLock<Arc<T>>) -> Arc<T> {
    if details == ***none {
        Arc::clone(none)
    } else {
        Arc::new(details)
    }
}

/// A list that is nearly always empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Seldom<T>(Option<Box<Items<T>>>);

#[derive(Clone, Debug, PartialEq)]
struct Items<T> {
    items: Vec<T>,
}

impl<T> Seldom<T> {
    pub fn push(&mut self, item: T) {
        self.0.get_or_insert_with(|| Box::new(Items { items: Vec::new() })).items.push(item);
    }

    pub fn retain(&mut self, is_kept: impl FnMut(&T) -> bool) {
        if let Some(list) = &mut self.0 {
            list.items.retain(is_kept);
        }
    }
}

impl<T> Default for Seldom<T> {
    fn default() -> Self {
        Seldom(None)
    }
}

impl<T> Deref for Seldom<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        self.0.as_ref().map_or(&[], |list| &list.items)
    }
}

impl<T> From<Vec<T>> for Seldom<T> {
    fn from(mut items: Vec<T>) -> Self {
        items.shrink_to_fit();
        Seldom((!items.is_empty()).then(|| Box::new(Items { items })))
    }
}

impl<T> FromIterator<T> for Seldom<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<'a, T> IntoIterator for &'a Seldom<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
