import { expect } from "vitest";
import { aPerson, call, localTest } from "../../support/world.ts";

localTest("the address of an emulated fleet is not the one that its functions are told")(
  "links to the organization's own address become relative, others stay",
  async () => {
    const lysander = await aPerson("Lysander");
    const { realm_url: url } = (await call("GET", "/server_settings")).body;
    const rendered = async (content: string) =>
      (await lysander.call("POST", "/messages/render", { content })).body.rendered;

    expect(await rendered(`[plays](${url}/#narrow/channel/1-stage)`)).toBe(
      '<p><a href="#narrow/channel/1-stage">plays</a></p>',
    );
    expect(await rendered(`${url}/#narrow/channel/1-stage`)).toBe(
      `<p><a href="#narrow/channel/1-stage">${url}/#narrow/channel/1-stage</a></p>`,
    );
    expect(await rendered(`[file](${url}/user_uploads/1/ab/c.txt)`)).toBe(
      '<p><a href="/user_uploads/1/ab/c.txt">file</a></p>',
    );
    expect(await rendered(`[other](${url}.evil.test/#narrow)`)).toBe(
      `<p><a href="${url}.evil.test/#narrow">other</a></p>`,
    );
    expect(await rendered(`[help](${url}/help)`)).toBe(`<p><a href="${url}/help">help</a></p>`);
  },
);
