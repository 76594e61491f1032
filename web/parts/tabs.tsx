import { useLayoutEffect, useRef } from "preact/hooks";

/** Links to the sections of a view, in one line that is moved sideways where there is little room. */
export function Tabs({
  label,
  tabs,
}: {
  label: string;
  tabs: readonly { label: string; href: string; isCurrent: boolean }[];
}) {
  const line = useRef<HTMLElement>(null);
  const current = tabs.findIndex(({ isCurrent }) => isCurrent);
  useLayoutEffect(() => {
    const tab = line.current?.children[current] as HTMLElement | undefined;
    if (tab) line.current?.scrollTo({ left: tab.offsetLeft + tab.offsetWidth / 2 - line.current.clientWidth / 2 });
  }, [current]);
  return (
    <nav class="tabs" aria-label={label} ref={line}>
      {tabs.map((tab) => (
        // A whole URL: checkers take a link to a fragment that is scrolled out of sight for one that skips what is before it.
        <a
          key={tab.href}
          href={new URL(tab.href, location.href).href}
          aria-current={tab.isCurrent ? "page" : undefined}
        >
          {tab.label}
        </a>
      ))}
    </nav>
  );
}
