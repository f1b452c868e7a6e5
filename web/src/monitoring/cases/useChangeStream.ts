import { useEffect, useRef } from 'react';

interface Listener {
  /** With the text of an event. */
  onEvent(data: unknown): void;
  /** The stream was interrupted, or the page out of sight: what happened in between was not heard. */
  onReopen(): void;
}

/** Listens to a change stream of the server while the page is in sight: a browser has few connections to one, which tabs out of sight would hold. */
export function useChangeStream(stream: string, listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    let source: EventSource | undefined;
    let wasOpen = false;
    const open = () => {
      source = new EventSource(stream);
      source.addEventListener('data', ({ data }: MessageEvent<unknown>) => latest.current.onEvent(data));
      source.addEventListener('open', () => {
        if (wasOpen) latest.current.onReopen();
        wasOpen = true;
      });
    };
    const follow = () => {
      if (document.visibilityState === 'visible') {
        if (!source) open();
      } else {
        source?.close();
        source = undefined;
      }
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      source?.close();
    };
  }, [stream]);
}
