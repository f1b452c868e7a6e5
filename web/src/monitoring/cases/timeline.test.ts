import { describe, expect, it } from 'vitest';
import { foldTimeline, type HistoryEntry, timelineOf } from './timeline';

const history = (...entries: [string, string][]): HistoryEntry[] =>
  entries.map(([status, date], index) => ({ ID: index + 1, status, date, previousDate: [] }));

describe('a timeline', () => {
  it('makes one node of consecutive reminders, dated by the latest, and none of others', () => {
    const nodes = timelineOf(
      history(
        ['new', '1'],
        ['inprogress', '2'],
        ['reminded', '3'],
        ['reminded', '4'],
        ['reminded', '5'],
        ['blocked', '6'],
        ['inprogress', '7'],
        ['reminded', '8'],
      ),
    );
    expect(nodes.map(({ status, date }) => `${status} ${date}`)).toEqual([
      'new 1',
      'inprogress 2',
      'reminded 5',
      'blocked 6',
      'inprogress 7',
      'reminded 8',
    ]);
    expect(nodes[2]?.earlier).toEqual(['4', '3']);
    expect(nodes[5]?.earlier).toEqual([]);
  });

  it('keeps the earlier dates that the server has joined already', () => {
    const [node] = timelineOf([
      { ID: 'a', status: 'reminded', date: '3', previousDate: ['1', '2'] },
      { ID: 'b', status: 'reminded', date: '4', previousDate: ['1', '2', '3'] },
    ]);
    expect(node).toEqual({ id: 'b', status: 'reminded', date: '4', earlier: ['3', '2', '1'] });
  });

  it('folds what is older than the newest nodes', () => {
    const nodes = timelineOf(history(['new', '1'], ['requested', '2'], ['new', '3'], ['ignored', '4']));
    expect(foldTimeline(nodes, 3).folded.map(({ date }) => date)).toEqual(['1']);
    expect(foldTimeline(nodes, 3).shown.map(({ date }) => date)).toEqual(['2', '3', '4']);
    expect(foldTimeline(nodes).folded).toEqual([]);
  });
});
