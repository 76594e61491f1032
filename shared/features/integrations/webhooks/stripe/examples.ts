import type { Example } from "../../example.ts";

const objects: Record<string, object> = {
  "account.updated": { id: "acct_1", object: "account", email: "jenny@example.com" },
  "checkout.session.completed": { id: "cs_1", object: "checkout.session", amount_total: 2198, currency: "usd" },
  "coupon.created": { id: "25OFF", object: "coupon", name: "25% off" },
  "payment_intent.succeeded": {
    id: "pi_1",
    object: "payment_intent",
    amount: 2000,
    currency: "usd",
    customer: "cus_5",
  },
  "payout.paid": { id: "po_1", object: "payout", amount: 1100, currency: "usd", status: "paid" },
  "price.created": { id: "price_1", object: "price" },
  "product.updated": { id: "prod_1", object: "product", name: "Gold plan" },
  "radar.early_fraud_warning.created": { id: "issfr_1", object: "radar.early_fraud_warning", charge: "ch_1" },
  "refund.created": { id: "re_1", object: "refund", amount: 100, currency: "usd", reason: "requested_by_customer" },
  "review.opened": { id: "prv_1", object: "review", reason: "rule", charge: "ch_1" },
  "subscription_schedule.completed": { id: "sub_sched_1", object: "subscription_schedule", customer: "cus_5" },
  "transfer.created": { id: "tr_1", object: "transfer", amount: 400, currency: "usd" },
  "credit_note.created": { id: "cn_1", object: "credit_note", amount: 300, currency: "usd", customer: "cus_5" },
  "plan.created": { id: "gold", object: "plan", nickname: "Gold", amount: 2000, currency: "usd" },
  "promotion_code.created": { id: "promo_1", object: "promotion_code", code: "SUMMER" },
  "topup.succeeded": { id: "tu_1", object: "topup", amount: 2000, currency: "usd" },
  "quote.finalized": { id: "qt_1", object: "quote", amount_total: 3000, currency: "usd", customer: "cus_5" },
};

export const examples: Example[] = [
  [
    {},
    {
      id: "evt_1",
      type: "charge.succeeded",
      data: { object: { id: "ch_1", object: "charge", amount: 2000, currency: "usd", customer: null } },
    },
    "Charge",
    "[Charge](https://dashboard.stripe.com/payments/ch_1) for 20.00 USD succeeded.",
  ],
  [
    {},
    {
      id: "evt_2",
      type: "invoice.payment_failed",
      data: {
        object: {
          id: "in_1",
          object: "invoice",
          number: "FB8B-1",
          amount_due: 500,
          currency: "jpy",
          customer: "cus_4",
        },
      },
    },
    "cus_4",
    "[Invoice FB8B-1](https://dashboard.stripe.com/invoices/in_1) for 500 JPY payment failed.",
  ],
  [
    {},
    {
      id: "evt_3",
      type: "customer.created",
      data: { object: { id: "cus_5", object: "customer", name: "Jenny Rosen", email: "jenny@example.com" } },
    },
    "cus_5",
    "[Customer](https://dashboard.stripe.com/customers/cus_5) was created.\n\n* Name: Jenny Rosen\n* Email: jenny@example.com",
  ],
  [
    {},
    {
      id: "evt_4",
      type: "customer.subscription.trial_will_end",
      data: {
        object: { id: "sub_1", object: "subscription", customer: "cus_5", status: "trialing", trial_end: 1480892861 },
      },
    },
    "cus_5",
    "[Subscription](https://dashboard.stripe.com/subscriptions/sub_1) trial will end at <time:2016-12-04T23:07:41.000Z>.\n\n* Status: trialing",
  ],
  ...Object.entries(objects).map(([type, object]): Example => [{}, { id: `evt_${type}`, type, data: { object } }]),
  [
    {},
    {
      id: "evt_previous",
      type: "customer.updated",
      data: {
        object: { id: "cus_9", object: "customer", name: "Miranda", email: "miranda@milan.example", address: {} },
        previous_attributes: { email: "m@island.example", address: null },
      },
    },
    "cus_9",
    "[Customer](https://dashboard.stripe.com/customers/cus_9) was updated.\n\n* Name: Miranda\n* Email: miranda@milan.example\n* Changed: email (m@island.example → miranda@milan.example), address",
  ],
  [
    {},
    {
      id: "evt_subscription",
      type: "customer.subscription.updated",
      data: {
        object: {
          ...{ id: "sub_1", object: "subscription", customer: "cus_4", currency: "usd", status: "trialing" },
          ...{ trial_end: 1779872032, cancel_at_period_end: true, plan: { nickname: "Gold" }, items: { data: [{}] } },
        },
        previous_attributes: {
          ...{ status: "active", trial_end: null, cancel_at_period_end: false },
          ...{ plan: { nickname: "Silver" }, items: { data: [{}] } },
        },
      },
    },
    "cus_4",
    "[Subscription](https://dashboard.stripe.com/subscriptions/sub_1) was updated.\n\n* Plan: Gold\n* Status: trialing\n* Changed: status (active → trialing), trial end (none → <time:2026-05-27T08:53:52.000Z>), cancel at period end (false → true), plan (Silver → Gold), items",
  ],
  [
    {},
    {
      id: "evt_balance",
      type: "customer.updated",
      data: {
        object: { id: "cus_4", object: "customer", currency: "cad", account_balance: 100 },
        previous_attributes: { account_balance: 0 },
      },
    },
    "cus_4",
    "[Customer](https://dashboard.stripe.com/customers/cus_4) was updated.\n\n* Changed: account balance (0.00 CAD → 1.00 CAD)",
  ],
  [
    {},
    {
      id: "evt_discount",
      type: "customer.discount.created",
      data: {
        object: {
          ...{ object: "discount", customer: "cus_4" },
          coupon: {
            ...{ id: "25_00", object: "coupon", name: "25.5% off", percent_off: 26, percent_off_precise: 25.5 },
            ...{ amount_off: null, currency: null, duration: "repeating", duration_in_months: 3 },
          },
        },
      },
    },
    "cus_4",
    "Discount was created.\n\n* Coupon: [25.5% off](https://dashboard.stripe.com/coupons/25_00) for 3 months",
  ],
  [
    {},
    {
      id: "evt_discount_deleted",
      type: "customer.discount.deleted",
      data: { object: { object: "discount", customer: "cus_4", source: { type: "coupon", coupon: "SUMMER" } } },
    },
    "cus_4",
    "Discount was deleted.\n\n* Coupon: [SUMMER](https://dashboard.stripe.com/coupons/SUMMER)",
  ],
  [
    {},
    {
      id: "evt_item",
      type: "invoiceitem.created",
      data: {
        object: {
          ...{ id: "ii_1", object: "invoiceitem", customer: "cus_4", amount: 1000, currency: "cad" },
          description: "Sails",
        },
      },
    },
    "cus_4",
    "Invoice item for 10.00 CAD was created.\n\n* Description: Sails",
  ],
];
