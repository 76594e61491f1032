import { object, text } from "../../fields.ts";
import { integration, UnreadablePayload } from "../../integration.ts";
import { link, plain } from "../../text.ts";

/** https://help.uptimerobot.com/en/articles/11360877: the payload is a template of the user's, in the form of the set-up steps. */

export const service = integration({
  title: "UptimeRobot",
  summary: "Monitors that are down and up again, and certificates that expire.",
  setUp: [
    "Open **Integrations & API → Webhook → Add**, and enter the URL.",
    'Choose **Send as JSON**, and enter as the value: `{"monitor_url":"*monitorURL*", "monitor_friendly_name":"*monitorFriendlyName*", "alert_type_friendly_name":"*alertTypeFriendlyName*", "alert_details":"*alertDetails*", "alert_duration":"*alertFriendlyDuration*"}`.',
    "Choose the integration in your monitors.",
  ],
  events: ["up", "down", "ssl_expiry"],
  payload: object({
    monitor_url: text(),
    monitor_friendly_name: text(),
    alert_type_friendly_name: text(),
    alert_details: text(),
    alert_duration: text(),
    // Of those who set it up for Zulip.
    alert_friendly_duration: text(),
    monitorURL: text(),
    monitorFriendlyName: text(),
    alertTypeFriendlyName: text(),
    alertDetails: text(),
    alertFriendlyDuration: text(),
  }),
  toPost(payload) {
    const name = payload.monitor_friendly_name || payload.monitorFriendlyName;
    const type = payload.alert_type_friendly_name || payload.alertTypeFriendlyName;
    const url = payload.monitor_url || payload.monitorURL;
    const details = payload.alert_details || payload.alertDetails;
    const duration = payload.alert_duration || payload.alert_friendly_duration || payload.alertFriendlyDuration;
    if (!name || !type) throw new UnreadablePayload("monitor_friendly_name or alert_type_friendly_name is missing");
    const monitor = `${plain(name)}${url ? ` (${link(url, url)})` : ""}`;
    const suffix = details ? ` (${plain(details)})` : "";
    const event = type.toLowerCase().replaceAll(/\W+/g, "_");
    if (event === "up")
      return {
        topic: name,
        content: `${monitor} is back UP${suffix}.${duration ? `\nIt was down for ${plain(duration)}.` : ""}`,
        event,
      };
    return { topic: name, content: `${monitor} ${event === "down" ? "is DOWN" : plain(type)}${suffix}.`, event };
  },
});
