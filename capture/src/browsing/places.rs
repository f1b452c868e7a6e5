//! Positions and time zones of cities.

/// Country code, name, region, degrees north, degrees east, the name and the number (criteria id) in Google's list of places, and the zone where it is
/// not the country's: the cities that a new installation has. Where the lists are from is in `docs/ARCHITECTURE.md`.
const CITIES: &str = include_str!("places.tsv");

/// A city whose position is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct City {
    name: &'static str,
    region: &'static str,
    /// Degrees north and east of its centre, to about a kilometre.
    pub coordinates: (f64, f64),
    /// As in `Lyon,Auvergne-Rhone-Alpes,France`.
    pub canonical_name: &'static str,
    /// IANA name, where it differs from the country's.
    pub time_zone: Option<&'static str>,
}

/// The name of a city (`Lyon`) of a country (`FR`, upper case) in Google's list of places: of the one in this region, or without a region of the only
/// one of this name. `None` for a city that is not in the list, in that region, or that is one of several. Google ignores a location under any other
/// name.
pub fn canonical_name(country: &str, name: &str, region: Option<&str>) -> Option<&'static str> {
    let in_region = |city: &City| region.is_none_or(|region| is_same(city.region, region));
    only(cities(country).filter(|city| is_same(city.name, name) && in_region(city))).map(|city| city.canonical_name)
}

/// Looks up the city that a location (`Lyon,Auvergne-Rhone-Alpes,France`) names in this country (`FR`, upper case): the one of that very name or, if
/// none has it, the only one that is called as the name begins, in any case. `None` when it is not in the list.
pub(super) fn city(country: &str, location: &str) -> Option<City> {
    let name = location.split(',').next()?.trim();
    let listed = cities(country).find(|city| city.canonical_name == location);
    listed.or_else(|| only(cities(country).filter(|city| is_same(city.name, name))))
}

/// The cities of a country.
fn cities(country: &str) -> impl Iterator<Item = City> {
    let rows = CITIES.lines().filter_map(|row| row.split_once('\t'));
    rows.filter(move |(code, _)| *code == country).filter_map(|(_, cells)| {
        let mut cells = cells.split('\t');
        let (name, region) = (cells.next()?, cells.next()?);
        let coordinates = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
        let (canonical_name, _criteria_id) = (cells.next()?, cells.next()?);
        Some(City {
            name,
            region,
            coordinates,
            canonical_name,
            time_zone: cells.next(),
        })
    })
}

/// The first of the cities if there is no other.
fn only(mut cities: impl Iterator<Item = City>) -> Option<City> {
    cities.next().filter(|_| cities.next().is_none())
}

/// Whether two names are the same but for case.
fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_city_of_the_table_is_found_by_its_region_and_by_its_listed_name() {
        let mut ids = HashSet::new();
        for row in CITIES.lines() {
            let cells: Vec<_> = row.split('\t').collect();
            let (country, name, region, canonical) = (cells[0], cells[1], cells[2], cells[5]);
            assert_eq!(
                canonical_name(country, &name.to_uppercase(), Some(region)),
                Some(canonical),
                "{row}"
            );
            assert_eq!(canonical_name(country, name, Some("Elsewhere")), None, "{row}");
            assert_eq!(canonical_name("XX", name, None), None, "{row}");
            // Google knows the region by this name, too, and the length must fit the known form of `uule`.
            assert!(
                canonical.is_ascii() && canonical.split(',').any(|part| part == region),
                "{row}"
            );
            assert!(
                canonical.len() < 64 && ids.insert(cells[6].parse::<u32>().unwrap()),
                "{row}"
            );

            let found = city(country, canonical).unwrap();
            let (north, east) = found.coordinates;
            assert!(north.abs() < 90.0 && east.abs() < 180.0, "{row}");
            assert_eq!((found.name, found.region), (name, region));
            assert_ne!(vocabulary::time_zone_of(country), "UTC", "{row}");
        }
    }

    #[test]
    fn places_of_one_name_are_told_apart_by_their_region() {
        assert_eq!(
            canonical_name("BE", "Liège", None),
            Some("Liege,Liege,Wallonia,Belgium")
        );
        assert_eq!(canonical_name("NL", "Bergen", None), None);
        assert_eq!(
            canonical_name("NL", "Bergen", Some("Limburg")),
            Some("Bergen,Bergen,Limburg,Netherlands")
        );
        let north = |location| city("NL", location).map(|city| city.coordinates.0);
        assert_eq!(north("Bergen,Bergen,Limburg,Netherlands"), Some(51.60));
        assert_eq!(north("Bergen,Bergen,North Holland,Netherlands"), Some(52.67));
        assert_eq!(north("Bergen,Netherlands"), None);
        assert_eq!(north("amsterdam,Somewhere"), Some(52.37));
        assert_eq!(city("FR", "Nowhere,France"), None);
        assert_eq!(
            city("FR", "Saint-Denis,Saint-Denis,Reunion").unwrap().time_zone,
            Some("Indian/Reunion")
        );
    }
}
