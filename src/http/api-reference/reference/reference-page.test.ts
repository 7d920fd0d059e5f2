import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeHtml } from '#lib/escape-html.ts'
import { GUIDES, guidePath } from '../guides/guide-files.ts'
import type { OpenApiDocument, OpenApiOperation, OpenApiSchema } from '../openapi/operations.ts'
import { referencePage } from './reference-page.ts'

const id = (prefix: string) => ({ type: 'string', pattern: `^${prefix}_[0-9a-hjkmnp-tv-z]{26}$` })
const json = (schema: OpenApiSchema) => ({ 'application/json': { schema } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const createTask: OpenApiOperation = {
  operationId: 'createTask',
  summary: 'Create a <task>',
  description: 'It gets a `number`.\n\nRoles: Owners and admins.',
  tags: ['tasks'],
  'x-scope': 'tasks:write',
  'x-roles': 'Owners and admins.',
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
    201: {
      description: 'Created',
      headers: { ETag: { description: 'The version.', schema: { type: 'string' } } },
      content: json(ref('Task')),
    },
    422: { description: 'Fields are not valid. Codes: `validation_failed`, `unheard_of`.' },
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

test('shows method, path, scope, fields and replies of an operation', () => {
  const text = section('op-createTask')
  for (const part of [
    'POST',
    '/api/v1/tasks',
    'It gets a number.',
    'Scope: tasks:write Roles: owners and admins',
    'dry_runboolean',
    'Store nothing',
    'required project_id',
    'prj_ id',
    'string, 1 to 500 characters',
    'One line.',
    'recurrenceobject, or null',
    'required recurrence.rrule',
    '201 Created',
    'ETag: The version.',
    'Errors 422',
    '422 Fields are not valid.validation_failed, unheard_of',
  ]) {
    assert.ok(text.includes(part), `${part} is missing in: ${text}`)
  }
})

test('says who may call an operation once, and links error codes to their explanations', () => {
  assert.equal(section('op-createTask').split('wners and admins').length, 2)
  assert.ok(page.includes('<a href="/docs/errors#validation_failed">'))
  assert.ok(!page.includes('/docs/errors#unheard_of'))
})

test('shows the request in each language and the recorded reply with its own headers', () => {
  const text = section('op-createTask')
  for (const language of ['curl', 'TypeScript', 'Python', 'Go']) assert.ok(text.includes(language))
  assert.match(text, /Example reply 201HTTP\/1\.1 201 ETag: .*&quot;ENG-1&quot;/)
  assert.ok(!text.includes('X-RateLimit'))
  assert.ok(!section('op-getOpenapi').includes('Example reply'))
})

test('marks operations that need no credential', () => {
  assert.ok(section('op-getOpenapi').includes('No credential needed'))
  assert.ok(!section('op-getOpenapi').includes('DOCKET_KEY'))
})

test('describes each record once and links replies to it', () => {
  assert.ok(section('record-task').includes('tsk_ id'))
  assert.equal(page.split('id="record-task"').length, 2)
  assert.match(
    page,
    /<a href="\/docs\/guides\/lists">page<\/a> of <a href="#record-task">Task<\/a>/,
  )
})

test('has sections for nested records but not for request bodies', () => {
  assert.ok(section('record-author').includes('name'))
  assert.ok(!page.includes('record-newtask'))
})

test('escapes text of the OpenAPI document', () => {
  assert.ok(page.includes('Create a &lt;task&gt;'))
  assert.ok(!page.includes('<task>'))
})

test('contains nothing that the Content-Security-Policy blocks', () => {
  assert.ok(!/<style|\sstyle=|\son\w+=|<script(?! src="\/docs\/assets\/)/.test(page))
  const loaded = [...page.matchAll(/<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"/g)]
  assert.ok(loaded.length >= 3)
  assert.ok(loaded.every(([, url = '']) => /^(\/docs\/assets\/|data:image)/.test(url)))
})

test('lists every guide with its summary', () => {
  for (const { slug, title } of GUIDES) {
    assert.ok(page.includes(`<a href="${guidePath(slug)}">${escapeHtml(title)}</a>`), title)
  }
})
