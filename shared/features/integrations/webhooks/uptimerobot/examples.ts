import type { Example } from "../../example.ts";

export const examples: Example[] = [
  [
    {},
    {
      monitor_url: "server1.example.com",
      monitor_friendly_name: "Web Server",
      alert_type_friendly_name: "Down",
      alert_details: "Host Is Unreachable",
      alert_duration: "",
    },
    "Web Server",
    "Web Server (server1.example.com) is DOWN (Host Is Unreachable).",
  ],
  [
    { "content-type": "application/x-www-form-urlencoded" },
    "monitorURL=server2.example.com&monitorFriendlyName=Mail+Server&alertTypeFriendlyName=Up&alertDetails=Host+Is+Reachable&alertFriendlyDuration=44+minutes",
    "Mail Server",
    "Mail Server (server2.example.com) is back UP (Host Is Reachable).\nIt was down for 44 minutes.",
  ],
  [
    {},
    {
      monitor_url: "https://example.com",
      monitor_friendly_name: "Website",
      alert_type_friendly_name: "SSL expiry",
      alert_details: "The certificate expires in 7 days",
    },
  ],
];
