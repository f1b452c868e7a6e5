/** Services in the order in which they are shown, by a part of the address of what may be used. */
export const SERVICES = [
  { key: 'analytics', part: '/auth/analytics' },
  { key: 'searchConsole', part: '/auth/webmasters' },
  { key: 'ads', part: '/auth/adwords' },
] as const;

export type Service = (typeof SERVICES)[number]['key'];

/** The services that a scope gives access to. */
export function servicesOf(scope: readonly string[]): Set<Service> {
  const has = ({ part }: { part: string }) => scope.some((address) => address.includes(part));
  return new Set(SERVICES.filter(has).map(({ key }) => key));
}
