import type { Docket } from './docket.ts'
import { type Commit, commitsOf } from './git.ts'
import { labelsOf } from './labels.ts'
import { peopleOf } from './people.ts'
import type { BulkReply, Comment, NewTask, Problem, Project, Task } from './records.ts'
import { tagsOf } from './tags.ts'
import { remarksOf, taskOf } from './task.ts'

const MOST_OPERATIONS = 100
/** Docket takes bodies of 1 MiB; the rest of the bulk's JSON has room in what is left. */
const MOST_BYTES = 1_000_000
const AT_ONCE = 6

interface Source {
  repository: string
  revisions: string
  dryRun: boolean
  onBatch: (counted: Counted) => void
  onRefused: (commit: Commit, problem: Problem) => void
}

export interface Counted {
  commits: number
  tasks_added: number
  tasks_there: number
  /** In another project of the workspace, or deleted since a request that was sent before. */
  tasks_elsewhere: number
  tasks_refused: number
  comments_added: number
  comments_there: number
  tags_added: number
  tags_without_room: number
}

type Wanted = { commit: Commit; task: NewTask }

/**
 * Makes a task of each commit that has none. What was sent before is found by keys (a day long)
 * and by external ids and the bodies of comments (for ever), so it may stop and start anywhere.
 */
export async function load(docket: Docket, project: Project, source: Source): Promise<Counted> {
  const { repository, revisions, dryRun, onBatch, onRefused } = source
  const status = project.statuses.find(({ category }) => category === 'completed')?.key ?? ''
  const people = await peopleOf(docket, project.id)
  const tags = await tagsOf(docket, project.id, dryRun)
  const counted: Counted = {
    commits: 0,
    tasks_added: 0,
    tasks_there: 0,
    tasks_elsewhere: 0,
    tasks_refused: 0,
    comments_added: 0,
    comments_there: 0,
    tags_added: 0,
    tags_without_room: 0,
  }

  let batch: Wanted[] = []
  let bytes = 0
  for await (const commit of commitsOf(repository, revisions)) {
    const assignee_ids = await people(commit)
    const tag_ids = await tags.idsOf(labelsOf(commit))
    const task = taskOf(commit, { project_id: project.id, status, assignee_ids, tag_ids })
    const size = Buffer.byteLength(JSON.stringify({ op: 'create', data: task })) + 1
    if (batch.length === MOST_OPERATIONS || bytes + size > MOST_BYTES) await send()
    batch.push({ commit, task })
    bytes += size
  }
  await send()
  return counted

  async function send(): Promise<void> {
    const wanted = batch
    batch = []
    bytes = 0
    if (wanted.length > 0) await create(wanted)
    counted.commits += wanted.length
    counted.tags_added = tags.counted.added
    counted.tags_without_room = tags.counted.without
    onBatch(counted)
  }

  async function create(wanted: Wanted[]): Promise<void> {
    const operations = wanted.map(({ task }) => ({ op: 'create', data: task }))
    const path = `/api/v1/tasks/bulk${dryRun ? '?dry_run=true' : ''}`
    const { body, replayed } = await docket.post<BulkReply>(path, { operations, atomic: false })
    const fresh: [string, Commit][] = []
    const old: [string | undefined, Commit][] = []
    for (const [at, { data, error }] of body.results.entries()) {
      const commit = wanted[at]?.commit
      if (!commit) continue
      if (data && !replayed) fresh.push([data.id, commit])
      else if (data) old.push([data.id, commit])
      else if (error?.code === 'external_id_exists') {
        old.push([error.details[0]?.resource_id, commit])
      } else if (error?.code === 'validation_failed') {
        counted.tasks_refused += 1
        onRefused(commit, error)
      } else throw new Error(`${commit.hash}: ${error?.code}: ${error?.message}`)
    }
    counted.tasks_added += fresh.length
    await each(fresh, ([id, commit]) => add(id, remarksOf(commit)))
    await complete(old)
  }

  /** Adds what an earlier run did not come to. */
  async function complete(old: [string | undefined, Commit][]): Promise<void> {
    const ids = old.flatMap(([id]) => id ?? [])
    const query = `project_id=${project.id}&limit=${MOST_OPERATIONS}&id=${ids.join(',')}`
    const { data } =
      ids.length > 0 ? await docket.get<{ data: Task[] }>(`/api/v1/tasks?${query}`) : { data: [] }
    const there = new Map(data.map((task) => [task.id, task]))
    counted.tasks_there += there.size
    counted.tasks_elsewhere += old.length - there.size
    await each(old, async ([id = '', commit]) => {
      const task = there.get(id)
      const remarks = task ? remarksOf(commit) : []
      if (remarks.length === 0) return
      const said = new Set<string>()
      if (task?.comment_count !== 0) {
        for await (const comment of docket.list<Comment>(`/api/v1/tasks/${id}/comments`)) {
          said.add(comment.body)
        }
      }
      const missing = remarks.filter((remark) => !said.has(remark))
      counted.comments_there += remarks.length - missing.length
      await add(id, missing)
    })
  }

  async function add(task_id: string, remarks: string[]): Promise<void> {
    for (const body of remarks) {
      const path = `/api/v1/tasks/${task_id}/comments`
      const replayed = dryRun ? false : (await docket.post<Comment>(path, { body })).replayed
      if (replayed) counted.comments_there += 1
      else counted.comments_added += 1
    }
  }
}

/** A few at once: enough to hide the network, too few to crowd others out. */
async function each<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
