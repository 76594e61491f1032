/** The introduction of the API reference. */
export const overview = `
Skein gives the same replies as a Zulip server, at the same paths, so that clients made for one work with the other.

**Authentication.** Send HTTP Basic credentials: your email address, and your API key as the password. On this page, enter them under "Authorize"; "Execute" then calls this very server on your behalf. On a development server, \`POST /api/v1/dev_fetch_api_key\` returns anyone's key; elsewhere, \`POST /api/v1/fetch_api_key\` returns yours in exchange for your password.

**Events** are what changes after \`POST /register\`. Poll for them by \`GET /events\`, or receive them by a WebSocket: \`POST /events/connection\` returns its address. Send \`{"type": "acknowledge", "queue_id": ..., "last_event_id": ...}\` when it is open and every few minutes. The server sends \`{"type": "events", "after": ..., "through": ..., "events": [...]}\`, all events with an ID above \`after\`: drop those that you have, acknowledge again if \`after\` is above what you have, and otherwise continue from \`through\`. \`{"type": "look", "through": ...}\` stands for events that are too large for a message: get them with \`GET /events\` and \`dont_block\`. With \`"presence": "active"\` or \`"idle"\` an acknowledgement also reports the user's presence, which stays valid for four minutes, not one as with \`POST /users/me/presence\`; with \`"presence_last_update_id"\` the answer has the presences that have changed since. You may go back to polling at any time, with the same queue.

**Parameters** are sent in the query string of a GET request and in the form body of any other, including DELETE; the server reads both. Lists, objects and values that can have several types are sent as JSON text. Unknown parameters are ignored and listed in \`ignored_parameters_unsupported\`.

**Incoming integrations.** \`POST /api/v1/external/{integration}\` is what other services call: its parameters, and the API key of a bot as \`api_key\`, are in the query, and the body is the service's. Its description lists the integrations and how to set them up.

**Errors** are \`{"result": "error", "msg": ..., "code": ...}\` with a status of 400 or above, some with more fields. The codes that a call can return are listed under it. An unknown path returns 404 \`NOT_FOUND\`, an unsupported method 405 \`METHOD_NOT_ALLOWED\`. Replies of the API gateway itself have the form \`{"message": ...}\`; they are listed under each call too.
`.trim();
