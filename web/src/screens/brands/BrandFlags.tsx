import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { seenOf } from '~/api/asOf';
import { BRAND_FLAGS, type BrandFlag, type BrandRow, brandsKey, setFlag } from '~/api/queries/brands';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { unlessChanged } from '~/ui/conflict';
import { offerUndo } from '~/ui/undo';
import styles from './Brands.module.css';

/** One switch of a brand, as it is stored; asks for confirmation before it turns. */
export function FlagSwitch({ row, flag }: { row: BrandRow; flag: BrandFlag }) {
  const { t } = useTranslation('brands');
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button
        type="button"
        role="switch"
        className={styles.switch}
        aria-label={t('flagOf', { flag: t(`flag.${flag}`), name: row.label })}
        aria-checked={row.flags[flag]}
        onClick={() => setAsking(true)}
      />
      {asking && <ConfirmFlag rows={[row]} flag={flag} on={!row.flags[flag]} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Turns a switch of all selected brands on or off, after a confirmation. */
export function BulkFlags({ rows }: { rows: readonly BrandRow[] }) {
  const { t } = useTranslation('brands');
  const [asked, setAsked] = useState<{ flag: BrandFlag; on: boolean }>();
  return (
    <>
      {BRAND_FLAGS.map((flag) => (
        <Menu key={flag} position="top-start">
          <Menu.Target>
            <Button size="compact-sm" variant="default" rightSection={<IconChevronDown size={14} aria-hidden />}>
              <span className="sentence">{t(`flag.${flag}`)}</span>
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setAsked({ flag, on: true })}>{t('confirm.on')}</Menu.Item>
            <Menu.Item onClick={() => setAsked({ flag, on: false })}>{t('confirm.off')}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      ))}
      {asked && <ConfirmFlag rows={rows} {...asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

interface ConfirmProps {
  rows: readonly BrandRow[];
  flag: BrandFlag;
  on: boolean;
  onClose(): void;
}

/**
 * Asks before a flag of all `rows` is turned on or off. The list of brands is loaded again afterwards. `onClose` is called on success and when the
 * user cancels.
 */
function ConfirmFlag({ rows, flag, on, onClose }: ConfirmProps) {
  const { t } = useTranslation('brands');
  const [seen] = useState(() => seenOf(rows));
  const of = { flag: t(`flag.${flag}`), name: rows[0]?.label, count: rows.length };
  return (
    <ConfirmModal
      title={on ? t('confirm.turnOn', of) : t('confirm.turnOff', of)}
      text={t(`effect.${flag}${on ? 'On' : 'Off'}`)}
      confirm={on ? t('confirm.on') : t('confirm.off')}
      act={async () => {
        const operation = await unlessChanged(seen, (known) => setFlag(rows, flag, on, known));
        offerUndo({ operation, text: t('did.changed', { count: rows.length }), changes: [brandsKey] });
      }}
      done={t('flagDone')}
      failed={t('flagFailed')}
      changes={[brandsKey]}
      onClose={onClose}
    />
  );
}
