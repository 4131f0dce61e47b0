//! Times as Flink reads them. Source: `TimeUtils.parseDuration`.

/// Milliseconds of `7200000`, `50 s`, `10min`, `PT1H`; `None` where Flink would refuse the text.
pub fn millis(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Some(iso) = text.strip_prefix(['P', 'p']) {
        return iso_millis(iso);
    }
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number: u64 = text[..digits].parse().ok()?;
    let (per_unit, divided_by) = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" | "ms" | "milli" | "millis" | "millisecond" | "milliseconds" => (1, 1),
        "s" | "sec" | "secs" | "second" | "seconds" => (1_000, 1),
        "m" | "min" | "mins" | "minute" | "minutes" => (60_000, 1),
        "h" | "hour" | "hours" => (3_600_000, 1),
        "d" | "day" | "days" => (86_400_000, 1),
        "us" | "µs" | "micro" | "micros" | "microsecond" | "microseconds" => (1, 1_000),
        "ns" | "nano" | "nanos" | "nanosecond" | "nanoseconds" => (1, 1_000_000),
        _ => return None,
    };
    number.checked_mul(per_unit).map(|millis| millis / divided_by)
}

/// `1DT2H3M4S`, as far as whole numbers go.
fn iso_millis(text: &str) -> Option<u64> {
    let mut total: u64 = 0;
    let mut number = String::new();
    let mut is_time = false;
    for c in text.to_ascii_uppercase().chars() {
        let per_unit = match (c, is_time) {
            ('T', _) => {
                is_time = true;
                continue;
            }
            ('0'..='9' | '.', _) => {
                number.push(c);
                continue;
            }
            ('D', false) => 86_400_000.0,
            ('H', true) => 3_600_000.0,
            ('M', true) => 60_000.0,
            ('S', true) => 1_000.0,
            _ => return None,
        };
        total = total.checked_add((number.parse::<f64>().ok()? * per_unit) as u64)?;
        number.clear();
    }
    number.is_empty().then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form() {
        let forms =
            [("7200000", 7_200_000), ("50 s", 50_000), ("10min", 600_000), ("1 h", 3_600_000), ("2d", 172_800_000)];
        for (text, expected) in forms {
            assert_eq!(millis(text), Some(expected), "{text}");
        }
        assert_eq!(millis("PT1H30M"), Some(5_400_000));
        assert_eq!(millis("P1DT0.5S"), Some(86_400_500));
        assert_eq!(millis("1500 micros"), Some(1));
        for refused in ["", "s", "1 fortnight", "PT1X", "P1M"] {
            assert_eq!(millis(refused), None, "{refused}");
        }
    }
}
