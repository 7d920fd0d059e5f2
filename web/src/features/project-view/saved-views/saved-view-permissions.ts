import type { SavedView } from '../../../data/resources/saved-views.ts'
import { canManageWorkspace } from '../../../data/session/boot.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import type { ProjectPageContext } from '../project-page-context.ts'

/** Why the current user cannot change a view; undefined if they can. */
export const getEditBlockReason = (
  { boot, me, project }: ProjectPageContext,
  view: SavedView,
): string | undefined =>
  canManageWorkspace(boot) || [view.created_by_id, project?.lead_id].includes(me)
    ? undefined
    : viewMessages.makerReason

/** Why the current user cannot share views; undefined if they can. */
export const getShareBlockReason = ({ boot }: ProjectPageContext): string | undefined =>
  boot.session.user.role === 'guest' ? viewMessages.guestReason : undefined
