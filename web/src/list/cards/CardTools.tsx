import { ActionIcon, Tooltip, UnstyledButton } from '@mantine/core';
import { IconKeyboard, IconLayoutList, IconList } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import styles from './CardsView.module.css';

interface Props {
  compact: boolean;
  onCompact(compact: boolean): void;
  onHelp(): void;
}

/** How much of each card is shown, and the help about keys. */
export function CardTools({ compact, onCompact, onHelp }: Props) {
  const { t } = useTranslation('list');
  return (
    <>
      <fieldset className={styles.density} aria-label={t('cards.density')}>
        {([false, true] as const).map((isCompact) => {
          const label = t(isCompact ? 'cards.compact' : 'cards.comfortable');
          const Mark = isCompact ? IconList : IconLayoutList;
          return (
            <Tooltip key={label} label={label}>
              <UnstyledButton
                className={styles.choice}
                aria-label={label}
                aria-pressed={compact === isCompact}
                onClick={() => onCompact(isCompact)}
              >
                <Mark size={16} aria-hidden />
              </UnstyledButton>
            </Tooltip>
          );
        })}
      </fieldset>
      <Tooltip label={t('keys.open')}>
        <ActionIcon
          className={styles.help}
          variant="subtle"
          color="gray"
          size={28}
          aria-label={t('keys.open')}
          onClick={onHelp}
        >
          <IconKeyboard size={17} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}
