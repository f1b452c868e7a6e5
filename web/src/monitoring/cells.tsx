import { IconExternalLink } from '@tabler/icons-react';
import type { CustomCellRendererProps } from 'ag-grid-react';
import { Fragment } from 'react';
import { OpenAds } from '~/list/portal/OpenAds';
import type { Tools } from '~/list/types';
import { Flag } from '~/ui/Flag';
import styles from './cells.module.css';

/** Cells get no hooks: texts and formats come with the grid's context. */
export type Cell<Row> = Omit<CustomCellRendererProps<Row>, 'context'> & { context: Tools };

export function Countries({ row, tools }: { row: { countries: readonly string[] }; tools: Tools }) {
  return (
    <span className={styles.flags}>
      {row.countries.map((code) => (
        <Flag key={code} code={code} label={tools.fmt.country(code)} />
      ))}
    </span>
  );
}

/** A brand; a dash where there is none. */
export function Brand({ row }: { row: { brand?: string | null } }) {
  return (
    <span className={styles.brand} title={row.brand ?? undefined}>
      {row.brand ?? '–'}
    </span>
  );
}

/** A name of several parts, which breaks before a dot sooner than within a part. */
function Host({ name }: { name: string }) {
  return name.split(/(?=\.)/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

/** A domain and the way to its site. */
export function DomainLink({ row, tools }: { row: { id: string; domain: string }; tools: Tools }) {
  return (
    <span className={styles.domain}>
      <span className={styles.name} title={row.domain}>
        <Host name={row.domain} />
      </span>
      <a
        className={styles.site}
        href={`https://${row.domain}`}
        target="_blank"
        rel="noopener noreferrer nofollow"
        aria-label={tools.t('monitoring:openSite', { domain: row.domain })}
      >
        <IconExternalLink size={15} />
      </a>
      <OpenAds row={row} title={row.domain} tools={tools} />
    </span>
  );
}

export const BrandCell = ({ data }: Cell<{ brand?: string | null }>) => data && <Brand row={data} />;
export const CountriesCell = ({ data, context }: Cell<{ countries: readonly string[] }>) =>
  data && <Countries row={data} tools={context} />;
export const DomainCell = ({ data, context }: Cell<{ id: string; domain: string }>) =>
  data && <DomainLink row={data} tools={context} />;
