import { recurring } from "../../shared/jobs/recurring.ts";
import { indexNewMessages } from "../../shared/messages/search-index.ts";

/** Keeps the search index up; searches look through what it has not reached yet themselves. */
export const handler = recurring(
  { work: "message-index", rate: "1 minute", uses: { table: "readWrite" } },
  async () => {
    await indexNewMessages();
  },
);
