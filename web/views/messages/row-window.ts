/**
 * Which messages of a list are in the DOM: those on the screen and some ahead of it. The window grows by few rows per frame,
 * so that no frame takes long, and sheds the rows that the screen has left behind.
 */

/** The lowest and the highest message ID in the DOM. */
export interface RowWindow {
  from: number;
  /** Infinity: new messages, too. */
  to: number;
}

/** What the screen shows of the window, in pixels. */
export interface View {
  height: number;
  /** How much is in the DOM above and below the visible part. */
  above: number;
  below: number;
}

interface List {
  ids: readonly number[];
  foundNewest: boolean;
}

/** Rows that a frame renders, and those that it renders when the screen has nearly reached the end of the window. */
const rowsPerFrame = 12;
const rowsInHaste = 24;
/** The lowest row. */
const minRowHeight = 22;

/** How much is rendered ahead, in either direction. */
export const aheadOf = ({ height }: Pick<View, "height">) => Math.max(600, height);
/** What is farther away than this is removed. */
export const keptAround = (view: Pick<View, "height">) => aheadOf(view) * 1.75;
/** Rows are removed in groups, because removing rows above the screen changes the scroll position. */
const minRemoved = 16;

/** The index of the first ID that is not below `id`. */
export function indexOfId(ids: readonly number[], id: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] as number) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

const between = (ids: readonly number[], start: number, end: number, foundNewest: boolean): RowWindow => ({
  from: ids[Math.max(0, start)] ?? 0,
  to: end >= ids.length && foundNewest ? Number.POSITIVE_INFINITY : (ids[Math.min(end, ids.length) - 1] ?? 0),
});

const screenful = (height: number) => Math.ceil(height / minRowHeight);

export const windowAtEnd = ({ ids, foundNewest }: List, height: number): RowWindow =>
  between(ids, ids.length - screenful(height), ids.length, foundNewest);

/** A window that fills the screen from a message on, with a little above it. */
export function windowAround({ ids, foundNewest }: List, id: number, height: number): RowWindow {
  const at = indexOfId(ids, id);
  return between(ids, Math.min(at - rowsPerFrame, ids.length - screenful(height)), at + screenful(height), foundNewest);
}

/** The part of a list that is in the window. */
export const idsWithin = (ids: readonly number[], { from, to }: RowWindow): readonly number[] =>
  ids.slice(indexOfId(ids, from), indexOfId(ids, to + 1));

/** How many rows may go: those above and below that are farther away than `keptAround`. */
export interface Spare {
  above: number;
  below: number;
}

/** The window of the next frame; the same object if nothing is to change. */
export function nextWindow(window: RowWindow, { ids, foundNewest }: List, view: View, spare: Spare): RowWindow {
  const start = indexOfId(ids, window.from);
  const end = indexOfId(ids, window.to + 1);
  const [above, below] = [missing(view.above, view), missing(view.below, view)];
  const next = between(
    ids,
    spare.above >= minRemoved ? start + spare.above : start - above,
    spare.below >= minRemoved ? end - spare.below : end + below,
    foundNewest,
  );
  return next.from === window.from && next.to === window.to ? window : next;
}

/** How many rows to add where so much is rendered ahead. */
function missing(rendered: number, view: View): number {
  const pixels = aheadOf(view) - rendered;
  if (pixels <= 0) return 0;
  return Math.min(Math.ceil(pixels / minRowHeight), rendered < view.height / 2 ? rowsInHaste : rowsPerFrame);
}
