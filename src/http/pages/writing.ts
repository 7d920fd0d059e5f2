import type { Chapter } from './chapter.ts'
import { html } from './html.ts'

/** Repeating a write without doing it twice. */
export const idempotency = (base: string): Chapter => ({
  id: 'idempotency',
  title: 'Idempotency',
  text: html`
<p>Send <code>Idempotency-Key</code> with any POST, PATCH or DELETE: 1 to 255 visible ASCII characters that you
choose, one key for one intention. If the reply gets lost, send the same request again with the same key. It is done
once; the second reply is the first one again, marked <code>Idempotency-Replayed: true</code>.</p>
<p>A key is kept for 24 hours after a success. A request that was refused leaves its key free, so you can
mend the body and try again under the same key. The same key with another body, method or path, after a
success, is 422 <code>idempotency_key_reused</code>. While the first request is still running the answer may be 409
<code>idempotency_in_progress</code>.</p>
<p>The key is stored in the same transaction as the write: there is never one without the other. A key belongs to
your credential, and nobody else’s can clash with it.</p>`,
  examples: [
    {
      label: 'A write that can be repeated',
      text: `curl -X POST "${base}/api/v1/tasks" \\
  -H "Authorization: Bearer $DOCKET_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: import-7781" \\
  -d @- <<JSON
{"project_id":"$PROJECT_ID","title":"Ship the importer"}
JSON`,
    },
  ],
})

/** Not overwriting what others wrote, not fetching what one has. */
export const conditions = (base: string): Chapter => ({
  id: 'conditional-requests',
  title: 'Conditional requests',
  text: html`
<p>A reply with one record has an <code>ETag</code> such as <code>"7-a91c02ff"</code>. The part before the dash is the
revision of the record’s own fields; of a task it is <code>version</code>.</p>
<p><b>Do not overwrite.</b> Send <code>If-Match</code> with the tag you read on PATCH, DELETE, <code>complete</code> or
<code>restore</code>. If somebody changed the record since, the answer is 412 <code>version_mismatch</code> and nothing
happened. Only the revision is compared, so a new comment does not stand in your way, and <code>"7"</code> alone
will do.</p>
<p><b>Do not fetch again.</b> Send <code>If-None-Match</code> on GET; the answer is 304 without a body while nothing of
the record has changed. It counts as a request.</p>
<p>Without <code>If-Match</code>, two updates of different fields both survive, and of the same field the last one
wins.</p>`,
  examples: [
    {
      label: 'Change only version 7',
      text: `curl -X PATCH "${base}/api/v1/tasks/$TASK_ID" \\
  -H "Authorization: Bearer $DOCKET_KEY" \\
  -H "Content-Type: application/json" \\
  -H 'If-Match: "7"' \\
  -d '{"priority":"high"}'`,
    },
  ],
})

/** Asking what would happen. */
export const dryRun = (base: string): Chapter => ({
  id: 'dry-run',
  title: 'Dry run',
  text: html`
<p>Add <code>?dry_run=true</code> to a POST, PATCH or DELETE of tasks, tags, comments, time entries or
webhooks. All checks run and the reply has the status and body of the real call, marked
<code>X-Dry-Run: true</code>. Nothing is stored, no event is made, no number is used up.</p>
<p>Ids in the reply are placeholders, and there is no <code>Location</code> or <code>ETag</code>. An
<code>Idempotency-Key</code> is ignored. It counts as a request.</p>`,
  examples: [
    {
      label: 'Would this be taken?',
      text: `curl -X POST "${base}/api/v1/tasks?dry_run=true" \\
  -H "Authorization: Bearer $DOCKET_KEY" \\
  -H "Content-Type: application/json" \\
  -d @- <<JSON
{"project_id":"$PROJECT_ID","title":"Ship the importer"}
JSON`,
    },
  ],
})
