import {
  IconArrowBackUp,
  IconBan,
  IconBellRinging,
  IconCircleCheck,
  IconCircleX,
  IconEye,
  IconEyeOff,
  IconInbox,
  IconSend,
} from '@tabler/icons-react';

/** The changes of a case, in order: the link that offers each, and whether it is made only after a confirmation. */
export const ACTS = [
  { act: 'accept', link: 'accept', Icon: IconCircleCheck, asks: true },
  { act: 'refuse', link: 'refuse', Icon: IconCircleX, asks: true },
  { act: 'inprogress', link: 'inprogress', Icon: IconSend, asks: true },
  { act: 'forceReminder', link: 'forceReminder', Icon: IconBellRinging, asks: true },
  { act: 'block', link: 'block', Icon: IconBan, asks: true },
  { act: 'request', link: 'markAsRequested', Icon: IconInbox, asks: false },
  { act: 'cancel', link: 'cancel', Icon: IconArrowBackUp, asks: true },
  { act: 'ignore', link: 'ignore', Icon: IconEyeOff, asks: true },
  { act: 'cancelIgnore', link: 'cancelIgnore', Icon: IconEye, asks: false },
] as const;

export type Act = (typeof ACTS)[number];

/** An act that is confirmed first. */
export type AskedAct = Extract<Act, { asks: true }>['act'];
