//! Random expressions, in the JSON of `petri/codec.py`. Most have a value; some raise a fault; a few are refused.

use engine::net::{Kind, Op};
use engine::program::distribution::Distribution;
use serde_json::{json, Value};

use crate::choices::Choices;

/// Tables 0 (ints) and 1 (reals) of every net.
pub const TABLES: usize = 2;

/// What an expression may name.
#[derive(Clone, Default)]
pub struct Scope {
    /// Variables (or slots), by kind.
    pub ints: Vec<usize>,
    pub reals: Vec<usize>,
    /// Places whose tokens may be counted: the first, and how many.
    pub places: (usize, usize),
    pub clock: bool,
    pub draws: bool,
}

pub fn operation(op: &str, kind: &str, args: Vec<Value>) -> Value {
    json!({"op": op, "kind": kind, "args": args})
}

pub fn int(value: i64) -> Value {
    json!({"op": "const", "kind": "int", "value": value})
}

pub fn real(value: f64) -> Value {
    json!({"op": "const", "kind": "real", "value": value})
}

fn named(op: &str, kind: &str, value: usize) -> Value {
    json!({"op": op, "kind": kind, "value": value})
}

/// What draws a value of this kind.
fn drawing(choose: &mut Choices, kind: Kind) -> Op {
    let draws: Vec<Op> = Op::ALL.iter().copied().filter(|&op| op.draws() && gives(op, kind)).collect();
    choose.one(&draws)
}

fn gives(op: Op, kind: Kind) -> bool {
    match op {
        Op::Choice | Op::Table => true,
        Op::UniformInt => kind == Kind::Int,
        op => Distribution::of(op).is_some_and(|drawn| drawn.greatest().is_some()) == (kind == Kind::Int),
    }
}

fn parameters(op: Op, value: impl FnMut() -> Value) -> Vec<Value> {
    let names = Distribution::of(op).map_or(&[][..], |drawn| drawn.names().1);
    std::iter::repeat_with(value).take(names.len()).collect()
}

const COMPARISONS: [&str; 6] = ["le", "ge", "ne", "eq", "lt", "gt"];

impl Scope {
    pub fn whole(&self, choose: &mut Choices, depth: usize) -> Value {
        if depth == 0 || choose.chance(4) {
            return self.whole_leaf(choose);
        }
        let all =
            ["add", "sub", "mul", "mod", "idiv", "min", "max", "within", "abs", "neg", "if", "floor", "round", "ceil"];
        if self.draws && choose.chance(3) {
            return self.whole_draw(choose);
        }
        match choose.one(&all) {
            op @ ("abs" | "neg") => operation(op, "int", vec![self.whole(choose, depth - 1)]),
            op @ ("floor" | "round" | "ceil") => operation(op, "int", vec![self.real(choose, depth - 1)]),
            op @ ("mod" | "idiv" | "within") if choose.chance(8) => {
                let divisor = int(choose.number(1, 4) as i64);
                operation(op, "int", vec![self.whole(choose, depth - 1), divisor])
            }
            "if" => {
                let condition = self.truth(choose, depth - 1);
                operation("if", "int", vec![condition, self.whole(choose, depth - 1), self.whole(choose, depth - 1)])
            }
            op => operation(op, "int", vec![self.whole(choose, depth - 1), self.whole(choose, depth - 1)]),
        }
    }

    fn whole_leaf(&self, choose: &mut Choices) -> Value {
        match choose.number(0, 5) {
            0 | 1 => int(choose.one(&[1, 0, 2, 3, 5, -1, 1 << 31, 1 << 62, i64::MAX, i64::MIN])),
            5 if self.places.1 > 0 => named("tokens", "int", self.places.0 + choose.number(0, self.places.1 - 1)),
            _ if choose.rare() => named("var", "int", 77),
            _ if self.ints.is_empty() => int(choose.number(0, 3) as i64),
            _ => named("var", "int", choose.one(&self.ints)),
        }
    }

    fn whole_draw(&self, choose: &mut Choices) -> Value {
        let op = drawing(choose, Kind::Int);
        let small = |choose: &mut Choices| choose.number(0, 7) as i64;
        let args = match op {
            Op::UniformInt => vec![int(0), int(small(choose))],
            Op::Choice => vec![self.whole_leaf(choose), real(0.5), self.whole_leaf(choose), real(0.25)],
            Op::Table => return named("table", "int", 0),
            Op::Binomial => vec![int(small(choose)), real(choose.one(&[0.5, 0.0, 1.0, 1e-6, -1.0]))],
            Op::Poisson => vec![real(choose.one(&[1.0, 0.0, 15.9, 40.0, 1e9, -1.0]))],
            op => parameters(op, || real(choose.one(&[0.5, 1.0, 0.25, 1e-17, 1e-30, 0.0, 1.5]))),
        };
        operation(op.name(), "int", args)
    }

    pub fn real(&self, choose: &mut Choices, depth: usize) -> Value {
        if depth == 0 || choose.chance(4) {
            return self.real_leaf(choose, depth);
        }
        if self.draws && choose.chance(5) {
            return self.draw(choose);
        }
        let all = ["add", "sub", "mul", "div", "min", "max", "pow", "abs", "neg", "sqrt", "ln", "if"];
        match choose.one(&all) {
            op @ ("abs" | "neg" | "sqrt" | "ln") => operation(op, "real", vec![self.real(choose, depth - 1)]),
            "if" => {
                let condition = self.truth(choose, depth - 1);
                operation("if", "real", vec![condition, self.real(choose, depth - 1), self.real(choose, depth - 1)])
            }
            op => operation(op, "real", vec![self.real(choose, depth - 1), self.real(choose, depth - 1)]),
        }
    }

    fn real_leaf(&self, choose: &mut Choices, depth: usize) -> Value {
        match choose.number(0, 4) {
            0 => real(choose.one(&[1.0, 0.0, 0.5, 2.25, 3.0, -0.0, 1e300, 5e-324])),
            1 => operation("real", "real", vec![self.whole(choose, depth.saturating_sub(1))]),
            2 if self.clock => {
                let instant = json!({"op": choose.one(&["now", "end"]), "kind": "real"});
                json!({"op": "units", "kind": "real", "args": [instant], "value": choose.one(&[1.0, 0.3, 1048576.0])})
            }
            _ if self.reals.is_empty() => real(choose.number(0, 3) as f64),
            _ => named("var", "real", choose.one(&self.reals)),
        }
    }

    fn draw(&self, choose: &mut Choices) -> Value {
        let op = drawing(choose, Kind::Real);
        let shape = |choose: &mut Choices| real(choose.one(&[1.0, 0.5, 2.0, 3.0, 1e-6, 1e12, 0.0, -1.0]));
        let args = match op {
            Op::Exp => vec![self.real_leaf(choose, 0)],
            Op::Uniform => vec![real(0.25), shape(choose)],
            Op::Erlang => vec![int(choose.number(0, 3) as i64), shape(choose)],
            Op::Choice => vec![self.real_leaf(choose, 0), real(1.0), shape(choose), shape(choose)],
            Op::Table | Op::Empirical => return named(op.name(), "real", 1),
            Op::TruncatedNormal => vec![shape(choose), shape(choose), real(0.0), shape(choose)],
            Op::Triangular => vec![real(0.0), shape(choose), shape(choose)],
            op => parameters(op, || shape(choose)),
        };
        operation(op.name(), "real", args)
    }

    pub fn truth(&self, choose: &mut Choices, depth: usize) -> Value {
        if depth > 0 && choose.chance(3) {
            let op = choose.one(&["and", "or", "not", "if"]);
            let operands = match op {
                "not" => 1,
                "if" => 3,
                _ => 2,
            };
            return operation(op, "bool", (0..operands).map(|_| self.truth(choose, depth - 1)).collect());
        }
        let (op, below) = (choose.one(&COMPARISONS), depth.saturating_sub(1));
        if choose.chance(2) {
            return operation(op, "bool", vec![self.real(choose, below), self.real(choose, below)]);
        }
        operation(op, "bool", vec![self.whole(choose, below), self.whole(choose, below)])
    }
}
