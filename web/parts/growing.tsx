import { Fragment, type VNode } from "preact";
import { useState } from "preact/hooks";
import { t } from "../base/languages/language.ts";
import { partsBetweenMarks } from "../base/lib/marks.ts";
import { rows } from "./boundary.tsx";
import { nameOf } from "./parts.tsx";

/** Lists and texts that others have made as long as they may: what is shown at once takes no time that readers notice. */

/** How much is shown at first, and how much more at each request; one item may have more. */
const firstWeight = 40;
const furtherWeight = 160;

/** The first items of a list, and a button that shows more of them, if there are any. `weightOf` estimates the lines of an item. */
export function useFirstItems<Item>(items: readonly Item[], weightOf: (item: Item) => number = () => 1) {
  const [room, setRoom] = useState(firstWeight);
  let count = 0;
  for (let weight = 0; count < items.length && weight < room; count++) weight += weightOf(items[count] as Item);
  const more = count < items.length && (
    <button type="button" onClick={() => setRoom(room + furtherWeight)}>
      {t("{count} more", { count: items.length - count })}
    </button>
  );
  return { first: items.slice(0, count), more };
}

/** The rows of the first items of a list, and a last one that shows more. */
export function GrowingRows<Item>({
  of: items,
  row,
  weightOf,
}: {
  of: readonly Item[];
  row: (item: Item, index: number) => VNode;
  weightOf?: (item: Item) => number;
}) {
  const { first, more } = useFirstItems(items, weightOf);
  return (
    <>
      {rows(first, row)}
      {more && <li>{more}</li>}
    </>
  );
}

const charactersPerLine = 80;
export const linesOf = (text: string) => Math.ceil((text.length + 1) / charactersPerLine);

/** A text of any characters. */
export const AnyText = ({ text }: { text: string }) => (
  <>
    {partsBetweenMarks(text).map((part, index) => (
      <Fragment key={index}>
        {index > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </>
);

/** How many names of people are listed. */
const maxNames = 10;

/** The names of people; of many, the first and how many more. */
export function listedNames(userIds: readonly number[], name: (userId: number) => string = nameOf): string {
  const names = userIds.slice(0, maxNames).map(name).join(", ");
  return userIds.length > maxNames ? t("{names} and {more} more", { names, more: userIds.length - maxNames }) : names;
}
