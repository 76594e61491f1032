import { signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isInvalidKeyError } from "../../base/api/client.ts";
import { t } from "../../base/languages/language.ts";
import { Content } from "../../parts/content.tsx";
import { call, sessionSignal } from "../../session/session.ts";

/** What a message will look like: beside its text where there is room, else in its place. */

const wide = matchMedia("(min-width: 1000px)");
export const isWide = signal(wide.matches);
wide.addEventListener("change", () => {
  isWide.value = wide.matches;
});

/** Whether previews are shown beside texts. It stays so for the next message. */
export const showsBeside = sessionSignal(false);

/** How long the user must pause before the text is rendered, because each time takes a request. */
const pauseMs = 500;

export function Preview({ text, field }: { text: string; field: RefObject<HTMLTextAreaElement | null> }) {
  const frame = useRef<HTMLDivElement>(null);
  const [rendered, setRendered] = useState<{ html: string } | { problem: string }>();
  useEffect(() => {
    const end = new AbortController();
    const render = async () => {
      try {
        const { rendered: html } = await call("POST /messages/render", { content: text }, { signal: end.signal });
        setRendered({ html });
      } catch (error) {
        if (!end.signal.aborted && !isInvalidKeyError(error))
          setRendered({ problem: error instanceof Error ? error.message : String(error) });
      }
    };
    if (text.trim() === "") setRendered({ html: "" });
    const timer = text.trim() === "" ? undefined : setTimeout(render, rendered ? pauseMs : 0);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [text]);
  // Shows about that part which is being written.
  useLayoutEffect(() => {
    const area = field.current;
    if (!frame.current || !area || area.value === "") return;
    const { scrollHeight, clientHeight } = frame.current;
    frame.current.scrollTop = (scrollHeight - clientHeight) * (area.selectionEnd / area.value.length);
  }, [rendered]);
  return (
    <div class="preview" tabIndex={0} role="region" aria-label={t("Preview")} ref={frame}>
      {rendered && "problem" in rendered ? (
        <p class="problem">{rendered.problem}</p>
      ) : rendered?.html ? (
        <Content html={rendered.html} />
      ) : (
        <p class="quiet">{t("Preview")}</p>
      )}
    </div>
  );
}
