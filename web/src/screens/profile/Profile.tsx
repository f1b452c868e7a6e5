import { Modal, Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useMe } from '~/api/session';
import { useHandheld } from '~/ui/environment';
import { lazyPart } from '~/ui/lazyPart';
import { useReturnFocus } from '~/ui/useReturnFocus';
import { Password } from './Password';
import { PersonalData } from './PersonalData';
import styles from './Profile.module.css';

const SecondFactor = lazyPart(() => import('./SecondFactor').then((module) => module.SecondFactor), {
  texts: ['secondFactor'],
});
const Sessions = lazyPart(() => import('./Sessions').then((module) => module.Sessions));
const ApiKeys = lazyPart(() => import('~/ui/apiKeys/ApiKeys').then((module) => module.ApiKeys), {
  texts: ['apiKeys'],
});
const Webhooks = lazyPart(() => import('./Webhooks').then((module) => module.Webhooks), {
  texts: ['apiKeys'],
});

const TABS = ['names', 'password', 'sessions', 'keys', 'webhooks'] as const;
/** An impersonated user's password, sessions, keys and webhooks are out of reach. */
const IMPERSONATED_TABS = ['names'] as const;

/** The modal for the user's own names, password, second factor, sessions, API keys and webhooks; while impersonating, only the names of the impersonated user. */
export function Profile({ onClose }: { onClose: () => void }) {
  useReturnFocus();
  const { t } = useTranslation('profile');
  const common = useTranslation('common').t;
  const handheld = useHandheld();
  const tabs = useMe().impersonatedBy ? IMPERSONATED_TABS : TABS;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('title')}
      size="lg"
      fullScreen={handheld}
      closeButtonProps={{ 'aria-label': common('close') }}
      classNames={{ title: styles.title }}
    >
      <Tabs defaultValue="names" keepMounted={false}>
        <Tabs.List grow={handheld} mb="lg" className={styles.tabs}>
          {tabs.map((tab) => (
            <Tabs.Tab key={tab} value={tab}>
              {t(`tab.${tab}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="names">
          <PersonalData />
        </Tabs.Panel>
        <Tabs.Panel value="password">
          <Password />
          <SecondFactor />
        </Tabs.Panel>
        <Tabs.Panel value="sessions">
          <Sessions />
        </Tabs.Panel>
        <Tabs.Panel value="keys">
          <ApiKeys />
        </Tabs.Panel>
        <Tabs.Panel value="webhooks">
          <Webhooks />
        </Tabs.Panel>
      </Tabs>
    </Modal>
  );
}
