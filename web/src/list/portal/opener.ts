/** Marks what opens a portal: a click on it is not one beside the portal that is open. */
export const OPENS_PORTAL = 'data-opens-portal';
