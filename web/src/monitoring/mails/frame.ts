/** Whether this page is in a frame. Only pages of the same server can hold one of it. */
export const isFramed = (): boolean => window.parent !== window;
