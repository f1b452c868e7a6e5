import { Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconBrandGoogle, IconChartBar, IconZoomScan } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import styles from './GoogleConnect.module.css';
import { SERVICES, type Service, servicesOf } from './scope';

const ICONS = { analytics: IconChartBar, searchConsole: IconZoomScan, ads: IconBrandGoogle } satisfies Record<
  Service,
  unknown
>;

/** The services of an account in their fixed order, dimmed without access, and a warning where nobody has consented to anything. */
export function Scope({ scope }: { scope: readonly string[] }) {
  const { t } = useTranslation('google');
  const granted = servicesOf(scope);
  return (
    <span className={styles.scope}>
      {scope.length === 0 && (
        <Tooltip label={t('scope.empty')}>
          <span role="img" aria-label={t('scope.empty')} className={styles.warning}>
            <IconAlertTriangle size={17} aria-hidden />
          </span>
        </Tooltip>
      )}
      {SERVICES.map(({ key }) => {
        const has = granted.has(key);
        const Icon = ICONS[key];
        const label = has ? t(`scope.${key}`) : t('scope.without', { name: t(`scope.${key}`) });
        return (
          <Tooltip key={key} label={label}>
            <span
              role="img"
              aria-label={label}
              aria-disabled={!has}
              className={styles.service}
              data-on={has || undefined}
            >
              <Icon size={16} aria-hidden />
            </span>
          </Tooltip>
        );
      })}
    </span>
  );
}
