import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { createProjectRow } from '#resources/projects/create-project.ts'
import { type ApiReply, callApi, type InjectableServer } from '../support/api/call-api.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const CREATORS = 24
const PREFIXES = ['AAA', 'BBB', 'CCC', 'DDD', 'EEE']

/**
 * Creates tasks in five projects concurrently; some are refused, dry runs, moved or deleted.
 * Returns short ids that named two tasks, gaps in the numbers, and short ids that find another
 * task.
 */
export async function findNumberFaults(
  { storage, server }: { storage: Storage; server: InjectableServer },
  each: number,
): Promise<string[]> {
  const team = await createTestWorkspace(storage)
  const { owner: key } = team.keys
  const by = { created_by_id: team.people.owner }
  const projects = await storage.write(
    { ...ANONYMOUS_ACTOR, workspace_id: team.workspace },
    async (tx) => {
      const made: string[] = []
      for (const prefix of PREFIXES)
        made.push(await createProjectRow(tx, { name: prefix, prefix, ...by }))
      return made
    },
  )
  const tasksByShortId = new Map<string, string>()
  const deleted = new Set<string>()
  const faults: string[] = []

  await Promise.all(Array.from({ length: CREATORS }, (_, at) => runCreator(at)))
  await moveHighestNumberAway()
  await Promise.all([...tasksByShortId].map(([short, id]) => checkShortId(short, id)))
  return [...faults, ...findGaps()]

  async function runCreator(creator: number): Promise<void> {
    for (let at = 0; at < each; at++) {
      const [project, otherProject] = [projectAt(creator + at), projectAt(creator + at + 1)]
      await send('POST', '/api/v1/tasks', { project_id: project, title: '' })
      await send('POST', '/api/v1/tasks?dry_run=true', { project_id: project, title: 'Rehearsed' })
      const id = recordShortId(
        await send('POST', '/api/v1/tasks', { project_id: project, title: 'Task' }),
      )
      const url = `/api/v1/tasks/${id}`
      if (at % 3 === 1) recordShortId(await send('PATCH', url, { project_id: otherProject }))
      if (at % 6 === 1) recordShortId(await send('PATCH', url, { project_id: project }))
      if (at % 5 !== 4) continue
      await send('DELETE', url)
      deleted.add(id)
    }
  }

  /** Moves the task with the highest number away; its number must not be used again. */
  async function moveHighestNumberAway(): Promise<void> {
    const [project_id, otherProject] = [projectAt(0), projectAt(1)]
    const last = recordShortId(await send('POST', '/api/v1/tasks', { project_id, title: 'Last' }))
    recordShortId(await send('PATCH', `/api/v1/tasks/${last}`, { project_id: otherProject }))
    recordShortId(await send('POST', '/api/v1/tasks', { project_id, title: 'Next' }))
  }

  async function send(method: string, url: string, body?: object): Promise<ApiReply> {
    const reply = await callApi(server, key, { method, url, ...(body && { body }) })
    if (reply.status >= 500) faults.push(`${method} ${url}: ${reply.status} ${reply.text}`)
    return reply
  }

  function recordShortId({ status, text }: ApiReply): string {
    if (status >= 300) {
      faults.push(text)
      return ''
    }
    const { id, short_id } = JSON.parse(text) as { id: string; short_id: string }
    const existing = tasksByShortId.get(short_id)
    if (existing !== undefined && existing !== id)
      faults.push(`${short_id} named ${existing} and ${id}`)
    tasksByShortId.set(short_id, id)
    return id
  }

  async function checkShortId(short: string, id: string): Promise<void> {
    const { status, text } = await send('GET', `/api/v1/tasks/${short}`)
    const leads = status === 200 && (JSON.parse(text) as { id: string }).id === id
    if (!leads && !(deleted.has(id) && status === 404))
      faults.push(`${short} does not lead to ${id}`)
  }

  function findGaps(): string[] {
    return PREFIXES.flatMap((prefix) => {
      const short = [...tasksByShortId.keys()].filter((one) => one.startsWith(prefix))
      const missing = short.findIndex((_, at) => !tasksByShortId.has(`${prefix}-${at + 1}`))
      return missing === -1 ? [] : [`${prefix}-${missing + 1} was never given`]
    })
  }

  function projectAt(at: number): string {
    return projects[at % projects.length] ?? ''
  }
}
