import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiKey } from '#auth/keys/api-keys.ts'
import { ensureAccount } from '#auth/users/accounts.ts'
import { createWorkspace } from '#auth/workspaces/workspaces.ts'
import { type Actor, ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { newId } from '#lib/id.ts'
import { createMembership } from '#resources/members/membership.ts'
import { createProjectRow } from '#resources/projects/create-project.ts'
import { insertTag } from '#resources/tags/store.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import type { TestClock } from '#test/support/system/test-clock.ts'
import { SCOPES } from '#wire/scopes.ts'

const benchDirs: string[] = []

/** Creates a directory that the end of this part of the benchmarks removes. */
export function createBenchDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'docket-bench-'))
  benchDirs.push(dir)
  return dir
}

export function removeBenchDirs(): void {
  for (const dir of benchDirs.splice(0)) rmSync(dir, { recursive: true, force: true })
}

/** A workspace with one large project, and the ids that its filters need. */
export interface SeededWorkspace {
  key: string
  workspace: string
  project: string
  /** The first are assigned most tasks, the last only a few. */
  people: string[]
  tags: string[]
  /** A sample of task ids from the whole project. */
  tasks: string[]
  parent: string
}

/** The number of tasks with each rare value, in a project of any size, so that pages are equal. */
const RARE_COUNT = 20
/** The status of the tasks that have them. */
export const RARE_STATUS = 'in_review'
const BATCH_SIZE = 500
const MINUTE_MS = 60_000
/** In the past, so that tasks that a benchmark creates are newer. */
const FIRST_CREATED_AT = Date.UTC(2026, 0, 1)

const WORDS =
  'invoice export fails page customer search login slow report button mail import draft'.split(' ')
const PRIORITIES = ['none', 'low', 'medium', 'high'] as const

/** With the storage's clock, creates the tasks in the past, one per minute; otherwise now. */
export async function seedWorkspace(
  storage: Storage,
  size: number,
  clock?: TestClock,
): Promise<SeededWorkspace> {
  const workspace = newId('wsp', storage.clock.now())
  const nobody: Actor = { ...ANONYMOUS_ACTOR, workspace_id: workspace }
  const seeded = await storage.write(nobody, (tx) => createWorkspaceContent(tx, workspace))
  const owner: Actor = { ...createUserActor(seeded.people[0] ?? '', workspace), role: 'owner' }
  const every = Math.floor(size / RARE_COUNT)
  const root = { project_id: seeded.project, title: 'The parent of some' }
  seeded.parent = (await storage.write(owner, (tx) => createTaskFromInput(tx, root))).id
  for (let from = 0; from < size; from += BATCH_SIZE) {
    clock?.set(FIRST_CREATED_AT + from * MINUTE_MS)
    const made = Array.from({ length: Math.min(BATCH_SIZE, size - from) }, (_, at) =>
      storage.write(owner, (tx) => createTaskFromInput(tx, taskOf(seeded, from + at, every))),
    )
    const tasks = await Promise.all(made)
    seeded.tasks.push(...tasks.filter((_, at) => at % 50 === 0).map(({ id }) => id))
  }
  return seeded
}

async function createWorkspaceContent(tx: WriteTx, workspace: string): Promise<SeededWorkspace> {
  await createWorkspace(tx, { name: 'Bench', plan: 'paid', timezone: 'UTC' })
  const people: string[] = []
  for (let n = 0; n < 20; n++) {
    const name = `Person ${n}`
    const account = { email: `${n}@${workspace}.example`, name, timezone: 'UTC' }
    const { user_id } = await ensureAccount(tx, account, { password: '', hash: '' })
    await createMembership(tx, { user_id, name, role: n === 0 ? 'owner' : 'member' })
    people.push(user_id)
  }
  const by = { created_by_id: people[0] ?? '' }
  const project = await createProjectRow(tx, { name: 'Large', prefix: 'LRG', ...by })
  const tags: string[] = []
  for (let n = 0; n < 20; n++) {
    const id = newId('tag', tx.nowMs)
    const [name, at] = [`tag ${n}`, { created_at: tx.now, updated_at: tx.now }]
    const words = { name, name_key: name, name_words: ` ${name}` }
    await tx.run(insertTag, {
      id,
      project_id: project,
      color: '#000000',
      task_count: 0,
      ...words,
      ...by,
      ...at,
    })
    tags.push(id)
  }
  const key = { user_id: people[0] ?? '', name: 'bench', scopes: SCOPES, expires_at: null }
  const { api_key } = await createApiKey(tx, key)
  return { key: api_key, workspace, project, people, tags, tasks: [], parent: '' }
}

/** The n-th task. Common values are spread evenly; every `every`-th task has all the rare ones. */
function taskOf({ project, people, tags, parent }: SeededWorkspace, n: number, every: number) {
  const rare = n % every === every - 1
  const word = (by: number) => WORDS[Math.floor(n / by) % WORDS.length]
  return {
    project_id: project,
    title: `${word(1)} ${word(7)} ${word(31)} ${rare ? 'zeppelin' : 'often'} ${n}`,
    ...(n % 2 && { description: `When the ${word(3)} is opened, ${word(5)} shows. `.repeat(4) }),
    status: rare ? RARE_STATUS : n % 7 < 4 ? 'done' : n % 7 === 4 ? 'todo' : 'in_progress',
    priority: rare ? ('urgent' as const) : (PRIORITIES[n % 4] ?? 'none'),
    ...(rare
      ? { assignee_ids: [people[19] ?? ''], tag_ids: [tags[19] ?? ''], parent_id: parent }
      : {
          ...(n % 3 > 0 && { assignee_ids: [people[(n * 7) % (n % 2 ? 3 : 19)] ?? ''] }),
          ...(n % 3 === 0 && { tag_ids: [tags[(n * 5) % (n % 2 ? 2 : 19)] ?? ''] }),
        }),
    ...(n % 10 < 4 && {
      due_date: new Date(FIRST_CREATED_AT + ((n * 7919) % 1000) * 1440 * MINUTE_MS)
        .toISOString()
        .slice(0, 10),
    }),
    ...(n % 10 === 0 && { external_source: 'tracker', external_id: String(n) }),
  }
}
