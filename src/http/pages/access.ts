import type { Chapter } from './chapter.ts'
import { html } from './html.ts'

/** Who may call what. */
export const authentication = (base: string): Chapter => ({
  id: 'authentication',
  title: 'Authentication',
  text: html`
<p>Send an API key as <code>Authorization: Bearer …</code>. It belongs to one person
and one workspace; everything else behaves as if it did not exist. Never put it into a URL: Docket does
not look there. An application that acts for others sends an access token in the same place, one for each person:
see <a href="#oauth">OAuth</a>.</p>
<p>A key or token has <b>scopes</b>. Each operation below names the one it needs. <code>tasks:write</code> does not include
<code>tasks:read</code>, though the reply to a write carries the record. A key made with <code>full</code> has all
scopes, one made with <code>read_only</code> all that end in <code>:read</code>.</p>
<p>What you can do is what the scopes allow, and the person’s role allows, and the project’s visibility
allows, judged anew at each request. Guests see only the projects they were added to. Webhooks and the
event log are for owners and admins.</p>
<p>Without a valid credential the answer is 401, with <code>WWW-Authenticate</code> naming the reason. A missing
scope is 403 <code>insufficient_scope</code>, and that header names the scope to ask for. A revoked key stops with the
next request; an access token that has ended is <code>token_expired</code>.</p>`,
  examples: [
    {
      label: 'A key in a request',
      text: `curl "${base}/api/v1/projects" \\\n  -H "Authorization: Bearer $DOCKET_KEY"`,
    },
    {
      label: 'A refusal',
      text: `HTTP/1.1 403 Forbidden
WWW-Authenticate: Bearer realm="docket",
  error="insufficient_scope",
  scope="tasks:write"`,
    },
  ],
})

/** How often. */
export const rateLimits = (): Chapter => ({
  id: 'rate-limits',
  title: 'Rate limits',
  text: html`
<p>A workspace has 500 requests a minute on the plan <code>free</code> and 5,000 on <code>paid</code>, unless this
installation was set otherwise. Minutes are those of the clock in UTC, and all keys and tokens of a workspace share them.
Every authenticated request counts one, whether it succeeds or not; a bulk call counts one.</p>
<p>Each counted reply says where you stand. Beyond the limit the answer is 429: it costs nothing, has
no effect, and <code>Retry-After</code> gives the seconds until the next minute. Wait that long and a little more, by
chance, so that your workers do not all come back at once.</p>
<p>Requests with a wrong credential are counted by address, 600 a minute. They never use up the budget
of a workspace.</p>`,
  examples: [
    {
      label: 'A reply beyond the limit',
      text: `HTTP/1.1 429 Too Many Requests
Retry-After: 37
X-RateLimit-Limit: 500
X-RateLimit-Remaining: 0
X-RateLimit-Reset: 1772357520`,
    },
  ],
})
