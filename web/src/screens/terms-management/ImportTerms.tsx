import { Alert, Button, FileButton, Loader } from '@mantine/core';
import { IconFileImport, IconFileSpreadsheet } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { brandsKey } from '~/api/queries/brands';
import { settingTermsKey } from '~/api/queries/settingTerms';
import { applyImport, checkImport, EMPTY_IMPORT, type ImportPlan, MOST_IMPORT_BYTES } from '~/api/queries/termImport';
import { ExportLink } from '~/list/ExportLink';
import { errorText } from '~/ui/errorText';
import { ModalFrame } from '~/ui/form/FormModal';
import { toast } from '~/ui/toast';
import { CostLine } from './CostLine';
import { ImportLines } from './ImportLines';
import styles from './ImportTerms.module.css';

/** What the chooser offers; the server looks at the content. */
const ACCEPTED = '.csv,.tsv,.txt,.xlsx';

const CHANGED_ROWS = 'IMPORT_ROWS_CHANGED';

/** Refusals of whole files that have a text of their own. */
const FILE_REFUSALS = [
  'IMPORT_UNREADABLE',
  'IMPORT_OTHER_WORKBOOK',
  'IMPORT_UNPACKS_TOO_LARGE',
  'IMPORT_TOO_MANY_LINES',
  'IMPORT_NO_LINES',
  'IMPORT_NO_TERMS',
  'IMPORT_COLUMN_TWICE',
  'IMPORT_FILE_CHANGED',
  CHANGED_ROWS,
] as const;

/** Imports terms from a file: shows what it would do, line by line, and does it. */
export function ImportTerms({ onClose }: { onClose(): void }) {
  const { t } = useTranslation('settingTerms');
  const [isTooLarge, setTooLarge] = useState(false);
  const check = useMutation({
    mutationFn: async (chosen: File) => {
      // A copy: what is applied is what was checked, whatever becomes of the file.
      const file = new File([await chosen.arrayBuffer()], chosen.name, { type: chosen.type });
      return { file, plan: await checkImport(file) };
    },
  });
  const choose = (chosen: File | null | undefined) => {
    if (!chosen) return;
    const fits = chosen.size <= MOST_IMPORT_BYTES;
    setTooLarge(!fits);
    if (fits) check.mutate(chosen);
    else check.reset();
  };
  return (
    <ModalFrame title={t('import.title')} size={960} onClose={onClose}>
      <div className={styles.parts}>
        {!check.data && !check.isPending && <Chooser again={isTooLarge || check.isError} onChoose={choose} />}
        {isTooLarge && (
          <Alert color="red" role="alert">
            {t('import.tooLarge')}
          </Alert>
        )}
        {check.error && <Refusal error={check.error} />}
        {check.isPending && (
          <p className={styles.checking} role="status">
            <Loader size="sm" />
            {t('import.checking', { file: check.variables.name })}
          </p>
        )}
        {check.data && (
          <Planned
            // A new plan begins without a failure.
            key={check.data.plan.token}
            {...check.data}
            onCheck={() => check.mutate(check.data.file)}
            onChoose={choose}
            onClose={onClose}
          />
        )}
      </div>
    </ModalFrame>
  );
}

interface FileProps {
  onChoose(file: File | null | undefined): void;
}

interface ChooseProps extends FileProps {
  text: string;
  variant: 'default' | 'filled';
  disabled?: boolean;
}

/** A button that chooses a file, the same one again if need be. */
function ChooseButton({ onChoose, text, ...look }: ChooseProps) {
  const reset = useRef<() => void>(null);
  const take = (file: File | null) => {
    onChoose(file);
    reset.current?.();
  };
  return (
    <FileButton accept={ACCEPTED} onChange={take} resetRef={reset}>
      {(props) => (
        <Button {...props} {...look}>
          {text}
        </Button>
      )}
    </FileButton>
  );
}

interface ChooserProps extends FileProps {
  /** Whether a file was chosen that is not taken. */
  again: boolean;
}

/** Takes a file, chosen or dropped, and offers one to start from. */
function Chooser({ again, onChoose }: ChooserProps) {
  const { t } = useTranslation('settingTerms');
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onChoose(event.dataTransfer.files[0]);
  };
  return (
    <>
      <section
        className={styles.drop}
        aria-label={t('import.title')}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <IconFileSpreadsheet size={28} aria-hidden />
        <ChooseButton
          text={t(again ? 'import.chooseOther' : 'import.choose')}
          variant={again ? 'default' : 'filled'}
          onChoose={onChoose}
        />
        <p>{t('import.drop')}</p>
      </section>
      <p className={styles.hint}>{t('import.how')}</p>
      <div className={styles.template}>
        <span>{t('import.template')}</span>
        <ExportLink href={EMPTY_IMPORT} name="setting-terms" compact />
      </div>
    </>
  );
}

interface PlannedProps extends FileProps {
  file: File;
  plan: ImportPlan;
  /** Asks again what the file would do. */
  onCheck(): void;
  onClose(): void;
}

/** What a file would do, and the button that does it. */
function Planned({ file, plan, onCheck, onChoose, onClose }: PlannedProps) {
  const { t } = useTranslation('settingTerms');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const { created, changed, refused } = plan.counts;
  const count = created + changed;
  const apply = useMutation({
    mutationFn: () => applyImport(file, plan),
    onSuccess: async ({ counts }) => {
      const done = [
        ...(counts.created > 0 ? [t('import.doneCreated', { count: counts.created })] : []),
        ...(counts.changed > 0 ? [t('import.doneChanged', { count: counts.changed })] : []),
      ];
      toast.success(t('import.done'), done.join(' · '));
      onClose();
      await Promise.all([settingTermsKey, brandsKey].map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  const isOutdated = apply.error instanceof ApiError && apply.error.code === CHANGED_ROWS;
  return (
    <>
      <div>
        <h3 className={styles.heading}>{t('import.checked', { file: file.name })}</h3>
        <p className={`${styles.hint} ${styles.nothingYet}`}>{t('import.nothingYet')}</p>
      </div>
      {plan.ignored.length > 0 && (
        <Alert color="yellow">
          {t('import.ignored', { count: plan.ignored.length, titles: plan.ignored.join(', ') })}
        </Alert>
      )}
      {count > 0 && plan.cost && <CostLine cost={plan.cost} failed={false} />}
      <ImportLines plan={plan} />
      {apply.error && <Refusal error={apply.error} />}
      <div className={styles.foot}>
        <p className={styles.hint}>
          {count === 0 ? t('import.nothingToDo') : refused > 0 ? t('import.leftOut', { count: refused }) : null}
        </p>
        <ChooseButton text={t('import.chooseOther')} variant="default" disabled={apply.isPending} onChoose={onChoose} />
        <Button variant="default" onClick={onClose}>
          {common('cancel')}
        </Button>
        {isOutdated ? (
          <Button onClick={onCheck}>{t('import.again')}</Button>
        ) : (
          <Button
            leftSection={<IconFileImport size={16} />}
            disabled={count === 0}
            loading={apply.isPending}
            onClick={() => apply.mutate()}
          >
            {t('import.apply', { count })}
          </Button>
        )}
      </div>
    </>
  );
}

/** Why a file was not read, or not applied. */
function Refusal({ error }: { error: Error }) {
  const { t } = useTranslation('settingTerms');
  const common = useTranslation('common').t;
  const known = FILE_REFUSALS.find((code) => error instanceof ApiError && code === error.code);
  const isTooLarge = error instanceof ApiError && error.status === 413;
  return (
    <Alert color="red" role="alert">
      {known ? t(`import.file.${known}`) : isTooLarge ? t('import.tooLarge') : errorText(error, common)}
    </Alert>
  );
}
