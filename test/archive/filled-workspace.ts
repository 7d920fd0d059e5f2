import { createOAuthApplication } from '#auth/oauth/applications.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { removeMember } from '#resources/members/membership.ts'
import type { Role } from '#wire/rights.ts'
import { callApi } from '../support/api/call-api.ts'
import type { TestDocket } from '../support/engines/test-docket.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'

/** An action in a workspace; the numbers select its targets and values. */
type WorkspaceAction = [action: keyof typeof ACTIONS, a: number, b: number, c: number]

/** The workspace that actions change. */
interface WorkspaceState {
  served: TestDocket
  team: TestWorkspace
  tasks: string[]
  /** Calls the API as the person of a role; ignores client errors. */
  ask(role: Role, method: string, url: string, body?: object): Promise<Record<string, string>>
}

const NASTY_TEXTS = [
  'plain',
  '"quoted" \\ back\nlines\r\n\ttab',
  'Separated\u2028by\u2029Unicode',
  'Grüße 🚀 नमस्ते 漢字 \u00a6 ΟΔΟΣ',
  '=cmd|calc!A0',
  "'); drop table tasks; --",
] as const
const ROLES = ['owner', 'admin', 'member', 'guest'] as const
const pick = <T>(from: readonly T[], at: number): T => from[at % from.length] as T

const ACTIONS = {
  async create({ ask, team, tasks }: WorkspaceState, a: number, b: number, c: number) {
    const blockers = c % 3 === 0 && tasks.length > 0 ? [pick(tasks, c)] : []
    const { id } = await ask(pick(ROLES, a), 'POST', '/api/v1/tasks', {
      project_id: b % 4 === 0 ? team.hidden : team.project,
      title: pick(NASTY_TEXTS, b).replace(/[\p{Cc}\u2028\u2029]/gu, ' '),
      description: `${pick(NASTY_TEXTS, c)} <@${team.people.member}> ${pick(tasks, a) ?? ''}\n${team.workspace}`,
      priority: pick(['none', 'low', 'high', 'urgent'] as const, c),
      assignee_ids: [team.people[pick(ROLES, c)]],
      custom_fields: { effort: a - 5.25, big: 9_007_199_254_740_991, kinds: ['b', 'a'], yes: true },
      metadata: { 10: 'ten', 9: 'nine', 'x.y': pick(NASTY_TEXTS, a).slice(0, 40) },
      ...(b % 3 === 0 && tasks.length > 0 && { parent_id: pick(tasks, b) }),
      ...(blockers.length > 0 && { blocked_by_ids: blockers }),
      ...(a % 5 === 0 && { external_source: 'jira', external_id: `J-${a}-${b}` }),
      ...(c % 4 === 0 && {
        due_date: '2027-01-31',
        recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=MO' },
      }),
    })
    if (id !== undefined) tasks.push(id)
  },
  update: ({ ask, tasks }: WorkspaceState, a: number, b: number, c: number) =>
    ask(pick(ROLES, a), 'PATCH', `/api/v1/tasks/${pick(tasks, b)}`, {
      status: pick(['todo', 'in_progress', 'done', 'canceled'] as const, c),
      title: `Changed ${a}`,
      estimate_seconds: c * 60,
    }),
  block: ({ ask, tasks }: WorkspaceState, a: number, b: number) =>
    ask('owner', 'PATCH', `/api/v1/tasks/${pick(tasks, a)}`, { blocked_by_ids: [pick(tasks, b)] }),
  move: ({ ask, team, tasks }: WorkspaceState, a: number, b: number) =>
    ask('owner', 'PATCH', `/api/v1/tasks/${pick(tasks, a)}`, {
      project_id: b % 2 === 0 ? team.hidden : team.project,
    }),
  remove: ({ ask, tasks }: WorkspaceState, a: number) =>
    ask('owner', 'DELETE', `/api/v1/tasks/${pick(tasks, a)}`),
  restore: ({ ask, tasks }: WorkspaceState, a: number) =>
    ask('owner', 'POST', `/api/v1/tasks/${pick(tasks, a)}/restore`, {}),
  async comment({ ask, team, tasks }: WorkspaceState, a: number, b: number, c: number) {
    const url = `/api/v1/tasks/${pick(tasks, a)}/comments`
    const body = `${pick(NASTY_TEXTS, b)} <@${team.people.admin}>\n${pick(tasks, c)}`
    const { id } = await ask(pick(ROLES, b), 'POST', url, { body })
    if (id !== undefined && c % 2 === 0) await ask('member', 'POST', url, { body, parent_id: id })
    if (id !== undefined && c % 5 === 0) await ask('owner', 'DELETE', `/api/v1/comments/${id}`)
  },
  spend: ({ ask, tasks }: WorkspaceState, a: number, b: number, c: number) =>
    ask(
      pick(ROLES, b),
      'POST',
      `/api/v1/tasks/${pick(tasks, a)}/time-entries`,
      c % 3 === 0
        ? { running: true }
        : { duration_seconds: c + 1, note: pick(NASTY_TEXTS, c), billable: true },
    ),
  async tag({ ask, team, tasks }: WorkspaceState, a: number, b: number) {
    const url = `/api/v1/projects/${b % 2 === 0 ? team.project : team.hidden}/tags`
    const { id } = await ask('owner', 'POST', url, { name: `Über ${a} ${b}` })
    if (id === undefined) return
    await ask('owner', 'PATCH', `/api/v1/tasks/${pick(tasks, a)}`, { add_tag_ids: [id] })
    if (a % 4 === 0) await ask('owner', 'DELETE', `/api/v1/tags/${id}`)
  },
  async attach({ served: { server }, team, tasks }: WorkspaceState, a: number, b: number) {
    const name = encodeURIComponent(`${pick(['Über.txt', 'a b.png', '=x.csv'] as const, b)}`)
    const url = `/api/v1/tasks/${pick(tasks, a)}/attachments?filename=${name}`
    const headers = { 'content-type': 'text/plain' }
    const body = Buffer.from(`${a} ${b} `.repeat(1 + b * 40))
    await callApi(server, team.keys.owner, { method: 'POST', url, body, headers })
  },
} as const

/** Creates a workspace with many kinds of data, and then runs these actions in it. */
export async function createFilledWorkspace(
  served: TestDocket,
  actions: readonly WorkspaceAction[] = [],
): Promise<TestWorkspace> {
  const { server, storage } = served
  const team = await createTestWorkspace(storage)
  const { headers } = await createTestSession(storage, team, 'owner')
  const callInternalApi = async (method: string, url: string, body: object) => {
    const { status, text } = await callApi(server, undefined, { method, url, body, headers })
    if (status >= 300) throw new Error(`${method} ${url}: ${status} ${text}`)
    return JSON.parse(text) as { id?: string }
  }
  const state: WorkspaceState = {
    served,
    team,
    tasks: [],
    async ask(role, method, url, body) {
      const apiRequest = { method, url, ...(body && { body }) }
      const { status, text } = await callApi(server, team.keys[role], apiRequest)
      if (status >= 500) throw new Error(`${method} ${url}: ${status} ${text}`)
      return status < 300 && text !== '' ? JSON.parse(text) : {}
    },
  }
  for (let n = 0; n < 6; n += 1) await ACTIONS.create(state, n, n + 1, n)
  for (const action of ['tag', 'comment', 'spend', 'attach', 'block', 'move', 'remove'] as const) {
    await ACTIONS[action](state, 1, 2, 3)
    await ACTIONS[action](state, 4, 6, 4)
  }
  for (const [action, a, b, c] of actions) await ACTIONS[action](state, a, b, c)
  const live = state.tasks.slice(0, 3).map((id) => state.ask('owner', 'GET', `/api/v1/tasks/${id}`))
  for (const { id } of await Promise.all(live)) {
    if (id)
      await callInternalApi('POST', '/internal/templates', { task_id: id, name: `Vorlage "${id}"` })
  }
  const hook = { url: 'https://example.com/hook?x=1', events: ['*'], project_ids: [team.project] }
  await state.ask('owner', 'POST', '/api/v1/webhooks', hook)
  await callInternalApi('PATCH', `/internal/projects/${team.project}`, {
    prefix: 'NEW',
    name: 'Enginé',
  })
  const view = { project_id: team.project, name: 'Öffen', f: 'status:open', group: 'assignee' }
  await callInternalApi('POST', '/internal/views', { ...view, is_shared: true })
  const { id } = await callInternalApi('POST', '/internal/views', {
    ...view,
    view: 'board',
    lanes: 'priority',
  })
  const ofAll = { project_id: null, name: 'Überall', f: 'tag:bug', group: 'project' }
  await callInternalApi('POST', '/internal/views', ofAll)
  await callInternalApi('PUT', '/internal/views/pins', { view_ids: [id] })
  await callInternalApi('POST', `/internal/projects/${team.hidden}/archive`, {})
  await storage.write(
    { ...ANONYMOUS_ACTOR, workspace_id: team.workspace, role: 'owner' },
    async (tx) => {
      await createOAuthApplication(tx, {
        name: 'Ours',
        description: null,
        homepage_url: 'https://example.com',
        type: 'confidential',
        distribution: 'public',
        scopes: ['tasks:read'],
        redirect_uris: ['https://example.com/back'],
        created_by_id: team.people.owner,
      })
      await removeMember(tx, team.people.guest)
    },
  )
  return team
}
