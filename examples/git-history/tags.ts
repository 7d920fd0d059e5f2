import { type Docket, Refused } from './docket.ts'
import { TYPES } from './labels.ts'
import type { Tag } from './records.ts'

const FOLDER = '#94a3b8'

/** Turns names into the ids of the project's tags, and makes those that are missing. */
export async function tagsOf(docket: Docket, project_id: string, dryRun: boolean) {
  const path = `/api/v1/projects/${project_id}/tags`
  const ids = new Map<string, string | undefined>()
  for await (const { id, name } of docket.list<Tag>(path)) ids.set(fold(name), id)
  const counted = { added: 0, without: 0 }
  let full = false

  /** Undefined where a dry run only counts, or the project has as many tags as it may. */
  async function make(name: string): Promise<string | undefined> {
    if (dryRun) {
      counted.added += 1
      return undefined
    }
    if (full) {
      counted.without += 1
      return undefined
    }
    try {
      const { body, replayed } = await docket.post<Tag>(path, {
        name,
        color: TYPES[name] ?? FOLDER,
      })
      if (!replayed) counted.added += 1
      return body.id
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const { code, details } = error.problem
      if (code === 'tag_exists') return details[0]?.resource_id
      if (code !== 'limit_reached') throw error
      full = true
      counted.without += 1
      return undefined
    }
  }

  async function idsOf(names: string[]): Promise<string[]> {
    const found = new Set<string>()
    for (const name of names) {
      const key = fold(name)
      if (!ids.has(key)) ids.set(key, await make(name))
      const id = ids.get(key)
      if (id !== undefined) found.add(id)
    }
    return [...found]
  }

  return { idsOf, counted }
}

/** As Docket compares the names of tags. */
const fold = (name: string) => name.normalize('NFC').toLowerCase()
