import { expect, test } from "vitest";
import { widgetOf } from "../../shared/core/markdown/widgets.ts";

test.each([
  ["/poll", { question: "", options: [] }],
  ["/poll Lunch?", { question: "Lunch?", options: [] }],
  ["/poll Lunch?\nsoup\n\n* salad\n- *stew*", { question: "Lunch?", options: ["soup", "salad", "*stew*"] }],
  ["/poll\nsoup", { question: "", options: ["soup"] }],
])("%j is a poll", (content, extraData) => {
  expect(widgetOf(content)).toEqual({ widget_type: "poll", extra_data: extraData });
});

test.each([
  ["/todo", { task_list_title: "", tasks: [] }],
  ["/todo Party", { task_list_title: "Party", tasks: [] }],
  [
    "/todo Party\nfood: soup: hot\n- music",
    {
      task_list_title: "Party",
      tasks: [
        { task: "food", desc: "soup: hot" },
        { task: "music", desc: "" },
      ],
    },
  ],
])("%j is a task list", (content, extraData) => {
  expect(widgetOf(content)).toEqual({ widget_type: "todo", extra_data: extraData });
});

test.each(["poll", "/polls", " /poll", "/pollute", "a /poll b", "/me /poll"])("%j is not a widget", (content) => {
  expect(widgetOf(content)).toBeUndefined();
});
