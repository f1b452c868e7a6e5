import { Button, Group, Loader, Text, TextInput } from '@mantine/core';
import { IconFileZip } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type Escalation as Complaints,
  escalationPackAddress,
  escalationQuery,
  recordComplaint,
} from '~/api/queries/proof';
import { errorText } from '~/ui/errorText';
import { ErrorPanel } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import styles from './Proof.module.css';

const OBSTACLES = ['no-trademark', 'partner', 'not-in-country', 'no-ad', 'not-in-text', 'no-authorisation'] as const;
const LETTERS = ['en', 'fr'] as const;

interface Props {
  /** The id of the case. */
  id: number;
}

/**
 * Complaints to the engine about a trademark in the ads of a case: what speaks against one, else its pack, and the number that the engine gave. With
 * the texts of `proof`. Checks no rights: render it for staff alone.
 */
export function Escalation({ id }: Props) {
  const { t } = useTranslation('proof');
  const { data, isError, refetch } = useQuery(escalationQuery(id));
  if (!data) return isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader size="sm" />;
  const obstacle = OBSTACLES.find((one) => one === data.obstacle);
  return (
    <section className={styles.part} aria-label={t('escalation.title')}>
      {data.obstacle === null ? (
        <>
          <Text size="sm">
            {t('escalation.fits', { count: data.ads, marks: data.marks.map(({ mark }) => mark).join(', ') })}
          </Text>
          <Group gap="xs">
            {LETTERS.map((language) => (
              <Button
                key={language}
                component="a"
                size="xs"
                variant="default"
                href={escalationPackAddress(id, language)}
                download
                leftSection={<IconFileZip size={16} />}
              >
                {t(`escalation.pack.${language}`)}
              </Button>
            ))}
          </Group>
        </>
      ) : (
        <Text size="sm">{obstacle ? t(`escalation.obstacle.${obstacle}`) : data.obstacle}</Text>
      )}
      <ComplaintNumber key={data.complaintNumber} id={id} complaints={data} />
    </section>
  );
}

/** The number of the complaint with those before it; saved by its button. */
function ComplaintNumber({ id, complaints }: { id: number; complaints: Complaints }) {
  const { t } = useTranslation('proof');
  const common = useTranslation('common').t;
  const fmt = useFormats();
  const queries = useQueryClient();
  const [typed, setTyped] = useState(complaints.complaintNumber ?? '');
  const { mutate, isPending } = useMutation({
    mutationFn: () => recordComplaint(id, typed.trim() || null),
    onSuccess: (now) => {
      queries.setQueryData(escalationQuery(id).queryKey, now);
      toast.success(t('escalation.saved'));
    },
    onError: (error) => toast.error(errorText(error, common)),
  });
  const isChanged = typed.trim() !== (complaints.complaintNumber ?? '');
  return (
    <>
      <form
        className={styles.number}
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <TextInput
          size="xs"
          label={t('escalation.number')}
          maxLength={80}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Button type="submit" size="xs" variant="default" disabled={!isChanged} loading={isPending}>
          {common('save')}
        </Button>
      </form>
      {complaints.complaints.length > 0 && (
        <ul className={styles.list}>
          {complaints.complaints.map(({ number, date, by }) => (
            <li key={date} className={styles.dim}>
              {t(number === null ? 'escalation.takenBack' : 'escalation.entered', {
                number,
                date: fmt.dateTime(date),
                by: by ?? t('escalation.somebody'),
              })}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
