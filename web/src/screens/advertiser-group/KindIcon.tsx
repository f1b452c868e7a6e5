import { IconPhoto, IconQuote, IconServer2, IconShoppingBag, IconTarget } from '@tabler/icons-react';

const ICONS = {
  merchant: IconShoppingBag,
  tracker: IconTarget,
  host: IconServer2,
  text: IconQuote,
  picture: IconPhoto,
} as const;

/** The sign of a kind of evidence; nothing for a kind that this version does not know. */
export function KindIcon({ kind, size = 15 }: { kind: string; size?: number }) {
  const Icon = ICONS[kind as keyof typeof ICONS];
  return Icon ? <Icon size={size} aria-hidden /> : null;
}
