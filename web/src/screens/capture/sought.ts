/** Stands in addresses for a domain or kind of ads that is not asked for. */
export const NONE = 'none';

const LABEL = '(?!-)[\\p{L}\\p{N}-]{1,63}(?<!-)';
const HOSTNAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})+$`, 'u');

/** A hostname as it stands; anything else counts as none. */
export const soughtDomain = (text: unknown): string => (typeof text === 'string' && HOSTNAME.test(text) ? text : NONE);

/** A kind of ads; anything else counts as none. */
export const soughtKind = (text: unknown): string => (text === 'ads' || text === 'shopping' ? text : NONE);
