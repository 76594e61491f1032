import { useSignalEffect } from "@preact/signals";
import type { ComponentChildren, HTMLAttributes } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { navigations } from "../navigation/router.ts";

/**
 * Menus, pickers and suggestions. The browser shows them in its top layer, where nothing clips or covers them, on that side of
 * their anchor where there is room (`.anchored` in floating.css); in the middle of the screen if it does not know anchors.
 */

/** Calls `leave` when the user navigates, also to the view that is shown; not when the view follows a topic that somebody renames. */
export function useLeaving(leave: () => void): void {
  const opened = useRef(navigations.peek());
  useSignalEffect(() => {
    if (navigations.value !== opened.current) leave();
  });
}

/** What is open until the user presses Escape, clicks elsewhere or navigates. It gives the focus back. */
export function Floating({
  onClose,
  ...rest
}: Omit<HTMLAttributes<HTMLDivElement>, "onToggle" | "popover"> & { onClose: () => void }) {
  const frame = useRef<HTMLDivElement>(null);
  useLeaving(onClose);
  useLayoutEffect(() => {
    const previousFocus = document.activeElement as HTMLElement | null;
    const floating = frame.current;
    floating?.showPopover();
    return () => {
      // The focus is nowhere if the element was removed before this runs.
      if (floating?.contains(document.activeElement) || document.activeElement === document.body)
        previousFocus?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div
      {...rest}
      class={`floating ${rest.class ?? ""}`}
      ref={frame}
      popover="auto"
      onToggle={({ newState }) => newState === "closed" && onClose()}
    />
  );
}

/** The choices for the field before it, which keeps the focus and moves through them. */
export function Suggestions<Choice>({
  id,
  label,
  choices,
  chosenIndex,
  onChoose,
  children,
}: {
  id: string;
  label: string;
  choices: readonly Choice[];
  chosenIndex: number;
  onChoose: (choice: Choice) => void;
  children: (choice: Choice) => ComponentChildren;
}) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => list.current?.showPopover(), []);
  useLayoutEffect(
    () => list.current?.children[chosenIndex]?.scrollIntoView({ block: "nearest" }),
    [chosenIndex, choices],
  );
  return (
    <ul class="floating suggestions" ref={list} id={id} popover="manual" role="listbox" aria-label={label}>
      {choices.map((choice, index) => (
        <li
          key={index}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosenIndex}
          tabIndex={-1}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(choice)}
        >
          {children(choice)}
        </li>
      ))}
    </ul>
  );
}
