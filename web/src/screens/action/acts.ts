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

/** The changes of a case, in order: the link that offers each, the key that begins it, and whether it is made only after a confirmation. */
export const ACTS = [
  { act: 'accept', link: 'accept', key: 'a', Icon: IconCircleCheck, asks: true },
  { act: 'refuse', link: 'refuse', key: 'f', Icon: IconCircleX, asks: true },
  { act: 'inprogress', link: 'inprogress', key: 'm', Icon: IconSend, asks: true },
  { act: 'forceReminder', link: 'forceReminder', key: undefined, Icon: IconBellRinging, asks: true },
  { act: 'block', link: 'block', key: 'b', Icon: IconBan, asks: true },
  { act: 'request', link: 'markAsRequested', key: undefined, Icon: IconInbox, asks: false },
  { act: 'cancel', link: 'cancel', key: undefined, Icon: IconArrowBackUp, asks: true },
  { act: 'ignore', link: 'ignore', key: 'i', Icon: IconEyeOff, asks: true },
  { act: 'cancelIgnore', link: 'cancelIgnore', key: undefined, Icon: IconEye, asks: false },
] as const;

export type Act = (typeof ACTS)[number];

/** The links that take a change back. */
export const TAKEN_BACK_BY: Readonly<Partial<Record<ActName, string>>> = {
  request: 'cancelRequested',
  ignore: 'cancelIgnore',
  cancelIgnore: 'ignore',
};

export type ActName = Act['act'];

/** An act that is confirmed first. */
export type AskedAct = Extract<Act, { asks: true }>['act'];

/** What is open over the page of a case: the confirmation of an act, or another window of it. */
export type Opened = AskedAct | 'reasons' | 'tags' | 'pause' | 'history' | 'conversations' | 'help';
