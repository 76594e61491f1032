import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, request, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../support/hosts/free-port.ts";
import { outgoingSettings } from "../../support/hosts/outgoing.ts";
import { aPrivateHost, type PrivateHost } from "../../support/hosts/private-host.ts";
import { environmentOf, runPython } from "../../support/outside/python.ts";
import { isLocal } from "../../support/world.ts";
import { startMcpServer } from "./mcp-client.ts";
import { n8nNode } from "./n8n-node.ts";

/** Runs programs that know Zulip and nothing of Skein, as their users do: unchanged, with a configuration alone. */

const owner = "owner@globe.test";
/** Programs build addresses of bots and URLs from the server's name. */
const serverName = "globe.skein.test";
const run = promisify(execFile);
const pollOptions = { timeout: 60_000, interval: 200 };
let host: PrivateHost;
let folder: string;
let environment: string;
const children: ChildProcess[] = [];
const servers: Server[] = [];

beforeAll(async () => {
  if (!isLocal()) return;
  folder = mkdtempSync(join(tmpdir(), "skein-programs-"));
  host = await aPrivateHost({ ...outgoingSettings, SKEIN_URL: `https://${serverName}` });
  environment = await environmentOf(join(import.meta.dirname, "../zulip-bots.requirements.txt"));
}, 600_000);

afterAll(async () => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }),
  );
  await host?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** .ci/run installs Alertmanager; on machines without it its case is skipped. */
function hasAlertmanager(): boolean {
  try {
    execFileSync("prometheus-alertmanager", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Starts a program that goes on until the end; its output is printed if its case fails. */
function start(command: string, args: string[], env: Record<string, string> = {}): void {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => console.log(String(chunk)));
  children.push(child);
}

const python = (program: string, args: string[], env: Record<string, string> = {}) =>
  run(join(environment, "bin/python"), [join(environment, "bin", program), ...args], {
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env },
  });

async function aBotOf(name: string, params: Record<string, unknown> = {}) {
  const { user_id, api_key } = await host.do(owner, "POST", "/bots", { full_name: name, short_name: name, ...params });
  const { user } = await host.do(owner, "GET", `/users/${user_id}`);
  return { id: user_id as number, email: user.email as string, key: api_key as string };
}

function configuration(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** The newest message in a topic of the channel "stage", once there is one. */
const newestIn = (topic: string) => async () => {
  const { messages } = await host.do(owner, "GET", "/messages", {
    ...{ anchor: "newest", num_before: 1, num_after: 0, apply_markdown: false },
    narrow: [
      { operator: "channel", operand: "stage" },
      { operator: "topic", operand: topic },
    ],
  });
  return messages[0];
};

/** A server at https://serverName, and a proxy that leads there: what a program needs to reach a server by its name alone. */
async function serveByName(): Promise<Record<string, string>> {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
      ...["-subj", `/CN=${serverName}`, "-addext", `subjectAltName=DNS:${serverName}`],
      ...["-keyout", key, "-out", certificate],
    ],
    { stdio: "ignore" },
  );
  const secure = createHttpsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (incoming, reply) => {
    const { method, url, headers } = incoming;
    const outgoing = request(new URL(url as string, host.url), { method, headers }, (response) => {
      reply.writeHead(response.statusCode as number, response.headers);
      response.pipe(reply);
    });
    incoming.pipe(outgoing);
  });
  const proxy = createHttpServer();
  proxy.on("connect", (_request, socket) => {
    const tunnel = connect((secure.address() as AddressInfo).port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(tunnel).pipe(socket);
    });
    tunnel.on("error", () => socket.destroy());
    socket.on("error", () => tunnel.destroy());
  });
  servers.push(secure as unknown as Server, proxy);
  for (const server of [secure, proxy]) await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    REQUESTS_CA_BUNDLE: certificate,
    NO_PROXY: "",
  };
}

describe.skipIf(!isLocal())(
  "programs that know Zulip alone (local host only: each needs an organization of its own)",
  () => {
    test("zulip-send writes to a channel and to people", async () => {
      const bot = await aBotOf("courier");
      const config = configuration("zuliprc", `[api]\nemail=${bot.email}\nkey=${bot.key}\nsite=${host.url}\n`);

      await python("zulip-send", [
        "--config-file",
        config,
        "--stream",
        "stage",
        "--subject",
        "news",
        "--message",
        "Hark!",
      ]);
      await python("zulip-send", ["--config-file", config, "--message", "A word", owner]);

      expect(await newestIn("news")()).toMatchObject({ content: "Hark!", sender_id: bot.id });
      const { messages } = await host.do(owner, "GET", "/messages", {
        ...{ anchor: "newest", num_before: 1, num_after: 0, apply_markdown: false },
        narrow: [{ operator: "dm", operand: [bot.id] }],
      });
      expect(messages).toMatchObject([{ content: "A word" }]);
    }, 120_000);

    test("Apprise signs in with the address that it builds from the name of the bot and of the server", async () => {
      const bot = await aBotOf("herald");
      const [organization] = serverName.split(".");
      const url = `zulip://herald@${organization}${serverName.slice(organization?.length)}/${bot.key}/stage`;

      await python("apprise", ["-t", "alarums", "-b", "Enter Macbeth", url], await serveByName());

      expect(await newestIn("alarums")()).toMatchObject({ content: "Enter Macbeth", sender_id: bot.id });
    }, 120_000);

    test("a bot of zulip_botserver answers to a mention", async () => {
      const port = await freePort();
      const bot = await aBotOf("helloworld", {
        ...{ bot_type: 3, payload_url: JSON.stringify(`http://127.0.0.1:${port}`), service_name: "helloworld" },
      });
      const { realm_bots } = await host.do(owner, "POST", "/register", { event_types: ["realm_bot"] });
      const { services } = realm_bots.find((one: any) => one.user_id === bot.id);
      const credentials = `email=${bot.email}\nkey=${bot.key}\nsite=${host.url}\ntoken=${services[0].token}\n`;
      const config = configuration("botserverrc", `[helloworld]\n${credentials}`);
      const program = join(environment, "bin/zulip-botserver");
      start(
        join(environment, "bin/python"),
        [...[program, "--config-file", config, "--hostname", "127.0.0.1", "--port", String(port)]],
        { PYTHONDONTWRITEBYTECODE: "1" },
      );
      await expect
        .poll(
          () =>
            fetch(`http://127.0.0.1:${port}/`).then(
              () => true,
              () => false,
            ),
          pollOptions,
        )
        .toBe(true);

      await host.do(owner, "POST", "/messages", {
        ...{ type: "channel", to: "stage", topic: "greetings", content: "@**helloworld** good day" },
      });

      await expect
        .poll(newestIn("greetings"), pollOptions)
        .toMatchObject({ sender_id: bot.id, content: expect.stringMatching(/beep boop/) });
    }, 120_000);

    test.skipIf(!hasAlertmanager())(
      "Alertmanager notifies a channel, of an alert and of its end",
      async () => {
        const [port, bot] = [await freePort(), await aBotOf("watch", { bot_type: 2 })];
        const hook = `${host.url}/api/v1/external/alertmanager?api_key=${bot.key}&stream=stage&name=alertname&desc=summary`;
        const config = configuration(
          "alertmanager.yml",
          JSON.stringify({
            route: { receiver: "skein", group_by: ["alertname"], group_wait: "10ms", group_interval: "10ms" },
            receivers: [{ name: "skein", webhook_configs: [{ url: hook, send_resolved: true }] }],
          }),
        );
        start("prometheus-alertmanager", [
          ...[`--config.file=${config}`, `--storage.path=${join(folder, "alertmanager")}`],
          ...[`--web.listen-address=127.0.0.1:${port}`, "--cluster.listen-address="],
        ]);
        const url = `http://127.0.0.1:${port}`;
        await expect
          .poll(
            () =>
              fetch(`${url}/-/ready`).then(
                ({ ok }) => ok,
                () => false,
              ),
            pollOptions,
          )
          .toBe(true);
        const alert = { labels: { alertname: "Storm" }, annotations: { summary: "Blow, winds" } };
        const post = (times: object) =>
          fetch(`${url}/api/v2/alerts`, {
            ...{ method: "POST", headers: { "content-type": "application/json" } },
            body: JSON.stringify([{ ...alert, ...times }]),
          });

        await post({ startsAt: new Date(Date.now() - 1000).toISOString() });
        await expect
          .poll(newestIn("Storm"), pollOptions)
          .toMatchObject({ content: expect.stringMatching(/FIRING.*Blow, winds/s) });
        await post({ startsAt: new Date(Date.now() - 1000).toISOString(), endsAt: new Date().toISOString() });

        await expect
          .poll(newestIn("Storm"), pollOptions)
          .toMatchObject({ content: expect.stringMatching(/Resolved.*Blow, winds/is) });
      },
      120_000,
    );

    test("n8n's node writes, reads, changes and deletes messages, and lists channels and people", async () => {
      const bot = await aBotOf("automaton");
      const book = Buffer.from("Enter Ariel, invisible");
      const n8n = await n8nNode({ url: `${host.url}/`, email: bot.email, apiKey: bot.key }, book);
      const stage = (await n8n.options("getStreams")).find(({ name }) => name === "stage")?.value;
      const people = await n8n.options("getUsers");
      expect(people).toContainEqual({ name: expect.any(String), value: owner });

      const [sent] = await n8n.execute("message", "sendStream", {
        stream: stage,
        topic: "cues",
        content: "Enter Ariel",
      });
      await n8n.execute("message", "sendPrivate", { to: [owner], content: "Thy turn" });
      const updateFields = { topic: "masques", content: "Enter Iris", propagateMode: "changeOne" };
      await n8n.execute("message", "update", { messageId: sent.id, updateFields });

      const { message } = await host.do(owner, "GET", `/messages/${sent.id}`, { apply_markdown: false });
      expect(message).toMatchObject({ subject: "masques", content: "Enter Iris", sender_id: bot.id });
      const direct = await host.do(owner, "GET", "/messages", {
        ...{ anchor: "newest", num_before: 1, num_after: 0, apply_markdown: false },
        narrow: [{ operator: "dm", operand: [bot.id] }],
      });
      expect(direct.messages).toMatchObject([{ content: "Thy turn" }]);
      const topics = await n8n.options("getTopics", { stream: stage });
      expect(topics).toContainEqual({ name: "masques", value: "masques" });
      expect(await n8n.execute("message", "get", { messageId: sent.id })).toMatchObject([
        { raw_content: "Enter Iris" },
      ]);

      const [uploaded] = await n8n.execute("message", "updateFile", { dataBinaryProperty: "data" });
      const { pathname } = new URL(uploaded.uri);
      const link = `[prompt book](${pathname.replace("//", "/")})`;
      await n8n.execute("message", "sendStream", { stream: stage, topic: "books", content: link });
      const { url } = await host.do(owner, "GET", pathname.replace("//", "/"));
      expect(await (await fetch(new URL(url, host.url))).text()).toBe(String(book));

      const subscriptions = { properties: [{ name: "island", description: "full of noises" }] };
      await n8n.execute("stream", "create", { subscriptions, additionalFields: {} });
      const subscribed = await n8n.execute("stream", "getSubscribed");
      expect(subscribed).toMatchObject([{ name: "island", description: "full of noises" }]);
      // n8n sends these fields in the body of a GET.
      const channels = await n8n.execute("stream", "getAll", { additionalFields: { includePublic: true } });
      expect(channels.map(({ name }) => name)).toEqual(expect.arrayContaining(["island", "stage"]));
      const members = await n8n.execute("user", "getAll");
      expect(members.map(({ user_id }) => user_id)).toContain(bot.id);
      expect(await n8n.execute("user", "get", { userId: bot.id })).toMatchObject([{ user: { email: bot.email } }]);

      await n8n.execute("message", "delete", { messageId: sent.id });
      await expect(n8n.execute("message", "get", { messageId: sent.id })).rejects.toThrow("Invalid message(s)");
    }, 300_000);

    test("an assistant reads and writes by zulipchat-mcp", async () => {
      const { api_key } = await host.do(undefined, "POST", "/dev_fetch_api_key", { username: owner });
      const config = configuration("mcp-zuliprc", `[api]\nemail=${owner}\nkey=${api_key}\nsite=${host.url}\n`);
      const viola = "viola@globe.test";
      const riddle = await host.do(viola, "POST", "/messages", {
        ...{ type: "channel", to: "stage", topic: "riddles", content: "What country, friends, is **this**?" },
      });
      const mcpEnvironment = await environmentOf(join(import.meta.dirname, "zulipchat-mcp.requirements.txt"));
      const program = join(mcpEnvironment, "bin/zulipchat-mcp");
      const server = await startMcpServer(
        join(mcpEnvironment, "bin/python"),
        [program, "--zulip-config-file", config],
        {
          ...{ PYTHONDONTWRITEBYTECODE: "1", XDG_STATE_HOME: join(folder, "mcp"), HOME: folder },
        },
      );
      try {
        const { user } = await server.use("get_own_user");
        expect(user).toMatchObject({ email: owner, is_owner: true });
        const { streams } = await server.use("get_streams");
        expect(streams.map(({ name }: { name: string }) => name)).toContain("stage");
        // The oldest of the last day come by an anchor that is a date.
        const query = { stream: "stage", topic: "riddles", last_days: 1, sort_by: "oldest" };
        const found = await server.use("search_messages", query);
        expect(found.messages).toMatchObject([{ id: riddle.id, sender: "Viola" }]);
        expect(await server.use("resolve_user", { name: "Viola" })).toMatchObject({ email: viola });

        const answer = { type: "stream", to: "stage", topic: "riddles", content: "This is **Illyria**, lady." };
        const { message_id } = await server.use("send_message", answer);
        await server.use("add_reaction", { message_id: riddle.id, emoji_name: "rocket" });
        await server.use("edit_message", { message_id, content: "This is *Illyria*, lady." });
        await server.use("send_message", { type: "private", to: [viola], content: "And what should I do there?" });

        const { messages } = await host.do(viola, "GET", "/messages", {
          anchor: "newest",
          num_before: 3,
          num_after: 0,
        });
        expect(messages).toMatchObject([
          { content: "<p>What country, friends, is <strong>this</strong>?</p>", reactions: [{ emoji_name: "rocket" }] },
          {
            id: message_id,
            sender_email: owner,
            content: "<p>This is <em>Illyria</em>, lady.</p>",
            subject: "riddles",
          },
          { type: "private", content: "<p>And what should I do there?</p>" },
        ]);
      } finally {
        await server.close();
      }
    }, 600_000);

    test("an assistant reads and writes at /mcp by the protocol's own client for Python", async () => {
      const { stream_id: channel } = await host.do(owner, "GET", "/get_stream_id", { stream: "stage" });
      const scopes = { channel_ids: [channel], can_write: true };
      const { key } = await host.do(owner, "POST", "/agent_keys", { name: "Python", ...scopes });
      const mcpEnvironment = await environmentOf(join(import.meta.dirname, "zulipchat-mcp.requirements.txt"));
      const given = { url: `${host.url}/mcp`, key, channel };

      const used = await runPython(join(import.meta.dirname, "mcp_client.py"), given, mcpEnvironment);

      expect(used).toMatchObject({ version: "2025-11-25", refused: true });
      expect(used.tools).toEqual(expect.arrayContaining(["read_conversation", "send_message"]));
      expect(used.sent).toMatch(/^Sent as message \d+: /);
      expect([used.read, used.resource]).toEqual([
        expect.stringContaining("By the official client"),
        expect.stringContaining("By the official client"),
      ]);
      expect(used.prompt).toContain('the topic "python" in the channel "stage"');
      expect(await newestIn("python")()).toMatchObject({ client: "agent:Python", sender_email: owner });
    }, 600_000);
  },
);
