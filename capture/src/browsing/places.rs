//! Positions and time zones of cities and countries.

/// Country code and the IANA zone most of its people live in. From `zone.tab` of the time zone database, which is in the public domain.
const COUNTRIES: &str = include_str!("countries.tsv");
/// Country code, name, degrees north, degrees east, the name in Google's list of places, and the zone where it is not the country's: the
/// cities a new installation has, and the largest cities of North America's other zones.
const CITIES: &str = include_str!("places.tsv");

/// A city whose position is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct City {
    /// Degrees north and east of its centre, to about a kilometre.
    pub coordinates: (f64, f64),
    /// As in `Lyon,Auvergne-Rhone-Alpes,France`.
    pub canonical_name: &'static str,
    /// IANA name, where it differs from the country's.
    pub time_zone: Option<&'static str>,
}

/// Returns the IANA zone in which most people of a country (`FR`, upper case) live; `UTC` for an unknown country.
pub(super) fn time_zone(country: &str) -> &'static str {
    let rows = COUNTRIES.lines().filter_map(|row| row.split_once('\t'));
    rows.filter(|(code, _)| *code == country)
        .map(|(_, zone)| zone)
        .next()
        .unwrap_or("UTC")
}

/// The name of a city (`Lyon`) of a country (`FR`) in Google's list of places, if it is known. Google ignores a location under any other
/// name.
pub fn canonical_name(country: &str, name: &str) -> Option<&'static str> {
    city(country, name).map(|city| city.canonical_name)
}

/// Looks up the city that a location's name (`Lyon,Auvergne-Rhone-Alpes,France`, up to its first comma, in any case) names in this country (`FR`,
/// upper case); `None` when it is not in the list.
pub(super) fn city(country: &str, name: &str) -> Option<City> {
    let city = name.split(',').next()?.trim().to_lowercase();
    CITIES.lines().find_map(|row| {
        let mut cells = row.split('\t');
        let found = cells.next()? == country && cells.next()?.to_lowercase() == city;
        found.then_some(())?;
        Some(City {
            coordinates: (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?),
            canonical_name: cells.next()?,
            time_zone: cells.next(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_country_of_the_table_has_a_zone() {
        assert_eq!(time_zone("FR"), "Europe/Paris");
        assert_eq!(time_zone("US"), "America/New_York");
        assert_eq!(time_zone("XX"), "UTC");
        for row in COUNTRIES.lines() {
            let (code, zone) = row.split_once('\t').unwrap();
            assert!(code.len() == 2 && zone.contains('/'), "{row}");
        }
    }

    #[test]
    fn every_city_of_the_table_is_found_in_its_country_alone() {
        for row in CITIES.lines() {
            let cells: Vec<_> = row.split('\t').collect();
            let found = city(cells[0], &format!("{},Somewhere", cells[1].to_uppercase())).unwrap();
            let (north, east) = found.coordinates;
            assert!(north.abs() < 90.0 && east.abs() < 180.0, "{row}");
            assert_ne!(time_zone(cells[0]), "UTC", "{row}");
            assert_eq!(city("XX", cells[1]), None);
            let canonical = canonical_name(cells[0], cells[1]).unwrap();
            assert!(canonical.is_ascii() && canonical.split(',').count() >= 2, "{row}");
        }
        assert_eq!(city("FR", "Nowhere,France"), None);
        assert_eq!(canonical_name("BE", "Liège"), Some("Liege,Liege,Wallonia,Belgium"));
    }
}
