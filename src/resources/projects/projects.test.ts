import assert from 'node:assert/strict'
import { scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  listStep,
  prepareProjectChange,
  rejectedStep,
} from '#test/support/scenario/steps.ts'
import { createProjectRow } from './create-project.ts'

const PROJECTS = '/api/v1/projects'
const DEFAULT_STATUSES = [
  ['backlog', 'Backlog', 'backlog', '#94a3b8'],
  ['todo', 'To do', 'unstarted', '#64748b'],
  ['in_progress', 'In progress', 'started', '#f59e0b'],
  ['in_review', 'In review', 'started', '#8b5cf6'],
  ['done', 'Done', 'completed', '#22c55e'],
  ['canceled', 'Canceled', 'canceled', '#9ca3af'],
]

scenario('returns a project with its statuses and task counts', [
  createTaskStep('A', { status: 'backlog' }),
  createTaskStep('B', { status: 'done' }),
  createTaskStep('C', { parent_id: '{B}' }),
  createTaskStep('D'),
  { send: 'DELETE /api/v1/tasks/{D}', status: 204, events: ['task.deleted'] },
  {
    send: `GET ${PROJECTS}/{project}`,
    as: 'guest',
    status: 200,
    reply: {
      id: '{project}',
      name: 'Engineering',
      prefix: 'ENG',
      description: null,
      color: '#6b7280',
      icon: null,
      status: 'active',
      archived_at: null,
      lead_id: null,
      visibility: 'workspace',
      statuses: DEFAULT_STATUSES.map(([key, name, category, color], position) => {
        return { key, name, category, color, position }
      }),
      task_counts: { total: 3, backlog: 1, unstarted: 1, started: 0, completed: 1, canceled: 0 },
      created_by_id: '{owner}',
    },
    replyHeaders: { 'cache-control': 'private, no-cache' },
    check: ({ headers, body }, known) => {
      known.etag = headers.etag ?? ''
      assert.match(known.etag, /^"[0-9a-z]+-[0-9a-f]{8}"$/)
      assert.match((body as { url: string }).url, /^http.*\/w\/wsp_\w+\/p\/ENG$/)
    },
  },
  { send: `GET ${PROJECTS}/{project}`, headers: { 'if-none-match': '{etag}' }, status: 304 },
  createTaskStep('E'),
  { send: `GET ${PROJECTS}/{project}`, headers: { 'if-none-match': '{etag}' }, status: 200 },
  rejectedStep(`POST ${PROJECTS}`, 405, 'method_not_allowed', { body: {} }),
  rejectedStep(`PATCH ${PROJECTS}/{project}`, 405, 'method_not_allowed', { body: {} }),
])

scenario('hides a project and its tasks from users without access', [
  listStep(PROJECTS, ['project', 'hidden']),
  listStep(PROJECTS, ['project', 'hidden'], { as: 'admin' }),
  listStep(PROJECTS, ['project'], { as: 'member' }),
  listStep(PROJECTS, ['project'], { as: 'guest' }),
  ...(['member', 'guest', 'stranger'] as const).flatMap((as) => [
    rejectedStep(`GET ${PROJECTS}/{hidden}`, 404, 'not_found', { as }),
    rejectedStep(`GET ${PROJECTS}/{hidden}/tasks`, 404, 'not_found', { as }),
  ]),
  rejectedStep(`GET ${PROJECTS}/ENG`, 404, 'not_found'),
  rejectedStep(`GET ${PROJECTS}/{project}x`, 404, 'not_found'),
])

const others: [name: string, prefix: string][] = [
  ['äpfel & Birnen', 'AB2'],
  ['Zoo', 'ZZ'],
  ['apple', 'AP'],
]

scenario('lists projects in every sort order and with every filter', [
  {
    send: 'GET /api/v1/me',
    status: 200,
    prepare: async (tx, known) => {
      for (const [name, prefix] of others) {
        const project = {
          name,
          prefix,
          created_by_id: known.owner ?? '',
          lead_id: known.admin ?? '',
        }
        known[prefix] = await createProjectRow(tx, project)
      }
    },
  },
  listStep(PROJECTS, ['project', 'hidden', 'AB2', 'ZZ', 'AP']),
  listStep(`${PROJECTS}?sort=-created_at`, ['AP', 'ZZ', 'AB2', 'hidden', 'project']),
  listStep(`${PROJECTS}?sort=name`, ['AP', 'project', 'hidden', 'ZZ', 'AB2']),
  listStep(`${PROJECTS}?sort=-name`, ['AB2', 'ZZ', 'hidden', 'project', 'AP']),
  listStep(`${PROJECTS}?lead_id={admin}&sort=name`, ['AP', 'ZZ', 'AB2']),
  listStep(`${PROJECTS}?lead_id={owner}`, []),
  listStep(`${PROJECTS}?q=%C3%84PF%20bir`, ['AB2']),
  listStep(`${PROJECTS}?q=apf`, ['AB2']),
  listStep(`${PROJECTS}?q=zz`, ['ZZ']),
  listStep(`${PROJECTS}?q=z`, ['ZZ']),
  listStep(`${PROJECTS}?q=ab`, []),
  // The capital of a dotless i is I, but it is another letter.
  listStep(`${PROJECTS}?q=h%C4%B1d`, ['hidden']),
  listStep(`${PROJECTS}?q=-`, []),
  listStep(`${PROJECTS}?status=archived`, ['ZZ'], {
    prepare: prepareProjectChange('ZZ', { archived: true }),
  }),
  listStep(`${PROJECTS}?status=active&sort=name`, ['AP', 'project', 'hidden', 'AB2']),
  listStep(`${PROJECTS}?sort=-updated_at&limit=1`, ['ZZ'], { keep: { when: 'data.0.updated_at' } }),
  listStep(`${PROJECTS}?updated_since={when}`, ['ZZ']),
  { send: `GET ${PROJECTS}?limit=2&sort=name`, status: 200, keep: { next: 'next_cursor' } },
  listStep(`${PROJECTS}?limit=3&sort=name&cursor={next}`, ['hidden', 'ZZ', 'AB2']),
  ...['status=all', 'lead_id=me', 'q=', 'sort=prefix', 'updated_since=2026-01-01', 'x=1'].map(
    (query) => rejectedStep(`GET ${PROJECTS}?${query}`, 400, 'invalid_parameter'),
  ),
])

/** Normalized, each character has three code points of four bytes, more than any other. */
const LONGEST_NAME = '\u{1d160}'.repeat(100)

scenario('cursors of the longest names have at most 2,048 characters', [
  ...['NA', 'NB'].map((prefix) => ({
    send: 'POST /internal/projects',
    as: 'session' as const,
    body: { name: LONGEST_NAME, prefix },
    status: 201,
    events: ['project.created'],
    keep: { [prefix]: 'id' },
  })),
  {
    send: `GET ${PROJECTS}?sort=-name&limit=1`,
    status: 200,
    check: ({ body }) => {
      const { length } = (body as { next_cursor: string }).next_cursor
      assert.ok(length > 1_024 && length <= 2_048, `${length} characters`)
    },
    keep: { cursor: 'next_cursor' },
  },
  listStep(`${PROJECTS}?sort=-name&limit=1&cursor={cursor}`, ['NA']),
])
