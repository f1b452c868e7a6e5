/** Concurrent calls: browsers open at most six connections to one HTTP/1.1 server. */
const CONCURRENCY = 6;

/** Works on all items, a few at a time, in their order. Rejects at the first failure that `work` does not catch. */
export async function inParallel<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items];
  const next = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, next));
}
