import { useElementSize } from '@mantine/hooks';
import styles from './PageFrame.module.css';

/** Viewport widths of captures, by device. */
const WIDTHS: Readonly<Record<string, number>> = { mobile: 412, tablet: 834, desktop: 1_280 };
/** Below this scale nothing is legible: the frame scrolls sideways instead. */
const SMALLEST_SCALE = 0.3;

interface Props {
  src: string;
  title: string;
  /** The device it was captured with, which sets its width. */
  device: string;
}

/**
 * A captured page: foreign, untrusted HTML. The empty `sandbox` and its content policy keep it from running scripts and from loading anything. A
 * page wider than its container is scaled down, at most to `SMALLEST_SCALE`.
 */
export function PageFrame({ src, title, device }: Props) {
  const { ref, width, height } = useElementSize();
  const own = WIDTHS[device] ?? WIDTHS.desktop ?? 0;
  const wanted = device === 'desktop' ? Math.max(own, width) : own;
  const scale = width > 0 ? Math.min(1, Math.max(width / wanted, SMALLEST_SCALE)) : 1;
  return (
    <div ref={ref} className={styles.place}>
      {width > 0 && (
        <div className={styles.sheet} style={{ width: wanted * scale }}>
          <iframe
            key={src}
            className={styles.frame}
            src={src}
            title={title}
            sandbox=""
            referrerPolicy="no-referrer"
            style={{ width: wanted, height: height / scale, transform: scale < 1 ? `scale(${scale})` : undefined }}
          />
        </div>
      )}
    </div>
  );
}
