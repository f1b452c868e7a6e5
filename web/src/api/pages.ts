import { follow } from './links';

interface Paged {
  links: { next?: string | null; prev?: string | null };
}

/** Links that are remembered: more than one can turn to before they are old. */
const MOST_LINKS = 100;

/** Where answers said that their neighbours are, by the question each stands for; the oldest go first. */
const told = new Map<string, string>();

function remember(question: string, link: string | null | undefined): void {
  told.delete(question);
  if (link) told.set(question, link);
  const [oldest] = told.keys();
  if (told.size > MOST_LINKS && oldest !== undefined) told.delete(oldest);
}

/** Turns to a page of a list: by the link that the page before or after it told, else by `ask`. `question` names the list and one of its pages. */
export async function turnTo<Answer extends Paged>(
  page: number,
  question: (page: number) => string,
  ask: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const href = told.get(question(page));
  const answer = href ? ((await follow({ method: 'GET', href }, signal)) as Answer) : await ask();
  remember(question(page + 1), answer.links.next);
  remember(question(page - 1), answer.links.prev);
  return answer;
}
