import { maybe, record, text } from "./fields.ts";
import { plain } from "./text.ts";

/** What the alerts of Prometheus's Alertmanager and of Grafana have in common. */

export const alertFields = {
  status: text(),
  labels: maybe(record(text(), text())),
  annotations: maybe(record(text(), text())),
  startsAt: text(),
  endsAt: text(),
  generatorURL: text(),
};

const maxLabels = 30;

/** One line for each label. */
export const labelLines = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .slice(0, maxLabels)
    .map(([name, value]) => `- ${plain(name)}: ${plain(value)}`)
    .join("\n");

/** A time that clients show in the reader's time zone; as it is if it is none. */
export const moment = (time: string): string => {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? plain(time) : `<time:${date.toISOString()}>`;
};
