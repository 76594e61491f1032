import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { matcher } from "../../base/lib/find.ts";
import { rows } from "../boundary.tsx";
import { FilterField } from "./filter-field.tsx";

/** Lists of records: what belongs there while there are none, and above long ones a filter. */

interface ListProps<Item> {
  /** The list's accessible name. */
  label: string;
  items: readonly Item[];
  row: (item: Item, index: number) => VNode;
  /** What to say while there are none. */
  empty: string;
  /** Rows of one line by default. */
  class?: "rows" | "cards";
}

export const List = <Item,>({ label, items, row, empty, class: looks = "rows" }: ListProps<Item>) =>
  items.length === 0 ? (
    <p class="notice">{empty}</p>
  ) : (
    <ul class={looks} aria-label={label}>
      {rows(items, row)}
    </ul>
  );

/** How many rows are shown at first, and how many more at a time. */
const rowsAtOnce = 100;

/** A list with a filter by text, and with what else stands beside the filter. */
export function FilteredList<Item>({
  items,
  textOf,
  filterLabel,
  filterPlaceholder,
  noMatch,
  empty = noMatch,
  children,
  ...list
}: Omit<ListProps<Item>, "empty"> & {
  /** What the filter searches. */
  textOf: (item: Item) => string;
  filterLabel: string;
  filterPlaceholder?: string;
  /** What to say if the filter matches nothing. */
  noMatch: string;
  empty?: string;
  children?: ComponentChildren;
}) {
  const [filter, setFilter] = useState("");
  const [shownCount, setShownCount] = useState(rowsAtOnce);
  const query = filter.trim();
  const matchOf = matcher(query);
  const found = items.filter((item) => matchOf(textOf(item)) !== undefined);
  return (
    <>
      <div class="page-tools">
        <FilterField label={filterLabel} placeholder={filterPlaceholder} value={filter} onChange={setFilter} />
        {children}
      </div>
      <List {...list} items={found.slice(0, shownCount)} empty={query === "" ? empty : noMatch} />
      {found.length > shownCount && (
        <button type="button" onClick={() => setShownCount(shownCount + rowsAtOnce)}>
          {t("{count} more", { count: found.length - shownCount })}
        </button>
      )}
    </>
  );
}
