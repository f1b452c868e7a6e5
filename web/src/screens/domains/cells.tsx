import { IconExternalLink } from '@tabler/icons-react';
import type { CustomCellRendererProps } from 'ag-grid-react';
import type { DomainRow } from '~/api/queries/domains';
import type { Tools } from '~/list/types';
import { Flag } from '~/ui/Flag';
import styles from './cells.module.css';

/** Cells get no hooks: texts and formats come with the grid's context. */
type Cell = Omit<CustomCellRendererProps<DomainRow>, 'context'> & { context: Tools };

interface PartProps {
  row: DomainRow;
  tools: Tools;
}

export function Countries({ row, tools }: PartProps) {
  return (
    <span className={styles.flags}>
      {row.countries.map((code) => (
        <Flag key={code} code={code} label={countryName(code, tools)} />
      ))}
    </span>
  );
}

/** A country in words where the texts know it, else its code. */
function countryName(code: string, { t }: Tools): string {
  return t(`market:country.${code}`, { defaultValue: code });
}

export function Visibility({ row, tools }: PartProps) {
  return (
    <span className={styles.visibility}>
      <span className={styles.percent}>{tools.fmt.visibility(row.share)}</span>
      <span className={styles.track} aria-hidden>
        <span className={styles.bar} style={{ width: `${row.relativeShare * 100}%` }} />
      </span>
    </span>
  );
}

export function DomainLink({ row, tools }: PartProps) {
  return (
    <span className={styles.domain}>
      <span className={styles.name} title={row.domain}>
        {row.domain}
      </span>
      <a
        className={styles.site}
        href={`https://${row.domain}`}
        target="_blank"
        rel="noopener noreferrer nofollow"
        aria-label={tools.t('openSite', { domain: row.domain })}
      >
        <IconExternalLink size={15} />
      </a>
    </span>
  );
}

export function Tags({ row }: { row: DomainRow }) {
  return (
    <span className={styles.tags} title={row.categories.map((tag) => tag.label).join(', ')}>
      {row.categories.map((tag) => (
        <span key={tag.id} className={styles.tag}>
          {tag.label}
        </span>
      ))}
    </span>
  );
}

export const CountriesCell = ({ data, context }: Cell) => data && <Countries row={data} tools={context} />;
export const VisibilityCell = ({ data, context }: Cell) => data && <Visibility row={data} tools={context} />;
export const DomainCell = ({ data, context }: Cell) => data && <DomainLink row={data} tools={context} />;
export const TagsCell = ({ data }: Cell) => data && <Tags row={data} />;
