//! Spark's time strings, as `JavaUtils.timeStringAs` reads them (the same from 2.4.8 to 4.3.0).

/// The unit of a number without one, and that in which the value is held; what is smaller is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Milliseconds.
    Millis,
    /// Seconds.
    Seconds,
}

impl Unit {
    /// Its length in milliseconds.
    pub fn millis(self) -> i64 {
        match self {
            Unit::Millis => 1,
            Unit::Seconds => 1_000,
        }
    }
}

/// The suffixes with their microseconds.
const SUFFIXES: [(&str, i64); 7] = [
    ("us", 1),
    ("ms", 1_000),
    ("s", 1_000_000),
    ("m", 60_000_000),
    ("min", 60_000_000),
    ("h", 3_600_000_000),
    ("d", 86_400_000_000),
];

/// The milliseconds that Spark makes of `text` for a key of this unit; `None` where it throws.
pub fn millis(text: &str, unit: Unit) -> Option<i64> {
    let lower = text.to_lowercase();
    // String.trim: everything up to the blank.
    let trimmed = lower.trim_matches(|c| c <= ' ');
    let digits_from = usize::from(trimmed.starts_with('-'));
    let digits = trimmed[digits_from..].find(|c: char| !c.is_ascii_digit()).unwrap_or(trimmed.len() - digits_from);
    let (number, suffix) = trimmed.split_at(digits_from + digits);
    let number: i64 = number.parse().ok()?;
    let unit_micros = unit.millis() * 1_000;
    let micros = match suffix {
        "" => unit_micros,
        _ => SUFFIXES.iter().find(|(known, _)| *known == suffix)?.1,
    };
    // TimeUnit.convert saturates too, and cuts towards zero.
    let held = i128::from(number) * i128::from(micros) / i128::from(unit_micros) * i128::from(unit.millis());
    Some(i64::try_from(held).unwrap_or(if held < 0 { i64::MIN } else { i64::MAX }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn as_spark_reads_them() {
        for (text, unit, expected) in [
            ("120", Unit::Seconds, Some(120_000)),
            ("120", Unit::Millis, Some(120)),
            ("120s", Unit::Millis, Some(120_000)),
            (" 2H ", Unit::Seconds, Some(7_200_000)),
            ("1d", Unit::Millis, Some(86_400_000)),
            ("5m", Unit::Seconds, Some(300_000)),
            ("5min", Unit::Seconds, Some(300_000)),
            ("1500ms", Unit::Seconds, Some(1_000)),
            ("-1500ms", Unit::Seconds, Some(-1_000)),
            ("999us", Unit::Millis, Some(0)),
            ("-1", Unit::Millis, Some(-1)),
            ("9223372036854775807d", Unit::Millis, Some(i64::MAX)),
            ("9223372036854775808", Unit::Millis, None),
            ("1.5h", Unit::Seconds, None),
            ("2 h", Unit::Seconds, None),
            ("2hours", Unit::Seconds, None),
            ("+2h", Unit::Seconds, None),
            ("${spark.other}", Unit::Seconds, None),
            ("٢h", Unit::Seconds, None),
            ("-", Unit::Seconds, None),
            ("s", Unit::Seconds, None),
            ("", Unit::Seconds, None),
        ] {
            assert_eq!(millis(text, unit), expected, "`{text}`");
        }
    }

    proptest! {
        #[test]
        fn whole_seconds_are_kept(seconds in 0i64..=2_147_483) {
            let expected = Some(seconds * 1_000);
            prop_assert_eq!(millis(&format!("{seconds}s"), Unit::Seconds), expected);
            prop_assert_eq!(millis(&format!("{seconds}"), Unit::Seconds), expected);
            prop_assert_eq!(millis(&format!("{seconds}S"), Unit::Millis), expected);
        }

        #[test]
        fn no_text_breaks_it(text in ".{0,12}") {
            let _ = millis(&text, Unit::Millis);
        }
    }
}
