import type { Chapter } from './chapter.ts'
import { html } from './html.ts'

/** What a refusal looks like and in which order checks are made. */
export const errors = (base: string): Chapter => ({
  id: 'errors',
  title: 'Errors',
  text: html`
<p>Every refusal has the same shape. Decide by <code>code</code>, show <code>message</code> to people, log
<code>request_id</code>. <code>doc_url</code> leads to what the code means and what to do about it: all of them are
on <a href="/docs/errors">the page of errors</a>.</p>
<p>At 422 <code>details</code> lists every fault at once, each with the field as a path:
<code>title</code>, <code>assignee_ids[2]</code>, <code>operations[3].data.title</code>. Nothing was stored.</p>
<p>Which refusal you see when several apply is fixed: credential (401), limit (429), scope (403), body
(415, 413, 400), parameters and headers (400), idempotency key, the record (404), role (403), version (412),
fields (422), and last the state of things (409).</p>
<p>What to repeat: 429 and 503 after <code>Retry-After</code>, 500 and broken connections with a growing pause. Send
writes with an <a href="#idempotency">Idempotency-Key</a>, and repeating them is always safe. Any other 4xx will be
the same next time.</p>`,
  examples: [
    {
      label: 'A refusal',
      text: `{
  "error": {
    "type": "validation_failed",
    "code": "validation_failed",
    "message": "title is required.",
    "request_id": "req_01k2m3n4p5q6r7s8t9v0w1x2y3",
    "doc_url": "${base}/docs/errors#validation_failed",
    "details": [
      {
        "field": "title",
        "code": "required",
        "message": "title is required."
      }
    ]
  }
}`,
    },
  ],
})
