/** The condition of a resource that a field contains a text, in any case, as a regular expression. */
export const matching = (text: string): { regexp: string } => ({
  regexp: `/${text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}/i`,
});
