"""Uses /mcp by the protocol's own client for Python: reads JSON with a URL, a key and a channel, and writes JSON."""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url, key, channel):
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            tools = await client.list_tools()
            sent = await client.call_tool(
                "send_message", {"channel_id": channel, "topic": "python", "content": "By the official client"}
            )
            read = await client.call_tool("read_conversation", {"channel_id": channel, "topic": "python"})
            refused = await client.call_tool("list_topics", {"channel_id": 999999})
            resource = await client.read_resource(f"skein://channel/{channel}/topic/python")
            prompt = await client.get_prompt("summarize_topic", {"channel": "stage", "topic": "python"})
            return {
                "version": client.protocol_version,
                "tools": [tool.name for tool in tools.tools],
                "sent": sent.content[0].text,
                "read": read.content[0].text,
                "refused": refused.is_error,
                "resource": resource.contents[0].text,
                "prompt": prompt.messages[0].content.text,
            }


given = json.load(sys.stdin)
print(json.dumps(asyncio.run(main(given["url"], given["key"], given["channel"]))))
