const LENGTH = 20;
/** Every password holds one of each; the special ones are those the server takes. */
const CLASSES = ['abcdefghijkmnopqrstuvwxyz', 'ABCDEFGHJKLMNPQRSTUVWXYZ', '23456789', '@$!%*?&'] as const;

/** A number below `limit`, each as likely as the other. */
function below(limit: number): number {
  const highest = 2 ** 32 - (2 ** 32 % limit);
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return number < highest ? number % limit : below(limit);
}

const oneOf = (letters: string): string => letters.charAt(below(letters.length));

/** A password that nobody could guess: 20 letters, digits and special characters. Letters that look alike are left out. */
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
