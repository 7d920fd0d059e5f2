import { manages } from '../../../data/boot.ts'
import type { SavedView } from '../../../data/views.ts'
import { m } from '../../../messages/views.ts'
import type { Screen } from '../screen.ts'

/** Why a person cannot change a view; undefined: they can. */
export const whyFixed = ({ boot, me, project }: Screen, view: SavedView): string | undefined =>
  manages(boot) || [view.created_by_id, project.lead_id].includes(me) ? undefined : m.makerReason

/** Why they cannot share views. */
export const whyAlone = ({ boot }: Screen): string | undefined =>
  boot.session.user.role === 'guest' ? m.guestReason : undefined
