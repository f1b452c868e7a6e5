/** What a page around the mails of a case can ask them for: to write an answer, or to show the contacts. */
export type MailsAsked = 'answer' | 'contacts';

/** The event on the document that asks the mails of the case in sight for something. */
export const MAILS_ASKED = 'case-mails';

/** Asks the mails of the case in sight for something; nothing happens where none are shown. */
export const askMails = (detail: MailsAsked): void => {
  document.dispatchEvent(new CustomEvent<MailsAsked>(MAILS_ASKED, { detail }));
};
