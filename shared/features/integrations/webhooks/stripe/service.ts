import * as z from "zod/mini";
import { moment } from "../../alerts.ts";
import { maybe, number, object, type output, record, text, unknown } from "../../fields.ts";
import { handlerOf, integration } from "../../integration.ts";
import { isHmac, isRecent } from "../../signature.ts";
import { counted, link, plain, words } from "../../text.ts";

/** https://docs.stripe.com/api/events/types */

const coupon = maybe(
  object({
    ...{ id: text(), name: text(), currency: text(), duration: text() },
    ...{ percent_off: number(), percent_off_precise: number(), amount_off: number(), duration_in_months: number() },
  }),
);

type Coupon = NonNullable<output<typeof coupon>>;

const thing = z.looseObject({
  id: text(),
  object: text(),
  amount: number(),
  amount_due: number(),
  amount_paid: number(),
  amount_refunded: number(),
  amount_total: number(),
  unit_amount: number(),
  nickname: text(),
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
  plan: maybe(object({ nickname: text(), amount: number(), currency: text(), interval: text() })),
  last_payment_error: maybe(object({ message: text() })),
  coupon,
  // Of newer versions of the API, in which a coupon may be its ID alone.
  source: maybe(object({ coupon: z.union([z.string(), coupon]) })),
  code: text(),
  duration: text(),
  duration_in_months: number(),
  percent_off: number(),
  percent_off_precise: number(),
  amount_off: number(),
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
  ...{
    credit_note: "credit_notes",
    plan: "plans",
    refund: "refunds",
    price: "prices",
    "checkout.session": "checkout/sessions",
    quote: "quotes",
  },
};

const titles: Record<string, string> = { "checkout.session": "Checkout session", invoiceitem: "Invoice item" };
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
      : it.amount || it.unit_amount;

/** What a coupon takes off: "25.5% off". */
const reductionOf = (it: Coupon): string => {
  const percent = it.percent_off_precise || it.percent_off;
  return percent ? `${percent}% off` : it.amount_off ? `${money(it.amount_off, it.currency)} off` : "";
};

const periodOf = ({ duration, duration_in_months: months }: Coupon): string =>
  duration === "repeating" && months ? `for ${counted(months, "month")}` : "";

/** A discount's coupon, by its name and what it takes off. */
function couponOf({ coupon: given, source }: Thing): string {
  const named = given ?? source?.coupon;
  if (!named) return "";
  const it = typeof named === "string" ? undefined : named;
  const id = it?.id ?? String(named);
  const reduction = it && reductionOf(it) !== it.name ? reductionOf(it) : "";
  const name = link(
    it?.name || id || "coupon",
    id && `https://dashboard.stripe.com/coupons/${encodeURIComponent(id.toWellFormed())}`,
  );
  return [name, reduction && `(${reduction})`, it && periodOf(it)].filter(Boolean).join(" ");
}

/** Families of events that are posted. */
const families = [
  ...["account.", "charge.", "checkout.session.", "coupon.", "customer.", "invoice.", "payment_intent.", "payout."],
  ...["price.", "product.", "radar.", "refund.", "review.", "subscription_schedule.", "transfer.", "quote."],
  ...["credit_note.", "invoiceitem.", "plan.", "promotion_code.", "topup."],
];

const leavesOut = {
  "application_fee.*": "fees of other accounts",
  "balance.*": "the balance, which changes with each payment",
  "billing.*": "usage meters",
  "billing_portal.*": "visits to the customer portal",
  "capability.*": "capabilities of other accounts",
  "cash_balance.*": "cash balances of customers",
  "climate.*": "orders of Stripe's climate program",
  "customer_cash_balance_transaction.*": "cash balances of customers",
  "entitlements.*": "entitlements, which concern programs",
  "file.*": "files",
  "financial_connections.*": "bank accounts of customers",
  "identity.*": "verifications of people",
  "invoice_payment.*": "payments that invoices show",
  "issuing_*": "cards that you issue",
  "mandate.*": "mandates to collect payments",
  "order.*": "orders of a deprecated API",
  "payment_link.*": "payment links",
  "payment_method.*": "payment methods",
  "person.*": "people of other accounts",
  "recipient.*": "recipients of a deprecated API",
  "reporting.*": "reports that are ready",
  "setup_intent.*": "payment methods that are being set up",
  "sigma.*": "queries that have run",
  "sku.*": "products of a deprecated API",
  "source.*": "payment methods",
  "tax.*": "tax settings",
  "tax_rate.*": "tax rates",
  "terminal.*": "card readers",
  "test_helpers.*": "tests",
  "treasury.*": "financial accounts that you keep for others",
};

const maxChanges = 20;

/** What an update changed, with the values before and after where they are short. */
const changesOf = (previous: Readonly<Record<string, unknown>>, it: Thing): string =>
  Object.entries(previous)
    .slice(0, maxChanges)
    .map(([name, before]) => {
      const [from, to] = [before, it[name]].map((value) => shownValue(name, value, it.currency));
      return `${plain(words(name))}${from || to ? ` (${from || "none"} → ${to || "none"})` : ""}`;
    })
    .join(", ");

const isTime = /(?:^|_)(?:at|end|start|by|anchor|date|on|attempt|created)$/;
const isMoney =
  /(?:^|_)(?:amount|balance|total|subtotal|tax)(?:_(?:due|paid|remaining|refunded|captured|shipping|excluding_tax))?$/;

/** The value of a field, as people read it; empty if it has many. */
function shownValue(name: string, value: unknown, currency: string): string {
  if (typeof value === "number" && isTime.test(name) && value > 1e9 && value < 1e11)
    return moment(new Date(value * 1000).toISOString());
  if (typeof value === "number" && isMoney.test(name) && currency) return money(value, currency);
  if (typeof value === "object") {
    const named = object({ nickname: text(), name: text() }).safeParse(value);
    return named.success ? plain((named.data.nickname || named.data.name).slice(0, 100)) : "";
  }
  return value === undefined ? "" : plain(String(value).slice(0, 100));
}

export const service = integration({
  title: "Stripe",
  logo: "stripe",
  summary: "Payments, refunds, disputes, customers, subscriptions, invoices and payouts.",
  setUp: [
    "Open **Developers → Webhooks → Add endpoint**, and enter the URL.",
    "Choose the events. The **Signing secret** can be the bot's `webhook_secret`.",
  ],
  events: families.map((family) => `${family}*`),
  leavesOut,
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
    if (!families.some((family) => type.startsWith(family))) return handlerOf(type, "type", {}, leavesOut);
    const page = Object.hasOwn(pages, it.object) ? pages[it.object] : undefined;
    const label = it.object === "invoice" && it.number ? `Invoice ${it.number}` : titleOf(it.object);
    const title = link(label, page && `https://dashboard.stripe.com/${page}/${it.id}`);
    const amount = amountOf(it);
    const total = amount && it.currency ? ` for ${money(amount, it.currency)}` : "";
    const facts = [
      ["Name", plain(it.name || it.nickname)],
      ["Email", it.object === "customer" ? plain(it.email) : ""],
      ["Code", plain(it.code)],
      ["Reduction", it.object === "coupon" ? [reductionOf(it), periodOf(it)].filter(Boolean).join(" ") : ""],
      ["Coupon", couponOf(it)],
      ["Plan", plain(it.plan?.nickname ?? "")],
      ["Status", /^(subscription|dispute|payout)$/.test(it.object) ? plain(words(it.status)) : ""],
      ["Reason", plain(words(it.reason))],
      ["Failure", plain(it.failure_message || it.last_payment_error?.message || "")],
      ["Description", it.object === "invoiceitem" ? plain(it.description) : ""],
      ["Changed", type.endsWith(".updated") ? changesOf(previous, it) : ""],
    ].flatMap(([name, value]) => (value ? [`* ${name}: ${value}`] : []));
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
