import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { originOf, parseProxies } from "../../infra/local/proxies.ts";
import { aPrivateHost } from "../support/hosts/private-host.ts";
import { send } from "../support/http.ts";
import { localTest } from "../support/world.ts";

test.each([
  ["a reply in the envelope", "GET", "/api/v1/server_settings", undefined],
  ["an error", "GET", "/api/v1/messages", undefined],
  ["an unknown path", "GET", "/api/v1/nowhere", undefined],
  ["a preflight request", "OPTIONS", "/api/v1/messages", undefined],
  ["a page", "GET", "/", undefined],
  ["a body that is too long", "POST", "/api/v1/fetch_api_key", Buffer.alloc(4_500_000, "a")],
])("%s forbids content sniffing", async (_, method, path, body) => {
  expect((await send(method, path, body, {})).headers["x-content-type-options"]).toBe("nosniff");
});

describe("headers that proxies set", () => {
  const proxies = parseProxies("10.0.0.0/8, 2001:db8::1");
  const request = (remoteAddress: string, headers: Record<string, string>) =>
    ({ headers, socket: { remoteAddress } }) as unknown as IncomingMessage;
  const forwarded = {
    "x-forwarded-for": "1.2.3.4, 203.0.113.9, 10.1.1.1",
    "x-forwarded-proto": "https",
    accept: "*/*",
  };

  test("are trusted from a proxy, and a client behind it cannot extend them", () => {
    expect(originOf(request("10.0.0.1", forwarded), proxies)).toEqual({ sourceIp: "203.0.113.9", headers: forwarded });
    expect(originOf(request("2001:db8::1", forwarded), proxies).sourceIp).toBe("203.0.113.9");
    expect(originOf(request("::ffff:10.0.0.1", forwarded), proxies).sourceIp).toBe("203.0.113.9");
  });

  test("are removed from any other client", () => {
    expect(originOf(request("203.0.113.5", forwarded), proxies)).toEqual({
      sourceIp: "203.0.113.5",
      headers: { accept: "*/*" },
    });
    expect(originOf(request("127.0.0.1", { ...forwarded, forwarded: "for=1.2.3.4" }), parseProxies(""))).toEqual({
      sourceIp: "127.0.0.1",
      headers: { accept: "*/*" },
    });
  });

  test("an invalid list of proxies is refused", () => {
    expect(() => parseProxies("proxy.example")).toThrow(
      "SKEIN_TRUSTED_PROXIES: proxy.example is neither an address nor a CIDR",
    );
  });
});

localTest("it has hosts of its own")(
  "requests over TLS get an HSTS header, and forwarding headers only count from a proxy",
  async () => {
    const host = await aPrivateHost({ SKEIN_TRUSTED_PROXIES: "127.0.0.1" });
    try {
      const headers = { "x-forwarded-proto": "https" };
      const [throughProxy, direct] = [
        await send("GET", "/api/v1/server_settings", undefined, { url: host.url, headers }),
        await send("GET", "/api/v1/server_settings", undefined, { headers: { "x-forwarded-proto": "https" } }),
      ];

      expect(throughProxy.headers["strict-transport-security"]).toBe("max-age=31536000");
      expect(throughProxy.body.realm_uri).toBe(host.url.replace("http:", "https:"));
      expect(direct.headers["strict-transport-security"]).toBeUndefined();
      expect(direct.body.realm_uri).toMatch(/^http:/);
    } finally {
      await host.stop();
    }
  },
);
