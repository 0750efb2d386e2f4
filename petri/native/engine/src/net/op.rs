//! The operations of expressions: the twin of `petri/catalogue/operations.py`. `tests/test_flat_net.py` holds both against
//! each other.

use serde::Deserialize;

/// For each operation: how many operands it has, whether it draws random numbers, and its name in a flat net.
macro_rules! operations {
    ($($operands:pat, draws $draws:literal: $($op:ident $name:literal),*;)*) => {
        #[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
        #[serde(try_from = "String")]
        pub enum Op { $($($op,)*)* }

        impl TryFrom<String> for Op {
            type Error = String;

            fn try_from(name: String) -> Result<Op, String> {
                match name.as_str() {
                    $($($name => Ok(Op::$op),)*)*
                    _ => Err(format!("no operation is called `{name}`")),
                }
            }
        }

        impl Op {
            pub const ALL: &[Op] = &[$($(Op::$op,)*)*];

            pub fn name(self) -> &'static str {
                match self { $($(Op::$op => $name,)*)* }
            }

            pub fn draws(self) -> bool {
                match self { $($(Op::$op => $draws,)*)* }
            }

            /// Whether it may have so many operands.
            pub fn takes(self, operands: usize) -> bool {
                match self { $($(Op::$op => matches!(operands, $operands),)*)* }
            }
        }
    };
}

operations! {
    0, draws false: Const "const", Var "var", Tokens "tokens", Now "now", End "end";
    1, draws false: Neg "neg", Abs "abs", Real "real", Ticks "ticks", Units "units", Floor "floor", Ceil "ceil",
        Round "round", Sqrt "sqrt", Ln "ln", Not "not";
    2, draws false: Add "add", Sub "sub", Mul "mul", Min "min", Max "max", Div "div", Idiv "idiv", Mod "mod",
        Within "within", Pow "pow", Eq "eq", Ne "ne", Lt "lt", Le "le", Gt "gt", Ge "ge", And "and", Or "or";
    3, draws false: If "if";
    0, draws true: Table "table", Empirical "empirical";
    1, draws true: Exp "exp", Bernoulli "bernoulli", Geometric "geometric", Poisson "poisson";
    2, draws true: Uniform "uniform", UniformInt "uniform_int", Erlang "erlang", Lognormal "lognormal", Pareto "pareto",
        Gamma "gamma", Weibull "weibull", Loglogistic "loglogistic", Hyperexponential "hyperexponential",
        Normal "normal", Beta "beta", Binomial "binomial";
    3, draws true: Triangular "triangular";
    4, draws true: TruncatedNormal "truncated_normal";
    2.., draws true: Choice "choice";
}

impl std::fmt::Display for Op {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}
