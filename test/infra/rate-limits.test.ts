import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseRateLimits } from "../../shared/base/limits.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { send } from "../support/http.ts";
import { tableOf } from "../support/table/seed-table.ts";
import { aPerson, isLocal } from "../support/world.ts";

test("a limit is a number of calls in a number of seconds, or off", () => {
  expect(parseRateLimits("200/60")).toEqual({ calls: 200, seconds: 60 });
  expect(parseRateLimits("off")).toBeUndefined();
  for (const text of ["", "200", "0/60", "200/0", "-1/60", "200/60/2", "many"])
    expect(() => parseRateLimits(text)).toThrow("SKEIN_RATE_LIMITS must be");
});

test("without limits there are no rate-limit headers", async () => {
  const portia = await aPerson("Portia");

  const { headers } = await portia.call("GET", "/users/me");

  expect(headers["x-ratelimit-limit"]).toBeUndefined();
});

describe.skipIf(!isLocal())("limits of twenty requests a day (on a private host, local only)", () => {
  type Account = { id: number; email: string; apiKey: string };
  let host: PrivateHost;
  let owner: Account;
  beforeAll(async () => {
    // One day, so that no window ends while the cases run.
    host = await aPrivateHost({ SKEIN_RATE_LIMITS: "20/86400" });
    const email = "owner@globe.test";
    const { body } = await post("/dev_fetch_api_key", `username=${email}`);
    owner = { id: 0, email, apiKey: body.api_key };
  });
  afterAll(() => host?.stop());

  const post = (path: string, form: string, account?: Account) =>
    send("POST", `/api/v1${path}`, form, { url: host.url, ...(account && { credentials: account }) });
  /** Bots have the same limits as users. */
  const aBot = async (name: string): Promise<Account> => {
    const { body } = await post("/bots", `full_name=${name}&short_name=${name}`, owner);
    return { id: body.user_id, email: `${name}-bot@skein.invalid`, apiKey: body.api_key };
  };
  const get = (account: Account | undefined, path = "/api/v1/users/me") =>
    send("GET", path, undefined, { url: host.url, ...(account && { credentials: account }) });
  const getRepeatedly = async (count: number, account: Account | undefined, path?: string) => {
    const replies = [];
    for (let index = 0; index < count; index++) replies.push(await get(account, path));
    return replies;
  };

  test("apply to an account, with headers for the remaining requests and the time to wait", async () => {
    const [shylock, antonio] = [await aBot("shylock"), await aBot("antonio")];

    const replies = await getRepeatedly(21, shylock);

    expect(replies.map(({ status }) => status)).toEqual([...Array(20).fill(200), 429]);
    expect(replies.map(({ headers }) => Number(headers["x-ratelimit-remaining"]))).toEqual([
      ...Array.from({ length: 20 }, (_, index) => 19 - index),
      0,
    ]);
    expect(replies[0]?.headers).toMatchObject({ "x-ratelimit-limit": "20" });
    const tomorrow = Math.ceil(Date.now() / 86_400_000) * 86_400;
    expect(Number(replies[0]?.headers["x-ratelimit-reset"])).toBe(tomorrow);
    const refused = replies.at(-1);
    expect(refused?.body).toEqual({
      result: "error",
      code: "RATE_LIMIT_HIT",
      msg: "API usage exceeded rate limit",
      "retry-after": expect.any(Number),
    });
    expect(Number(refused?.headers["retry-after"])).toBe(Math.ceil(refused?.body["retry-after"]));
    expect((await get(antonio)).status).toBe(200);
  });

  test("count a request once whose caller is checked before its long body is read", async () => {
    const tubal = await aBot("tubal");
    const render = (length: number) => post("/messages/render", `content=${"a".repeat(length)}`, tubal);

    const replies = [await render(1), await render(100_000), await render(1)];

    expect(replies.map(({ status }) => status)).toEqual([200, 400, 200]);
    expect(replies.map(({ headers }) => headers["x-ratelimit-remaining"])).toEqual(["19", "18", "17"]);
  });

  test("count waiting for events separately, with the same limit", async () => {
    const jessica = await aBot("jessica");
    const { status, body } = await post("/register", "event_types=[]", jessica);
    expect(status).toBe(200);
    await getRepeatedly(19, jessica);
    expect((await get(jessica)).status).toBe(429);

    const polls = await getRepeatedly(
      21,
      jessica,
      `/api/v1/events?queue_id=${body.queue_id}&last_event_id=-1&dont_block=true`,
    );

    expect(polls.map((poll) => poll.status)).toEqual([...Array(20).fill(200), 429]);
  });

  test("are shared by all processes", async () => {
    const nerissa = await aBot("nerissa");
    await getRepeatedly(1, nerissa);

    // Requests counted by another process, which this one learns of within a tenth of the limit.
    const sk = String(Math.floor(Date.now() / 86_400_000));
    await tableOf(host).update({
      key: { pk: `REQUESTS#requests ${nerissa.id}`, sk },
      update: { add: { requests: 25 } },
      returns: "new",
    });

    expect((await getRepeatedly(2, nerissa)).map(({ status }) => status)).toContain(429);
  });

  test("are half as high for an address without valid credentials", async () => {
    const wrongKey: Account = { ...(await aBot("tubal")), apiKey: "x".repeat(32) };

    // The address has made one request already, for the owner's key.
    const publicReplies = await getRepeatedly(4, undefined, "/api/v1/server_settings");
    const refused = await getRepeatedly(6, wrongKey);

    expect(publicReplies.map(({ status }) => status)).toEqual(Array(4).fill(200));
    expect(refused.map(({ status }) => status)).toEqual([...Array(5).fill(401), 429]);
    expect((await get(undefined, "/api/v1/server_settings")).status).toBe(429);
    // An account has its own limit, independent of the address.
    expect((await get(await aBot("gratiano"))).status).toBe(200);
    // Files that pages load are not counted either.
    expect((await get(undefined, "/")).status).toBe(200);
  });
});
