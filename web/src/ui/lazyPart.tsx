import { type FC, type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { loadTexts } from '~/i18n';
import { toast } from './toast';

/** Retries after this time, or as soon as the browser is back online. */
const RETRY_MS = 10_000;

/** Resolves after `RETRY_MS`, when the browser comes back online, or when `stop` aborts, whichever is first. Never rejects. */
function untilRetry(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, RETRY_MS);
    window.addEventListener('online', () => resolve(), { once: true, signal: stop });
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * A component whose code, and own `texts`, load when it first renders; `waiting` shows until then. If loading fails, the rest of the screen stays:
 * a toast reports it once, and the component appears when a retry succeeds.
 */
export function lazyPart<Part extends FC<never>>(
  load: () => Promise<Part>,
  { texts = [], waiting = null }: { texts?: readonly string[]; waiting?: ReactNode } = {},
): Part {
  let loaded: FC<object> | undefined;
  const Lazy: FC<object> = (props) => {
    const { t } = useTranslation('common');
    const [, setLoaded] = useState(loaded !== undefined);
    useEffect(() => {
      if (loaded) return;
      const unmounted = new AbortController();
      const run = async () => {
        for (let notified = false; !unmounted.signal.aborted; ) {
          try {
            const [part] = await Promise.all([load(), loadTexts(texts)]);
            loaded = part as unknown as FC<object>;
            setLoaded(true);
            return;
          } catch {
            if (!notified) toast.error(t('generic.network'));
            notified = true;
            await untilRetry(unmounted.signal);
          }
        }
      };
      void run();
      return () => unmounted.abort();
    }, [t]);
    const Loaded = loaded;
    return Loaded ? <Loaded {...props} /> : waiting;
  };
  return Lazy as unknown as Part;
}
