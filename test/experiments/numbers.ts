import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { createProject } from '#resources/projects/create.ts'
import { newHome } from '../support/home.ts'
import { call, type Replied, type Server } from './world/call.ts'
import { through } from './world/doctored.ts'

const CREATORS = 64
const PREFIXES = ['AAA', 'BBB', 'CCC', 'DDD', 'EEE']

/**
 * Creators make tasks in five projects at once, some of which are refused, rehearsed, moved or
 * deleted. Gives what is wrong: a short id that named two tasks, a gap, one that leads elsewhere.
 */
export async function countOff(
  { storage, server }: { storage: Storage; server: Server },
  each: number,
): Promise<string[]> {
  const home = await newHome(storage)
  const { owner: key } = home.keys
  const by = { created_by_id: home.people.owner }
  const projects = await storage.write({ ...NOBODY, workspace_id: home.workspace }, async (tx) => {
    const made: string[] = []
    for (const prefix of PREFIXES)
      made.push(await createProject(tx, { name: prefix, prefix, ...by }))
    return made
  })
  const named = new Map<string, string>()
  const deleted = new Set<string>()
  const faults: string[] = []

  await Promise.all(Array.from({ length: CREATORS }, (_, at) => create(at)))
  await leaveTheLastNumber()
  await Promise.all([...named].map(([short, id]) => resolve(short, id)))
  return [...faults, ...gaps()]

  async function create(creator: number): Promise<void> {
    for (let at = 0; at < each; at++) {
      const [here, there] = [projectAt(creator + at), projectAt(creator + at + 1)]
      await ask('POST', '/api/v1/tasks', { project_id: here, title: '' })
      await ask('POST', '/api/v1/tasks?dry_run=true', { project_id: here, title: 'Rehearsed' })
      const id = learn(await ask('POST', '/api/v1/tasks', { project_id: here, title: 'Task' }))
      const url = `/api/v1/tasks/${id}`
      if (at % 3 === 1) learn(await ask('PATCH', url, { project_id: there }))
      if (at % 6 === 1) learn(await ask('PATCH', url, { project_id: here }))
      if (at % 5 !== 4) continue
      await ask('DELETE', url)
      deleted.add(id)
    }
  }

  /** The highest number goes with its task to another project, and is not given a second time. */
  async function leaveTheLastNumber(): Promise<void> {
    const [project_id, there] = [projectAt(0), projectAt(1)]
    const last = learn(await ask('POST', '/api/v1/tasks', { project_id, title: 'Last' }))
    learn(await ask('PATCH', `/api/v1/tasks/${last}`, { project_id: there }))
    learn(await ask('POST', '/api/v1/tasks', { project_id, title: 'Next' }))
  }

  async function ask(method: string, url: string, body?: object): Promise<Replied> {
    const reply = await call(server, key, { method, url, ...(body && { body }) })
    if (reply.status >= 500) faults.push(`${method} ${url}: ${reply.status} ${reply.text}`)
    return reply
  }

  function learn({ status, text }: Replied): string {
    if (status >= 300) {
      faults.push(text)
      return ''
    }
    const { id, short_id } = JSON.parse(text) as { id: string; short_id: string }
    const known = named.get(short_id)
    if (known !== undefined && known !== id) faults.push(`${short_id} named ${known} and ${id}`)
    named.set(short_id, id)
    return id
  }

  async function resolve(short: string, id: string): Promise<void> {
    const { status, text } = await ask('GET', `/api/v1/tasks/${short}`)
    const leads = status === 200 && (JSON.parse(text) as { id: string }).id === id
    if (!leads && !(deleted.has(id) && status === 404))
      faults.push(`${short} does not lead to ${id}`)
  }

  function gaps(): string[] {
    return PREFIXES.flatMap((prefix) => {
      const short = [...named.keys()].filter((one) => one.startsWith(prefix))
      const missing = short.findIndex((_, at) => !named.has(`${prefix}-${at + 1}`))
      return missing === -1 ? [] : [`${prefix}-${missing + 1} was never given`]
    })
  }

  function projectAt(at: number): string {
    return projects[at % projects.length] ?? ''
  }
}

/** A store that gives a new task one more than the highest number there is. */
export const countingByMax = (storage: Storage): Storage =>
  through(storage, ({ sql, values }) => ({
    sql: sql.replace(
      /select "last_number" from "projects" where \S+ = ([^\s)]+) and \S+ = ([^\s)]+)/,
      'select coalesce(max("number"), 0) + 1 as "last_number" from "tasks" ' +
        'where "workspace_id" = $1 and "project_id" = $2',
    ),
    values,
  }))
