import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AdvertiserGroup, GroupLink } from '~/api/queries/advertiserGroups';
import { useFormats } from '~/ui/useFormats';
import styles from './AdvertiserGroup.module.css';
import { KindIcon } from './KindIcon';
import { placesOf, sizeOf } from './layout';
import { linkKey } from './links';

interface Props {
  group: AdvertiserGroup;
  chosen: GroupLink | undefined;
  onChoose(link: GroupLink): void;
}

/** The domains of a group as circles whose area is their share of views, and their links as lines with a button each that chooses the link. */
export function Graph({ group, chosen, onChoose }: Props) {
  const { t } = useTranslation('advertiserGroup');
  const fmt = useFormats();
  const { data, meta } = group;
  const places = placesOf(data);
  const most = Math.max(...data.domains.map(({ views }) => views));
  const lines = data.links.flatMap((link) => {
    const [from, to] = [places.get(link.one), places.get(link.other)];
    return from && to ? [{ link, from, to }] : [];
  });
  return (
    <div className={styles.graph}>
      <svg className={styles.lines} aria-hidden="true">
        {lines.map(({ link, from, to }) => (
          <line
            key={linkKey(link)}
            x1={`${from.x}%`}
            y1={`${from.y}%`}
            x2={`${to.x}%`}
            y2={`${to.y}%`}
            className={styles.line}
            data-suggested={!link.accepted || undefined}
            data-chosen={link === chosen || undefined}
          />
        ))}
      </svg>
      {data.domains.map(({ domain, member, views }) => {
        const place = places.get(domain);
        const size = sizeOf(views, most);
        return (
          place && (
            <div key={domain} className={styles.node} style={{ left: `${place.x}%`, top: `${place.y}%` }}>
              <span
                className={styles.circle}
                style={{ width: size, height: size }}
                data-first={domain === data.domain || undefined}
                data-suggested={!member || undefined}
              >
                {fmt.visibility(meta.totalViews > 0 ? (views / meta.totalViews) * 100 : 0)}
              </span>
              <span className={styles.nodeName}>{domain}</span>
            </div>
          )
        );
      })}
      {lines.map(({ link, from, to }) => (
        <UnstyledButton
          key={linkKey(link)}
          className={styles.pill}
          style={{ left: `${(from.x + to.x) / 2}%`, top: `${(from.y + to.y) / 2}%` }}
          data-chosen={link === chosen || undefined}
          aria-pressed={link === chosen}
          aria-label={t('linkOf', { one: link.one, other: link.other, share: fmt.share(link.confidence) })}
          onClick={() => onChoose(link)}
        >
          {link.evidence.map(({ kind }) => (
            <KindIcon key={kind} kind={kind} size={13} />
          ))}
          {fmt.share(link.confidence)}
        </UnstyledButton>
      ))}
    </div>
  );
}
