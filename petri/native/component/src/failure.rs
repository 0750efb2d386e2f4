//! Codes, and the sentences that users know: those of `petri/wording`.

use std::cell::RefCell;

use engine::base::fault::{Detail, Fault};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Handle = -1,
    Net = -2,
    Name = -3,
    Past = -4,
    Horizon = -5,
    Token = -6,
    Model = -7,
    Argument = -8,
}

/// Why a call has failed.
#[derive(Debug)]
pub struct Failure {
    pub code: Code,
    pub text: String,
}

const WORDING: [&str; 2] = [include_str!("../../../wording/component.txt"), include_str!("../../../wording/run.txt")];

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

impl Failure {
    pub fn of(code: Code, id: &str, values: &[(&str, &str)]) -> Self {
        Failure { code, text: worded(id, values) }
    }

    pub fn refused(reason: &str) -> Self {
        Failure::of(Code::Net, "net-refused", &[("reason", reason)])
    }

    /// A rule that the model has broken, and where: the transition and the time.
    pub fn of_fault(fault: &Fault, at: Option<(&str, &str)>) -> Self {
        let values: Vec<(&str, String)> = fault.details.iter().map(|(name, detail)| (*name, shown(detail))).collect();
        let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, &**value)).collect();
        let place =
            at.map_or(String::new(), |(transition, time)| format!(" (at time {time}, transition `{transition}`)"));
        Failure { code: Code::Model, text: worded(fault.id, &values) + &place }
    }

    /// Keeps the sentence for this thread. Returns the code.
    pub fn tell(self) -> i32 {
        LAST.set(self.text);
        self.code as i32
    }
}

/// The last sentence of this thread.
pub fn last(look: impl FnOnce(&str) -> usize) -> usize {
    LAST.with_borrow(|text| look(text))
}

fn shown(detail: &Detail) -> String {
    match detail {
        Detail::Int(value) => value.to_string(),
        Detail::Real(value) => value.to_string(),
        Detail::Text(text) => text.clone(),
        Detail::Names(names) => names.join(", "),
    }
}

/// The message of an id, with its values.
fn worded(id: &str, values: &[(&str, &str)]) -> String {
    let start = |line: &&str| line.strip_prefix(id).is_some_and(|rest| rest.starts_with(": "));
    let mut lines = WORDING.iter().flat_map(|text| text.lines()).skip_while(|line| !start(line));
    let mut message = lines.next().map_or(id, |line| &line[id.len() + 2..]).to_owned();
    for more in lines.map_while(|line| line.strip_prefix("    ")) {
        message = message + " " + more;
    }
    for (name, value) in values {
        for open in [format!("{{{name}}}"), format!("{{{name}:,}}"), format!("{{{name}:and}}")] {
            message = message.replace(&open, value);
        }
    }
    message
}
