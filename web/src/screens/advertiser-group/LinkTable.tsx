import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AdvertiserGroup, GroupLink } from '~/api/queries/advertiserGroups';
import { useFormats } from '~/ui/useFormats';
import styles from './AdvertiserGroup.module.css';
import { KindIcon } from './KindIcon';
import { linkKey } from './links';

interface Props {
  group: AdvertiserGroup;
  chosen: GroupLink | undefined;
  onChoose(link: GroupLink): void;
}

/** The links of a group as a list, each a button that chooses it. */
export function LinkTable({ group, chosen, onChoose }: Props) {
  const { t } = useTranslation('advertiserGroup');
  const fmt = useFormats();
  return (
    <ul className={styles.linkList}>
      {group.data.links.map((link) => (
        <li key={linkKey(link)}>
          <UnstyledButton aria-pressed={link === chosen} onClick={() => onChoose(link)}>
            <span>
              {link.one} – {link.other}
              {!link.accepted && <span className={styles.badge}>{t('suggested')}</span>}
            </span>
            <span className={styles.kinds}>
              {link.evidence.map(({ kind }) => (
                <KindIcon key={kind} kind={kind} />
              ))}
              <strong>{fmt.share(link.confidence)}</strong>
            </span>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}
