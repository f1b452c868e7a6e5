/**
 * The address to go to after sign-in, if it stays on this site: one leading slash and no scheme.
 * Backslashes and control characters are refused because browsers read them as slashes or drop them.
 */
export function safeRedirect(target: unknown): string {
  if (typeof target !== 'string') return '/';
  return /^\/(?!\/)[^\\\p{Cc}]*$/u.test(target) ? target : '/';
}
