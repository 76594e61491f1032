/**
 * Runs `work` while no other window of this browser, and no other call in this one, does work of the same name. Browsers have
 * locks on secure pages only: elsewhere, only calls in this window exclude each other.
 */
export function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  const locks = navigator.locks as LockManager | undefined;
  if (locks) return locks.request(`skein-${name}`, work) as Promise<T>;
  const result = (queues.get(name) ?? Promise.resolve()).then(work);
  const settled = result
    .catch(() => {})
    .then(() => {
      if (queues.get(name) === settled) queues.delete(name);
    });
  queues.set(name, settled);
  return result;
}

/** The work in this window by name. */
const queues = new Map<string, Promise<unknown>>();
