import { ActionIcon, Button, Switch, Tooltip } from '@mantine/core';
import { IconBolt, IconCalendarClock, IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Alert, alertsKey, alertsQuery, bodyOfAlert, removeAlert, saveAlert } from '~/api/queries/alerts';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import styles from './Alerts.module.css';
import { comingIn, pastIn, useWhenWords } from './words';

interface Props {
  alert: Alert;
  /** The time zone of schedules. */
  zone: string;
  onEdit(): void;
}

/** An alert: what it is about, when it is sent, and its switch. */
export function AlertCard({ alert, zone, onEdit }: Props) {
  const { t, i18n } = useTranslation('alerts');
  const when = useWhenWords();
  const [removed, setRemoved] = useState(false);
  const name = alert.subject || t('untitled', { brand: alert.brand ?? '–' });
  const Mark = alert.hookTrigger ? IconBolt : IconCalendarClock;
  return (
    <li className={styles.card} data-off={!alert.enable || undefined}>
      <div className={styles.mark} aria-hidden>
        <Mark size={20} />
      </div>
      <div className={styles.facts}>
        <h2 className={styles.name}>{name}</h2>
        <p className={styles.when}>{when(alert)}</p>
        <p className={styles.dim}>
          {[
            alert.subject && alert.brand,
            t('recipients', { count: alert.recipientIds.length }),
            alert.lastSend ? t('last', { at: pastIn(alert.lastSend, zone, i18n.language) }) : t('neverSent'),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      </div>
      <NextSend alert={alert} zone={zone} />
      <div className={styles.acts}>
        <OnSwitch alert={alert} name={name} />
        <Button
          variant="default"
          size="compact-md"
          leftSection={<IconPencil size={15} aria-hidden />}
          aria-label={t('changeOf', { name })}
          onClick={onEdit}
        >
          {t('change')}
        </Button>
        <Tooltip label={t('remove')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={30}
            aria-label={t('removeOf', { name })}
            onClick={() => setRemoved(true)}
          >
            <IconTrash size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </div>
      {removed && (
        <ConfirmModal
          danger
          title={t('removeTitle', { name })}
          text={t('removeText')}
          confirm={t('remove')}
          act={() => removeAlert(alert.id)}
          done={t('removed')}
          changes={[alertsKey]}
          onClose={() => setRemoved(false)}
        />
      )}
    </li>
  );
}

/** When an alert is sent next; what it waits for, or that it is off. */
function NextSend({ alert: { enable, hookTrigger, nextSend, recipientIds }, zone }: Omit<Props, 'onEdit'>) {
  const { t, i18n } = useTranslation('alerts');
  const [label, text] = !enable
    ? [t('off'), t('offText')]
    : hookTrigger
      ? [t('waits'), t('waitsText')]
      : [t('next'), nextSend ? comingIn(nextSend, zone, i18n.language) : t('soon')];
  return (
    <p className={styles.next} data-nobody={recipientIds.length === 0 || undefined}>
      <span className={styles.dim}>{label}</span>
      <strong className="sentence">{text}</strong>
    </p>
  );
}

/** Switches an alert on or off; it shows at once what was chosen, and what it was when that fails. */
function OnSwitch({ alert, name }: { alert: Alert; name: string }) {
  const { t } = useTranslation('alerts');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (enable: boolean) => saveAlert(alert.id, { ...bodyOfAlert(alert), enable }),
    onSuccess: ({ enable }) => toast.success(t(enable ? 'switchedOn' : 'switchedOff', { name })),
    onError: (error) => toast.error(t('switchFailed'), errorText(error, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: alertsQuery.queryKey }),
  });
  const isOn = isPending ? variables : alert.enable;
  return (
    <Switch
      checked={isOn}
      label={t(isOn ? 'isOn' : 'isOff')}
      aria-label={t('switchOf', { name })}
      aria-busy={isPending}
      // A disabled switch would lose the focus.
      onChange={(event) => !isPending && mutate(event.currentTarget.checked)}
    />
  );
}
