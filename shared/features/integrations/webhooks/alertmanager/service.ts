import { alertFields } from "../../alerts.ts";
import { listOf, maybe, number, object, type output, record, text } from "../../fields.ts";
import { integration, UnreadablePayload } from "../../integration.ts";
import { link, plain } from "../../text.ts";

/** https://prometheus.io/docs/alerting/latest/configuration/#webhook_config */

const alert = object(alertFields);
type Alert = output<typeof alert>;

const maxAlerts = 20;

export const service = integration({
  title: "Alertmanager",
  logo: "prometheus",
  summary: "Prometheus alerts that fire or are resolved.",
  setUp: [
    "Add the URL to a receiver in `alertmanager.yml`:\n\n   ```yaml\n   receivers:\n     - name: chat\n       webhook_configs:\n         - url: https://…\n   ```",
    "Name the receiver in a route, and reload Alertmanager.",
  ],
  events: ["firing", "resolved"],
  parameters: {
    name: "the label that becomes the topic; `alertname` by default",
    desc: "the annotation that is shown; `description` by default, or else `summary`",
  },
  payload: object({
    receiver: text(),
    status: text(),
    externalURL: text(),
    truncatedAlerts: number(),
    groupLabels: maybe(record(text(), text())),
    commonLabels: maybe(record(text(), text())),
    alerts: listOf(alert),
  }),
  toPost({ alerts, receiver, groupLabels, commonLabels, truncatedAlerts, status }, { parameter }) {
    if (alerts.length === 0) throw new UnreadablePayload("it has no alerts");
    const label = parameter("name") ?? "alertname";
    const shown = alerts.slice(0, maxAlerts);
    const groups = Map.groupBy(shown, (it) => (it.status === "resolved" ? "resolved" : "firing"));
    const hidden = alerts.length - shown.length + truncatedAlerts;
    const description = (it: Alert) =>
      it.annotations?.[parameter("desc") ?? "description"] ||
      it.annotations?.summary ||
      it.labels?.alertname ||
      "an alert";
    const line = (it: Alert) =>
      plain(description(it)) + (it.generatorURL ? ` (${link("source", it.generatorURL)})` : "");
    const texts = [...groups].map(([state, own]) => {
      const title = state === "resolved" ? ":squared_ok: **Resolved**" : ":alert: **FIRING**";
      return own.length === 1
        ? `${title} ${own.map(line)}`
        : `${title}\n${own.map((it) => `* ${line(it)}`).join("\n")}`;
    });
    return {
      topic: commonLabels?.[label] || groupLabels?.[label] || alerts[0]?.labels?.[label] || receiver || "Alertmanager",
      content: [...texts, ...(hidden > 0 ? [`[and ${hidden} more alert(s)]`] : [])].join("\n\n"),
      event: status === "resolved" ? "resolved" : "firing",
    };
  },
});
