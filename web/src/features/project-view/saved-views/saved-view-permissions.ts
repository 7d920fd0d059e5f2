import type { SavedView } from '../../../data/resources/saved-views.ts'
import { canEditView, hasRight } from '../../../data/session/rights.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import type { ProjectPageContext } from '../project-page-context.ts'

/** Why the current user cannot change a view; undefined if they can. */
export const getEditBlockReason = (
  { boot, project }: ProjectPageContext,
  view: SavedView,
): string | undefined =>
  canEditView(boot.session.user, view, project)
    ? undefined
    : viewMessages.makerReason(project !== undefined)

/** Why the current user cannot share views; undefined if they can. */
export const getShareBlockReason = ({ boot }: ProjectPageContext): string | undefined =>
  hasRight(boot.session.user, 'shape_projects') ? undefined : viewMessages.guestReason
