import type { CustomCellRendererProps } from 'ag-grid-react';
import type { FC } from 'react';
import type { Tools } from '../types';
import type { Figures } from './figures';
import { Change, Presence, Trend } from './parts';

type Cell = Omit<CustomCellRendererProps<{ id: string }>, 'context'> & { context: Tools };

const cellOf =
  (Part: FC<{ figures: Figures | undefined; tools: Tools }>) =>
  ({ data, context }: Cell) =>
    data && <Part figures={context.figures?.of(data.id)} tools={context} />;

/** What draws the columns of figures, by their ids. */
export const FIGURE_CELLS = { trend: cellOf(Trend), change: cellOf(Change), presence: cellOf(Presence) };
