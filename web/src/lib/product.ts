/** The product's name: the only place that spells it for titles and marks. */
export const PRODUCT = 'Vigie';

/** Stands between the product name and the section in page titles (section titles use ' - ' themselves). */
const SEPARATOR = ' | ';

export const pageTitle = (section: string): string => `${PRODUCT}${SEPARATOR}${section}`;
