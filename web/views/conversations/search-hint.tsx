import { useEffect, useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { narrowOf } from "../../navigation/address.ts";
import { linkToNarrow } from "../../navigation/router.ts";
import { call } from "../../session/session.ts";
import { type Narrow, type Term, termsOf } from "../../state/narrow.ts";

/** How many of the words are searched for one by one, and up to how many messages are counted: each costs a search. */
const maxWords = 4;
const maxCount = 20;

interface Alternative {
  label: string;
  narrow: Narrow;
  count: number;
}

const isSearch = ({ operator, negated }: Term) => operator === "search" && !negated;

/** Other searches that may find what one with these terms does not: for one of its words, and without its filters. */
function alternativesTo(terms: readonly Term[]): Omit<Alternative, "count">[] {
  const words = terms.filter(isSearch).flatMap(({ operand }) => String(operand).match(/"[^"]+"|\S+/g) ?? []);
  const filters = terms.filter((term) => !isSearch(term));
  const narrowWith = (others: readonly Term[], text: string) =>
    narrowOf([...others, { operator: "search", operand: text }]);
  const single = [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, maxWords);
  return [
    ...(single.length > 1 ? single.map((word) => ({ label: word, narrow: narrowWith(filters, word) })) : []),
    ...(filters.length > 0 && words.length > 0
      ? [{ label: t("everywhere"), narrow: narrowWith([], words.join(" ")) }]
      : []),
  ];
}

async function countIn(narrow: Narrow): Promise<number> {
  const { messages } = await call("GET /messages", {
    anchor: "newest",
    num_before: maxCount + 1,
    num_after: 0,
    narrow: termsOf(narrow),
    apply_markdown: false,
    allow_empty_topic_name: true,
  });
  return messages.length;
}

/** What else a search that found nothing could look for. */
export function SearchHint({ terms }: { terms: readonly Term[] }) {
  const [found, setFound] = useState<readonly Alternative[]>([]);
  useEffect(() => {
    let isShown = true;
    const alternatives = alternativesTo(terms);
    // A hint is no reason to report an error.
    Promise.all(alternatives.map(async (each) => ({ ...each, count: await countIn(each.narrow) })))
      .then((counted) => isShown && setFound(counted))
      .catch(() => undefined);
    return () => {
      isShown = false;
    };
  }, [terms]);
  const text = terms
    .filter(isSearch)
    .map(({ operand }) => String(operand))
    .join(" ");
  if (text === "") return null;
  return (
    <>
      {found.length > 0 && (
        <ul class="search-hint">
          {found.map(({ label, narrow, count }) => (
            <li key={label}>
              {count === 0 ? <span dir="auto">{label}</span> : <a href={linkToNarrow(narrow)}>{label}</a>}:{" "}
              {count > maxCount
                ? t("more than {count} messages", { count: maxCount })
                : count === 1
                  ? t("one message")
                  : t("{count} messages", { count })}
            </li>
          ))}
        </ul>
      )}
      {!text.includes('"') && (
        <p class="quiet">
          {t("Words in quotation marks match exactly as written, also within other words:")}{" "}
          <a href={linkToNarrow(narrowOf([...terms.filter((term) => !isSearch(term)), exactly(text)]))}>
            <span dir="auto">"{text}"</span>
          </a>
        </p>
      )}
    </>
  );
}

const exactly = (text: string): Term => ({ operator: "search", operand: `"${text}"` });
