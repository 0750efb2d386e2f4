//! Logarithm, exponential and power in IEEE additions and multiplications alone.
//!
//! The mathematical library of the machine may round these differently from one system to the next; a trajectory
//! must not. Each routine performs the operations of its twin in `petri/portable.py`, in the same order.

/// ln 2 in two parts: the upper has 32 significant bits, so its product with an exponent is exact.
const LN2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
const LN2_LOW: f64 = f64::from_bits(0x3DEA_39EF_3579_3C76);
const INVERSE_LN2: f64 = f64::from_bits(0x3FF7_1547_652B_82FE);
const SQRT_HALF: f64 = f64::from_bits(0x3FE6_A09E_667F_3BCD);

/// Terms after which the series are below half a unit in the last place (|s| <= 0.172, |r| <= 0.347).
const LN_TERMS: usize = 11;
const EXP_TERMS: usize = 14;

/// 1/3, 1/5, … 1/23.
const LN_COEFFICIENTS: [f64; LN_TERMS] = {
    let mut coefficients = [0.0; LN_TERMS];
    let mut k = 0;
    while k < LN_TERMS {
        coefficients[k] = 1.0 / (2 * k + 3) as f64;
        k += 1;
    }
    coefficients
};

/// 1/2!, 1/3!, … 1/14!; the factorials are exact in a double.
const EXP_COEFFICIENTS: [f64; EXP_TERMS - 1] = {
    let mut coefficients = [0.0; EXP_TERMS - 1];
    let mut factorial = 1.0;
    let mut k = 2;
    while k <= EXP_TERMS {
        factorial *= k as f64;
        coefficients[k - 2] = 1.0 / factorial;
        k += 1;
    }
    coefficients
};

/// Mantissa in [½, 1) and exponent of a positive finite number.
fn split(x: f64) -> (f64, i64) {
    let (x, shift) = if x < f64::MIN_POSITIVE { (x * 2f64.powi(54), 54) } else { (x, 0) };
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7FF) as i64 - 1022;
    let mantissa = f64::from_bits((bits & 0x000F_FFFF_FFFF_FFFF) | 0x3FE0_0000_0000_0000);
    (mantissa, exponent - shift)
}

/// 2^k for k within the range of normal doubles.
fn power_of_two(k: i64) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// Natural logarithm of a positive finite x.
pub fn ln(x: f64) -> f64 {
    let (mut m, mut e) = split(x);
    if m < SQRT_HALF {
        m *= 2.0;
        e -= 1;
    }
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let mut series = 0.0;
    for coefficient in LN_COEFFICIENTS.iter().rev() {
        series = (series + coefficient) * z;
    }
    let e = e as f64;
    e * LN2_HIGH + (2.0 * s * series + e * LN2_LOW + 2.0 * s)
}

/// e^x for finite x; overflows to infinity, underflows to 0.
pub fn exp(x: f64) -> f64 {
    if x > 709.782712893384 {
        return f64::INFINITY;
    }
    if x < -745.2 {
        return 0.0;
    }
    let whole = (x * INVERSE_LN2 + 0.5).floor();
    let r = (x - whole * LN2_HIGH) - whole * LN2_LOW;
    let mut series = 0.0;
    for coefficient in EXP_COEFFICIENTS.iter().rev() {
        series = (series + coefficient) * r;
    }
    let k = whole as i64;
    let half = k.div_euclid(2);
    (1.0 + (r + series * r)) * power_of_two(half) * power_of_two(k - half)
}

/// x^y for x >= 0: by squaring when y is a whole number up to 1024, else exp(y·ln x). May be infinite.
pub fn power(x: f64, y: f64) -> f64 {
    if y == y.floor() && y.abs() <= 1024.0 {
        return whole_power(x, y);
    }
    if x == 0.0 {
        return if y > 0.0 { 0.0 } else { f64::INFINITY };
    }
    exp(y * ln(x))
}

fn whole_power(x: f64, y: f64) -> f64 {
    let (mut result, mut base, mut n) = (1.0, x, y.abs() as u32);
    while n > 0 {
        if n & 1 == 1 {
            result *= base;
        }
        base *= base;
        n >>= 1;
    }
    if y >= 0.0 {
        result
    } else if result == 0.0 {
        f64::INFINITY
    } else {
        1.0 / result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_to_the_true_values() {
        let mut x = 1e-300;
        while x < 1e300 {
            assert!((ln(x) - x.ln()).abs() <= 4e-16 * x.ln().abs().max(1.0), "ln {x}");
            x *= 1.37;
        }
        let mut x: f64 = -700.0;
        while x < 700.0 {
            assert!((exp(x) / x.exp() - 1.0).abs() < 4e-16, "exp {x}");
            x += 0.37;
        }
        assert_eq!(power(2.0, 10.0), 1024.0);
        assert_eq!(power(0.0, 0.5), 0.0);
        assert_eq!(exp(1000.0), f64::INFINITY);
        assert_eq!(exp(-1000.0), 0.0);
    }

    #[test]
    fn subnormal_arguments() {
        let x = f64::from_bits(3);
        assert!((ln(x) - x.ln()).abs() < 1e-12);
    }
}
