import { alertFields, labelLines, moment } from "../../alerts.ts";
import { listOf, maybe, number, object, type output, record, text } from "../../fields.ts";
import { integration, UnreadablePayload } from "../../integration.ts";
import { link, plain, quote } from "../../text.ts";

/** https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/ */

const alert = object({
  ...alertFields,
  values: maybe(record(text(), text())),
  valueString: text(),
  fingerprint: text(),
  dashboardURL: text(),
  panelURL: text(),
  silenceURL: text(),
  imageURL: text(),
});

const payload = object({
  title: text(),
  state: text(),
  message: text(),
  commonLabels: maybe(record(text(), text())),
  alerts: listOf(alert),
  truncatedAlerts: number(),
  // Until version 8.
  ruleName: text(),
  ruleUrl: text(),
  imageUrl: text(),
  evalMatches: listOf(object({ metric: text(), value: text() })),
});

/** More alerts would not fit into a message. */
const maxAlerts = 10;

const heading = (status: string): string =>
  `:${{ firing: "alert", alerting: "alert", resolved: "checkbox", ok: "squared_ok" }[status] ?? "info"}: **${plain(status.toUpperCase())}**`;

export const service = integration({
  title: "Grafana",
  logo: "grafana",
  summary: "Alerts that fire and are resolved, with their labels, values and annotations.",
  setUp: [
    "Open **Alerting → Contact points → Add contact point**, and choose the integration **Webhook**.",
    "Enter the URL, with the method **POST**. Press **Test** for a test alert, and save.",
    "Choose the contact point in **Notification policies**.",
  ],
  events: ["firing", "resolved", "alerting", "ok", "no_data", "paused", "pending"],
  payload,
  toPost(payload) {
    const { alerts, truncatedAlerts } = payload;
    if (alerts.length === 0) return legacyPost(payload);
    const shown = alerts.slice(0, maxAlerts);
    const hidden = alerts.length - shown.length + truncatedAlerts;
    const name =
      payload.commonLabels?.alertname || (alerts.length === 1 ? alerts[0]?.fingerprint : "") || payload.title;
    return {
      topic: `[${name || "Grafana"}]`,
      content: [...shown.map(alertText), ...(hidden > 0 ? [`[and ${hidden} more alert(s)]`] : [])].join("\n\n"),
      event: alerts.some(({ status }) => status === "firing") ? "firing" : "resolved",
    };
  },
});

function alertText(it: output<typeof alert>): string {
  const values = it.values ? labelLines(it.values) : plain(it.valueString);
  return [
    heading(it.status),
    it.labels?.alertname && `**${plain(it.labels.alertname)}**`,
    it.startsAt && `This alert was fired at ${moment(it.startsAt)}.`,
    it.status === "resolved" && it.endsAt && `This alert was resolved at ${moment(it.endsAt)}.`,
    it.labels && `Labels:\n${labelLines(it.labels)}`,
    values && `Values:\n${values}`,
    it.annotations && Object.keys(it.annotations).length > 0 && `Annotations:\n${labelLines(it.annotations)}`,
    [
      ["Generator", it.generatorURL],
      ["Dashboard", it.dashboardURL],
      ["Panel", it.panelURL],
      ["Silence", it.silenceURL],
      ["Image", it.imageURL],
    ]
      .flatMap(([label = "", url]) => (url ? [link(label, url)] : []))
      .join("\n"),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function legacyPost({ title, state, message, ruleName, ruleUrl, imageUrl, evalMatches }: output<typeof payload>) {
  if (!title && !ruleName) throw new UnreadablePayload("it has neither alerts nor a title");
  return {
    topic: title || ruleName,
    content: [
      heading(state || "alerting"),
      link(ruleName || title, ruleUrl),
      quote(message),
      evalMatches.map(({ metric, value }) => `**${plain(metric)}:** ${plain(value)}`).join("\n"),
      imageUrl && link("Click to view visualization", imageUrl),
    ]
      .filter(Boolean)
      .join("\n\n"),
    event: state || "alerting",
  };
}
