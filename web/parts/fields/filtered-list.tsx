import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { matcher } from "../../base/lib/find.ts";
import { rows } from "../boundary.tsx";
import { useFirstItems } from "../growing.tsx";
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

/** How many lines a row counts for, so that a hundred rows or twenty cards are shown at first. */
const weights = { rows: 0.4, cards: 2 } as const;

export function List<Item>({ label, items, row, empty, class: looks = "rows" }: ListProps<Item>) {
  const { first, more } = useFirstItems(items, () => weights[looks]);
  if (items.length === 0) return <p class="notice">{empty}</p>;
  return (
    <>
      <ul class={looks} aria-label={label}>
        {rows(first, row)}
      </ul>
      {more}
    </>
  );
}

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
  const query = filter.trim();
  const matchOf = matcher(query);
  const found = items.filter((item) => matchOf(textOf(item)) !== undefined);
  return (
    <>
      <div class="page-tools">
        <FilterField label={filterLabel} placeholder={filterPlaceholder} value={filter} onChange={setFilter} />
        {children}
      </div>
      <List {...list} items={found} empty={query === "" ? empty : noMatch} />
    </>
  );
}

interface ChoicesProps<Item> {
  items: readonly Item[];
  idOf: (item: Item) => number;
  nameOf: (item: Item) => string;
  /** What stands beside the box; the name by default. */
  label?: (item: Item) => ComponentChildren;
  chosen: ReadonlySet<number>;
  onChange: (chosen: ReadonlySet<number>) => void;
  filterLabel: string;
}

/** From how many on, choices have a filter. */
const manyChoices = 20;

/** Boxes to tick, with a filter if there are many, which leaves what is ticked. */
export function Choices<Item>({
  items,
  idOf,
  nameOf,
  label = nameOf,
  chosen,
  onChange,
  filterLabel,
}: ChoicesProps<Item>) {
  const [filter, setFilter] = useState("");
  const matchOf = matcher(filter.trim());
  const isShown = (item: Item) => chosen.has(idOf(item)) || matchOf(nameOf(item)) !== undefined;
  const { first, more } = useFirstItems(items.filter(isShown), () => weights.rows);
  const toggle = (id: number, isChosen: boolean) =>
    onChange(new Set(isChosen ? [...chosen, id] : [...chosen].filter((other) => other !== id)));
  return (
    <>
      {items.length >= manyChoices && <FilterField label={filterLabel} value={filter} onChange={setFilter} />}
      <div class="scroll-list">
        {first.map((item) => (
          <label class="check" key={idOf(item)}>
            <input
              type="checkbox"
              checked={chosen.has(idOf(item))}
              onChange={(event) => toggle(idOf(item), event.currentTarget.checked)}
            />
            <span>{label(item)}</span>
          </label>
        ))}
        {more}
      </div>
    </>
  );
}
