import type { Example } from "../../example.ts";

export const examples: Example[] = [
  [
    {},
    { text: "*Deployed* <https://shop.example/releases/1.2|1.2>", channel: "#builds" },
    "builds",
    "**Deployed** [1.2](https://shop.example/releases/1.2)",
  ],
  [
    {},
    {
      channel: "#alerts",
      attachments: [
        {
          title: "Disk almost full",
          title_link: "https://disks.example/7",
          text: "Disk 7 has 2 GB left.",
          fields: [{ title: "Host", value: "andromeda" }],
        },
      ],
    },
    "alerts",
    "## [Disk almost full](https://disks.example/7)\n\nDisk 7 has 2 GB left.\n\n**Host**: andromeda",
  ],
];
