//! What the `verify` of a data structure returns.
//!
//! Each data structure lists its invariants by name at the top of its file. `verify` checks all of them, in time
//! proportional to the size of the structure. Tests and debug runs call it; release builds do not.

/// The name of the first invariant that does not hold, a colon, and what was found.
pub type Verified = Result<(), String>;

/// Fails with the name of the invariant unless `condition` holds. `found` describes what is wrong.
pub fn ensure(condition: bool, invariant: &str, found: impl FnOnce() -> String) -> Verified {
    if condition {
        Ok(())
    } else {
        Err(format!("{invariant}: {}", found()))
    }
}

/// The name of the invariant that does not hold.
#[cfg(test)]
#[track_caller]
pub fn broken(verified: Verified) -> String {
    let error = verified.expect_err("a broken invariant");
    error.split(':').next().unwrap_or_default().to_owned()
}
