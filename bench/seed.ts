import { type Actor, NOBODY } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { ensureAccount } from '#identity/account.ts'
import { createKey } from '#identity/new-key.ts'
import { createWorkspace } from '#identity/workspace.ts'
import { newId } from '#lib/id.ts'
import { join } from '#resources/members/membership.ts'
import { createProject } from '#resources/projects/create.ts'
import { insertTag } from '#resources/tags/store.ts'
import { createIn } from '#resources/tasks/operations/create.ts'
import type { TestClock } from '#test/support/clock.ts'
import { SCOPES } from '#wire/scopes.ts'

/** A workspace with one project full of tasks, and what its filters can ask for. */
export interface Seeded {
  key: string
  workspace: string
  project: string
  /** The first has most tasks, the last few. */
  people: string[]
  tags: string[]
  /** Ids of some tasks from all over the project. */
  tasks: string[]
  parent: string
}

/** So many tasks have each rare quality, in a project of any size: the same page is asked of all. */
const RARE = 20
const AT_ONCE = 500
const MINUTE = 60_000
/** Long before the present, so that what is made in the benchmark comes after. */
const BEGINNING = Date.UTC(2026, 0, 1)

const WORDS =
  'invoice export fails page customer search login slow report button mail import draft'.split(' ')
const PRIORITIES = ['none', 'low', 'medium', 'high'] as const

/** With the clock of the storage the tasks are made in the past, minute by minute; else at present. */
export async function seed(storage: Storage, size: number, clock?: TestClock): Promise<Seeded> {
  const workspace = newId('wsp', storage.clock.now())
  const nobody: Actor = { ...NOBODY, workspace_id: workspace }
  const seeded = await storage.write(nobody, (tx) => furnish(tx, workspace))
  const owner: Actor = { ...nobody, role: 'owner', user_id: seeded.people[0] ?? '' }
  const every = Math.floor(size / RARE)
  const root = { project_id: seeded.project, title: 'The parent of some' }
  seeded.parent = (await storage.write(owner, (tx) => createIn(tx, root))).id
  for (let from = 0; from < size; from += AT_ONCE) {
    clock?.set(BEGINNING + from * MINUTE)
    const made = Array.from({ length: Math.min(AT_ONCE, size - from) }, (_, at) =>
      storage.write(owner, (tx) => createIn(tx, taskOf(seeded, from + at, every))),
    )
    const tasks = await Promise.all(made)
    seeded.tasks.push(...tasks.filter((_, at) => at % 50 === 0).map(({ id }) => id))
  }
  return seeded
}

async function furnish(tx: WriteTx, workspace: string): Promise<Seeded> {
  await createWorkspace(tx, { name: 'Bench', plan: 'paid', timezone: 'UTC' })
  const people: string[] = []
  for (let n = 0; n < 20; n++) {
    const name = `Person ${n}`
    const account = { email: `${n}@${workspace}.example`, name, timezone: 'UTC' }
    const { user_id } = await ensureAccount(tx, account, { password: '', hash: '' })
    await join(tx, { user_id, name, role: n === 0 ? 'owner' : 'member' })
    people.push(user_id)
  }
  const by = { created_by_id: people[0] ?? '' }
  const project = await createProject(tx, { name: 'Large', prefix: 'LRG', ...by })
  const tags: string[] = []
  for (let n = 0; n < 20; n++) {
    const id = newId('tag', tx.instant)
    const [name, at] = [`tag ${n}`, { created_at: tx.now, updated_at: tx.now }]
    const words = { name, name_key: name, name_words: ` ${name}` }
    await tx.run(insertTag, {
      ...{ id, project_id: project, color: '#000000', task_count: 0 },
      ...words,
      ...by,
      ...at,
    })
    tags.push(id)
  }
  const key = { user_id: people[0] ?? '', name: 'bench', scopes: SCOPES, expires_at: null }
  const { api_key } = await createKey(tx, key)
  return { key: api_key, workspace, project, people, tags, tasks: [], parent: '' }
}

/** The n-th task: each quality is spread evenly; every so many a task has all the rare ones. */
function taskOf({ project, people, tags, parent }: Seeded, n: number, every: number) {
  const rare = n % every === every - 1
  const word = (by: number) => WORDS[Math.floor(n / by) % WORDS.length]
  return {
    project_id: project,
    title: `${word(1)} ${word(7)} ${word(31)} ${rare ? 'zeppelin' : 'often'} ${n}`,
    ...(n % 2 && { description: `When the ${word(3)} is opened, ${word(5)} shows. `.repeat(4) }),
    status: rare ? 'in_review' : n % 7 < 4 ? 'done' : n % 7 === 4 ? 'todo' : 'in_progress',
    priority: rare ? ('urgent' as const) : (PRIORITIES[n % 4] ?? 'none'),
    ...(rare
      ? { assignee_ids: [people[19] ?? ''], tag_ids: [tags[19] ?? ''], parent_id: parent }
      : {
          ...(n % 3 > 0 && { assignee_ids: [people[(n * 7) % (n % 2 ? 3 : 19)] ?? ''] }),
          ...(n % 3 === 0 && { tag_ids: [tags[(n * 5) % (n % 2 ? 2 : 19)] ?? ''] }),
        }),
    ...(n % 10 < 4 && {
      due_date: new Date(BEGINNING + ((n * 7919) % 1000) * 1440 * MINUTE)
        .toISOString()
        .slice(0, 10),
    }),
    ...(n % 10 === 0 && { external_source: 'tracker', external_id: String(n) }),
  }
}
