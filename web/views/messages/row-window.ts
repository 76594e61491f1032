/**
 * Which messages of a list are in the DOM: those on the screen and some ahead of it. The window grows by a few rows per frame,
 * so that no frame takes long, and drops the rows that are far from the screen.
 */

/** The lowest and the highest message ID in the DOM. */
export interface RowWindow {
  from: number;
  /** Infinity if the window ends with the newest message: then new messages are in it, too. */
  to: number;
}

/** The part of the window that is on the screen, in pixels. */
export interface View {
  height: number;
  /** The height of the rendered rows above the screen. */
  above: number;
  /** The height of the rendered rows below the screen. */
  below: number;
}

/** What is needed of a `MessageList`. */
interface List {
  ids: readonly number[];
  foundNewest: boolean;
  /** About how many elements a row has. Default: few. */
  elementsOf?: (id: number) => number;
}

/** A frame adds rows of at most so many elements together, and at least one row. */
const elementsPerFrame = 1500;
const elementsOfRow = 40;
/** With more elements than this in the window, no more rows are added beyond those next to the screen. */
const maxElements = 8000;
/** How much is rendered ahead of the screen then, in pixels. */
const leastPixelsAhead = 100;

/** The maximum number of rows that a frame adds at each end of the window. */
const rowsPerFrame = 12;
/** The same when less than half a screen is rendered ahead: then blank space may soon appear. */
const rowsPerFrameNearEnd = 24;
/** The height of the shortest possible row, in pixels. */
const minRowHeight = 22;

/** How much is rendered ahead of the screen in either direction, in pixels. */
export const pixelsAhead = ({ height }: Pick<View, "height">) => Math.max(600, height);
/** Rows that are farther from the screen than this many pixels are removed. */
export const pixelsKept = (view: Pick<View, "height">) => pixelsAhead(view) * 1.75;
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

/** The window with the rows from index `start` to before index `end`. */
const windowOf = (ids: readonly number[], start: number, end: number, foundNewest: boolean): RowWindow => ({
  from: ids[Math.max(0, start)] ?? 0,
  to: end >= ids.length && foundNewest ? Number.POSITIVE_INFINITY : (ids[Math.min(end, ids.length) - 1] ?? 0),
});

/** The maximum number of rows on a screen. */
const screenful = (height: number) => Math.ceil(height / minRowHeight);

const elementsIn = ({ elementsOf }: List, id: number) => elementsOfRow + (elementsOf?.(id) ?? 0);

/** How many rows before (-1) or from (1) `index` on a frame may add: at most `count`, and at least one. */
function affordable(list: List, index: number, step: -1 | 1, count: number): number {
  let elements = 0;
  for (let rows = 0; rows < count; rows++) {
    const id = list.ids[step < 0 ? index - 1 - rows : index + rows];
    if (id === undefined) return count;
    elements += elementsIn(list, id);
    if (elements > elementsPerFrame) return Math.max(1, rows);
  }
  return count;
}

export function windowAtEnd(list: List, height: number): RowWindow {
  const { ids, foundNewest } = list;
  return windowOf(ids, ids.length - affordable(list, ids.length, -1, screenful(height)), ids.length, foundNewest);
}

/** A window that fills the screen from a message on, with a little above it. */
export function windowAround(list: List, id: number, height: number): RowWindow {
  const { ids, foundNewest } = list;
  const index = indexOfId(ids, id);
  const start = Math.min(index - rowsPerFrame, ids.length - screenful(height));
  const rowsFrom = affordable(list, index, 1, screenful(height));
  // Where even those are too many for a frame, the rows above follow in the next ones.
  const isFull = rowsFrom < Math.min(screenful(height), ids.length - index);
  const rowsBefore = isFull ? 0 : affordable(list, index, -1, index - start);
  return windowOf(ids, index - rowsBefore, index + rowsFrom, foundNewest);
}

/** The part of a list that is in the window. */
export const idsWithin = (ids: readonly number[], { from, to }: RowWindow): readonly number[] =>
  ids.slice(indexOfId(ids, from), indexOfId(ids, to + 1));

/** How many rows above and below the screen may be removed: those that are farther away than `pixelsKept`. */
export interface RemovableRows {
  above: number;
  below: number;
}

/** The window of the next frame; the same object if it does not change. */
export function nextWindow(window: RowWindow, list: List, view: View, removable: RemovableRows): RowWindow {
  const { ids, foundNewest } = list;
  const start = indexOfId(ids, window.from);
  const end = indexOfId(ids, window.to + 1);
  const isLarge = ids.slice(start, end).reduce((sum, id) => sum + elementsIn(list, id), 0) > maxElements;
  const wanted = (pixels: number) => (isLarge && pixels >= leastPixelsAhead ? 0 : rowsToAdd(pixels, view));
  const wantedBelow = Math.min(wanted(view.below), ids.length - end);
  const addedBelow = affordable(list, end, 1, wantedBelow);
  const addedAbove = addedBelow < wantedBelow ? 0 : affordable(list, start, -1, wanted(view.above));
  const next = windowOf(
    ids,
    removable.above >= minRemoved ? start + removable.above : start - addedAbove,
    removable.below >= minRemoved ? end - removable.below : end + addedBelow,
    foundNewest,
  );
  return next.from === window.from && next.to === window.to ? window : next;
}

/** How many rows to add at an end of the window where `renderedPixels` are rendered ahead of the screen. */
function rowsToAdd(renderedPixels: number, view: View): number {
  const pixels = pixelsAhead(view) - renderedPixels;
  if (pixels <= 0) return 0;
  return Math.min(
    Math.ceil(pixels / minRowHeight),
    renderedPixels < view.height / 2 ? rowsPerFrameNearEnd : rowsPerFrame,
  );
}

/** The part of a row from which on it counts as seen. */
const minSeenFraction = 0.3;

/** The rows that count as seen in a frame, from top to bottom. Of one that is longer than the frame, a part of the frame is enough. */
export function rowsInView(frame: HTMLElement, rows: readonly HTMLElement[]): HTMLElement[] {
  const { top, bottom, height } = frame.getBoundingClientRect();
  const seen: HTMLElement[] = [];
  for (let index = firstBelow(rows, top); index < rows.length; index++) {
    const row = rows[index] as HTMLElement;
    const box = row.getBoundingClientRect();
    if (box.top >= bottom) break;
    const visiblePixels = Math.min(box.bottom, bottom) - Math.max(box.top, top);
    if (visiblePixels >= minSeenFraction * Math.min(box.height, height)) seen.push(row);
  }
  return seen;
}

/** The index of the first row that ends below `y`, in pixels from the top of the screen. */
export function firstBelow(rows: readonly HTMLElement[], y: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] as HTMLElement).getBoundingClientRect().bottom < y) low = middle + 1;
    else high = middle;
  }
  return low;
}
