import { IconArrowBackUp, IconEye, IconEyeOff, IconInbox } from '@tabler/icons-react';

/** The changes that a list offers, in order. */
export const ACTS = [
  { act: 'request', Icon: IconInbox },
  { act: 'ignore', Icon: IconEyeOff },
  { act: 'cancelRequest', Icon: IconArrowBackUp },
  { act: 'unignore', Icon: IconEye },
] as const;
