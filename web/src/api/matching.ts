/** A text as a regular expression that finds it alone. */
export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** The condition of a resource that a field contains a text, in any case, as a regular expression. */
export const matching = (text: string): { regexp: string } => ({ regexp: `/${escaped(text)}/i` });
