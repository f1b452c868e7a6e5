export type Names = readonly [english: string, french: string];

/**
 * Cities, and the regions that terms target or that tell cities of one name apart, whose English and French names differ. Stored are the English
 * names, those of regions as Google spells them; older ads have regions in their own language. Places not listed have one name in both.
 */
export const PLACES: readonly Names[] = [
  ['Antwerp', 'Anvers'],
  ['Athens', 'Athènes'],
  ['Barcelona', 'Barcelone'],
  ['Basel', 'Bâle'],
  ['Bern', 'Berne'],
  ['Bologna', 'Bologne'],
  ['Brussels', 'Bruxelles'],
  ['Bucharest', 'Bucarest'],
  ['Copenhagen', 'Copenhague'],
  ['Dresden', 'Dresde'],
  ['Edinburgh', 'Édimbourg'],
  ['Frankfurt', 'Francfort'],
  ['Geneva', 'Genève'],
  ['Ghent', 'Gand'],
  ['Gothenburg', 'Göteborg'],
  ['Groningen', 'Groningue'],
  ['Hamburg', 'Hambourg'],
  ['Heraklion', 'Héraklion'],
  ['Kraków', 'Cracovie'],
  ['Leuven', 'Louvain'],
  ['Lisbon', 'Lisbonne'],
  ['London', 'Londres'],
  ['Málaga', 'Malaga'],
  ['Marrakesh', 'Marrakech'],
  ['Montreal', 'Montréal'],
  ['Moscow', 'Moscou'],
  ['Novosibirsk', 'Novossibirsk'],
  ['Odesa', 'Odessa'],
  ['Palermo', 'Palerme'],
  ['Philadelphia', 'Philadelphie'],
  ['Quebec City', 'Ville de Québec'],
  ['Salzburg', 'Salzbourg'],
  ['Saint Petersburg', 'Saint-Pétersbourg'],
  ['Seville', 'Séville'],
  ['The Hague', 'La Haye'],
  ['Thessaloniki', 'Thessalonique'],
  ['Valencia', 'Valence'],
  ['Vienna', 'Vienne'],
  ['Warsaw', 'Varsovie'],
  ['Zaragoza', 'Saragosse'],
  ['Zürich', 'Zurich'],
  ['Auvergne-Rhone-Alpes', 'Auvergne-Rhône-Alpes'],
  ['Bourgogne-Franche-Comte', 'Bourgogne-Franche-Comté'],
  ['Brittany', 'Bretagne'],
  ['Burgundy-Franche-Comté', 'Bourgogne-Franche-Comté'],
  ['Centre-Loire Valley', 'Centre-Val de Loire'],
  ['Corsica', 'Corse'],
  ['French Guiana', 'Guyane'],
  ['Ile-de-France', 'Île-de-France'],
  ['Normandy', 'Normandie'],
  ["Provence-Alpes-Cote d'Azur", "Provence-Alpes-Côte d'Azur"],
  ['Reunion', 'La Réunion'],
  ['East Flanders', 'Flandre-Orientale'],
  ['Flemish Brabant', 'Brabant flamand'],
  ['Limburg', 'Limbourg'],
  ['Walloon Brabant', 'Brabant wallon'],
  ['West Flanders', 'Flandre-Occidentale'],
  ['Azores', 'Açores'],
  ['Madeira', 'Madère'],
  ['Isle of Wight', 'Île de Wight'],
  ['Northern Ireland', 'Irlande du Nord'],
  ['Wales', 'Pays de Galles'],
  ['Gelderland', 'Gueldre'],
  ['North Holland', 'Hollande-Septentrionale'],
];

const byName = new Map(PLACES.flatMap((names) => names.map((name) => [name, names] as const)));

/** A place with its region, as the server names one of several of one name: 'Bergen (Limburg)'. */
const WITH_REGION = /^(.+) \((.+)\)$/;

/** The name of a city or region in a language, with the region in brackets where the name has it so. */
export function placeName(name: string, language: string): string {
  const [, city, region] = WITH_REGION.exec(name) ?? [];
  if (city && region) return `${placeName(city, language)} (${placeName(region, language)})`;
  const [english, french] = byName.get(name) ?? [name, name];
  return language === 'fr' ? french : english;
}
