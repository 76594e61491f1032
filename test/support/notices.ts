import { eventually } from "./waiting.ts";
import type { Person } from "./world.ts";

/** Waits until a person has `count` direct messages; returns their contents, oldest first. */
export const noticesTo = (person: Person, count: number): Promise<string[]> =>
  eventually(async () => {
    const narrow = [{ operator: "is", operand: "dm" }];
    const params = { anchor: "newest", num_before: 50, num_after: 0, apply_markdown: false, narrow };
    const { messages } = (await person.call("GET", "/messages", params)).body;
    return messages.length >= count && messages.map(({ content }: { content: string }) => content);
  });
