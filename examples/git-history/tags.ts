import { type DocketClient, RequestRejectedError } from './docket.ts'
import { COMMIT_TYPE_COLORS } from './labels.ts'
import type { TagRecord } from './records.ts'

const FOLDER_COLOR = '#94a3b8'

/** Resolves names to the ids of the project's tags, and creates missing tags. */
export async function createTagResolver(docket: DocketClient, project_id: string, dryRun: boolean) {
  const path = `/api/v1/projects/${project_id}/tags`
  const ids = new Map<string, string | undefined>()
  for await (const { id, name } of docket.list<TagRecord>(path)) ids.set(fold(name), id)
  const counted = { added: 0, without: 0 }
  let isFull = false

  /** Returns undefined in a dry run, or if the project has reached its limit of tags. */
  async function createTag(name: string): Promise<string | undefined> {
    if (dryRun) {
      counted.added += 1
      return undefined
    }
    if (isFull) {
      counted.without += 1
      return undefined
    }
    try {
      const { body, replayed } = await docket.post<TagRecord>(path, {
        name,
        color: COMMIT_TYPE_COLORS[name] ?? FOLDER_COLOR,
      })
      if (!replayed) counted.added += 1
      return body.id
    } catch (error) {
      if (!(error instanceof RequestRejectedError)) throw error
      const { code, details } = error.problem
      if (code === 'tag_exists') return details[0]?.resource_id
      if (code !== 'limit_reached') throw error
      isFull = true
      counted.without += 1
      return undefined
    }
  }

  async function idsOf(names: string[]): Promise<string[]> {
    const found = new Set<string>()
    for (const name of names) {
      const key = fold(name)
      if (!ids.has(key)) ids.set(key, await createTag(name))
      const id = ids.get(key)
      if (id !== undefined) found.add(id)
    }
    return [...found]
  }

  return { idsOf, counted }
}

/** Normalizes a tag name the way Docket compares them. */
const fold = (name: string) => name.normalize('NFC').toLowerCase()
