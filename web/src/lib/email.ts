/** Whether a text could be the address of a mailbox: whether it is one, only a mail tells. */
export const looksLikeEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);
