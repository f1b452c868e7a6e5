import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** Device classes by their maximal window width, in px. */
const CLASSES = [
  ['mobileS', 320],
  ['mobileM', 375],
  ['mobileL', 425],
  ['tablet', 768],
  ['laptopS', 980],
  ['laptop', 1024],
  ['laptopL', 1440],
] as const;

export type Device = (typeof CLASSES)[number][0] | 'desktop';

export const deviceOf = (width: number): Device => CLASSES.find(([, limit]) => width <= limit)?.[0] ?? 'desktop';

/** On these, lists become cards and the menu a burger. */
const HANDHELD: readonly Device[] = ['mobileS', 'mobileM', 'mobileL', 'tablet'];

const subscribe = (changed: () => void) => {
  window.addEventListener('resize', changed);
  return () => window.removeEventListener('resize', changed);
};

/** The device class of the window; re-renders only when the class changes. */
export const useDevice = (): Device => useSyncExternalStore(subscribe, () => deviceOf(window.innerWidth));

export const useHandheld = (): boolean => HANDHELD.includes(useDevice());

const subscribeOnline = (changed: () => void) => onlineManager.subscribe(changed);

/** Whether the browser is online; queries pause while it is not. */
export const useOnline = (): boolean => useSyncExternalStore(subscribeOnline, () => onlineManager.isOnline());
