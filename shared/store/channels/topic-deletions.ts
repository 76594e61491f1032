import { getItem } from "../table/reads.ts";
import { deleteItem } from "../table/single-writes.ts";
import { create, type Write } from "../table/writes.ts";
import type { Period } from "./subscriptions.ts";

/** The deletion of a topic that takes more than one transaction. The record exists until the deletion is complete. */
export interface TopicDeletion {
  /** A UUID. */
  id: string;
  actorId: number;
  channelId: number;
  topic: string;
  /** Messages sent later are kept. */
  lastId: number;
  /** If present, only messages within these periods, which the actor may read, are deleted. */
  periods?: Period[];
}

const key = (id: string) => ({ pk: `TOPICDELETION#${id}`, sk: "TOPICDELETION" });

export const findTopicDeletion = (id: string) => getItem<TopicDeletion>(key(id));

export const createTopicDeletion = (deletion: TopicDeletion): Write => create({ ...key(deletion.id), ...deletion });

/** Marks a deletion as complete. Idempotent; 1 write unit. */
export const deleteTopicDeletion = (id: string): Promise<void> => deleteItem(key(id));
