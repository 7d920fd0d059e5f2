import { replaceEqualDeep } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { createContext, useCallback, useContext, useMemo } from 'react'
import type { Member } from '#resources/members/contract.ts'
import type { Project } from '#resources/projects/contract.ts'
import { useProjectMembers } from '../../data/resources/project-people.ts'
import { type Tag, useTags } from '../../data/resources/tags.ts'
import { type Boot, getMemberName, useBoot } from '../../data/session/boot.ts'
import { canDeleteTask } from '../../data/session/rights.ts'
import type { Task } from '../../data/tasks/task-patch.ts'
import { getTaskPath } from '../../data/tasks/task-path.ts'
import { useToday } from '../../lib/dates/use-clock.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import type { FilterContext } from './filter/filter-query.ts'
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

/** What every part of a project page needs. It stays the same object while rows load and change. */
export interface ProjectPageContext {
  boot: StableBoot
  project: ProjectWithoutCounts
  tags: readonly Tag[]
  /** The members who see the project. */
  people: readonly Person[]
  tagOf: (id: string) => Tag | undefined
  nameOf: (user_id: string) => string
  me: string
  filterContext: FilterContext
  selection: ListSelection
  /** Opens a task in the panel beside the list; undefined closes the panel. */
  open: (shortId: string | undefined) => void
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

export function useCreateProjectPageContext(
  boot: StableBoot,
  project: ProjectWithoutCounts,
): ProjectPageContext {
  const tags = useTags(project.id)
  const people = useProjectMembers(boot.members, project)
  const navigate = useNavigate({ from: '/w/$workspaceId/p/$prefix' })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another project starts with an empty selection
  const selection = useMemo(() => new ListSelection(), [project.id])
  const open = useCallback(
    (shortId: string | undefined) =>
      void navigate({
        to: '.',
        search: ({ task: _, ...rest }) => (shortId ? { ...rest, task: shortId } : rest),
      }),
    [navigate],
  )
  const day = useToday()
  return useMemo(() => {
    const { session, members } = boot
    const tagsById = new Map(tags.map((tag) => [tag.id, tag]))
    const me = session.user.id
    return {
      boot,
      project,
      tags,
      people,
      me,
      selection,
      open,
      tagOf: (id) => tagsById.get(id),
      nameOf: (user_id) => getMemberName(boot, user_id),
      filterContext: { statuses: project.statuses, members, tags, me, today: day, now: Date.now },
      taskHref: (shortId) => getTaskPath(session.workspace.id, shortId),
      locked: project.status === 'archived' ? projectViewMessages.archivedReason : undefined,
      undeletable: createDeleteGuard(boot),
    }
  }, [boot, project, tags, people, selection, open, day])
}
