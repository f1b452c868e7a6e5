import { useTranslation } from 'react-i18next';
import { isStaff, useMe } from '~/api/session';
import { KeyHelp } from '~/list/cards/KeyHelp';

/** The keys of the page of a case; several for one purpose are one entry. */
const KEYS = [
  [['j', 'k'], 'keys.mail'],
  [['o'], 'keys.open'],
  [['[', ']'], 'keys.case'],
  [['i'], 'keys.ignore'],
  [['t'], 'keys.tags'],
  [['n'], 'keys.note'],
  [['/'], 'keys.search'],
  [['g', 'a'], 'keys.goActions'],
  [['g', 't'], 'keys.goTodo'],
  [['Esc'], 'keys.leave'],
  [['?'], 'keys.help'],
] as const;

/** Those of the staff. */
const STAFF_KEYS = [
  [['r'], 'keys.answer'],
  [['u'], 'keys.unread'],
  [['a'], 'keys.accept'],
  [['f'], 'keys.refuse'],
  [['m'], 'keys.inprogress'],
  [['b'], 'keys.block'],
  [['z'], 'keys.pause'],
] as const;

/** What the keys of the page of a case do. */
export function CaseKeyHelp({ onClose }: { onClose(): void }) {
  const { t } = useTranslation('action');
  const staff = isStaff(useMe());
  const entries = [...(staff ? STAFF_KEYS : []), ...KEYS].map(([keys, label]) => ({ keys, label: t(label) }));
  return <KeyHelp entries={entries} onClose={onClose} />;
}
