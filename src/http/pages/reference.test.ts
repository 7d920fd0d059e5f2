import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SCOPE_WORDS, SCOPES } from '#wire/scopes.ts'
import type { OpenApiDocument, Operation, Schema } from './document.ts'
import { referencePage } from './reference.ts'

const id = (prefix: string) => ({ type: 'string', pattern: `^${prefix}_[0-9a-hjkmnp-tv-z]{26}$` })
const json = (schema: Schema) => ({ 'application/json': { schema } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const createTask: Operation = {
  operationId: 'createTask',
  summary: 'Create a <task>',
  description: 'It gets a `number`.',
  tags: ['tasks'],
  'x-scope': 'tasks:write',
  parameters: [
    {
      name: 'dry_run',
      in: 'query',
      required: false,
      description: 'Store nothing',
      schema: { type: 'boolean' },
    },
  ],
  requestBody: {
    required: true,
    content: json({
      type: 'object',
      required: ['project_id', 'title'],
      properties: {
        project_id: id('prj'),
        title: { type: 'string', minLength: 1, maxLength: 500, description: 'One line.' },
        recurrence: {
          anyOf: [
            { type: 'object', required: ['rrule'], properties: { rrule: { type: 'string' } } },
            { type: 'null' },
          ],
        },
      },
    }),
  },
  responses: {
    201: { description: 'Created', headers: { ETag: {} }, content: json(ref('Task')) },
    422: { description: 'Fields are not as they should be' },
  },
}

const openapi: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Docket', version: 'v1' },
  servers: [{ url: 'https://docket.example.com' }],
  tags: [{ name: 'tasks', description: 'Things to do.' }],
  paths: {
    '/api/v1/tasks': {
      post: createTask,
      get: {
        operationId: 'listTasks',
        summary: 'List tasks',
        tags: ['tasks'],
        'x-scope': 'tasks:read',
        responses: {
          200: {
            description: 'A page',
            content: json({
              type: 'object',
              properties: { data: { type: 'array', items: ref('Task') } },
            }),
          },
        },
      },
    },
    '/api/v1/openapi.json': {
      get: {
        operationId: 'getOpenapi',
        summary: 'This document',
        tags: ['meta'],
        security: [],
        responses: { 200: { description: 'OpenAPI' } },
      },
    },
  },
  components: {
    schemas: {
      Task: { type: 'object', properties: { id: id('tsk'), author: ref('Author') } },
      Author: { type: 'object', properties: { name: { type: 'string' } } },
      NewTask: { type: 'object', properties: { title: { type: 'string' } } },
    },
  },
}

const page = referencePage(openapi)

/** The section with an id, as text without its tags. */
function section(anchor: string): string {
  const [, found = ''] = page.split(`<section class="entry" id="${anchor}">`)
  const text = found.split('</section>')[0] ?? ''
  return text.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ')
}

test('an operation shows its method, path, scope, fields and replies', () => {
  const text = section('op-createTask')
  for (const part of [
    'POST',
    '/api/v1/tasks',
    'It gets a number.',
    'Scope tasks:write',
    'dry_runboolean',
    'Store nothing',
    'required project_id',
    'prj_ id',
    'string, 1 to 500 characters',
    'One line.',
    'recurrenceobject, or null',
    'required recurrence.rrule',
    '201 Created',
    'with ETag',
    '422 Fields are not as they should be',
  ]) {
    assert.ok(text.includes(part), `${part} is missing in: ${text}`)
  }
})

test('an operation without security says that it needs no credential', () => {
  assert.ok(section('op-getOpenapi').includes('No credential needed'))
  assert.ok(!section('op-getOpenapi').includes('DOCKET_KEY'))
})

test('a record is described once, and replies lead to it', () => {
  assert.ok(section('record-task').includes('tsk_ id'))
  assert.equal(page.split('id="record-task"').length, 2)
  assert.match(page, /<a href="#lists">page<\/a> of <a href="#record-task">Task<\/a>/)
})

test('a record within a record has a section, and a schema that is only sent has none', () => {
  assert.ok(section('record-author').includes('name'))
  assert.ok(!page.includes('record-newtask'))
})

test('text of the document is escaped', () => {
  assert.ok(page.includes('Create a &lt;task&gt;'))
  assert.ok(!page.includes('<task>'))
})

test('every anchor that is linked to exists, and only once', () => {
  const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, found]) => found)
  assert.deepEqual(ids, [...new Set(ids)])
  const wanted = [...page.matchAll(/href="#([^"]+)"/g)].map(([, found]) => found)
  assert.deepEqual(
    wanted.filter((anchor) => !ids.includes(anchor)),
    [],
  )
})

test('the page has nothing that its Content-Security-Policy would stop', () => {
  assert.ok(!/<style|\sstyle=|\son\w+=|<script(?! src="\/docs\/assets\/)/.test(page))
  const loaded = [...page.matchAll(/<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"/g)]
  assert.ok(loaded.length >= 3)
  assert.ok(loaded.every(([, url = '']) => /^(\/docs\/assets\/|data:image)/.test(url)))
})

test('the guide has its chapters, with addresses of this installation', () => {
  for (const chapter of [
    'start',
    'authentication',
    'oauth',
    'records',
    'lists',
    'errors',
    'rate-limits',
    'idempotency',
    'conditional-requests',
    'dry-run',
    'events',
  ]) {
    assert.ok(section(chapter).length > 200, chapter)
  }
  assert.ok(section('errors').includes('https://docket.example.com/docs/errors#validation_failed'))
  assert.ok(section('oauth').includes('https://docket.example.com/oauth/token'))
})

test('every scope is listed once, with what it means', () => {
  const text = section('oauth')
  for (const scope of SCOPES) assert.ok(text.includes(`${scope}${SCOPE_WORDS[scope]}`), scope)
})
