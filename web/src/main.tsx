import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { makeQueryClient, reloadWhenStale } from '~/app/startup';
import { meQuery } from './api/session';
import { makeRouter, startScreen } from './app/routes';
import { i18next, startTexts } from './i18n';
import './ui/styles.css';
import { theme } from './ui/theme';

reloadWhenStale();

const queries = makeQueryClient(() => void router.invalidate());
const router = makeRouter({ queries });

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

const texts = startTexts();
startScreen(router, { queries });
await texts;
// Calling `me` stores the language on the server, which writes mails in it.
i18next.on('languageChanged', () => void queries.invalidateQueries({ queryKey: meQuery.queryKey }));

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <Notifications position="top-right" limit={5} />
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
