import assert from 'node:assert/strict'
import { scenario } from '#test/support/scenario.ts'
import { changing, lists, made, refused } from '#test/support/steps.ts'
import { createProject } from './create.ts'

const PROJECTS = '/api/v1/projects'
const DEFAULT_STATUSES = [
  ['backlog', 'Backlog', 'backlog', '#94a3b8'],
  ['todo', 'Todo', 'unstarted', '#64748b'],
  ['in_progress', 'In progress', 'started', '#f59e0b'],
  ['in_review', 'In review', 'started', '#8b5cf6'],
  ['done', 'Done', 'completed', '#22c55e'],
  ['canceled', 'Canceled', 'canceled', '#9ca3af'],
]

scenario('a project is shown whole, with its statuses and the count of its tasks', [
  made('A', { status: 'backlog' }),
  made('B', { status: 'done' }),
  made('C', { parent_id: '{B}' }),
  made('D'),
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
  made('E'),
  { send: `GET ${PROJECTS}/{project}`, headers: { 'if-none-match': '{etag}' }, status: 200 },
  refused(`POST ${PROJECTS}`, 405, 'method_not_allowed', { body: {} }),
  refused(`PATCH ${PROJECTS}/{project}`, 405, 'method_not_allowed', { body: {} }),
])

scenario('who does not see a project finds neither it nor its tasks', [
  lists(PROJECTS, ['project', 'hidden']),
  lists(PROJECTS, ['project', 'hidden'], { as: 'admin' }),
  lists(PROJECTS, ['project'], { as: 'member' }),
  lists(PROJECTS, ['project'], { as: 'guest' }),
  ...(['member', 'guest', 'stranger'] as const).flatMap((as) => [
    refused(`GET ${PROJECTS}/{hidden}`, 404, 'not_found', { as }),
    refused(`GET ${PROJECTS}/{hidden}/tasks`, 404, 'not_found', { as }),
  ]),
  refused(`GET ${PROJECTS}/ENG`, 404, 'not_found'),
  refused(`GET ${PROJECTS}/{project}x`, 404, 'not_found'),
])

const others: [name: string, prefix: string][] = [
  ['äpfel & Birnen', 'AB2'],
  ['Zoo', 'ZZ'],
  ['apple', 'AP'],
]

scenario('projects are listed in every order and by every filter', [
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
        known[prefix] = await createProject(tx, project)
      }
    },
  },
  lists(PROJECTS, ['project', 'hidden', 'AB2', 'ZZ', 'AP']),
  lists(`${PROJECTS}?sort=-created_at`, ['AP', 'ZZ', 'AB2', 'hidden', 'project']),
  lists(`${PROJECTS}?sort=name`, ['AP', 'project', 'hidden', 'ZZ', 'AB2']),
  lists(`${PROJECTS}?sort=-name`, ['AB2', 'ZZ', 'hidden', 'project', 'AP']),
  lists(`${PROJECTS}?lead_id={admin}&sort=name`, ['AP', 'ZZ', 'AB2']),
  lists(`${PROJECTS}?lead_id={owner}`, []),
  lists(`${PROJECTS}?q=%C3%84PF%20bir`, ['AB2']),
  lists(`${PROJECTS}?q=apf`, []),
  lists(`${PROJECTS}?q=zz`, ['ZZ']),
  lists(`${PROJECTS}?q=z`, ['ZZ']),
  lists(`${PROJECTS}?q=ab`, []),
  lists(`${PROJECTS}?q=-`, []),
  lists(`${PROJECTS}?status=archived`, ['ZZ'], { prepare: changing('ZZ', { archived: true }) }),
  lists(`${PROJECTS}?status=active&sort=name`, ['AP', 'project', 'hidden', 'AB2']),
  lists(`${PROJECTS}?sort=-updated_at&limit=1`, ['ZZ'], { keep: { when: 'data.0.updated_at' } }),
  lists(`${PROJECTS}?updated_since={when}`, ['ZZ']),
  { send: `GET ${PROJECTS}?limit=2&sort=name`, status: 200, keep: { next: 'next_cursor' } },
  lists(`${PROJECTS}?limit=3&sort=name&cursor={next}`, ['hidden', 'ZZ', 'AB2']),
  ...['status=all', 'lead_id=me', 'q=', 'sort=prefix', 'updated_since=2026-01-01', 'x=1'].map(
    (query) => refused(`GET ${PROJECTS}?${query}`, 400, 'invalid_parameter'),
  ),
])
