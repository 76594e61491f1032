import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

const stepOf: Record<string, (index: number, count: number) => number> = {
  ArrowRight: (index, count) => (index + 1) % count,
  ArrowLeft: (index, count) => (index - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/**
 * Buttons that are one Tab stop, or none while the toolbar is not `reachable`: the arrow keys move between them, and Esc goes back
 * to the message that they belong to.
 */
export function Toolbar({
  label,
  reachable,
  children,
  ...rest
}: {
  label: string;
  reachable: boolean;
  class: string;
  children: ComponentChildren;
}) {
  const frame = useRef<HTMLDivElement>(null);
  /** The button that Tab leads to. */
  const current = useRef<Element>(undefined);
  const buttons = () => [
    ...(frame.current?.querySelectorAll<HTMLElement>(":scope > button, :scope > .anchored > button") ?? []),
  ];
  const updateTabStop = () => {
    const all = buttons();
    const stop = all.find((button) => button === current.current) ?? all[0];
    for (const button of all) button.tabIndex = reachable && button === stop ? 0 : -1;
  };
  useLayoutEffect(updateTabStop);
  return (
    <div
      class={rest.class}
      ref={frame}
      role="toolbar"
      aria-label={label}
      onFocusIn={({ target }) => {
        current.current = target as Element;
        updateTabStop();
      }}
      onKeyDown={(event) => {
        const all = buttons();
        const index = all.indexOf(event.target as HTMLElement);
        if (index < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
        const next = stepOf[event.key]?.(index, all.length);
        const target = event.key === "Escape" ? frame.current?.closest<HTMLElement>("article") : all[next ?? -1];
        if (!target) return;
        event.preventDefault();
        target.focus();
      }}
    >
      {children}
    </div>
  );
}
