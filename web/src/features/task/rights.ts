import type { Boot } from '../../data/boot.ts'
import { manages, useBoot } from '../../data/boot.ts'
import { m } from '../../messages/task.ts'
import { useOpenTask } from './open-task.ts'

/** Why the person cannot do something; undefined: it can be done. */
export interface Rights {
  write: string | undefined
  remove: string | undefined
  makeTags: string | undefined
  template: string | undefined
  /** Of what somebody made: a comment, an entry, a file. */
  editComment: (author_id: string) => string | undefined
  removeComment: (author_id: string) => string | undefined
  timeOf: (user_id: string) => string | undefined
  removeFile: (created_by_id: string) => string | undefined
}

/** What the role allows with the task that is shown (contract 4.3). */
export function useRights(): Rights {
  const { task, project } = useOpenTask()
  return rightsOf(useBoot(), task.created_by_id, project?.status === 'archived')
}

function rightsOf(boot: Boot, created_by_id: string, archived: boolean): Rights {
  const { id, role } = boot.session.user
  const write = archived ? m.archived : undefined
  const own = (of: string, why: string) => write ?? (of === id || manages(boot) ? undefined : why)
  return {
    write,
    remove: write ?? (role === 'guest' && created_by_id !== id ? m.guestDeletes : undefined),
    template: write ?? (role === 'guest' ? m.guestTemplates : undefined),
    makeTags: write ?? (role === 'guest' ? m.guestTags : undefined),
    editComment: (author_id) => write ?? (author_id === id ? undefined : m.onlyAuthor),
    removeComment: (author_id) => own(author_id, m.onlyOwnComment),
    timeOf: (user_id) => own(user_id, m.onlyOwnTime),
    removeFile: (created_by_id) => own(created_by_id, m.onlyOwnFile),
  }
}
