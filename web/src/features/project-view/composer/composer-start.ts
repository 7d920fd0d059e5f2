import { TYPED_PRIORITIES, type TypedValue } from '#lib/typed-sentence.ts'
import { type Boot, findProjectByPrefix } from '../../../data/session/boot.ts'
import { addDaysToDate } from '../../../lib/dates/plain-date.ts'
import { localStore } from '../../../lib/state/browser-storage.ts'
import {
  type FilterContext,
  resolveMember,
  resolveStatusKeys,
  resolveTag,
} from '../filter/filter-query.ts'
import { parseFilter, type ViewFilter } from '../filter/view-filter.ts'

const LAST_PROJECT_KEY = 'docket.last-project'

/** Stores the project in which a task was created last. */
export const saveLastProject = (id: string): void => void localStore.write(LAST_PROJECT_KEY, id)

/** What another app shares, as a title and a description. */
export interface SharedText {
  title: string
  description: string
}

const MAX_TITLE_LENGTH = 500

/**
 * Reads what is shared from the query of an address (public/manifest.webmanifest). What a title has no
 * room for begins the description.
 */
export function readSharedText(query: string): SharedText {
  const params = new URLSearchParams(query)
  const parts = ['title', 'text', 'url'].flatMap((name) => params.get(name)?.trim() || [])
  const [title = '', ...others] = [...new Set(parts)]
  const line = title.replace(/\s+/g, ' ')
  const isLong = line.length > MAX_TITLE_LENGTH
  const lastSpace = line.lastIndexOf(' ', MAX_TITLE_LENGTH)
  const end = isLong && lastSpace > 0 ? lastSpace : MAX_TITLE_LENGTH
  const rest = line.slice(end).trim()
  return {
    title: line.slice(0, end),
    description: [...(rest ? [rest] : []), ...others].join('\n\n'),
  }
}

/** Where a new task begins. */
export interface ComposerStart {
  project_id: string
  /** The filter of the list that is open; new tasks start with its values. */
  filter: ViewFilter
}

/**
 * Where a new task begins: in the project that is asked for, else in that of the open screen, whatever
 * draft there is; else in that of the draft, or where one was created last. Undefined if there is no
 * project that takes tasks.
 */
export function findComposerStart(
  boot: Boot,
  { pathname, search }: Pick<Location, 'pathname' | 'search'>,
  { requested, drafted }: { requested?: string | undefined; drafted?: string | undefined } = {},
): ComposerStart | undefined {
  const active = boot.projects.filter(({ status }) => status === 'active')
  const [, screen, prefix] = /\/(p|t)\/([A-Za-z0-9]+)/.exec(pathname) ?? []
  const shown = prefix === undefined ? undefined : findProjectByPrefix(boot, prefix)
  const last = localStore.read(LAST_PROJECT_KEY)
  const wanted = [requested, shown?.id, drafted, last]
  const project = wanted.map((id) => active.find((one) => one.id === id)).find(Boolean) ?? active[0]
  if (!project) return undefined
  const isListed = (screen === 'p' && shown?.id === project.id) || /\/all$/.test(pathname)
  const filter = isListed ? parseFilter(new URLSearchParams(search).get('f') ?? '') : []
  return { project_id: project.id, filter }
}

/** The values that every task of a filtered view has, as far as there is one of each. */
export function listFilterChips(filter: ViewFilter, context: FilterContext): TypedValue[] {
  const { members, tags, statuses, today } = context
  return filter.flatMap(({ property, not, values: [value = '', ...more] }): TypedValue[] => {
    if (not || more.length > 0) return []
    const typed = ''
    if (property === 'status') {
      const [key, ...others] = resolveStatusKeys(value, context)
      const label = statuses.find((one) => one.key === key)?.name
      return key && label && others.length === 0 ? [{ kind: 'status', typed, key, label }] : []
    }
    if (property === 'priority') {
      const priority = TYPED_PRIORITIES.find((one) => one === value)
      return priority ? [{ kind: 'priority', typed, priority }] : []
    }
    if (property === 'assignee' || property === 'tag') {
      const isTag = property === 'tag'
      const id = isTag ? resolveTag(value, context) : resolveMember(value, context)
      const record = (isTag ? tags : members).find((one) => one.id === id)
      const kind = isTag ? 'tag' : 'who'
      return record ? [{ kind, typed, id: record.id, name: record.name }] : []
    }
    const days = property === 'due' ? { today: 0, tomorrow: 1 }[value] : undefined
    return days === undefined ? [] : [{ kind: 'due', typed, date: addDaysToDate(today, days) }]
  })
}
