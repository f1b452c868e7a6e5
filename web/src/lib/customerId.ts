/** The id of a Google Ads customer as people write it: 123-456-7890. */
export const customerId = (digits: string): string => digits.replace(/^(\d{3})(\d{3})(\d{4})$/, '$1-$2-$3');
