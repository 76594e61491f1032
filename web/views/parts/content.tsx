import { effect } from "@preact/signals";
import { locale } from "../../languages/language.ts";
import { forgetHtml, safeHtml, textOf } from "../../lib/html.ts";
import { dayAndTime, timeWithZone, twentyFourHours } from "../../lib/time.ts";
import { currentState } from "../../session.ts";
import { openPicture, pictureLinks } from "../messages/picture-open.ts";
import { openProfile } from "../people/open-profile.ts";
import { Boundary } from "./boundary.tsx";

/** Rendered content of a message or description; its text, if it cannot be shown. */
export const Content = (props: { html: string; isMe?: boolean }) => (
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

effect(() => {
  // The times in it are written by these.
  void [locale.value, twentyFourHours.value];
  forgetHtml();
});

/** With more lines, content scrolls in itself. */
const maxLines = 80;

/** HTML with spoilers that open and mentions that open a profile. */
function RenderedContent({ html, isMe }: { html: string; isMe?: boolean }) {
  const isLong = (html.match(/<(?:br|p|li|tr|h\d)\b/g)?.length ?? 0) > maxLines;
  return (
    <div
      class={`rendered ${isMe ? "is-me" : ""} ${isLong ? "long" : ""}`}
      onClick={onContentClick}
      onKeyDown={(event) => {
        if ((event.key === "Enter" || event.key === " ") && toggleSpoiler(event.target as HTMLElement))
          event.preventDefault();
      }}
      // DOMPurify has sanitized the HTML.
      dangerouslySetInnerHTML={{ __html: safeHtml(html, htmlContext) }}
    />
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
