import type { RouteComponent } from '@tanstack/react-router';
import { type ComponentType, createElement } from 'react';
import { ApiError, NETWORK } from '~/api/errors';

/** Waits for code or texts of our own. One that does not arrive is the same to a reader as a call that does not get through. */
export async function arrived<Loaded>(loading: Promise<Loaded>): Promise<Loaded> {
  try {
    return await loading;
  } catch {
    throw new ApiError(0, NETWORK, 'A part of the page cannot be loaded');
  }
}

/**
 * The component of a route, whose code is loaded with the route's data. What cannot be loaded is the error of the route, and is asked
 * for again with it. (The router's own lazy components reload the page instead, which loses it where the server is away.)
 */
export function lazyScreen(load: () => Promise<ComponentType>): RouteComponent {
  let loaded: ComponentType | undefined;
  const preload = async () => {
    loaded ??= await arrived(load());
  };
  const Screen = () => (loaded ? createElement(loaded) : null);
  return Object.assign(Screen, { preload });
}
