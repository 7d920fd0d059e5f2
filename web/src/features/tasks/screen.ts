import { useNavigate } from '@tanstack/react-router'
import { createContext, useCallback, useContext, useMemo } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import { type Boot, nameOf, useBoot } from '../../data/boot.ts'
import { type Tag, useTags } from '../../data/tags.ts'
import type { Task } from '../../data/task-view.ts'
import { today } from '../../lib/day.ts'
import { m } from '../../messages/tasks.ts'
import type { Meaning } from './filter-query.ts'
import { Marks } from './marks.ts'

/** What every part of a project's list and board needs; it stays the same while rows come and change. */
export interface Screen {
  boot: Boot
  project: Project
  tags: readonly Tag[]
  tagOf: (id: string) => Tag | undefined
  nameOf: (user_id: string) => string
  me: string
  meaning: Meaning
  marks: Marks
  /** Opens a task beside the list; without one closes what is open. */
  open: (shortId: string | undefined) => void
  /** Its own page. */
  pageOf: (shortId: string) => string
  /** Why nothing can be changed here; undefined: it can. */
  locked: string | undefined
  /** Why a task cannot be deleted by this person; undefined: it can. */
  undeletable: (task: Task) => string | undefined
}

const ScreenContext = createContext<Screen | undefined>(undefined)
export const ScreenOf = ScreenContext.Provider

export function useScreen(): Screen {
  const found = useContext(ScreenContext)
  if (!found) throw new Error('A part of a project is shown outside of its page')
  return found
}

/** Why the person cannot delete a task; undefined: they can. */
export const undeletableBy =
  ({ session: { user } }: Boot) =>
  ({ created_by_id }: Task): string | undefined =>
    user.role === 'guest' && created_by_id !== user.id ? m.deleteReason : undefined

export function useNewScreen(project: Project): Screen {
  const boot = useBoot()
  const tags = useTags(project.id)
  const navigate = useNavigate({ from: '/w/$workspaceId/p/$prefix' })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another project begins without marks
  const marks = useMemo(() => new Marks(), [project.id])
  const open = useCallback(
    (shortId: string | undefined) =>
      void navigate({
        to: '.',
        search: ({ task: _, ...rest }) => (shortId ? { ...rest, task: shortId } : rest),
      }),
    [navigate],
  )
  return useMemo(() => {
    const { session, members } = boot
    const byId = new Map(tags.map((tag) => [tag.id, tag]))
    const me = session.user.id
    const now = Date.now()
    return {
      ...{ boot, project, tags, me, marks, open },
      tagOf: (id) => byId.get(id),
      nameOf: (user_id) => nameOf(boot, user_id),
      meaning: { statuses: project.statuses, members, tags, me, today: today(), now },
      pageOf: (shortId) => `/w/${session.workspace.id}/t/${shortId}`,
      locked: project.status === 'archived' ? m.archivedReason : undefined,
      undeletable: undeletableBy(boot),
    }
  }, [boot, project, tags, marks, open])
}
