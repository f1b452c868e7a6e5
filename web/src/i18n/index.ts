import i18next, { type BackendModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { detectLanguage, LANGUAGES, type Language, rememberLanguage } from './language';

const files = import.meta.glob<Record<string, unknown>>('./{en,fr}/*.json', { import: 'default' });

/** Loads one namespace of one language as a chunk of its own. */
const chunks: BackendModule = {
  type: 'backend',
  init() {},
  read(language, namespace, callback) {
    const load = files[`./${language}/${namespace}.json`];
    if (!load) return callback(new Error(`no texts '${namespace}' in '${language}'`), null);
    load().then(
      (texts) => callback(null, texts),
      (error: Error) => callback(error, null),
    );
  },
};

/** The language of the screens, also before their texts are there. */
export const currentLanguage = (): string =>
  i18next.language ?? detectLanguage(window.location.search, navigator.languages);

/** Starts the texts in the language of the visit. */
export async function startTexts(): Promise<void> {
  const language = detectLanguage(window.location.search, navigator.languages);
  await i18next
    .use(chunks)
    .use(initReactI18next)
    .init({
      lng: language,
      supportedLngs: LANGUAGES,
      // A missing text is a failed test, never a text of the other language.
      fallbackLng: false,
      load: 'languageOnly',
      ns: ['common'],
      defaultNS: 'common',
      interpolation: { escapeValue: false },
    });
  markDocument(language);
}

/** Loads texts. Fails when they cannot be had, so that no screen is ever shown without its words; the next call tries again. */
export async function loadTexts(namespaces: readonly string[], language: string = i18next.language): Promise<void> {
  const missing = () => namespaces.filter((namespace) => !i18next.hasResourceBundle(language, namespace));
  // Texts that failed once are only asked for again by `reloadResources`.
  if (missing().length > 0) await i18next.reloadResources([language], missing());
  if (missing().length > 0) throw new Error(`no texts ${missing().join(', ')} in '${language}'`);
}

/** Switches every text, and remembers it for the visit. Fails, and changes nothing, when the texts cannot be had. */
export async function changeLanguage(language: Language): Promise<void> {
  if (i18next.language !== language) {
    await loadTexts(Object.keys(i18next.getDataByLanguage(i18next.language) ?? {}), language);
    await i18next.changeLanguage(language);
    markDocument(language);
  }
  rememberLanguage(language);
}

function markDocument(language: Language): void {
  document.documentElement.lang = language;
}

export { i18next };
