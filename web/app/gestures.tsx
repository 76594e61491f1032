import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { hasFormerView } from "../navigation/places.ts";
import { goBack, home, route } from "../navigation/router.ts";
import { Icon, type IconName } from "../parts/parts.tsx";
import { sessionSignal } from "../session/session.ts";
import { currentState } from "../session/store.ts";
import { tryTo } from "../session/toasts.ts";
import { quote } from "../views/messages/message.tsx";

/**
 * What a finger does to the page: a swipe in the direction of reading goes back, one against it on a message quotes it, and in an
 * installed page a pull at the top reloads it. Buttons do the same. The listeners are passive, so that nothing waits for them to
 * scroll; a movement is a gesture only if it begins straight in its direction.
 */

interface Gesture {
  icon: IconName;
  /** How far the finger has to go, in pixels. */
  distance: number;
  /** Which way it goes. */
  of: (dx: number, dy: number) => number;
  run: () => void;
  /** The message that moves along. */
  row?: HTMLElement;
  /** Where the hint is shown, in pixels from the top. */
  y: number;
}

/** The gesture that is under way, and how much of its distance the finger has gone: from 1 on, it counts. */
const current = sessionSignal<{ gesture: Gesture; progress: number } | undefined>(undefined);

/** A movement that is shorter may still be a tap. */
const minMovement = 12;
const swipeDistance = 70;
const pullDistance = 110;
/** At the edges, systems have gestures of their own. */
const edge = 24;
/** After a longer press, one selects text. */
const maxPressMs = 450;

/** 1 where one reads to the right, -1 where one reads to the left. */
const side = () => (document.documentElement.dir === "rtl" ? -1 : 1);

/** Whether the page is shown without the buttons and gestures of a browser, such as those that reload it. */
export const isInstalled = () => matchMedia("(display-mode: standalone)").matches;

/** Whether a movement on an element is for the element itself: it is written in, moved in or scrolled sideways. */
function isForElement(target: Element, frame: Element): boolean {
  if (target.closest("input, textarea, select, video, audio, dialog, [popover], .compose")) return true;
  for (let element: Element | null = target; element && element !== frame; element = element.parentElement)
    if (element.scrollWidth > element.clientWidth && /auto|scroll/.test(getComputedStyle(element).overflowX))
      return true;
  return false;
}

interface Start {
  x: number;
  y: number;
  atMs: number;
  target: Element;
}

function gestureOf({ x, y, atMs, target }: Start, dx: number, dy: number): Gesture | undefined {
  if (performance.now() - atMs > maxPressMs || getSelection()?.isCollapsed === false) return undefined;
  if (dy > 2 * Math.abs(dx)) {
    const scroller = target.closest(".messages, .page");
    if (!isInstalled() || !scroller || scroller.scrollTop > 0) return undefined;
    return { icon: "reload", distance: pullDistance, of: (_, down) => down, run: () => location.reload(), y: 60 };
  }
  if (Math.abs(dx) < 2 * Math.abs(dy) || x < edge || x > innerWidth - edge) return undefined;
  if (dx > 0)
    return hasFormerView() || route.peek().kind !== home.peek().kind
      ? { icon: "back", distance: swipeDistance, of: (right) => right, run: goBack, y }
      : undefined;
  const row = target.closest<HTMLElement>("[data-message-id]");
  const message = currentState().messages.get(Number(row?.dataset.messageId));
  if (!row || !message) return undefined;
  const run = () => void tryTo(() => quote(message));
  return { icon: "quote", distance: swipeDistance, of: (right) => -right, run, row, y };
}

export function useGestures(frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const main = frame.current;
    if (!main) return;
    let start: Start | undefined;
    const show = (next: typeof current.value) => {
      const row = (next ?? current.peek())?.gesture.row;
      if (row) row.style.translate = next ? `${-Math.min(next.progress, 1) * swipeDistance * side()}px` : "";
      current.value = next;
    };
    const cancel = () => {
      start = undefined;
      show(undefined);
    };
    const onStart = ({ touches, target }: TouchEvent) => {
      cancel();
      const [touch] = touches;
      if (touches.length !== 1 || !touch || !(target instanceof Element) || isForElement(target, main)) return;
      start = { x: touch.clientX, y: touch.clientY, atMs: performance.now(), target };
    };
    const onMove = ({ touches }: TouchEvent) => {
      const [touch] = touches;
      if (!start || !touch) return;
      if (touches.length !== 1) return cancel();
      const dx = (touch.clientX - start.x) * side();
      const dy = touch.clientY - start.y;
      if (!current.peek() && Math.hypot(dx, dy) < minMovement) return;
      const gesture = current.peek()?.gesture ?? gestureOf(start, dx, dy);
      if (!gesture) return cancel();
      show({ gesture, progress: Math.max(0, gesture.of(dx, dy) / gesture.distance) });
    };
    const onEnd = () => {
      const done = current.peek();
      cancel();
      if (done && done.progress >= 1) done.gesture.run();
    };
    const end = new AbortController();
    const options = { passive: true, signal: end.signal };
    main.addEventListener("touchstart", onStart, options);
    main.addEventListener("touchmove", onMove, options);
    main.addEventListener("touchend", onEnd, options);
    main.addEventListener("touchcancel", cancel, options);
    return () => {
      cancel();
      end.abort();
    };
  }, []);
}

/** Shows what happens if the finger is lifted. */
export function GestureHint() {
  if (!current.value) return null;
  const { gesture, progress } = current.value;
  return (
    <div
      class={`gesture ${gesture.icon} ${progress >= 1 ? "counts" : ""}`}
      style={{ "--progress": Math.min(progress, 1), top: `${gesture.y}px` }}
      aria-hidden="true"
    >
      <Icon name={gesture.icon} />
    </div>
  );
}
