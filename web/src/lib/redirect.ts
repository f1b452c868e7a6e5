/**
 * The address to open after sign-in, or home unless it stays on this site: one leading slash, no scheme. Backslashes and control
 * characters are refused because browsers read them as slashes or drop them.
 */
export function safeRedirect(target: unknown): string {
  if (typeof target !== 'string') return '/';
  return /^\/(?!\/)[^\\\p{Cc}]*$/u.test(target) ? target : '/';
}
