import { expect, test } from "vitest";
import { exceptionsIn, isPublicAddress, mayReach } from "../../shared/messaging/outgoing-webhooks/addresses.ts";

test.each(["8.8.8.8", "93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::ffff:8.8.8.8"])(
  "%s is public",
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test.each([
  ["this network", "0.0.0.0"],
  ["private", "10.1.2.3"],
  ["private", "172.16.0.1"],
  ["private", "192.168.1.1"],
  ["shared between carriers", "100.64.0.1"],
  ["loopback", "127.0.0.1"],
  ["loopback", "127.255.255.254"],
  ["link-local", "169.254.1.1"],
  ["instance metadata", "169.254.169.254"],
  ["documentation", "192.0.2.1"],
  ["benchmarking", "198.18.0.1"],
  ["multicast", "224.0.0.1"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["unspecified", "::"],
  ["loopback", "::1"],
  ["link-local", "fe80::1"],
  ["link-local with a zone", "fe80::1%eth0"],
  ["unique local", "fc00::1"],
  ["instance metadata", "fd00:ec2::254"],
  ["multicast", "ff02::1"],
  ["site-local", "fec0::1"],
  ["documentation", "2001:db8::1"],
  ["mapped IPv4", "::ffff:127.0.0.1"],
  ["mapped IPv4", "::ffff:a9fe:a9fe"],
  ["compatible IPv4", "::7f00:1"],
  ["translated IPv4", "64:ff9b::7f00:1"],
  ["6to4", "2002:7f00:1::"],
  ["Teredo", "2001::1"],
  ["no address", "localhost"],
])("an address that is %s is not public: %s", (_, address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test("an operator's exceptions are host names, addresses and ranges", () => {
  const exceptions = exceptionsIn(" Intranet.test, 10.2.0.0/16 ,127.0.0.1,fd12::/16,");

  expect(mayReach("intranet.test", "192.168.1.1", exceptions)).toBe(true);
  expect(mayReach("other.test", "192.168.1.1", exceptions)).toBe(false);
  expect(mayReach("other.test", "10.2.255.1", exceptions)).toBe(true);
  expect(mayReach("other.test", "::ffff:10.2.255.1", exceptions)).toBe(true);
  expect(mayReach("other.test", "10.3.0.1", exceptions)).toBe(false);
  expect(mayReach("127.0.0.1", "127.0.0.1", exceptions)).toBe(true);
  expect(mayReach("127.0.0.2", "127.0.0.2", exceptions)).toBe(false);
  expect(mayReach("other.test", "fd12::5", exceptions)).toBe(true);
  expect(mayReach("other.test", "fd13::5", exceptions)).toBe(false);
});

test("an invalid exception is named in the error", () => {
  expect(() => exceptionsIn("10.0.0.0/8,http://x")).toThrow("http://x");
});
