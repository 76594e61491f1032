import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { allEmoji, type Emoji, emojiQuery, findEmoji } from "../../base/lib/emoji.ts";
import { realmEmoji } from "../../session/store.ts";
import type { PickedEmoji } from "../../state/model.ts";
import { memo } from "../memo.ts";
import { EmojiGlyph } from "./emoji-glyph.tsx";
import { recentEmoji } from "./recent-emoji.ts";

/**
 * The emoji of the picker: the server's names, in the categories and the order of Unicode. There are no skin tones, because
 * the API has no codes for them.
 */

/** The codes of each category as JSON, separated by spaces; defined by the build (`infra/build/web-client.ts`). */
declare const SKEIN_EMOJI_CATEGORIES: string;

const codesOf: Readonly<Record<string, string>> = JSON.parse(SKEIN_EMOJI_CATEGORIES);

/** The categories as the data names them, with their titles and signs here. */
const categories = () =>
  [
    ["Smileys & Emotion", t("Smileys"), "😀"],
    ["People & Body", t("People"), "👋"],
    ["Animals & Nature", t("Animals and nature"), "🐻"],
    ["Food & Drink", t("Food and drink"), "🍎"],
    ["Activities", t("Activities"), "⚽"],
    ["Travel & Places", t("Travel and places"), "🚆"],
    ["Objects", t("Objects"), "💡"],
    ["Symbols", t("Symbols"), "🔣"],
    ["Flags", t("Flags"), "🏁"],
  ] as const;

/** The columns of the grid (`.emoji-grid` in emoji.css). */
const columns = 8;
const maxFound = 120;
/** So many emoji are rendered in each frame, so that the picker opens without a pause. An organization may have a thousand of its own. */
const perFrame = 300;

interface Section {
  title: string;
  sign: string;
  emoji: readonly PickedEmoji[];
}

const unicode = ({ name, code }: Emoji): PickedEmoji => ({
  emoji_name: name,
  emoji_code: code,
  reaction_type: "unicode_emoji",
});

/** The organization's own emoji whose names contain a text. */
const customEmoji = (query: string): PickedEmoji[] =>
  [...(realmEmoji.value?.values() ?? [])]
    .filter(({ deactivated, name }) => !deactivated && name.includes(emojiQuery(query)))
    .map(({ name, id }) => ({ emoji_name: name, emoji_code: id, reaction_type: "realm_emoji" }));

const found = (query: string): Section[] => [
  {
    title: t("Found"),
    sign: "",
    emoji: [...customEmoji(query).slice(0, maxFound), ...findEmoji(query, maxFound).map(unicode)],
  },
];

function everything(): Section[] {
  const byCode = new Map(allEmoji.value.map((emoji) => [emoji.code, emoji]));
  return [
    { title: t("Recently used"), sign: "🕘", emoji: recentEmoji.value },
    { title: t("Of this organization"), sign: "🏠", emoji: customEmoji("") },
    ...categories().map(([name, title, sign]) => ({
      title,
      sign,
      emoji: (codesOf[name] ?? "").split(" ").flatMap((code) => {
        const emoji = byCode.get(code);
        return emoji ? [unicode(emoji)] : [];
      }),
    })),
  ].filter(({ emoji }) => emoji.length > 0);
}

/** The sections up to a number of emoji; those that are whole stay the same objects. */
function firstOf(sections: readonly Section[], count: number): Section[] {
  let left = count;
  return sections.flatMap((section) => {
    const emoji = section.emoji.slice(0, Math.max(0, left));
    left -= section.emoji.length;
    return left >= 0 ? [section] : emoji.length > 0 ? [{ ...section, emoji }] : [];
  });
}

export function EmojiList({
  query,
  onPick,
  onLeave,
}: {
  query: string;
  onPick: (emoji: PickedEmoji) => void;
  /** Called when the user goes up from the first row. */
  onLeave: () => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const tabStop = useRef<HTMLElement | undefined>(undefined);
  const [shown, setShown] = useState(perFrame);
  const [name, setName] = useState("");
  const sections = useMemo(() => (query ? found(query) : everything()), [query, allEmoji.value, realmEmoji.value]);
  useEffect(() => {
    if (shown >= sections.reduce((sum, { emoji }) => sum + emoji.length, 0)) return;
    const request = requestAnimationFrame(() => setShown(shown + perFrame));
    return () => cancelAnimationFrame(request);
  }, [shown, sections]);
  if (allEmoji.value.length === 0) return <p class="notice">{t("Loading …")}</p>;

  const onKeyDown = (event: KeyboardEvent) => {
    const button = emojiButton(event);
    const target = button && neighbour(button, event.key);
    if (target === undefined) return;
    event.preventDefault();
    if (target) target.focus();
    else onLeave();
  };
  return (
    <>
      <div
        class="emoji-list"
        ref={frame}
        onKeyDown={onKeyDown}
        onClick={(event) => {
          const picked = emojiButton(event);
          if (picked) onPick(emojiOf(picked));
        }}
        onPointerOver={(event) => setName(emojiButton(event)?.title ?? "")}
        onFocusIn={(event) => {
          const button = emojiButton(event);
          if (!button) return;
          // One Tab stop for all of them.
          if (tabStop.current) tabStop.current.tabIndex = -1;
          tabStop.current = button;
          button.tabIndex = 0;
          setName(button.title);
        }}
      >
        {firstOf(sections, shown).map((section, index) => (
          <EmojiSection key={section.title} section={section} isFirst={index === 0} />
        ))}
        {sections[0]?.emoji.length === 0 && <p class="notice">{t("No matching emoji.")}</p>}
      </div>
      <p class="emoji-name quiet small">{name}</p>
      {!query && (
        <div class="emoji-categories">
          {sections.map(({ title, sign }, index) => (
            <button
              key={title}
              type="button"
              class="emoji-glyph"
              aria-label={title}
              title={title}
              onClick={() => frame.current?.children[index]?.scrollIntoView({ block: "start" })}
            >
              {sign}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

const EmojiSection = memo(function EmojiSection({ section, isFirst }: { section: Section; isFirst: boolean }) {
  const { title, emoji } = section;
  return (
    <section aria-label={title}>
      <p class="emoji-title quiet small" aria-hidden="true">
        {title}
      </p>
      <div class="emoji-grid">
        {emoji.map(({ emoji_name, emoji_code, reaction_type }, index) => (
          <button
            key={`${reaction_type}:${emoji_code}`}
            type="button"
            tabIndex={isFirst && index === 0 ? 0 : -1}
            data-type={reaction_type}
            data-code={emoji_code}
            title={`:${emoji_name}:`}
            aria-label={emoji_name}
          >
            <EmojiGlyph type={reaction_type} code={emoji_code} name={emoji_name} />
          </button>
        ))}
      </div>
    </section>
  );
});

const emojiButton = ({ target }: Event) => (target as HTMLElement).closest<HTMLButtonElement>("[data-code]");

const emojiOf = ({ dataset, ariaLabel }: HTMLButtonElement): PickedEmoji => ({
  emoji_name: ariaLabel ?? "",
  emoji_code: dataset.code ?? "",
  reaction_type: dataset.type as PickedEmoji["reaction_type"],
});

/** The emoji to which a key leads; null above the first row, undefined if the key leads nowhere. */
function neighbour(button: HTMLElement, key: string): HTMLElement | null | undefined {
  const grids = [...(button.closest(".emoji-list")?.querySelectorAll(".emoji-grid") ?? [])].map(
    ({ children }) => [...children] as HTMLElement[],
  );
  const gridIndex = grids.findIndex((grid) => grid.includes(button));
  const grid = grids[gridIndex] ?? [];
  const index = grid.indexOf(button);
  const column = index % columns;
  switch (key) {
    case "ArrowLeft":
      return grid[index - 1] ?? grids[gridIndex - 1]?.at(-1);
    case "ArrowRight":
      return grid[index + 1] ?? grids[gridIndex + 1]?.[0];
    case "ArrowDown": {
      const isLastRow = index - column + columns >= grid.length;
      const next = grids[gridIndex + 1];
      if (!isLastRow) return grid[index + columns] ?? grid.at(-1);
      return next?.[column] ?? next?.at(-1);
    }
    case "ArrowUp": {
      if (index >= columns) return grid[index - columns];
      const above = grids[gridIndex - 1];
      if (!above) return null;
      return above[above.length - 1 - ((above.length - 1) % columns) + column] ?? above.at(-1);
    }
    case "Home":
      return grid[index - column];
    case "End":
      return grid[Math.min(index - column + columns, grid.length) - 1];
  }
  return undefined;
}
