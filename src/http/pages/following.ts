import type { Chapter } from './chapter.ts'
import { html } from './html.ts'

/** Learning of what happens: the log and webhooks. */
export const events = (base: string): Chapter => ({
  id: 'events',
  title: 'Events and webhooks',
  text: html`
<p>Each change of a task, and each new comment, attachment or member, is an event, written in the same transaction
as the change: the one exists if and only if the other does. Events of a workspace are numbered by
<code>sequence</code> without gaps. <code>data</code> is the record as it was then, <code>changes</code> what an update
did to it, <code>actor</code> who did it.</p>
<p>The kinds are <code>task.created</code>, <code>task.updated</code>, <code>task.completed</code>, <code>task.assigned</code>,
<code>task.deleted</code>, <code>comment.created</code>, <code>attachment.created</code>, <code>project.updated</code>,
<code>member.added</code> and <code>member.removed</code>.</p>
<p><b>Ask for them.</b> Read <code>/api/v1/events</code> with <code>after_sequence</code> set to the last number you
have, page while <code>has_more</code>, then ask again later. The log is kept for 30 days; older numbers are 410
<code>events_expired</code>.</p>
<p><b>Have them sent.</b> A webhook is sent every event that it asks for, as a <code>POST</code> whose body is the
event. <code>X-Service-Signature</code> and <code>webhook-signature</code> sign it with the webhook&rsquo;s secret: check
one of them before you believe it. Answer 2xx within 10 seconds; whatever else comes is tried again, up to ten times in
about three days. Events of one task come in order. One that comes again has the same <code>id</code>: pass it over.</p>
<p>What was sent and answered is kept for 30 days under <code>/api/v1/webhooks/:id/deliveries</code>. A
<code>POST</code> to <code>/test</code> there sends a test, one to <code>/replay</code> a part of the log, and one to
<code>/api/v1/deliveries/:id/redeliver</code> the same event once more.</p>`,
  examples: [
    {
      label: 'Read on in the event log',
      text: `curl "${base}/api/v1/events?after_sequence=1840" \\\n  -H "Authorization: Bearer $DOCKET_KEY"`,
    },
    {
      label: 'Send once more what a webhook missed',
      text: `curl -X POST "${base}/api/v1/webhooks/$WEBHOOK_ID/replay" \\\n  -H "Authorization: Bearer $DOCKET_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"from_sequence": 1841}'`,
    },
    {
      label: 'An event',
      text: `{
  "id": "evt_01k2m3n4p5q6r7s8t9v0w1x2y4",
  "type": "task.updated",
  "timestamp": "2026-03-02T10:00:00.000Z",
  "workspace_id": "wsp_…",
  "project_id": "prj_…",
  "sequence": 1841,
  "operation_id": "opr_…",
  "api_version": "v1",
  "actor": { "type": "api_key", "user_id": "usr_…", … },
  "data": { "id": "tsk_…", "short_id": "ENG-42", … },
  "changes": {
    "priority": { "from": "low", "to": "high" }
  }
}`,
    },
  ],
})
