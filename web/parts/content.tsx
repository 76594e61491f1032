import { useComputed } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { locale, t } from "../base/languages/language.ts";
import { safeHtml, textOf } from "../base/lib/html.ts";
import { partsOf, plainText } from "../base/lib/long-html.ts";
import { dayAndTime, timeWithZone, twentyFourHours } from "../base/lib/time.ts";
import { openProfile } from "../navigation/open-profile.ts";
import { openPicture, pictureLinks } from "../navigation/picture-open.ts";
import { onSession, perSession, sessionSignal } from "../session/session.ts";
import { currentState } from "../session/store.ts";
import { Boundary } from "./boundary.tsx";

interface ContentProps {
  html: string;
  isMe?: boolean;
  /** What a long content is known by when the reader has expanded it. Default: its HTML. */
  expandedAs?: string;
}

/** Rendered content of a message or description; its text, if it cannot be shown. */
export const Content = (props: ContentProps) => (
  <Boundary
    what="rendered content"
    of={props.html}
    fallback={() => <p class="plain-text">{textOf(String(props.html))}</p>}
  >
    <RenderedContent {...props} />
  </Boundary>
);

const htmlContext = {
  formatTime: dayAndTime,
  timeWithZone,
  concernsReader: ({ userId, groupId, isWildcard }: { userId?: number; groupId?: number; isWildcard: boolean }) => {
    if (isWildcard) return true;
    const { userId: reader, groups } = currentState();
    return userId === reader || (groupId !== undefined && (groups.get(groupId)?.members.includes(reader) ?? false));
  },
};

/** Sanitized HTML by the HTML that the server sent. */
const knownHtml = perSession(() => new Map<string, string>());
onSession((session) =>
  session.effect(() => {
    // The times in it are written by these.
    void [locale.value, twentyFourHours.value];
    knownHtml().clear();
  }),
);

/** How many parts of long contents are shown, by `expandedAs` or their HTML; the others are collapsed. */
const shownParts = sessionSignal<ReadonlyMap<string, number>>(new Map());
/** The oldest collapse again. */
const maxExpanded = 200;

function showParts(name: string, count: number): void {
  const others = [...shownParts.peek()].filter(([other]) => other !== name).slice(1 - maxExpanded);
  shownParts.value = new Map([...others, [name, count]]);
}

/** What a search has found in it is shown, too, if the first further part has it. */
function initialParts(html: string): number {
  const found = html.indexOf('<span class="highlight"');
  return found >= 0 && !partsOf(html, 0).shown[0]?.includes('<span class="highlight"') ? 1 : 0;
}

/** The text of what is not shown, for the browser's own search; its elements are not built. */
function HiddenText({ html, onFound }: { html: string; onFound: () => void }) {
  const text = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = text.current;
    element?.addEventListener("beforematch", onFound);
    return () => element?.removeEventListener("beforematch", onFound);
  });
  return (
    <div hidden="until-found" ref={text}>
      {plainText(html)}
    </div>
  );
}

/** HTML with spoilers that open and mentions that open a profile; of long HTML its beginning, and the rest on request. */
function RenderedContent({ html: given, isMe, expandedAs = given }: ContentProps) {
  // The sender's name takes the place of the command.
  const html = isMe ? given.replace(/^(<p>(?:<span class="highlight">)?)\/me(<\/span>)?\s*/, "$1$2") : given;
  const count = useComputed(() => shownParts.value.get(expandedAs)).value ?? initialParts(html);
  const { shown, isLong, rest } = useMemo(() => partsOf(html, count), [html, count]);
  const frame = useRef<HTMLDivElement>(null);
  const show = (parts: number) => showParts(expandedAs, parts);
  const rendered = (part: string) => (
    <div
      class="rendered"
      onClick={onContentClick}
      onKeyDown={(event) => {
        if ((event.key === "Enter" || event.key === " ") && toggleSpoiler(event.target as HTMLElement))
          event.preventDefault();
      }}
      // DOMPurify has sanitized the HTML.
      dangerouslySetInnerHTML={{ __html: safeHtml(part, htmlContext, knownHtml()) }}
    />
  );
  if (!isLong) return rendered(html);
  return (
    <div class="long-content" ref={frame}>
      {shown.map(rendered)}
      {rest && <HiddenText html={rest} onFound={() => show(count + 1)} />}
      <p class="more-or-less">
        {rest && (
          <button type="button" aria-expanded={count > 0} onClick={() => show(count + 1)}>
            {t("Show more")}
          </button>
        )}
        {count > 0 && (
          <button
            type="button"
            aria-expanded
            onClick={() => {
              show(0);
              requestAnimationFrame(() => frame.current?.scrollIntoView({ block: "nearest" }));
            }}
          >
            {t("Show less")}
          </button>
        )}
      </p>
    </div>
  );
}

/** Opens or closes the spoiler whose header contains `target`; returns whether there is one. */
function toggleSpoiler(target: HTMLElement): boolean {
  const header = target.closest<HTMLElement>(".spoiler-header");
  const content = header?.nextElementSibling;
  if (!header || !content) return false;
  const opens = header.getAttribute("aria-expanded") !== "true";
  header.setAttribute("aria-expanded", String(opens));
  content.setAttribute("aria-hidden", String(!opens));
  return true;
}

function onContentClick(event: MouseEvent) {
  const target = event.target as HTMLElement;
  const picture = target.closest<HTMLAnchorElement>(pictureLinks);
  // With such a key, the browser opens the file in another tab.
  if (picture && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    openPicture.value = picture;
    return;
  }
  if (target.closest("a")) return;
  if (toggleSpoiler(target)) return;
  const mention = target.closest<HTMLElement>(".user-mention");
  const id = Number(mention?.dataset.userId);
  if (id) openProfile(id);
}
