import { useRef } from "preact/hooks";
import { later, perSession, sessionSignal } from "../../session/session.ts";

/**
 * Keeps the rows of the sidebar where they are while somebody is about to choose one: while the pointer moves over it, a key is
 * pressed in it, or a menu of it is open.
 */

const isHeld = sessionSignal(false);
/** How long after the last sign of the pointer or a key the rows may move. */
const holdMs = 5000;
const release = perSession(() => ({ cancel: () => {} }));

export function holdRows(sidebar: HTMLElement): void {
  isHeld.value = true;
  release().cancel();
  release().cancel = later(() => releaseRows(sidebar), holdMs);
}

export function releaseRows(sidebar: HTMLElement): void {
  release().cancel();
  if (sidebar.querySelector('[aria-haspopup="menu"][aria-expanded="true"]')) holdRows(sidebar);
  else isHeld.value = false;
}

/**
 * The rows to show: while they are held, those that were shown before, in the same order and with their latest content. `emptied`
 * is what a row that is gone is shown as. Another `choice` of the user applies at once; when `opened` changes, new rows are added
 * at the end.
 */
export function useStillRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  { emptied, choice, opened }: { emptied: (row: Row) => Row; choice: string; opened: string },
): readonly Row[] {
  const former = useRef<{ rows: readonly Row[]; choice: string; opened: string }>(undefined);
  const { current } = former;
  const shown =
    isHeld.value && current?.choice === choice
      ? merged(current.rows, rows, keyOf, emptied, current.opened !== opened)
      : rows;
  former.current = { rows: shown, choice, opened };
  return shown;
}

function merged<Row>(
  former: readonly Row[],
  latest: readonly Row[],
  keyOf: (row: Row) => string,
  emptied: (row: Row) => Row,
  mayGrow: boolean,
): readonly Row[] {
  const byKey = new Map(latest.map((row) => [keyOf(row), row]));
  const kept = former.map((row) => byKey.get(keyOf(row)) ?? emptied(row));
  const keptKeys = new Set(former.map(keyOf));
  return mayGrow ? [...kept, ...latest.filter((row) => !keptKeys.has(keyOf(row)))] : kept;
}
