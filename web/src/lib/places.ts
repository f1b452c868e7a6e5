import { withoutAccents } from './accents';

type Names = readonly [english: string, french: string];

/**
 * Cities and regions whose English and French names differ. Stored are the English names, those of regions as Google spells them; older ads
 * have regions in their own language. Places not listed have one name in both.
 */
const PLACES: readonly Names[] = [
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
  ['Flanders', 'Flandre'],
  ['Flemish Brabant', 'Brabant flamand'],
  ['Limburg', 'Limbourg'],
  ['Wallonia', 'Wallonie'],
  ['Walloon Brabant', 'Brabant wallon'],
  ['West Flanders', 'Flandre-Occidentale'],
  ['Azores', 'Açores'],
  ['Madeira', 'Madère'],
  ['England', 'Angleterre'],
  ['Isle of Wight', 'Île de Wight'],
  ['Northern Ireland', 'Irlande du Nord'],
  ['Scotland', 'Écosse'],
  ['Wales', 'Pays de Galles'],
  ['Baden-Wurttemberg', 'Bade-Wurtemberg'],
  ['Bavaria', 'Bavière'],
  ['Brandenburg', 'Brandebourg'],
  ['Hessen', 'Hesse'],
  ['North Rhine-Westphalia', 'Rhénanie-du-Nord-Westphalie'],
  ['Saxony', 'Saxe'],
  ['Andalusia', 'Andalousie'],
  ['Basque Country', 'Pays basque'],
  ['Catalonia', 'Catalogne'],
  ['Community of Madrid', 'Communauté de Madrid'],
  ['Valencian Community', 'Communauté valencienne'],
  ['Campania', 'Campanie'],
  ['Emilia-Romagna', 'Émilie-Romagne'],
  ['Lazio', 'Latium'],
  ['Lombardy', 'Lombardie'],
  ['Piedmont', 'Piémont'],
  ['Sicily', 'Sicile'],
  ['Tuscany', 'Toscane'],
  ['Basel City', 'Bâle-Ville'],
  ['Canton of Bern', 'Canton de Berne'],
  ['Ticino', 'Tessin'],
  ['Gelderland', 'Gueldre'],
  ['North Brabant', 'Brabant-Septentrional'],
  ['North Holland', 'Hollande-Septentrionale'],
  ['South Holland', 'Hollande-Méridionale'],
  ['Styria', 'Styrie'],
  ['Upper Austria', 'Haute-Autriche'],
  ['Capital Region of Denmark', 'Hovedstaden'],
  ['Central Denmark Region', 'Jutland central'],
  ['North Denmark Region', 'Jutland du Nord'],
  ['Region of Southern Denmark', 'Danemark du Sud'],
  ['Southwest Finland', 'Finlande du Sud-Ouest'],
  ['Central Macedonia', 'Macédoine centrale'],
  ['Crete', 'Crète'],
  ['Thessalia', 'Thessalie'],
  ['California', 'Californie'],
  ['Florida', 'Floride'],
  ['District of Columbia', 'District de Columbia'],
  ['Pennsylvania', 'Pennsylvanie'],
  ['British Columbia', 'Colombie-Britannique'],
  ['Quebec', 'Québec'],
  ['Federal District', 'District fédéral'],
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

/** A city and, where it is called otherwise, its region, in a language: 'Lisbonne', 'Bergen, Limbourg'. */
export function placeAndRegion(city: string, region: string, language: string): string {
  const names = new Set([city, region].filter(Boolean).map((name) => placeName(name, language)));
  return [...names].join(', ');
}

/** The stored names of cities and regions whose name in a language begins with a text, in any case and with or without accents. */
export function placesCalled(text: string, language: string): string[] {
  const sought = withoutAccents(text.trim());
  if (sought === '') return [];
  const called = PLACES.filter(([english]) => withoutAccents(placeName(english, language)).startsWith(sought));
  return called.map(([english]) => english);
}
