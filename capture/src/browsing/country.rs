//! The time zone most people of a country live in.

/// Country code and IANA zone, in order of the code.
const ZONES: [(&str, &str); 44] = [
    ("AE", "Asia/Dubai"),
    ("AR", "America/Argentina/Buenos_Aires"),
    ("AT", "Europe/Vienna"),
    ("AU", "Australia/Sydney"),
    ("BE", "Europe/Brussels"),
    ("BG", "Europe/Sofia"),
    ("BR", "America/Sao_Paulo"),
    ("CA", "America/Toronto"),
    ("CH", "Europe/Zurich"),
    ("CL", "America/Santiago"),
    ("CN", "Asia/Shanghai"),
    ("CZ", "Europe/Prague"),
    ("DE", "Europe/Berlin"),
    ("DK", "Europe/Copenhagen"),
    ("ES", "Europe/Madrid"),
    ("FI", "Europe/Helsinki"),
    ("FR", "Europe/Paris"),
    ("GB", "Europe/London"),
    ("GR", "Europe/Athens"),
    ("HK", "Asia/Hong_Kong"),
    ("HR", "Europe/Zagreb"),
    ("HU", "Europe/Budapest"),
    ("IE", "Europe/Dublin"),
    ("IL", "Asia/Jerusalem"),
    ("IN", "Asia/Kolkata"),
    ("IT", "Europe/Rome"),
    ("JP", "Asia/Tokyo"),
    ("KR", "Asia/Seoul"),
    ("LU", "Europe/Luxembourg"),
    ("MA", "Africa/Casablanca"),
    ("MX", "America/Mexico_City"),
    ("NL", "Europe/Amsterdam"),
    ("NO", "Europe/Oslo"),
    ("NZ", "Pacific/Auckland"),
    ("PL", "Europe/Warsaw"),
    ("PT", "Europe/Lisbon"),
    ("RO", "Europe/Bucharest"),
    ("RU", "Europe/Moscow"),
    ("SE", "Europe/Stockholm"),
    ("SG", "Asia/Singapore"),
    ("TR", "Europe/Istanbul"),
    ("UA", "Europe/Kyiv"),
    ("US", "America/New_York"),
    ("ZA", "Africa/Johannesburg"),
];

/// The IANA zone of a country (`FR`); UTC for those not listed.
pub(super) fn time_zone(country: &str) -> &'static str {
    ZONES
        .binary_search_by_key(&country, |(code, _)| code)
        .map_or("UTC", |index| ZONES[index].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_country_is_found() {
        for (country, zone) in ZONES {
            assert_eq!(time_zone(country), zone);
        }
        assert_eq!(time_zone("XX"), "UTC");
    }
}
