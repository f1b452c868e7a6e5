import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { dashboardAccessQuery } from '~/api/queries/home';
import { lazyPart } from '~/ui/lazyPart';
import { Home } from './Home';

const DashboardAccess = lazyPart(() => import('./DashboardAccess').then((module) => module.DashboardAccess));

/** The page at `/`: the dashboard that the reader or the company account has elsewhere, in a frame; the figures of our own for everybody else. */
export function HomePage() {
  const { data: url, isPending } = useQuery(dashboardAccessQuery);
  if (isPending) return <Loader />;
  return url ? <DashboardAccess url={url} /> : <Home />;
}
