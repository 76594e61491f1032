import { readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SESEventRecord, SESMessage } from "aws-lambda";
import { beforeAll, describe, expect, test } from "vitest";
import { handler as receiveMails } from "../../functions/mail/receive-mails.ts";
import { limits } from "../../shared/base/limits.ts";
import { contentOf } from "../../shared/messaging/incoming-mail/content.ts";
import { countMail } from "../../shared/messaging/incoming-mail/counts.ts";
import { incomingMailFolder } from "../../shared/messaging/incoming-mail/jobs.ts";
import { readMime } from "../../shared/messaging/incoming-mail/read-mime.ts";
import { verdictOn } from "../../shared/messaging/incoming-mail/trust.ts";
import { getFile, putFile } from "../../shared/services/blobs/bucket.ts";
import { findRecipient, type Recipient } from "../../shared/services/mail/addresses.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { withCpuTime } from "../support/cpu-time.ts";
import { fetchFile, upload } from "../support/files.ts";
import { mailsTo, skipBatchingPeriod } from "../support/mails.ts";
import { fetchTopic, noticesTo, sendDirect, sendToChannel } from "../support/messages.ts";
import { sesEvent } from "../support/outside/ses-event.ts";
import { sendBySmtp } from "../support/outside/smtp-client.ts";
import { aBot } from "../support/people.ts";
import { target } from "../support/target.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, isLocal, type Person } from "../support/world.ts";
import { hostileMails, mailForms } from "./mail-forms.ts";

const addressOf = async (person: Person, channel: { id: number }, params = {}): Promise<string> =>
  (await person.do("GET", `/streams/${channel.id}/email_address`, params)).email;

const withOptions = (address: string, options: string) =>
  address.replace(".show-sender@", "@").replace("@", `${options}@`);

let mailCount = 0;
const mail = (subject: string, body: string, headers: readonly string[] = []) =>
  [
    `Subject: ${subject}`,
    ...(headers.some((header) => header.startsWith("From:")) ? [] : ["From: Outside <outside@example.com>"]),
    ...(headers.some((header) => header.startsWith("Message-ID:"))
      ? []
      : [`Message-ID: <${++mailCount}.${Date.now()}@example.com>`]),
    ...headers,
    "",
    body,
  ].join("\n");

/** Waits for the messages of a topic. */
const messagesIn = (reader: Person, channel: any, topic: string, count = 1) =>
  eventually(async () => {
    const messages = await fetchTopic(reader, channel, topic);
    return messages.length >= count && messages;
  }, 20);

// Only a host on one machine receives mail by SMTP.
describe.runIf(isLocal())("mail to a channel", () => {
  describe("becomes a message, whatever program has written it", () => {
    let ann: Person;
    let channel: any;
    let address: string;
    beforeAll(async () => {
      ann = await aPerson("Ann");
      channel = await aChannel("post", [ann]);
      address = await addressOf(ann, channel);
    });

    for (const [index, { name, headers, subject, body, options = "", topic, expected }] of mailForms.entries())
      test.concurrent(name, async () => {
        const shown = topic === undefined ? `Form ${index}` : topic;
        const raw = mail(subject ?? shown, body, [`From: Outside <form-${index}@example.com>`, ...(headers ?? [])]);
        expect(await sendBySmtp(raw, [withOptions(address, options)])).toBe("250 Accepted");
        // Several forms are about subjects and have one text.
        const found = await eventually(
          async () =>
            (await fetchTopic(ann, channel, shown)).find(({ content }) =>
              typeof expected === "string" ? content === expected : expected.test(content),
            ),
          20,
        ).catch(async () =>
          expect((await fetchTopic(ann, channel, shown)).map(({ content }) => content)).toEqual([expected]),
        );
        expect(found).toMatchObject({ sender_full_name: "Email Gateway", client: "Email" });
      });
  });

  test("arrives at once, and once even if it comes twice", async () => {
    const ann = await aPerson("Ann");
    const channel = await aChannel("alarms", [ann]);
    const address = await addressOf(ann, channel);
    const raw = mail("Disk full", "95 %");
    const startedAt = performance.now();
    await sendBySmtp(raw, [address]);
    await messagesIn(ann, channel, "Disk full");
    const durationMs = performance.now() - startedAt;
    await sendBySmtp(raw, [address, address]);
    await sendBySmtp(mail("Disk full", "96 %"), [address]);
    const messages = await messagesIn(ann, channel, "Disk full", 2);
    expect(messages.map(({ content }) => content.split("\n").at(-1))).toEqual(["95 %", "96 %"]);
    expect(durationMs).toBeLessThan(5000);
  });

  test("is posted by whom the address names, while they may post", async () => {
    const [ann, ben] = [await aPerson("Ann"), await aPerson("Ben")];
    const bot = await aBot(ann);
    const channel = await aChannel("stage", [ann, bot]);
    await sendBySmtp(mail("Who", "as herself"), [await addressOf(ann, channel, { sender_id: ann.id })]);
    await sendBySmtp(mail("Bot", "as her bot"), [await addressOf(ann, channel, { sender_id: bot.id })]);
    expect((await messagesIn(ann, channel, "Who"))[0]).toMatchObject({ sender_id: ann.id, content: "as herself" });
    expect((await messagesIn(ann, channel, "Bot"))[0]).toMatchObject({ sender_id: bot.id });
    expect(await ben.call("GET", `/streams/${channel.id}/email_address`, { sender_id: bot.id })).toMatchObject({
      body: { code: "BAD_REQUEST" },
    });

    const former = await addressOf(ann, channel);
    const { email } = await ann.do("POST", `/streams/${channel.id}/email_address`);
    expect(email).not.toBe(former);
    expect(await sendBySmtp(mail("Former", "x"), [former])).toBe("550 No such address");
    expect(await sendBySmtp(mail("New", "x"), [email])).toBe("250 Accepted");
    await messagesIn(ann, channel, "New");
  });

  test("is dropped if a program has answered, or it is a mail of this server", async () => {
    const ann = await aPerson("Ann");
    const channel = await aChannel("loops", [ann]);
    const address = await addressOf(ann, channel);
    const dropped = [
      ["Auto-Submitted: auto-replied"],
      ["X-Skein-Mail: 1"],
      ["Precedence: auto_reply"],
      ["From: MAILER-DAEMON@example.com"],
      ['Content-Type: multipart/report; report-type="delivery-status"; boundary=x'],
    ];
    for (const headers of dropped) await sendBySmtp(mail("Loop", "dropped", headers), [address]);
    // A program's alarm and a mailing list's mail are no answers.
    const list = "List-Id: <actors.mail.globe.test>";
    await sendBySmtp(mail("Loop", "kept", ["Auto-Submitted: auto-generated", list]), [address]);
    const messages = await messagesIn(ann, channel, "Loop");
    expect(messages.map(({ content }) => content)).toEqual([expect.stringMatching(/kept$/)]);
  });

  test("is no longer posted by a bot when the address's creator has lost the bot or may not post", async () => {
    const [ann, ben] = [await aPerson("Ann", { role: "owner" }), await aPerson("Ben")];
    const [lost, kept] = [await aBot(ben), await aBot(ben)];
    const channel = await aChannel("wings", [ann, ben, lost, kept]);
    const ofLost = await addressOf(ben, channel, { sender_id: lost.id });
    const ofKept = await addressOf(ben, channel, { sender_id: kept.id });
    await ann.do("PATCH", `/bots/${lost.id}`, { bot_owner_id: ann.id });
    await sendBySmtp(mail("Wings", "by the lost bot"), [ofLost]);
    await sendBySmtp(mail("Wings", "by the kept bot"), [ofKept]);
    await messagesIn(ann, channel, "Wings");
    await ann.do("PATCH", `/streams/${channel.id}`, {
      can_send_message_group: { new: { direct_members: [ann.id, kept.id], direct_subgroups: [] } },
    });
    await sendBySmtp(mail("Wings", "after the right"), [ofKept]);
    await sendBySmtp(mail("Wings", "by Ann"), [await addressOf(ann, channel)]);
    const messages = await messagesIn(ann, channel, "Wings", 2);
    expect(messages.map(({ content }) => content.split("\n").at(-1))).toEqual(["by the kept bot", "by Ann"]);
  });

  test("shares only the files that it brings", async () => {
    const [ann, ben] = [await aPerson("Ann"), await aPerson("Ben")];
    const channel = await aChannel("props", [ann, ben]);
    const secret = await upload(ann, "secret.txt", "Not for Ben");
    await sendBySmtp(mail("Props", `[Look](${secret})`), [await addressOf(ann, channel)]);
    await messagesIn(ann, channel, "Props");
    expect((await fetchFile(ben, secret)).status).toBe(404);
  });

  test("beyond 200 in an hour is refused for now, and on each attempt", async () => {
    const ann = await aPerson("Ann");
    const channel = await aChannel("flood", [ann]);
    const address = await addressOf(ann, channel);
    const to = (await findRecipient(address)) as Recipient;
    const count = (by: number, name = "x", verdict: "pass" | "none" = "none") =>
      countMail(to, { from: { name, address: `${name}@flood.example.com` } }, verdict, by);
    await count(99);
    await count(100, "x", "pass");
    expect(await sendBySmtp(mail("Flood", "x"), [address])).toBe("250 Accepted");
    await messagesIn(ann, channel, "Flood");
    expect(await sendBySmtp(mail("Flood", "y"), [address])).toBe("451 Too many mails, try again later");
    // Those that were accepted before are refused by the worker, on each attempt.
    await expect(count(1, "y")).rejects.toThrow("More than 200 mails came in an hour");
    await expect(count(0, "y")).rejects.toMatchObject({ name: "HopelessJob" });

    // Who forges somebody's address at one of ours does not keep them from writing to another.
    const other = (await findRecipient(await addressOf(ann, await aChannel("dry", [ann])))) as Recipient;
    const from = { name: "", address: `will-${ann.id}@example.com` };
    await expect(countMail(to, { from }, "none", 101)).rejects.toThrow();
    await countMail(other, { from }, "none", 1);
    await countMail(other, { from }, "pass", 1);
  });

  test("comes from the folder of the host too", async () => {
    const ann = await aPerson("Ann");
    const channel = await aChannel("folder", [ann]);
    const folder = join(dirname(dirname(target().mailFolder as string)), "mail-in");
    await writeFile(join(folder, "x.eml"), mail("Dropped", "from a file", [`To: <${await addressOf(ann, channel)}>`]));
    // What follows the header is no header.
    const hidden = `To: <${await addressOf(ann, channel)}>`;
    await writeFile(join(folder, "y.eml"), mail("Dropped", `${hidden}\r\n\r\n`, ["To: <ann@example.com>"]));
    await writeFile(join(folder, "z.eml"), `${"X-Long: yes\n".repeat(200_000)}\nx`);
    expect((await messagesIn(ann, channel, "Dropped"))[0].content).toMatch(/from a file$/);
    await eventually(async () => {
      const names = await readdir(folder);
      return names.includes("y.eml.refused") && names.includes("z.eml.refused");
    }, 20);
  });

  test("shows whether the server in front confirms its author", async () => {
    const results = (text: string) => [`Authentication-Results: ${text}`, "From: Eve <eve@sub.example.com>"];
    const verdict = async (headers: readonly string[]) =>
      verdictOn(await readMime(Buffer.from(mail("x", "x", headers))));
    process.env.MAIL_VERDICTS_BY = "mx.globe.test";
    expect(await verdict(results("mx.globe.test; dmarc=pass"))).toBe("pass");
    expect(await verdict(results("mx.globe.test; dkim=pass (good) header.d=example.com; spf=none"))).toBe("pass");
    expect(await verdict(results("mx.globe.test; spf=pass smtp.mailfrom=bounce@sub.example.com"))).toBe("pass");
    expect(await verdict(results("mx.globe.test; dkim=pass header.d=other.com"))).toBe("fail");
    expect(await verdict(results("mx.globe.test; dmarc=fail; spf=pass smtp.mailfrom=sub.example.com"))).toBe("fail");
    expect(await verdict(results("mx.evil.test; dmarc=pass"))).toBe("fail");
    const forged = ["Authentication-Results: mx.globe.test; dmarc=fail", ...results("mx.globe.test; dmarc=pass")];
    expect(await verdict(forged)).toBe("fail");
    expect(await verdict([...results("mx.globe.test; dmarc=pass"), "From: other@example.com"])).toBe("fail");
    const commented =
      'mx.globe.test; spf=fail (of "a (b; dmarc=pass)" \\) (c; dmarc=pass)) smtp.mailfrom="x; dmarc=pass;"';
    expect(await verdict(results(commented))).toBe("fail");
    expect(await verdict(results("mx.globe.test; dmarc=pass (p=(none) d=x)"))).toBe("pass");
    expect(await verdict(results("mx.globe.test; dmarc=pass (open"))).toBe("fail");
    expect(await verdict(results("mx.globe.test; spf=pass smtp.mailfrom=a@sub.example.com@evil.com"))).toBe("fail");
    const from = (value: string) => ["Authentication-Results: mx.globe.test; dmarc=pass", `From: ${value}`];
    expect(await verdict(from("a@example.com"))).toBe("pass");
    expect(await verdict(from("a@example.com, b@example.com"))).toBe("fail");
    expect(await verdict(from("A: a@example.com, b@example.com;"))).toBe("fail");
  });
});

describe.runIf(isLocal())("a mail that SES has received", () => {
  /** Does what SES does on AWS. Returns whether the file is still there. */
  async function receive(raw: string, to: string[], change?: (message: SESMessage) => void): Promise<boolean> {
    process.env.MAIL_DOMAIN = "mail.globe.test";
    process.env.MAIL_VERDICTS_BY = "amazonses.com";
    const id = `ses-${++mailCount}-${Date.now()}`;
    await putFile(`${incomingMailFolder}${id}`, Buffer.from(raw), "message/rfc822");
    const event = sesEvent(id, "bounce@example.com", to);
    const [{ ses }] = event.Records as [SESEventRecord];
    change?.(ses);
    await receiveMails(event);
    return (await getFile(`${incomingMailFolder}${id}`)) !== undefined;
  }
  const results = (spf: string, others: string) =>
    `Authentication-Results: amazonses.com;\n spf=${spf} (spfCheck: domain of _spf.example.com designates 192.0.2.1 as permitted sender) client-ip=192.0.2.1; envelope-from=bounce@example.com; helo=mx.example.com;\n ${others}`;

  test("is posted, if one of its recipients is an address of the fleet", async () => {
    const ann = await aPerson("Ann");
    const channel = await aChannel("ses", [ann]);
    const address = await addressOf(ann, channel);
    expect(await receive(mail("Received", "by SES"), ["postmaster@mail.globe.test", address])).toBe(false);
    expect((await messagesIn(ann, channel, "Received"))[0].content).toMatch(/by SES$/);
    // Whoever writes to any other name in the domain is no concern of the operator.
    expect(await receive(mail("Received", "for nobody"), ["postmaster@mail.globe.test"])).toBe(false);
    for (const scan of ["Spam", "Virus"])
      expect(await receive(mail("Received", scan, [`X-SES-${scan}-Verdict: FAIL`]), [address])).toBe(false);
    const passed = ["X-SES-Spam-Verdict: PASS", "X-SES-Virus-Verdict: PASS", "X-SES-Spam-Verdict: FAIL"];
    expect(await receive(mail("Received", "passed", passed), [address])).toBe(false);
    const messages = await messagesIn(ann, channel, "Received", 2);
    expect(messages.map(({ content }) => content.split("\n").at(-1))).toEqual(["by SES", "passed"]);
  });

  test("is posted if it has no sender, and its author is believed only if SES says so beside the mail", async () => {
    const ann = await aPerson("Ann");
    const channel = await aChannel("ses-senders", [ann]);
    const to = [withOptions(await addressOf(ann, channel), ".show-sender")];
    const raw = (text: string) => mail("Senders", text, [results("pass", "dmarc=pass header.from=example.com;")]);
    await receive(raw("none"), to, (message) => Object.assign(message.mail, { source: undefined }));
    await receive(raw("failed"), to, ({ receipt }) => {
      receipt.dmarcVerdict = { status: "FAIL" };
    });
    await receive(raw("gray"), to, ({ receipt }) => {
      receipt.dmarcVerdict = { status: "GRAY" };
    });
    const messages = await messagesIn(ann, channel, "Senders", 3);
    expect(messages.map(({ content }) => [content.includes("(not verified)"), content.split("\n").at(-1)])).toEqual([
      [false, expect.stringContaining("none")],
      [true, expect.stringContaining("failed")],
      [true, expect.stringContaining("gray")],
    ]);
  });

  test("is repeated by Lambda if it fails, and kept", async () => {
    const ann = await aPerson("Ann");
    const address = await addressOf(ann, await aChannel("ses-failing", [ann]));
    const parts = mail("x", "--b\n\nx\n".repeat(600), ["Content-Type: multipart/mixed; boundary=b"]);
    await expect(receive(parts, [address])).rejects.toThrow("The email was not handled");
  });

  test("is believed as SES says", async () => {
    const verdict = async (line: string, passed?: ("dmarc" | "dkim" | "spf")[]) =>
      verdictOn(await readMime(Buffer.from(mail("x", "x", [line, "From: Ann <ann@example.com>"]))), passed);
    process.env.MAIL_VERDICTS_BY = "amazonses.com";
    // What the event says is beyond the sender's reach.
    const byDmarc = results("fail", "dmarc=pass header.from=example.com;");
    const byDkim = results("fail", "dkim=pass header.i=@example.com;");
    const bySpf = results("pass", "dmarc=none;");
    const all = [byDmarc, byDkim, bySpf];
    const verdicts = (passed: ("dmarc" | "dkim" | "spf")[]) => Promise.all(all.map((line) => verdict(line, passed)));
    expect(await verdicts(["dmarc"])).toEqual(["pass", "fail", "fail"]);
    expect(await verdicts(["dkim"])).toEqual(["fail", "pass", "fail"]);
    expect(await verdicts(["spf"])).toEqual(["fail", "fail", "pass"]);
    expect(await verdicts([])).toEqual(["fail", "fail", "fail"]);
    expect(
      await verdict(results("fail", "dkim=pass header.i=@example.com;\n dmarc=pass header.from=example.com;")),
    ).toBe("pass");
    expect(await verdict(results("pass", "dmarc=none header.from=example.com;"))).toBe("pass");
    expect(await verdict(results("softfail", "dkim=pass header.i=@example.com;"))).toBe("pass");
    expect(await verdict(results("softfail", "dkim=pass header.i=@evil.com;"))).toBe("fail");
    expect(await verdict(results("pass", "dmarc=fail header.from=example.com;"))).toBe("fail");
    // What a sending server calls itself.
    expect(
      await verdict(results("fail", "dmarc=fail header.from=example.com;").replace("helo=", "helo=x;dmarc=pass;")),
    ).toBe("fail");
    expect(
      await verdict(results("fail", "dmarc=none;").replace("helo=", "helo=x;spf=pass;envelope-from=example.com;")),
    ).toBe("fail");
  });
});

describe.runIf(isLocal())("the message for a mail", () => {
  const options = { showSender: true, includeFooter: false, includeQuotes: false, preferHtml: false, keepRest: true };
  const contentFor = async (raw: string) =>
    (await contentOf(await readMime(Buffer.from(raw)), "none", options, 1, await loadRealm())).content;
  const attached = (name: string) =>
    `--b\nContent-Type: text/csv\nContent-Disposition: attachment; filename="${name}"\n\na,b\n`;
  const withFiles = (text: string, names: readonly string[]) =>
    mail("x", `--b\n\n${text}\n${names.map(attached).join("")}--b--`, [
      'From: "@**all**" <"@*cast*"@example.com>',
      'Content-Type: multipart/mixed; boundary="b"',
    ]);

  test("mentions nobody, whatever names its author and its files have", async () => {
    const content = await contentFor(withFiles(`@**all** ${"@**x**".repeat(1600)}`, ["@**all**.csv", "@*cast*"]));
    expect(content).not.toMatch(/@\*/);
    expect(content).toMatch(
      /^From: @_\*\*all[\s\S]*\[@_\*\*all\*\*\.csv\]\(\/user_uploads\/\S+\)\n\[@_\*cast\*\]\(\S+\)$/,
    );
    expect(content.length).toBeLessThanOrEqual(limits.messageLength);
  });

  test("has its whole text as a file if its links leave no room, first of them and outside a block that was cut", async () => {
    const text = `\`\`\`\n${"word ".repeat(1900)}`;
    const content = await contentFor(
      withFiles(
        text,
        Array.from({ length: 25 }, (_, index) => `list-${index}.csv`),
      ),
    );
    expect(content).toMatch(/\[message truncated\]\n```\n\[mail\.txt\]\(\S+\)\n\[list-0\.csv\]/);
    expect(content).toMatch(/\n\(6 further files were left out\.\)$/);
    expect(content.length).toBeLessThanOrEqual(limits.messageLength);
    expect(await contentFor(withFiles(`\`\`\`\nx`, ["a.csv"]))).toMatch(/\n```\nx\n```\n\[a\.csv\]/);
  });

  const long = 1_000_000;
  const html = ["Content-Type: text/html"];
  const flowed = ["Content-Type: text/plain; format=flowed"];
  test.each([
    ["brackets", mail("x", "[".repeat(long))],
    ["a picture's label", mail("x", `[${"![](cid:".repeat(long / 8)}`)],
    ["blanks", mail("x", `a\n${" ".repeat(long)}b`)],
    ["empty lines", mail("x", `a${`\n${" ".repeat(19)}`.repeat(long / 20)}b`)],
    ["blanks in HTML", mail("x", `<pre>${" ".repeat(long)}</pre><hr id="appendonsend">x`, html)],
    ["marks of quotes", mail("x", `>${" >".repeat(long / 2)}`, flowed)],
    ["quoted lines", mail("x", `>${" a >b".repeat(4)} \n`.repeat(long / 24), flowed)],
    [
      "one header many times",
      mail(
        "x",
        "x",
        Array.from({ length: 50_000 }, () => "A: b"),
      ),
    ],
  ])("takes little time for a megabyte of %s", async (_, raw) => {
    const { cpuMs } = await withCpuTime(() => contentFor(raw));
    expect(cpuMs).toBeLessThan(2000);
  });
});

describe.runIf(isLocal())("a hostile mail", () => {
  for (const { name, raw, reason } of hostileMails)
    test(`of ${name} becomes a dead letter that says why`, async () => {
      const options = {
        showSender: true,
        includeFooter: false,
        includeQuotes: false,
        preferHtml: false,
        keepRest: true,
      };
      const read = async () => contentOf(await readMime(Buffer.from(raw)), "none", options, 1, await loadRealm());
      await expect(read()).rejects.toMatchObject({ name: "HopelessJob", message: expect.stringMatching(reason) });
    });
});

describe.runIf(isLocal())("a reply to a mail about missed messages", () => {
  async function aReader(name: string): Promise<Person> {
    const person = await aPerson(name);
    await person.do("PATCH", "/settings", { email_notifications_batching_period_seconds: 600 });
    return person;
  }
  async function missedMail(reader: Person, id: number) {
    await skipBatchingPeriod(reader.id, [id]);
    const { headers = [], text } = await eventually(async () => (await mailsTo(reader.email))[0]);
    const header = (name: string) => headers.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? "";
    return { header, replyTo: header("Reply-To"), text };
  }
  const reply = (reader: Person, body: string, headers: readonly string[] = []) =>
    mail("Re: DMs", body, [
      `From: ${reader.email}`,
      "Authentication-Results: mx.globe.test; dmarc=pass",
      "Content-Type: text/plain; charset=utf-8; format=flowed",
      ...headers,
    ]);

  test("is posted in the conversation, as the person, once and without what it quotes", async () => {
    const [ann, ben] = [await aPerson("Ann"), await aReader("Ben")];
    const { header, replyTo, text } = await missedMail(ben, await sendDirect(ann, [ben], "Shall we?"));
    expect(text).toContain("You can answer by replying to this email.");
    expect(header("References")).toBe(header("In-Reply-To"));
    const raw = reply(ben, "Yes.\n\nOn 30.11.26 10:00, Skein <skein@localhost> wrote:\n> Ann:\n> Shall we?\n-- \nBen");
    expect(await sendBySmtp(raw, [replyTo])).toBe("250 Accepted");
    await sendBySmtp(raw, [replyTo]);
    await sendBySmtp(reply(ben, "At nine."), [replyTo]);
    const narrow = [{ operator: "dm", operand: [ben.id] }];
    const messages = await eventually(async () => {
      const params = { anchor: "newest", num_before: 9, num_after: 0, apply_markdown: false, narrow };
      const found = (await ann.do("GET", "/messages", params)).messages;
      return found.length >= 3 && found;
    }, 20);
    expect(messages.map(({ content, sender_id, client }: any) => [content, sender_id, client])).toEqual([
      ["Shall we?", ann.id, expect.anything()],
      ["Yes.", ben.id, "Email"],
      ["At nine.", ben.id, "Email"],
    ]);
  });

  test("of a topic goes there, unless others have written it or the person may not post", async () => {
    const [ann, ben, eve] = [await aPerson("Ann", { role: "owner" }), await aReader("Ben"), await aPerson("Eve")];
    const channel = await aChannel("plans", [ann, ben]);
    const id = await sendToChannel(ann, channel, "Tour", `@**Ben|${ben.id}** where?`);
    const { header, replyTo } = await missedMail(ben, id);
    expect(header("List-Id")).toBe(`<channel-${channel.id}.localhost>`);
    // Who has received the mail may have passed it on.
    await sendBySmtp(reply(eve, "I am Ben"), [replyTo]);
    await sendBySmtp(reply(ben, "forged", ["Authentication-Results: x"]).replace("dmarc=pass", "dmarc=fail"), [
      replyTo,
    ]);
    await sendBySmtp(reply(ben, "on holiday", ["Auto-Submitted: auto-generated"]), [replyTo]);
    await sendBySmtp(reply(ben, "To London"), [replyTo]);
    const messages = await messagesIn(ann, channel, "Tour", 2);
    expect(messages.map(({ content }) => content)).toEqual([expect.anything(), "To London"]);

    await ann.do("PATCH", `/streams/${channel.id}`, {
      can_send_message_group: { new: { direct_members: [ann.id], direct_subgroups: [] } },
    });
    await sendBySmtp(reply(ben, "And to Oxford"), [replyTo]);
    const [notice] = await noticesTo(ben, 1);
    expect(notice).toMatch(
      /^Your reply by email could not be posted: You do not have permission to post in this channel\.[\s\S]*And to Oxford/,
    );
    expect(await fetchTopic(ann, channel, "Tour")).toHaveLength(2);
  });
});

test.runIf(isLocal())("mail to nobody is refused at once", async () => {
  for (const address of ["nobody@mail.globe.test", "c1-1-1-0-aaaaaaaaaaaaaaaaaaaa@mail.globe.test", "x@elsewhere.test"])
    expect(await sendBySmtp(mail("x", "x"), [address])).toBe("550 No such address");
});
