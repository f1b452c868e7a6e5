import { IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import page from './Action.module.css';
import styles from './CaseAds.module.css';

interface Props {
  title: string;
  /** A figure beside the title. */
  badge?: string | undefined;
  isOpenAtFirst?: boolean;
  /** Rendered while the panel is open. */
  children: ReactNode;
}

/** A panel whose heading opens and closes it. */
export function Disclosure({ title, badge, isOpenAtFirst = false, children }: Props) {
  const body = useId();
  const [open, setOpen] = useState(isOpenAtFirst);
  return (
    <section className={styles.adPanel} data-open={open || undefined}>
      <h2 className={styles.adHead}>
        <button type="button" aria-expanded={open} aria-controls={body} onClick={() => setOpen(!open)}>
          <IconChevronRight size={17} aria-hidden />
          <span>{title}</span>
          {badge !== undefined && <span className={page.badge}>{badge}</span>}
        </button>
      </h2>
      <div id={body} hidden={!open} className={styles.adBody}>
        {open && children}
      </div>
    </section>
  );
}
