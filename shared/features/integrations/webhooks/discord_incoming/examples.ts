import type { Example } from "../../example.ts";

export const examples: Example[] = [
  [
    {},
    { username: "Builds", content: "It failed: ```js\nlet *x*;``` and ||secretly|| `__y__`\n-# small\n```open" },
    "Builds",
    "It failed: \n```js\nlet *x*;\n```\n and secretly `__y__`\nsmall\n\n```\nopen\n```",
  ],
  [
    {},
    {
      username: "Builds",
      content:
        "__Deployed__ **1.2** for <@80351110224678912> at <t:1740830400:R>, see <https://shop.example/1.2> and `a_b__c`",
    },
    "Builds",
    "**Deployed** **1.2** for @someone at <time:2025-03-01T12:00:00.000Z>, see https://shop.example/1.2 and `a_b__c`",
  ],
  [
    {},
    {
      ...{ username: "Monitoring", content: "" },
      embeds: [
        {
          ...{
            title: "Disk almost full",
            url: "https://disks.example/7",
            description: "Disk 7 has *2 GB* left.",
            color: 15548997,
          },
          author: { name: "andromeda", url: "https://hosts.example/andromeda" },
          fields: [{ name: "Host", value: "andromeda", inline: true }],
          ...{ footer: { text: "Disks" }, timestamp: "2026-03-01T12:00:00.000Z" },
        },
      ],
    },
    "Monitoring",
    [
      "[andromeda](https://hosts.example/andromeda)",
      "**[Disk almost full](https://disks.example/7)**",
      "Disk 7 has *2 GB* left.",
      "**Host**: andromeda",
      "Disks · <time:2026-03-01T12:00:00.000Z>",
    ].join("\n\n"),
  ],
];
