import type { DocketClient } from './docket.ts'
import { type Commit, readCommits } from './git.ts'
import { createTagNames } from './labels.ts'
import { createAssigneeFinder } from './people.ts'
import type {
  BulkReply,
  CommentRecord,
  CreateTaskRequest,
  ProblemRecord,
  ProjectRecord,
  TaskRecord,
} from './records.ts'
import { createTagResolver } from './tags.ts'
import { createCommentBodies, createTaskFromCommit } from './task.ts'

const MAX_OPERATIONS = 100
/** Docket accepts bodies of 1 MiB; the remainder is for the rest of the bulk request's JSON. */
const MAX_BYTES = 1_000_000
const CONCURRENCY = 6

interface ImportSource {
  repository: string
  revisions: string
  dryRun: boolean
  onBatch: (counted: ImportCounts) => void
  onRefused: (commit: Commit, problem: ProblemRecord) => void
}

export interface ImportCounts {
  commits: number
  tasks_added: number
  tasks_there: number
  /** In another project of the workspace, or deleted since an earlier request. */
  tasks_elsewhere: number
  tasks_refused: number
  comments_added: number
  comments_there: number
  tags_added: number
  tags_without_room: number
}

type PendingCommit = { commit: Commit; task: CreateTaskRequest }

/**
 * Creates a task for each commit that has none. It can be stopped and restarted at any time: for a
 * day earlier requests are recognized by idempotency keys, later by external ids and by the texts
 * of comments.
 */
export async function importHistory(
  docket: DocketClient,
  project: ProjectRecord,
  source: ImportSource,
): Promise<ImportCounts> {
  const { repository, revisions, dryRun, onBatch, onRefused } = source
  const status = project.statuses.find(({ category }) => category === 'completed')?.key ?? ''
  const people = await createAssigneeFinder(docket, project.id)
  const tags = await createTagResolver(docket, project.id, dryRun)
  const counted: ImportCounts = {
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

  let batch: PendingCommit[] = []
  let bytes = 0
  for await (const commit of readCommits(repository, revisions)) {
    const assignee_ids = await people(commit)
    const tag_ids = await tags.idsOf(createTagNames(commit))
    const task = createTaskFromCommit(commit, {
      project_id: project.id,
      status,
      assignee_ids,
      tag_ids,
    })
    const size = Buffer.byteLength(JSON.stringify({ op: 'create', data: task })) + 1
    if (batch.length === MAX_OPERATIONS || bytes + size > MAX_BYTES) await send()
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

  async function create(wanted: PendingCommit[]): Promise<void> {
    const operations = wanted.map(({ task }) => ({ op: 'create', data: task }))
    const path = `/api/v1/tasks/bulk${dryRun ? '?dry_run=true' : ''}`
    const { body, replayed } = await docket.post<BulkReply>(path, {
      operations,
      atomic: false,
    })
    const created: [string, Commit][] = []
    const existing: [string | undefined, Commit][] = []
    for (const [at, { data, error }] of body.results.entries()) {
      const commit = wanted[at]?.commit
      if (!commit) continue
      if (data && !replayed) created.push([data.id, commit])
      else if (data) existing.push([data.id, commit])
      else if (error?.code === 'external_id_exists') {
        existing.push([error.details[0]?.resource_id, commit])
      } else if (error?.code === 'validation_failed') {
        counted.tasks_refused += 1
        onRefused(commit, error)
      } else throw new Error(`${commit.hash}: ${error?.code}: ${error?.message}`)
    }
    counted.tasks_added += created.length
    await forEachConcurrently(created, ([id, commit]) =>
      addComments(id, createCommentBodies(commit)),
    )
    await addMissingComments(existing)
  }

  /** Adds the comments that an earlier run did not get to. */
  async function addMissingComments(existing: [string | undefined, Commit][]): Promise<void> {
    const ids = existing.flatMap(([id]) => id ?? [])
    const query = `project_id=${project.id}&limit=${MAX_OPERATIONS}&id=${ids.join(',')}`
    const { data } =
      ids.length > 0
        ? await docket.get<{ data: TaskRecord[] }>(`/api/v1/tasks?${query}`)
        : { data: [] }
    const there = new Map(data.map((task) => [task.id, task]))
    counted.tasks_there += there.size
    counted.tasks_elsewhere += existing.length - there.size
    await forEachConcurrently(existing, async ([id = '', commit]) => {
      const task = there.get(id)
      const remarks = task ? createCommentBodies(commit) : []
      if (remarks.length === 0) return
      const said = new Set<string>()
      if (task?.comment_count !== 0) {
        for await (const comment of docket.list<CommentRecord>(`/api/v1/tasks/${id}/comments`)) {
          said.add(comment.body)
        }
      }
      const missing = remarks.filter((remark) => !said.has(remark))
      counted.comments_there += remarks.length - missing.length
      await addComments(id, missing)
    })
  }

  async function addComments(task_id: string, remarks: string[]): Promise<void> {
    for (const body of remarks) {
      const path = `/api/v1/tasks/${task_id}/comments`
      const replayed = dryRun ? false : (await docket.post<CommentRecord>(path, { body })).replayed
      if (replayed) counted.comments_there += 1
      else counted.comments_added += 1
    }
  }
}

/** Runs a few at once: enough to hide network latency, few enough not to disturb other clients. */
async function forEachConcurrently<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}
