const LENGTH = 20;
/** A password has at least one character of each class; the special ones are those the server accepts. */
const CLASSES = ['abcdefghijkmnopqrstuvwxyz', 'ABCDEFGHJKLMNPQRSTUVWXYZ', '23456789', '@$!%*?&'] as const;

/** A uniformly distributed random integer from 0 to `limit - 1`. */
function below(limit: number): number {
  const highest = 2 ** 32 - (2 ** 32 % limit);
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return number < highest ? number % limit : below(limit);
}

const oneOf = (letters: string): string => letters.charAt(below(letters.length));

/**
 * A random password of 20 characters, at least one of each class: lower and upper case letters, digits and special characters, without characters
 * that look alike.
 */
export function generatePassword(): string {
  const all = CLASSES.join('');
  const letters = CLASSES.map(oneOf);
  while (letters.length < LENGTH) letters.push(oneOf(all));
  for (let at = letters.length - 1; at > 0; at -= 1) {
    const other = below(at + 1);
    [letters[at], letters[other]] = [letters[other] ?? '', letters[at] ?? ''];
  }
  return letters.join('');
}
