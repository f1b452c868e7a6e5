import { useEffect, useRef, useState } from 'react';
import type { Tag } from '~/api/queries/tags';
import styles from './Tags.module.css';

/** The tags of a row: in a table as many as its line holds, and how many more there are. */
export function Tags({ row: { categories } }: { row: { categories: readonly Tag[] } }) {
  const line = useRef<HTMLSpanElement>(null);
  const [hidden, setHidden] = useState(0);
  useEffect(() => {
    const element = line.current;
    if (!element || categories.length < 2) return setHidden(0);
    const observer = new ResizeObserver(() => {
      const { bottom } = element.getBoundingClientRect();
      setHidden([...element.children].filter((tag) => tag.getBoundingClientRect().top >= bottom).length);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [categories]);
  return (
    <span className={styles.tags} title={categories.map((tag) => tag.label).join(', ')}>
      <span ref={line} className={styles.line}>
        {categories.map((tag) => (
          <span key={tag.id} className={styles.tag}>
            {tag.label}
          </span>
        ))}
      </span>
      {hidden > 0 && (
        <span className={styles.more} aria-hidden>
          +{hidden}
        </span>
      )}
    </span>
  );
}
