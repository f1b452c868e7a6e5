import { Start } from '~/screens/start/Start';
import { lazyPart } from '~/ui/lazyPart';

/** The forms of other screens that the guided start opens in place. */
const FORMS = {
  Brand: lazyPart(() => import('~/screens/brands/BrandForm').then((module) => module.BrandModal), {
    texts: ['brands'],
  }),
  Domains: lazyPart(() => import('~/screens/brands/OfficialDomains').then((module) => module.OfficialDomains), {
    texts: ['brands'],
  }),
  Terms: lazyPart(() => import('~/screens/terms-management/AddTerms').then((module) => module.AddTerms), {
    texts: ['settingTerms', 'market'],
  }),
};

/** The guided start with its forms. */
export const StartForms = () => <Start forms={FORMS} />;
