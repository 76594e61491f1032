import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import type { RoleName } from "../../../shared/base/schema/roles.ts";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { aChannel, aPerson, type Person } from "../world.ts";
import { password, signedIn, urlOf, withBrowser } from "./client-pages.ts";

/** Two people who share a channel; the reader is signed in on a page. The members are there from the first case on. */
interface TwoPeople {
  reader: Person;
  writer: Person;
  channel: Channel;
  page: Page;
}

/** Prepares them and the browser before the cases of a file, and `setUp` before the page is opened. */
export function twoPeople(
  { readerRole = "member", ...names }: { reader: string; writer: string; channel: string; readerRole?: RoleName },
  setUp: (prepared: Omit<TwoPeople, "page">) => Promise<unknown> = async () => {},
  options: BrowserContextOptions = {},
): TwoPeople {
  const prepared = {} as TwoPeople;
  withBrowser(async () => {
    const [reader, writer] = [await aPerson(names.reader, { password, role: readerRole }), await aPerson(names.writer)];
    const channel = await aChannel(names.channel, [reader, writer]);
    Object.assign(prepared, { reader, writer, channel });
    await setUp(prepared);
    prepared.page = await signedIn(reader, options);
  });
  return prepared;
}

/** What cases do with the two people and their page. */
export function actsOf(people: TwoPeople) {
  const topicUrl = (topic: string, of = people.channel) =>
    urlOf(`#narrow/channel/${of.id}-x/topic/${encodeURIComponent(topic)}`);
  const heading = (topic: string): Locator => people.page.getByRole("heading", { name: new RegExp(`› ${topic}$`) });
  return {
    topicUrl,
    heading,
    /** Sends a message to a topic; returns its ID. */
    send: async (topic: string, content: string, sender = people.writer, to = people.channel): Promise<number> =>
      (await sender.do("POST", "/messages", { type: "channel", to: to.id, topic, content })).id,
    /** Also waits for the topic's heading: a text that is entered before belongs to the former view. */
    openTopic: async (topic: string, of = people.channel): Promise<void> => {
      await people.page.goto(topicUrl(topic, of));
      await heading(topic).waitFor();
    },
    /** The field of the compose box. */
    field: (): Locator => people.page.getByLabel("Message", { exact: true }),
    message: (text: string): Locator => people.page.locator(".message:not(.outgoing)", { hasText: text }),
    row: (id: number): Locator => people.page.locator(`[data-message-id="${id}"]`),
    /** What the focused element is called: its ID, label or text. */
    focused: (): Promise<string> =>
      people.page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        return element.id || element.getAttribute("aria-label") || element.textContent?.trim() || element.tagName;
      }),
  };
}
