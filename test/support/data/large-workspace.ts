import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseConfig } from '#config/config.ts'
import { createUserActor } from '#core/actor.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openLog } from '#http/server/log.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { createApp } from '#server/app.ts'
import { TEST_SECRET } from '../system/test-secret.ts'
import { createTestSession } from '../world/test-session.ts'
import { createTestWorkspace } from '../world/test-workspace.ts'
import { createBacklogSql } from './backlog.ts'
import { copyTaskRows, insertTaskLinks } from './copied-tasks.ts'

/** How large the workspace is: as large as limits allow, or smaller for a quick test. */
export interface LargeWorkspaceSize {
  /** Tasks of the project, each with an assignee, a tag, a date and common words. */
  tasks: number
  /** Trees that one bulk request deletes, and the tasks of each. */
  bulkTrees: number
  bulkTreeTasks: number
  /** Tasks that block each other, each with 50 blockers. */
  linkedTasks: number
  pendingDeliveries: number
}

export type LargeWorkspace = Awaited<ReturnType<typeof createLargeWorkspace>>

const BATCH_SIZE = 500
const BLOCKERS_PER_TASK = 50
/** The most subtasks that a deletion, a move or a copy includes. */
const MAX_SUBTASKS = 1_000
const COPY_SUBTASKS = 999

/** Fills a data directory that no server uses with one large workspace. */
export async function createLargeWorkspace(
  dataDir: string,
  baseUrl: string,
  size: LargeWorkspaceSize,
) {
  const config = parseConfig({
    DOCKET_DATA_DIR: dataDir,
    DOCKET_SECRET: TEST_SECRET,
    DOCKET_BASE_URL: baseUrl,
    DOCKET_LIMIT_PAID: '1000000',
  })
  const { storage, secret } = await openStore(config)
  const { server } = await createApp(storage, config, secret, openLog('silent'))
  const team = await createTestWorkspace(storage)
  const { project, hidden, workspace, people } = team
  const create = async (url: string, payload: object): Promise<string> => {
    const headers = { authorization: `Bearer ${team.keys.owner}` }
    const reply = await server.inject({ method: 'POST', url, headers, payload })
    assert.equal(reply.statusCode, 201, reply.body)
    return reply.json().id
  }
  const createTask = (fields: object = {}) =>
    create('/api/v1/tasks', { project_id: hidden, title: 'A root', ...fields })
  let series = 0
  const copy = (task: string, count: number, parent_id?: string) => {
    series += 1
    return copyTaskRows(storage, workspace, task, {
      series,
      count,
      ...(parent_id !== undefined && { parent_id }),
    })
  }
  const createTree = async (count: number) => {
    const root = await createTask()
    await copy(root, count, root)
    return root
  }

  const tag = await create(`/api/v1/projects/${project}/tags`, { name: 'common' })
  const otherTag = await create(`/api/v1/projects/${project}/tags`, { name: 'other' })
  const webhook = await create('/api/v1/webhooks', {
    url: 'http://127.0.0.1:9/',
    events: ['comment.created'],
  })
  const owner = { ...createUserActor(people.owner, workspace), role: 'owner' as const }
  const tasks: string[] = []
  for (let from = 0; from < size.tasks; from += BATCH_SIZE) {
    await storage.write(owner, async (tx) => {
      for (let at = 0; at < BATCH_SIZE; at += 1) {
        const { id } = await createTaskFromInput(tx, {
          project_id: project,
          title: `Common words of task ${from + at}`,
          description: 'A text that says little. '.repeat(10),
          assignee_ids: [people.member],
          tag_ids: [tag],
          due_date: `2026-0${1 + (at % 9)}-${10 + (at % 18)}`,
          estimate_seconds: 3_600,
          ...(at % 3 === 0 && { status: 'done' }),
        })
        tasks.push(id)
      }
    })
  }
  const linkTemplate = await createTask()
  const linked = await copy(linkTemplate, size.linkedTasks)
  const links = linked.flatMap((task_id, at) =>
    linked
      .slice(Math.max(0, at - BLOCKERS_PER_TASK + 1), at)
      .map((blocker_id) => ({ task_id, blocker_id })),
  )
  await insertTaskLinks(storage, workspace, links)
  const trees = {
    deleted: await createTree(MAX_SUBTASKS),
    moved: await createTree(MAX_SUBTASKS),
    copied: await createTree(COPY_SUBTASKS),
    tooLarge: await createTree(size.tasks),
    free: await createTask(),
  }
  const bulkRoots: string[] = []
  for (let n = 0; n < size.bulkTrees; n += 1) {
    bulkRoots.push(await createTree(size.bulkTreeTasks - 1))
  }
  const session = await createTestSession(storage, team, 'owner', baseUrl)
  await server.close()
  await storage.close()

  const db = new DatabaseSync(join(dataDir, 'docket.db'))
  // Not due, so that the server has nothing to send.
  const since = '2100-01-01T00:00:00.000Z'
  const backlog = { workspace, webhooks: [webhook], events: size.pendingDeliveries, since }
  for (const sql of createBacklogSql(backlog)) db.exec(sql)
  db.close()
  return { ...team, session, tag, otherTag, webhook, tasks, linked, trees, bulkRoots }
}
