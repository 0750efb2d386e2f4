//! Numbers as they are written: decimal ones, exactly, and calendar times.

/// Digits that are kept: a number and the difference of two have room in 128 bits.
const DIGITS: u32 = 37;
/// Exponents beyond are of no number that a float can have, or tell from 0.
const FARTHEST: i64 = 1_000_000;

/// `value` times ten to the power of `exponent`. Digits beyond [`DIGITS`] are dropped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decimal {
    value: i128,
    exponent: i64,
    /// How many digits it is written with, without zeros at the front.
    pub digits: u32,
    /// Whether digits other than 0 were dropped.
    dropped: bool,
}

impl Decimal {
    pub fn whole(value: i64) -> Self {
        Decimal { value: value.into(), exponent: 0, digits: digits(value.into()), dropped: false }
    }

    /// A number with so many digits behind the point.
    pub fn tenths(value: i64, behind: usize) -> Self {
        Decimal { exponent: -(behind as i64), ..Decimal::whole(value) }
    }

    /// A number such as `-1.5e3`. Lines between digits are ignored.
    pub fn of(text: &str) -> Option<Self> {
        let (negative, text) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let mut number = Decimal { value: 0, exponent: 0, digits: 0, dropped: false };
        let (mut point, mut some) = (false, false);
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'0'..=b'9' => {
                    number.push(byte - b'0', point);
                    some = true;
                }
                b'.' if !point => point = true,
                b'_' => {}
                b'e' | b'E' if some => {
                    number.exponent += exponent(&text[at + 1..])?;
                    return Some(number.signed(negative));
                }
                _ => return None,
            }
        }
        some.then(|| number.signed(negative))
    }

    fn push(&mut self, digit: u8, point: bool) {
        self.digits += u32::from(self.digits > 0 || digit > 0);
        if self.digits > DIGITS {
            self.dropped |= digit > 0;
            self.exponent += i64::from(!point);
        } else {
            self.value = self.value * 10 + i128::from(digit);
            self.exponent -= i64::from(point);
        }
    }

    fn signed(self, negative: bool) -> Self {
        Decimal { value: if negative { -self.value } else { self.value }, digits: self.digits.max(1), ..self }
    }

    /// The sum. It has the last place of the operand that has the lower one, as far as there is room.
    pub fn plus(self, other: Decimal) -> Decimal {
        let (mut high, mut low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let room = DIGITS.saturating_sub(digits(high.value));
        let shift = (high.exponent - low.exponent).min(room.into());
        high.value *= 10_i128.pow(shift as u32);
        high.exponent -= shift;
        let lost = high.exponent - low.exponent;
        if high.value != 0 || lost == 0 {
            low.value = if lost > i64::from(DIGITS) { 0 } else { low.value / 10_i128.pow(lost as u32) };
            low.exponent = high.exponent;
        }
        let value = low.value + high.value;
        Decimal { value, exponent: low.exponent, digits: digits(value), dropped: self.dropped || other.dropped }
    }

    pub fn minus(self, other: Decimal) -> Decimal {
        self.plus(Decimal { value: -other.value, ..other })
    }

    /// The number, if it is one of 64 bits.
    pub fn to_int(self) -> Option<i64> {
        if self.value == 0 || self.dropped {
            return (!self.dropped).then_some(0);
        }
        let power = 10_i128.checked_pow(u32::try_from(self.exponent.unsigned_abs()).ok()?);
        let whole = match (self.exponent < 0, power) {
            (false, power) => self.value.checked_mul(power?)?,
            (true, Some(power)) if self.value % power == 0 => self.value / power,
            _ => return None,
        };
        whole.try_into().ok()
    }

    /// The nearest float.
    pub fn to_float(self) -> f64 {
        if let (Ok(value), -22..=0) = (i64::try_from(self.value), self.exponent) {
            if value.unsigned_abs() < 1 << 53 {
                return value as f64 / POWERS[self.exponent.unsigned_abs() as usize];
            }
        }
        format!("{}e{}", self.value, self.exponent).parse().unwrap_or(f64::NAN)
    }
}

/// What floats have exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

fn digits(value: i128) -> u32 {
    value.unsigned_abs().checked_ilog10().unwrap_or_default() + 1
}

fn exponent(text: &str) -> Option<i64> {
    let text = text.replace('_', "");
    let digits = text.strip_prefix(['+', '-']).unwrap_or(&text);
    let some = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let far = if text.starts_with('-') { -FARTHEST } else { FARTHEST };
    some.then(|| text.parse::<i64>().unwrap_or(far).clamp(-FARTHEST, FARTHEST))
}

/// A number without exponent, and of few digits: its digits as one number, and how many of them are behind the point.
#[inline]
pub fn plain(text: &[u8]) -> Option<(i64, usize)> {
    let (negative, digits) = match text {
        [sign @ (b'-' | b'+'), digits @ ..] => (*sign == b'-', digits),
        digits => (false, digits),
    };
    let (mut value, mut behind, mut point) = (0_i64, 0, 0);
    if digits.len() > 18 {
        return None;
    }
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            value = value * 10 + i64::from(digit);
            behind += point;
        } else if byte == b'.' && point == 0 {
            point = 1;
        } else {
            return None;
        }
    }
    let some = digits.len() > point;
    some.then_some((if negative { -value } else { value }, behind))
}

/// The float of what `plain` has found, if it is exact before the point is set.
#[inline]
pub fn plain_float((value, behind): (i64, usize)) -> Option<f64> {
    let exact = value.unsigned_abs() < 1 << 53;
    exact.then(|| if behind == 0 { value as f64 } else { value as f64 / POWERS[behind] })
}

/// Whether a comma may also part thousands: `1,234`.
pub fn is_grouped(text: &str) -> bool {
    let mut groups = text.strip_prefix(['+', '-']).unwrap_or(text).split(',');
    let all_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    let mut number = 0;
    let rest = groups.all(|group| {
        number += 1;
        group.len() == 3 && all_digits(group)
    });
    (1..=3).contains(&first.len()) && all_digits(first) && !first.starts_with('0') && rest && number > 0
}

/// A calendar time: seconds since 1970, or since midnight if it is only a time of day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instant {
    pub seconds: Decimal,
    pub dated: bool,
    pub zoned: bool,
}

impl Instant {
    /// `2023-11-16 18:17:03.979960`, with T, Z or +01:00 as well, `2023-11-16`, or `18:17:03.98`.
    pub fn of(text: &str) -> Option<Instant> {
        let (day, rest) = match Rest(text).date() {
            Some((day, rest)) => (Some(day?), rest),
            None => (None, Rest(text)),
        };
        let rest = Rest(rest.0.trim_start_matches(|one| one == 'T' || one == 't' || crate::records::is_space(one)));
        let (clock, rest) = match rest.clock() {
            Some((clock, rest)) => (Some(clock), rest),
            None => (None, rest),
        };
        let east = Rest(rest.0.trim_start_matches(crate::records::is_space)).zone()?;
        if day.is_none() && clock.is_none() {
            return None;
        }
        let days = Decimal::whole(86_400 * day.unwrap_or_default() - east.unwrap_or_default());
        let seconds = clock.map_or(days, |clock| clock.plus(days));
        Some(Instant { seconds, dated: day.is_some(), zoned: east.is_some() })
    }
}

/// What is left to be read of a calendar time.
#[derive(Clone, Copy)]
struct Rest<'t>(&'t str);

impl<'t> Rest<'t> {
    /// A number of `least` to `most` digits.
    fn number(self, least: usize, most: usize) -> Option<(i64, Rest<'t>)> {
        let digits = self.0.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.0.split_at(digits);
        (digits >= least).then(|| Some((number.parse().ok()?, Rest(rest))))?
    }

    fn after(self, sign: char) -> Option<Rest<'t>> {
        self.0.strip_prefix(sign).map(Rest)
    }

    /// Days since 1970, none where there is no such day.
    fn date(self) -> Option<(Option<i64>, Rest<'t>)> {
        let (year, rest) = self.number(4, 4)?;
        let sign = rest.0.chars().next().filter(|sign| matches!(sign, '-' | '/'))?;
        let (month, rest) = rest.after(sign)?.number(1, 2)?;
        let (day, rest) = rest.after(sign)?.number(1, 2)?;
        Some((days(year, month, day), rest))
    }

    /// Seconds since midnight.
    fn clock(self) -> Option<(Decimal, Rest<'t>)> {
        let (hour, rest) = self.number(1, 2)?;
        let (minute, rest) = rest.after(':')?.number(2, 2)?;
        let (mut second, mut part, mut rest) = (0, "0", rest);
        if let Some((found, behind)) = rest.after(':').and_then(|rest| rest.number(2, 2)) {
            (second, rest) = (found, behind);
            if let Some(fraction) = rest.after('.').or(rest.after(',')) {
                let digits = fraction.0.bytes().take(18).take_while(u8::is_ascii_digit).count();
                if digits > 0 {
                    part = &fraction.0[..digits];
                    rest = Rest(&fraction.0[digits..]);
                }
            }
        }
        if hour > 24 || minute > 59 || second > 60 {
            return None;
        }
        let fraction = Decimal::of(&format!("0.{part}"))?;
        Some((Decimal::whole(3600 * hour + 60 * minute + second).plus(fraction), rest))
    }

    /// The offset from UTC [s], none of a text that names none. None where something else is left.
    fn zone(self) -> Option<Option<i64>> {
        if self.0.is_empty() {
            return Some(None);
        }
        if self.0.eq_ignore_ascii_case("z") || self.0.eq_ignore_ascii_case("utc") {
            return Some(Some(0));
        }
        let east = if self.0.starts_with('-') { -1 } else { 1 };
        let (hours, rest) = self.after('+').or(self.after('-'))?.number(2, 2)?;
        let (minutes, rest) = rest.after(':').unwrap_or(rest).number(2, 2)?;
        rest.0.is_empty().then_some(Some(east * (3600 * hours + 60 * minutes)))
    }
}

/// Days from 1970-01-01 to a day of the Gregorian calendar (H. Hinnant, "chrono-compatible low-level date algorithms").
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if year < 1 || !(1..=length).contains(&day) {
        return None;
    }
    let year = year - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}
