import type { AdvertiserRow } from '~/api/queries/advertisers';
import type { Tools } from '~/list/types';
import type { Cell } from '~/monitoring/cells';
import { EngineIcon } from '~/ui/indicators';
import styles from './cells.module.css';
import { RowMenu } from './RowMenu';

interface PartProps {
  row: AdvertiserRow;
  tools: Tools;
}

export function Engine({ row, tools }: PartProps) {
  const engine = row.engine ?? '';
  const name = tools.t(`market:engine.${engine}`, { defaultValue: engine });
  return (
    <span className={styles.engine} title={name}>
      <EngineIcon engine={engine} />
      <span className="visually-hidden">{name}</span>
    </span>
  );
}

/** Where it stands, by colour and by word. */
export function Status({ row, tools }: PartProps) {
  return (
    <span className={styles.status}>
      <span className={styles.dot} data-status={row.status} aria-hidden />
      <span className="sentence">{tools.t(`status.${row.status}`)}</span>
    </span>
  );
}

/** When it changed last is told only of what readers have decided. */
const DECIDED = ['ignored', 'accepted', 'refused'];

export const updatedDate = (row: AdvertiserRow): string | null =>
  DECIDED.includes(row.status) ? (row.updatedDate ?? null) : null;

/** What appeared again and never had a status date shows the date of its beginning. */
export const lastStatusDate = (row: AdvertiserRow): string | null =>
  row.lastStatusDate ?? (row.status === 'reappearance' ? (row.createdDate ?? null) : null);

export const EngineCell = ({ data, context }: Cell<AdvertiserRow>) => data && <Engine row={data} tools={context} />;
export const StatusCell = ({ data, context }: Cell<AdvertiserRow>) => data && <Status row={data} tools={context} />;
export const MenuCell = ({ data }: Cell<AdvertiserRow>) => data && <RowMenu row={data} />;
