import { codeBlock } from '../html/code-block.ts'
import { type Html, html } from '../html/html.ts'
import { pageSection, proseBlock } from '../html/page-section.ts'

/** The head of the reference: what a reader needs before the first sample works. */
export function setUpSection(baseUrl: string): Html {
  return pageSection({
    id: 'reference',
    heading: html`<h2><a href="#reference">API reference</a></h2>`,
    text: proseBlock([
      html`<p>Every endpoint with its parameters, fields, replies, errors and a request that you can run. It is made from the schemas that check your requests. The <a href="/docs/guides/authentication#scopes">scope</a> and the <a href="/docs/guides/permissions#roles">roles</a> of an endpoint tell which credentials of which people may call it.</p>`,
      html`<p><b>Before you run a sample:</b> create an API key in the app under <a href="/start">Settings → API access</a>, and set <code>DOCKET_URL</code> and <code>DOCKET_KEY</code> in your terminal. The first start of Docket prints a key of the demo workspace.</p>`,
      html`<p>The samples follow one another: run from the top to the bottom of this page, all of them work in a new demo workspace. Those in curl also set the variables of later samples, such as <code>PROJECT_ID</code>. The other languages read the same variables from the environment and print the reply.</p>`,
      html`<p>TypeScript runs with <code>node sample.ts</code> (Node.js 22.18 or later), Python with <code>python3 sample.py</code>, Go with <code>go run sample.go</code>. None needs a package.</p>`,
    ]),
    aside: codeBlock(setUpCommands(baseUrl), 'Set up your terminal'),
  })
}

const setUpCommands = (baseUrl: string) => `export DOCKET_URL="${baseUrl}"
export DOCKET_KEY="dkt_…"`
