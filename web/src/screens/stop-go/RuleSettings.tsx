import { Accordion, Button, Group, NumberInput, Stack, Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { STOP_GO, type StopGoBrand, setOptions } from '~/api/queries/stopGo';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import styles from './StopGo.module.css';

/** The numbers of the rule, in the order of the form. */
const NAMES = [
  'stopAfter',
  'stopSpanHours',
  'unsureAfter',
  'staleHours',
  'minStopHours',
  'minGoHours',
  'maxGoHours',
  'maxToggles',
  'maxItemToggles',
  'maxStoppedPercent',
  'maxStoppedCostPercent',
  'holdoutPercent',
] as const;
const SWITCHES = ['shoppingCounts', 'partnerCounts'] as const;

type NumberName = (typeof NAMES)[number];
type SwitchName = (typeof SWITCHES)[number];
type Settings = Partial<Record<NumberName, number> & Record<SwitchName, boolean>>;

/** What was changed and is not saved yet. */
interface Changed {
  settings: Settings;
  /** Empty for none. */
  valuePerClick?: number | string;
}

const UNCHANGED: Changed = { settings: {} };

/** How the lanes of a brand decide: the numbers of the rule, with their bounds. What was typed stays when the brand changes meanwhile. */
export function RuleSettings({ brand }: { brand: StopGoBrand }) {
  const { t } = useTranslation('stopGo');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const [changed, setChanged] = useState(UNCHANGED);
  const settings: Settings = { ...(brand.settings as Settings), ...changed.settings };
  const valuePerClick = changed.valuePerClick ?? brand.valuePerClick ?? '';
  const numbers = NAMES.map((name) => {
    const known = brand.numbers.find(({ field }) => field === name);
    const value = settings[name] ?? known?.value ?? 0;
    return { name, value, least: known?.least ?? 0, most: known?.most ?? value };
  });
  /** What the longest pause is at least: the usual one, as it is typed. */
  const pause = numbers.find(({ name }) => name === 'minGoHours')?.value ?? 0;
  const bounded = numbers.map((one) => (one.name === 'maxGoHours' ? { ...one, least: Math.max(1, pause) } : one));
  const isBroken = ({ value, least, most }: (typeof bounded)[number]) => value < least || value > most;
  const set = (change: Settings) =>
    setChanged((before) => ({ ...before, settings: { ...before.settings, ...change } }));
  const saving = useMutation({
    mutationFn: () =>
      setOptions({
        ID: brand.ID,
        version: brand.version,
        mode: brand.mode,
        settings,
        ownerID: brand.ownerID ?? null,
        valuePerClick: valuePerClick === '' ? null : Number(valuePerClick),
      }),
    onSuccess: () => {
      toast.success(t('settingsSaved'));
      setChanged(UNCHANGED);
    },
    onError: (error) => toast.error(t('settingsFailed'), errorText(error, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: STOP_GO }),
  });
  return (
    <Accordion variant="contained" classNames={{ item: styles.rules ?? '' }}>
      <Accordion.Item value="settings">
        <Accordion.Control>{t('settings')}</Accordion.Control>
        <Accordion.Panel>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (bounded.some(isBroken))
                event.currentTarget.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
              else saving.mutate();
            }}
          >
            <Stack gap="sm">
              {bounded.map((number) => (
                <NumberInput
                  key={number.name}
                  classNames={{ root: styles.rule ?? '' }}
                  label={t(`setting.${number.name}`)}
                  min={number.least}
                  max={number.most}
                  allowDecimal={false}
                  error={isBroken(number) && t('bounds', { least: number.least, most: number.most })}
                  value={number.value}
                  onChange={(value) => typeof value === 'number' && set({ [number.name]: value })}
                />
              ))}
              <NumberInput
                label={t('valuePerClick')}
                description={t('valuePerClickHint')}
                min={0}
                decimalScale={2}
                value={valuePerClick}
                onChange={(value) => setChanged((before) => ({ ...before, valuePerClick: value }))}
              />
              {SWITCHES.map((name) => (
                <Switch
                  key={name}
                  label={t(`setting.${name}`)}
                  checked={settings[name] ?? false}
                  onChange={({ currentTarget: { checked } }) => set({ [name]: checked })}
                />
              ))}
              <Group justify="flex-end">
                <Button type="submit" loading={saving.isPending}>
                  {common('save')}
                </Button>
              </Group>
            </Stack>
          </form>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
