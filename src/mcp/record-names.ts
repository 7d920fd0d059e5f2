import { getMe } from '#resources/me/contract.ts'
import { listMembers } from '#resources/members/contract.ts'
import { listProjects } from '#resources/projects/contract.ts'
import { listProjectTags } from '#resources/tags/contract.ts'
import { getTask } from '#resources/tasks/contract.ts'
import { type CallEndpoint, readIfInScope, ToolError } from './call-endpoint.ts'
import { fence } from './tool-reply.ts'

const MAX_CANDIDATES = 10
/** Of a name, as the search of each endpoint takes it. */
export const MAX_RECORD_NAME_LENGTH = 200
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
  const tagIds = new Map<string, Promise<string | undefined>>()
  const taskProjects = new Map<string, Promise<string>>()
  let members: ReturnType<typeof readMembers> | undefined

  async function searchProject(name: string): Promise<string> {
    const { data } = await call(listProjects, { query: { q: name, ...PAGE } })
    const found = pickNamed('project', name, data, (one) => [one.prefix, one.name])
    if (!found) throw unknownName('project', name)
    return found.id
  }

  async function searchPerson(name: string): Promise<string> {
    if (name === 'me') return (await call(getMe)).user.id
    const { data } = await call(listMembers, { query: { q: name, ...PAGE } })
    const found = pickNamed('person', name, data, (one) => [one.name, one.email ?? one.name])
    if (!found) throw unknownName('person', name)
    return found.id
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

  /** The ids of the tags of a name in some projects, each of which may have one. */
  async function findTags(name: string, project_ids: readonly string[]): Promise<string[]> {
    if (name.startsWith('tag_')) return [name]
    if (project_ids.length === 0)
      throw new ToolError(
        'ambiguous_name',
        `Tags are those of a project: name the project of the tag “${name}”, too.`,
      )
    const found = await Promise.all(
      project_ids.map((id) =>
        tagIds.getOrInsertComputed(`${id} ${name}`, () => searchTag(name, id)),
      ),
    )
    const ids = found.filter((id) => id !== undefined)
    if (ids.length === 0) throw unknownName('tag', name)
    return ids
  }

  async function searchTag(name: string, id: string): Promise<string | undefined> {
    const { data } = await call(listProjectTags, { params: { id }, query: { q: name, ...PAGE } })
    return pickNamed('tag', name, data, (one) => [one.name])?.id
  }

  /**
   * The project of a task, for its tags. Of short ids the prefix says it: a task that was moved since keeps its former
   * id, but then the endpoint refuses the tags of the former project.
   */
  async function projectOfTask(id: string): Promise<string> {
    const prefix = /^([a-z][a-z0-9]*)-\d+$/i.exec(id)?.[1] ?? id
    return taskProjects.getOrInsertComputed(
      prefix,
      async () => (await call(getTask, { params: { id } })).project_id,
    )
  }

  /**
   * The fields with ids in place of names. Tags are those of the projects that the fields name, or else of
   * `project_id`. In filters some words stand for ids, and a tag for those of its name in each project.
   */
  async function resolve(
    fields: Readonly<Record<string, unknown>>,
    options: { project_id?: string | undefined; areFilters?: boolean } = {},
  ): Promise<Record<string, unknown>> {
    const { areFilters = false, project_id } = options
    const projectNames = [fields.project_id ?? project_id ?? []].flat()
    const project_ids = await Promise.all(projectNames.map((name) => findProject(String(name))))
    const find = async (kind: string, name: string): Promise<string[]> => {
      if (areFilters && FILTER_WORDS.includes(name)) return [name]
      if (kind === 'tag') return findTags(name, project_ids)
      return [await (kind === 'project' ? findProject(name) : findPerson(name))]
    }
    const resolved = Object.entries(fields).map(async ([field, value]) => {
      const kind = NAMED_FIELDS[field]
      if (kind === undefined || value === null) return [field, value] as const
      const ids = (await Promise.all([value].flat().map((name) => find(kind, String(name))))).flat()
      return [field, Array.isArray(value) ? ids : ids[0]] as const
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

  return { resolve, findPerson, projectOfTask, nameOfPerson, nameOfTag }
}

const unknownName = (noun: string, name: string) =>
  new ToolError('not_found', `There is no ${noun} “${name}” that you can see.`)

/** The only record of a name: that whose name it is exactly, or else the only one that was found by it. */
function pickNamed<T extends { id: string }>(
  noun: string,
  name: string,
  records: readonly T[],
  namesOf: (one: T) => readonly string[],
): T | undefined {
  const wanted = name.toLowerCase()
  const exact = records.filter((one) => namesOf(one).some((text) => text.toLowerCase() === wanted))
  const fitting = exact.length > 0 ? exact : records
  if (fitting.length <= 1) return fitting[0]
  const candidates = fitting
    .slice(0, MAX_CANDIDATES)
    .map((one) => JSON.stringify({ id: one.id, names: namesOf(one) }))
  throw new ToolError(
    'ambiguous_name',
    `This can be any of several ${noun === 'person' ? 'people' : `${noun}s`}, so nothing was done. Send the id of one.\n${fence(candidates.join('\n'))}`,
  )
}
