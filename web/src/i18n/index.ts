import i18next, { type BackendModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { detectLanguage, LANGUAGES, type Language, rememberLanguage } from './language';

const FOLDER = '../../../libs/texts';
const files = import.meta.glob<Record<string, unknown>>(
  ['../../../libs/texts/{en,fr}/*.json', '!../../../libs/texts/{en,fr}/{fields,files,mails}.json'],
  { import: 'default' },
);

/** Loads each namespace of each language as its own chunk. */
const chunks: BackendModule = {
  type: 'backend',
  init() {},
  read(language, namespace) {
    const load = files[`${FOLDER}/${language}/${namespace}.json`];
    if (!load) throw new Error(`no texts '${namespace}' in '${language}'`);
    return load();
  },
};

/** The language of the interface; before i18next has started, the one it will start with. */
export const currentLanguage = (): string =>
  i18next.language ?? detectLanguage(window.location.search, navigator.languages);

/**
 * Starts i18next with the `common` texts in the language of the visit ({@link detectLanguage}), and marks the document with it. A text that is
 * missing shows its key.
 */
export async function startTexts(): Promise<void> {
  const language = detectLanguage(window.location.search, navigator.languages);
  await i18next
    .use(chunks)
    .use(initReactI18next)
    .init({
      lng: language,
      supportedLngs: LANGUAGES,
      // Tests find missing texts. The other language would hide them.
      fallbackLng: false,
      load: 'languageOnly',
      ns: ['common'],
      defaultNS: 'common',
      interpolation: { escapeValue: false },
    });
  markDocument(language);
}

/** Loads namespaces. Rejects when one cannot be loaded, so that no screen is shown without its texts; the next call tries again. */
export async function loadTexts(namespaces: readonly string[], language: string = i18next.language): Promise<void> {
  const missing = () => namespaces.filter((namespace) => !i18next.hasResourceBundle(language, namespace));
  // i18next requests a namespace that failed before only through `reloadResources`.
  if (missing().length > 0) await i18next.reloadResources([language], missing());
  if (missing().length > 0) throw new Error(`no texts ${missing().join(', ')} in '${language}'`);
}

/** Switches the language and remembers it for the visit. Rejects, and changes nothing, when texts cannot be loaded. */
export async function changeLanguage(language: Language): Promise<void> {
  if (i18next.language !== language) {
    await loadTexts(Object.keys(i18next.getDataByLanguage(i18next.language) ?? {}), language);
    await i18next.changeLanguage(language);
    markDocument(language);
  }
  rememberLanguage(language);
}

/** Sets the `lang` of the document. */
function markDocument(language: Language): void {
  document.documentElement.lang = language;
}

export { i18next };
