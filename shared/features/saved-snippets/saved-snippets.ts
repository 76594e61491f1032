import { creationLimits } from "../../base/creation-limits.ts";
import { badRequest, notFound } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { Need } from "../../base/needs.ts";
import { int, lengthOf, strictObject, text, type Value } from "../../base/schema/params.ts";
import { nowSeconds } from "../../base/time.ts";
import { trailingItems } from "../../services/http/reply-size.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { eventForUser } from "../../store/log/entry.ts";
import type { Change } from "../../store/log/log.ts";
import { takeIds } from "../../store/table/counters.ts";
import {
  createSnippet,
  deleteSnippet,
  findSnippet,
  listSnippets,
  type Snippet,
  updateSnippet,
} from "../../store/users/saved-snippets.ts";

/** Returns a snippet's title in stored form: trimmed, not blank, at most 60 code points. */
export const checkTitle = (title: string) => checkText("title", title, limits.snippetTitleLength);

/** Returns a snippet's content in stored form: trimmed, not blank, at most as long as a message. */
export const checkSnippetContent = (content: string) => checkText("content", content, limits.messageLength);

const tooManySnippets = () =>
  badRequest(`You can save at most ${creationLimits.savedSnippet.max} snippets; delete one first.`);

function checkText(name: string, value: string, max: number): string {
  const text = value.trim().toWellFormed();
  if (text === "") throw badRequest(`${name} cannot be blank`);
  if (lengthOf(text) > max) throw badRequest(`${name} is too long (limit: ${max} characters)`);
  return text;
}

/** The saved snippet object; see https://zulip.com/api/get-saved-snippets. */
export const savedSnippetObject = strictObject({ id: int(), title: text(), content: text(), date_created: int() });

const toSnippetWire = ({ id, title, content, createdAt }: Snippet): Value<typeof savedSnippetObject> => ({
  id,
  title,
  content,
  date_created: createdAt,
});

/** The initial state of the caller's saved snippets: the newest, as many as fit into a reply. */
export const savedSnippetsState = async (caller: Caller) => ({
  saved_snippets: trailingItems((await listSnippets(caller.id)).map(toSnippetWire)),
});

/** The caller's snippet that a request names; others' and unknown ones give the same 404. */
export const ownSnippet: Need<Snippet, { caller: Caller; params: { saved_snippet_id: number } }> = {
  load: async ({ caller, params }) => {
    const snippet = await findSnippet(caller.id, params.saved_snippet_id);
    if (!snippet) throw snippetDoesNotExist();
    return snippet;
  },
};

const snippetDoesNotExist = () => notFound("Saved snippet does not exist.");

type Text = Pick<Snippet, "title" | "content">;

/** Saves a snippet; refused at the maximum number of snippets. */
export async function newSnippet(userId: number, text: Text): Promise<{ id: number; change: Change }> {
  const createdAt = nowSeconds();
  const snippet = { id: await takeIds("snippet"), userId, ...text, createdAt };
  const change = {
    writes: createSnippet(snippet, creationLimits.savedSnippet.max),
    events: [eventForUser(userId, { type: "saved_snippets", op: "add", saved_snippet: toSnippetWire(snippet) })],
    refusal: tooManySnippets,
  };
  return { id: snippet.id, change };
}

/** Changes a snippet; conflicts if it has changed since it was read. */
export const editSnippet = (before: Snippet, text: Text): Change => ({
  writes: [updateSnippet(before, text)],
  events: [
    eventForUser(before.userId, {
      type: "saved_snippets",
      op: "update",
      saved_snippet: toSnippetWire({ ...before, ...text }),
    }),
  ],
});

/** Deletes a snippet; refused if it does not exist any more. */
export const removeSnippet = (snippet: Snippet): Change => ({
  writes: deleteSnippet(snippet),
  events: [eventForUser(snippet.userId, { type: "saved_snippets", op: "remove", saved_snippet_id: snippet.id })],
  refusal: snippetDoesNotExist,
});
