import { accountActions } from '#accounts/index.ts'
import { consentActions } from '#accounts/oauth-consent/consent-actions.ts'
import type { Route } from '#core/route.ts'
import type { SessionAction } from '#core/session-action.ts'
import { activity } from '#resources/activity/index.ts'
import { apiKeys } from '#resources/api-keys/index.ts'
import { grants } from '#resources/applications/grants/index.ts'
import { applications } from '#resources/applications/index.ts'
import { approvals } from '#resources/approvals/index.ts'
import { attachments } from '#resources/attachments/index.ts'
import { audit } from '#resources/audit/index.ts'
import { changes } from '#resources/changes/operations.ts'
import { comments } from '#resources/comments/index.ts'
import { deliveries } from '#resources/deliveries/operations.ts'
import { events } from '#resources/events/index.ts'
import { exports } from '#resources/exports/index.ts'
import { imports } from '#resources/imports/index.ts'
import { invitations } from '#resources/invitations/index.ts'
import { me } from '#resources/me/index.ts'
import { members } from '#resources/members/index.ts'
import { notifications } from '#resources/notifications/index.ts'
import { offboarding } from '#resources/offboarding/index.ts'
import { operations } from '#resources/operations/index.ts'
import { projects } from '#resources/projects/index.ts'
import { pushDevices } from '#resources/push-devices/index.ts'
import { requests } from '#resources/requests/index.ts'
import { sessions } from '#resources/sessions/index.ts'
import { tags } from '#resources/tags/index.ts'
import { tasks } from '#resources/tasks/index.ts'
import { templates } from '#resources/templates/index.ts'
import { timeEntries } from '#resources/time-entries/index.ts'
import { boot } from '#resources/web-app/boot/index.ts'
import { projectTasks } from '#resources/web-app/project-tasks/index.ts'
import { reports } from '#resources/web-app/reports/index.ts'
import { search } from '#resources/web-app/search/index.ts'
import { suggestions } from '#resources/web-app/suggestions/index.ts'
import { views } from '#resources/web-app/views/index.ts'
import { webhooks } from '#resources/webhooks/index.ts'
import { workspace } from '#resources/workspace/index.ts'

/** All routes. A new resource needs a line here. */
export const routes: readonly Route[] = [
  ...projects,
  ...members,
  ...webhooks,
  ...deliveries,
  ...events,
  ...changes,
  ...me,
  ...sessions,
  ...boot,
  ...projectTasks,
  ...views,
  ...search,
  ...reports,
  ...tags,
  ...tasks,
  ...templates,
  ...activity,
  ...suggestions,
  ...notifications,
  ...pushDevices,
  ...comments,
  ...timeEntries,
  ...operations,
  ...approvals,
  ...requests,
  ...attachments,
  ...offboarding,
  ...workspace,
  ...audit,
  ...apiKeys,
  ...applications,
  ...grants,
  ...invitations,
  ...imports,
  ...exports,
]

/** Endpoints that need more than one transaction: sign-in, accounts and consent. */
export const sessionActions: readonly SessionAction[] = [...accountActions, ...consentActions]

/** The public API under /api/v1; the other routes only serve the web app (docs/spec/api.md#internal-api-of-the-web-app). */
export const publicRoutes = routes.filter(({ endpoint }) => endpoint.scope !== 'session')
