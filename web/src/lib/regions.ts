import { withoutAccents } from './accents';
import { type Names, PLACES, placeName } from './places';

/** The other regions of cities whose English and French names differ, for the forms that show every place with its region. */
const REGIONS: readonly Names[] = [
  ['Flanders', 'Flandre'],
  ['Wallonia', 'Wallonie'],
  ['England', 'Angleterre'],
  ['Scotland', 'Écosse'],
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
  ['North Brabant', 'Brabant-Septentrional'],
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

const french = new Map(REGIONS);

/** The name of the region of a city in a language. */
const regionName = (region: string, language: string): string =>
  (language === 'fr' && french.get(region)) || placeName(region, language);

/** A city and, where it is called otherwise, its region, in a language: 'Lisbonne', 'Bergen, Limbourg'. */
export function placeAndRegion(city: string, region: string, language: string): string {
  const names = new Set([placeName(city, language), regionName(region, language)]);
  return [...names].filter(Boolean).join(', ');
}

/** The stored names of cities and regions whose name in a language begins with a text, in any case and with or without accents. */
export function placesCalled(text: string, language: string): string[] {
  const sought = withoutAccents(text.trim());
  if (sought === '') return [];
  const shown = ([english, inFrench]: Names) => withoutAccents(language === 'fr' ? inFrench : english);
  return [...PLACES, ...REGIONS].filter((names) => shown(names).startsWith(sought)).map(([english]) => english);
}
