import { useTranslation } from 'react-i18next';
import { type Formats, formatsOf } from '~/lib/formats';

/** How figures and dates are written in the language shown. */
export const useFormats = (): Formats => formatsOf(useTranslation().i18n.language);
