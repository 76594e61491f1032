import { describe } from "vitest";
import { rendersTo } from "./context.ts";

const files = [
  { path: "/user_uploads/1/a.png", contentType: "image/png", width: 1920, height: 1080 },
  { path: "/user_uploads/1/new.png", contentType: "image/png", width: 64, height: 48, thumbnailPending: true },
  { path: "/user_uploads/1/v.mp4", contentType: "video/mp4" },
  { path: "/user_uploads/1/s.mp3", contentType: "audio/mpeg" },
  { path: "/user_uploads/1/t.txt", contentType: "text/plain" },
];
const uploads = async (paths: string[]) => files.filter((file) => paths.includes(file.path));

const image =
  '<div class="message_inline_image"><a href="/user_uploads/1/a.png" title="a.png"><img data-original-content-type="image/png" data-original-dimensions="1920x1080" src="/user_uploads/thumbnail/1/a.png/840x560.webp"></a></div>';
const video =
  '<div class="message_inline_image message_inline_video"><a href="/user_uploads/1/v.mp4" title="v"><video preload="metadata" src="/user_uploads/1/v.mp4"></video></a></div>';
const link = '<a href="/user_uploads/1/a.png">a.png</a>';

describe("previews of uploaded files", () => {
  rendersTo(
    [
      ["an image", "[a.png](/user_uploads/1/a.png)", `<p>${link}</p>\n${image}`],
      ["an image by its whole URL", "[a.png](http://chat.test/user_uploads/1/a.png)", `<p>${link}</p>\n${image}`],
      [
        "an image without a thumbnail yet",
        "[n](/user_uploads/1/new.png)",
        '<p><a href="/user_uploads/1/new.png">n</a></p>\n<div class="message_inline_image"><a href="/user_uploads/1/new.png" title="n"><img class="image-loading-placeholder" data-original-content-type="image/png" data-original-dimensions="64x48" src="/static/images/loading/loader-black.svg"></a></div>',
      ],
      ["a video", "[v](/user_uploads/1/v.mp4)", `<p><a href="/user_uploads/1/v.mp4">v</a></p>\n${video}`],
      [
        "a sound, in place of its link",
        "hear [s](/user_uploads/1/s.mp3) now",
        '<p>hear <audio controls preload="metadata" src="/user_uploads/1/s.mp3" title="s"></audio> now</p>',
      ],
      [
        "each once, in order",
        "[a.png](/user_uploads/1/a.png) [v](/user_uploads/1/v.mp4) [a.png](/user_uploads/1/a.png)",
        `<p>${link} <a href="/user_uploads/1/v.mp4">v</a> ${link}</p>\n${image}${video}`,
      ],
      ["in a list item", "* [a.png](/user_uploads/1/a.png)", `<ul>\n<li>${link}${image}</li>\n</ul>`],
      ["not in a quote", "> [a.png](/user_uploads/1/a.png)", `<blockquote>\n<p>${link}</p>\n</blockquote>`],
      ["not of other files", "[t](/user_uploads/1/t.txt)", '<p><a href="/user_uploads/1/t.txt">t</a></p>'],
      ["not of unknown files", "[x.png](/user_uploads/1/x.png)", '<p><a href="/user_uploads/1/x.png">x.png</a></p>'],
    ],
    { uploads },
  );
});
