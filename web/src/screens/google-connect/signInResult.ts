const RESULTS = ['ok', 'denied', 'part', 'stale', 'failed'] as const;

/** How a sign-in at Google ended. */
export type SignInResult = (typeof RESULTS)[number];

// Read as the code loads: the list completes its address before anything renders, and drops what is not its own.
const given = new URL(window.location.href).searchParams.get('result');
let arrived = RESULTS.find((one) => one === given);

/** How the sign-in ended that brought the reader here; undefined for everybody else, and from the second time on. */
export function takeSignInResult(): SignInResult | undefined {
  const result = arrived;
  arrived = undefined;
  return result;
}
