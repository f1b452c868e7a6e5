import { Button } from '@mantine/core';
import {
  IconArrowBackUp,
  IconBellRinging,
  IconInbox,
  IconMail,
  IconPlayerPlay,
  IconUserPlus,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CaseRow } from '~/api/queries/actions';
import { isStaff, useMe } from '~/api/session';
import type { Tools } from '~/list/types';
import type { MailsAsked } from '~/monitoring/mails/askMails';
import { Hint } from '~/ui/buttons';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import styles from './Action.module.css';
import { AskPopover } from './AskPopover';
import type { Opened } from './acts';
import { useBegin } from './CaseActs';
import { CaseOwner } from './CaseOwner';
import { caseSentence } from './caseSentence';
import { isMail, type MailWay, nextStep, type Way } from './nextStep';
import { PausePopover } from './PausePopover';
import { useChange } from './useChange';

const ICONS = {
  answer: IconArrowBackUp,
  write: IconMail,
  contact: IconUserPlus,
  request: IconInbox,
  force: IconBellRinging,
  resume: IconPlayerPlay,
};

interface Props {
  row: CaseRow;
  tools: Tools;
  opened: Opened | undefined;
  onOpen(opened: Opened | undefined): void;
  /** Asks the mails to write, or to show the contacts. */
  onMail(what: MailsAsked): void;
  /** Above the mails: without the owner, and without what the bar below the mails offers. */
  brief?: boolean;
}

/** What comes next in a case, and what the reader can do about it; for users of a company what has happened, in a sentence. */
export function NextStep({ row, tools, opened, onOpen, onMail, brief }: Props) {
  const { t } = useTranslation('action');
  const staff = isStaff(useMe());
  const step = nextStep(row, tools);
  // Mails are written by the staff.
  const ways = step.ways.filter((way) => (staff ? !(brief && isMail(way)) : way === 'request'));
  return (
    <section className={styles.step} data-needs-us={(staff && step.needsUs) || undefined} aria-labelledby="case-next">
      {staff ? (
        <div className={styles.stepText}>
          <h2 id="case-next" className={styles.stepTitle}>
            <span className={styles.stepLabel}>{t('step.label')} </span>
            <span className="sentence">{step.title}</span>
          </h2>
          <p className={styles.why}>{step.why}</p>
        </div>
      ) : (
        <h2 id="case-next" className={styles.sentence}>
          {caseSentence(row, tools)}
        </h2>
      )}
      {ways.length > 0 && (
        <div className={styles.ways}>
          {ways.map((way) =>
            way === 'pause' ? (
              <PausePopover key={way} row={row} opened={opened === 'pause'} onOpen={onOpen} />
            ) : (
              <WayButton key={way} way={way} row={row} onMail={onMail} />
            ),
          )}
        </div>
      )}
      {staff && !brief && <CaseOwner row={row} />}
    </section>
  );
}

interface WayProps {
  way: Exclude<Way, 'pause'>;
  row: CaseRow;
  onMail: Props['onMail'];
}

/** A button that goes one way; what changes the case is confirmed beside it. */
function WayButton({ way, row, onMail }: WayProps) {
  const { t } = useTranslation('action');
  const common = useTranslation('common').t;
  const [asking, setAsking] = useState(false);
  const { begin, isPending } = useBegin(row, () => setAsking(true));
  const change = useChange(row);
  const resume = useMutation({
    mutationFn: async () => {
      const link = row.links.pause;
      if (link) await change({ link, body: { until: null }, done: t('pause.resumed') });
    },
    onError: (error) => toast.error(t('pause.failed'), errorText(error, common)),
  });
  const run = () => {
    if (isMail(way)) onMail('answer');
    else if (way === 'contact') onMail('contacts');
    else if (way === 'resume') resume.mutate();
    else begin(way === 'force' ? 'forceReminder' : 'request');
  };
  const Icon = ICONS[way];
  const key = isMail(way) ? 'r' : undefined;
  const label = t(`way.${way}`);
  return (
    <AskPopover row={row} act={asking ? 'forceReminder' : undefined} onClose={() => setAsking(false)}>
      <Hint label={key ? `${label} (${key})` : label}>
        <Button
          size="compact-md"
          fz={13.5}
          variant="default"
          leftSection={<Icon size={16} aria-hidden />}
          rightSection={
            key && (
              <kbd className={styles.key} aria-hidden>
                {key}
              </kbd>
            )
          }
          aria-keyshortcuts={key}
          loading={isPending || resume.isPending}
          onClick={run}
        >
          {label}
        </Button>
      </Hint>
    </AskPopover>
  );
}

/** A button that leads to an e-mail, beside the acts of a narrow window. */
export function MailButton({ way, onMail }: { way: MailWay; onMail: Props['onMail'] }) {
  const { t } = useTranslation('action');
  const Icon = ICONS[way];
  return (
    <Button className={styles.mailButton} leftSection={<Icon size={17} aria-hidden />} onClick={() => onMail('answer')}>
      {t(`way.${way}`)}
    </Button>
  );
}
