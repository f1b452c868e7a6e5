import { useSyncExternalStore } from 'react';
import { leavingMail } from '~/monitoring/mails/leaving';
import { lazyPart } from '~/ui/lazyPart';

const LeavingBar = lazyPart(() => import('~/monitoring/mails/LeavingBar').then((module) => module.LeavingBar), {
  texts: ['mailsOfCases'],
});

/** The bar that takes a mail back, on whatever screen its writer is meanwhile. */
export function LeavingPlace() {
  const leaving = useSyncExternalStore(leavingMail.subscribe, leavingMail.get);
  return <div role="status">{leaving && <LeavingBar key={leaving.mailId} leaving={leaving} />}</div>;
}
