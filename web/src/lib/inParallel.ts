/** Concurrent calls: browsers open at most six connections to one HTTP/1.1 server. */
const CONCURRENCY = 6;

/** Acts on every item, on a few at a time. `act` handles its own failures. */
export async function inParallel<Item>(items: Iterable<Item>, act: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await act(next);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}
