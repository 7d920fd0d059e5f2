import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeHtml } from '#lib/escape-html.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { listCalls, type OpenApiDocument } from '../../openapi/document-types.ts'
import { GUIDES, guidePath } from '../guides/guide-files.ts'
import { referencePage } from './reference-page.ts'

const { server } = await openTestDocket('sqlite')
const openapi: OpenApiDocument = (await server.inject('/api/v1/openapi.json')).json()
const page = await referencePage(openapi)

/** The section with an id, as text without its tags. */
function section(anchor: string): string {
  const [, found = ''] = page.split(`<section class="entry" id="${anchor}">`)
  const text = found.split('</section>')[0] ?? ''
  return text.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ')
}

test('shows method, path, scope, reply and samples of every operation', () => {
  const calls = listCalls(openapi)
  assert.ok(calls.length > 40)
  for (const { method, path, operation } of calls) {
    const text = section(`op-${operation.operationId}`)
    const statuses = Object.keys(operation.responses).filter((status) => /^2/.test(status))
    const parts = [method.toUpperCase(), path, ...statuses]
    const isOpen = operation.security?.length === 0
    const scope = operation['x-scope']
    if (isOpen) parts.push('No credential needed')
    else if (scope) parts.push(`Scope: ${scope}`)
    parts.push('curl', 'docket-client', 'error codes')
    for (const one of operation.parameters ?? []) if ('name' in one) parts.push(one.name)
    for (const part of parts)
      assert.ok(text.includes(part), `${operation.operationId}: ${part} is missing in ${text}`)
    assert.equal(text.includes('DOCKET_KEY'), !isOpen, operation.operationId)
  }
})

test('shows the fields of a body, the roles once, and a recorded reply with its own headers', () => {
  const text = section('op-createTask')
  for (const part of [
    'required project_id',
    'prj_ id',
    'titlestring of one line, 1 to 500 characters',
    'required recurrence.rrule',
  ])
    assert.ok(text.includes(part), `${part} is missing in: ${text}`)
  assert.match(text, /Example reply 201HTTP\/1\.1 201 .*&quot;ENG-\d+&quot;/)
  assert.ok(!text.includes('X-RateLimit'))
  assert.equal(section('op-createWebhook').split('wners and admins').length, 2)
})

test('describes each record once, links to it, and has no section for bodies of requests', () => {
  assert.ok(section('record-task').includes('tsk_ id'))
  assert.equal(page.split('id="record-task"').length, 2)
  assert.match(
    page,
    /<a href="\/docs\/guides\/lists">page<\/a> of <a href="#record-task">Task<\/a>/,
  )
  assert.ok(!page.includes('record-taskcreate'))
})

test('every linked anchor exists exactly once', () => {
  const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, found]) => found)
  assert.deepEqual(ids, [...new Set(ids)])
  const wanted = new Set([...page.matchAll(/href="#([^"]+)"/g)].map(([, found]) => found))
  assert.deepEqual([...wanted.difference(new Set(ids))], [])
})

test('contains nothing that the Content-Security-Policy blocks, and escapes texts', async () => {
  assert.ok(!/<style|\sstyle=|\son\w+=|<script(?! src="\/docs\/assets\/)/.test(page))
  const title = await referencePage({ ...openapi, info: { title: 'A <b>', version: 'v1' } })
  assert.ok(!title.includes('A <b>'))
})

test('lists every guide with its summary', () => {
  for (const { slug, title } of GUIDES)
    assert.ok(page.includes(`<a href="${guidePath(slug)}">${escapeHtml(title)}</a>`), title)
})
