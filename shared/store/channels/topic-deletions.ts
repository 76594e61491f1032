import { getItem } from "../table/table.ts";
import { deleteItem } from "../table/transactions.ts";
import { create, type Write } from "../table/writes.ts";
import type { Period } from "./subscriptions.ts";

/** A deletion of more messages than fit into one transaction; there while it is unfinished. */
export interface TopicDeletion {
  /** A UUID. */
  id: string;
  actorId: number;
  channelId: number;
  topic: string;
  /** What is sent later stays. */
  lastId: number;
  /** Only messages within these periods, if there are any: those that the actor may read. */
  periods?: Period[];
}

const key = (id: string) => ({ pk: `TOPICDELETION#${id}`, sk: "TOPICDELETION" });

/** Strongly consistent: 1 read unit. */
export const findTopicDeletion = (id: string) => getItem<TopicDeletion>(key(id), { consistent: true });

export const createTopicDeletion = (deletion: TopicDeletion): Write => create({ ...key(deletion.id), ...deletion });

/** Ends a deletion; one that has ended already is no error. 1 write unit. */
export const deleteTopicDeletion = (id: string): Promise<void> => deleteItem(key(id));
