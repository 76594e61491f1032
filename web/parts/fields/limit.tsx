import { createContext } from "preact";
import { useContext, useLayoutEffect } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { isTooLong, storedLength } from "../../base/lib/length.ts";

/**
 * The limits of texts. Nothing is cut: who comes near a limit sees how much room is left, and a text beyond it cannot be saved or
 * sent.
 */

/** Tells the form around a field that its text has become too long (1), or no longer is (-1). */
export const TooLongContext = createContext<(change: 1 | -1) => void>(() => {});

/** From which length on the remaining room is shown. */
const shownFrom = (max: number) => max - Math.max(10, max / 10);

/** How much room a text has left, or by how much it is too long. Nothing far from the limit, of which there may be none. */
export function Limit({ text, max }: { text: string; max: number | undefined }) {
  const tellForm = useContext(TooLongContext);
  const isOver = max !== undefined && isTooLong(text, max);
  useLayoutEffect(() => {
    if (!isOver) return;
    tellForm(1);
    return () => tellForm(-1);
  }, [isOver]);
  if (max === undefined || text.length < shownFrom(max)) return null;
  const left = max - storedLength(text);
  if (isOver)
    return (
      <span class="limit over small" role="status">
        {t("{count, plural, one {# character too many} other {# characters too many}}", { count: -left })}
      </span>
    );
  return (
    <span class="limit quiet small">
      {t("{count, plural, one {# character left} other {# characters left}}", { count: left })}
    </span>
  );
}
