import type { Operation } from '#core/route.ts'
import { dayIn } from '#lib/days.ts'
import { fromJson } from '#lib/json.ts'
import { membersWhere } from '#resources/members/store.ts'
import { unreadOf } from '#resources/notifications/load.ts'
import { projectsWhere } from '#resources/projects/store.ts'
import { shownSession } from '#resources/sessions/operations.ts'
import { pinnedViews } from '#resources/views/store.ts'
import { type getBoot, MOST_MEMBERS, MOST_PROJECTS } from './contract.ts'
import { assignedCounts, formerMembers } from './store.ts'

const FROM_THE_START = { after_key: '', after_id: '' }
const byId = { column: null, descending: false, continued: false }
const ALL_PROJECTS = projectsWhere({
  order: byId,
  has: { status: false, words: false, lead_id: false, updated_since: false },
})
const ACTIVE_MEMBERS = membersWhere({
  order: byId,
  status: 'active',
  has: { role: false, q: false },
})

export const get: Operation<typeof getBoot> = async (tx) => {
  // Asked first: whatever changes after it is told, so that nothing falls between.
  const notice = await tx.newestNotice()
  const { user_id, credential_id, timezone } = tx.actor
  const projects = await tx.all(ALL_PROJECTS, {
    ...{ ...FROM_THE_START, limit: MOST_PROJECTS },
    ...{ status: '', words: [], prefix: '', lead_id: '', updated_since: '' },
  })
  const members = await tx.all(ACTIVE_MEMBERS, {
    ...{ ...FROM_THE_START, limit: MOST_MEMBERS },
    ...{ role: [], words: [], email: '', project_id: '' },
  })
  const today = dayIn(timezone, tx.now)
  return {
    session: await shownSession(tx, user_id ?? '', credential_id ?? ''),
    projects: projects.map(({ json }) => fromJson(json)),
    members: members.map(({ json }) => fromJson(json)),
    former: await tx.all(formerMembers, {}),
    views: (await tx.all(pinnedViews, {})).map(({ json }) => fromJson(json)),
    mine: (await tx.one(assignedCounts, { today })) ?? { open: 0, overdue: 0 },
    inbox: { unread: await unreadOf(tx) },
    notice,
    settings: tx.settings.web,
  }
}
