import * as z from "zod/mini";
import { moment } from "../alerts.ts";
import { listOf, maybe, number, object, type output, record, text, unknown } from "../fields.ts";
import { integration } from "../integration.ts";
import { isHmac, isRecent } from "../signature.ts";
import { link, plain, words } from "../text.ts";

/** https://docs.stripe.com/api/events/types */

const thing = z.looseObject({
  id: text(),
  object: text(),
  amount: number(),
  amount_due: number(),
  amount_paid: number(),
  amount_refunded: number(),
  amount_total: number(),
  currency: text(),
  customer: text(),
  email: text(),
  name: text(),
  description: text(),
  status: text(),
  reason: text(),
  failure_message: text(),
  number: text(),
  charge: text(),
  hosted_invoice_url: text(),
  billing_reason: text(),
  arrival_date: number(),
  trial_end: number(),
  cancel_at_period_end: maybe(object({})),
  plan: maybe(object({ nickname: text(), amount: number(), currency: text(), interval: text() })),
  items: maybe(object({ data: listOf(object({ quantity: number(), price: maybe(object({ nickname: text() })) })) })),
  last_payment_error: maybe(object({ message: text() })),
});

const payload = object({
  id: text(),
  type: text(),
  account: text(),
  livemode: maybe(object({})),
  data: object({ object: thing, previous_attributes: maybe(record(text(), unknown())) }),
});
type Thing = output<typeof thing>;

/** The pages of Stripe's dashboard, by kind of object. */
const pages: Record<string, string> = {
  ...{ charge: "payments", payment_intent: "payments", customer: "customers", subscription: "subscriptions" },
  ...{ invoice: "invoices", dispute: "disputes", payout: "payouts", product: "products", coupon: "coupons" },
  ...{ refund: "refunds", price: "prices", "checkout.session": "checkout/sessions", quote: "quotes" },
};

const titles: Record<string, string> = { "checkout.session": "Checkout session" };
const titleOf = (kind: string) =>
  titles[kind] ??
  words(kind)
    .replace(/^./, (letter) => letter.toUpperCase())
    .replaceAll(".", " ");

/** Currencies without decimals: https://docs.stripe.com/currencies#zero-decimal */
const wholeCurrencies = /^(bif|clp|djf|gnf|jpy|kmf|krw|mga|pyg|rwf|ugx|vnd|vuv|xaf|xof|xpf)$/i;

const money = (amount: number, currency: string): string =>
  `${wholeCurrencies.test(currency) ? amount : (amount / 100).toFixed(2)} ${plain(currency.toUpperCase())}`;

const amountOf = (it: Thing): number =>
  it.object === "invoice"
    ? it.amount_due || it.amount_paid
    : it.object === "checkout.session"
      ? it.amount_total
      : it.amount;

/** Families of events that are posted; the rest, such as the reporting of usage, is for programs. */
const families = [
  ...["account.", "charge.", "checkout.session.", "coupon.", "customer.", "invoice.", "payment_intent.", "payout."],
  ...["price.", "product.", "radar.", "refund.", "review.", "subscription_schedule.", "transfer.", "quote."],
];

const maxChanges = 20;

/** What an update changed, with the values before and after where they are short. */
const changesOf = (previous: Readonly<Record<string, unknown>>, it: Thing): string =>
  Object.entries(previous)
    .slice(0, maxChanges)
    .map(([name, before]) => {
      const [from, to] = [before, it[name]].map((value) =>
        typeof value === "string" || typeof value === "number" || typeof value === "boolean"
          ? String(value).slice(0, 100)
          : "",
      );
      return `${words(name)}${from || to ? ` (${from || "none"} → ${to || "none"})` : ""}`;
    })
    .join(", ");

export const service = integration({
  title: "Stripe",
  logo: "stripe",
  summary: "Payments, refunds, disputes, customers, subscriptions, invoices and payouts.",
  setUp: [
    "Open **Developers → Webhooks → Add endpoint**, and enter the URL.",
    "Choose the events. The **Signing secret** can be the bot's `webhook_secret`.",
  ],
  events: families.map((family) => `${family}*`),
  payload,
  deliveryId: ({ id }) => id,
  isSigned({ headers, body }, secret) {
    const parts = (headers["stripe-signature"] ?? "").split(",").slice(0, 10);
    const valueIn = (part: string) => part.slice(part.indexOf("=") + 1);
    const timestamp = parts.find((part) => part.startsWith("t="))?.slice(2);
    const signed = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
    return (
      isRecent(timestamp) &&
      parts.filter((part) => part.startsWith("v1=")).some((part) => isHmac(valueIn(part), secret, signed))
    );
  },
  toPost({ type, data: { object: it, previous_attributes: previous = {} } }) {
    if (!families.some((family) => type.startsWith(family))) return undefined;
    const page = Object.hasOwn(pages, it.object) ? pages[it.object] : undefined;
    const label = it.object === "invoice" && it.number ? `Invoice ${it.number}` : titleOf(it.object);
    const title = link(label, page && `https://dashboard.stripe.com/${page}/${it.id}`);
    const amount = amountOf(it);
    const total = amount && it.currency ? ` for ${money(amount, it.currency)}` : "";
    const facts = [
      ["Name", it.object === "customer" ? it.name : ""],
      ["Email", it.object === "customer" ? it.email : ""],
      ["Plan", it.plan?.nickname],
      ["Status", /^(subscription|dispute|payout)$/.test(it.object) ? words(it.status) : ""],
      ["Reason", words(it.reason)],
      ["Failure", it.failure_message || it.last_payment_error?.message],
      ["Changed", type.endsWith(".updated") ? changesOf(previous, it) : ""],
    ].flatMap(([name, value]) => (value ? [`* ${name}: ${plain(value)}`] : []));
    const action = words(type.split(".").at(-1) ?? "");
    const trial =
      type === "customer.subscription.trial_will_end" && it.trial_end > 0
        ? ` at ${moment(new Date(it.trial_end * 1000).toISOString())}`
        : "";
    const verb =
      /^(created|updated|deleted|paid|finalized|voided|captured|refunded|canceled|sent|expired|opened|closed|paused|resumed|completed|approved)$/.test(
        action,
      )
        ? `was ${action}`
        : action;
    return {
      topic: it.customer || (it.object === "customer" ? it.id : titleOf(it.object)),
      content: `${title}${total} ${plain(verb)}${trial}.${facts.length > 0 ? `\n\n${facts.join("\n")}` : ""}`,
      event: type,
    };
  },
});
