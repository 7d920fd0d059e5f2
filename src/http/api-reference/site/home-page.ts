import { createHmac } from 'node:crypto'
import { codeBlock, DOCKET_BRAND, html, pageShell } from '../html/html.ts'

/**
 * The start page at `/` for visitors who are not signed in. It contains no names of users or
 * workspaces. Without JavaScript only the copy buttons and the live signature are missing.
 */
export function homePage(baseUrl: string): string {
  return pageShell({
    title: `Docket: numbered work, an honest API`,
    kind: 'land',
    main: 'Skip to the content',
    body: html`
<div class="paper">
<header>${DOCKET_BRAND}<nav aria-label="Main"><a class="wide" href="/docs">API documentation</a><a class="wide" href="/status">Status</a><a class="btn" href="/sign-in">Sign in</a></nav></header>
<main id="main" tabindex="-1">
<div class="hero"><div class="gut"></div>
<div><h1>Numbered work, an honest API.</h1><p>Every task has a number you can say, type and link. Programs read and change tasks, comments, time and files by the same rules as people.</p>
<div class="acts"><a class="btn primary" href="/sign-in">Sign in</a><a class="btn" href="#api">See a request</a></div></div>
${EXAMPLE_TASK}</div>
<section><div class="gut">G&nbsp;P</div><div><h2>The app keeps up with you</h2><p>Lists, boards, timelines and calendars of the same tasks, by keyboard, pointer or touch. A change shows at once, also without a network, and can be undone.</p></div>${EXAMPLE_LIST}</section>
<section id="api"><div class="gut">GET</div><div><h2>The API says what it did</h2><p>Versions on every record, one key per intention, errors that name the field. What the app does with a task, your script can do.</p><p><a href="/docs">Read the guides and the API reference</a></p></div>${codeBlock(exampleRequest(baseUrl), 'A request and its reply')}</section>
<section><div class="gut">POST</div><div><h2>Webhooks you can check by hand</h2><p>The signature is that of the bytes which arrive, by a secret that only you and Docket have.</p><p class="live" hidden>Change the body or the secret: it is computed in this page.</p></div>
<div class="sign"><label for="body">Body</label><input class="field mono" id="body" value="${EXAMPLE_BODY}" readonly autocomplete="off" spellcheck="false">
<label for="secret">Secret</label><input class="field mono" id="secret" value="${EXAMPLE_SECRET}" readonly autocomplete="off" spellcheck="false">
<figure class="code" aria-label="Signature"><pre><code><b>X-Service-Signature:</b> sha256=<i id="signature">${EXAMPLE_SIGNATURE}</i></code></pre></figure></div></section>
<section><div class="gut">$</div><div><h2>Yours</h2><p>One process and one database on a machine of your own. Read everything out again at any time, in a form that you can read too.</p></div>${codeBlock(START_COMMANDS, 'Start, and make a workspace')}</section>
</main>
<footer><div class="gut">v1</div><nav aria-label="More"><a href="/docs">API documentation</a><a href="/docs/errors">Errors</a><a href="/api/v1/openapi.json">OpenAPI</a><a href="/status">Status</a><a href="/sign-in">Sign in</a></nav></footer>
</div>`,
  })
}

const STATUS_DRAWINGS = {
  todo: html`<circle cx="8" cy="8" r="5.5"/>`,
  started: html`<circle cx="8" cy="8" r="5.5"/><path class="half" d="M8 4.6a3.4 3.4 0 0 1 0 6.8z"/>`,
  done: html`<path d="M12.9 5.2A5.8 5.8 0 1 1 9.9 2.5"/><path class="tick" d="m4.9 7.6 2.9 3 6-7.6"/>`,
}

const listRow = (
  status: keyof typeof STATUS_DRAWINGS,
  number: number,
  title: string,
  due: string,
) =>
  html`<li class="${status}"><span class="no">DOC-<b>${number}</b></span><svg viewBox="0 0 16 16" aria-hidden="true">${STATUS_DRAWINGS[status]}</svg><span>${title}</span><span class="due">${due}</span></li>`

/** A list as the app shows it, drawn with text, so that it follows the theme and needs no image. */
const EXAMPLE_LIST = html`<figure class="list" aria-label="A list in Docket"><ul>
${[
  listRow('started', 7, 'Write the announcement', 'Today'),
  listRow('started', 12, 'Check contrast and keyboard use', 'Tomorrow'),
  listRow('todo', 14, 'Measure page speed on a slow phone', 'Fri 4 Dec'),
  listRow('todo', 18, 'Renew the certificate', 'Mon 7 Dec'),
  listRow('done', 3, 'Redirect the old addresses', ''),
]}
</ul></figure>`

/** A task that visitors can complete: a checkbox, so that it needs no script. */
const EXAMPLE_TASK = html`<article class="slip">
<header><span class="no">DOC-<b>1</b></span><svg class="pr" viewBox="0 0 14 14" role="img" aria-label="Medium priority"><path class="on" d="M1 9h3v4H1z"/><path class="on" d="M5.5 5.5h3V13h-3z"/><path d="M10 2h3v11h-3z"/></svg></header>
<h2><label class="st"><input class="sr" type="checkbox" aria-label="Complete this slip"><svg class="todo" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="5.5"/></svg><svg class="done" viewBox="0 0 16 16" aria-hidden="true"><path d="M12.9 5.2A5.8 5.8 0 1 1 9.9 2.5"/><path class="tick" d="m4.9 7.6 2.9 3 6-7.6"/></svg></label><span>Complete this slip</span></h2>
<footer><span class="before">Due today</span><span class="after">Your script would have sent <code>POST …/DOC-1/complete</code></span></footer>
</article>`

const EXAMPLE_BODY = '{"test": 2432232314}'
const EXAMPLE_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const EXAMPLE_SIGNATURE = createHmac('sha256', EXAMPLE_SECRET).update(EXAMPLE_BODY).digest('hex')

const START_COMMANDS = `npm start
npm run --silent docket -- workspace create \\
  --name "Acme" --owner-email ada@example.com \\
  --owner-name "Ada Lovelace" --json`

const exampleRequest = (baseUrl: string) => `curl "${baseUrl}/api/v1/tasks/DOC-1" \\
  -H "Authorization: Bearer $DOCKET_KEY"

HTTP/1.1 200
ETag: "7-1f3a09c2"
X-RateLimit-Remaining: 499

{ "short_id": "DOC-1", "title": "Complete this slip",
  "status": "todo", "priority": "medium", "version": 7, … }`
