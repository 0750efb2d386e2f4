//! What the measures of this crate and their twins in Python must both give, for tests.

/// Settings, events and outcome of each case of a kind, from the file that the Python tests read too.
pub fn cases(kind: &str) -> Vec<[Vec<&'static str>; 3]> {
    let file = include_str!("../../../../../tests/measure/twins.txt");
    let parts = |line: &'static str| -> Vec<Vec<&'static str>> {
        line.split('|').map(|part| part.split_whitespace().collect()).collect()
    };
    let all = file.lines().map(|line| parts(line).try_into().unwrap());
    all.filter(|case: &[Vec<&str>; 3]| case[0][0] == kind).collect()
}

/// The bits of a value, as the file has them.
pub fn digits(value: f64) -> String {
    if value.is_nan() {
        "nan".into()
    } else {
        format!("{:016x}", value.to_bits())
    }
}
