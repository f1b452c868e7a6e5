import { Button, Chip, Group } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ImportLine, ImportPlan } from '~/api/queries/termImport';
import { StatusBadge, type Tone } from '~/ui/indicators';
import { useFormats } from '~/ui/useFormats';
import styles from './ImportTerms.module.css';

const OUTCOMES = ['created', 'changed', 'unchanged', 'refused'] as const;
type Outcome = (typeof OUTCOMES)[number];

const TONES: Record<Outcome, Tone> = { created: 'good', changed: 'warn', unchanged: 'idle', refused: 'bad' };

/** Lines that are added by each click. */
const LINES_AT_ONCE = 50;

const ALL = 'all';

const COLUMNS = [
  'id',
  'term',
  'locale',
  'localization',
  'region',
  'engine',
  'devices',
  'brand',
  'keywordType',
  'tags',
  'hours',
  'state',
  'companies',
] as const;

const PROBLEMS = ['required', 'tooLong', 'number', 'unknown', 'ambiguous', 'noRegions', 'duplicate', 'exists'] as const;

const outcomeOf = (line: ImportLine): Outcome => OUTCOMES.find((outcome) => outcome === line.outcome) ?? 'refused';

/** What each line of a file would do, all of them or those of one outcome; refused ones first, if there are some. */
export function ImportLines({ plan }: { plan: ImportPlan }) {
  const { t } = useTranslation('settingTerms');
  const fmt = useFormats();
  const [filter, setFilter] = useState<string>(plan.counts.refused > 0 ? 'refused' : ALL);
  const [most, setMost] = useState(LINES_AT_ONCE);
  const found = filter === ALL ? plan.lines : plan.lines.filter((line) => line.outcome === filter);
  const choices = [
    { value: ALL, label: t('import.all'), count: plan.lines.length },
    ...OUTCOMES.map((value) => ({ value, label: t(`import.outcome.${value}`), count: plan.counts[value] })),
  ];
  return (
    <>
      <Chip.Group
        value={filter}
        onChange={(value) => {
          setFilter(String(value));
          setMost(LINES_AT_ONCE);
        }}
      >
        <Group gap={8} role="radiogroup" aria-label={t('import.filter')}>
          {choices.map(({ value, label, count }) => (
            <Chip key={value} value={value} size="xs">
              {label} · {fmt.count(count)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard */}
      <section className={styles.scroll} aria-label={t('import.filter')} tabIndex={0}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{t('import.line')}</th>
              <th scope="col">{t('column.term')}</th>
              <th scope="col">{t('column.state')}</th>
              <th scope="col">{t('import.what')}</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, most).map((line) => (
              <tr key={line.line}>
                <td className={styles.number}>{fmt.count(line.line)}</td>
                <th scope="row">{line.term}</th>
                <td>
                  <StatusBadge tone={TONES[outcomeOf(line)]}>{t(`import.outcome.${outcomeOf(line)}`)}</StatusBadge>
                </td>
                <td>
                  <Effect line={line} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {found.length === 0 && <p className={styles.hint}>{t('import.none')}</p>}
      </section>
      {found.length > most && (
        <Group gap={12}>
          <Button variant="default" size="compact-sm" onClick={() => setMost(most + LINES_AT_ONCE)}>
            {t('import.more')}
          </Button>
          <span className={styles.hint}>{t('import.shown', { shown: most, total: found.length })}</span>
        </Group>
      )}
    </>
  );
}

/** What a line changes, column by column, or why it is refused. */
function Effect({ line }: { line: ImportLine }) {
  const { t } = useTranslation('settingTerms');
  const name = (column: string) => {
    const known = COLUMNS.find((one) => one === column);
    return known ? t(`column.${known}`) : column;
  };
  return (
    <ul className={styles.effects}>
      {(line.changes ?? []).map(({ column, from, to }) => (
        <li key={column}>
          <b>{name(column)}</b>{' '}
          {from == null
            ? to
            : t('import.becomes', { from: from || t('import.nothing'), to: to || t('import.nothing') })}
        </li>
      ))}
      {(line.problems ?? []).map(({ column, code, value, nearest }) => {
        const known = PROBLEMS.find((one) => one === code);
        return (
          <li key={`${column} ${code}`}>
            {known ? t(`import.problem.${known}`, { column: name(column), value }) : code}
            {nearest && ` ${t('import.nearest', { nearest })}`}
          </li>
        );
      })}
    </ul>
  );
}
