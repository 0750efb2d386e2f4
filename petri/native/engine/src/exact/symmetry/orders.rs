//! Orders of items, and how many there are.

/// For each item, by its position, the position of the one that takes its place.
pub type Order = Vec<usize>;

/// For each value its place among the sorted ones.
pub fn places_in(sorted: &[usize]) -> Order {
    let mut places = vec![0; sorted.len()];
    sorted.iter().enumerate().for_each(|(place, &value)| places[value] = place);
    places
}

/// The orders in which some of these follow each other in any way.
pub fn permuted(order: &Order, start: usize, len: usize) -> Vec<Order> {
    let mut found = vec![order.clone()];
    for fixed in start..start + len {
        let swapped = |one: &Order| {
            let one = one.clone();
            (fixed..start + len).map(move |other| {
                let mut one = one.clone();
                one.swap(fixed, other);
                one
            })
        };
        found = found.iter().flat_map(swapped).collect();
    }
    found
}

/// In how many orders sorted items can be.
pub fn arrangements<T: PartialEq>(items: impl Iterator<Item = T>) -> f64 {
    let (mut found, mut alike, mut last) = (1.0, 0.0, None);
    for (at, item) in items.enumerate() {
        alike = if last.as_ref() == Some(&item) { alike + 1.0 } else { 1.0 };
        found *= (at + 1) as f64 / alike;
        last = Some(item);
    }
    f64::round(found)
}

#[cfg(test)]
mod tests {
    use super::{arrangements, permuted};

    #[test]
    fn all_orders_of_a_part_are_tried() {
        let mut found = permuted(&vec![3, 0, 1, 2], 1, 3);
        assert!(found.iter().all(|order| order[0] == 3));
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), 6);
    }

    #[test]
    fn equal_items_are_not_told_apart() {
        assert_eq!(arrangements([1, 1, 2].iter()), 3.0);
        assert_eq!(arrangements([1, 1, 2, 2].iter()), 6.0);
        assert_eq!(arrangements([1, 2, 3, 4].iter()), 24.0);
        assert_eq!(arrangements([7, 7, 7].iter()), 1.0);
    }
}
