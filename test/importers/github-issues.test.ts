import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { assertImport, type ImportCase, refusalOf } from './imported-files.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const page = (number: number) => `https://github.com/acme/tool/issues/${number}`
const issue = (number: number, title: string, more: object = {}) => ({
  number,
  title,
  html_url: page(number),
  state: 'open',
  labels: [],
  ...more,
})

const CASES: (ImportCase & { json: unknown })[] = [
  {
    name: 'milestones that are due, types and authors',
    json: [
      issue(1, 'One', {
        milestone: { title: 'v1', due_on: '2026-05-01T07:00:00Z' },
        type: { name: 'Bug' },
        user: { login: 'ada' },
      }),
      { ...issue(2, 'Two'), milestone: { title: 'v2', dueOn: null }, author: { login: 'bob' } },
    ],
    tasks: [
      {
        title: 'One',
        tags: ['v1'],
        due_date: '2026-05-01',
        custom_fields: { type: 'Bug', created_by: 'ada' },
      },
      { title: 'Two', tags: ['v2'], due_date: null, custom_fields: { created_by: 'bob' } },
    ],
  },
  {
    name: 'reasons of closing',
    json: ['completed', 'not_planned', 'duplicate', null].map((state_reason, at) =>
      issue(at + 1, String(state_reason), { state: 'closed', state_reason }),
    ),
    tasks: [
      { title: 'completed', status: 'Closed', category: 'completed' },
      { title: 'not_planned', status: 'Not planned', category: 'canceled' },
      { title: 'duplicate', status: 'Duplicate', category: 'canceled' },
      { title: 'null', status: 'Closed' },
    ],
  },
  {
    name: 'what the REST API only counts',
    json: [
      issue(1, 'One', { comments: 7, reactions: { total_count: 2 } }),
      issue(2, 'A pull request', { pull_request: {}, comments: 3 }),
      issue(3, 'Three', { comments: 0, reactionGroups: [{ users: { totalCount: 4 } }] }),
    ],
    left: { comments: 7, reactions: 6, pull_requests: 1 },
    tasks: [{ title: 'One' }, { title: 'Three' }],
  },
  {
    name: 'labels as names, and one assignee',
    json: [
      issue(1, 'One', {
        labels: ['bug', { name: 'ui', color: 'D73A4A' }],
        assignee: { login: 'ada' },
      }),
    ],
    tasks: [{ title: 'One', tags: ['bug', 'ui'], description: 'Assigned to: ada' }],
  },
  {
    name: 'subissues',
    json: [
      issue(2, 'Child', { parent_issue_url: 'https://api.github.com/repos/acme/tool/issues/1' }),
      issue(1, 'Parent'),
      issue(3, 'Grandchild', { parent: { url: page(2) } }),
    ],
    tasks: [
      { title: 'Parent' },
      { title: 'Child', parent: 'Parent' },
      { title: 'Grandchild', parent: 'Child' },
    ],
  },
  {
    name: 'pages of issues',
    json: [[issue(1, 'One')], [issue(2, 'Two'), issue(3, 'Three')]],
    tasks: [{ title: 'One' }, { title: 'Two' }, { title: 'Three' }],
  },
  {
    name: 'pages that follow each other',
    json: `${JSON.stringify([issue(1, 'One')])}${JSON.stringify([issue(2, 'Two')])}\n[]`,
    tasks: [{ title: 'One' }, { title: 'Two' }],
  },
  {
    name: 'pages of a search that follow each other',
    json: `{"total_count":2,"items":[${JSON.stringify(issue(1, 'One'))}]}{"items":[${JSON.stringify(issue(2, 'Two'))}]}`,
    tasks: [{ title: 'One' }, { title: 'Two' }],
  },
  {
    name: 'an issue on each line',
    json: `${JSON.stringify(issue(1, 'One', { labels: ['bug'] }))}\n${JSON.stringify(issue(2, 'Two'))}\n`,
    tasks: [{ title: 'One', tags: ['bug'] }, { title: 'Two' }],
  },
  {
    name: 'a search',
    json: { total_count: 1, incomplete_results: false, items: [issue(1, 'One')] },
    tasks: [{ title: 'One' }],
  },
  {
    name: 'a template with comments of HTML',
    json: [issue(1, 'One', { body: '<!-- Please search first -->\n### Steps' })],
    tasks: [{ title: 'One', description: '<!-- Please search first -->\n### Steps' }],
  },
  {
    name: 'issues of an own server',
    json: [issue(1, 'One', { html_url: 'https://git.example/acme/tool/issues/1', body: null })],
    tasks: [{ title: 'One', description: null }],
  },
]

test('imports what lists of GitHub issues hold', async () => {
  const docket = await fresh('sqlite')
  for (const { json, tasks, ...expected } of CASES) {
    const text = typeof json === 'string' ? json : JSON.stringify(json, null, 2)
    const projects = { 'acme/tool': tasks }
    await assertImport(docket, 'issues.json', text, { ...expected, kind: 'github', projects })
  }
  const pulls = JSON.stringify([issue(1, 'Only a pull request', { pull_request: {} })])
  assert.match(await refusalOf(docket, 'pulls.json', pulls), /no_github_issues/)
})
