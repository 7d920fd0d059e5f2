import { replaceEqualDeep } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { createContext, useCallback, useContext, useMemo } from 'react'
import type { Member } from '#resources/members/contract.ts'
import type { Project, Status } from '#resources/projects/contract.ts'
import { useProjectMembers } from '../../data/resources/project-people.ts'
import { type Tag, useTagsOfProjectOrAll } from '../../data/resources/tags.ts'
import { type Boot, getMemberName, useBoot } from '../../data/session/boot.ts'
import { canDeleteTask } from '../../data/session/rights.ts'
import { isTaskFinished, type Task } from '../../data/tasks/task-patch.ts'
import { getTaskPath } from '../../data/tasks/task-path.ts'
import { useToday } from '../../lib/dates/use-clock.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { type FilterContext, isFilterOfOwnTasks } from './filter/filter-query.ts'
import type { ViewFilter } from './filter/view-filter.ts'
import { ListSelection } from './selection/list-selection.ts'

/** A project without its numbers of tasks, which nearly every write changes. */
export type ProjectWithoutCounts = Omit<Project, 'task_counts'>

type Person = Omit<Member, 'last_active_at'>

/** The boot data without what changes all the time: numbers of tasks, and when people were active. */
export interface StableBoot extends Pick<Boot, 'former'> {
  session: { user: Person; workspace: Boot['session']['workspace'] }
  members: readonly Person[]
  projects: readonly ProjectWithoutCounts[]
}

/** The pages that show tasks: those of a project, of all projects, or of the person. */
export type PageKind = 'project' | 'all' | 'mine'

/**
 * What every part of a page needs that shows the tasks of a project, or of all projects. It stays the
 * same object while rows load and change.
 */
export interface ProjectPageContext {
  boot: StableBoot
  /** The project of the page; undefined if it shows the tasks of all. */
  project: ProjectWithoutCounts | undefined
  page: PageKind
  /** The name under which the browser keeps the settings of the page. */
  pageKey: string
  /** The projects whose tasks the page may show, by id; archived ones too. */
  projects: ReadonlyMap<string, ProjectWithoutCounts>
  projectOf: (task: Pick<Task, 'project_id'>) => ProjectWithoutCounts | undefined
  /** The heading of the page. */
  title: string
  /** The statuses of the project. Those of all projects with the same key are one. */
  statuses: readonly Status[]
  tags: readonly Tag[]
  /** The members who see the project; on the page of all projects, all members. */
  people: readonly Person[]
  tagOf: (id: string) => Tag | undefined
  nameOf: (user_id: string) => string
  me: string
  /** Whether the view has only tasks assigned to the viewer, whose own avatar would say nothing. */
  hasOnlyOwnTasks: boolean
  filterContext: FilterContext
  /**
   * Whether a task belongs to the page, whatever its filter: it is of the project, or open in any active
   * one. The page may hold other tasks, such as those that have blocked one of its own.
   */
  includes: (task: Pick<Task, 'project_id' | 'status_category'>) => boolean
  selection: ListSelection
  /** Opens a task in the panel beside the list, at a comment if there is one; undefined closes the panel. */
  open: (shortId: string | undefined, comment_id?: string) => void
  /** The path of a task's own page. */
  taskHref: (shortId: string) => string
  /** Why nothing can be changed here; undefined if it can. */
  locked: string | undefined
  /** Why the current user cannot delete a task; undefined if they can. */
  undeletable: (task: Task) => string | undefined
}

const PageContext = createContext<ProjectPageContext | undefined>(undefined)
export const ProjectPageProvider = PageContext.Provider

export function useProjectPageContext(): ProjectPageContext {
  const context = useContext(PageContext)
  if (!context) throw new Error('No project page around this')
  return context
}

/** A function that says why the current user cannot delete a task; undefined if they can. */
export const createDeleteGuard =
  ({ session: { user } }: { session: { user: Pick<Person, 'id' | 'role'> } }) =>
  ({ created_by_id }: Task): string | undefined =>
    canDeleteTask(user, created_by_id) ? undefined : projectViewMessages.deleteReason

let latestBoot: StableBoot | undefined

/**
 * The boot data of a project page. It stays the same object until something other than a number
 * changes in it: all rows of a list render again when it does.
 */
export function useStableBoot(): StableBoot {
  const boot = useBoot('session', 'projects', 'members', 'former')
  return useMemo(() => {
    const { workspace, user } = boot.session
    const now = {
      session: { user: withoutActivity(user), workspace },
      members: boot.members.map(withoutActivity),
      former: boot.former,
      projects: boot.projects.map(({ task_counts: _, ...project }) => project),
    }
    latestBoot = latestBoot ? replaceEqualDeep(latestBoot, now) : now
    return latestBoot
  }, [boot])
}

const withoutActivity = ({ last_active_at: _, ...person }: Member): Person => person

/** The context of a page; only that of a project has one. */
export function useCreateProjectPageContext(
  boot: StableBoot,
  page: PageKind,
  project: ProjectWithoutCounts | undefined,
  filter: ViewFilter,
): ProjectPageContext {
  const { members, session } = boot
  const hasOnlyOwnTasks = isFilterOfOwnTasks(filter, { members, me: session.user.id })
  const tags = useTagsOfProjectOrAll(project?.id)
  const people = useProjectMembers(boot.members, project)
  const navigate = useNavigate()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another project starts with an empty selection
  const selection = useMemo(() => new ListSelection(), [project?.id])
  const open = useCallback(
    (shortId: string | undefined, comment_id?: string) =>
      void navigate({
        to: '.',
        ...(comment_id !== undefined && { hash: comment_id }),
        search: ({ task: _, ...rest }: { task?: string }) =>
          shortId ? { ...rest, task: shortId } : rest,
      }),
    [navigate],
  )
  const day = useToday()
  return useMemo(() => {
    const { session, members } = boot
    const shown = project ? [project] : boot.projects
    const active = project ? [project] : boot.projects.filter(({ status }) => status === 'active')
    const projects = new Map(shown.map((one) => [one.id, one]))
    const statuses = project ? project.statuses : mergeStatuses(active)
    const tagsById = new Map(tags.map((tag) => [tag.id, tag]))
    const me = session.user.id
    return {
      boot,
      page,
      pageKey: project?.id ?? page,
      project,
      projects,
      projectOf: ({ project_id }) => projects.get(project_id),
      title: project?.name ?? projectViewMessages.pages[page === 'mine' ? 'mine' : 'all'],
      statuses,
      tags,
      people,
      me,
      hasOnlyOwnTasks,
      selection,
      open,
      tagOf: (id) => tagsById.get(id),
      nameOf: (user_id) => getMemberName(boot, user_id),
      filterContext: {
        ...{ statuses, members, tags, me, today: day, now: Date.now },
        projects: active,
      },
      includes: (task) =>
        project
          ? task.project_id === project.id
          : !isTaskFinished(task) && projects.get(task.project_id)?.status === 'active',
      taskHref: (shortId) => getTaskPath(session.workspace.id, shortId),
      locked: project?.status === 'archived' ? projectViewMessages.archivedReason : undefined,
      undeletable: createDeleteGuard(boot),
    }
  }, [boot, page, project, tags, people, hasOnlyOwnTasks, selection, open, day])
}

const CATEGORY_ORDER = ['backlog', 'unstarted', 'started', 'completed', 'canceled']

/** The statuses of several projects by key, in the order of their categories. */
function mergeStatuses(projects: readonly ProjectWithoutCounts[]): readonly Status[] {
  const all = new Map<string, Status>()
  for (const status of projects.flatMap(({ statuses }) => statuses))
    if (!all.has(status.key)) all.set(status.key, status)
  const rankOf = ({ category }: Status) => CATEGORY_ORDER.indexOf(category)
  return [...all.values()].toSorted((a, b) => rankOf(a) - rankOf(b) || a.position - b.position)
}
