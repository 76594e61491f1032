import { useLayoutEffect } from "preact/hooks";
import { perSession } from "../session/session.ts";

/** Where the user was in the views of the browser's history: going back shows a view as it was left. */

/** A message and its distance from the top of the list, in pixels. */
export interface ListPlace {
  id: number;
  top: number;
}

/** Of a page the scroll position in pixels; of a list of messages what was at its top, "end" if it followed the newest ones. */
export type LeftPlace = { scrollTop: number } | { list: ListPlace | "end"; selectedId: number | undefined };

const places = perSession(() => new Map<string, LeftPlace>());
let entry = "";
/** How many entries of the history before the one that is shown are views of this page. */
let depth = 0;

/** Notes which entry of the history is shown from now on: with `fresh` as it opens rather than as it was left. */
export function noteEntry({ fresh = false } = {}): void {
  const known = history.state as { entry?: unknown; depth?: unknown } | null;
  if (typeof known?.entry === "string") {
    entry = known.entry;
    depth = Number(known.depth) || 0;
  } else {
    depth = entry === "" ? 0 : depth + 1;
    entry = String(Math.random());
    history.replaceState({ entry, depth }, "");
  }
  if (fresh) places().delete(entry);
}

/** Whether going back leads to a view of this page. */
export const hasFormerView = () => depth > 0;

export const notePlace = (place: LeftPlace) => void places().set(entry, place);
export const placeLeft = (): LeftPlace | undefined => places().get(entry);

/** How long the content of a page may take until it has its former height. */
const maxLoadingMs = 10_000;

/** Keeps the scroll position of the page in `main`, and restores it. `view` is another object each time that one is shown. */
export function useKeptPlace(view: unknown): void {
  useLayoutEffect(() => {
    const main = document.querySelector("main");
    if (!main) return;
    const left = placeLeft();
    const end = new AbortController();
    const { signal } = end;
    restore(main, left && "scrollTop" in left ? left.scrollTop : 0, signal);
    const note = ({ target }: Event) => {
      if (isPage(target)) notePlace({ scrollTop: target.scrollTop });
    };
    main.addEventListener("scroll", note, { capture: true, passive: true, signal });
    return () => end.abort();
  }, [view]);
}

const isPage = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement && target.matches(".page");

/** Scrolls as soon as the content is high enough, unless the user does something before. */
function restore(main: HTMLElement, top: number, end: AbortSignal): void {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, end, AbortSignal.timeout(maxLoadingMs)]);
  const scroll = () => {
    const page = main.querySelector(".page");
    if (!page) return;
    page.scrollTop = top;
    if (Math.abs(page.scrollTop - top) < 1) done.abort();
  };
  const observer = new MutationObserver(scroll);
  observer.observe(main, { childList: true, subtree: true, attributes: true, attributeFilter: ["style"] });
  signal.addEventListener("abort", () => observer.disconnect());
  for (const name of ["wheel", "pointerdown", "keydown"])
    addEventListener(name, () => done.abort(), { signal, passive: true });
  scroll();
}
