import { expect, test } from "vitest";
import { isServedHost, parseHostNames } from "../../../infra/local/host-names.ts";
import { send } from "../../support/http.ts";
import { aPerson, localTest } from "../../support/world.ts";

const isServed = (header: string | undefined, setting = "") => isServedHost(header, parseHostNames(setting));

test("loopback names are accepted with any port", () => {
  for (const name of ["127.0.0.1:9991", "localhost:9991", "LOCALHOST", "[::1]:9991", "127.0.0.2", "skein.localhost:80"])
    expect(isServed(name), name).toBe(true);
});

test("configured names and addresses are accepted, only as exact matches", () => {
  const setting = "Chat.Example, 192.168.0.7,fd00::7";

  for (const name of ["chat.example", "CHAT.example:443", "chat.example.", "192.168.0.7:9991", "[fd00::7]:9991"])
    expect(isServed(name, setting), name).toBe(true);
  for (const name of ["chat.example.evil.test", "evil-chat.example", "192.168.0.70", "sub.chat.example"])
    expect(isServed(name, setting), name).toBe(false);
});

test("other and invalid names are refused", () => {
  const hostile = [
    "127.0.0.1.evil.test",
    "localhost.evil.test",
    "evil.test:9991",
    "evil.test#.localhost",
    "a@localhost",
  ];
  for (const name of [...hostile, "evil.test/localhost", "evil.test\\localhost", "10.0.0.1", "", ":", "[", undefined])
    expect(isServed(name), name).toBe(false);
});

localTest("API Gateway knows its names itself")(
  "a request with a host name that another party resolves to this machine is refused",
  async () => {
    const ada = await aPerson("Ada");
    const fetchKey = (host: string) =>
      send("POST", "/api/v1/dev_fetch_api_key", `username=${ada.email}`, { headers: { host } });

    expect(await fetchKey("rebound.example:9991")).toMatchObject({
      status: 421,
      body: { message: expect.stringContaining("SKEIN_HOSTS") },
    });
    expect((await fetchKey("localhost:9991")).body).toMatchObject({ api_key: expect.any(String) });
  },
);
