import { join } from "node:path";
import { mailDomain } from "../../../shared/base/environment.ts";
import { CannotStartError } from "../data-folder.ts";

/** Receives mail by the ways that the settings name: the folder `mail-in` always, and SMTP on a port. */
export async function receiveMails(dataFolder: string) {
  const { SKEIN_MAIL_PORT: port, SKEIN_MAIL_HOST: host = "127.0.0.1" } = process.env;
  if (!/^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(mailDomain()))
    throw new CannotStartError("SKEIN_MAIL_DOMAIN must be a domain, such as chat.example");
  if (port !== undefined && !/^\d{1,5}$/.test(port)) throw new CannotStartError("SKEIN_MAIL_PORT must be a port");
  // Loaded only here: most hosts receive no mail.
  const smtp = port === undefined ? undefined : await (await import("./smtp.ts")).startSmtp(Number(port), host);
  const folder = (await import("./folder.ts")).watchMailFolder(join(dataFolder, "mail-in"));
  return {
    port: smtp?.port,
    stop: async () => {
      await Promise.all([smtp?.stop(), folder.stop()]);
    },
  };
}
