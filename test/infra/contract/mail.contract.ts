import { BadRequestException, SESv2Client, SendEmailCommand, type SendEmailCommandInput } from "@aws-sdk/client-sesv2";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { answeredBy, type ContractTarget, caseFor, clientFor, unique } from "./target.ts";

/**
 * The behaviour of SES on which the fleet relies; skein@acme.test must be a verified identity. `readMails` returns the
 * delivered mails if the target can list them.
 */
export function mailContract(target: ContractTarget, readMails?: () => Promise<string[]>): void {
  describe("mail", () => {
    const it = caseFor(target);
    let ses: SESv2Client;
    beforeAll(() => {
      ses = answeredBy(target, new SESv2Client(clientFor(target)));
    });
    afterAll(() => ses.destroy());
    const send = (Content: SendEmailCommandInput["Content"], to = "ada@acme.test") =>
      ses.send(
        new SendEmailCommand({ FromEmailAddress: "skein@acme.test", Destination: { ToAddresses: [to] }, Content }),
      );
    const simple = (Data: string, text = "text") => ({
      Simple: { Subject: { Data }, Body: { Text: { Data: text }, Html: { Data: `<p>${text}</p>` } } },
    });

    it("sends a mail of text and HTML", async () => {
      const subject = unique("Hello");
      const { MessageId } = await send(simple(subject, "grüezi"));

      expect(MessageId).toBeTruthy();
      if (!readMails) return;
      const mail = (await readMails()).find((text) => text.includes(`Subject: ${subject}\r\n`));
      expect(mail).toContain("From: skein@acme.test\r\nTo: ada@acme.test\r\n");
      expect(mail).toContain(Buffer.from("grüezi").toString("base64"));
      expect(mail).toContain(Buffer.from("<p>grüezi</p>").toString("base64"));
    });

    it("refuses header injection", async () => {
      await expect(send(simple("Hello\r\nBcc: eve@acme.test"))).rejects.toBeInstanceOf(BadRequestException);
      await expect(send(simple("Hello"), "ada@acme.test\r\nBcc: eve@acme.test")).rejects.toBeInstanceOf(
        BadRequestException,
      );
    });
  });
}
