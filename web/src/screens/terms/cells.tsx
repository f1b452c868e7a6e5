import { Link } from '@tanstack/react-router';
import type { TermRow } from '~/api/queries/terms';
import { OpenAds } from '~/list/portal/OpenAds';
import type { Tools } from '~/list/types';
import type { Cell } from '~/monitoring/cells';
import { Flag } from '~/ui/Flag';
import { EngineIcon } from '~/ui/indicators';
import styles from './cells.module.css';

interface PartProps {
  row: TermRow;
  tools: Tools;
}

const places = ({ localization, region }: TermRow): string[] =>
  [localization, region].filter((name): name is string => Boolean(name));

/** From where the term is searched: flag, city and targeted region. */
export function Locale({ row, tools }: PartProps) {
  return (
    <span className={styles.locale}>
      <Flag code={row.country} label={tools.fmt.country(row.country)} />
      <span className={styles.place}>{places(row).map(tools.fmt.place).join(', ')}</span>
    </span>
  );
}

export function Engine({ row, tools }: PartProps) {
  const name = tools.t(`market:engine.${row.engine}`, { defaultValue: row.engine });
  return (
    <span className={styles.engine} title={name}>
      <EngineIcon engine={row.engine} />
      {name}
    </span>
  );
}

/** The words, and the way to the domains that were seen on them. */
export function Content({ row, tools }: PartProps) {
  return (
    <span className={styles.words}>
      <Link
        className={styles.content}
        to="/domains"
        search={row.domainsFilters as never}
        title={tools.t('openDomains', { content: row.content })}
      >
        {row.content}
      </Link>
      <OpenAds row={row} title={row.content} tools={tools} />
    </span>
  );
}

export const LocaleCell = ({ data, context }: Cell<TermRow>) => data && <Locale row={data} tools={context} />;
export const EngineCell = ({ data, context }: Cell<TermRow>) => data && <Engine row={data} tools={context} />;
export const ContentCell = ({ data, context }: Cell<TermRow>) => data && <Content row={data} tools={context} />;
