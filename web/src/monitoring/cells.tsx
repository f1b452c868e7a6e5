import { IconExternalLink } from '@tabler/icons-react';
import type { CustomCellRendererProps } from 'ag-grid-react';
import { Fragment } from 'react';
import { OpenAds } from '~/list/portal/OpenAds';
import type { Tools } from '~/list/types';
import { EngineIcon, Flag } from '~/ui/marketIcons';
import styles from './monitoring.module.css';

/** Cells get no hooks: texts and formats come with the grid's context. */
export type Cell<Row> = Omit<CustomCellRendererProps<Row>, 'context'> & { context: Tools };

/** The flags of a row's countries, each labelled with the country's name. */
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
    <span className={styles.clamp} title={row.brand ?? undefined}>
      {row.brand ?? '–'}
    </span>
  );
}

interface EngineProps {
  row: { engine?: string | null };
  tools: Tools;
  /** Leaves the name to the title and to screen readers. */
  iconOnly?: boolean;
}

/** The icon and name of a row's search engine; with `iconOnly` the name is left to the title and to screen readers. */
export function Engine({ row, tools, iconOnly }: EngineProps) {
  const engine = row.engine ?? '';
  const name = tools.t(`market:engine.${engine}`, { defaultValue: engine });
  return (
    <span className={styles.engine} title={name}>
      <EngineIcon engine={engine} />
      {iconOnly ? <span className="visually-hidden">{name}</span> : name}
    </span>
  );
}

/** A hostname that wraps before a dot rather than within a label. */
function Hostname({ name }: { name: string }) {
  return name.split(/(?=\.)/).map((label, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {label}
    </Fragment>
  ));
}

interface DomainProps {
  /** `partner` is `partner` or `reseller` where the brand has authorised it. */
  row: { id: string; domain: string; partner?: string | null };
  tools: Tools;
}

/** A domain, what it is to the brand, a link to its site, which opens in a new tab, and the button of [OpenAds]. */
export function DomainLink({ row, tools }: DomainProps) {
  return (
    <span className={styles.domain}>
      <span className={`${styles.clamp} ${styles.name}`} title={row.domain}>
        <Hostname name={row.domain} />
      </span>
      {row.partner && (
        <span className={styles.partner}>
          {tools.t(row.partner === 'reseller' ? 'monitoring:partner.reseller' : 'monitoring:partner.partner')}
        </span>
      )}
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

/** A figure in words, and as a bar whose full track is 100 percent. */
export function Share({ text, percent }: { text: string; percent: number }) {
  return (
    <span className={styles.share}>
      <span className={styles.percent}>{text}</span>
      <span className={styles.track} aria-hidden>
        <span className={styles.bar} style={{ width: `${percent}%` }} />
      </span>
    </span>
  );
}

/** A labelled value in the `<dl>` of a card. */
export function Figure({ label, children }: { label: string; children: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
