type Names = readonly [english: string, french: string];

/**
 * Cities and regions whose English and French names differ. Stored are cities in English and regions in their own language. Places not
 * listed have one name in both.
 */
const PLACES: readonly Names[] = [
  ['Antwerp', 'Anvers'],
  ['Barcelona', 'Barcelone'],
  ['Basel', 'Bâle'],
  ['Bern', 'Berne'],
  ['Bologna', 'Bologne'],
  ['Brussels', 'Bruxelles'],
  ['Dresden', 'Dresde'],
  ['Edinburgh', 'Édimbourg'],
  ['Frankfurt', 'Francfort'],
  ['Geneva', 'Genève'],
  ['Ghent', 'Gand'],
  ['Gothenburg', 'Göteborg'],
  ['Groningen', 'Groningue'],
  ['Hamburg', 'Hambourg'],
  ['Kraków', 'Cracovie'],
  ['Leuven', 'Louvain'],
  ['Lisbon', 'Lisbonne'],
  ['London', 'Londres'],
  ['Málaga', 'Malaga'],
  ['Marrakesh', 'Marrakech'],
  ['Moscow', 'Moscou'],
  ['Novosibirsk', 'Novossibirsk'],
  ['Odesa', 'Odessa'],
  ['Palermo', 'Palerme'],
  ['Saint Petersburg', 'Saint-Pétersbourg'],
  ['Seville', 'Séville'],
  ['The Hague', 'La Haye'],
  ['Valencia', 'Valence'],
  ['Warsaw', 'Varsovie'],
  ['Zaragoza', 'Saragosse'],
  ['Zürich', 'Zurich'],
  ['Brittany', 'Bretagne'],
  ['Burgundy-Franche-Comté', 'Bourgogne-Franche-Comté'],
  ['Centre-Loire Valley', 'Centre-Val de Loire'],
  ['Corsica', 'Corse'],
  ['Normandy', 'Normandie'],
];

const byName = new Map(PLACES.flatMap((names) => names.map((name) => [name, names] as const)));

/** The name of a city or region in a language. */
export function placeName(name: string, language: string): string {
  const [english, french] = byName.get(name) ?? [name, name];
  return language === 'fr' ? french : english;
}
