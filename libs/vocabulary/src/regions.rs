//! The places a term can target inside a country, as Google names them (decision D75).

const FRANCE: [&str; 18] = [
    "Auvergne-Rhone-Alpes",
    "Bourgogne-Franche-Comte",
    "Brittany",
    "Centre-Val de Loire",
    "Corsica",
    "French Guiana",
    "Grand Est",
    "Guadeloupe",
    "Hauts-de-France",
    "Ile-de-France",
    "Martinique",
    "Mayotte",
    "Normandy",
    "Nouvelle-Aquitaine",
    "Occitanie",
    "Pays de la Loire",
    "Provence-Alpes-Cote d'Azur",
    "Reunion",
];
const BELGIUM: [&str; 11] = [
    "Antwerp",
    "Brussels",
    "East Flanders",
    "Flemish Brabant",
    "Hainaut",
    "Liege",
    "Limburg",
    "Luxembourg",
    "Namur",
    "Walloon Brabant",
    "West Flanders",
];
const PORTUGAL: [&str; 20] = [
    "Aveiro District",
    "Azores",
    "Beja District",
    "Braga District",
    "Braganca District",
    "Castelo Branco District",
    "Coimbra District",
    "Evora District",
    "Faro District",
    "Guarda District",
    "Leiria District",
    "Lisbon District",
    "Madeira",
    "Portalegre District",
    "Porto District",
    "Santarem District",
    "Setubal District",
    "Viana do Castelo District",
    "Vila Real District",
    "Viseu District",
];

/// The names of the regions that terms can target in a country, in alphabetical order; `country` is its two letters in any case. Empty for countries
/// in which searches target no region.
pub fn regions(country: &str) -> &'static [&'static str] {
    match country.to_ascii_uppercase().as_str() {
        "FR" => &FRANCE,
        "BE" => &BELGIUM,
        "PT" => &PORTUGAL,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_listed_by_name_each_once() {
        for country in ["FR", "be", "PT"] {
            let names = regions(country);
            assert!(names.len() > 10 && names.is_sorted(), "{country}");
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{country}");
        }
        assert!(regions("GB").is_empty());
    }
}
