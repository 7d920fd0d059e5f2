import { getMe } from '#resources/me/contract.ts'
import { listMembers } from '#resources/members/contract.ts'
import { listProjects } from '#resources/projects/contract.ts'
import { listProjectTags } from '#resources/tags/contract.ts'
import { type CallEndpoint, readIfInScope, ToolError } from './call-endpoint.ts'

const MAX_CANDIDATES = 10
const PAGE = { limit: 200 } as const

/** Fields of endpoints whose ids a tool also takes as names. Tasks need none: every endpoint takes `ENG-42`. */
export const NAMED_FIELDS: Readonly<Record<string, 'project' | 'person' | 'tag'>> = {
  project_id: 'project',
  user_id: 'person',
  assignee_id: 'person',
  assignee_ids: 'person',
  add_assignee_ids: 'person',
  remove_assignee_ids: 'person',
  tag_id: 'tag',
  tag_ids: 'tag',
  add_tag_ids: 'tag',
  remove_tag_ids: 'tag',
}

/** Words that filters take in the place of an id. */
const FILTER_WORDS: readonly string[] = ['me', 'none']

export type RecordNames = ReturnType<typeof createRecordNames>

/** Finds ids by names, and names by ids, for one call of a tool: it asks for each only once. */
export function createRecordNames(call: CallEndpoint) {
  const projects = new Map<string, Promise<string>>()
  const people = new Map<string, Promise<string>>()
  const tags = new Map<string, ReturnType<typeof readTags>>()
  let members: ReturnType<typeof readMembers> | undefined

  async function searchProject(name: string): Promise<string> {
    const { data } = await call(listProjects, { query: { q: name, ...PAGE } })
    return pickNamed('project', name, data, (one) => [one.prefix, one.name]).id
  }

  async function searchPerson(name: string): Promise<string> {
    if (name === 'me') return (await call(getMe)).user.id
    const { data } = await call(listMembers, { query: { q: name, ...PAGE } })
    return pickNamed('person', name, data, (one) => [one.name, one.email ?? one.name]).id
  }

  const readTags = (id: string) => call(listProjectTags, { params: { id }, query: PAGE })
  const tagsOf = (project_id: string) =>
    tags.getOrInsertComputed(project_id, () => readTags(project_id))
  const readMembers = () =>
    readIfInScope(call(listMembers, { query: { status: 'all', ...PAGE } }), { data: [] })

  const findProject = async (name: string) =>
    name.startsWith('prj_') ? name : projects.getOrInsertComputed(name, searchProject)
  const findPerson = async (name: string) =>
    name.startsWith('usr_') ? name : people.getOrInsertComputed(name, searchPerson)

  async function findTag(name: string, project_id: string | undefined): Promise<string> {
    if (name.startsWith('tag_')) return name
    if (project_id === undefined)
      throw new ToolError(
        `Tags are those of a project: name the project of the tag “${name}”, too.`,
      )
    const params = { id: project_id }
    const { data } = await call(listProjectTags, { params, query: { q: name, ...PAGE } })
    return pickNamed('tag', name, data, (one) => [one.name]).id
  }

  /** The fields with ids in place of names. `project_id` is the project of the tags, unless the fields name another. */
  async function resolve(
    fields: Readonly<Record<string, unknown>>,
    options: { project_id?: string | undefined; areFilters?: boolean } = {},
  ): Promise<Record<string, unknown>> {
    const { areFilters = false } = options
    const projectNames = [fields.project_id ?? []].flat()
    const [project_id = options.project_id] = await Promise.all(
      projectNames.map((name) => findProject(String(name))),
    )
    const find = async (kind: string, name: string) => {
      if (areFilters && FILTER_WORDS.includes(name)) return name
      if (kind === 'project') return findProject(name)
      return kind === 'person' ? findPerson(name) : findTag(name, project_id)
    }
    const resolved = Object.entries(fields).map(async ([field, value]) => {
      const kind = NAMED_FIELDS[field]
      if (kind === undefined || value === null) return [field, value] as const
      if (!Array.isArray(value)) return [field, await find(kind, String(value))] as const
      return [field, await Promise.all(value.map((name) => find(kind, String(name))))] as const
    })
    return Object.fromEntries(await Promise.all(resolved))
  }

  /** The names of people by id; none if the credential may not read them. */
  async function nameOfPerson(id: string): Promise<string> {
    members ??= readMembers()
    return (await members).data.find((one) => one.id === id)?.name ?? id
  }

  async function nameOfTag(id: string, project_id: string): Promise<string> {
    const { data } = await readIfInScope(tagsOf(project_id), { data: [] })
    return data.find((one) => one.id === id)?.name ?? id
  }

  return { resolve, nameOfPerson, nameOfTag }
}

/** The only record of a name: that whose name it is exactly, or else the only one that was found by it. */
function pickNamed<T extends { id: string }>(
  noun: string,
  name: string,
  records: readonly T[],
  namesOf: (one: T) => readonly string[],
): T {
  const wanted = name.toLowerCase()
  const exact = records.filter((one) => namesOf(one).some((text) => text.toLowerCase() === wanted))
  const [record, ...others] = exact.length > 0 ? exact : records
  if (record && others.length === 0) return record
  if (!record) throw new ToolError(`There is no ${noun} “${name}” that you can see.`)
  const candidates = [record, ...others]
    .slice(0, MAX_CANDIDATES)
    .map((one) => `${namesOf(one).join(', ')} (${one.id})`)
  throw new ToolError(
    `“${name}” can be any of several, so nothing was done. Send the id of one: ${candidates.join('; ')}.`,
  )
}
