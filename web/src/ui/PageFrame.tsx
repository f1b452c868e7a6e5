import { useElementSize } from '@mantine/hooks';
import styles from './PageFrame.module.css';

/** The widths pages are captured in. */
const WIDTHS: Readonly<Record<string, number>> = { mobile: 412, tablet: 834, desktop: 1_280 };
/** Smaller than this, nothing can be read: the frame scrolls sideways instead. */
const SMALLEST_SCALE = 0.3;

interface Props {
  src: string;
  title: string;
  /** What the page was captured with: the frame is as wide. */
  device: string;
}

/**
 * A captured page, which belongs to others. The empty `sandbox` and the policy the page is sent with keep it from running, asking or
 * reaching anything. A page wider than its place is made smaller as a whole.
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
