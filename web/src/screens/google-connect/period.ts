/** The months that are shown and asked for at first, as on the server. */
export const USUAL_MONTHS = 3;
