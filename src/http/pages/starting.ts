import type { Chapter } from './chapter.ts'
import { html } from './html.ts'

/** From nothing to the first reply. */
export const starting = (base: string): Chapter => ({
  id: 'start',
  title: 'Your first request',
  text: html`
<p>Docket is a JSON API under <code>/api/v1</code>. Every request carries a key, every reply tells its
request id, and a record looks the same wherever it appears: in a list, alone, after a write, in an event.</p>
<p>Put your key into the variable <code>DOCKET_KEY</code>. The examples on this page read it from there, and
can then be pasted as they are. Ids are variables too: an example that names <code>$TASK_ID</code> wants
<code>TASK_ID=ENG-42</code> first.</p>
<p>Where a key comes from: make one in the app, under Settings, API access, or on the command line of the server;
the first start of an empty installation prints one, too. It is shown once.</p>`,
  examples: [
    {
      label: 'Make a workspace and its key',
      text: `npm run --silent docket -- workspace create \\
  --name "Acme" --owner-email ada@example.com \\
  --owner-name "Ada Lovelace" --json`,
    },
    {
      label: 'Ask who you are',
      text: `export DOCKET_KEY=dkt_…\ncurl "${base}/api/v1/me" \\\n  -H "Authorization: Bearer $DOCKET_KEY"`,
    },
  ],
})

/** What holds for all bodies and records. */
export const records = (): Chapter => ({
  id: 'records',
  title: 'Records and fields',
  text: html`
<p>Bodies are UTF-8 JSON objects of at most 1 MiB, sent with <code>Content-Type: application/json</code>.
A reply is the record itself, without a wrapper. Every documented field is always there: what is absent is
<code>null</code>, <code>[]</code> or <code>{}</code>. Ignore fields that you do not know; new ones may come.</p>
<p>Docket coerces nothing and drops nothing silently. A field that it does not know is refused
(<code>unknown_field</code>), and so is one that you may not write (<code>read_only_field</code>).</p>
<p>PATCH is a JSON merge patch: what you leave out stays, <code>null</code> clears, arrays are replaced
whole. <code>custom_fields</code> and <code>metadata</code> are merged member by member. A patch that changes
nothing is 200 with the record; it makes no event and no new version.</p>
<p><b>Ids</b> are opaque text with a telling prefix, <code>tsk_</code> for tasks. A task also has a short id
such as <code>ENG-42</code>, taken in every path that begins with <code>/api/v1/tasks/</code>; after a move the old
one still leads to it. An id that is malformed, unknown, deleted or not yours to see is always the same 404.</p>
<p><b>Timestamps</b> come as UTC with three decimals and are taken with <code>Z</code> or an offset.
<b>Dates</b> are calendar days without a zone. <b>Durations</b> are whole seconds. <b>Texts</b> are counted in
Unicode code points and come back as they were sent; single lines are trimmed.</p>`,
  examples: [
    {
      label: 'A patch',
      text: `{
  "title": "Ship the importer",
  "due_date": null,
  "metadata": { "build": "1841" }
}`,
    },
  ],
})
