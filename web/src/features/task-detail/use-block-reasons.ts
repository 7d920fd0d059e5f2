import type { Member } from '#resources/members/contract.ts'
import { useBoot } from '../../data/session/boot.ts'
import {
  canChangeWorkOf,
  canDeleteTask,
  canEditComment,
  hasRight,
} from '../../data/session/rights.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { taskDetailMessages } from '../../messages/tasks/task-detail.ts'
import { useOpenTask } from './open-task-context.ts'

/** For each action the reason why the viewer may not do it; undefined if it is allowed. */
interface TaskBlockReasons {
  write: string | undefined
  remove: string | undefined
  createTags: string | undefined
  saveTemplate: string | undefined
  /** The following depend on the author of the comment, time entry or file. */
  editComment: (author_id: string) => string | undefined
  removeComment: (author_id: string) => string | undefined
  editTime: (user_id: string) => string | undefined
  removeFile: (created_by_id: string) => string | undefined
}

/** Returns the block reasons of the viewer's role for the open task (docs/spec/api.md#roles-and-visibility). */
export function useBlockReasons(): TaskBlockReasons {
  const { task, project } = useOpenTask()
  return getBlockReasons(
    useBoot('session').session.user,
    task.created_by_id,
    project?.status === 'archived',
  )
}

function getBlockReasons(me: Member, created_by_id: string, archived: boolean): TaskBlockReasons {
  const write = archived ? taskDetailMessages.archived : undefined
  const unlessOwn = (author_id: string, reason: string) =>
    write ?? (canChangeWorkOf(me, author_id) ? undefined : reason)
  const canShape = hasRight(me, 'shape_projects')
  return {
    write,
    remove:
      write ?? (canDeleteTask(me, created_by_id) ? undefined : projectViewMessages.deleteReason),
    saveTemplate: write ?? (canShape ? undefined : taskDetailMessages.guestTemplates),
    createTags: write ?? (canShape ? undefined : taskDetailMessages.guestTags),
    editComment: (author_id) =>
      write ?? (canEditComment(me, author_id) ? undefined : taskDetailMessages.onlyAuthor),
    removeComment: (author_id) => unlessOwn(author_id, taskDetailMessages.onlyOwnComment),
    editTime: (user_id) => unlessOwn(user_id, taskDetailMessages.onlyOwnTime),
    removeFile: (created_by_id) => unlessOwn(created_by_id, taskDetailMessages.onlyOwnFile),
  }
}
