import { code } from './code.ts'
import { html } from './html.ts'
import { brand, shell } from './shell.ts'

/** The page at `/`: Docket is running, and where to go from here. */
export function homePage({ base_url }: { base_url: string }): string {
  return shell({
    title: 'Docket',
    kind: 'land',
    main: 'Skip to the content',
    body: html`
<div class="paper">
<header>${brand}<nav aria-label="Main"><a href="/docs">API reference</a><a class="wide" href="/docs/errors">Errors</a></nav></header>
<main id="main" tabindex="-1">
<div class="hero"><h1>Docket is running.</h1><p>Projects, tasks, comments, time and webhooks over one JSON API, at <code>${base_url}</code>.</p>
<div class="acts"><a class="btn primary" href="/docs">Read the API reference</a><a class="btn" href="/api/v1/openapi.json">OpenAPI document</a></div></div>
<section><div class="gut">$</div><div><h2>Make a key</h2><p>The first start of an empty installation prints one. The command line makes a workspace of your own, and its key; both are shown once.</p></div>${code(KEY, 'Make a workspace and its key')}</section>
<section><div class="gut">GET</div><div><h2>Ask for your tasks</h2><p>Put the key into <code>DOCKET_KEY</code>. Every example of the reference reads it from there.</p></div>${code(request(base_url), 'Ask for your tasks')}</section>
</main>
<footer><div class="gut">v1</div><nav aria-label="More"><a href="/docs">Reference</a><a href="/docs/errors">Errors</a><a href="/healthz">Health</a><a href="/readyz">Readiness</a></nav></footer>
</div>`,
  })
}

/** The page of every path that leads nowhere; sent with status 404. */
export function notFoundPage(): string {
  return shell({
    title: 'Not found – Docket',
    kind: 'land',
    main: 'Skip to the content',
    body: html`
<div class="paper">
<header>${brand}<nav aria-label="Main"><a href="/docs">API reference</a></nav></header>
<main id="main" tabindex="-1">
<div class="hero"><div class="gut big">404</div><h1>There is nothing here.</h1><p>The address may be misspelt, or what it named has gone. The API itself is under <code>/api/v1</code>.</p>
<div class="acts"><a class="btn primary" href="/">To the start page</a><a class="btn" href="/docs">Read the API reference</a></div></div>
</main>
</div>`,
  })
}

const KEY = `npm run --silent docket -- workspace create \\
  --name "Acme" --owner-email ada@example.com \\
  --owner-name "Ada Lovelace" --json`

const request = (base: string) => `export DOCKET_KEY=dkt_…
curl "${base}/api/v1/tasks?assignee_id=me" \\
  -H "Authorization: Bearer $DOCKET_KEY"`
