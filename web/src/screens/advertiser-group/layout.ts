import type { AdvertiserGroup } from '~/api/queries/advertiserGroups';

/** Where a domain is drawn, in percent of the width and height. */
export interface Place {
  x: number;
  y: number;
}

/** Half of the picture, less the room for names. */
const RADIUS = { members: { x: 27, y: 30 }, suggested: { x: 39, y: 40 } } as const;

/** The point of an ellipse around the middle at a part of the whole turn, from the top clockwise. */
const around = ({ x, y }: { x: number; y: number }, turn: number): Place => ({
  x: 50 + x * Math.sin(2 * Math.PI * turn),
  y: 50 - y * Math.cos(2 * Math.PI * turn),
});

/**
 * Where the domains of a group are drawn: the first in the middle, all others around it at even angles, members nearer than those that may belong to
 * them.
 */
export function placesOf({ domains }: Pick<AdvertiserGroup['data'], 'domains'>): ReadonlyMap<string, Place> {
  const [first, ...others] = domains;
  const places = new Map<string, Place>();
  if (first) places.set(first.domain, { x: 50, y: 50 });
  for (const [at, { domain, member }] of others.entries())
    places.set(domain, around(member ? RADIUS.members : RADIUS.suggested, (at + 0.15) / others.length));
  return places;
}

/** The diameter of a domain in pixels: its area grows with its share of the group's views. */
export const sizeOf = (views: number, most: number): number => 40 + 28 * Math.sqrt(most > 0 ? views / most : 0);
