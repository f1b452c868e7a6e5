import { Button, Drawer, UnstyledButton } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useReturnFocus } from '~/ui/useReturnFocus';
import { putFilter } from './address';
import { entryGroups, type FilterEntry, filterEntries } from './entries';
import styles from './FilterDrawer.module.css';
import { FilterField } from './filters/FilterField';
import { describeWhere, type ListTexts } from './filters/kinds';
import type { AnyListDef, Filters } from './types';
import { useListTexts } from './useListState';

interface Props {
  def: AnyListDef;
  applied: Filters;
  onSave(filters: Filters): void;
  onReset(): void;
  onClose(): void;
}

/** A calendar is as high as a dozen other filters: all but the quick one start folded. */
const isFolded = ({ def }: FilterEntry): boolean => def.kind === 'dateRange' && !def.quick;

/**
 * A drawer that edits a copy of the list's filters and passes all of them to `onSave`. Saving and resetting close it; closing it otherwise
 * drops the changes.
 */
export function FilterDrawer({ def, applied, onSave, onReset, onClose }: Props) {
  useReturnFocus();
  const { t } = useTranslation('list');
  const texts = useListTexts(def);
  const [draft, setDraft] = useState(applied);
  const groups = [...entryGroups(filterEntries(def, applied, draft, texts))];

  const saveAndClose = () => {
    onSave(draft);
    onClose();
  };

  const reset = () => {
    onReset();
    onClose();
  };

  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={460}
      title={t('filters')}
      overlayProps={{ backgroundOpacity: 0.35 }}
      closeButtonProps={{ 'aria-label': t('close') }}
      classNames={{ content: styles.content, header: styles.header, title: styles.title, body: styles.body }}
    >
      <div className={styles.groups}>
        {groups.map(([group, entries]) => (
          <section key={group} className={styles.group} aria-label={texts.own(group)}>
            <h3 className={styles.heading}>{texts.own(group)}</h3>
            {entries.map((entry) => {
              const field = (
                <FilterField
                  entry={entry}
                  filters={draft}
                  texts={texts}
                  onChange={(where) => setDraft((now) => putFilter(now, entry.name, where))}
                />
              );
              return (
                <div key={entry.name} className={styles.filter}>
                  {isFolded(entry) ? (
                    <Folded entry={entry} texts={texts}>
                      {field}
                    </Folded>
                  ) : (
                    <>
                      {entry.label !== texts.own(group) && <p className={styles.label}>{entry.label}</p>}
                      {field}
                    </>
                  )}
                </div>
              );
            })}
          </section>
        ))}
      </div>
      <footer className={styles.footer}>
        <Button variant="default" onClick={reset}>
          <span className="sentence">{t('reset')}</span>
        </Button>
        <Button onClick={saveAndClose}>
          <span className="sentence">{t('saveClose')}</span>
        </Button>
      </footer>
    </Drawer>
  );
}

interface FoldedProps {
  entry: FilterEntry;
  texts: ListTexts;
  children: ReactNode;
}

/** A field folded behind a button with its label and the value being edited; it is mounted only while unfolded. */
function Folded({ entry: { def, label, valueNew }, texts, children }: FoldedProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <UnstyledButton
        className={styles.fold}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <span className={styles.foldLabel}>{label}</span>
        <span className={styles.foldValue} data-set={valueNew ? true : undefined}>
          {valueNew ? describeWhere(def, valueNew, texts) : texts.list('anyDate')}
        </span>
        <IconChevronDown size={16} aria-hidden />
      </UnstyledButton>
      {open && (
        <div id={id} className={styles.unfolded}>
          {children}
        </div>
      )}
    </>
  );
}
