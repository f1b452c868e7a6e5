import { splitQuotes } from '../quotes';

/** Words that announce a file, in English and French. */
const WORDS =
  /(?<!\p{L})(?:ci-joint(?:e|s|es)?|pi[eè]ces?[ -]jointes?|en pi[eè]ce jointe|joint [aà] ce (?:mail|message|courriel)|attached|attachments?|enclosed|enclosure)(?!\p{L})/iu;

/** Whether a text, without what it quotes, announces a file. */
export const announcesFile = (body: string): boolean =>
  splitQuotes(body).some(({ text, quoted }) => !quoted && WORDS.test(text));
