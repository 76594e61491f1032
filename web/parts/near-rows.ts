import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** How many rows are rendered above and below the screen. */
const rowsAhead = 12;

export interface NearRows {
  /** The index of the first row that is rendered. */
  first: number;
  /** The index after the last one. */
  end: number;
}

/**
 * Which rows of a long list are rendered: those near the screen. The list has the class `long`, and `spaceFor` reserves the
 * height of the others, because all rows of a list have one height.
 */
export function useNearRows(list: { current: HTMLElement | null }, count: number): NearRows {
  const [near, setNear] = useState<NearRows>({ first: 0, end: 0 });
  const update = () => {
    const element = list.current;
    const frame = element?.closest(".page");
    if (!element || !frame || count === 0) return;
    const { top, height } = element.getBoundingClientRect();
    const box = frame.getBoundingClientRect();
    const rowHeight = height / count;
    const indexAt = (y: number) => Math.max(0, Math.min(count, Math.ceil((y - top) / rowHeight)));
    const first = indexAt(box.top - (rowsAhead + 1) * rowHeight);
    const end = indexAt(box.bottom + rowsAhead * rowHeight);
    if (first !== near.first || end !== near.end) setNear({ first, end });
  };
  useLayoutEffect(update);
  useEffect(() => {
    const frame = list.current?.closest(".page");
    frame?.addEventListener("scroll", update, { passive: true });
    addEventListener("resize", update);
    return () => {
      frame?.removeEventListener("scroll", update);
      removeEventListener("resize", update);
    };
  });
  const first = Math.min(near.first, count);
  useMovedRows(list, first);
  return { first, end: Math.min(near.end, count) };
}

/** Lets rows that have another place in the list than before slide there. */
function useMovedRows(list: { current: HTMLElement | null }, first: number): void {
  const places = useRef(new Map<Element, number>());
  useLayoutEffect(() => {
    const before = places.current;
    places.current = new Map([...(list.current?.children ?? [])].map((row, index) => [row, first + index]));
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const [row, place] of places.current) {
      const moved = (before.get(row) ?? place) - place;
      if (moved !== 0)
        row.animate(
          { translate: [`0 calc(${moved} * var(--row-height))`, "0 0"] },
          { duration: 160, easing: "ease-out" },
        );
    }
  });
}

/** The style that gives a list the height of all of its `count` rows. */
export const spaceFor = ({ first, end }: NearRows, count: number) => ({
  "--above": first,
  "--below": count - end,
});
