import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dayjs } from '~/lib/dates';
import { FormModal } from '~/ui/form/FormModal';
import { useFormats } from '~/ui/useFormats';

interface Props {
  saving: boolean;
  onSend(at: string): void;
  onClose(): void;
}

/** As fields of the browser write a moment. */
const FIELD = 'YYYY-MM-DDTHH:mm';

/** The hour at which offices open. */
const MORNING = 9;

/** How far ahead a mail can be sent, in days. */
const FURTHEST = 60;

const morning = (days: number) => dayjs().add(days, 'day').hour(MORNING).minute(0).second(0).millisecond(0);

/** Asks when a mail is to leave, in the time of this browser. */
export function SendLaterModal({ saving, onSend, onClose }: Props) {
  const { t } = useTranslation('mailsOfCases');
  const fmt = useFormats();
  const [value, setValue] = useState(() => morning(1).format(FIELD));
  const [error, setError] = useState<string>();
  const offers = [
    { label: t('later.tomorrow'), at: morning(1) },
    { label: fmt.weekday(1, 'long'), at: morning((8 - dayjs().isoWeekday()) % 7 || 7) },
    { label: t('later.week'), at: morning(7) },
  ];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const at = dayjs(value);
    if (!at.isValid() || !at.isAfter(dayjs())) return setError(t('later.past'));
    if (at.isAfter(dayjs().add(FURTHEST, 'day'))) return setError(t('later.tooFar', { count: FURTHEST }));
    onSend(at.toISOString());
  };
  return (
    <FormModal
      title={t('send.later')}
      submitLabel={t('later.submit')}
      saving={saving}
      onSubmit={submit}
      onClose={onClose}
    >
      <Group gap="xs">
        {offers.map(({ label, at }) => (
          <Button key={label} size="compact-sm" variant="default" onClick={() => setValue(at.format(FIELD))}>
            <span className="sentence">{label}</span>
          </Button>
        ))}
      </Group>
      <TextInput
        data-autofocus
        type="datetime-local"
        label={t('later.at')}
        value={value}
        error={error}
        onChange={(event) => {
          setValue(event.currentTarget.value);
          setError(undefined);
        }}
      />
    </FormModal>
  );
}
